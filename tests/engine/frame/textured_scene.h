// textured_scene.h — a room whose surfaces have texels of every format, with every wrap mode and
// both filters; alpha, a tinted pane and a light read texels, too.
#pragma once

#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/model/texture.h"
#include "shaders/surface/texel_layout.h"
#include "tests/engine/frame/rich_scene.h"

namespace weft::tests {

// A picture of 64 × 64 texels that leads to one format of texels; its slot.
inline u32 add_format(scene::Scene& scene, shaders::TexelFormat format) {
    using shaders::TexelFormat;
    constexpr u32 kSize = 64;
    const bool is_colour = format == TexelFormat::Srgb8 || format == shaders::kGreySrgb8;
    scene::DecodedImage image;
    image.width = image.height = kSize;
    image.is_grey = format == shaders::kGreyLinear8 || format == shaders::kGreySrgb8 ||
                    format == shaders::kGreyFloat;
    image.is_float = format == TexelFormat::Float || format == TexelFormat::Half ||
                     format == shaders::kGreyFloat;
    const u32 values = image.is_grey ? 1 : 4;
    for (u32 k = 0; k < kSize * kSize * values; ++k) {
        const u32 code = 40 + (k * 37 + k / 97 * 11) % 200;
        // A code over 256 is a half, one over 768 mostly is none.
        const float part = format == TexelFormat::Half ? 256.0F : 768.0F;
        if (image.is_float) {
            image.floats.push_back(static_cast<float>(code) / part);
        } else {
            image.bytes.push_back(static_cast<u8>(code));
        }
    }
    const auto meaning = is_colour ? scene::TexelMeaning::Color : scene::TexelMeaning::Linear;
    shaders::TextureSlot slot{};
    slot.texture = scene::append_texture(scene, image, meaning, "made in code").value();
    REQUIRE(scene.textures[slot.texture].record.format == static_cast<u32>(format));
    slot.uv_transform[0] = slot.uv_transform[4] = 1.7F;
    scene.slots.push_back(slot);
    return static_cast<u32>(scene.slots.size() - 1);
}

inline scene::Scene textured_scene() {
    using shaders::TexelFormat;
    scene::Scene scene = rich_scene();
    const std::vector<TexelFormat> formats = {TexelFormat::Linear8,
                                              TexelFormat::Srgb8,
                                              TexelFormat::Float,
                                              TexelFormat::Half,
                                              shaders::kGreyLinear8,
                                              shaders::kGreySrgb8,
                                              shaders::kGreyFloat};
    std::vector<u32> slots;
    for (const TexelFormat format : formats) {
        for (const bool is_nearest : {false, true}) {
            const u32 slot = add_format(scene, format);
            scene.slots[slot].is_nearest = is_nearest ? 1 : 0;
            scene.slots[slot].wrap_u = slot % 3;
            scene.slots[slot].wrap_v = (slot + 1) % 3;
            slots.push_back(slot);
        }
    }
    // Each material reads several of them; alpha, tints and emission do, too.
    u32 next = 0;
    const auto draw = [&] { return slots[next++ % slots.size()]; };
    for (scene::Material& material : scene.materials) {
        material.record.base_color_slot = draw();
        material.record.metallic_roughness_slot = draw();
        material.record.normal_slot = draw();
        material.record.normal_scale = 0.3F;
        material.record.emissive_slot = material.record.emissive[0] > 0 ? draw() : kNone;
        material.record.transmission_slot = material.record.transmission > 0 ? draw() : kNone;
    }
    // A wall of small panels, one for each slot.
    for (u32 k = 0; k < slots.size(); ++k) {
        shaders::MaterialRecord panel = plastic({0.9F, 0.9F, 0.9F}, 0.6F);
        panel.base_color_slot = slots[k];
        const auto x = static_cast<float>(k % 7);
        const auto y = static_cast<float>(k / 7);
        add_object(scene,
                   quad({-2.8F + 0.8F * x, 2.2F + 0.8F * y, -2.9F}, {0.7F, 0, 0}, {0, 0.7F, 0}),
                   panel);
    }
    return scene;
}

}  // namespace weft::tests
