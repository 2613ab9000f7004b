// theme.h — the look of the interface: colours, spacing, the font.
//
// Neutral greys, so that only the picture has colour; one accent. Interface thread, after ImGui's
// context exists and outside of its frames.
#pragma once

#include <imgui.h>

namespace weft::app {

inline constexpr float kTextSize = 14;  // height of text at scale 1
inline const ImVec4 kAccent{0.93F, 0.60F, 0.24F, 1.0F};
inline const ImVec4 kFaint{0.56F, 0.56F, 0.58F, 1.0F};  // for labels of low emphasis
inline const ImVec4 kWarning{0.95F, 0.45F, 0.38F, 1.0F};

// `interface_scale`: of text and spacing; `pixel_scale`: framebuffer pixels per coordinate. After a
// later call with other scales the font texture must be rebuilt.
void apply_theme(float interface_scale, float pixel_scale);

// The present scale of the interface; handles and stored sizes follow it. Call within a frame.
float interface_scale();

}  // namespace weft::app
