// test_scene_lists.cpp — a scene recorded as command lists: the result of executing them, the
// inherited state, and the effect of each slot on the picture.
#include <cstring>
#include <set>

#include <doctest/doctest.h>

#include "engine/frame/frame_vocabulary.h"
#include "scheduler/base/trace_log.h"
#include "tests/engine/frame/layered_scene.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft;
using namespace weft::frame;
using tests::film_hash_of;
using tests::is_drawn_alike;
using tests::kTwoPlanes;
using tests::layered_scene;
using tests::must_draw;
using tests::must_record;
using tests::rendered;

RenderSettings list_settings() {
    RenderSettings settings;
    settings.width = 40;
    settings.height = 32;
    settings.samples_per_pixel = 2;
    settings.thread_count = 1;
    settings.integrator.path_count = 1024;
    settings.integrator.trace_batch = 1024;
    return settings;
}

}  // namespace

TEST_SUITE("engine/frame/scene_lists") {
    TEST_CASE("C8 executing a scene's lists gives back its materials and slots and instances") {
        const scene::Scene scene = layered_scene();
        const DrawnScene drawn = must_draw(must_record(scene));
        CHECK(drawn.figures.submitted.draws == scene.instances.size() + 1);  // and the environment
        CHECK(drawn.figures.submitted.draws_skipped == 0);
        CHECK(drawn.tables.environment_is_visible);
        CHECK(tests::has_same_rows(drawn.tables.slots, scene.slots.items()));
        REQUIRE(drawn.tables.materials.size() == scene.materials.size());
        for (std::size_t k = 0; k < scene.materials.size(); ++k) {
            CHECK(std::memcmp(&drawn.tables.materials[k],
                              &scene.materials[k].record,
                              sizeof(shaders::MaterialRecord)) == 0);
        }
        for (std::size_t k = 0; k < scene.instances.size(); ++k) {
            CHECK(drawn.tables.is_visible[k]);
            CHECK(drawn.tables.instance_materials[k] == scene.instances[k].material);
            CHECK(drawn.tables.cut_by[k] == 0);
        }
    }

    TEST_CASE("C1 C9 group size and number of recording threads change nothing that is drawn") {
        const scene::Scene scene = layered_scene();
        const SceneLook look = {{"part 3"}, kTwoPlanes, true};
        const DrawnScene expected = must_draw(must_record(scene, {1, 256}), look);
        for (const u32 threads : {1U, 2U, 5U}) {
            for (const u32 group_size : {1U, 3U, 7U}) {
                CAPTURE(threads);
                CAPTURE(group_size);
                const auto lists = must_record(scene, {threads, group_size});
                CHECK(is_drawn_alike(must_draw(lists, look), expected));
            }
        }
    }

    TEST_CASE("C1 a trace names the threads that recorded") {
        const scene::Scene scene = layered_scene();
        base::start_trace();
        REQUIRE(SceneLists::record(scene, {.thread_count = 3, .group_size = 5}).is_ok());
        base::stop_trace();
        std::set<std::string> recorders;
        for (const base::TracedThread& thread : base::read_trace(0)) {
            recorders.insert(thread.name);
        }
        CHECK(recorders.size() == 3);
        CHECK(recorders.count("recorder 1") == 1);
        CHECK(recorders.count("recorder 2") == 1);
    }

    TEST_CASE("C2 C3 one recording submitted under other planes and layers gives each its own") {
        const scene::Scene scene = layered_scene();
        const auto lists = must_record(scene, {2, 5});
        const DrawnScene cut = must_draw(lists, {{}, kTwoPlanes, true});
        const DrawnScene hidden = must_draw(lists, {{"pebbles", "part 1"}, {}, false});
        const DrawnScene again = must_draw(lists, {{}, kTwoPlanes, true});
        CHECK(is_drawn_alike(cut, again));
        CHECK(cut.figures.submitted.patches > 0);
        CHECK(hidden.figures.submitted.draws_skipped == scene.instances.size() - 5);
        CHECK_FALSE(hidden.tables.environment_is_visible);
        for (std::size_t k = 0; k < scene.instances.size(); ++k) {
            CHECK(cut.tables.cut_by[k] == (0b11 & scene.instances[k].clip_planes));
            CHECK(cut.is_flagged[k]);
            CHECK(hidden.tables.cut_by[k] == 0);
            CHECK(hidden.tables.is_visible[k] == (k < 6 && k != 1));
        }
    }

    TEST_CASE("C4d predicates hide layers and pictures are those of scenes without them") {
        scene::Scene scene = layered_scene();
        const std::string whole = film_hash_of(scene, list_settings());
        const std::string hidden = film_hash_of(scene, list_settings(), {"pebbles"});
        CHECK(whole != hidden);
        scene.instances.resize(6);
        CHECK(film_hash_of(scene, list_settings()) == hidden);
    }

    TEST_CASE("a layer that the scene does not have is an error") {
        const scene::Scene scene = layered_scene();
        const auto drawn = draw_scene(must_record(scene), {{"roof"}, {}, true});
        CHECK_FALSE(drawn.is_ok());
        CHECK(drawn.error().sentence == "--hide roof: no node of the scene has this name");
    }

    TEST_CASE("more clip planes than there are bits are an error") {
        const scene::Scene scene = layered_scene();
        const std::vector<shaders::ClipPlane> nine(9, {{1, 0, 0}, 0});
        const auto drawn = draw_scene(must_record(scene), {{}, nine, true});
        CHECK_FALSE(drawn.is_ok());
        CHECK(drawn.error().sentence == "--clip-plane: there may be 8; found 9");
    }

    TEST_CASE("C9 threads that record do not change a bit of the picture") {
        const scene::Scene scene = layered_scene();
        RenderSettings settings = list_settings();
        settings.clip_planes = kTwoPlanes;
        std::set<std::string> hashes;
        for (const u32 threads : {1U, 2U, 5U}) {
            settings.thread_count = threads;
            hashes.insert(film_hash_of(scene, settings));
        }
        CHECK(hashes.size() == 1);
    }

    TEST_CASE("C7 every slot that lists set changes the picture") {
        using Change = void (*)(scene::Scene&, RenderSettings&);

        struct Row {
            const char* slot;
            Change change;
        };

        const std::vector<Row> rows = {
            {"ray routine",
             [](scene::Scene& s, RenderSettings&) { s.cameras[0].is_orthographic = true; }},
            {"ray constants",
             [](scene::Scene& s, RenderSettings&) { s.cameras[0].to_world[3] += 0.1F; }},
            {"ray samples", [](scene::Scene&, RenderSettings& r) { r.samples_per_pixel = 3; }},
            {"hit routine",
             [](scene::Scene& s, RenderSettings&) {
                 s.materials[s.instances[3].material].record.flags |= shaders::kMaterialUnlit;
             }},
            {"hit constants",
             [](scene::Scene& s, RenderSettings&) { s.instances[3].material = 1; }},
            {"hit textures", [](scene::Scene& s, RenderSettings&) { s.slots[0].texture = 1; }},
            {"hit samplers", [](scene::Scene& s, RenderSettings&) { s.slots[0].is_nearest = 1; }},
            {"miss routine",
             [](scene::Scene& s, RenderSettings& r) {
                 s.instances.own().erase(s.instances.own().begin());
                 r.is_film_transparent = true;
             }},
            {"clip planes", [](scene::Scene&, RenderSettings& r) { r.clip_planes = kTwoPlanes; }}};
        const scene::Scene scene = layered_scene();
        std::set<std::string> hashes = {film_hash_of(scene, list_settings())};
        for (const Row& row : rows) {
            CAPTURE(row.slot);
            scene::Scene changed = scene;
            RenderSettings settings = list_settings();
            row.change(changed, settings);
            CHECK(hashes.insert(film_hash_of(changed, settings)).second);
        }
    }

    TEST_CASE("C7 auxiliary targets are written where the frame's list has them") {
        const scene::Scene scene = layered_scene();
        RenderSettings settings = list_settings();
        settings.aovs = {film::Aov::Depth};
        const auto renderer = rendered(scene, settings);
        float depth_m = 0;
        renderer->film().aov_pixel(0, 20, 16, &depth_m);
        CHECK(depth_m > 1);
        CHECK(depth_m < 7);
        CHECK(renderer->figures().commands.submitted.patches > 0);
    }
}
