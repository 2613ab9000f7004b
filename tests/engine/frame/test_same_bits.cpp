// test_same_bits.cpp — one picture, whatever runs it: threads, scheduler mode, batches, policies
// and instruction sets of one arithmetic class do not change a bit; seed, sample count and scene
// do.
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/frame/prepared_scene.h"
#include "engine/frame/renderer.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using weft::u32;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::shaders::Isa;
using weft::tests::all_hashes;
using weft::tests::rendered;
using weft::tests::rich_scene;
using weft::trace::SchedulerMode;

RenderSettings small_settings() {
    RenderSettings settings;
    settings.width = 72;
    settings.height = 50;
    settings.samples_per_pixel = 3;
    settings.thread_count = 1;
    settings.integrator.path_count = 2048;
    settings.integrator.trace_batch = 2048;
    return settings;
}

std::string film_hash(const weft::scene::Scene& scene, const RenderSettings& settings) {
    const auto renderer = rendered(scene, settings);
    CHECK(renderer->figures().integrator.samples ==
          weft::u64{settings.width} * settings.height * settings.samples_per_pixel);
    return all_hashes(renderer->film());
}

using Shared = std::shared_ptr<const weft::scene::Scene>;

std::unique_ptr<Renderer> prepared(const Shared& scene,
                                   const RenderSettings& settings,
                                   Renderer* maybe_spent) {
    auto tables = weft::frame::prepare_scene({.scene = scene, .settings = &settings, .hidden = {}});
    REQUIRE(tables.is_ok());
    auto renderer =
        Renderer::prepare(std::move(tables.value()), scene->cameras.front(), settings, maybe_spent);
    REQUIRE(renderer.is_ok());
    return std::move(renderer.value());
}

weft::u64 samples_of(const RenderSettings& settings) {
    return weft::u64{settings.width} * settings.height * settings.samples_per_pixel;
}

}  // namespace

TEST_SUITE("engine/frame/same_bits") {
    TEST_CASE("units taken over from another scene and size give the bits of fresh ones") {
        const auto first = std::make_shared<const weft::scene::Scene>(rich_scene());
        auto changed = std::make_shared<weft::scene::Scene>(*first);
        changed->instances.own().erase(changed->instances.own().begin());
        changed->instances[0].object_to_world[7] += 0.25F;
        changed->materials[1].record.roughness = 0.3F;
        const Shared second = changed;
        RenderSettings settings = small_settings();
        RenderSettings smaller = settings;
        smaller.width = 40;
        smaller.share_samples = 256;
        for (const SchedulerMode mode :
             {SchedulerMode::Keyed, SchedulerMode::Unkeyed, SchedulerMode::Embree}) {
            for (const bool is_adaptive : {false, true}) {
                settings.integrator.mode = smaller.integrator.mode = mode;
                settings.integrator.is_adaptive = smaller.integrator.is_adaptive = is_adaptive;
                auto spent = prepared(first, settings, nullptr);
                REQUIRE(spent->run({}).is_ok());
                const std::string spent_hash = spent->film().film_hash();
                auto taker = prepared(second, smaller, spent.get());
                REQUIRE(taker->run({}).is_ok());
                // Units count since they were made.
                CHECK(taker->figures().integrator.samples ==
                      samples_of(settings) + samples_of(smaller));
                CHECK(taker->film().film_hash() == film_hash(*second, smaller));
                CHECK(spent->film().film_hash() == spent_hash);
            }
        }
    }

    TEST_CASE("units of a frame that is held or has other settings are not taken over") {
        const auto scene = std::make_shared<const weft::scene::Scene>(rich_scene());
        const RenderSettings settings = small_settings();
        auto held = prepared(scene, settings, nullptr);
        bool is_holding = true;
        REQUIRE(held->run({.on_progress = {},
                           .should_hold = [&is_holding] { return is_holding; },
                           .detached = {},
                           .maybe_watcher = nullptr})
                    .is_ok());
        auto other = prepared(scene, settings, held.get());
        REQUIRE(other->run({}).is_ok());
        CHECK(other->figures().integrator.samples == samples_of(settings));
        is_holding = false;
        REQUIRE(held->run({}).is_ok());
        CHECK(held->film().film_hash() == other->film().film_hash());
        RenderSettings with_aovs = settings;
        with_aovs.aovs = {weft::film::Aov::Normal};
        auto wider = prepared(scene, with_aovs, held.get());
        REQUIRE(wider->run({}).is_ok());
        CHECK(wider->figures().integrator.samples == samples_of(settings));
    }

    TEST_CASE(
        "keyed and unkeyed give one film hash for any threads and batch and for avx2 as for "
        "avx512") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = small_settings();
        settings.aovs = {
            weft::film::Aov::SeenAlbedo, weft::film::Aov::SeenNormal, weft::film::Aov::Direct};
        std::set<std::string> hashes;
        u32 renders = 0;
        for (const weft::trace::KeyedTraversal way :
             {weft::trace::KeyedTraversal::Sets, weft::trace::KeyedTraversal::Nodes}) {
            settings.integrator.traversal = way;
            hashes.insert(film_hash(scene, settings));
        }
        settings.integrator.traversal = weft::trace::KeyedTraversal::Auto;
        for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
            if (!weft::shaders::is_supported(isa)) {
                continue;
            }
            settings.isa = isa;
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                settings.integrator.mode = mode;
                for (const u32 threads : {1U, 2U, 3U, 7U}) {
                    settings.thread_count = threads;
                    for (const u32 batch : {300U, 2048U}) {
                        settings.integrator.path_count = batch;
                        settings.integrator.trace_batch = batch;
                        hashes.insert(film_hash(scene, settings));
                        ++renders;
                    }
                }
            }
        }
        CHECK((renders == 0 || hashes.size() == 1));
    }

    TEST_CASE("embree gives one film hash for any threads and batch where surfaces coincide") {
        weft::scene::Scene scene = rich_scene();
        const u32 red = weft::tests::add_material(scene, weft::tests::lambert({0.8F, 0.1F, 0.1F}));
        for (std::size_t k = scene.instances.size(); k-- > 0;) {
            weft::scene::Instance twin = scene.instances[k];
            twin.material = red;
            scene.instances.push_back(twin);
        }
        RenderSettings settings = small_settings();
        settings.integrator.mode = SchedulerMode::Embree;
        std::set<std::string> hashes;
        for (const u32 threads : {1U, 2U, 3U, 7U}) {
            settings.thread_count = threads;
            for (const u32 batch : {300U, 2048U}) {
                settings.integrator.path_count = batch;
                settings.integrator.trace_batch = batch;
                hashes.insert(film_hash(scene, settings));
            }
        }
        CHECK(hashes.size() == 1);
    }

    TEST_CASE("sse4 gives one film hash of its own for keyed and unkeyed") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = small_settings();
        settings.isa = Isa::Sse4;
        const std::string keyed = film_hash(scene, settings);
        settings.integrator.mode = SchedulerMode::Unkeyed;
        settings.thread_count = 2;
        CHECK(keyed == film_hash(scene, settings));
    }

    TEST_CASE("F11 policies and group limits and tight list memory do not change a bit") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = small_settings();
        const std::string expected = film_hash(scene, settings);
        for (const auto policy : {weft::fibre::Policy::Fullest,
                                  weft::fibre::Policy::Oldest,
                                  weft::fibre::Policy::Priority,
                                  weft::fibre::Policy::Balanced}) {
            settings.integrator.policies.closest = policy;
            settings.integrator.policies.shadow = policy;
            settings.integrator.policies.shade = policy;
            CHECK(expected == film_hash(scene, settings));
        }
        settings = small_settings();
        for (const u32 limit : {1U, 16U, 100000U}) {
            settings.integrator.group_limit = limit;
            CHECK(expected == film_hash(scene, settings));
        }
        settings = small_settings();
        settings.integrator.shade_batch = 5;
        CHECK(expected == film_hash(scene, settings));
    }

    TEST_CASE("two different trees over one scene give one film hash") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = small_settings();
        const std::string expected = film_hash(scene, settings);
        settings.leaf_fill = 1;
        CHECK(expected == film_hash(scene, settings));
        settings.leaf_fill = 3;
        settings.has_fine_tree = false;
        CHECK(expected == film_hash(scene, settings));
    }

    TEST_CASE("another seed or sample count or scene gives another film hash") {
        weft::scene::Scene scene = rich_scene();
        RenderSettings settings = small_settings();
        std::set<std::string> hashes = {film_hash(scene, settings)};
        settings.seed = 1;
        hashes.insert(film_hash(scene, settings));
        settings = small_settings();
        settings.samples_per_pixel = 4;
        hashes.insert(film_hash(scene, settings));
        scene.materials.front().record.base_color[0] *= 0.99F;
        hashes.insert(film_hash(scene, small_settings()));
        CHECK(hashes.size() == 4);
    }

    TEST_CASE("a crop has the pixels of the whole picture") {
        const weft::scene::Scene scene = rich_scene();
        RenderSettings settings = small_settings();
        auto whole = Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(whole.is_ok());
        REQUIRE(whole.value()->render({}).is_ok());
        settings.crop = weft::film::Region{11, 7, 40, 33};
        auto part = Renderer::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(part.is_ok());
        REQUIRE(part.value()->render({}).is_ok());
        u32 differing = 0;
        for (u32 y = 7; y < 33; ++y) {
            for (u32 x = 11; x < 40; ++x) {
                differing +=
                    whole.value()->film().pixel(x, y) == part.value()->film().pixel(x, y) ? 0U : 1U;
            }
        }
        CHECK(differing == 0);
    }
}
