// test_embree_reference.cpp — Embree over the same scene finds the hits of our kernels except for
// rounding: the same triangle, or another at nearly the same distance. Rays that pass an edge
// within rounding may differ and are counted.
#include <cmath>

#include <doctest/doctest.h>
#include <embree3/rtcore.h>

#include "engine/accel/embree_reference.h"
#include "tests/engine/accel/test_stage.h"

using namespace weft;
using namespace weft::accel;
using shaders::Isa;

namespace {

// Tolerance of the distance to one triangle: both sides clamp and round independently.
constexpr float kRelativeBound = 1e-4f;
// The same of a triangle that the ray starts at, nearly: coordinates, of up to 2, are rounded.
constexpr float kAbsoluteBound = 0x1p-22f;

// Share of rays that may hit or miss differently (edges).
constexpr double kEdgeShare = 1e-4;

struct Disagreement {
    u32 edges = 0;      // one side hits, the other misses
    u32 distances = 0;  // both hit at different distances
};

Disagreement compare(const Rays& ours, const Rays& theirs) {
    Disagreement found;
    for (u32 k = 0; k < ours.size(); ++k) {
        const shaders::TraceRay& a = ours.rays[k];
        const shaders::TraceRay& b = theirs.rays[k];
        const bool is_same = a.primitive == b.primitive && a.instance == b.instance;
        if (is_same && a.primitive == kNone) {
            continue;
        }
        const bool is_near =
            std::fabs(a.t - b.t) <= kRelativeBound * std::fmax(a.t, b.t) + kAbsoluteBound;
        if (!is_near) {
            ++(is_same ? found.distances : found.edges);
        }
    }
    return found;
}

std::unique_ptr<EmbreeReference> must_build_embree(const Stage& stage,
                                                   const std::vector<bool>& is_visible = {},
                                                   u32 thread_count = 1) {
    auto result = EmbreeReference::build(stage.scene(), thread_count, is_visible);
    REQUIRE(result.is_ok());
    return std::move(result.value());
}

Rays trace_embree(const EmbreeReference& embree, const Stage& stage, Rays rays, bool is_any) {
    const std::vector<u32> ids = rays.all_ids();
    const shaders::TraceScene scene = rays.scene(stage, Acceleration{});
    if (is_any) {
        embree.any(scene, rays.rays.data(), ids.data(), rays.size());
    } else {
        embree.closest(scene, rays.rays.data(), ids.data(), rays.size());
    }
    return rays;
}

// Rays of one eye through a small window, as a camera makes them: packets of 16.
Rays coherent_rays(u32 side) {
    Rays rays;
    for (u32 y = 0; y < side; ++y) {
        for (u32 x = 0; x < side; ++x) {
            const float s = static_cast<float>(x) / static_cast<float>(side) - 0.497f;
            const float t = static_cast<float>(y) / static_cast<float>(side) - 0.511f;
            rays.add({0.1f, 0.2f, 3}, {s, t, -1.5f});
        }
    }
    return rays;
}

void fill_with_everything(Stage& stage) {
    stage.add(triangle_soup(3000, 0.08f, 41));
    const u32 veil = stage.add_material(veil_material(0.5f));
    const u32 pane = stage.add_material(pane_material());
    stage.add(triangle_soup(100, 0.3f, 42), veil);
    stage.add(triangle_soup(100, 0.3f, 43), pane);
    const u32 shared = stage.add_mesh(triangle_soup(50, 0.2f, 44));
    stage.add_instance(shared, 0, {0.3f, 0, 0.1f, 0.5f, 0, -0.4f, 0, 0, 0.1f, 0, 0.5f, 0});
    stage.add_instance(shared, pane, {0, 0.5f, 0, -0.5f, 0.5f, 0, 0.2f, 0.3f, 0, 0, 0.5f, 0.2f});
    stage.finish();
}

// A sloping floor cut into `side` × `side` squares.
std::vector<Corners> floor_of(u32 side) {
    std::vector<Corners> triangles;
    const auto corner = [side](u32 x, u32 y) -> Point {
        const float u = 4 * static_cast<float>(x) / static_cast<float>(side) - 2;
        const float v = 4 * static_cast<float>(y) / static_cast<float>(side) - 2;
        return {u, v, 0.1f * u + 0.037f * v - 1};
    };
    for (u32 x = 0; x < side; ++x) {
        for (u32 y = 0; y < side; ++y) {
            const Point first = corner(x, y);
            const Point last = corner(x + 1, y + 1);
            triangles.push_back({first, corner(x + 1, y), last});
            triangles.push_back({first, last, corner(x, y + 1)});
        }
    }
    return triangles;
}

// Coincident floors: with another tessellation, the same one, and one placed twice.
void fill_with_floors(Stage& stage) {
    for (const u32 side : {7u, 1u, 20u, 13u, 7u}) {
        stage.add(floor_of(side));
    }
    const u32 shared = stage.add_mesh(floor_of(5));
    stage.add_instance(shared);
    stage.add_instance(shared);
    stage.finish();
}

}  // namespace

TEST_SUITE("engine/accel/embree_reference") {
    TEST_CASE("Embree finds the triangles that our kernels find") {
        Stage stage;
        fill_with_everything(stage);
        const Acceleration tree = must_build(stage);
        const auto embree = must_build_embree(stage);
        for (const Rays& rays : {random_rays(100000, 1.5f, 45), coherent_rays(320)}) {
            const Rays theirs = trace_embree(*embree, stage, rays, false);
            CHECK(count_hits(theirs) > rays.size() / 4);
            for (const Isa isa : runnable_isas()) {
                const Disagreement found =
                    compare(trace_group(stage, tree, rays, isa, false), theirs);
                CHECK(found.distances == 0);
                CHECK(found.edges < kEdgeShare * rays.size());
            }
        }
    }

    TEST_CASE("Embree keeps to an instruction set, and finds the same triangles with it") {
        Stage stage;
        fill_with_everything(stage);
        const Rays rays = random_rays(100000, 1.5f, 45);
        const Acceleration tree = must_build(stage);
        for (const Isa isa : runnable_isas()) {
            const auto result = EmbreeReference::build(stage.scene(), 1, {}, {}, true, isa);
            REQUIRE(result.is_ok());
            CAPTURE(static_cast<u32>(isa));
            // Packets of 16 are native with AVX-512 alone.
            const RTCDevice device = rtcGetSceneDevice(result.value()->top());
            CHECK(rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED) ==
                  (isa == Isa::Avx512 ? 1 : 0));
            CHECK(rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED) ==
                  (isa == Isa::Sse4 ? 0 : 1));
            rtcReleaseDevice(device);
            const Rays theirs = trace_embree(*result.value(), stage, rays, false);
            const Disagreement found = compare(trace_group(stage, tree, rays, isa, false), theirs);
            // Without FMA a few distances to triangles seen from the side err more.
            CHECK(found.distances <= (isa == Isa::Sse4 ? 4 : 0));
            CHECK(found.edges < kEdgeShare * rays.size());
        }
    }

    TEST_CASE("on coincident surfaces a hit does not depend on packets or build threads") {
        Stage stage;
        fill_with_floors(stage);
        const auto embree = must_build_embree(stage);
        const auto other = must_build_embree(stage, {}, 4);
        for (const Rays& rays : {coherent_rays(200), random_rays(40000, 1.5f, 50)}) {
            const Rays hits = trace_embree(*embree, stage, rays, false);
            CHECK(count_hits(hits) > rays.size() / 4);
            CHECK(count_differences(hits, trace_embree(*other, stage, rays, false)) == 0);
            Rays singles = rays;
            const shaders::TraceScene scene = singles.scene(stage, Acceleration{});
            for (u32 k = 0; k < singles.size(); ++k) {
                embree->closest(scene, singles.rays.data(), &k, 1);
            }
            CHECK(count_differences(hits, singles) == 0);
        }
    }

    TEST_CASE("Embree blocks and tints the shadow rays that our kernels do") {
        Stage stage;
        fill_with_everything(stage);
        const Acceleration tree = must_build(stage);
        const auto embree = must_build_embree(stage);
        for (Rays rays : {random_rays(30000, 0.4f, 46), coherent_rays(320)}) {
            for (u32 k = 0; k < rays.size(); ++k) {
                rays.rays[k].t = 1.7f;
            }
            const Rays theirs = trace_embree(*embree, stage, rays, true);
            const Rays ours = trace_group(stage, tree, rays, Isa::Sse4, true);
            u32 different = 0;
            u32 tinted = 0;
            for (u32 k = 0; k < rays.size(); ++k) {
                bool is_same = (ours.rays[k].t < 0) == (theirs.rays[k].t < 0);
                for (u32 channel = 0; channel < 3 && ours.rays[k].t >= 0; ++channel) {
                    is_same =
                        is_same && ours.tints[3 * k + channel] == theirs.tints[3 * k + channel];
                    tinted += ours.tints[3 * k + channel] != 0 ? 1u : 0u;
                }
                different += is_same ? 0u : 1u;
            }
            CHECK(tinted > 100);
            CHECK(different < kEdgeShare * rays.size());
        }
    }

    // As coherent packets Embree called the filter of a pane once per octant.
    TEST_CASE("a pane tints a ray once whatever octants the rays beside it lie in") {
        for (const bool has_walls : {false, true}) {
            Stage stage;
            const u32 pane = stage.add_material(pane_material());
            stage.add(triangle_soup(400, 0.5f, 47), pane);
            stage.add(triangle_soup(has_walls ? 100 : 0, 0.5f, 49));
            stage.finish();
            const Acceleration tree = must_build(stage);
            const auto embree = must_build_embree(stage);
            Rays rays;
            Dice dice(48);
            for (u32 k = 0; k < 16000; ++k) {  // packets that go the same way, in four octants
                rays.add({0.1f, 0.2f, 3},
                         {dice.between(-0.3f, 0.3f), dice.between(-0.3f, 0.3f), -1.5f},
                         1.9f);
            }
            const Rays theirs = trace_embree(*embree, stage, rays, true);
            const Rays ours = trace_group(stage, tree, rays, Isa::Sse4, true);
            u32 different = 0;
            u32 tinted = 0;
            for (u32 k = 0; k < rays.size(); ++k) {
                bool is_same = (ours.rays[k].t < 0) == (theirs.rays[k].t < 0);
                for (u32 channel = 0; channel < 3 && ours.rays[k].t >= 0; ++channel) {
                    is_same =
                        is_same && ours.tints[3 * k + channel] == theirs.tints[3 * k + channel];
                    tinted += ours.tints[3 * k + channel] != 0 ? 1u : 0u;
                }
                different += is_same ? 0u : 1u;
            }
            CHECK(tinted > rays.size() / 2);
            CHECK(different < kEdgeShare * rays.size());
        }
    }

    TEST_CASE("the triangles that a ray starts and ends on do not count") {
        Stage stage;
        stage.add({{{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}}, {{{-1, -1, 1}, {1, -1, 1}, {0, 1, 1}}}});
        stage.finish();
        const auto embree = must_build_embree(stage);
        Rays rays;
        for (u32 k = 0; k < 20; ++k) {  // one packet and single rays
            rays.add({0, 0, -1e-3f}, {0, 0, 1}, 5);
            rays.rays[k].self_instance = 0;
            rays.rays[k].self_primitive = 0;
        }
        const Rays nearest = trace_embree(*embree, stage, rays, false);
        for (const shaders::TraceRay& ray : nearest.rays) {
            CHECK(ray.primitive == 1);
        }
        const Rays blocked = trace_embree(*embree, stage, rays, true);
        for (shaders::TraceRay& ray : rays.rays) {
            ray.instance = 0;
            ray.primitive = 1;
        }
        const Rays open = trace_embree(*embree, stage, rays, true);
        for (u32 k = 0; k < 20; ++k) {
            CHECK(blocked.rays[k].t == -1);
            CHECK(open.rays[k].t == 5);
        }
    }

    TEST_CASE("hidden instances are not in Embree's scene") {
        Stage stage;
        stage.add({{{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}}});
        stage.add({{{{-1, -1, -1}, {1, -1, -1}, {0, 1, -1}}}});
        stage.finish();
        const auto embree = must_build_embree(stage, {false, true});
        Rays rays;
        rays.add({0, 0, 1}, {0, 0, -1});
        const Rays traced = trace_embree(*embree, stage, rays, false);
        CHECK(traced.rays[0].instance == 1);
        CHECK(traced.rays[0].t == doctest::Approx(2));
    }

    TEST_CASE("Embree and our tree both leave out corners and instances out of reach") {
        for (const float far : {1.1e18f, 1e19f, 2e38f, 3.4e38f, -3.4e38f}) {
            CAPTURE(far);
            Stage stage;
            std::vector<Corners> soup = triangle_soup(9, 0.3f, 44);
            soup[4][1][2] = far;
            stage.add(soup);
            const u32 shared = stage.add_mesh(triangle_soup(20, 0.2f, 45));
            math::Affine away = math::kIdentity;
            away[3] = far;
            stage.add_instance(shared);
            stage.add_instance(shared, 0, away);
            stage.finish();
            base::Result<Acceleration> tree = build_acceleration(stage.scene(), {});
            REQUIRE(tree.is_ok());
            const auto embree = must_build_embree(stage);
            const Rays rays = random_rays(2000, 2, 46);
            const Rays ours =
                trace_group(stage, tree.value(), rays, runnable_isas().front(), false);
            const Disagreement found = compare(ours, trace_embree(*embree, stage, rays, false));
            CHECK(found.edges == 0);
            CHECK(found.distances == 0);
            const auto is_hit = [&](u32 instance) {
                return std::any_of(
                    ours.rays.begin(), ours.rays.end(), [&](const shaders::TraceRay& ray) {
                        return ray.instance == instance;
                    });
            };
            CHECK(is_hit(0));
            CHECK(is_hit(1));
            CHECK(!is_hit(2));
        }
    }

    TEST_CASE("rays that Embree cannot accept hit nothing and others are traced") {
        Stage stage;
        stage.add(triangle_soup(200, 0.3f, 47));
        const u32 shared = stage.add_mesh(triangle_soup(20, 0.2f, 48));
        math::Affine tiny = math::kIdentity;
        tiny[0] = tiny[5] = tiny[10] = 1e-25f;
        stage.add_instance(shared);
        stage.add_instance(shared, 0, tiny);
        stage.finish();
        const auto embree = must_build_embree(stage);
        Rays rays = coherent_rays(8);
        const Rays sound = trace_embree(*embree, stage, rays, false);
        for (u32 k = 0; k < rays.size(); k += 5) {
            rays.rays[k].origin[k % 3] = k % 2 == 0 ? 1e19f : -3e38f;
        }
        rays.rays[3].direction[0] = std::nanf("");
        rays.rays[4].direction[1] = 1e20f;
        for (const bool is_any : {false, true}) {
            const Rays traced = trace_embree(*embree, stage, rays, is_any);
            for (u32 k = 0; k < rays.size(); ++k) {
                const bool is_bad = k % 5 == 0 || k == 3 || k == 4;
                if (is_bad) {
                    CHECK(traced.rays[k].t == rays.rays[k].t);
                } else if (!is_any) {
                    CHECK(traced.rays[k].t == sound.rays[k].t);
                }
            }
        }
    }
}
