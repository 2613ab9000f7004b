// Compares the shading kernels of every instruction set with the reference tracer, sample by
// sample. Both are written from shaders/bsdf.md, independently. Hits come from the reference's
// tree, so that any difference is one of shading.
#include <doctest/doctest.h>

#include "engine/trace/reference/reference_scene.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/lights/shadow_media.h"
#include "shaders/surface/texel_lookup.h"
#include "tests/engine/trace/reference_stage.h"

namespace weft::tests {

namespace {

using shaders::Isa;
using shaders::ShadeKernels;
using trace::reference::Ray;
using trace::reference::RayHit;
using trace::reference::TriangleTree;
using trace::reference::Vec;

constexpr u32 kSize = 12;
constexpr u32 kSamples = 8;
constexpr double kClose =
    3e-3;  // of a sample's value, plus 0.05: float against double over a whole path
// A number between the two roundings of a threshold sends a sample on a different path.
constexpr double kFewOthers = 1e-3;

// One path's slot of a PathView.
struct Slot {
    shaders::PathGain gain{};
    shaders::PathRecord record{};
    std::array<u32, 3> tint{};
    shaders::TraceRay ray{}, shadow{};
    shaders::ShadowMedia media{};
    u32 highlight = 0;
    float widest = 0;

    shaders::PathView view(bool has_boundaries, bool is_regularized) {
        shaders::PathView v{};
        v.highlight = &highlight;
        v.widest = is_regularized ? &widest : nullptr;
        v.shadow_media = has_boundaries ? &media : nullptr;
        v.capacity = 1;
        v.gain = &gain;
        v.shadow_tint = tint.data();
        v.record = &record;
        v.ray = &ray;
        v.shadow = &shadow;
        return v;
    }
};

Ray to_reference(const shaders::TraceRay& ray, u32 alpha_key, bool is_shadow) {
    Ray result;
    result.origin = trace::reference::vec_of(ray.origin);
    result.direction = trace::reference::vec_of(ray.direction);
    result.t_max = ray.t;
    result.start = {ray.self_instance, ray.self_primitive};
    result.alpha_key = alpha_key;
    result.is_shadow = is_shadow;
    if (is_shadow) {
        result.end = {ray.instance, ray.primitive};
    }
    return result;
}

// Runs one path through the kernels, alone in its group.
class KernelPath {
public:
    KernelPath(const ShadeKernels& kernels, ReferenceStage& stage, const TriangleTree& tree)
        : kernels_(kernels),
          scene_(stage.tables().view),
          settings_(stage.settings()),
          tree_(tree),
          has_boundaries_(stage.tables().has_boundaries()) {}

    std::array<double, 4> trace(u32 x, u32 y, u32 sample) {
        slot_ = {};
        slot_.record.pixel_hash = y * settings_.params.width + x;
        slot_.record.sample = sample;
        const shaders::PathView paths =
            slot_.view(has_boundaries_, settings_.params.regularized_alpha > 0);
        const u32 id = 0;
        shaders::ShadeCounters counters;
        kernels_.camera(settings_.camera, settings_.params, paths, &id, 1, counters);
        do {
            const std::optional<RayHit> hit =
                tree_.closest(to_reference(slot_.ray, slot_.record.alpha_key, false));
            if (!hit) {
                kernels_.miss(scene_, settings_.params, paths, &id, 1, counters);
                break;
            }
            slot_.ray.t = static_cast<float>(hit->t);
            slot_.ray.u = static_cast<float>(hit->b1);
            slot_.ray.v = static_cast<float>(hit->b2);
            slot_.ray.instance = hit->name.instance;
            slot_.ray.primitive = hit->name.primitive;
            kernels_.shade(scene_, settings_.params, paths, &id, 1, counters);
            if ((slot_.gain.flags & shaders::kPathShadow) != 0) {
                add_light();
            }
        } while ((slot_.gain.flags & shaders::kPathAlive) != 0);
        const shaders::PathGain& gain = slot_.gain;
        return {gain.radiance[0], gain.radiance[1], gain.radiance[2], gain.alpha};
    }

private:
    // Adds the pending light sample, tinted or blocked by the hits of its shadow ray.
    void add_light() {
        const shaders::TraceRay& ray = slot_.shadow;
        for (const RayHit& hit :
             tree_.all(to_reference(slot_.shadow, slot_.record.alpha_key, true))) {
            const bool is_boundary = shaders::pass_boundary(scene_,
                                                            hit.name.instance,
                                                            hit.name.primitive,
                                                            static_cast<float>(hit.t),
                                                            ray.direction,
                                                            slot_.media);
            if (!is_boundary && !shaders::tint_shadow(scene_,
                                                      hit.name.instance,
                                                      hit.name.primitive,
                                                      static_cast<float>(hit.b1),
                                                      static_cast<float>(hit.b2),
                                                      slot_.shadow.direction,
                                                      slot_.tint.data())) {
                return;
            }
        }
        if (has_boundaries_) {
            shaders::attenuate_along(scene_, slot_.media, ray.t, slot_.gain.light);
        }
        for (std::size_t c = 0; c < 3; ++c) {
            slot_.gain.radiance[c] +=
                slot_.gain.light[c] * std::exp2(-static_cast<float>(slot_.tint[c]) * 0x1p-20f);
        }
    }

    const ShadeKernels& kernels_;
    const shaders::SceneView& scene_;
    const trace::ReferenceSettings& settings_;
    const TriangleTree& tree_;
    bool has_boundaries_;
    Slot slot_;
};

double difference(const std::array<double, 4>& fast, const std::array<double, 4>& truth) {
    double largest = 0;
    for (std::size_t c = 0; c < 4; ++c) {
        const double one = std::fabs(fast[c] - truth[c]) / (std::fabs(truth[c]) + 0.05);
        largest = std::isfinite(one) ? std::max(largest, one) : 1e9;
    }
    return largest;
}

void check_scene(ReferenceStage& stage, Isa isa) {
    const ShadeKernels* kernels = shaders::shade_kernels(isa);
    REQUIRE(kernels != nullptr);
    const TriangleTree tree(
        stage.tables().view, static_cast<u32>(stage.tables().instances.size()), {});
    KernelPath path(*kernels, stage, tree);
    const trace::ReferenceTracer tracer = stage.tracer();
    u32 others = 0;
    double light = 0;
    for (u32 i = 0; i < kSize * kSize * kSamples; ++i) {
        const u32 x = i % kSize;
        const u32 y = i / kSize % kSize;
        const u32 sample = i / (kSize * kSize);
        const std::array<double, 4> truth = tracer.trace_sample(x, y, sample);
        light += truth[0] + truth[1] + truth[2];
        if (difference(path.trace(x, y, sample), truth) > kClose) {
            ++others;
            CAPTURE(x);
            CAPTURE(y);
            CAPTURE(sample);
            CHECK(others <= kFewOthers * kSize * kSize * kSamples);
        }
    }
    CHECK(light > 0);
}

template <typename Check>
void for_each_isa(const Check& check) {
    for (const Isa isa : {Isa::Sse4, Isa::Avx2, Isa::Avx512}) {
        if (shaders::is_supported(isa)) {
            CAPTURE(shaders::isa_name(isa));
            check(isa);
        }
    }
}

}  // namespace

TEST_SUITE("engine/trace/reference_kernels") {
    TEST_CASE("kernels give the reference's samples of ten scenes on every instruction set") {
        for (SmallScene& small : ten_scenes()) {
            CAPTURE(small.name);
            ReferenceStage stage(std::move(small.scene), {kSize, 8, true, true});
            for_each_isa([&](Isa isa) { check_scene(stage, isa); });
        }
    }

    TEST_CASE("kernels regularise the reference's paths through ten scenes") {
        for (SmallScene& small : ten_scenes()) {
            CAPTURE(small.name);
            ReferenceStage stage(std::move(small.scene), {kSize, 8, true, true, 0.1f});
            check_scene(stage, shaders::best_isa());
        }
    }

    TEST_CASE("kernels give the reference's samples of scenes drawn at random") {
        for (u32 seed = 0; seed < 40; ++seed) {
            CAPTURE(seed);
            const float alpha = seed % 4 == 2 ? 0.3f : 0.0f;
            ReferenceStage stage(random_scene(seed), {kSize, 8, true, seed % 3 != 0, alpha});
            stage.settings().params.backface_culling = seed % 5 == 1 ? 1 : 0;
            if (seed % 4 == 0) {
                stage.settings().params.clamp_direct = 1;
                stage.settings().params.clamp_indirect = 0.3f;
            }
            check_scene(stage, shaders::best_isa());
        }
    }

    TEST_CASE("kernels cull the backs that the reference culls") {
        scene::Scene scene = random_scene(5);
        for (scene::Material& material : scene.materials) {
            material.record.flags |= shaders::kMaterialSingleSided;
        }
        ReferenceStage stage(std::move(scene), {kSize, 8, true, true});
        stage.settings().params.backface_culling = 1;
        for_each_isa([&](Isa isa) { check_scene(stage, isa); });
    }
}

}  // namespace weft::tests
