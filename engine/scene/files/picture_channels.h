// picture_channels.h — which channels of a picture are its colours.
//
// An EXR names its channels (LAYER.R) and may hold many layers, in one part or in several, in any
// order. Its colours are R, G, B without a layer; else those of the one layer that is called
// Combined, beauty or rgba; else those of its only layer of colours. Y in their place is grey. A
// layer that is a part of its own has the part's name. In other formats the first channels are the
// colours. One thread per picture.
#pragma once

#include <functional>
#include <vector>

#include "engine/scene/files/picture_input.h"

namespace weft::scene {

// Makes the part with the colours the current one. Returns the places of its channels: grey, grey
// and alpha, RGB or RGBA. Error: none, several, or luminance and chroma.
base::Result<std::vector<i32>> choose_colours(PictureInput& input);

// Decodes these channels as floats, in this order; else as read_picture_rows().
base::Status read_picture_channels(PictureInput& input,
                                   const std::vector<i32>& channels,
                                   const std::function<void(u32 y, const float* row)>& take);

}  // namespace weft::scene
