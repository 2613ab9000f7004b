// test_scene_loader.cpp — scenes opened on a background thread, cancelled and superseded.
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/command/edit_file.h"
#include "app/view/session/scene_loader.h"
#include "tests/rest.h"

using namespace weft;
using namespace weft::app;

namespace {

RenderOptions options_of(const std::string& scene) {
    RenderOptions options;
    options.scenes = {scene};
    return options;
}

// Waits until the thread of the cancelled import has ended.
void wait_for_end(SceneLoader& loader) {
    do {
        CHECK_FALSE(loader.poll().has_value());
        tests::rest();
    } while (loader.is_ending());
}

base::Result<LoadedScene> wait_for_scene(SceneLoader& loader) {
    for (;;) {
        auto outcome = loader.poll();
        if (outcome) {
            return std::move(*outcome);
        }
        tests::rest();
    }
}

// The Cornell box in its own folder, with a file of edits beside it.
struct OwnScene {
    std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                   ("weft_test_scene_loader_" + std::to_string(getpid()));
    std::string scene = (folder / "scene" / "cornell.gltf").string();
    std::string edits = scene + ".weft-edits.json";

    explicit OwnScene(const std::string& text) {
        std::filesystem::create_directories(folder / "scene");
        std::filesystem::copy(WEFT_SOURCE_DIR "/scenes/cornell.gltf",
                              scene,
                              std::filesystem::copy_options::overwrite_existing);
        std::ofstream(edits) << text;
    }

    ~OwnScene() { std::filesystem::remove_all(folder); }

    OwnScene(const OwnScene&) = delete;
    OwnScene& operator=(const OwnScene&) = delete;
};

std::string edits_of(const std::string& list) {
    return R"({"weft_edits": 1, "edits": [)" + list + "]}";
}

}  // namespace

TEST_SUITE("app/view/scene_loader") {
    TEST_CASE("an invalid file of edits beside the scene is set aside and the scene opens") {
        for (const std::string& text :
             {edits_of(R"({"path": "view/exposure", "value": 1e999})"),
              edits_of(R"({"path": "view/exposure", "value": )" + std::string(100000, '[') +
                       std::string(100000, ']') + "}"),
              std::string("{"),
              std::string("[]")}) {
            const OwnScene own(text);
            SceneLoader loader;
            loader.start(options_of(own.scene));
            const auto loaded = wait_for_scene(loader);
            REQUIRE(loaded.is_ok());
            CHECK(loaded.value().edits_file.empty());
            CHECK(loaded.value().unread_because.find(own.edits + ".old") != std::string::npos);
            CHECK_FALSE(std::filesystem::exists(own.edits));
            CHECK(std::filesystem::file_size(own.edits + ".old") == text.size());
        }
    }

    TEST_CASE(
        "edits beside the scene read pictures of its folder and those that the person chose") {
        const std::string picture =
            (std::filesystem::temp_directory_path() /
             ("weft_test_scene_loader_" + std::to_string(getpid()) + ".hdr"))
                .string();
        std::ofstream(picture) << "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n@@@\x81";
        const OwnScene own(edits_of(R"({"path": "environment/file", "value": ")" + picture +
                                    R"("}, {"path": "view/exposure", "value": 1})"));
        const auto unread = [&](const RenderOptions& options,
                                const std::vector<std::string>& chosen) {
            SceneLoader loader;
            loader.start(options, chosen);
            const auto loaded = wait_for_scene(loader);
            REQUIRE(loaded.is_ok());
            CHECK(loaded.value().document.context().exposure_stops == 1);
            CHECK(!loaded.value().document.context().may_open);
            return loaded.value().unread_because;
        };
        const RenderOptions plain = options_of(own.scene);
        CHECK(unread(plain, {}).find("--asset-root") != std::string::npos);
        CHECK(unread(plain, {"/etc/passwd"}).find("--asset-root") != std::string::npos);
        CHECK(unread(plain, {picture}).find("--asset-root") == std::string::npos);
        RenderOptions allowing = plain;
        allowing.asset_roots = {"/"};
        CHECK(unread(allowing, {}).find("--asset-root") == std::string::npos);
        RenderOptions named = plain;
        named.edits_file = own.edits;
        CHECK(unread(named, {}).find("--asset-root") == std::string::npos);
        std::filesystem::remove(picture);
    }

    TEST_CASE("edits of one scene are not those of several that are opened with it") {
        const OwnScene own(edits_of(R"({"path": "view/exposure", "value": 1})"));
        const auto exposure = [](const RenderOptions& options) {
            SceneLoader loader;
            loader.start(options);
            const auto loaded = wait_for_scene(loader);
            REQUIRE(loaded.is_ok());
            CHECK(loaded.value().unread_because.empty());
            return loaded.value().document.context().exposure_stops;
        };
        RenderOptions both = options_of(own.scene);
        both.scenes.push_back("procedural:spheres:500");
        CHECK(exposure(options_of(own.scene)) == 1);
        CHECK(exposure(both) == 0);
        std::ofstream(default_edit_file(both.scenes))
            << edits_of(R"({"path": "view/exposure", "value": 2})");
        CHECK(exposure(both) == 2);
    }

    TEST_CASE("a cancelled import stops early and its thread ends") {
        SceneLoader loader;
        // On a busy machine an import may finish before it sees the cancel, but not ten in a row.
        for (int attempt = 0; attempt < 10 && loader.stopped_count() == 0; ++attempt) {
            loader.start(options_of("procedural:rubble:10M"));
            CHECK(loader.is_loading());
            loader.cancel();
            CHECK_FALSE(loader.is_loading());
            CHECK(loader.is_ending());
            wait_for_end(loader);
        }
        CHECK(loader.stopped_count() >= 1);
    }

    TEST_CASE("of two requested scenes the last one comes") {
        SceneLoader loader;
        loader.start(options_of("procedural:rubble:10M"));
        loader.start(options_of("procedural:spheres:500"));
        const auto scene = wait_for_scene(loader);
        REQUIRE(scene.is_ok());
        CHECK(scene.value().options.scenes.front() == "procedural:spheres:500");
        CHECK(scene::scene_size(scene.value().document.scene()).triangles == 500);
        while (loader.is_ending()) {
            CHECK_FALSE(loader.poll().has_value());
            tests::rest();
        }
    }

    TEST_CASE("an unreadable file gives an error and does not count as cancelled") {
        SceneLoader loader;
        loader.start(options_of("procedural:gravel"));
        const auto scene = wait_for_scene(loader);
        REQUIRE_FALSE(scene.is_ok());
        CHECK(scene.error().sentence.find("gravel") != std::string::npos);
        CHECK(loader.stopped_count() == 0);
    }
}
