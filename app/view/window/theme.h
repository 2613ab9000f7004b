// theme.h — how the interface looks: colours, spaces, the font.
//
// Neutral greys, so that the picture alone has colour; one accent. Interface thread, after ImGui's
// context was made and outside of its frames.
#pragma once

#include <imgui.h>

namespace weft::app {

inline constexpr float kTextSize = 14;  // height of text where the scale is 1
inline const ImVec4 kAccent{0.93F, 0.60F, 0.24F, 1.0F};
inline const ImVec4 kFaint{0.56F, 0.56F, 0.58F, 1.0F};  // labels that need no attention
inline const ImVec4 kWarning{0.95F, 0.45F, 0.38F, 1.0F};

// `interface_scale`: of text and spaces; `pixel_scale`: framebuffer pixels per coordinate. May be
// called again with other scales: the texture of the font must be made again then.
void apply_theme(float interface_scale, float pixel_scale);

// The scale of the interface that is drawn now: handles and remembered sizes follow it. Within a
// frame.
float interface_scale();

}  // namespace weft::app
