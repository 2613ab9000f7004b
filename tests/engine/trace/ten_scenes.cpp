// ten_scenes.cpp — the ten scenes of small_scenes.h, each around one part of shaders/bsdf.md.
#include <algorithm>

#include "tests/engine/trace/small_scenes.h"

namespace weft::tests {

namespace {

constexpr u32 kTextureSize = 16;

void add_floor(scene::Scene& scene, const shaders::MaterialRecord& record) {
    add_object(scene, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), record);
}

void add_ball(scene::Scene& scene, float x, const shaders::MaterialRecord& record) {
    add_object(scene, uv_sphere({x, 1, 0}, 0.9f, 24, 12, Shading::Smooth), record);
}

void add_square_light(scene::Scene& scene, Float3 radiance) {
    add_object(scene, quad({-1, 4, -1}, {2, 0, 0}, {0, 0, 2}), emitter(radiance));
}

// Three balls in a row on a floor.
scene::Scene three_balls(const std::array<shaders::MaterialRecord, 3>& records) {
    scene::Scene scene;
    add_floor(scene, plastic({0.5f, 0.5f, 0.5f}, 0.6f));
    for (std::size_t i = 0; i < records.size(); ++i) {
        add_ball(scene, -2 + 2 * static_cast<float>(i), records[i]);
    }
    set_camera(scene, {0, 2.5f, 6}, {0, 0.8f, 0}, 0.8f);
    return scene;
}

scene::Scene diffuse_box() {
    scene::Scene scene;
    add_object(scene, box({-2, 0, -2}, {2, 4, 2}, Facing::In), lambert({0.7f, 0.6f, 0.5f}));
    add_object(scene, box({-1, 0, -1}, {0, 1.5f, 0}, Facing::Out), lambert({0.2f, 0.5f, 0.7f}));
    add_object(scene, quad({-0.5f, 3.9f, -0.5f}, {1, 0, 0}, {0, 0, 1}), emitter({12, 11, 10}));
    set_camera(scene, {0.5f, 2, 1.9f}, {0, 1.5f, -1}, 1.2f);
    return scene;
}

scene::Scene metals() {
    shaders::MaterialRecord brushed = metal({0.9f, 0.6f, 0.3f}, 0.3f);
    brushed.anisotropy = 0.8f;
    brushed.anisotropy_cos = 0.8f;
    brushed.anisotropy_sin = 0.6f;
    scene::Scene scene =
        three_balls({metal({0.95f, 0.93f, 0.88f}, 0.1f), brushed, metal({0.4f, 0.7f, 0.9f}, 0.7f)});
    set_sky(scene, 32, 16);
    return scene;
}

scene::Scene dielectric_and_coat() {
    shaders::MaterialRecord coated = plastic({0.7f, 0.1f, 0.1f}, 0.8f);
    coated.coat = 1;
    coated.coat_roughness = 0.1f;
    shaders::MaterialRecord painted = metal({0.2f, 0.4f, 0.8f}, 0.5f);
    painted.coat = 0.6f;
    painted.coat_roughness = 0.3f;
    shaders::MaterialRecord tinted = plastic({0.2f, 0.7f, 0.3f}, 0.25f);
    tinted.ior = 1.8f;
    tinted.specular = 0.7f;
    tinted.specular_color[0] = 0.5f;
    scene::Scene scene = three_balls({coated, painted, tinted});
    set_constant_environment(scene, {0.3f, 0.4f, 0.5f});
    add_square_light(scene, {5, 5, 4});
    return scene;
}

scene::Scene sheen() {
    const auto cloth = [](Float3 color, float roughness) {
        shaders::MaterialRecord record = plastic({0.1f, 0.1f, 0.3f}, 0.9f);
        std::copy_n(&color.x, 3, record.sheen_color);
        record.sheen_roughness = roughness;
        return record;
    };
    scene::Scene scene = three_balls(
        {cloth({0.9f, 0.8f, 0.7f}, 0.3f), cloth({0.5f, 0.1f, 0.1f}, 0.6f), cloth({1, 1, 1}, 1)});
    scene.lights.push_back(point_light({2, 4, 3}, {60, 50, 40}));
    set_constant_environment(scene, {0.2f, 0.2f, 0.2f});
    return scene;
}

scene::Scene nested_glass() {
    shaders::MaterialRecord outer = glass(1.5f, 0.0f);
    outer.sigma_a[0] = 0.8f;
    outer.sigma_a[1] = 0.2f;
    outer.medium_priority = 1;
    shaders::MaterialRecord inner = glass(1.33f, 0.2f);
    inner.medium_priority = 2;
    inner.sigma_a[2] = 1.5f;
    shaders::MaterialRecord lesser = glass(1.2f, 0.1f);
    scene::Scene scene = three_balls({outer, glass(1.7f, 0.3f), outer});
    add_object(scene, uv_sphere({-2, 1, 0}, 0.5f, 16, 8, Shading::Smooth), inner);
    add_object(scene, uv_sphere({2, 1, 0.5f}, 0.7f, 16, 8, Shading::Flat), lesser);
    // Glass with milk in it; a cloud with a hole, over a part of the balls.
    shaders::MaterialRecord milk = glass(1.3f, 0.0f);
    std::fill_n(milk.sigma_s, 3, 4.0f);
    milk.phase_g = 0.6f;
    add_object(scene, uv_sphere({0.3f, 0.4f, 1.6f}, 0.35f, 16, 8, Shading::Smooth), milk);
    shaders::MaterialRecord cloud = lambert({1, 1, 1});
    cloud.flags |= shaders::kMaterialSolid | shaders::kMaterialBoundary;
    const shaders::MaterialRecord hole = cloud;
    cloud.sigma_a[2] = 0.1f;
    cloud.sigma_s[0] = 0.2f;
    cloud.sigma_s[1] = 0.3f;
    cloud.phase_g = -0.4f;
    add_object(scene, box({-1.2f, 0.2f, -0.5f}, {2.2f, 1.7f, 2.5f}, Facing::Out), cloud);
    add_object(scene, uv_sphere({-0.3f, 1, 1.5f}, 0.4f, 12, 6, Shading::Flat), hole);
    set_sky(scene, 16, 8);
    add_square_light(scene, {6, 6, 6});
    return scene;
}

scene::Scene thin_window() {
    scene::Scene scene;
    add_floor(scene, plastic({0.6f, 0.6f, 0.6f}, 0.7f));
    add_square_light(scene, {8, 7, 6});
    add_object(
        scene, quad({-1.5f, 3, -2}, {3, 0, 0}, {0, 0.5f, 3}), window({0.9f, 0.5f, 0.4f}, 0.0f));
    add_object(
        scene, quad({-2.5f, 0, 1}, {2, 0, 0.5f}, {0, 2, 0}), window({0.5f, 0.9f, 0.6f}, 0.4f));
    add_object(
        scene, quad({0.5f, 0, 1}, {2, 0, -0.5f}, {0, 2, 0}), window({0.9f, 0.9f, 0.9f}, 0.02f));
    add_ball(scene, 0, plastic({0.7f, 0.3f, 0.2f}, 0.5f));
    set_constant_environment(scene, {0.3f, 0.3f, 0.4f});
    set_camera(scene, {0, 2.5f, 6}, {0, 1, 0}, 0.8f);
    return scene;
}

scene::Scene alpha() {
    scene::Scene scene;
    add_floor(scene, plastic({0.6f, 0.6f, 0.6f}, 0.7f));
    add_square_light(scene, {8, 8, 8});
    const auto checks = [](u32 x, u32 y) {
        const u8 alpha = (x / 2 + y / 2) % 2 == 0 ? 255 : 40;
        return Byte4{200, static_cast<u8>(10 * x), static_cast<u8>(10 * y), alpha};
    };
    const u32 slot = add_slot(scene, kTextureSize, Meaning::Color, checks);
    shaders::MaterialRecord masked = plastic({1, 1, 1}, 0.5f);
    masked.alpha_mode = static_cast<u32>(shaders::AlphaMode::Mask);
    masked.base_color_slot = slot;
    shaders::MaterialRecord blended = masked;
    blended.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    blended.base_color[3] = 0.7f;
    add_object(scene, quad({-2.5f, 0, 1}, {2, 0, 0.5f}, {0, 2, 0}), masked);
    add_object(scene, quad({0.5f, 0, 1}, {2, 0, -0.5f}, {0, 2, 0}), blended);
    add_object(scene, quad({-1.5f, 3, -1}, {3, 0, 0}, {0, 0, 2}), blended);
    set_camera(scene, {0, 2.5f, 6}, {0, 1, 0}, 0.8f);
    return scene;
}

scene::Scene textured() {
    scene::Scene scene;
    const u32 color = add_slot(scene, 64, Meaning::Color, [](u32 x, u32 y) {
        const bool is_light = (x / 8 + y / 8) % 2 == 0;
        return is_light ? Byte4{230, 180, 90, 255} : Byte4{40, 60, 160, 255};
    });
    const u32 rough = add_slot(scene, kTextureSize, Meaning::Linear, [](u32 x, u32 y) {
        return Byte4{0, static_cast<u8>(60 + 10 * y), static_cast<u8>(x > 8 ? 255 : 0), 255};
    });
    const u32 bumps = add_slot(scene, kTextureSize, Meaning::Linear, [](u32 x, u32 y) {
        return Byte4{static_cast<u8>(x % 4 < 2 ? 150 : 106),
                     static_cast<u8>(y % 4 < 2 ? 150 : 106),
                     250,
                     255};
    });
    scene.slots[bumps].wrap_u = static_cast<u32>(shaders::Wrap::Mirror);
    scene.slots[color].uv_transform[0] = 3;
    scene.slots[color].uv_transform[2] = 0.25f;
    shaders::MaterialRecord tiles = plastic({1, 1, 1}, 1);
    tiles.metallic = 1;
    tiles.base_color_slot = color;
    tiles.metallic_roughness_slot = rough;
    tiles.normal_slot = bumps;
    tiles.normal_scale = 0.8f;
    add_floor(scene, tiles);
    add_object(scene, box({-1, 0, -1}, {1, 2, 1}, Facing::Out), tiles);
    tiles.coat = 0.8f;
    tiles.coat_normal_slot = bumps;
    add_ball(scene, 2, tiles);
    scene.lights.push_back(directional_light({-1, -2, -1.5f}, {3, 3, 2.5f}));
    set_constant_environment(scene, {0.4f, 0.4f, 0.5f});
    set_camera(scene, {1, 3, 5}, {0, 0.8f, 0}, 0.9f);
    return scene;
}

scene::Scene instances() {
    scene::Scene scene;
    add_floor(scene, plastic({0.5f, 0.5f, 0.5f}, 0.8f));
    const u32 bumps = add_slot(scene, kTextureSize, Meaning::Linear, [](u32 x, u32 y) {
        return Byte4{static_cast<u8>(x % 4 < 2 ? 160 : 128),
                     static_cast<u8>(y % 4 < 2 ? 150 : 110),
                     240,
                     255};
    });
    shaders::MaterialRecord record = plastic({0.8f, 0.3f, 0.2f}, 0.4f);
    record.normal_slot = bumps;
    const u32 material = add_material(scene, record);
    const u32 ball = add_mesh(scene, uv_sphere({0, 0, 0}, 1, 20, 10, Shading::Smooth), material);
    const u32 crate = add_mesh(scene, box({-1, 0, -1}, {1, 2, 1}, Facing::Out), material);
    add_instance(scene, ball, placed({0.5f, 1.2f, 0.8f}, {-2, 1.2f, 0}));
    add_instance(scene, ball, placed({-1, 1, 1}, {0, 1, 0.5f}));
    add_instance(scene, crate, placed({-0.5f, 0.7f, 0.6f}, {2, 0, 0}));
    add_instance(scene, crate, {0.4f, 0.2f, 0, 0, 0, 0.5f, 0.1f, 0, 0.1f, 0, -0.5f, -2});
    scene.lights.push_back(point_light({3, 4, 4}, {80, 80, 70}));
    scene.lights.push_back(point_light({-3, 3, 2}, {20, 30, 50}));
    set_camera(scene, {0, 2.5f, 6}, {0, 0.8f, 0}, 0.8f);
    return scene;
}

scene::Scene lights() {
    shaders::MaterialRecord bubble = plastic({0.3f, 0.3f, 0.3f}, 0.15f);
    bubble.iridescence = 1;
    bubble.iridescence_ior = 1.4f;
    bubble.iridescence_max_nm = 420;
    scene::Scene scene =
        three_balls({bubble, plastic({0.7f, 0.7f, 0.7f}, 0.5f), metal({0.8f, 0.8f, 0.8f}, 0.2f)});
    set_sky(scene, 32, 16);
    scene.lights.push_back(spot_light({-3, 4, 2}, {1, -1, -0.5f}, {90, 60, 40}, 0.95f, 0.8f));
    scene.lights.push_back(directional_light({1, -1, -1}, {0.5f, 0.7f, 1}));
    scene.lights[0].radius_m = 0.4f;
    scene.lights[1].angle_deg = 8;
    shaders::MaterialRecord screen = emitter({4, 4, 4});
    screen.emissive_slot = add_slot(scene, kTextureSize, Meaning::Color, [](u32 x, u32 y) {
        return Byte4{static_cast<u8>(16 * x), static_cast<u8>(16 * y), 128, 255};
    });
    add_object(scene, quad({-2, 2.5f, -2}, {4, 0, 0}, {0, 2, 0}), screen);
    return scene;
}

}  // namespace

std::vector<SmallScene> ten_scenes() {
    std::vector<SmallScene> scenes;
    scenes.push_back({"diffuse box", diffuse_box()});
    scenes.push_back({"metals", metals()});
    scenes.push_back({"dielectric and coat", dielectric_and_coat()});
    scenes.push_back({"sheen", sheen()});
    scenes.push_back({"nested glass", nested_glass()});
    scenes.push_back({"thin window", thin_window()});
    scenes.push_back({"alpha", alpha()});
    scenes.push_back({"textured", textured()});
    scenes.push_back({"instances", instances()});
    scenes.push_back({"lights", lights()});
    return scenes;
}

}  // namespace weft::tests
