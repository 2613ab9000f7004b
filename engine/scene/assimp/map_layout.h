// map_layout.h — one layout for two pictures that share a texture.
//
// A slot of a material reads one texture with one placement, but a file may place the two pictures
// that are joined there each in its own way. Where both repeat, a part of the surface that holds
// whole copies of both becomes the texture. Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "shaders/host/scene_view.h"

namespace weft::scene {

// How a picture fills a texture: along each axis `copies` times (below 0: mirrored), the first one
// begun at `start` of it.
struct Placement {
    std::array<i64, 2> copies{1, 1};
    std::array<double, 2> start{0, 0};

    bool operator==(const Placement&) const = default;
};

struct SharedLayout {
    shaders::TextureSlot slot{};  // of the shared texture
    Placement first;
    Placement second;
};

// The layout of one texture with two pictures, whose slots these would be; the first one's where it
// fits. None: no texture can show both, since they lie on different uv sets, do not both repeat, or
// have no common period of a few copies.
std::optional<SharedLayout> shared_layout(const shaders::TextureSlot& first,
                                          const shaders::TextureSlot& second);

// The side of the texture: that of the larger picture, more where copies of it stand side by side.
u32 shared_side(u32 first, i64 first_copies, u32 second, i64 second_copies);

// For each of `shared` texels along an axis, the texel of a picture with `side` of them.
std::vector<u32> texels_along(const Placement& placement, std::size_t axis, u32 side, u32 shared);

// Words for keys; empty for a picture that fills the texture as it is.
std::string words_of(const Placement& placement);

}  // namespace weft::scene
