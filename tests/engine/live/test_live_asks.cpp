// test_live_asks.cpp — questions to a live render: the surface at a point, the report of a pixel,
// the film as a file.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "engine/live/live_render.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"

namespace {

using namespace weft;
using live::LiveJob;
using live::LiveRender;
using tests::batch_hash;
using tests::shared_scene;
using tests::small_job;
using tests::wait_for_end;

}  // namespace

TEST_SUITE("engine/live/live_asks") {
    TEST_CASE("a pick finds the surface in the middle of the picture") {
        LiveRender live(1);
        CHECK(!live.pick(48, 32));
        wait_for_end(live, live.show(small_job()));
        const auto picked = live.pick(48, 32);
        REQUIRE(picked);
        CHECK(picked->instance < shared_scene()->instances.size());
        CHECK(picked->distance_m > 0);
        CHECK(picked->position[2] < 2.9F);
    }

    TEST_CASE("the instances in a part of the picture are those that picks of its pixels find") {
        LiveRender live(1);
        const film::Region part{20, 10, 70, 50};
        CHECK(live.instances_in(part).scene == nullptr);
        const LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        std::set<u32> picked;
        for (u32 y = part.y0; y < part.y1; ++y) {
            for (u32 x = part.x0; x < part.x1; ++x) {
                const auto surface =
                    live.pick(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
                if (surface) {
                    picked.insert(surface->instance);
                }
            }
        }
        const live::SeenInstances seen = live.instances_in(part);
        CHECK(seen.scene == job.scene);
        CHECK(seen.instances == std::vector<u32>(picked.begin(), picked.end()));
        CHECK(picked.size() > 1);
        CHECK(live.instances_in({0, 0, 0, 0}).instances.empty());
    }

    TEST_CASE("a pixel's report has its mean its auxiliary values and its path") {
        LiveRender live(1);
        LiveJob job = small_job();
        job.settings.aovs = {film::Aov::Instance, film::Aov::Depth};
        wait_for_end(live, live.show(job));
        const live::PixelReport report = live.inspect(48, 32);
        CHECK(report.samples == 4);
        REQUIRE(report.aovs.size() == 5);  // those that were asked for come first
        CHECK(report.aovs[1].aov == film::Aov::Depth);
        CHECK(report.aovs[1].values.at(0) > 0);
        CHECK(report.path.size() > 1);
        CHECK(live.inspect(1000, 1000).samples == 0);
    }

    TEST_CASE("the first surface of a pixel has the AOVs of a film with one sample") {
        LiveRender live(1);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 1;
        job.settings.aovs = {film::Aov::Albedo,
                             film::Aov::Normal,
                             film::Aov::Position,
                             film::Aov::Depth,
                             film::Aov::Instance};
        wait_for_end(live, live.show(job));
        u32 same = 0;
        u32 seen = 0;
        for (u32 k = 0; k < 96 * 64; k += 37) {
            const live::PixelReport report = live.inspect(k % 96, k / 96);
            REQUIRE(report.aovs.size() == 5);
            if (!report.first_surface) {
                CHECK(report.radiance[3] == 0);
                continue;
            }
            ++seen;
            const trace::FirstSurface& first = *report.first_surface;
            std::vector<double> told(first.albedo.begin(), first.albedo.end());
            told.insert(told.end(), first.normal.begin(), first.normal.end());
            told.insert(told.end(), first.position.begin(), first.position.end());
            told.push_back(first.depth_m);
            told.push_back(first.instance);
            std::vector<float> kept;
            for (const auto& [aov, values] : report.aovs) {
                kept.insert(kept.end(), values.begin(), values.end());
            }
            REQUIRE(kept.size() == told.size());
            same += std::equal(kept.begin(), kept.end(), told.begin(), [](float a, double b) {
                return std::abs(static_cast<double>(a) - b) < 1e-3;
            });
        }
        CHECK(seen > 100);
        CHECK(same >= seen * 98 / 100);  // a ray along an edge may hit either side
    }

    TEST_CASE("a saved film has the samples that are done") {
        const std::filesystem::path file =
            std::filesystem::temp_directory_path() /
            ("weft-live-" +
             std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + ".exr");
        LiveRender live(2);
        CHECK(!live.save(file.string(), {}).is_ok());
        const LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        film::ImageConfig config;
        config.keep_film = true;
        REQUIRE(live.save(file.string(), config).is_ok());
        CHECK(film::read_film(file.string()).value().aovs().empty());  // none was asked for
        const auto read = film::read_film(file.string());
        REQUIRE(read.is_ok());
        CHECK(read.value().film_hash() == batch_hash(job));
        std::filesystem::remove(file);
    }

    TEST_CASE("a picture is saved, and its job does not fail, when an older job fails meanwhile") {
        LiveRender live(2);
        const LiveJob good = small_job();
        LiveJob bad = small_job();
        bad.hidden = {"no such node"};
        const std::filesystem::path file =
            std::filesystem::temp_directory_path() / "weft_live_after_failure.exr";
        u32 saved = 0;
        u32 failed = 0;
        for (u32 round = 0; round < 40; ++round) {
            live.show(bad);
            // The bad job is taken or fails now, sooner or later.
            std::this_thread::sleep_for(std::chrono::microseconds(20 * round));
            const u64 number = live.show(good);
            // Until there are samples, unless none come.
            live::LiveStatus status;
            do {
                tests::rest();
                status = live.status();
                failed +=
                    status.state == live::LiveState::Failed || !status.error.empty() ? 1U : 0U;
            } while (status.state == live::LiveState::Preparing ||
                     (status.state == live::LiveState::Rendering &&
                      (status.prepared_job < number || status.samples_mean == 0)));
            saved += live.save(file.string(), {}).is_ok() ? 1U : 0U;
        }
        CHECK(saved == 40);
        CHECK(failed == 0);
        std::filesystem::remove(file);
    }

    TEST_CASE("saving that is given up ends within the wave and the frame goes on") {
        const std::string file =
            (std::filesystem::temp_directory_path() /
             ("weft-live-" +
              std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + ".exr"))
                .string();
        LiveJob job = small_job();
        job.settings.width = 320;
        job.settings.height = 240;
        job.settings.samples_per_pixel = 4;
        LiveRender live(2);
        const u64 number = live.show(job);
        // A question that comes between two waves finds a whole film, and saves it.
        bool is_given_up = false;
        while (!is_given_up && live.status().state != live::LiveState::Done) {
            const base::Status saved = live.save(file, {}, [] { return true; });
            is_given_up =
                !saved.is_ok() && saved.error().sentence == file + ": saving was given up";
        }
        CHECK(is_given_up);
        wait_for_end(live, number);
        CHECK(live.film_hash().value() == batch_hash(job));
        std::filesystem::remove(file);
    }

    TEST_CASE("R8 a frame goes on beside the saving of its picture with the same film") {
        const std::filesystem::path folder =
            std::filesystem::temp_directory_path() /
            ("weft-live-" +
             std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
        std::filesystem::create_directory(folder);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 64;
        film::ImageConfig config;
        config.keep_film = true;
        config.layers.emplace();
        LiveRender live(2);
        const u64 number = live.show(job);
        // Three files while it renders, each with all pixels at the same number of samples.
        std::vector<std::string> hashes;
        for (u32 k = 0; k < 3; ++k) {
            const std::string file = (folder / (std::to_string(k) + ".exr")).string();
            base::Status saved = live.save(file, config);
            while (!saved.is_ok()) {  // before the first samples
                tests::rest();
                saved = live.save(file, config);
            }
            const auto read = film::read_film(file);
            REQUIRE(read.is_ok());
            LiveJob shorter = job;
            shorter.settings.samples_per_pixel = read.value().sample_count(0, 0);
            CHECK(read.value().film_hash() == batch_hash(shorter));
        }
        wait_for_end(live, number);
        CHECK(live.film_hash().value() == batch_hash(job));
        std::filesystem::remove_all(folder);
    }

    TEST_CASE("heat comes with the frame that counts it and goes with the frame before") {
        LiveRender live(2);
        LiveJob job = small_job();
        const auto hash_of = [&live](const LiveJob& shown) {
            wait_for_end(live, live.show(shown));
            return live.film_hash().value();
        };
        const std::string cold = hash_of(job);
        CHECK(live.heat().map == nullptr);
        CHECK(live.heat_places(8, 8).object.empty());
        job.effect = scene::kEffectNone;
        job.settings.has_heat = true;
        CHECK(hash_of(job) == cold);
        const live::LiveHeat heat = live.heat();
        REQUIRE(heat.map != nullptr);
        CHECK(heat.figures.objects.size() == heat.map->objects.size() + 1);
        CHECK(live.heat_places(8, 8).object.size() == 64);
        job.settings.has_heat = false;
        CHECK(hash_of(job) == cold);
        CHECK(live.heat().map == nullptr);
        CHECK(live.status().counters.returns == 1);
    }
}
