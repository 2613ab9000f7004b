// test_outside_scenes.cpp — renders scenes of other projects with the whole program: good scenes
// give a picture, broken scenes an error, and none a crash.
//
// The environment variable WEFT_SCENES names the folder; without it the cases are skipped. Two
// processes run at a time.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/skipped.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
namespace fs = std::filesystem;

constexpr const char* kNasty = "nasty-gltf";
constexpr u32 kProcesses = 2;

fs::path scenes_folder() {
    const char* named = std::getenv("WEFT_SCENES");
    return named != nullptr ? named : WEFT_SOURCE_DIR "/../shared/scenes";
}

bool is_scene(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".gltf" || extension == ".glb" || extension == ".obj" ||
           extension == ".ply";
}

// Returns the scene files below the folder: those of the subfolder of broken scenes, or all others.
std::vector<std::string> scenes(bool is_nasty) {
    std::vector<std::string> files;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(scenes_folder(), error)) {
        const std::string path = entry.path().string();
        if (is_scene(entry.path()) && (path.find(kNasty) != std::string::npos) == is_nasty) {
            files.push_back(path);
        }
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        tests::skip_for_lack_of("scenes below " + scenes_folder().string(), tests::Source::Person);
    }
    return files;
}

// Renders each file at 64×64 with one sample per pixel. Returns the complaints of `verdict`, with
// the program's output.
std::vector<std::string> complaints_about(
    const std::vector<std::string>& files,
    const std::function<std::string(const std::string&, const Ended&)>& verdict) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::vector<std::string> complaints;
    const auto work = [&] {
        const TestFolder folder;
        // relaxed: the increment alone makes each index unique.
        for (std::size_t k = next.fetch_add(1, std::memory_order_relaxed); k < files.size();
             k = next.fetch_add(1, std::memory_order_relaxed)) {
            const Ended ended = run_weft({"render",
                                          files[k],
                                          "--width",
                                          "64",
                                          "--height",
                                          "64",
                                          "--spp",
                                          "1",
                                          "-t",
                                          "1",
                                          "--progress",
                                          "none",
                                          "-o",
                                          folder.file("picture.png")});
            const std::string complaint = verdict(files[k], ended);
            if (!complaint.empty()) {
                const std::lock_guard lock(mutex);
                complaints.push_back(files[k] + ": " + complaint + " (exit code " +
                                     std::to_string(ended.exit_code) + ", signal " +
                                     std::to_string(ended.signal_number) + ")\n" + ended.err);
            }
        }
    };
    {
        std::vector<std::jthread> workers;
        for (u32 k = 0; k < kProcesses; ++k) {
            workers.emplace_back(work);
        }
    }
    return complaints;
}

void check_none(const std::vector<std::string>& complaints) {
    for (const std::string& complaint : complaints) {
        FAIL_CHECK(complaint);
    }
}

}  // namespace

TEST_SUITE("app/outside_scenes") {
    TEST_CASE("every good outside scene gives a picture without an error") {
        const std::vector<std::string> files = scenes(false);
        check_none(complaints_about(files, [](const std::string&, const Ended& ended) {
            return ended.exit_code != kExitDone                          ? "no picture"
                   : ended.err.find("Error") != std::string::npos        ? "an error is told"
                   : ended.err.find("were dropped") != std::string::npos ? "a sample was dropped"
                                                                         : "";
        }));
        MESSAGE(files.size() << " good scenes rendered");
    }

    TEST_CASE("every broken outside scene gives a picture or one sentence that names it") {
        const std::vector<std::string> files = scenes(true);
        std::atomic<u32> refused{0};
        check_none(complaints_about(files, [&](const std::string& file, const Ended& ended) {
            if (ended.exit_code == kExitDone) {
                return "";
            }
            if (ended.exit_code != kExitScene) {
                return "neither a picture nor a refusal";
            }
            refused.fetch_add(1, std::memory_order_relaxed);  // a sum, read after the threads end
            const std::string name = fs::path(file).filename().string();
            return lines_of(ended.err).size() != 1             ? "not one sentence"
                   : ended.err.find(name) == std::string::npos ? "the file is not named"
                                                               : "";
        }));
        MESSAGE(refused.load() << " of " << files.size() << " broken scenes refused");
        CHECK((files.empty() || refused.load() > files.size() / 10));
    }

    TEST_CASE("instances of a small mesh need far less memory than copies") {
        const fs::path scene =
            scenes_folder() / "gltf-extension-zoo/24_gpu_instancing/24_gpu_instancing.gltf";
        if (!fs::exists(scene)) {
            tests::skip_for_lack_of(scene.string(), tests::Source::Person);
            return;
        }
        const TestFolder folder;
        const Ended ended = run_weft({"render",
                                      scene.string(),
                                      "--width",
                                      "64",
                                      "--spp",
                                      "1",
                                      "-q",
                                      "-o",
                                      folder.file("a.png"),
                                      "--stats",
                                      folder.file("a.json")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        const auto stats = nlohmann::json::parse(film::bytes_of(folder.file("a.json")));
        CHECK(stats.at("scene").at("triangles") == 7'656'770);
        CHECK(stats.at("scene").at("unique_triangles") == 4034);
        // A copied triangle needs at least three positions of 12 bytes.
        const u64 copied_bytes = u64{7'656'770} * 36;
        CHECK(stats.at("scene").at("bytes") < copied_bytes / 50);
        CHECK(stats.at("memory").at("structure_bytes") < copied_bytes / 50);
        CHECK(stats.at("peak_rss_bytes") < copied_bytes);
    }
}

}  // namespace weft::app::testing
