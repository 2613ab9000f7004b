// test_outliner.cpp — the tree of the scene by mouse: folds, searches, several selected things
// moved and hidden as one, collections, cameras, and very large and very deep trees.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/view/handles/gizmo_drawing.h"
#include "app/view/models/outliner_rows.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/shown_things.h"
#include "engine/scene/edit/edit_value.h"
#include "engine/scene/model/scene_tree.h"
#include "tests/app/view/one_panel.h"
#include "tests/engine/trace/small_scenes.h"

using namespace weft;
using namespace weft::app;
using weft::app::testing::Screen;

namespace {

// room ⊃ {desk ⊃ {cup, pen, lamp}, eye, shelf}; floor and sun stand in no group.
scene::Scene furnished() {
    scene::Scene scene;
    const char* const names[] = {"floor", "shelf", "cup", "pen"};
    const u32 groups[] = {kNone, 0, 1, 1};
    for (u32 k = 0; k < 4; ++k) {
        const auto x = static_cast<float>(k);
        tests::add_object(scene,
                          tests::box({0, 0, 0}, {1, 1, 1}, tests::Facing::Out),
                          tests::plastic({1, 1, 1}, 0.5F));
        scene.instances[k].node = names[k];
        scene.instances[k].group = groups[k];
        scene.instances[k].object_to_world = math::translation({2 * x, 0, 0});
        scene.materials[k].name = std::string("paint ") + names[k];
    }
    scene.groups = {{"room", math::translation({0, 0, 0})},
                    {"desk", math::translation({4, 0, 0}), 0}};
    scene.lights = {tests::spot_light({5, 3, 1}, {0, -1, 0}, {9, 9, 9}, 0.9F, 0.6F),
                    tests::directional_light({0.6F, -0.8F, 0}, {1, 1, 1})};
    scene.lights[0].name = "lamp";
    scene.lights[0].group = 1;
    scene.lights[1].name = "sun";
    tests::set_camera(scene, {4, 3, 14}, {4, 0, 0}, 0.7F);
    scene.cameras.push_back(scene.cameras[0]);
    scene.cameras[0].name = "front";
    scene.cameras[1].name = "eye";
    scene.cameras[1].group = 0;
    scene.cameras[1].to_world = math::translation({4, 1, 8});
    scene::number_places(scene);
    scene::number_groups(scene);
    return scene;
}

void open(ViewState& state, scene::Scene scene) {
    scene::EditContext context;
    context.camera = scene.cameras.front();
    state.session.document.open(std::make_shared<const scene::Scene>(std::move(scene)), context);
}

void draw_tree(ViewState& state) {
    state.outliner.draw();
}

// The handles over a picture of 500 × 500.
void draw_handles(ViewState& state) {
    state.sight.place = {0, 0, 500, 500};
    state.node_handles.use(true);
}

bool has(Screen& screen, const std::string& name) {
    screen.draw();
    screen.draw();
    return screen.state.ui.marks.find("Outliner/" + name).has_value();
}

void click_with(Screen& screen, const std::string& name, bool ctrl, bool shift) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = ctrl;
    io.KeyShift = shift;
    screen.click("Outliner/" + name);
    io.KeyCtrl = io.KeyShift = false;
    screen.draw();
}

void choose(Screen& screen, const std::string& row, const std::string& item) {
    const ImVec2 at = screen.place_of("Outliner/" + row);
    screen.move(at.x, at.y);
    ImGui::GetIO().MouseDown[1] = true;
    screen.draw();
    ImGui::GetIO().MouseDown[1] = false;
    screen.draw();
    screen.draw();
    screen.click("Outliner/Menu " + item);
    screen.draw();
}

// Types into the open field of a row, and clicks elsewhere.
void type_name(Screen& screen, const char* name) {
    REQUIRE(has(screen, "Rename"));
    for (u32 frame = 0; frame < 3; ++frame) {
        screen.draw();
    }
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Backspace] = 8;
    io.KeysDown[8] = true;  // over the text, which is selected
    screen.draw();
    io.KeysDown[8] = false;
    screen.draw();
    io.AddInputCharactersUTF8(name);
    screen.draw();
    screen.move(400, 1500);  // below all rows
    screen.press(true);
    screen.press(false);
    CHECK(!has(screen, "Rename"));
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_SUITE("app/view/outliner") {
    TEST_CASE("rows are a tree of groups and what stands in them and fold with their group") {
        const scene::Scene scene = furnished();
        const OutlinerRows rows = outliner_rows(scene, {});
        std::string text;
        for (const OutlinerRow& row : rows) {
            text += std::string(row.depth, ' ') + row.name + "\n";
        }
        CHECK(text ==
              "Objects\n floor\n room\n  shelf\n  desk\n   cup\n   pen\n   lamp\n  eye\n"
              "Lights\n sun\n Environment\nCameras\n front\n"
              "Materials\n paint floor\n paint shelf\n paint cup\n paint pen\n");
        CHECK(rows[1].end == 2);
        CHECK(rows[2].end == 9);
        CHECK(rows[4].end == 8);
        Folds folds;
        CHECK(listed_rows(rows, folds, "").size() == rows.size());
        folds.turn(rows[4]);
        CHECK(listed_rows(rows, folds, "").size() == rows.size() - 3);
        // A search unfolds; it lists the way to what it finds.
        const std::vector<u32> found = listed_rows(rows, folds, "pen");
        CHECK(found == std::vector<u32>{0, 2, 4, 6, 9, 12, 14, 18});
        CHECK(unfold_to(rows, 6, folds));
        CHECK(!unfold_to(rows, 6, folds));
        CHECK(listed_rows(rows, folds, "").size() == rows.size());
    }

    TEST_CASE("a click on the triangle folds a group and selecting inside unfolds it again") {
        Screen screen(draw_tree);
        open(screen.state, furnished());
        CHECK(has(screen, "cup"));
        screen.click("Outliner/Fold desk");
        CHECK(!has(screen, "cup"));
        CHECK(has(screen, "shelf"));
        select_path(screen.state.session, screen.state.selection, "nodes/cup");
        CHECK(has(screen, "cup"));
        screen.click("Outliner/Fold room");
        CHECK(!has(screen, "Group desk"));
        screen.state.outliner.search = "pen";
        CHECK(has(screen, "pen"));
        CHECK(has(screen, "Group desk"));
        CHECK(!has(screen, "cup"));
    }

    TEST_CASE("ctrl and shift select several things and an eye hides them in one step") {
        Screen screen(draw_tree);
        ViewState& state = screen.state;
        open(state, furnished());
        click_with(screen, "cup", false, false);
        click_with(screen, "floor", true, false);
        CHECK(all_selected(state.selection) == Paths{"nodes/floor", "nodes/cup"});
        click_with(screen, "cup", true, false);
        CHECK(all_selected(state.selection) == Paths{"nodes/floor"});
        click_with(screen, "Group desk", false, false);
        click_with(screen, "lamp", false, true);
        CHECK(all_selected(state.selection) ==
              Paths{"lights/lamp", "groups/desk", "nodes/cup", "nodes/pen"});
        // What the selected group takes along moves once.
        const std::vector<MovedThing> things = moved_things(state.session, state.selection);
        REQUIRE(things.size() == 1);
        CHECK(things[0].path == "groups/desk");
        screen.click("Outliner/Eye lamp");
        CHECK(state.session.document.context().hidden ==
              Paths{"groups/desk#1", "lights/lamp", "nodes/cup#1", "nodes/pen#1"});
        CHECK(state.session.document.done().size() == 1);
        CHECK(state.session.document.undo());
        CHECK(state.session.document.context().hidden.empty());
        hide_selected(state.session, state.selection, state.ui);
        CHECK(state.session.document.context().hidden.size() == 4);
        show_all(state.session, state.ui);
        CHECK(state.session.document.context().hidden.empty());
        CHECK(state.session.document.done().size() == 2);
        // A selected group alone shows what is below it, also out of a hidden group.
        REQUIRE(state.session.document.edit({"groups/room/visible", "false"}).is_ok());
        select_path(state.session, state.selection, "groups/desk");
        solo(state.session, state.ui, moved_things(state.session, state.selection));
        CHECK(state.session.document.context().hidden == Paths{"nodes/floor#1", "nodes/shelf#1"});
        // Material rows are selected alone.
        click_with(screen, "paint cup", true, false);
        CHECK(all_selected(state.selection) == Paths{"materials/paint cup"});
    }

    TEST_CASE("dragging a group's handle moves all below it by the same way as one step") {
        Screen screen(draw_handles);
        ViewState& state = screen.state;
        open(state, furnished());
        select_path(state.session, state.selection, "groups/desk");
        const auto before = state.session.document.shared_scene();
        const ImVec2 at = screen.place_of("Handle/X");
        screen.pull(at.x, at.y, 60, 0);
        const scene::Scene& after = state.session.document.scene();
        CHECK(state.session.document.done().size() == 1);
        const float way = after.groups[1].to_world[3] - before->groups[1].to_world[3];
        CHECK(way > 0.5F);
        for (const u32 k : {2U, 3U}) {
            math::Affine expected = before->instances[k].object_to_world;
            expected[3] += way;
            for (u32 entry = 0; entry < 12; ++entry) {
                CHECK(after.instances[k].object_to_world[entry] ==
                      doctest::Approx(expected[entry]).epsilon(1e-6));
            }
        }
        CHECK(after.lights[0].position[0] == doctest::Approx(5 + way));
        CHECK(after.instances[0].object_to_world == before->instances[0].object_to_world);
        CHECK(after.instances[1].object_to_world == before->instances[1].object_to_world);
        CHECK(state.session.document.undo());
        CHECK(std::equal(before->instances.begin(),
                         before->instances.end(),
                         state.session.document.scene().instances.begin(),
                         [](const scene::Instance& a, const scene::Instance& b) {
                             return a.object_to_world == b.object_to_world;
                         }));
    }

    TEST_CASE("several things turn about their common middle as the closed form says") {
        const scene::Scene scene = furnished();
        Screen screen(draw_handles);
        ViewState& state = screen.state;
        open(state, furnished());
        const Paths chosen = {"nodes/floor", "groups/desk", "cameras/eye", "lights/sun"};
        select_all(state.session, state.selection, chosen, false);
        HandledSets sets;
        const HandledSet set = sets.of(state.session, state.selection);
        REQUIRE(set.things.size() == 4);
        // The boxes of floor, cup and pen, the lamp's place left out, and the camera's place.
        CHECK(set.pivot == Vec3{3.5F, 0.5F, 4});
        CHECK(set.outlines.size() == 2);
        const math::Affine matrix =
            turned(set.matrix, set.pivot, {0, 1, 0}, std::numbers::pi_v<float> / 2);
        REQUIRE(state.session.document
                    .edit_all(edits_of_move(state.session.document.scene(), set, matrix))
                    .is_ok());
        const scene::Scene& after = state.session.document.scene();
        // A quarter turn takes (x, z) about the middle to (z, −x).
        const auto turned_place = [&](const Vec3& p) {
            return Vec3{set.pivot.x + (p.z - set.pivot.z), p.y, set.pivot.z - (p.x - set.pivot.x)};
        };
        for (const u32 k : {0U, 2U, 3U}) {
            const Vec3 place = math::column(scene.instances[k].object_to_world, 3);
            CHECK(length(math::column(after.instances[k].object_to_world, 3) -
                         turned_place(place)) < 1e-5F);
        }
        CHECK(length(after.lights[0].position - turned_place(scene.lights[0].position)) < 1e-5F);
        CHECK(length(after.lights[1].direction - Vec3{0, -0.8F, -0.6F}) < 1e-6F);
        CHECK(length(math::column(after.cameras[1].to_world, 3) - turned_place({4, 1, 8})) < 1e-5F);
        CHECK(after.instances[1].object_to_world == scene.instances[1].object_to_world);
        CHECK(state.session.document.done().size() == 1);
        CHECK(state.session.document.undo());
        CHECK(state.session.document.scene().lights[0].position == scene.lights[0].position);
    }

    TEST_CASE("the menu makes a collection of the selection that hides as one and dissolves") {
        Screen screen(draw_tree);
        ViewState& state = screen.state;
        open(state, furnished());
        click_with(screen, "cup", false, false);
        click_with(screen, "lamp", true, false);
        choose(screen, "lamp", "New collection");
        const std::vector<scene::Collection>& kept = state.session.document.context().collections;
        REQUIRE(kept.size() == 1);
        CHECK(kept[0].members == Paths{"lights/lamp", "nodes/cup"});
        CHECK(has(screen, "Collection Collection"));
        CHECK(!has(screen, "Member cup"));
        screen.click("Outliner/Fold Collection");
        CHECK(has(screen, "Member cup"));
        screen.click("Outliner/Eye Collection Collection");
        CHECK(
            scene::hidden_names(state.session.document.scene(), state.session.document.context()) ==
            Paths{"lights/lamp", "nodes/cup#1"});
        click_with(screen, "pen", false, false);
        choose(screen, "Collection Collection", "Add the selection");
        CHECK(kept[0].members == Paths{"lights/lamp", "nodes/cup", "nodes/pen"});
        CHECK(kept[0].is_hidden);
        click_with(screen, "Collection Collection", false, false);
        CHECK(all_selected(state.selection).size() == 3);
        choose(screen, "Collection Collection", "Dissolve");
        CHECK(kept.empty());
        CHECK(state.session.document.done().size() == 4);
        CHECK(state.session.document.undo());
        CHECK(kept.size() == 1);
    }

    TEST_CASE("a double click renames a thing in one step and edits keep its path") {
        Screen screen(draw_tree);
        ViewState& state = screen.state;
        open(state, furnished());
        const auto rename = [&](const std::string& row, const char* name) {
            const ImVec2 at = screen.place_of("Outliner/" + row);
            screen.move(at.x, at.y);
            for (u32 click = 0; click < 2; ++click) {
                screen.press(true);
                screen.press(false);
            }
            type_name(screen, name);
        };
        rename("cup", "mug");
        CHECK(has(screen, "mug"));
        CHECK(!has(screen, "cup"));
        CHECK(state.session.document.done().size() == 1);
        CHECK(state.session.document.edits() ==
              std::vector<scene::Edit>{{"nodes/cup/name", "\"mug\""}});
        rename("sun", "moon");
        CHECK(state.session.document.scene().lights[1].given_name == "moon");
        // A search finds it by what it is called.
        state.outliner.search = "mug";
        CHECK(has(screen, "mug"));
        CHECK(!has(screen, "pen"));
        state.outliner.search.clear();
        // Undone by undo, and by no name at all.
        CHECK(state.session.document.undo());
        CHECK(has(screen, "sun"));
        rename("mug", "");
        CHECK(has(screen, "cup"));
        CHECK(state.session.document.edits().empty());
        // The name that is there changes nothing.
        const std::size_t steps = state.session.document.done().size();
        rename("cup", "cup");
        CHECK(state.session.document.done().size() == steps);
    }

    TEST_CASE("the key and the menu rename groups and collections in the tree") {
        Screen screen(draw_tree);
        ViewState& state = screen.state;
        open(state, furnished());
        click_with(screen, "Group desk", false, false);
        state.ui.renamed = "groups/desk";
        screen.draw();
        type_name(screen, "table");
        CHECK(has(screen, "Group table"));
        CHECK(state.session.document.scene().groups[1].given_name == "table");
        CHECK(state.selection.path == "groups/desk");
        choose(screen, "Group table", "New collection");
        choose(screen, "Collection Collection", "Rename");
        type_name(screen, "things");
        REQUIRE(state.session.document.context().collections.size() == 1);
        CHECK(state.session.document.context().collections[0].name == "things");
        CHECK(state.session.document.context().collections[0].members == Paths{"groups/desk"});
        choose(screen, "eye", "Rename");
        type_name(screen, "window");
        CHECK(state.session.document.scene().cameras[1].given_name == "window");
        // What is not selected any more is not renamed.
        state.ui.renamed = "nodes/cup";
        screen.draw();
        CHECK(!has(screen, "Rename"));
        CHECK(state.session.document.done().size() == 4);
    }

    TEST_CASE("a double click on a camera looks through it and its handles move it") {
        Screen screen(draw_tree);
        ViewState& state = screen.state;
        open(state, furnished());
        const ImVec2 at = screen.place_of("Outliner/eye");
        screen.move(at.x, at.y);
        for (u32 click = 0; click < 2; ++click) {
            screen.press(true);
            screen.press(false);
        }
        CHECK(state.session.camera().to_world == furnished().cameras[1].to_world);
        CHECK(state.selection.path == "cameras/eye");
        // It goes with the group that it stands in.
        REQUIRE(state.session.document.edit({"groups/room/transform", "[1,0,0,2,0,1,0,0,0,0,1,0]"})
                    .is_ok());
        CHECK(state.session.camera().to_world == math::translation({6, 1, 8}));
    }

    TEST_CASE("deleting a group deletes what is below it as one step") {
        Screen screen(draw_tree);
        ViewState& state = screen.state;
        open(state, furnished());
        click_with(screen, "Group room", false, false);
        click_with(screen, "sun", true, false);
        delete_selected(state.session, state.selection, state.ui);
        CHECK(scene::object_paths(state.session.document.scene(), "nodes") == Paths{"nodes/floor"});
        CHECK(state.session.document.scene().lights.empty());
        CHECK(state.session.document.done().size() == 1);
        CHECK(state.session.document.undo());
        CHECK(state.session.document.scene().lights.size() == 2);
        CHECK(state.session.document.scene().instances.size() == 4);
        CHECK(state.session.document.scene().instances[2].group == 1);
    }

    TEST_CASE("of a hundred thousand rows only those that are seen are drawn") {
        constexpr u32 kMany = 100000;
        scene::Scene scene = furnished();
        std::vector<scene::Instance> instances(kMany, scene.instances[3]);
        for (u32 k = 0; k < kMany; ++k) {
            instances[k].node = "part " + std::to_string(k);
            instances[k].group = 1;
        }
        scene.instances = std::move(instances);
        Screen screen(draw_tree);
        open(screen.state, std::move(scene));
        screen.draw();
        CHECK(!has(screen, "part 0"));  // large trees begin folded
        select_path(screen.state.session, screen.state.selection, "nodes/part 70000");
        CHECK(has(screen, "part 70000"));
        CHECK(screen.state.ui.marks.all().size() < 1000);
        screen.state.outliner.search = "part 99999";
        CHECK(has(screen, "part 99999"));
        CHECK(!has(screen, "part 70000"));
    }

    TEST_CASE("ten thousand groups in one another are listed and drawn without recursion") {
        constexpr u32 kDepth = 10000;
        scene::Scene scene = furnished();
        std::vector<scene::Group> chain;
        for (u32 k = 0; k < kDepth; ++k) {
            chain.push_back({"level", math::kIdentity, k == 0 ? kNone : k - 1});
        }
        scene.groups = chain;
        scene.instances[2].group = kDepth - 1;
        scene.lights[0].group = kNone;
        scene::number_groups(scene);
        Screen screen(draw_tree);
        open(screen.state, std::move(scene));
        select_path(screen.state.session, screen.state.selection, "nodes/cup");
        CHECK(has(screen, "cup"));
        CHECK(has(screen, "Group level#10000"));
    }

    TEST_CASE("a search matches rows with all of its words in any order") {
        OutlinerRows rows(3);
        rows[0].name = "Chair leg left";
        rows[1].name = "chair seat";
        rows[2].name = "Table leg";
        CHECK(search_rows(rows, "").size() == 3);
        CHECK(search_rows(rows, "LEG chair") == std::vector<u32>{0});
        CHECK(search_rows(rows, "leg") == std::vector<u32>{0, 2});
        CHECK(search_rows(rows, "sofa").empty());
    }

    TEST_CASE("nodes of the same name have separate rows and parts of one node share a row") {
        scene::Scene scene;
        scene.instances.resize(4);
        for (scene::Instance& instance : scene.instances) {
            instance.node = "leaf";
        }
        scene.instances[2].place = 1;
        scene.instances[3].place = 1;
        const OutlinerRows rows = outliner_rows(scene, {});
        REQUIRE(rows[0].end == 3);  // the objects
        CHECK(rows[1].path == "nodes/leaf");
        CHECK(rows[1].instance_count == 2);
        CHECK(rows[2].path == "nodes/leaf#2");
        CHECK(rows[2].first == 2);
        const u64 stamp = outliner_stamp(scene, {});
        CHECK(outliner_stamp(scene, {{"set"}}) != stamp);
        scene.lights.push_back({.name = "Sun"});
        CHECK(outliner_stamp(scene, {}) != stamp);
    }
}
