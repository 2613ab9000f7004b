// test_section.cpp — section views: scenes cut by planes against the same scenes cut by hand, in
// every scheduler mode, on the device, and against the reference tracer.
#include <cmath>

#include <doctest/doctest.h>

#include "engine/frame/drawn_scene.h"
#include "engine/scene/model/section_caps.h"
#include "engine/trace/reference/reference_tracer.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft;
using namespace weft::frame;
using tests::Facing;
using tests::Float3;
using tests::rendered;
using trace::SchedulerMode;

constexpr u32 kSectionSize = 24;

// Keeps x ≤ 0.
const shaders::ClipPlane kLeft = {{-1, 0, 0}, 0};

RenderSettings section_settings(u32 samples) {
    RenderSettings settings;
    settings.width = kSectionSize;
    settings.height = kSectionSize;
    settings.samples_per_pixel = samples;
    settings.thread_count = 1;
    settings.integrator.path_count = 1024;
    settings.integrator.trace_batch = 1024;
    return settings;
}

// Mean of the green channel, and the root of the mean squared difference from another picture.
struct Likeness {
    double mean = 0;
    double other_mean = 0;
    double rms = 0;
};

Likeness compare(const film::Film& one, const film::Film& other) {
    Likeness found;
    for (u32 k = 0; k < kSectionSize * kSectionSize; ++k) {
        const auto a = static_cast<double>(one.pixel(k % kSectionSize, k / kSectionSize)[1]);
        const auto b = static_cast<double>(other.pixel(k % kSectionSize, k / kSectionSize)[1]);
        found.mean += a / (kSectionSize * kSectionSize);
        found.other_mean += b / (kSectionSize * kSectionSize);
        found.rms += (a - b) * (a - b) / (kSectionSize * kSectionSize);
    }
    found.rms = std::sqrt(found.rms);
    return found;
}

// A room that no plane cuts, with a light.
scene::Scene room() {
    scene::Scene scene;
    add_object(
        scene, tests::box({-3, 0, -3}, {3, 4, 3}, Facing::In), tests::lambert({0.7F, 0.6F, 0.5F}));
    add_object(scene,
               tests::quad({-0.8F, 3.95F, 0.8F}, {1.6F, 0, 0}, {0, 0, -1.6F}),
               tests::emitter({9, 8, 7}));
    for (scene::Instance& instance : scene.instances) {
        instance.clip_planes = 0;
    }
    tests::set_camera(scene, {1.5F, 2.2F, 2.6F}, {-0.2F, 0.8F, 0}, 0.9F);
    return scene;
}

// The left half of the box (-1, 0, -1) to (1, 1.5, 1), without its right side.
void add_half_box(scene::Scene& scene, const shaders::MaterialRecord& material) {
    const Float3 x = {1, 0, 0};
    const Float3 y = {0, 1.5F, 0};
    const Float3 z = {0, 0, 2};
    const Float3 back_x = {-1, 0, 0};
    const Float3 back_z = {0, 0, -2};
    add_object(scene, tests::quad({-1, 0, 1}, x, y), material);
    add_object(scene, tests::quad({0, 0, -1}, back_x, y), material);
    add_object(scene, tests::quad({-1, 0, -1}, z, y), material);
    add_object(scene, tests::quad({-1, 1.5F, 1}, x, back_z), material);
    add_object(scene, tests::quad({-1, 0, -1}, x, z), material);
}

}  // namespace

TEST_SUITE("engine/frame/section") {
    TEST_CASE("C8 a box cut by a plane looks like the same box cut by hand") {
        scene::Scene cut = room();
        add_object(cut,
                   tests::box({-1, 0, -1}, {1, 1.5F, 1}, Facing::Out),
                   tests::plastic({0.3F, 0.5F, 0.2F}, 0.4F));
        scene::Scene by_hand = room();
        add_half_box(by_hand, tests::plastic({0.3F, 0.5F, 0.2F}, 0.4F));
        RenderSettings settings = section_settings(16);
        const auto whole = rendered(cut, settings);
        const auto expected = rendered(by_hand, settings);
        settings.clip_planes = {kLeft};
        const auto section = rendered(cut, settings);
        const Likeness same = compare(section->film(), expected->film());
        CHECK(same.rms <= 0.02 * same.mean);
        const Likeness other = compare(section->film(), whole->film());
        CHECK(other.rms > 0.2 * other.mean);
    }

    TEST_CASE("C8 a capped section looks like the half that is whole") {
        scene::Scene cut = room();
        add_object(cut,
                   tests::box({-1, 0, -1}, {1, 1.5F, 1}, Facing::Out),
                   tests::plastic({0.3F, 0.5F, 0.2F}, 0.4F));
        scene::Scene by_hand = room();
        add_object(by_hand,
                   tests::box({-1, 0, -1}, {0, 1.5F, 1}, Facing::Out),
                   tests::plastic({0.3F, 0.5F, 0.2F}, 0.4F));
        RenderSettings settings = section_settings(8);
        const auto expected = rendered(by_hand, settings);
        settings.clip_planes = {kLeft};
        const auto open = rendered(cut, settings);
        CHECK(scene::append_caps(cut, settings.clip_planes).caps == 1);
        const auto capped = rendered(cut, settings);
        const Likeness same = compare(capped->film(), expected->film());
        CHECK(same.rms <= 0.02 * same.mean);
        const Likeness other = compare(open->film(), expected->film());
        CHECK(other.rms > 0.1 * other.mean);
    }

    TEST_CASE("C4c a material that sections leave whole is never cut and has no cap") {
        scene::Scene some = room();
        add_object(some,
                   tests::box({-1, 0, -1}, {1, 1.5F, 1}, Facing::Out),
                   tests::plastic({0.3F, 0.5F, 0.2F}, 0.4F));
        RenderSettings settings = section_settings(2);
        const std::string uncut = rendered(some, settings)->film().film_hash();
        settings.clip_planes = {kLeft};
        CHECK(rendered(some, settings)->film().film_hash() != uncut);
        scene::Scene capped = some;
        some.materials.back().record.flags |= shaders::kMaterialWhole;
        CHECK(rendered(some, settings)->film().film_hash() == uncut);
        CHECK(scene::append_caps(some, settings.clip_planes).caps == 0);
        CHECK(scene::append_caps(capped, settings.clip_planes).caps == 1);
    }

    TEST_CASE("C8 a light cut in half lights as half a light") {
        scene::Scene cut = room();
        cut.instances[1].clip_planes = ~0U;
        scene::Scene by_hand = room();
        by_hand.instances.own().pop_back();
        add_object(by_hand,
                   tests::quad({-0.8F, 3.95F, 0.8F}, {0.8F, 0, 0}, {0, 0, -1.6F}),
                   tests::emitter({9, 8, 7}));
        RenderSettings settings = section_settings(64);
        const auto expected = rendered(by_hand, settings);
        const auto whole = rendered(cut, settings);
        settings.clip_planes = {kLeft};
        const auto section = rendered(cut, settings);
        const Likeness half = compare(section->film(), expected->film());
        CHECK(half.mean == doctest::Approx(half.other_mean).epsilon(0.02));
        const Likeness full = compare(section->film(), whole->film());
        CHECK(full.mean == doctest::Approx(0.5 * full.other_mean).epsilon(0.1));
    }

    TEST_CASE("keyed and unkeyed and the emulated GPU give one film hash of a section") {
        const scene::Scene scene = tests::rich_scene();
        RenderSettings settings = section_settings(2);
        settings.clip_planes = {{{1, 0, 0}, 1.2F}, {{0, 0, -1}, 1.2F}};
        const std::string keyed = rendered(scene, settings)->film().film_hash();
        settings.thread_count = 3;
        CHECK(rendered(scene, settings)->film().film_hash() == keyed);
        settings.integrator.mode = SchedulerMode::Unkeyed;
        CHECK(rendered(scene, settings)->film().film_hash() == keyed);
        if (shaders::is_supported(shaders::Isa::Avx2)) {
            settings.integrator.mode = SchedulerMode::Keyed;
            settings.has_cpu = false;
            settings.has_egpu = true;
            settings.egpu_units = 2;
            CHECK(rendered(scene, settings)->film().film_hash() == keyed);
        }
        settings.has_cpu = true;
        settings.has_egpu = false;
        settings.clip_planes.pop_back();
        CHECK(rendered(scene, settings)->film().film_hash() != keyed);
    }

    TEST_CASE("Embree shows the section that our own traversal shows") {
        const scene::Scene scene = tests::rich_scene();
        RenderSettings settings = section_settings(16);
        settings.clip_planes = {{{1, 0, 0}, 1.2F}, {{0, 0, -1}, 1.2F}};
        const auto ours = rendered(scene, settings);
        settings.integrator.mode = SchedulerMode::Embree;
        const auto embree = rendered(scene, settings);
        const Likeness found = compare(ours->film(), embree->film());
        CHECK(found.mean == doctest::Approx(found.other_mean).epsilon(0.02));
        CHECK(found.mean > 0.01);
        CHECK(found.rms <= 0.1 * found.mean);
    }

    TEST_CASE("the reference tracer sees the same section") {
        const scene::Scene scene = tests::rich_scene();
        RenderSettings settings = section_settings(4);
        settings.clip_planes = {{{1, 0, 0}, 1.2F}, {{0, 0, -1}, 1.2F}};
        const auto fast = rendered(scene, settings);
        const auto lists = SceneLists::record(scene, {});
        REQUIRE(lists.is_ok());
        const auto drawn = draw_scene(lists.value(), {{}, settings.clip_planes, true});
        REQUIRE(drawn.is_ok());
        const trace::SceneTables tables = trace::make_scene_tables(scene, drawn.value().tables);
        const std::vector<float> filter = trace::make_filter_table(settings.filter);
        trace::ReferenceSettings reference;
        reference.params.width = kSectionSize;
        reference.params.height = kSectionSize;
        reference.params.max_bounces = settings.max_bounces;
        reference.params.clamp_direct = INFINITY;
        reference.params.clamp_indirect = INFINITY;
        reference.params.filter_table = filter.data();
        reference.camera = trace::make_camera(scene.cameras.front(), kSectionSize, kSectionSize);
        const trace::ReferenceTracer tracer(tables, reference);
        double mean = 0;
        u32 alike = 0;
        for (u32 k = 0; k < kSectionSize * kSectionSize; ++k) {
            double truth = 0;
            for (u32 sample = 0; sample < settings.samples_per_pixel; ++sample) {
                truth += tracer.trace_sample(k % kSectionSize, k / kSectionSize, sample)[1] /
                         settings.samples_per_pixel;
            }
            const auto found =
                static_cast<double>(fast->film().pixel(k % kSectionSize, k / kSectionSize)[1]);
            mean += truth / (kSectionSize * kSectionSize);
            alike += std::fabs(found - truth) <= 0.01 * std::fmax(truth, 0.01) ? 1U : 0U;
        }
        CHECK(mean > 0.01);
        // Rounding flips a decision now and then; all other pixels agree.
        CHECK(alike > kSectionSize * kSectionSize * 9 / 10);
    }
}
