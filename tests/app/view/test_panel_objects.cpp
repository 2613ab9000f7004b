// test_panel_objects.cpp — objects in panels, by mouse: added, deleted, selected, with handles; and
// numbers in narrow panels; pictures that change on disk.
#include <cmath>
#include <filesystem>
#include <tuple>

#include "app/command/edit_file.h"
#include "app/view/handles/gizmo_drawing.h"
#include "app/view/handles/light_handles.h"
#include "app/view/models/light_sizes.h"
#include "app/view/models/thumbnail.h"
#include "app/view/panels/panels.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/view_pictures.h"
#include "engine/film/image_file.h"
#include "engine/scene/edit/edit_value.h"
#include "tests/app/view/one_panel.h"
#include "tests/engine/film/film_scenes.h"

using namespace weft;
using namespace weft::app;
using weft::app::testing::Screen;

TEST_SUITE("app/view/panel_objects") {
    TEST_CASE("a right click in the outliner duplicates and deletes objects and lights") {
        Screen screen([](ViewState& s) { s.outliner.draw(); });
        ViewState& state = screen.state;
        REQUIRE(
            state.session.document.edit({"lights/lamp", R"({"intensity": [3, 2, 1]})"}).is_ok());
        const std::string node = state.session.document.scene().instances.front().node;
        const std::size_t count = state.session.document.scene().instances.size();
        const auto choose = [&](const std::string& row, const std::string& item) {
            const ImVec2 at = screen.place_of("Outliner/" + row);
            screen.move(at.x, at.y);
            ImGui::GetIO().MouseDown[1] = true;
            screen.draw();
            ImGui::GetIO().MouseDown[1] = false;
            screen.draw();
            screen.draw();
            screen.click("Outliner/Menu " + item);
            screen.draw();
        };
        choose(node, "Duplicate");
        CHECK(state.session.document.scene().instances.size() == count + 1);
        CHECK(state.selection.path == "nodes/" + node + " 2");
        CHECK(state.selection.instance == count);
        CHECK(state.node_handles.gizmo.tool == GizmoTool::Move);
        choose(node + " 2", "Duplicate");
        CHECK(state.selection.path == "nodes/" + node + " 3");
        choose(node, "Delete");
        CHECK(state.selection.path.empty());
        CHECK(state.session.document.scene().instances.size() == count + 1);
        CHECK(!state.ui.marks.find("Outliner/" + node).has_value());
        CHECK(state.ui.marks.find("Outliner/" + node + " 2").has_value());
        choose("lamp", "Duplicate");
        CHECK(state.selection.path == "lights/lamp 2");
        CHECK(state.session.document.scene().lights.back().intensity[1] == 2);
        choose("lamp", "Delete");
        CHECK(state.session.document.scene().lights.size() == 1);
        CHECK(state.session.document.done().size() == 6);
    }

    TEST_CASE("the selection survives new instance numbers and ends when its object is deleted") {
        Screen screen([](ViewState& s) { s.outliner.draw(); });
        ViewState& state = screen.state;
        const scene::Scene& scene = state.session.document.scene();
        const std::string first = scene::node_path(scene, 0);
        const std::string second = scene::node_path(scene, 1);
        select_path(state.session, state.selection, second);
        CHECK(state.selection.instance == 1);
        REQUIRE(state.session.document.edit({first, "null"}).is_ok());
        // Until the selection is renewed, its old number selects no other object.
        CHECK(!selected_node(state.session, state.selection).has_value());
        renew_selection(state.session, state.selection);
        CHECK(state.selection.path == second);
        CHECK(state.selection.instance == 0);
        CHECK(selected_node(state.session, state.selection).has_value());
        REQUIRE(state.session.document.edit({second, "null"}).is_ok());
        renew_selection(state.session, state.selection);
        CHECK(state.selection.path.empty());
        CHECK(state.selection.material == kNone);
        CHECK(state.session.document.undo());
        select_added(
            state.session, state.selection, state.session.document.undone().back().inverses);
        CHECK(state.selection.path == second);
    }

    TEST_CASE("numbers go below their label and below one another instead of being cut") {
        Screen screen([](ViewState& state) {
            state.transform.draw();
            state.material.draw();
        });
        select_path(screen.state.session,
                    screen.state.selection,
                    scene::node_path(screen.state.session.document.scene(), 0));
        const float line = ImGui::GetFrameHeight();
        const auto size_of = [&](const std::string& name) {
            screen.draw();
            screen.draw();
            const auto place = screen.state.ui.marks.find(name);
            REQUIRE_MESSAGE(place.has_value(), name);
            return std::pair(*place, place->high.y - place->low.y);
        };
        for (const auto& [width, is_beside, lines] :
             {std::tuple(500.0F, true, 1), {240.0F, false, 1}, {130.0F, false, 3}}) {
            CAPTURE(width);
            screen.width = width;
            const auto [place, height] = size_of("Transform/Position (m)");
            CHECK((place.low.x > width / 3) == is_beside);
            CHECK(place.high.x <= width);
            CHECK(height >= static_cast<float>(lines) * line);
            CHECK(height < static_cast<float>(lines + 1) * (line + 4));
            const auto [colour, one] = size_of("Material/Base colour");
            CHECK((colour.low.x > width / 3) == is_beside);
            CHECK(one < 1.5F * line);
            // If there is no room for numbers, only the swatch shows.
            CHECK((colour.high.x - colour.low.x < 2 * line) == (lines == 3));
        }
    }

    TEST_CASE("dragged angles survive undo and another selection") {
        Screen screen([](ViewState& s) { s.transform.draw(); });
        ViewState& state = screen.state;
        const std::string path = scene::node_path(state.session.document.scene(), 0);
        const auto angles = [&] {
            screen.draw();
            return state.transform.shown(path).angles_deg;
        };
        select_path(state.session, state.selection, path);
        screen.draw();
        screen.draw();
        const ImVec2 middle = screen.place_of("Transform/Rotation (°)");
        screen.pull(middle.x, middle.y, 300, 0);
        const Vec3 turned = angles();
        CHECK(turned[0] == 0);
        CHECK(turned[1] > 100);
        CHECK(turned[1] < 160);
        CHECK(turned[2] == 0);
        CHECK(state.session.document.undo());
        CHECK(std::abs(angles()[1]) < 0.01F);
        CHECK(state.session.document.redo());
        const Vec3 again = angles();
        for (u32 axis = 0; axis < 3; ++axis) {
            CHECK(std::abs(again[axis] - turned[axis]) < 0.01F);
        }
        select_path(
            state.session, state.selection, scene::node_path(state.session.document.scene(), 1));
        screen.draw();
        select_path(state.session, state.selection, path);
        CHECK(angles() == again);
        // Half a turn from elsewhere, such as from the handles or a script.
        const math::Affine matrix = state.session.document.scene().instances[0].object_to_world;
        const math::Affine other = app::turned(matrix, math::column(matrix, 3), {0, 1, 0}, 1.0F);
        REQUIRE(state.session.document.edit({path + "/transform", scene::edits::floats_text(other)})
                    .is_ok());
        CHECK(std::abs(angles()[1] - again[1] - 57.29578F) < 0.01F);
        CHECK(std::abs(angles()[0]) < 0.01F);
    }

    TEST_CASE("the drag of a number suits the scene's size and its whole value is shown") {
        for (const float size : {0.002F, 5.0F, 2e5F}) {
            CAPTURE(size);
            Screen screen([](ViewState& shown) {
                shown.transform.draw();
                draw_lights(shown.session, shown.selection, shown.motion, shown.ui);
            });
            ViewState& state = screen.state;
            state.session.bounds = {{0, 0, 0}, {size, size, size}};
            select_path(state.session,
                        state.selection,
                        scene::node_path(state.session.document.scene(), 0));
            const auto along_x = [&state] {
                return state.session.document.scene().instances[0].object_to_world[3];
            };
            const auto drag = [&](const char* name) {
                const ImVec2 middle = screen.place_of(name);
                const float left = state.ui.marks.find(name)->low.x;
                screen.move(left + 10, middle.y);
                screen.press(true);
                for (const float x : {20.0F, 30.0F, 40.0F}) {
                    screen.move(left + x, middle.y);
                }
                screen.press(false);
            };
            const float before = along_x();
            drag("Transform/Position (m)");
            CHECK(along_x() - before > size / 100);
            CHECK(along_x() - before < size / 5);
            REQUIRE(
                state.session.document.edit({"lights/lamp", R"({"position": [0, 0, 0]})"}).is_ok());
            select_path(state.session, state.selection, "lights/lamp");
            drag("Lights/Position");
            CHECK(state.session.document.scene().lights[0].position[0] > size / 100);
            CHECK(state.session.document.scene().lights[0].position[0] < size / 5);
        }
    }

    TEST_CASE("a node that section planes hide has no handles and one that they cut has") {
        Screen screen([](ViewState& state) {
            state.sight.place = {0, 0, 500, 500};
            state.node_handles.use(true);
        });
        ViewState& state = screen.state;
        const auto has_handles = [&] {
            screen.draw();
            screen.draw();
            return state.ui.marks.find("Handle/X").has_value();
        };
        const auto cut = [&](const std::string& planes) {
            REQUIRE(state.session.document.edit({"view/clip_planes", planes}).is_ok());
        };
        const u32 box = static_cast<u32>(state.session.document.scene().instances.size()) - 1;
        select_path(
            state.session, state.selection, scene::node_path(state.session.document.scene(), box));
        REQUIRE(has_handles());
        const Vec3 middle = state.node_handles.boxes.middle();
        const std::string y = std::to_string(-middle[1]);
        cut("[[0, 1, 0, " + y + "]]");  // through the middle
        CHECK(has_handles());
        cut("[[0, 1, 0, 0], [0, 1, 0, -50]]");  // everything below 50 m
        CHECK(!has_handles());
        const ImVec2 at = ImGui::GetIO().MousePos;
        screen.move(at.x, at.y);
        screen.press(true);
        screen.press(false);
        CHECK(!state.node_handles.gizmo.is_held());
        const u32 material = state.session.document.scene().instances[box].material;
        const std::string whole = scene::material_path(state.session.document.scene(), material);
        REQUIRE(state.session.document.edit({whole + "/cut_by_planes", "false"}).is_ok());
        CHECK(has_handles());
        REQUIRE(state.session.document.edit({whole + "/cut_by_planes", "true"}).is_ok());
        CHECK(!has_handles());
        cut("[]");
        CHECK(has_handles());
    }

    TEST_CASE("a shared material becomes an object's own and then one part's") {
        Screen screen([](ViewState& s) { s.material.draw(); });
        ViewState& state = screen.state;
        const auto count = std::to_string(state.session.document.scene().instances.size());
        const auto last = std::to_string(state.session.document.scene().instances.size() + 1);
        REQUIRE(state.session.document
                    .edit({"nodes/pair",
                           R"({"parts": [{"mesh": 0, "material": 1, "insert_at": )" + count +
                               R"(}, {"mesh": 1, "material": 1, "insert_at": )" + last + "}]}"})
                    .is_ok());
        select_path(state.session, state.selection, "nodes/pair");
        const u32 picked = state.selection.instance;
        const auto material_of = [&](u32 instance) {
            return state.session.document.scene().instances[instance].material;
        };
        CHECK(count_users(state.session.document.scene(), 1, "nodes/pair") == MaterialUsers{7, 2});
        screen.place_of("Material/Used by 7 objects");
        screen.click("Material/Make own");
        CHECK(material_of(picked) == 5);
        CHECK(material_of(picked + 1) == 5);
        CHECK(state.selection.material == 5);
        screen.place_of("Material/Used by 2 parts of this object");
        screen.click("Material/Make own");
        CHECK(material_of(picked) == 6);
        CHECK(material_of(picked + 1) == 5);
        CHECK(state.session.document.scene().materials[6].name == "white 3");
        screen.place_of("Material/Used by this object alone");
        CHECK(!state.ui.marks.find("Material/Make own"));
        CHECK(state.session.document.done().size() == 3);
        // Undoing a material that is selected itself deselects it.
        select_path(state.session, state.selection, "materials/white 3");
        state.selection.material = 6;
        screen.place_of("Material/Used by 1 object");
        CHECK(state.session.document.undo());
        renew_material(state.session, state.selection);
        CHECK(state.selection.path.empty());
    }

    TEST_CASE("a narrow panel shows the whole name of the material") {
        Screen screen([](ViewState& s) { s.material.draw(); });
        screen.width = 120;
        select_path(screen.state.session, screen.state.selection, "nodes/short box");
        screen.place_of("Material/Material");
        const auto choice = screen.state.ui.marks.find("Material/Material");
        REQUIRE(choice);
        CHECK(choice->high.x - choice->low.x > ImGui::CalcTextSize("white").x);
        const auto users = screen.state.ui.marks.find("Material/Used by 6 objects");
        REQUIRE(users);
        CHECK(users->high.x <= screen.width);
    }

    TEST_CASE("dragging the sizes of a light in the picture makes one step of undo each") {
        Screen screen([](ViewState& state) {
            state.sight.place = {0, 0, 500, 500};
            state.light_handles.use(state.motion, state.node_handles.gizmo.tool, true);
        });
        ViewState& state = screen.state;
        const auto light = [&]() -> const scene::Light& {
            return state.session.document.scene().lights.back();
        };
        const auto pull = [&](const std::string& field, float by_x, float by_y) {
            const ImVec2 at = screen.place_of("Light/Size " + field);
            screen.pull(at.x, at.y, by_x, by_y);
        };
        REQUIRE(state.session.document
                    .edit({"lights/Spot",
                           R"({"kind": "spot", "position": [0, 1.4, 0], "direction": [0, -1, 0],
                               "inner_deg": 20, "outer_deg": 40})"})
                    .is_ok());
        select_path(state.session, state.selection, "lights/Spot");
        const std::size_t steps = state.session.document.done().size();
        const scene::Light before = light();
        pull("radius_m", 20, 20);
        const float radius = light().radius_m;
        CHECK(radius > 0.01F);
        CHECK(light().position == before.position);
        CHECK(state.session.document.done().size() == steps + 1);
        // The drag starts from the present value and stops at zero.
        pull("radius_m", 10, 10);
        CHECK(light().radius_m == doctest::Approx(1.5F * radius).epsilon(0.01));
        pull("radius_m", -200, -200);
        CHECK(light().radius_m == 0);
        CHECK(state.session.document.done().size() == steps + 3);
        pull("outer_deg", 0, -30);  // the rim rises as the cone opens
        CHECK(light().cos_outer < before.cos_outer);
        CHECK(light().cos_inner == doctest::Approx(before.cos_inner));
        pull("inner_deg", 0, 12);
        CHECK(light().cos_inner > before.cos_inner);
        CHECK(state.session.document.done().size() == steps + 5);
        for (u32 k = 0; k < 5; ++k) {
            CHECK(state.session.document.undo());
        }
        CHECK(light().radius_m == before.radius_m);
        CHECK(light().cos_outer == before.cos_outer);
        CHECK(light().cos_inner == before.cos_inner);
        state.node_handles.gizmo.tool = GizmoTool::None;
        screen.draw();
        screen.draw();
        CHECK(!state.ui.marks.find("Light/Size radius_m"));
        state.node_handles.gizmo.tool = GizmoTool::Turn;
        REQUIRE(state.session.document.edit({"lights/Sun", R"({"kind": "directional"})"}).is_ok());
        select_path(state.session, state.selection, "lights/Sun");
        pull("angle_deg", 15, 15);
        CHECK(light().angle_deg == doctest::Approx(0.5).epsilon(0.05));
        CHECK(light().direction == scene::Light{}.direction);
    }

    TEST_CASE("the text of a light's size stays within a narrow picture") {
        Screen screen([](ViewState& state) {
            state.sight.place = {20, 0, 200, 200};
            state.light_handles.use(state.motion, state.node_handles.gizmo.tool, true);
        });
        ViewState& state = screen.state;
        REQUIRE(state.session.document.edit({"lights/Sun", R"({"kind": "directional"})"}).is_ok());
        select_path(state.session, state.selection, "lights/Sun");
        const ImVec2 dot = screen.place_of("Light/Size angle_deg");
        screen.move(dot.x, dot.y);
        screen.draw();
        const auto told = state.ui.marks.find("Light/Size");
        REQUIRE(told);
        CHECK(told->low.x >= 20);
        CHECK(told->high.x <= 220);
        CHECK(told->low.y > dot.y);  // below the dot, not over it
    }

    TEST_CASE("a picture that changed on disk is read again and undo gives back the one before") {
        Screen screen([](ViewState&) {});
        Session& session = screen.state.session;
        const film::TestFolder folder;
        const std::string file = folder.file("paint.png");
        const std::string field =
            scene::material_path(session.document.scene(), 1) + "/base_color_texture";
        const auto choose = [&](float red, float green) {
            film::Picture picture;
            picture.width = picture.height = 1;
            picture.channels = 3;
            picture.pixels = {red, green, 0};
            REQUIRE(film::write_picture(file, picture).is_ok());
            paint_with(session, field, scene::TexelMeaning::Color, file);
            while (session.picture_reader.is_busy()) {
                take_read(session, screen.state.ui);
            }
        };
        const auto shown = [&]() -> std::vector<u8> {
            const scene::Scene& scene = session.document.scene();
            const u32 slot = scene.materials[1].record.base_color_slot;
            return slot == kNone ? std::vector<u8>()
                                 : make_thumbnail(scene, scene.slots[slot].texture, 1).rgba;
        };
        const std::vector<u8> red = {255, 0, 0, 255};
        const std::vector<u8> green = {0, 255, 0, 255};
        choose(1, 0);
        CHECK(shown() == red);
        choose(0, 1);
        CHECK(shown() == green);
        const std::size_t count = session.document.scene().textures.size();
        choose(0, 1);
        choose(1, 0);
        CHECK(session.document.scene().textures.size() == count);
        CHECK(shown() == red);
        for (const std::vector<u8>& before : {green, green, red}) {
            REQUIRE(session.document.undo());
            CHECK(shown() == before);
        }
        REQUIRE(session.document.redo());
        CHECK(shown() == green);
        CHECK(picture_files(session.document.edits(), "") ==
              std::vector<std::string>{std::filesystem::weakly_canonical(file).string()});
    }

    TEST_CASE("a map that changed on disk is read again and undo gives back the one before") {
        Screen screen([](ViewState&) {});
        Session& session = screen.state.session;
        const film::TestFolder folder;
        const std::string file = folder.file("sky.hdr");
        const auto choose = [&](float radiance) {
            film::Picture picture;
            picture.width = 2;
            picture.height = 1;
            picture.channels = 3;
            picture.pixels.assign(6, radiance);
            REQUIRE(film::write_picture(file, picture).is_ok());
            light_with(session, screen.state.ui, file);
            while (session.picture_reader.is_busy()) {
                take_read(session, screen.state.ui);
            }
        };
        const auto shown = [&] { return session.document.scene().environment.pixels[0]; };
        choose(1);
        CHECK(shown() == 1);
        choose(4);
        CHECK(shown() == 4);
        REQUIRE(session.document.undo());
        CHECK(shown() == 1);
        REQUIRE(session.document.redo());
        CHECK(shown() == 4);
        choose(1);
        CHECK(shown() == 1);
        CHECK(session.document.scene().environment.name == file);
    }

    TEST_CASE("the dots of a light lie on its sizes from every side") {
        GizmoView view{{}, {0, 0}, 800, 600};
        view.camera.to_world[11] = 6;
        scene::Light light;
        light.kind = shaders::LightKind::Spot;
        light.radius_m = 0.5F;
        light.cos_inner = 0.9F;
        light.cos_outer = 0.5F;
        for (const Vec3& way :
             {Vec3{0, 0, -1}, Vec3{0, 0, 1}, Vec3{1, 0, 0}, Vec3{0.6F, -0.8F, 0}}) {
            light.direction = way;
            const std::vector<LightSize> sizes = light_sizes(view, light, {0, 0, 0});
            REQUIRE(sizes.size() == 3);
            CHECK(std::hypot(sizes[0].line[0].x - 400, sizes[0].line[0].y - 300) ==
                  doctest::Approx(project(view, {0.5F, 0, 0})->x - 400));
            for (const LightSize& size : sizes) {
                // A dot that does not move, or moves and returns, keeps its value.
                const std::string same =
                    pulled_size(view, light, {0, 0, 0}, size, size.dot, size.dot);
                CHECK(std::stod(same) == doctest::Approx(size.value).epsilon(0.001));
            }
            CHECK(sizes[1].value == doctest::Approx(60).epsilon(0.001));
        }
        CHECK(light_sizes(view, light, {0, 0, 9}).empty());  // behind the camera
    }
}
