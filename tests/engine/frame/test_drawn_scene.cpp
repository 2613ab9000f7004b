// test_drawn_scene.cpp — scenes that are edited: which lists are recorded anew and which groups
// executed, and that lists and results of the scene before give what recording and executing all of
// it anew would.
#include <algorithm>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "engine/frame/frame_vocabulary.h"
#include "engine/frame/renderer.h"
#include "engine/scene/edit/edit.h"
#include "engine/scene/model/scene_tree.h"
#include "tests/engine/frame/layered_scene.h"

namespace {

using namespace weft;
using namespace weft::frame;
using tests::is_drawn_alike;
using tests::kTwoPlanes;
using tests::layered_scene;
using tests::ListsPtr;
using tests::must_draw;
using tests::must_record;

constexpr SceneListsConfig kSmallGroups = {.thread_count = 2, .group_size = 5};

// A row of boxes, each a node of its own, that share materials in turn.
scene::Scene row_of_boxes(u32 count, u32 materials) {
    scene::Scene scene;
    for (u32 k = 0; k < materials; ++k) {
        tests::add_material(scene,
                            tests::plastic({0.1F * static_cast<float>(k), 0.5F, 0.5F}, 0.4F));
    }
    const u32 mesh =
        tests::add_mesh(scene, tests::box({0, 0, 0}, {1, 1, 1}, tests::Facing::Out), 0);
    for (u32 k = 0; k < count; ++k) {
        tests::add_instance(
            scene, mesh, tests::placed({1, 1, 1}, {2 * static_cast<float>(k), 0, 0}));
        scene.instances[k].material = k % materials;
    }
    return scene;
}

// A scene before an edit: what it was recorded and drawn as.
struct Before {
    ListsPtr lists;
    DrawnScene drawn;

    explicit Before(const scene::Scene& scene, const SceneLook& look = {})
        : lists(must_record(scene, kSmallGroups)), drawn(must_draw(lists, look)) {}

    // The drawing after an edit; checks that it is what a recording of its own gives.
    [[nodiscard]] DrawnScene after(const scene::Scene& scene, const SceneLook& look = {}) const {
        const ListsPtr next = must_record(scene, kSmallGroups, lists);
        DrawnScene made = must_draw(next, look, &drawn);
        CHECK(is_drawn_alike(made, must_draw(must_record(scene), look)));
        return made;
    }
};

u64 group_count(const DrawnScene& drawn) {
    return drawn.figures.executed + drawn.figures.taken_over;
}

// The state that a surface inherits and leaves: after these lists, from nothing.
command::RenderState state_after(const SceneLists& lists,
                                 const std::vector<command::ListPtr>& submitted) {
    const auto draw = [](const command::Call&) -> base::Status { return base::Done{}; };
    const auto patch = [](const command::Call&, command::CommandWriter&) -> base::Status {
        return base::Done{};
    };
    command::Submitter submitter(frame_vocabulary(), {{draw, draw, draw}, {patch, patch}});
    std::vector<u64> resources = lists.groups().bindings;
    resources[kLookPlanes] = 3;
    command::RenderState state(frame_vocabulary().shape);
    REQUIRE(submitter.submit(submitted, {resources, {}}, state).is_ok());
    return state;
}

}  // namespace

TEST_SUITE("engine/frame/drawn_scene") {
    TEST_CASE("C1 C3 hiding one of many objects records no list and executes one group") {
        const scene::Scene scene = row_of_boxes(100, 4);
        const Before before(scene);
        const DrawnScene hidden = before.after(scene, {{"node 40"}, {}, true});
        CHECK(hidden.lists == before.lists);
        CHECK(hidden.figures.recorded == 0);
        CHECK(hidden.figures.reused == before.drawn.figures.recorded);
        CHECK(hidden.figures.executed == 1);
        CHECK(group_count(hidden) == 20);
        CHECK_FALSE(hidden.tables.is_visible[40]);
        const DrawnScene shown = must_draw(hidden.lists, {}, &hidden);
        CHECK(shown.figures.executed == 1);
        CHECK(is_drawn_alike(shown, before.drawn));
        const DrawnScene same = must_draw(hidden.lists, {}, &shown);
        CHECK(same.figures.executed == 0);
        CHECK(is_drawn_alike(same, shown));
    }

    TEST_CASE("C1 C3 hiding a group of the scene hides what is below it and no namesake outside") {
        scene::Scene scene = row_of_boxes(100, 4);
        scene.groups = {{"shelf", math::kIdentity}, {"box", math::kIdentity, 0}};
        scene::number_groups(scene);
        for (u32 k = 0; k < 100; ++k) {
            scene.instances[k].node = "thing " + std::to_string(k % 10);
            scene.instances[k].group = k < 20 ? 0 : k < 40 ? 1 : kNone;
        }
        const Before before(scene);
        for (const std::vector<std::string>& names : {std::vector<std::string>{"groups/shelf#1"},
                                                      {"groups/box#1"},
                                                      {"thing 3"},
                                                      {"groups/box#1", "thing 3"}}) {
            CAPTURE(names.front());
            const DrawnScene hidden = before.after(scene, {names, {}, true});
            CHECK(hidden.figures.recorded == 0);
            for (u32 k = 0; k < 100; ++k) {
                const bool is_named = k % 10 == 3 && names.back() == "thing 3";
                const bool is_below = (names.front() == "groups/shelf#1" && k < 40) ||
                                      (names.front() == "groups/box#1" && k >= 20 && k < 40);
                CHECK(hidden.tables.is_visible[k] == !(is_named || is_below));
            }
            CHECK(is_drawn_alike(hidden, must_draw(hidden.lists, {names, {}, true})));
            CHECK(is_drawn_alike(must_draw(hidden.lists, {}, &hidden), before.drawn));
        }
        const auto refused = draw_scene(before.lists, {{"groups/attic#1"}, {}, true});
        REQUIRE(!refused.is_ok());
        CHECK(refused.error().sentence ==
              "--hide groups/attic#1: no node of the scene has this name");
    }

    TEST_CASE("C1 C3 hiding one node of a name hides no namesake and a bare name hides all") {
        scene::Scene scene = row_of_boxes(100, 4);
        for (u32 k = 0; k < 100; ++k) {
            // Parts of 25 nodes of two names, one of which has a mark.
            scene.instances[k].node = k < 40 ? "thing" : "box#2";
            scene.instances[k].place = (k < 40 ? k : k - 40) / 4;
        }
        const Before before(scene);
        const auto is_visible = [&](const std::vector<std::string>& names, const auto& expected) {
            CAPTURE(names.front());
            const DrawnScene hidden = before.after(scene, {names, {}, true});
            CHECK(hidden.figures.recorded == 0);
            for (u32 k = 0; k < 100; ++k) {
                CHECK(hidden.tables.is_visible[k] == expected(k));
            }
            CHECK(is_drawn_alike(hidden, must_draw(hidden.lists, {names, {}, true})));
            CHECK(is_drawn_alike(must_draw(hidden.lists, {}, &hidden), before.drawn));
        };
        is_visible({"nodes/thing#3"}, [](u32 k) { return k < 8 || k >= 12; });
        is_visible({"nodes/box#2#1", "nodes/thing#10"}, [](u32 k) { return k < 36 || k >= 44; });
        is_visible({"thing"}, [](u32 k) { return k >= 40; });
        for (const char* const name : {"nodes/thing#11", "nodes/thing#0", "nodes/thing", "box"}) {
            CHECK(!draw_scene(before.lists, {{name}, {}, true}).is_ok());
        }
    }

    TEST_CASE("C3 clip planes and the environment record no list") {
        const scene::Scene scene = layered_scene();
        const Before before(scene);
        const DrawnScene cut = before.after(scene, {{}, kTwoPlanes, false});
        CHECK(cut.figures.recorded == 0);
        CHECK(cut.figures.executed == group_count(cut));
        CHECK_FALSE(cut.tables.environment_is_visible);
        // Other planes of the same number cut the same instances.
        std::vector<shaders::ClipPlane> moved = kTwoPlanes;
        moved[0].offset = 1;
        const DrawnScene next = must_draw(cut.lists, {{}, moved, false}, &cut);
        CHECK(next.figures.executed == 0);
        CHECK(is_drawn_alike(next, must_draw(must_record(scene), {{}, moved, false})));
    }

    TEST_CASE("C5 another value of a material records no list and a texture only its surface's") {
        scene::Scene scene = layered_scene();
        const Before before(scene);
        scene.materials[scene.instances[3].material].record.roughness = 0.7F;
        const DrawnScene value = before.after(scene);
        CHECK(value.figures.recorded == 0);
        CHECK(value.figures.executed == 0);
        scene.materials[scene.instances[3].material].record.base_color_slot = 0;
        const DrawnScene texture = before.after(scene);
        CHECK(texture.figures.recorded == 1);
        CHECK(texture.figures.executed == 0);
        // What draws decide by the material is decided anew.
        scene.materials[scene.instances[3].material].record.alpha_mode =
            static_cast<u32>(shaders::AlphaMode::Mask);
        const DrawnScene masked = before.after(scene);
        CHECK(masked.figures.recorded == 1);
        CHECK(masked.figures.executed == 1);
        CHECK(masked.is_flagged[3]);
    }

    TEST_CASE("C1 another material of one node records the group it leaves and the one it joins") {
        scene::Scene scene = row_of_boxes(100, 4);
        const Before before(scene);
        scene.instances[41].material = 3;
        const DrawnScene dressed = before.after(scene);
        CHECK(dressed.figures.recorded == 2);
        CHECK(dressed.figures.executed == 2);
        // A material that nothing had gets a surface and a group.
        tests::add_material(scene, tests::plastic({1, 0, 0}, 0.1F));
        scene.instances[41].material = 4;
        CHECK(before.after(scene).figures.recorded == 3);
        // Moving it records nothing.
        scene = row_of_boxes(100, 4);
        scene.instances[41].object_to_world[3] += 5;
        const DrawnScene moved = before.after(scene);
        CHECK(moved.figures.recorded == 0);
        CHECK(moved.figures.executed == 0);
    }

    TEST_CASE("C5 lists stay where objects and materials before theirs are deleted or inserted") {
        scene::Scene scene = row_of_boxes(100, 4);
        const Before before(scene, {{"node 70"}, {}, true});
        scene.instances.own().erase(scene.instances.own().begin() + 1);
        const DrawnScene fewer = before.after(scene, {{"node 70"}, {}, true});
        CHECK(fewer.figures.recorded == 1);
        CHECK(fewer.figures.executed == 1);
        scene = row_of_boxes(100, 4);
        scene::Instance copy = scene.instances[1];
        copy.node = "copy";
        scene.instances.insert(std::as_const(scene.instances).data() + 1, {copy});
        const DrawnScene more = before.after(scene, {{"node 70"}, {}, true});
        CHECK(more.figures.recorded == 1);
        CHECK(more.figures.executed == 1);
        // All instances name another place in the table of materials.
        scene = row_of_boxes(100, 4);
        scene.materials.insert(std::as_const(scene.materials).data(),
                               {scene::Material{"first", tests::plastic({1, 0, 0}, 0.1F)}});
        for (scene::Instance& instance : scene.instances.own()) {
            ++instance.material;
        }
        const DrawnScene behind = before.after(scene, {{"node 70"}, {}, true});
        CHECK(behind.figures.recorded == 0);
        CHECK(behind.tables.instance_materials[7] == 4);
    }

    TEST_CASE("C2 C6 what a surface leaves to its groups depends on no list before the look") {
        const ListsPtr lists = must_record(layered_scene());
        u32 differences = 0;
        const std::vector<command::ListPtr>& surfaces = lists->surface_lists();
        REQUIRE(surfaces.size() > 3);
        for (const command::ListPtr& first : surfaces) {
            for (const command::ListPtr& second : surfaces) {
                const auto alone = state_after(*lists, {look_list(), second});
                const auto after = state_after(*lists, {look_list(), first, look_list(), second});
                CHECK(after.is_same(alone));
                // Without the look between them the first would leak.
                const auto leaked = state_after(*lists, {look_list(), first, second});
                differences += leaked.is_same(alone) ? 0U : 1U;
            }
        }
        CHECK(differences > 0);
    }

    TEST_CASE("C9 surfaces in another order draw the same") {
        scene::Scene scene = row_of_boxes(60, 3);
        scene.materials[1].record.flags |= shaders::kMaterialUnlit;
        const Before before(scene);
        // Turn the order of materials around: what was drawn first is drawn last.
        for (u32 k = 0; k < 60; ++k) {
            scene.instances[k].material = 2 - k % 3;
        }
        const DrawnScene edited = before.after(scene);
        const ListsPtr anew = must_record(scene, kSmallGroups);
        const auto first_material = [](const SceneLists& lists) {
            const SceneGroups& groups = lists.groups();
            const u32 surface = groups.surface_of_group[groups.order.front()];
            return groups.bindings[groups.surfaces[surface].material];
        };
        CHECK(first_material(*edited.lists) == 0);
        CHECK(first_material(*anew) == 2);
    }

    TEST_CASE("C5 numbers of what is gone are given up before they outnumber those in use") {
        const scene::Scene full = row_of_boxes(3000, 2);
        scene::Scene few = full;
        few.instances.resize(100);
        ListsPtr lists = must_record(full, kSmallGroups);
        DrawnScene drawn = must_draw(lists);
        u32 begun_anew = 0;
        for (u32 round = 0; round < 8; ++round) {
            CAPTURE(round);
            const scene::Scene& next = round % 2 == 0 ? few : full;
            const std::size_t before = lists->groups().bindings.size();
            lists = must_record(next, kSmallGroups, lists);
            drawn = must_draw(lists, {{"node 50"}, {}, true}, &drawn);
            CHECK(is_drawn_alike(drawn, must_draw(must_record(next), {{"node 50"}, {}, true})));
            const std::size_t now = lists->groups().bindings.size();
            CHECK(now < 12000);
            begun_anew += now < before ? 1U : 0U;
        }
        CHECK(begun_anew > 0);
    }

    TEST_CASE("layers of deleted nodes are unknown and names that return are drawn") {
        scene::Scene scene = row_of_boxes(20, 2);
        const Before before(scene);
        const scene::Instance taken = scene.instances[7];
        scene.instances.own().erase(scene.instances.own().begin() + 7);
        const DrawnScene without = before.after(scene);
        const auto unknown = draw_scene(without.lists, {{"node 7"}, {}, true}, &without);
        CHECK_FALSE(unknown.is_ok());
        scene.instances.push_back(taken);
        const ListsPtr back = must_record(scene, kSmallGroups, without.lists);
        const DrawnScene hidden = must_draw(back, {{"node 7"}, {}, true}, &without);
        CHECK(is_drawn_alike(hidden, must_draw(must_record(scene), {{"node 7"}, {}, true})));
        CHECK_FALSE(hidden.tables.is_visible[19]);
    }
}

namespace {

// Edits a scene at random by the paths that the viewer and --edits use.
class Editor {
public:
    explicit Editor(u32 seed) : random_(seed), scene(layered_scene()) {
        for (std::size_t k = 0; k < std::as_const(scene.materials).size(); ++k) {
            scene.materials[k].name = "m" + std::to_string(k);
        }
    }

    // False: it changed nothing, for instance because the name is taken.
    bool edit() {
        const scene::Edit edit = next();
        return scene::apply_edit(scene, context, edit).is_ok();
    }

private:
    u32 below(std::size_t count) {
        return static_cast<u32>(random_() % std::max<std::size_t>(count, 1));
    }

    std::string node() {
        return scene::node_path(scene, below(std::as_const(scene.instances).size()));
    }

    std::string material() {
        return scene::material_path(scene, below(std::as_const(scene.materials).size()));
    }

    std::string name(const char* family) { return family + std::to_string(below(60)); }

    scene::Edit next() {
        const std::string quoted_node = '"' + node() + '"';
        const std::string quoted_material = '"' + material() + '"';
        switch (below(13)) {
            case 0:
                return {node() + "/visible", "false"};
            case 1:
                return {node() + "/visible", "true"};
            case 2:
            case 3:
                return {node() + "/material", quoted_material};
            case 4:
                return {node() + "/transform", "[1,0,0,0.5, 0,1,0,0, 0,0,1,0]"};
            case 5:
                return std::as_const(scene.instances).size() > 12
                           ? scene::Edit{node(), "null"}
                           : scene::Edit{name("nodes/n"), "{\"copy_of\": " + quoted_node + "}"};
            case 6:
                return {name("nodes/n"),
                        "{\"copy_of\": " + quoted_node + ", \"insert_at\": " +
                            std::to_string(below(std::as_const(scene.instances).size())) + "}"};
            case 7:
                return {material() + "/roughness", "0." + std::to_string(1 + below(9))};
            case 8:
                return {material() + "/alpha_mode", below(2) == 0 ? "\"blend\"" : "\"opaque\""};
            case 9:
                return {material() + "/base_color_texture",
                        below(2) == 0 ? "null" : "{\"file\": \"made in code\", \"nearest\": true}"};
            case 10:
                return {material(), "null"};
            case 11:
                return {name("materials/x"), "{\"copy_of\": " + quoted_material + "}"};
            default:
                return {"view/clip_planes",
                        below(2) == 0 ? "[]" : "[[1, 0, 0, 1.5], [0, 0, -1, 2]]"};
        }
    }

    std::mt19937 random_;

public:
    scene::Scene scene;
    scene::EditContext context;
};

}  // namespace

TEST_SUITE("engine/frame/drawn_scene") {
    TEST_CASE("C3 C5 after random edits reused lists draw what lists recorded anew draw") {
        u64 reused = 0;
        u64 taken_over = 0;
        u32 applied = 0;
        for (const u32 seed : {1U, 2U, 3U, 4U}) {
            CAPTURE(seed);
            Editor editor(seed);
            ListsPtr lists = must_record(editor.scene, kSmallGroups);
            DrawnScene drawn = must_draw(lists);
            for (u32 step = 0; step < 400; ++step) {
                CAPTURE(step);
                const u32 edits = step % 4 == 3 ? 5 : 1;  // some at once
                for (u32 k = 0; k < edits; ++k) {
                    applied += editor.edit() ? 1U : 0U;
                }
                const SceneLook look = {
                    editor.context.hidden, editor.context.clip_planes, step % 5 != 0};
                lists = must_record(editor.scene, kSmallGroups, lists);
                drawn = must_draw(lists, look, &drawn);
                REQUIRE(is_drawn_alike(drawn, must_draw(must_record(editor.scene), look)));
                reused += drawn.figures.reused;
                taken_over += drawn.figures.taken_over;
            }
        }
        CHECK(applied > 1000);
        CHECK(reused > 10000);
        CHECK(taken_over > 5000);
    }

    TEST_CASE("a scene that is edited step by step gives the picture of the last step") {
        RenderSettings settings;
        settings.width = 32;
        settings.height = 24;
        settings.samples_per_pixel = 1;
        settings.thread_count = 1;
        settings.integrator.path_count = 1024;
        settings.integrator.trace_batch = 1024;
        const auto picture = [&](PreparedScene prepared) {
            const scene::Camera camera = prepared.scene->cameras.front();
            auto renderer = Renderer::prepare(std::move(prepared), camera, settings);
            REQUIRE(renderer.is_ok());
            REQUIRE(renderer.value()->render({}).is_ok());
            return renderer.value()->film().film_hash();
        };
        Editor editor(5);
        std::optional<PreparedScene> prepared;
        std::set<std::string> pictures;
        for (u32 step = 0; step < 12; ++step) {
            CAPTURE(step);
            const auto prepare = [&](const PreparedScene* maybe_former) {
                settings.clip_planes = editor.context.clip_planes;
                auto made =
                    prepare_scene({.scene = std::make_shared<const scene::Scene>(editor.scene),
                                   .settings = &settings,
                                   .hidden = editor.context.hidden,
                                   .maybe_former = maybe_former});
                REQUIRE(made.is_ok());
                return std::move(made.value());
            };
            prepared = prepare(prepared ? &*prepared : nullptr);
            CHECK((step == 0) == (prepared->drawn->figures.reused == 0));
            const std::string edited = picture(*prepared);
            CHECK(edited == picture(prepare(nullptr)));
            pictures.insert(edited);
            for (u32 k = 0; k < 4; ++k) {
                editor.edit();
            }
        }
        CHECK(pictures.size() > 6);
    }
}
