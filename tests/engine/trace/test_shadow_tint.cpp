#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_hit.h"
#include "engine/trace/reference/reference_material.h"
#include "engine/trace/scene_tables.h"
#include "shaders/surface/texel_lookup.h"
#include "tests/engine/trace/trace_stage.h"

using namespace weft;
using namespace weft::trace;
using namespace weft::trace::test;

namespace {

class Dice {
public:
    explicit Dice(u32 seed) : random_(seed) {}

    float operator()(float low, float high) {
        return low + (high - low) * static_cast<float>(random_() >> 8) * 0x1p-24f;
    }

    bool is_one_in(u32 count) { return random_() % count == 0; }

private:
    std::mt19937 random_;
};

// A smooth thin pane of random colour; some with a film, some anisotropic, some with specular
// glossiness, some textured.
void throw_pane(scene::Scene& scene, u32 material, u32 slot, Dice& dice) {
    shaders::MaterialRecord& record = scene.materials[material].record;
    const auto maybe_slot = [&] { return dice.is_one_in(3) ? slot : kNone; };
    for (u32 k = 0; k < 3; ++k) {
        record.base_color[k] = dice(0.05f, 1);
        record.specular_color[k] = dice(0, 0.8f);
    }
    record.transmission = dice(0.2f, 1);
    record.metallic = dice(0, 0.9f);
    record.roughness = dice(0, 0.05f);
    record.ior = dice(1.1f, 2.2f);
    record.specular = dice(0, 1);
    record.base_color_slot = maybe_slot();
    record.metallic_roughness_slot = maybe_slot();
    record.specular_slot = maybe_slot();
    record.specular_color_slot = maybe_slot();
    record.transmission_slot = maybe_slot();
    record.flags = dice.is_one_in(4) ? shaders::kMaterialSpecGloss : 0;
    record.anisotropy = dice.is_one_in(3) ? dice(0.1f, 1) : 0;
    record.anisotropy_cos = 1;
    record.iridescence = dice.is_one_in(2) ? dice(0.1f, 1) : 0;
    record.iridescence_ior = dice(1.05f, 2);
    record.iridescence_min_nm = dice(50, 200);
    record.iridescence_max_nm = dice(200, 900);
    record.iridescence_thickness_slot = maybe_slot();
}

}  // namespace

TEST_SUITE("shaders/shadow_tint") {
    TEST_CASE("panes tint shadow rays as in the reference") {
        Dice dice(77);
        for (u32 round = 0; round < 500; ++round) {
            scene::Scene scene;
            const u32 material = add_material(scene);
            const u32 slot =
                add_texture(scene, 2, 2, {0xc0a08060u, 0xff40e0b0u, 0x80ffffffu, 0xe0202020u});
            scene.slots[slot].is_nearest = round % 2;
            throw_pane(scene, material, slot, dice);
            add_instance(
                scene, add_quad(scene), material, {2, 0, 0, 0, 0, 1, 0.5f, 0, 0.25f, 0, -1, 3});
            const SceneTables tables = make_scene_tables(scene, {});
            const float u = dice(0, 0.5f);
            const float v = dice(0, 0.5f);
            const float direction[3] = {dice(-0.6f, 0.6f), dice(-0.6f, 0.6f), -1};
            u32 tint[3] = {};
            const bool is_open =
                shaders::tint_shadow(tables.view, 0, round % 2, u, v, direction, tint);

            reference::RayHit hit;
            hit.b1 = static_cast<double>(u);
            hit.b2 = static_cast<double>(v);
            hit.name = {0, round % 2};
            const reference::Vec along =
                normalize(reference::Vec{static_cast<double>(direction[0]),
                                         static_cast<double>(direction[1]),
                                         static_cast<double>(direction[2])});
            const reference::Surface surface =
                reference::make_flat_surface(tables.view, hit, along);
            const reference::Rgb truth = reference::window_tint(
                tables.view, surface, reference::read_material(tables.view, surface));
            const double weights[3] = {truth.x, truth.y, truth.z};
            CAPTURE(round);
            REQUIRE(is_open);
            for (u32 k = 0; k < 3; ++k) {
                const double weight = std::exp2(-static_cast<double>(tint[k]) * 0x1p-20);
                CHECK(std::fabs(weight - weights[k]) < 2e-5);
            }
        }
    }
}
