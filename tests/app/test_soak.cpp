// test_soak.cpp — imports, renders, resumes and merges again and again: one long process holds no
// more at the end than after its first rounds, and every round has the same film.
#include <csignal>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "engine/live/live_render.h"
#include "engine/scene/import.h"
#include "tests/app/held_resources.h"
#include "tests/app/small_render.h"
#include "tests/app/soak_rounds.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

constexpr u32 kCases = 2;

// The hash of a live render's film once it is done.
std::string shown_hash(live::LiveRender& live, const live::LiveJob& job) {
    const live::LiveStatus status = tests::wait_for_end(live, live.show(job));
    REQUIRE(status.state == live::LiveState::Done);
    const base::Result<std::string> hash = live.film_hash();
    REQUIRE(hash.is_ok());
    return hash.value();
}

live::LiveJob job_of(const std::string& source) {
    base::Result<scene::Scene> read = scene::import_scene({source}, {});
    REQUIRE(read.is_ok());
    scene::complete_scene(read.value());
    live::LiveJob job = tests::small_job();
    job.camera = read.value().cameras.front();
    job.scene = std::make_shared<const scene::Scene>(std::move(read.value()));
    return job;
}

}  // namespace

TEST_SUITE("app/soak") {
    TEST_CASE("a process that imports and renders again and again holds no more at the end") {
        const TestFolder folder;
        const std::string model = folder.file("a.obj");
        film::put_bytes(model, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        const std::string picture = folder.file("a.exr");
        film::ImageConfig config;
        config.keep_film = true;
        live::LiveRender live(2);
        std::string first;
        const auto round = [&] {
            std::string hashes = shown_hash(live, tests::small_job());
            // By assimp's process, then by the glTF importer.
            hashes += shown_hash(live, job_of(model));
            hashes += shown_hash(live, job_of(WEFT_SOURCE_DIR "/scenes/cornell.gltf"));
            REQUIRE(live.save(picture, config).is_ok());
            const base::Result<film::Film> film = film::read_film(picture);
            REQUIRE(film.is_ok());
            CHECK(hashes.ends_with(film.value().film_hash()));
            first = first.empty() ? hashes : first;
            CHECK(hashes == first);
            // Ends while it renders.
            live::LiveRender second(1);
            second.show(tests::small_job());
        };
        for (u32 k = 0; k < kWarmRounds; ++k) {
            round();
        }
        const HeldResources before = steadily_held_by("self");
        SoakRounds rounds(kCases);
        while (rounds.next()) {
            CAPTURE(rounds.count());
            round();
            rounds.note(held_by("self"));
        }
        check_no_growth(before, steadily_held_by("self"));
    }

    TEST_CASE("renders that are cut and killed and resumed and merged leave the same film") {
        const TestFolder folder;
        const std::string whole = folder.file("whole.exr");
        const Words samples = {"--spp", "64"};
        const auto sliced = [&](const std::string& output, const Words& more) {
            Words words = small_render(output, samples);
            words.insert(words.end(), more.begin(), more.end());
            return words;
        };
        check_ends(sliced(whole, {"--keep-film"}), kExitDone);
        const std::string expected = hashes_of_file(whole);
        SoakRounds rounds(kCases);
        while (rounds.next()) {
            CAPTURE(rounds.count());
            const std::string a = folder.file("a.exr");
            const std::string b = folder.file("b.exr");
            const Words resumed =
                sliced(b, {"--slice", "2/2", "--resume", "--checkpoint-interval", "0.001", "-v"});
            check_ends(sliced(a, {"--slice", "1/2"}), kExitDone);
            WeftProcess killed(resumed);
            killed.wait_until([](const std::string& err) {
                return err.find("checkpoint: rendering waited") != std::string::npos;
            });
            killed.send(SIGKILL);
            killed.wait();
            check_ends(resumed, kExitDone);
            const std::string merged = folder.file("merged.exr");
            check_ends({"merge", merged, b, a}, kExitDone);
            CHECK(hashes_of_file(merged) == expected);
            CHECK(folder.files() ==
                  std::vector<std::string>{
                      "a.exr", "b.exr", "b.exr.checkpoint", "merged.exr", "whole.exr"});
            for (const char* name : {"a.exr", "b.exr", "b.exr.checkpoint", "merged.exr"}) {
                std::filesystem::remove(folder.file(name));
            }
            rounds.note(held_by("self"));
        }
    }
}

}  // namespace weft::app::testing
