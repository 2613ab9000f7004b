// test_kernel_reference.cpp — compares one step of the shade kernel with the double-precision
// reference, path by path.
//
// Both are written from shaders/bsdf.md, independently. Each random path has the same hit and the
// same random numbers on both sides, so directions, weights, light samples and emission must agree
// to float precision. They may differ if a number falls on the other side of a decision (lobe,
// alias, texel, total reflection): such paths are counted and rare.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "engine/trace/guide.h"
#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_lights.h"
#include "engine/trace/reference/reference_phase.h"
#include "shaders/host/shade_kernels.h"
#include "tests/shaders/probe_materials.h"
#include "tests/shaders/random_paths.h"
#include "tests/shaders/random_scene.h"

namespace weft::tests {

namespace {

using namespace trace::reference;
using trace::reference::MaterialPoint;
using trace::reference::square;

constexpr u32 kTestPaths = 4000;
constexpr u32 kMaxBounces = 5;
constexpr float kRegularizedAlpha = 0.2f;
constexpr float kGuideReach = 8;  // metres around the scene's middle

// The result of a step, before roulette and clamping.
struct Expected {
    bool is_passed = false;
    bool is_in_medium = false;  // scattered before the hit
    bool scatters = false;
    bool is_widened = false;  // by regularisation
    bool is_guided = false;
    Rgb emitted;
    Rgb light;
    BsdfSample next;
    Rgb throughput;
    u32 medium = kNone;  // in force around the next ray
};

MediumStack media_of(const PathView& v, u32 i) {
    MediumStack stack;
    for (u32 k = kMediumDepth; k-- > 0;) {
        const u32 medium = v.record[i].medium[k];
        stack = medium == kNone ? stack : stack.beyond(medium, true);
    }
    return stack;
}

Rgb light_of(const SceneView& scene,
             const Surface& surface,
             const MaterialPoint& material,
             const MediumStack& media,
             const Bsdf& bsdf,
             const LightNumbers& u) {
    const auto light = sample_light(scene, bsdf, lit_point(surface, bsdf), u);
    if (!light) {
        return {};
    }
    Rgb sum = bsdf.evaluate(light->direction) * light->radiance / light->pdf;
    sum = light->can_be_hit ? sum * power_heuristic(light->pdf, bsdf.pdf(light->direction)) : sum;
    const bool leads_through = material.is_solid && dot(light->direction, surface.geometric) < 0;
    const MediumStack around =
        leads_through ? media.beyond(surface.material, surface.is_front) : media;
    return sum * around.transmittance(scene, light->distance_m);
}

// A direction that a path keeps in 24 bits.
Vec direction_of(u32 code) {
    const auto coordinate = [](u32 bits) { return (bits & 4095) * 2.0 / 4095 - 1; };
    const double x = coordinate(code);
    const double y = coordinate(code >> 12);
    const double z = 1 - std::fabs(x) - std::fabs(y);
    const double over = std::max(-z, 0.0);
    return normalize({x - std::copysign(over, x), y - std::copysign(over, y), z});
}

// Where the ray of path i was scattered: its flags and its highlight hold the surface.
LitPoint scattering_point(const PathView& v, u32 i, const Surface& surface, double way) {
    const u32 flags = v.gain[i].flags;
    const u32 code = v.highlight[i];
    const double root = std::max(static_cast<double>(code >> 24 & 15), 0.5) / 15;
    return {surface.position + surface.wo * way,
            direction_of(flags >> kPathNormalShift),
            (flags & kPathLitThrough) != 0,
            (flags & kPathInMedium) != 0,
            {direction_of(code), square(square(root)), square((code >> 28) / 15.0)}};
}

// A step that ends where a medium scatters the path.
Expected scattered_by(const SceneView& scene,
                      const PathRecord& path,
                      const MediumStack& media,
                      const MediumWay& way,
                      Vec position,
                      Vec forward) {
    Expected e;
    e.is_in_medium = true;
    e.scatters = path.bounces < kMaxBounces;
    if (!e.scatters) {
        return e;
    }
    const Medium medium = medium_of(scene, media.innermost(scene));
    const Tuple u = sample_tuple(path.pixel_hash, path.sample, direction_tuple(path.depth));
    const LightNumbers light_numbers = light_numbers_of(path.pixel_hash, path.sample, path.depth);
    const Rgb arriving = vec_of(path.throughput) * way.weight;
    const LitPoint lit = {position, {}, false, true};
    const Phase phase(forward, medium.g);
    const auto light = sample_light(scene, phase, lit, light_numbers);
    if (light) {
        const double value = phase.pdf(light->direction);
        const double share = light->can_be_hit ? power_heuristic(light->pdf, value) : 1;
        e.light = arriving * light->radiance * media.transmittance(scene, light->distance_m) *
                  (value / light->pdf * share);
    }
    e.next.direction = phase.sample(u.first);
    e.next.pdf = phase.pdf(e.next.direction);
    e.throughput = arriving;
    e.medium = media.innermost(scene);
    return e;
}

Expected expected_step(const SceneView& scene, const PathView& v, u32 i) {
    const TraceRay& ray = v.ray[i];
    const PathRecord& path = v.record[i];
    const RayHit hit = {static_cast<double>(ray.t),
                        static_cast<double>(ray.u),
                        static_cast<double>(ray.v),
                        {ray.instance, ray.primitive}};
    const Vec direction = normalize(vec_of(ray.direction));
    const double spread = static_cast<double>(path.cone_spread);
    const Cone cone = {static_cast<double>(path.cone_width) + spread * hit.t, spread};
    const MediumStack media = media_of(v, i);
    const Surface surface = make_surface(scene, hit, direction, cone);
    MaterialPoint material = read_material(scene, surface);
    const Vec throughput = vec_of(path.throughput);
    Rgb arriving = throughput * media.transmittance(scene, hit.t);
    const u32 inside = media.innermost(scene);
    if (inside != kNone && (scene.materials[inside].flags & kMaterialScattering) != 0) {
        const Pair u =
            sample_tuple(path.pixel_hash, path.sample, kFirstMediumTuple + path.depth).first;
        const MediumWay way = draw_way(medium_of(scene, inside), throughput, u, hit.t);
        if (way.scatters) {
            const Vec position = surface.position + surface.wo * (hit.t - way.distance_m);
            return scattered_by(scene, path, media, way, position, direction);
        }
        arriving = throughput * way.weight;
    }
    Expected e;
    e.is_passed =
        material.is_boundary || (material.is_solid && media.is_covered(scene, surface.material));
    if (e.is_passed) {
        return e;
    }
    const double way = static_cast<double>(path.travelled) + hit.t;
    const double pdf = static_cast<double>(path.pdf);
    const double weight =
        std::isinf(pdf)
            ? 1
            : power_heuristic(
                  pdf, triangle_pdf(scene, scattering_point(v, i, surface, way), surface, way));
    e.emitted = arriving * material.emission * weight;
    e.scatters = !material.is_unlit && path.bounces < kMaxBounces;
    if (!e.scatters) {
        return e;
    }
    double eta = 1;
    if (material.is_solid) {
        const bool is_dispersed = material.transmission > 0 && material.metallic < 1 &&
                                  is_dispersive(scene, media, surface.material, surface.is_front);
        const Wavelength wave = wavelength_of(scene, path.pixel_hash, path.sample);
        eta = relative_index(
            scene, media, surface.material, surface.is_front, is_dispersed ? wave.term : 0);
        const bool is_first = (v.gain[i].flags & kPathDispersed) == 0;
        arriving = is_dispersed && is_first ? arriving * wave.weight : arriving;
    }
    const double least = std::min(v.widest[i], kRegularizedAlpha);
    e.is_widened = widen_facets(material, least);
    Bsdf bsdf(scene, surface, material, eta);
    bsdf.guide_by(guide_square(scene, surface.position, surface.frame.z));
    e.is_guided = bsdf.guide().has_value();
    const Tuple u = sample_tuple(path.pixel_hash, path.sample, direction_tuple(path.depth));
    const LightNumbers light_numbers = light_numbers_of(path.pixel_hash, path.sample, path.depth);
    e.light = arriving * light_of(scene, surface, material, media, bsdf, light_numbers);
    e.next = bsdf.sample(u.last.u0, u.first);
    e.throughput = arriving * e.next.weight;
    const bool crosses = e.next.goes_through && material.is_solid;
    const MediumStack beyond = media.beyond(surface.material, surface.is_front);
    e.medium = (crosses ? beyond : media).innermost(scene);
    return e;
}

bool is_close(Rgb a, Rgb b, double tolerance) {
    const double scale = std::max({largest(a), largest(b), 1e-4});
    const Rgb d = a - b;
    return std::max({std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)}) <= tolerance * scale;
}

// Numbers of paths of a random scene that disagree, by quantity.
struct Disagreement {
    u32 passed = 0;
    u32 emitted = 0;
    u32 light = 0;
    u32 direction = 0;
    u32 throughput = 0;
    u32 density = 0;
    u32 medium = 0;
    u32 alpha_key = 0;
    u32 scattered = 0;  // paths compared in light, direction and throughput
    u32 in_media = 0;   // of them by a medium
    u32 widened = 0;    // of them by widened facets
    u32 guided = 0;     // of them by a surface with a guide
    u32 widest = 0;
};

// Adds path i: `b` before the step, `a` after it.
void add_path(
    Disagreement& d, const SceneView& scene, const PathView& b, const PathView& a, u32 i) {
    const Expected e = expected_step(scene, b, i);
    const PathRecord& before = b.record[i];
    const PathRecord& after = a.record[i];
    const Rgb gained = vec_of(a.gain[i].radiance) - vec_of(b.gain[i].radiance);
    const bool is_alive = (a.gain[i].flags & kPathAlive) != 0;
    const bool is_last = before.depth + 1 >= 64;
    d.emitted += is_close(gained, e.emitted, 2e-3) ? 0u : 1u;
    if (e.is_passed) {
        d.passed += is_alive == is_last || after.bounces != before.bounces ? 1u : 0u;
    }
    if (!e.scatters || e.is_passed) {
        return;
    }
    ++d.scattered;
    d.in_media += e.is_in_medium ? 1u : 0u;
    d.widened += e.is_widened ? 1u : 0u;
    d.guided += e.is_guided ? 1u : 0u;
    d.light += is_close(vec_of(a.gain[i].light), e.light, 5e-3) ? 0u : 1u;
    const bool goes_on = largest(e.throughput) > 0 && !is_last;
    if (!is_alive || !goes_on) {
        d.direction += is_alive != goes_on ? 1u : 0u;
        return;
    }
    const Vec wi = normalize(vec_of(a.ray[i].direction));
    d.direction += dot(wi, e.next.direction) > 1 - 1e-6 ? 0u : 1u;
    d.throughput += is_close(vec_of(after.throughput), e.throughput, 5e-3) ? 0u : 1u;
    const double pdf = static_cast<double>(after.pdf);
    d.density += !e.next.is_straight && std::fabs(pdf / e.next.pdf - 1) > 0.01 ? 1u : 0u;
    d.medium += media_of(a, i).innermost(scene) == e.medium ? 0u : 1u;
    const u32 key = alpha_key(before.pixel_hash, before.sample, before.depth + 1);
    d.alpha_key += after.alpha_key == key ? 0u : 1u;
    const double width = e.next.is_straight ? 0 : e.next.width;
    const double widest = std::max(static_cast<double>(b.widest[i]), width);
    d.widest += std::fabs(static_cast<double>(a.widest[i]) - widest) > 1e-6 ? 1u : 0u;
}

// A guide of all places around the scene, at random.
trace::Guide random_guide(u64 seed) {
    Random random(seed);
    std::vector<trace::GuideRecord> records(400'000);
    for (trace::GuideRecord& r : records) {
        for (float& x : r.position) {
            x = kGuideReach * (2 * random.unit() - 1);
        }
        r.bin = static_cast<u32>(random.unit() * 6 * kGuideBins);
        r.light = random.unit() * static_cast<float>(r.bin % 7);
    }
    base::Result<trace::Guide> guide = trace::make_guide(records);
    REQUIRE(guide.is_ok());
    return std::move(guide.value());
}

Disagreement compare(Isa isa, u64 seed, bool is_guided) {
    const RandomScene scene(seed);
    SceneView view = scene.view;
    const trace::Guide guide = random_guide(seed);
    if (is_guided) {
        trace::point_at(guide, guide.slots.data(), guide.tables.data(), view);
    }
    PathArrays before(kTestPaths);
    fill_paths(before, seed);
    // Roulette scales throughputs; the first two bounces have none.
    const PathView b = before.view();
    for (u32 i = 0; i < kTestPaths; ++i) {
        b.record[i].bounces %= 2;
        b.gain[i].flags = kPathAlive | (b.record[i].bounces == 0 ? kPathSpecular : 0) |
                          (i % 3 == 0 ? kPathDispersed : 0) | (i * 0x9e3779b9u & kPathSurface);
    }
    PathArrays after = before;
    PathView a = after.view();
    a.shadow_media = nullptr;  // light samples are attenuated by the medium that they start in
    std::vector<u32> ids(kTestPaths);
    std::iota(ids.begin(), ids.end(), 0u);
    const float none = std::numeric_limits<float>::infinity();
    const RenderParams params = {
        640, 360, 0, kMaxBounces, none, none, 0, nullptr, kRegularizedAlpha};
    ShadeCounters counters;
    std::vector<float> first_light(kTestPaths);
    a.first_light = first_light.data();
    shade_kernels(isa)->shade(view, params, a, ids.data(), kTestPaths, counters);
    Disagreement d;
    for (u32 i = 0; i < kTestPaths; ++i) {
        add_path(d, view, b, a, i);
    }
    return d;
}

}  // namespace

TEST_SUITE("shaders/kernel_reference") {
    TEST_CASE("a step of the kernel is a step of the reference tracer") {
        for (const Isa isa : supported_isas()) {
            for (const u64 seed : {21u, 22u, 23u}) {
                const bool is_guided = seed != 21;
                const Disagreement d = compare(isa, seed, is_guided);
                CAPTURE(isa_label(isa));
                CAPTURE(seed);
                CHECK((d.guided > kTestPaths / 5) == is_guided);
                CHECK(d.scattered > kTestPaths / 3);
                CHECK(d.in_media > kTestPaths / 50);
                CHECK(d.widened > kTestPaths / 20);
                CHECK(d.passed == 0);
                CHECK(d.emitted <= kTestPaths / 500);
                CHECK(d.light <= kTestPaths / 500);
                CHECK(d.direction <= kTestPaths / 500);
                CHECK(d.throughput <= kTestPaths / 500);
                CHECK(d.density <= kTestPaths / 100);
                CHECK(d.medium <= kTestPaths / 500);
                CHECK(d.alpha_key == 0);
                CHECK(d.widest <= kTestPaths / 500);
            }
        }
    }
}

}  // namespace weft::tests
