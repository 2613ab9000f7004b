// test_panels.cpp — panels used by a mouse without a window: ImGui alone, no display.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/view/models/object_name.h"
#include "app/view/models/view_camera.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/shown_things.h"
#include "engine/live/layer_colours.h"
#include "scheduler/base/trace_log.h"
#include "tests/app/view/one_panel.h"

using namespace weft;
using namespace weft::app;
using weft::app::testing::Screen;

namespace {

void select_material(ViewState& state, u32 material) {
    state.selection.path = scene::material_path(state.session.document.scene(), material);
    state.selection.material = material;
}

}  // namespace

TEST_SUITE("app/view/panels") {
    TEST_CASE("dragging a slider is one step of undo at any length") {
        Screen screen([](ViewState& s) { s.material.draw(); });
        select_material(screen.state, 1);
        const float before = screen.state.session.document.scene().materials[1].record.roughness;
        const ImVec2 at = screen.place_of("Material/Roughness");
        screen.move(at.x, at.y);
        screen.press(true);
        for (int step = 1; step <= 10; ++step) {
            screen.move(at.x - 4.0F * static_cast<float>(step), at.y);
        }
        screen.press(false);
        const float after = screen.state.session.document.scene().materials[1].record.roughness;
        CHECK(after != before);
        CHECK(screen.state.session.document.done().size() == 1);
        // A second drag is a second step. Wait first, so that no double-click results.
        for (int frame = 0; frame < 60; ++frame) {
            screen.draw();
        }
        screen.pull(at.x, at.y, -25, 0);
        CHECK(screen.state.session.document.done().size() == 2);
        CHECK(screen.state.session.document.undo());
        CHECK(screen.state.session.document.scene().materials[1].record.roughness == after);
        CHECK(screen.state.session.document.undo());
        CHECK(screen.state.session.document.scene().materials[1].record.roughness == before);
    }

    TEST_CASE("a changed field has a reset button and an unchanged one has none") {
        Screen screen([](ViewState& s) { s.material.draw(); });
        select_material(screen.state, 1);
        screen.draw();
        screen.draw();
        CHECK(!screen.state.ui.marks.find("Material/Reset Metallic").has_value());
        const float before = screen.state.session.document.scene().materials[1].record.metallic;
        REQUIRE(
            screen.state.session.document.edit({screen.state.selection.path + "/metallic", "0.375"})
                .is_ok());
        screen.click("Material/Reset Metallic");
        CHECK(screen.state.session.document.scene().materials[1].record.metallic == before);
        screen.draw();
        CHECK(!screen.state.ui.marks.find("Material/Reset Metallic").has_value());
    }

    TEST_CASE("every number and colour and flag of a material has a row that a script finds") {
        Screen screen([](ViewState& s) { s.material.draw(); });
        select_material(screen.state, 1);
        screen.draw();
        screen.draw();
        // A closed part shows none of its rows: open those parts.
        for (const auto& [part, row] : {std::pair{"Emission", "Emission"},
                                        std::pair{"Transmission", "Transmission"},
                                        std::pair{"Coat", "Coat roughness"},
                                        std::pair{"Sheen", "Sheen colour"},
                                        std::pair{"Iridescence", "Iridescence"},
                                        std::pair{"Anisotropy", "Anisotropy"}}) {
            const ImVec2 head = screen.place_of(std::string("Material/") + part);
            const auto place = screen.state.ui.marks.find(std::string("Material/") + row);
            // A part and its first row may share a name: the row lies to the right.
            if (!place || place->middle().x == head.x) {
                screen.click(std::string("Material/") + part);
            }
        }
        screen.draw();
        screen.draw();
        const ViewState& state = screen.state;
        for (const scene::EditField& field :
             scene::editable_fields(state.session.document.scene(),
                                    state.session.document.context(),
                                    state.selection.path)) {
            if (field.kind != scene::EditKind::Texture) {
                CHECK_MESSAGE(state.ui.marks.find("Material/" + field.label).has_value(),
                              field.path);
            }
        }
    }

    TEST_CASE("a new light makes a viewed white surface white at any exposure") {
        Screen screen([](ViewState& s) { draw_lights(s.session, s.selection, s.motion, s.ui); });
        screen.state.motion.pivot_m = 5;
        const Vec3 paper = point_ahead(screen.state.session.document.context().camera, 5);
        for (const float stops : {0.0F, -10.0F}) {
            REQUIRE(screen.state.session.document.edit({"view/exposure", std::to_string(stops)})
                        .is_ok());
            screen.click("Lights/Add Point");
            const scene::Light& light = screen.state.session.document.scene().lights.back();
            const float away_m = length(light.position - paper);
            REQUIRE(away_m > 0.5F);
            // L = E / pi
            const float shown =
                light.intensity[0] / (away_m * away_m) / 3.14159265F * std::exp2(stops);
            CHECK(shown == doctest::Approx(1).epsilon(0.05));
        }
    }

    TEST_CASE("a new light stands inside the viewed room and a spot shines at its middle") {
        Screen screen([](ViewState& s) { draw_lights(s.session, s.selection, s.motion, s.ui); });
        const scene::EditContext& context = screen.state.session.document.context();
        const auto room = scene::scene_bounds(screen.state.session.document.scene());
        const Vec3 middle{0, 1, 0};
        screen.state.motion.pivot_m = length(middle - eye_of(context.camera));
        const Vec3 seen = point_ahead(context.camera, screen.state.motion.pivot_m);
        for (const char* const kind : {"Lights/Add Point", "Lights/Add Spot"}) {
            screen.click(kind);
            const scene::Light& light = screen.state.session.document.scene().lights.back();
            for (u32 axis = 0; axis < 3; ++axis) {
                CHECK(light.position[axis] > room.low[axis]);
                CHECK(light.position[axis] < room.high[axis]);
            }
            if (light.kind == shaders::LightKind::Spot) {
                CHECK(dot(light.direction, math::normalize(seen - light.position)) > 0.999F);
            }
        }
    }

    TEST_CASE("a light is added and duplicated and deleted and undo restores each") {
        Screen screen([](ViewState& s) { draw_lights(s.session, s.selection, s.motion, s.ui); });
        const std::size_t before = screen.state.session.document.scene().lights.size();
        screen.click("Lights/Add Point");
        CHECK(screen.state.session.document.scene().lights.size() == before + 1);
        CHECK(screen.state.selection.path == "lights/Point");
        screen.click("Lights/Duplicate");
        CHECK(screen.state.session.document.scene().lights.size() == before + 2);
        CHECK(screen.state.session.document.scene().lights.back().intensity ==
              screen.state.session.document.scene().lights[before].intensity);
        screen.click("Lights/Delete");
        CHECK(screen.state.session.document.scene().lights.size() == before + 1);
        CHECK(screen.state.session.document.undo());
        CHECK(screen.state.session.document.scene().lights.size() == before + 2);
        while (screen.state.session.document.undo()) {
        }
        CHECK(screen.state.session.document.scene().lights.size() == before);
    }

    TEST_CASE("a light shows each field of its kind and dragging its radius is one step") {
        Screen screen([](ViewState& s) { draw_lights(s.session, s.selection, s.motion, s.ui); });
        ViewState& state = screen.state;
        const auto rows_of = [&] {
            screen.draw();
            screen.draw();
            std::vector<std::string> names;
            for (const scene::EditField& field :
                 scene::editable_fields(state.session.document.scene(),
                                        state.session.document.context(),
                                        state.selection.path)) {
                if (state.ui.marks.find("Lights/" + field.label).has_value()) {
                    names.push_back(field.path.substr(field.path.rfind('/') + 1));
                }
            }
            return names;
        };
        using Names = std::vector<std::string>;
        screen.click("Lights/Add Sun");
        CHECK(rows_of() == Names{"kind", "direction", "intensity", "angle_deg", "visible"});
        screen.click("Lights/Add Spot");
        CHECK(rows_of() == Names{"kind",
                                 "position",
                                 "direction",
                                 "intensity",
                                 "radius_m",
                                 "inner_deg",
                                 "outer_deg",
                                 "visible"});
        screen.click("Lights/Add Point");
        CHECK(rows_of() == Names{"kind", "position", "intensity", "radius_m", "visible"});
        const std::size_t steps = state.session.document.done().size();
        const ImVec2 at = screen.place_of("Lights/Radius");
        screen.move(at.x, at.y);
        screen.press(true);
        for (int step = 1; step <= 5; ++step) {
            screen.move(at.x + 4.0F * static_cast<float>(step), at.y);
        }
        screen.press(false);
        CHECK(state.session.document.scene().lights.back().radius_m > 0);
        CHECK(state.session.document.done().size() == steps + 1);
    }

    TEST_CASE("the outliner selects and hides and shows by clicks and searches by words") {
        Screen screen([](ViewState& s) { s.outliner.draw(); });
        const std::string node = screen.state.session.document.scene().instances.front().node;
        screen.click("Outliner/" + node);
        CHECK(screen.state.selection.path == "nodes/" + node);
        CHECK(screen.state.selection.instance == 0);
        screen.click("Outliner/Eye " + node);
        CHECK(screen.state.session.document.context().hidden ==
              std::vector<std::string>{"nodes/" + node + "#1"});
        screen.click("Outliner/Eye " + node);
        CHECK(screen.state.session.document.context().hidden.empty());
        const std::string last = screen.state.session.document.scene().instances.back().node;
        REQUIRE(last != node);
        screen.state.outliner.search = last;
        screen.draw();
        screen.draw();
        CHECK(screen.state.ui.marks.find("Outliner/" + last).has_value());
        CHECK(!screen.state.ui.marks.find("Outliner/" + node).has_value());
    }

    TEST_CASE("solo hides all other nodes in one step") {
        Screen screen([](ViewState& s) { s.outliner.draw(); });
        const std::string node = screen.state.session.document.scene().instances.front().node;
        select_path(screen.state.session, screen.state.selection, "nodes/" + node);
        solo(screen.state.session,
             screen.state.ui,
             moved_things(screen.state.session, screen.state.selection));
        const std::vector<std::string>& hidden = screen.state.session.document.context().hidden;
        CHECK(!hidden.empty());
        CHECK(std::find(hidden.begin(), hidden.end(), "nodes/" + node + "#1") == hidden.end());
        CHECK(screen.state.session.document.done().size() == 1);
        show_all(screen.state.session, screen.state.ui);
        CHECK(screen.state.session.document.context().hidden.empty());
    }

    TEST_CASE("a click in the history undoes and redoes to that step") {
        Screen screen([](ViewState& s) { draw_history(s.session, s.ui); });
        for (const char* const value : {"1", "2", "3"}) {
            REQUIRE(screen.state.session.document.edit({"view/exposure", value}).is_ok());
        }
        screen.click("History/1");
        CHECK(screen.state.session.document.context().exposure_stops == 1);
        screen.click("History/3");
        CHECK(screen.state.session.document.context().exposure_stops == 3);
        screen.click("History/0");
        CHECK(screen.state.session.document.context().exposure_stops == 0);
        CHECK(screen.state.session.document.undone().size() == 3);
    }

    TEST_CASE("the history names additions and moves and the number of changes in a step") {
        Screen screen([](ViewState& s) { draw_history(s.session, s.ui); });
        ViewState& state = screen.state;
        scene::Camera camera = state.session.document.context().camera;
        camera.to_world[3] += 1;
        state.session.document.move_camera(camera, 1);
        REQUIRE(
            state.session.document.edit({"lights/lamp", R"({"intensity": [3, 2, 1]})"}).is_ok());
        REQUIRE(
            state.session.document.edit({"lights/lamp", R"({"intensity": [1, 2, 3]})"}).is_ok());
        const std::vector<scene::Edit> several = {{"view/exposure", "1"},
                                                  {"materials/white/roughness", "0.25"}};
        REQUIRE(state.session.document.edit_all(several).is_ok());
        REQUIRE(state.session.document.edit({"materials/white/roughness", "0.5"}).is_ok());
        for (const char* const title : {"As in the file",
                                        "moved the camera",
                                        "added lamp",
                                        "changed lamp",
                                        "made 2 changes",
                                        "set the roughness of white to 0.5"}) {
            screen.place_of(std::string("History/") + title);
        }
    }

    TEST_CASE("the scale of false colours gives the values of its colours") {
        Screen screen([](ViewState& s) { draw_view_panel(s.session, s.link, s.ui); });
        screen.draw();
        screen.draw();
        CHECK(!screen.state.ui.marks.find("View/Scale").has_value());
        live::LiveView& view = screen.state.link.view;
        view.has_false_colours = true;
        view.exposure_stops = 2;
        screen.draw();
        screen.draw();
        CHECK(screen.state.ui.marks.find("View/Scale").has_value());
        const auto range = live::false_colour_range(view);
        REQUIRE(range.has_value());
        for (const float at : {0.0F, 0.25F, 0.5F, 0.75F, 1.0F}) {
            const float value = (*range)[0] * std::pow((*range)[1] / (*range)[0], at);
            const std::array<float, 4> grey{value, value, value, 1};
            std::array<u8, 4> shown{};
            live::beauty_bytes(grey.data(), view, live::display_of(view), shown.data());
            const auto expected = live::false_colour(at);
            for (std::size_t c = 0; c < 3; ++c) {
                CHECK(std::abs(255 * expected[c] - static_cast<float>(shown[c])) < 1.5F);
            }
        }
        view.layer = film::Aov::Normal;
        CHECK(!live::false_colour_range(view).has_value());
        view.layer = film::Aov::Depth;
        view.depth_range_m = {2, 8};
        CHECK(live::false_colour_range(view) == std::array{2.0F, 8.0F});
        for (const float at : {0.0F, 0.5F, 1.0F}) {
            const float depth_m = 2 * std::pow(4.0F, at);
            std::array<u8, 4> shown{};
            live::layer_bytes(view, live::display_of(view), &depth_m, 0, shown.data());
            CHECK(std::abs(255 * live::false_colour(at)[0] - static_cast<float>(shown[0])) < 1.5F);
        }
    }

    TEST_CASE("a thread has a timeline row while its marks are visible") {
        base::name_traced_thread("tester");
        base::start_trace();
        Screen screen([](ViewState& s) { s.timeline.draw(); });
        TimelinePanel& panel = screen.state.timeline;
        panel.is_recording = true;
        const auto has_row = [&screen] {
            screen.draw();
            return screen.state.ui.marks.find("Timeline/tester").has_value();
        };
        CHECK(!has_row());
        { const base::TraceMark mark("worked"); }
        CHECK(has_row());
        screen.click("Timeline/Pause");
        CHECK(has_row());
        panel.timeline.scroll(2);
        CHECK(!has_row());
        panel.timeline.scroll(-2);
        CHECK(has_row());
        base::stop_trace();
    }

    TEST_CASE("a section plane is added and removed") {
        Screen screen([](ViewState& s) { draw_section(s.session, s.motion, s.ui); });
        screen.click("Section/+ across Y");
        REQUIRE(screen.state.session.document.context().clip_planes.size() == 1);
        CHECK(screen.state.session.document.context().clip_planes[0].normal[0] == 0);
        CHECK(screen.state.session.document.context().clip_planes[0].normal[1] != 0);
        screen.click("Section/Closed");
        CHECK(screen.state.session.document.context().has_clip_cap);
        CHECK(screen.state.session.document.done().size() == 2);
        REQUIRE(screen.state.session.document.undo());
        CHECK(!screen.state.session.document.context().has_clip_cap);
        REQUIRE(screen.state.session.document.redo());
        REQUIRE(!screen.state.session.document.edits().empty());
        CHECK(screen.state.session.document.edits().front() ==
              scene::Edit{"view/clip_cap", "true"});
        screen.click("Section/Remove the last");
        CHECK(screen.state.session.document.context().clip_planes.empty());
    }

    TEST_CASE(
        "render settings that change the picture set its effect and one device always remains") {
        Screen screen([](ViewState& s) { draw_render_settings(s.session, s.link, s.ui); });
        screen.state.link.effect = scene::kEffectNone;
        screen.click("Render/unkeyed");
        CHECK(screen.state.link.settings.integrator.mode == trace::SchedulerMode::Unkeyed);
        CHECK(screen.state.link.effect == scene::kEffectAll);
        screen.click("Render/CPU");
        CHECK((screen.state.link.settings.has_cpu || screen.state.link.settings.has_egpu));
        screen.click("Render/emulated GPU");
        CHECK(screen.state.link.settings.has_egpu);
    }

    TEST_CASE("dragging a handle over the picture moves the node in one step") {
        Screen screen([](ViewState& state) {
            state.sight.place = {0, 0, 500, 500};
            state.node_handles.use(true);
        });
        ViewState& state = screen.state;
        state.selection.path = scene::node_path(state.session.document.scene(), 0);
        state.selection.instance = 0;
        screen.draw();
        const auto& handles = state.node_handles.gizmo.handles();
        REQUIRE(!handles.empty());
        const ScreenPoint at = handles.back().line.front();  // the middle
        const math::Affine before = state.session.document.scene().instances[0].object_to_world;
        screen.move(at.x, at.y);
        screen.press(true);
        for (int step = 1; step <= 5; ++step) {
            screen.move(at.x + 10.0F * static_cast<float>(step), at.y);
        }
        screen.press(false);
        CHECK(state.session.document.scene().instances[0].object_to_world != before);
        CHECK(state.session.document.done().size() == 1);
        CHECK(state.session.document.undo());
        CHECK(state.session.document.scene().instances[0].object_to_world == before);
    }

    TEST_CASE(
        "a click on a light's sign selects it and its handles move and rotate it in one step") {
        Screen screen([](ViewState& state) {
            state.sight.place = {0, 0, 500, 500};
            state.light_handles.show_signs();
            state.light_handles.use(state.motion, state.node_handles.gizmo.tool, true);
        });
        ViewState& state = screen.state;
        REQUIRE(state.session.document
                    .edit({"lights/Spot",
                           R"({"kind": "spot", "position": [0.2, 1, 0], "direction": [0, -1, 0]})"})
                    .is_ok());
        const auto light = [&]() -> const scene::Light& {
            return state.session.document.scene().lights.back();
        };
        CHECK(state.selection.path.empty());
        screen.click("Light/Spot");
        CHECK(state.selection.path == "lights/Spot");
        const scene::Light before = light();
        const std::size_t steps = state.session.document.done().size();
        screen.draw();
        const ScreenPoint arm = state.light_handles.gizmo.handles().front().line.back();  // X's end
        screen.pull(arm.x, arm.y, 40, 0);
        CHECK(light().position[0] > before.position[0]);
        CHECK(light().position[1] == doctest::Approx(before.position[1]));
        CHECK(light().direction == before.direction);
        CHECK(state.session.document.done().size() == steps + 1);
        CHECK(state.session.document.undo());
        CHECK(light().position == before.position);
        state.node_handles.gizmo.tool = GizmoTool::Turn;
        screen.draw();
        const auto& ring =
            state.light_handles.gizmo.handles().back().line;  // about Z, seen face-on
        screen.pull(ring[6].x, ring[6].y, -30, -30);
        CHECK(light().position == before.position);
        CHECK(light().direction != before.direction);
        CHECK(length(light().direction) == doctest::Approx(1));
        CHECK(state.session.document.undo());
        CHECK(light().direction == before.direction);
        CHECK(state.session.document.done().size() == steps);
    }

    TEST_CASE("signs show while lights are listed or one is selected and a sun only if selected") {
        Screen screen([](ViewState& state) {
            state.sight.place = {0, 0, 500, 500};
            state.light_handles.use(state.motion, state.node_handles.gizmo.tool, true);
        });
        ViewState& state = screen.state;
        REQUIRE(
            state.session.document.edit({"lights/Point", R"({"position": [0, 1, 0]})"}).is_ok());
        REQUIRE(state.session.document.edit({"lights/Sun", R"({"kind": "directional"})"}).is_ok());
        screen.draw();
        screen.draw();
        CHECK(!state.ui.marks.find("Light/Point").has_value());
        state.light_handles.show_signs();
        screen.draw();
        CHECK(state.ui.marks.find("Light/Point").has_value());
        CHECK(!state.ui.marks.find("Light/Sun").has_value());
        state.selection.path = "lights/Sun";
        screen.draw();
        CHECK(state.ui.marks.find("Light/Point").has_value());
        CHECK(state.ui.marks.find("Light/Sun").has_value());
        for (const Gizmo::Handle& handle : state.light_handles.gizmo.handles()) {
            CHECK(handle.line.size() > 2);  // rings only: a sun has no place
        }
    }

    TEST_CASE("colours survive the round trip through display values") {
        for (const float linear : {0.0F, 0.001F, 0.18F, 0.5F, 1.0F, 12.0F}) {
            CHECK(linear_of_shown(shown_of_linear(linear)) ==
                  doctest::Approx(static_cast<double>(linear)).epsilon(1e-5));
        }
    }

    TEST_CASE("paths give names as people write them") {
        CHECK(shown_name("nodes/Chair~1old~2 ~0") == "Chair/old# ~");
        CHECK(shown_name("materials/Oak#2") == "Oak#2");
        CHECK(family_of("lights/Sun/intensity") == "lights");
        CHECK(family_of("environment") == "environment");
    }
}
