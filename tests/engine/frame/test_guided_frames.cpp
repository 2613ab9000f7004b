// test_guided_frames.cpp — frames whose paths are guided by a pilot: one film whoever renders it,
// the same mean as without a guide, and less noise where light comes through a gap.
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/frame/pilot.h"
#include "engine/frame/renderer.h"
#include "scheduler/base/memory_limit.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/whole_frame.h"

namespace weft::tests {

namespace {

using frame::Guiding;
using frame::PilotVerdict;
using frame::RenderSettings;
using shaders::Isa;
using trace::SchedulerMode;

RenderSettings guided_settings() {
    RenderSettings settings;
    settings.width = 24;
    settings.height = 16;
    settings.samples_per_pixel = 4;
    settings.thread_count = 2;
    settings.guiding = Guiding::On;
    settings.filter = trace::PixelFilter::Box;
    settings.integrator.path_count = 2048;
    settings.integrator.trace_batch = 2048;
    return settings;
}

// Two rooms beside each other; light comes from the second one through a gap in the wall alone.
scene::Scene two_rooms(const shaders::MaterialRecord& paint = lambert({0.7F, 0.7F, 0.7F})) {
    scene::Scene scene;
    add_object(scene, box({-3, 0, -2}, {3, 3, 2}, Facing::In), paint);
    add_object(scene, box({-0.05F, 0, -2}, {0.05F, 3, 1.4F}, Facing::Out), paint);
    add_object(scene, quad({1, 2.95F, 0.5F}, {1, 0, 0}, {0, 0, -1}), emitter({12, 12, 12}));
    set_camera(scene, {-0.4F, 1.5F, 1.6F}, {-3, 1, -1}, 1.0F);
    return scene;
}

struct Moments {
    double mean = 0;
    double variance = 0;  // of a pixel, over seeds, relative to its squared mean
};

// Of the green channel.
Moments moments_of(const scene::Scene& scene, RenderSettings settings, u32 seeds) {
    const std::size_t pixels = std::size_t{settings.width} * settings.height;
    std::vector<double> sum(pixels);
    std::vector<double> squares(pixels);
    for (u32 seed = 0; seed < seeds; ++seed) {
        settings.seed = seed;
        const auto renderer = rendered(scene, settings);
        for (std::size_t k = 0; k < pixels; ++k) {
            const auto x = static_cast<u32>(k % settings.width);
            const auto y = static_cast<u32>(k / settings.width);
            const auto value = static_cast<double>(renderer->film().pixel(x, y)[1]);
            sum[k] += value / seeds;
            squares[k] += value * value / seeds;
        }
    }
    Moments m;
    for (std::size_t k = 0; k < pixels; ++k) {
        const double square = sum[k] * sum[k];
        m.mean += sum[k] / static_cast<double>(pixels);
        m.variance += (squares[k] - square) / (square + 1e-6) / static_cast<double>(pixels);
    }
    return m;
}

}  // namespace

TEST_SUITE("engine/frame/guided_frames") {
    TEST_CASE("a guided frame has one film hash for threads, modes, batches and lanes") {
        const scene::Scene scene = rich_scene();
        RenderSettings settings = guided_settings();
        std::set<std::string> hashes;
        for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
            if (!shaders::is_supported(isa)) {
                continue;
            }
            settings.isa = isa;
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                settings.integrator.mode = mode;
                for (const u32 threads : {1U, 3U}) {
                    settings.thread_count = threads;
                    settings.integrator.path_count = 300 * threads;
                    settings.integrator.trace_batch = 300 * threads;
                    hashes.insert(film_hash_of(scene, settings));
                }
            }
        }
        CHECK(hashes.size() <= 1);
        settings.guiding = Guiding::Off;
        hashes.insert(film_hash_of(scene, settings));
        CHECK(hashes.size() == (shaders::is_supported(Isa::Avx2) ? 2 : 1));
    }

    TEST_CASE("the emulated GPU guides paths as the processor does") {
        if (!shaders::is_supported(Isa::Avx2)) {
            return;
        }
        const scene::Scene scene = rich_scene();
        RenderSettings settings = guided_settings();
        const std::string expected = film_hash_of(scene, settings);
        settings.has_egpu = true;
        settings.egpu_memory_bytes = u64{256} << 20;
        CHECK(film_hash_of(scene, settings) == expected);
        settings.has_cpu = false;
        CHECK(film_hash_of(scene, settings) == expected);
    }

    TEST_CASE("a slice has the guide of the whole frame") {
        const scene::Scene scene = rich_scene();
        RenderSettings settings = guided_settings();
        const auto whole = rendered(scene, settings);
        settings.crop = film::Region{4, 2, 20, 11};
        const auto part = rendered(scene, settings);
        for (u32 y = 2; y < 11; ++y) {
            for (u32 x = 4; x < 20; ++x) {
                CHECK(part->film().pixel(x, y) == whole->film().pixel(x, y));
            }
        }
    }

    TEST_CASE("light that walls send on for ever keeps its closed form") {
        shaders::MaterialRecord wall = lambert({0.9F, 0.5F, 0.1F});
        std::fill_n(wall.emissive, 3, 1.0F);
        scene::Scene scene;
        add_object(scene, box({-1, -1, -1}, {1, 1, 1}, Facing::In), wall);
        set_camera(scene, {0.2F, 0.1F, 0.5F}, {0, 0, -1}, 1.0F);
        RenderSettings settings = guided_settings();
        settings.samples_per_pixel = 256;
        settings.max_bounces = 62;
        // 1 / (1 − albedo), but for what 62 bounces leave out.
        CHECK(moments_of(scene, settings, 1).mean == doctest::Approx(2).epsilon(0.002));
    }

    TEST_CASE("the guide keeps the mean and takes noise where light comes through a gap") {
        RenderSettings settings = guided_settings();
        settings.samples_per_pixel = 64;
        const auto compare = [&](const scene::Scene& scene, double least_gain) {
            settings.guiding = Guiding::On;
            const Moments guided = moments_of(scene, settings, 6);
            settings.guiding = Guiding::Off;
            const Moments plain = moments_of(scene, settings, 6);
            INFO("mean " << guided.mean << " guided, " << plain.mean << " plain; relative variance "
                         << guided.variance << ", " << plain.variance);
            CHECK(guided.mean == doctest::Approx(plain.mean).epsilon(0.02));
            CHECK(guided.variance < plain.variance / least_gain);
        };
        compare(two_rooms(), 1.5);
        // Without a diffuse lobe.
        compare(two_rooms(metal({0.7F, 0.7F, 0.7F}, 0.9F)), 1.5);
    }

    TEST_CASE("the pilot tells whether a guide pays") {
        RenderSettings settings = guided_settings();
        const auto frame_of = [&](const scene::Scene& scene, Guiding guiding) {
            settings.guiding = guiding;
            return rendered_frame(scene, settings);
        };
        const scene::Scene rooms = two_rooms();
        const RenderedFrame dim = frame_of(rooms, Guiding::Auto);
        CHECK(dim.film_hash == frame_of(rooms, Guiding::On).film_hash);
        CHECK(dim.figures.pilot.verdict == PilotVerdict::Guided);
        CHECK(dim.figures.pilot.worth_of_ray >= frame::kLeastWorthOfRay);
        CHECK(dim.figures.pilot.guide_bytes > 0);
        // A floor under a sky is lit from all around.
        scene::Scene open;
        add_object(open, quad({-4, 0, 4}, {8, 0, 0}, {0, 0, -8}), lambert({0.5F, 0.5F, 0.5F}));
        set_constant_environment(open, {1, 1, 1});
        set_camera(open, {0, 2, 3}, {0, 0, 0}, 0.8F);
        const RenderedFrame bright = frame_of(open, Guiding::Auto);
        CHECK(bright.film_hash == frame_of(open, Guiding::Off).film_hash);
        CHECK(bright.film_hash != frame_of(open, Guiding::On).film_hash);
        CHECK(bright.figures.pilot.verdict == PilotVerdict::PaysTooLittle);
        CHECK(bright.figures.pilot.worth_of_ray < frame::kLeastWorthOfRay);
        CHECK(bright.figures.pilot.guide_bytes == 0);
    }

    TEST_CASE("the pilot is rendered by learn() or the first run, once, and not before") {
        const scene::Scene scene = rich_scene();
        const RenderSettings settings = guided_settings();
        const std::string expected = film_hash_of(scene, settings);
        const auto renderer = prepared(scene, settings);
        CHECK(renderer->check_pilot().is_ok());
        CHECK(renderer->figures().pilot.verdict == PilotVerdict::None);
        CHECK(renderer->figures().pilot.seconds == 0);
        REQUIRE(renderer->learn().is_ok());
        CHECK(renderer->figures().pilot.verdict == PilotVerdict::Guided);
        const double seconds = renderer->figures().pilot.seconds;
        REQUIRE(renderer->learn().is_ok());
        REQUIRE(renderer->render({}).is_ok());
        CHECK(renderer->figures().pilot.seconds == seconds);
        CHECK(renderer->film().film_hash() == expected);
    }

    TEST_CASE("a film that lacks no sample needs no pilot") {
        const scene::Scene scene = rich_scene();
        const RenderSettings settings = guided_settings();
        for (const u32 lacking : {0U, 1U}) {
            const auto renderer = prepared(scene, settings);
            const film::Region all{0, 0, settings.width, settings.height};
            film::Film film(settings.width, settings.height, all, {});
            for (u32 k = 0; k < settings.width * settings.height; ++k) {
                for (u32 sample = lacking; sample < settings.samples_per_pixel; ++sample) {
                    film.add_sample(k % settings.width, k / settings.width, {1, 1, 1, 1});
                }
            }
            renderer->continue_from(std::move(film));
            REQUIRE(renderer->render({}).is_ok());
            CHECK(renderer->figures().pilot.verdict ==
                  (lacking == 0 ? PilotVerdict::None : PilotVerdict::Guided));
        }
    }

    TEST_CASE("a stop ends the pilot, and no sample is rendered without the guide") {
        const scene::Scene scene = rich_scene();
        const auto renderer = prepared(scene, guided_settings());
        renderer->request_stop();
        REQUIRE(renderer->render({}).is_ok());
        CHECK(renderer->figures().pilot.verdict == PilotVerdict::None);
        CHECK(renderer->figures().samples == 0);
        CHECK(renderer->figures().stopped_by == frame::StopRule::Request);
    }

    TEST_CASE("a pilot that does not fit into memory is an error before it begins") {
        const scene::Scene scene = rich_scene();
        RenderSettings settings = guided_settings();
        // MiB that the error names.
        const auto needed = [&](u32 max_bounces) {
            settings.max_bounces = max_bounces;
            const auto renderer = prepared(scene, settings);
            base::set_memory_limit(1);
            const base::Status checked = renderer->check_pilot();
            const base::Status learned = renderer->learn();
            base::set_memory_limit(0);
            CHECK(checked.error().sentence == learned.error().sentence);
            CHECK(learned.error().kind == base::ErrorKind::Memory);
            const std::string begin =
                "the pilot of --guiding: a small picture with what its paths tell needs ";
            REQUIRE(learned.error().sentence.find(begin) == 0);
            return std::stoi(learned.error().sentence.substr(begin.size()));
        };
        // 116 · 77 pixels of 28 samples, whose paths tell 20 B of at most so many vertices.
        const int of_most = needed(16);
        constexpr double kOfVertex = 116.0 * 77 * 28 * 20 / (1 << 20);
        CHECK(of_most - needed(1) == doctest::Approx(15 * kOfVertex).epsilon(0.02));
        CHECK(of_most == needed(60));
    }

    TEST_CASE("where no light is found, nothing is guided") {
        scene::Scene scene;
        add_object(scene, box({-1, -1, -1}, {1, 1, 1}, Facing::In), lambert({0.5F, 0.5F, 0.5F}));
        set_camera(scene, {0.2F, 0.1F, 0.5F}, {0, 0, -1}, 1.0F);
        RenderSettings settings = guided_settings();
        const RenderedFrame guided = rendered_frame(scene, settings);
        CHECK(guided.figures.pilot.verdict == PilotVerdict::TooLittleLight);
        settings.guiding = Guiding::Off;
        CHECK(guided.film_hash == film_hash_of(scene, settings));
    }
}

}  // namespace weft::tests
