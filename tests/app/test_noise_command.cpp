// test_noise_command.cpp — `--noise-threshold`: the rule that ended a render, the layers that show
// it, and the film after kills, resumes and other stop rules.
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include <doctest/doctest.h>

#include "engine/film/exr_parts.h"
#include "tests/app/small_render.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

Words noise_render(const std::string& output, const Words& more) {
    Words words = {"--noise-threshold", "0.1", "--spp", "4096", "--keep-film", "--aov", "samples"};
    words.insert(words.end(), more.begin(), more.end());
    return small_render(output, words);
}

nlohmann::json stats_of(const std::string& file) {
    return nlohmann::json::parse(film::bytes_of(file));
}

}  // namespace

TEST_SUITE("app/noise_threshold") {
    TEST_CASE("a render ends by its noise and says so in every form") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const Ended ended = check_ends(
            noise_render(picture, {"--stats", folder.file("a.json"), "--progress", "json"}),
            kExitDone);
        CHECK(says(ended, "stopped by --noise-threshold"));
        const nlohmann::json stats = stats_of(folder.file("a.json"));
        CHECK(stats["samples"]["stopped_by"] == "noise");
        CHECK(stats["samples"]["spp"] >= 16);
        CHECK(stats["noise"]["threshold"] == doctest::Approx(0.1));
        CHECK(stats["noise"]["most"] <= 0.1F);
        CHECK(stats["noise"]["mean"] < stats["noise"]["most"]);
        const base::Result<film::SavedFilm> saved = film::read_saved_film(picture);
        REQUIRE(saved.is_ok());
        const film::Film& film = saved.value().film;
        const film::Region crop = film.crop();
        CHECK(stats["noise"]["samples_saved"].get<u64>() + stats["samples"]["total"].get<u64>() ==
              u64{4096} * crop.width() * crop.height());
        // The layer of counts shows what the film holds; the film has the halves.
        REQUIRE(film.aovs().size() == 7);
        CHECK(film.aovs()[5].aov == film::Aov::Samples);
        CHECK(film.aovs()[6].aov == film::Aov::Noise);
        CHECK(film.sample_count(crop.x0, crop.y0) % 8 == 0);
    }

    TEST_CASE("a film that its noise ended is merged without a warning and keeps its threshold") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string merged = folder.file("merged.exr");
        const auto threshold_of = [](const std::string& path) {
            return film::stated_attribute(path, film::kNoiseThresholdName).value();
        };
        check_ends(noise_render(picture, {}), kExitDone);
        CHECK(threshold_of(picture) == "0.1");
        CHECK_FALSE(says(check_ends({"merge", merged, picture}, kExitDone), "missing"));
        CHECK(threshold_of(merged) == "0.1");
        // One that the time limit ended has blocks above its threshold.
        check_ends(noise_render(picture, {"--time-limit", "0.05", "--noise-threshold", "0.00001"}),
                   kExitDone);
        CHECK(says(check_ends({"merge", merged, picture}, kExitDone), "missing"));
    }

    TEST_CASE("without --spp a render with a threshold has 4096 samples at most") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const Ended planned = check_ends(
            {"render", "cornell", "--width", "40", "-n", "--noise-threshold", "0.1", "-o", picture},
            kExitDone);
        CHECK(planned.out.find("4096 samples per pixel") != std::string::npos);
    }

    TEST_CASE("--spp and --time-limit end it first where they are met first") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const Ended few = check_ends(noise_render(picture, {"--spp", "8"}), kExitDone);
        CHECK(says(few, "stopped by --spp"));
        // Some blocks have ended by their noise, others have all samples and are above it.
        const Ended most = check_ends(
            noise_render(picture, {"--spp", "20", "--stats", folder.file("a.json")}), kExitDone);
        CHECK(says(most, "stopped by --spp"));
        const nlohmann::json stats = stats_of(folder.file("a.json"));
        CHECK(stats["samples"]["stopped_by"] == "samples");
        CHECK(stats["noise"]["samples_saved"] > 0);
        CHECK(stats["noise"]["most"] > 0.1F);
        const Ended hasty = check_ends(
            noise_render(picture, {"--time-limit", "0.05", "--noise-threshold", "0.00001"}),
            kExitDone);
        CHECK(says(hasty, "stopped by --time-limit"));
    }

    TEST_CASE(
        "a render that is killed or ended early and resumed has the film of one that is not") {
        const TestFolder folder;
        const std::string whole = folder.file("whole.exr");
        const Words most = {"--spp", "1024", "--noise-threshold", "0.02"};
        check_ends(noise_render(whole, most), kExitDone);
        const std::string picture = folder.file("a.exr");
        Words saving = most;
        saving.insert(saving.end(), {"--resume", "--checkpoint-interval", "0.001", "-v"});
        u32 killed = 0;
        for (u32 round = 0; round < 3; ++round) {
            WeftProcess process(noise_render(picture, saving));
            if (process.wait_until([](const std::string& err) {
                    return err.find("checkpoint: rendering waited") != std::string::npos;
                })) {
                process.send(SIGKILL);
            }
            killed += process.wait().signal_number == SIGKILL ? 1U : 0U;
        }
        CHECK(killed > 0);
        check_ends(noise_render(picture, saving), kExitDone);
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        // A finished one with fewer samples, or with a higher threshold, goes on.
        for (const Words& first : {Words{"--spp", "20", "--noise-threshold", "0.02"},
                                   Words{"--spp", "1024", "--noise-threshold", "0.1"}}) {
            const std::string other = folder.file("b.exr");
            Words begin = first;
            begin.emplace_back("--checkpoint");
            check_ends(noise_render(other, begin), kExitDone);
            CHECK(hashes_of_file(other) != hashes_of_file(whole));
            check_ends(noise_render(other, saving), kExitDone);
            CHECK(hashes_of_file(other) == hashes_of_file(whole));
        }
    }

    TEST_CASE("a checkpoint without the noise does not go on with a threshold, and says why") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        check_ends(small_render(picture, {"--resume"}), kExitDone);
        const Words more = {"--resume", "--noise-threshold", "0.1"};
        CHECK(says(check_ends(small_render(picture, more), kExitScene),
                   "noise here; --noise-threshold adds the AOV noise)"));
    }

    TEST_CASE("parts of a render have no noise of their own and bad thresholds are refused") {
        const TestFolder folder;
        for (const auto& [more, sentence] :
             {std::pair<Words, std::string>{{"--slice", "1/2"},
                                            "--noise-threshold and --slice exclude each other"},
              {{"--shutter", "0.5", "--frames", "1", "-o", folder.file("#.exr")},
               "--noise-threshold and --shutter exclude each other"},
              {{"--noise-threshold", "0"}, "--noise-threshold"},
              {{"--noise-threshold", "-1"}, "--noise-threshold"},
              {{"--noise-threshold", "nan"}, "--noise-threshold"},
              {{"--noise-threshold", "low"}, "--noise-threshold"}}) {
            CAPTURE(sentence);
            const Ended ended = check_ends(noise_render(folder.file("a.exr"), more), kExitUsage);
            CHECK(says(ended, sentence));
        }
        CHECK(folder.files().empty());
    }
}

}  // namespace weft::app::testing
