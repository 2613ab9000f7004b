// theme.h — how the interface looks: colours, spaces, the font.
//
// Neutral greys, so that the picture alone has colour; one accent. Interface thread, once, after
// ImGui's context was made.
#pragma once

#include <imgui.h>

namespace weft::app {

inline constexpr float kTextSize = 14;  // height of text where the scale is 1
inline const ImVec4 kAccent{0.93F, 0.60F, 0.24F, 1.0F};
inline const ImVec4 kFaint{0.56F, 0.56F, 0.58F, 1.0F};  // labels that need no attention
inline const ImVec4 kWarning{0.95F, 0.45F, 0.38F, 1.0F};

// `interface_scale`: of text and spaces; `pixel_scale`: framebuffer pixels per coordinate.
void apply_theme(float interface_scale, float pixel_scale);

}  // namespace weft::app
