// test_checkpoints.cpp — `--checkpoint` and `--resume`: a render that was killed, stopped or
// extended ends with the film of one that was not; and bad disks lose no checkpoint.
//
// No test sleeps: messages show that a checkpoint is being written.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include <doctest/doctest.h>

#include "engine/trace/sample_version.h"
#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

std::size_t count_of(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++count;
    }
    return count;
}

// A render that saves checkpoints as often as it can and says so.
Words saving_render(const std::string& output, const Words& more = {}) {
    Words words = {"--keep-film", "--resume", "--checkpoint-interval", "0.001", "-v"};
    words.insert(words.end(), more.begin(), more.end());
    return small_render(output, words);
}

// Ends the process by a signal after `checkpoints` of them have begun.
Ended signalled(const Words& words, u32 checkpoints, int signal_number) {
    WeftProcess process(words);
    process.wait_until([&](const std::string& err) {
        return count_of(err, "checkpoint: rendering waited") >= checkpoints;
    });
    process.send(signal_number);
    return process.wait();
}

const Words kMany = {"--spp", "1200"};

}  // namespace

TEST_SUITE("app/checkpoints") {
    TEST_CASE("a render that is killed again and again gives the film of one that is not") {
        const TestFolder folder;
        const std::string whole = folder.file("whole.exr");
        check_ends(small_render(whole, {"--keep-film", "--spp", "1200"}), kExitDone);
        const std::string picture = folder.file("a.exr");
        u32 killed = 0;
        for (const u32 checkpoints : {1U, 3U, 1U, 2U}) {
            const Ended ended = signalled(saving_render(picture, kMany), checkpoints, SIGKILL);
            killed += ended.signal_number == SIGKILL ? 1U : 0U;
            CHECK(!std::filesystem::exists(picture));
        }
        CHECK(killed == 4);
        // What a killed process was writing is removed by the next.
        film::put_bytes(picture + ".checkpoint.part-1-0", "half");
        const Ended ended = check_ends(saving_render(picture, kMany), kExitDone);
        CHECK(says(ended, "continues from"));
        CHECK(folder.files() == std::vector<std::string>{"a.exr", "a.exr.checkpoint", "whole.exr"});
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        CHECK(hashes_of_file(picture + ".checkpoint") == hashes_of_file(whole));
    }

    TEST_CASE("SIGINT saves picture and checkpoint and the resumed render is whole") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        for (const int signal_number : {SIGINT, SIGTERM}) {
            const Ended ended = signalled(saving_render(picture, kMany), 1, signal_number);
            CHECK(ended.exit_code == kExitSignal);
            CHECK(says(ended, "stopped by a signal"));
            CHECK(hashes_of_file(picture) == hashes_of_file(picture + ".checkpoint"));
        }
        check_ends(saving_render(picture, kMany), kExitDone);
        const std::string whole = folder.file("whole.exr");
        check_ends(small_render(whole, {"--keep-film", "--spp", "1200"}), kExitDone);
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
    }

    TEST_CASE("resuming extends a finished render and a slice and one that ran out of time") {
        const TestFolder folder;
        const std::string whole = folder.file("whole.exr");
        check_ends(small_render(whole, {"--keep-film"}), kExitDone);
        const std::string picture = folder.file("a.exr");
        check_ends(saving_render(picture, {"--spp", "5"}), kExitDone);
        check_ends(saving_render(picture, {"--spp", "12", "-t", "1", "--device", "egpu"}),
                   kExitDone);
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        // Nothing is left to do.
        const Ended again = check_ends(saving_render(picture), kExitDone);
        CHECK(says(again, "with 12 of 12 samples per pixel"));
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));

        const std::string slice = folder.file("slice.exr");
        const std::string same = folder.file("same.exr");
        const Words second = {"--spp", "2400", "--slice", "2/2"};
        check_ends(small_render(same, second), kExitDone);
        CHECK(signalled(saving_render(slice, second), 2, SIGKILL).signal_number == SIGKILL);
        check_ends(saving_render(slice, second), kExitDone);
        CHECK(hashes_of_file(slice) == hashes_of_file(same));

        const std::string hasty = folder.file("hasty.exr");
        const Words limit = {"--time-limit", "0.05", "--stats", folder.file("a.json")};
        Words endless = limit;
        endless.insert(endless.end(), {"--spp", "1000000"});
        const Ended ended = check_ends(saving_render(hasty, endless), kExitDone);
        CHECK(says(ended, "stopped by --time-limit"));
        const auto stats = nlohmann::json::parse(film::bytes_of(folder.file("a.json")));
        CHECK(stats["samples"]["stopped_by"] == "time_limit");
        const base::Result<film::SavedFilm> saved = film::read_saved_film(hasty + ".checkpoint");
        REQUIRE(saved.is_ok());
        const std::string most = std::to_string(saved.value().record.ranges[0].reach + 3);
        const Ended rest = check_ends(saving_render(hasty, {"--spp", most}), kExitDone);
        CHECK(says(rest, "stopped by --spp"));
        check_ends(small_render(whole, {"--keep-film", "--spp", most}), kExitDone);
        CHECK(hashes_of_file(hasty) == hashes_of_file(whole));
    }

    TEST_CASE(
        "a pilot is rendered after the checkpoint is read and only where samples are missing") {
        const TestFolder folder;
        const std::string whole = folder.file("whole.exr");
        const std::string picture = folder.file("a.exr");
        const Words guided = {"--guiding", "on", "--stats", folder.file("a.json")};
        const auto with = [&](Words words) {
            words.insert(words.end(), guided.begin(), guided.end());
            return words;
        };
        const auto had_pilot = [&] {
            const auto stats = nlohmann::json::parse(film::bytes_of(folder.file("a.json")));
            return stats["times"]["pilot_s"] > 0;
        };
        check_ends(small_render(whole, with({"--keep-film"})), kExitDone);
        CHECK(had_pilot());
        check_ends(saving_render(picture, with({"--spp", "5"})), kExitDone);
        check_ends(saving_render(picture, with({})), kExitDone);
        CHECK(had_pilot());
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        // Nothing is left to do.
        check_ends(saving_render(picture, with({})), kExitDone);
        CHECK(!had_pilot());
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        // A checkpoint of another picture is refused first.
        const Ended refused = check_ends(saving_render(picture, with({"--seed", "1"})), kExitScene);
        CHECK(says(refused, "seed is 0 there and 1 here"));
        CHECK(!says(refused, "a pilot learns where light comes from"));
        // A render that its noise ended lacks nothing either.
        const std::string quiet = folder.file("quiet.exr");
        const Words by_noise = with({"--noise-threshold", "2", "--spp", "64"});
        check_ends(saving_render(quiet, by_noise), kExitDone);
        CHECK(had_pilot());
        const std::string hashes = hashes_of_file(quiet);
        const Ended again = check_ends(saving_render(quiet, by_noise), kExitDone);
        CHECK(says(again, "with 16 of 64 samples per pixel"));
        CHECK(!had_pilot());
        CHECK(hashes_of_file(quiet) == hashes);
    }

    TEST_CASE("no-clobber with resume keeps finished pictures and continues the others") {
        const TestFolder folder;
        for (const std::string ending : {"exr", "png"}) {
            CAPTURE(ending);
            const std::string picture = folder.file("a." + ending);
            const std::string whole = folder.file("whole." + ending);
            const Words usual = {"render", "cornell", "--width", "40", "-t", "2", "--spp", "1200"};
            Words words = usual;
            words.insert(words.end(), {"-o", whole});
            check_ends(words, kExitDone);
            words = usual;
            words.insert(words.end(), {"-o", picture, "--resume", "-u", "-v"});
            Words saving = words;
            saving.insert(saving.end(), {"--checkpoint-interval", "0.001"});
            CHECK(signalled(saving, 1, SIGTERM).exit_code == kExitSignal);
            // The first checkpoint of this one is that of its snapshot.
            WeftProcess process(words);
            REQUIRE(process.wait_until([](const std::string& err) {
                return err.find("continues from") != std::string::npos;
            }));
            process.send(SIGUSR1);
            const bool has_snapshot = process.wait_until([](const std::string& err) {
                return err.find("snapshot of") != std::string::npos;
            });
            process.send(SIGKILL);
            CHECK(process.wait().signal_number == SIGKILL);
            CHECK(has_snapshot);
            CHECK(says(check_ends(words, kExitDone), "continues from"));
            CHECK(run_weft({"compare", picture, whole, "--metric", "rmse"}).out == "rmse 0\n");
            const auto written = std::filesystem::last_write_time(picture);
            CHECK(says(check_ends(words, kExitDone), picture + " exists and is kept"));
            CHECK(std::filesystem::last_write_time(picture) == written);
            // A kill after the last checkpoint leaves the picture of an earlier one.
            std::filesystem::last_write_time(picture, written - std::chrono::seconds(60));
            CHECK(says(check_ends(words, kExitDone), "continues from"));
            CHECK(says(check_ends(words, kExitDone), "is kept"));
        }
    }

    TEST_CASE("a snapshot without a checkpoint at an interval is no finished picture") {
        const TestFolder folder;
        const Words words =
            small_render(folder.file("a.exr"), {"--spp", "20000", "--resume", "-u"});
        Words watched = words;
        watched.insert(watched.end(), {"--progress", "json"});
        WeftProcess process(watched);
        REQUIRE(process.wait_until(has_samples));
        process.send(SIGUSR1);
        REQUIRE(process.wait_until(
            [](const std::string& err) { return err.find("snapshot of") != std::string::npos; }));
        process.send(SIGKILL);
        CHECK(process.wait().signal_number == SIGKILL);
        CHECK(folder.files() == std::vector<std::string>{"a.exr", "a.exr.checkpoint"});
        Words rest = words;
        rest.insert(rest.end(), {"--time-limit", "0.1"});
        CHECK(says(check_ends(rest, kExitDone), "continues from"));
    }

    TEST_CASE("any stop rule finishes a picture for no-clobber until the line asks for more") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const auto render = [&](const Words& more, int exit_code = kExitDone) {
            Words words = small_render(picture, {"--resume", "-u"});
            words.insert(words.end(), more.begin(), more.end());
            return check_ends(words, exit_code);
        };
        const Words hasty = {"--spp", "1000000", "--time-limit", "0.05"};
        const Words noisy = {"--spp", "4096", "--noise-threshold", "0.2"};
        const Words finer = {"--spp", "4096", "--noise-threshold", "0.1"};
        for (const auto& [rules, more] :
             {std::pair<Words, Words>{{"--spp", "3"}, {"--spp", "4"}}, {noisy, finer}}) {
            render(rules);
            CHECK(says(render(rules), "is kept"));
            CHECK(says(render(more), "continues from"));
            CHECK(says(render(more), "is kept"));
            std::filesystem::remove(picture + ".checkpoint");
            std::filesystem::remove(picture);
        }
        render(hasty);
        CHECK(says(render(hasty), "is kept"));
        std::filesystem::remove(picture + ".checkpoint");
        CHECK(says(render({}), "is kept"));  // nothing tells that it would go on
        std::filesystem::remove(picture);
        // A picture whose denoiser failed is not the one that was asked for.
        const Words denoiser = {"--denoise-command", "false {color.pfm} {output.pfm}"};
        render(denoiser, kExitRender);
        CHECK(says(render(denoiser, kExitRender), "continues from"));
    }

    TEST_CASE("a checkpoint of another picture or with other samples or damage is left alone") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string checkpoint = picture + ".checkpoint";
        check_ends(saving_render(picture), kExitDone);
        const std::string whole = film::bytes_of(checkpoint);
        std::filesystem::remove(picture);
        const auto check_refused = [&](const Words& more, const std::string& sentence) {
            const std::string before = film::bytes_of(checkpoint);
            Words planned = more;
            planned.emplace_back("--dry-run");
            for (const Words& words : {more, planned}) {
                const Ended ended = check_ends(saving_render(picture, words), kExitScene);
                CHECK(says(ended, checkpoint + ": "));
                CHECK(says(ended, sentence));
                CHECK(film::bytes_of(checkpoint) == before);
            }
            CHECK(folder.files() == std::vector<std::string>{"a.exr.checkpoint"});
        };
        check_refused({"--seed", "3"}, "another picture (seed is 0 there and 3 here)");
        check_refused({"--regularize", "0.2"},
                      "roughness of regularisation is none there and 0.2 here");
        check_refused({"--set", "materials/white/roughness=0.3"}, "another set of materials");
        check_refused({"--spp", "11"}, "samples up to 12");
        check_refused({"--slice", "2/2", "--spp", "24"}, "other samples");
        const std::string here = std::to_string(trace::kSampleVersion);
        const std::string next = std::to_string(trace::kSampleVersion + 1);
        save_with_sample_version(checkpoint, checkpoint, trace::kSampleVersion + 1);
        check_refused({}, "(version of the samples is " + next + " there and " + here + " here)");
        save_with_sample_version(checkpoint, checkpoint, 0);
        check_refused({}, "(version of the samples is none there and " + here + " here)");
        for (const std::size_t at : {std::size_t{3}, std::size_t{70}, whole.size() / 2}) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ 4);
            film::put_bytes(checkpoint, bytes);
            check_refused({}, "damaged");
            film::put_bytes(checkpoint, whole.substr(0, at));
            check_refused({}, "expected");
        }
        // Without --resume no file that is no checkpoint is replaced.
        film::put_bytes(checkpoint, "my thesis");
        check_ends(small_render(picture, {"--checkpoint=" + checkpoint}), kExitOutput);
        CHECK(film::bytes_of(checkpoint) == "my thesis");
    }

    TEST_CASE("a dry run reads the checkpoint and changes no file") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string checkpoint = picture + ".checkpoint";
        check_ends(saving_render(picture, {"--spp", "5"}), kExitDone);
        const std::string before = film::bytes_of(checkpoint);
        const std::string half = checkpoint + ".part-1-0";
        film::put_bytes(half, "half");
        const Ended ended = check_ends(saving_render(picture, {"--dry-run"}), kExitDone);
        CHECK(says(ended, "with 5 of 12 samples per pixel"));
        CHECK(film::bytes_of(checkpoint) == before);
        CHECK(std::filesystem::exists(half));
        Words without = {"render", "cornell", "--width", "40", "--dry-run"};
        without.push_back("--checkpoint=" + checkpoint);
        CHECK(says(check_ends(without, kExitDone), "will be replaced"));
        CHECK(film::bytes_of(checkpoint) == before);
    }

    TEST_CASE("a checkpoint has a name of its own and merges as a picture does") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        const std::string checkpoint = folder.file("a.save");
        check_ends({"render",
                    "cornell",
                    "--width",
                    "24",
                    "--spp",
                    "4",
                    "-o",
                    picture,
                    "-q",
                    "--checkpoint=" + checkpoint},
                   kExitDone);
        CHECK(folder.files() == std::vector<std::string>{"a.png", "a.save"});
        check_ends({"merge", folder.file("b.png"), checkpoint}, kExitDone);
        CHECK(run_weft({"compare", picture, folder.file("b.png"), "--metric", "rmse"}).out ==
              "rmse 0\n");
        check_ends({"render", "cornell", "-o", picture, "--checkpoint-interval", "5"}, kExitUsage);
        check_ends({"render", "cornell", "-o", "-", "--checkpoint"}, kExitUsage);
        check_ends({"render", "cornell", "-o", picture, "--checkpoint=" + picture}, kExitUsage);
    }

    TEST_CASE("a full disk costs the new files alone and the old checkpoint stays good") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string checkpoint = picture + ".checkpoint";
        check_ends(saving_render(picture, {"--spp", "5"}), kExitDone);
        const std::string before = film::bytes_of(checkpoint);
        const std::string shown = film::bytes_of(picture);
        const Ended ended =
            WeftProcess(ShellScript{"ulimit -f 40; exec \"$@\""}, saving_render(picture)).wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitOutput);
        CHECK(says(ended, "cannot be written"));
        CHECK(film::bytes_of(checkpoint) == before);
        CHECK(film::bytes_of(picture) == shown);
        CHECK(folder.files() == std::vector<std::string>{"a.exr", "a.exr.checkpoint"});
        check_ends(saving_render(picture), kExitDone);
    }

    TEST_CASE("a folder that is not there or vanishes ends with 4 and leaves no half file") {
        const TestFolder folder;
        const std::string missing = folder.file("no/such/a.exr");
        const Ended ended = check_ends(small_render(missing, {"--checkpoint"}), kExitOutput);
        CHECK(says(ended, "cannot be written"));
        // The folder vanishes while the render runs.
        std::filesystem::create_directory(folder.file("net"));
        const std::string picture = folder.file("net/a.exr");
        Words words = saving_render(picture, {"--spp", "1000000"});
        WeftProcess process(words);
        REQUIRE(process.wait_until([](const std::string& err) {
            return err.find("checkpoint: rendering waited") != std::string::npos;
        }));
        std::filesystem::rename(folder.file("net"), folder.file("away"));
        process.send(SIGINT);
        const Ended lost = process.wait();
        INFO(lost.err);
        CHECK(lost.exit_code == kExitOutput);
        CHECK(says(lost, "cannot be written"));
        std::filesystem::rename(folder.file("away"), folder.file("net"));
        if (std::filesystem::exists(picture + ".checkpoint")) {
            CHECK(film::read_saved_film(picture + ".checkpoint").is_ok());
        }
    }

    TEST_CASE("a second process on one output is refused and the first one ends well") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        WeftProcess first(saving_render(picture, {"--spp", "1000000"}));
        REQUIRE(first.wait_until([](const std::string& err) {
            return err.find("checkpoint: rendering waited") != std::string::npos;
        }));
        const Ended second = check_ends(small_render(picture), kExitOutput);
        CHECK(says(second, "another weft is writing it"));
        CHECK(says(second, picture));
        const Ended merge = check_ends({"merge", picture, picture + ".checkpoint"}, kExitOutput);
        CHECK(says(merge, "another weft is writing it"));
        const Ended shared = check_ends(
            small_render(folder.file("b.exr"), {"--checkpoint=" + picture + ".checkpoint"}),
            kExitOutput);
        CHECK(says(shared, "another weft is writing it"));
        first.send(SIGINT);
        CHECK(first.wait().exit_code == kExitSignal);
        CHECK(is_verified(picture));
        CHECK(folder.files() == std::vector<std::string>{"a.exr", "a.exr.checkpoint"});
    }

    TEST_CASE("checkpoints and snapshots come as often as they are due until a signal ends them") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        WeftProcess process(saving_render(picture, {"--spp", "1000000"}));
        const auto has = [](const char* text, std::size_t times) {
            return [text, times](const std::string& err) { return count_of(err, text) >= times; };
        };
        // More than there are queues for the tasks of a render, and than there are tasks.
        REQUIRE(process.wait_until(has("checkpoint: rendering waited", 12)));
        for (const std::size_t snapshots : {1U, 2U, 3U}) {
            process.send(SIGUSR1);
            REQUIRE(process.wait_until(has("snapshot of", snapshots)));
            CHECK(is_verified(picture));
        }
        REQUIRE(process.wait_until(has("checkpoint: rendering waited", 24)));
        process.send(SIGTERM);
        CHECK(process.wait().exit_code == kExitSignal);
    }
}

}  // namespace weft::app::testing
