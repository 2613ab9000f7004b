// test_scene_loader.cpp — scenes opened on a thread of their own, cancelled and overtaken.
#include <thread>

#include <doctest/doctest.h>

#include "app/view/scene_loader.h"

using namespace weft;
using namespace weft::app;

namespace {

RenderOptions options_of(const std::string& scene) {
    RenderOptions options;
    options.scenes = {scene};
    return options;
}

// Until the thread of what was given up has ended.
void wait_for_end(SceneLoader& loader) {
    do {
        CHECK_FALSE(loader.poll().has_value());
        std::this_thread::yield();
    } while (loader.is_ending());
}

base::Result<LoadedScene> wait_for_scene(SceneLoader& loader) {
    for (;;) {
        auto outcome = loader.poll();
        if (outcome) {
            return std::move(*outcome);
        }
        std::this_thread::yield();
    }
}

}  // namespace

TEST_SUITE("app/view/scene_loader") {
    TEST_CASE("a cancelled import stops before it is whole and its thread ends") {
        SceneLoader loader;
        // One may be read before the cancel is seen, on a very busy machine; not one after another.
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

    TEST_CASE("a scene that overtakes another is the one that comes") {
        SceneLoader loader;
        loader.start(options_of("procedural:rubble:10M"));
        loader.start(options_of("procedural:spheres:500"));
        const auto scene = wait_for_scene(loader);
        REQUIRE(scene.is_ok());
        CHECK(scene.value().options.scenes.front() == "procedural:spheres:500");
        CHECK(scene::scene_size(scene.value().document.scene()).triangles == 500);
        while (loader.is_ending()) {
            CHECK_FALSE(loader.poll().has_value());
            std::this_thread::yield();
        }
    }

    TEST_CASE("a file that cannot be read says so and is no cancelled one") {
        SceneLoader loader;
        loader.start(options_of("procedural:gravel"));
        const auto scene = wait_for_scene(loader);
        REQUIRE_FALSE(scene.is_ok());
        CHECK(scene.error().sentence.find("gravel") != std::string::npos);
        CHECK(loader.stopped_count() == 0);
    }
}
