// random_scene.cpp — scenes in which every field of every record is drawn at random, for comparing
// two tracers.
//
// Covers combinations that no hand-made scene has: textures in any slot and wrap mode, both uv
// sets, vertex colours, nested solids of any priority, films under coats. A seed gives the same
// scene on every machine.
#include <algorithm>
#include <random>

#include "tests/engine/trace/small_scenes.h"

namespace weft::tests {

namespace {

// The engine's output is fixed by the standard; distributions are not, so they are written here.
class Dice {
public:
    explicit Dice(u32 seed) : engine_(seed) {}

    float between(float low, float high) {
        return low + (high - low) * static_cast<float>(engine_() >> 8) * 0x1p-24f;
    }

    u32 below(u32 limit) { return static_cast<u32>(between(0, 1) * static_cast<float>(limit)); }

    bool happens(float chance) { return between(0, 1) < chance; }

    Float3 color(float low, float high) {
        const float r = between(low, high);
        const float g = between(low, high);
        return {r, g, between(low, high)};
    }

private:
    std::mt19937 engine_;
};

u32 random_slot(scene::Scene& scene, Dice& dice, Meaning meaning) {
    const u32 size = 1 + dice.below(12);
    const u32 index = add_slot(scene, size, meaning, [&dice](u32 /*x*/, u32 /*y*/) {
        Byte4 texel{};
        for (u8& channel : texel) {
            channel = static_cast<u8>(60 + dice.below(196));
        }
        return texel;
    });
    shaders::TextureSlot& slot = scene.slots[index];
    slot.uv_set = dice.below(2);
    for (const u32 entry : {0u, 1u, 3u, 4u}) {
        slot.uv_transform[entry] = dice.between(-2, 2);
    }
    slot.uv_transform[2] = dice.between(-1, 1);
    slot.wrap_u = dice.below(3);
    slot.wrap_v = dice.below(3);
    slot.is_nearest = dice.happens(0.3f) ? 1 : 0;
    return index;
}

void add_random_layers(shaders::MaterialRecord& record, Dice& dice) {
    if (dice.happens(0.4f)) {
        record.coat = dice.between(0, 1);
        record.coat_roughness = dice.between(0.2f, 1);
    }
    if (dice.happens(0.4f)) {
        const Float3 color = dice.color(0, 1);
        std::copy_n(&color.x, 3, record.sheen_color);
        record.sheen_roughness = dice.between(0.1f, 1);
    }
    if (dice.happens(0.3f)) {
        record.iridescence = dice.between(0, 1);
        record.iridescence_ior = dice.between(1.1f, 2);
        record.iridescence_max_nm = dice.between(200, 600);
    }
    if (dice.happens(0.3f)) {
        const float cosine = dice.between(-1, 1);
        record.anisotropy = dice.between(0, 1);
        record.anisotropy_cos = cosine;
        record.anisotropy_sin = 1 - std::max(cosine, -cosine);
    }
    if (dice.happens(0.5f)) {
        record.transmission = dice.between(0, 1);
        record.roughness = dice.happens(0.5f) ? dice.between(0, 0.05f) : record.roughness;
        record.flags |= dice.happens(0.6f) ? shaders::kMaterialSolid : 0;
        const Float3 sigma = dice.color(0, 1);
        std::copy_n(&sigma.x, 3, record.sigma_a);
        record.medium_priority = static_cast<float>(dice.below(3));
    }
}

void add_random_slots(scene::Scene& scene, shaders::MaterialRecord& record, Dice& dice) {
    for (u32* slot : {&record.base_color_slot,
                      &record.emissive_slot,
                      &record.specular_color_slot,
                      &record.sheen_color_slot}) {
        *slot = dice.happens(0.3f) ? random_slot(scene, dice, Meaning::Color) : kNone;
    }
    for (u32* slot : {&record.metallic_roughness_slot,
                      &record.normal_slot,
                      &record.specular_slot,
                      &record.transmission_slot,
                      &record.coat_slot,
                      &record.coat_roughness_slot,
                      &record.coat_normal_slot,
                      &record.sheen_roughness_slot,
                      &record.iridescence_slot,
                      &record.iridescence_thickness_slot,
                      &record.anisotropy_slot}) {
        *slot = dice.happens(0.3f) ? random_slot(scene, dice, Meaning::Linear) : kNone;
    }
}

shaders::MaterialRecord random_material(scene::Scene& scene, Dice& dice) {
    shaders::MaterialRecord record = plastic(dice.color(0.2f, 1), dice.between(0.2f, 1));
    record.base_color[3] = dice.between(0.3f, 1);
    record.metallic = dice.happens(0.5f) ? 0 : dice.between(0, 1);
    record.ior = dice.happens(0.1f) ? 0 : dice.between(1, 2);
    record.specular = dice.between(0, 1);
    const Float3 tint = dice.color(0.3f, 1);
    std::copy_n(&tint.x, 3, record.specular_color);
    record.normal_scale = dice.between(0, 1);
    record.coat_normal_scale = dice.between(0, 1);
    record.alpha_mode = dice.happens(0.5f) ? 0 : dice.below(3);
    record.alpha_cutoff = dice.between(0.3f, 0.7f);
    record.flags |= dice.happens(0.2f) ? shaders::kMaterialSpecGloss : 0;
    record.flags |= dice.happens(0.3f) ? shaders::kMaterialSingleSided : 0;
    record.flags |= dice.happens(0.08f) ? shaders::kMaterialUnlit : 0;
    record.flags |= dice.happens(0.1f) ? shaders::kMaterialFrontEmission : 0;
    record.flags |= dice.happens(0.1f) ? shaders::kMaterialUnseen : 0;
    if (dice.happens(0.2f)) {
        const Float3 glow = dice.color(0, 2);
        std::copy_n(&glow.x, 3, record.emissive);
    }
    add_random_layers(record, dice);
    add_random_slots(scene, record, dice);
    return record;
}

Shape random_shape(Dice& dice) {
    Shape shape;
    switch (dice.below(3)) {
        case 0:
            shape = uv_sphere({0, 0, 0}, 1, 14, 7, Shading::Smooth);
            break;
        case 1:
            shape = uv_sphere({0, 0, 0}, 1, 10, 5, Shading::Flat);
            break;
        default:
            shape = box({-0.8f, -0.8f, -0.8f}, {0.8f, 0.8f, 0.8f}, Facing::Out);
            break;
    }
    const std::size_t vertices = shape.positions.size() / 3;
    if (dice.happens(0.3f)) {
        for (std::size_t i = 0; i < 4 * vertices; ++i) {
            shape.colors.push_back(dice.between(0.5f, 1));
        }
    }
    if (dice.happens(0.5f)) {
        for (std::size_t i = 0; i < 2 * vertices; ++i) {
            shape.second_uvs.push_back(dice.between(-1, 2));
        }
    }
    return shape;
}

void add_random_lights(scene::Scene& scene, Dice& dice) {
    if (dice.happens(0.5f)) {
        scene.lights.push_back(point_light({dice.between(-4, 4), 4, 3}, dice.color(5, 40)));
    }
    if (dice.happens(0.5f)) {
        scene.lights.push_back(
            directional_light({dice.between(-1, 1), -1, -0.5f}, dice.color(0, 2)));
    }
    if (dice.happens(0.5f)) {
        const float outer = dice.between(0.5f, 0.9f);
        const float inner = dice.between(outer, 1);
        scene.lights.push_back(
            spot_light({2, 5, 2}, {-0.4f, -1, -0.3f}, dice.color(20, 90), inner, outer));
    }
    // Half of the lights have a size, decided by a number that they have already.
    for (scene::Light& light : scene.lights) {
        const bool is_soft = light.intensity[1] > light.intensity[2];
        light.radius_m = is_soft ? 0.7f : 0.0f;
        light.angle_deg = is_soft ? 12.0f : 0.0f;
    }
    if (dice.happens(0.5f)) {
        set_sky(scene, 4 + dice.below(20), 2 + dice.below(10));
    } else {
        set_constant_environment(scene, dice.color(0.1f, 0.6f));
    }
}

}  // namespace

scene::Scene random_scene(u32 seed) {
    Dice dice(seed);
    scene::Scene scene;
    add_object(scene, quad({-5, 0, 5}, {10, 0, 0}, {0, 0, -10}), plastic({0.5f, 0.5f, 0.5f}, 0.6f));
    for (u32 i = 0; i < 8; ++i) {
        const u32 material = add_material(scene, random_material(scene, dice));
        const u32 mesh = add_mesh(scene, random_shape(dice), material);
        const Float3 scale = dice.color(0.4f, 1.1f);
        math::Affine place =
            placed(scale, {dice.between(-2, 2), dice.between(0.4f, 2), dice.between(-1.5f, 1.5f)});
        place[1] = dice.between(-0.3f, 0.3f);
        place[6] = dice.between(-0.3f, 0.3f);
        place[0] = dice.happens(0.4f) ? -place[0] : place[0];
        add_instance(scene, mesh, place);
    }
    add_random_lights(scene, dice);
    set_camera(scene, {dice.between(-1, 1), 2.5f, 6}, {0, 0.9f, 0}, 0.7f);
    scene::Camera& camera = scene.cameras.front();
    camera.lens_radius_m = dice.happens(0.3f) ? 0.1f : 0.0f;
    camera.focus_m = 6;
    camera.is_orthographic = dice.happens(0.2f);
    camera.xmag = 3;
    camera.ymag = 3;
    camera.shift_x = dice.happens(0.3f) ? dice.between(-0.2f, 0.2f) : 0.0f;
    camera.shift_y = dice.happens(0.3f) ? dice.between(-0.2f, 0.2f) : 0.0f;
    camera.pixel_aspect = dice.happens(0.2f) ? 1.5f : 1.0f;
    return scene;
}

}  // namespace weft::tests
