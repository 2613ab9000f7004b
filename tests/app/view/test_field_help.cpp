// test_field_help.cpp — every field has help, and panels cut no label.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/view/models/field_help.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panels.h"
#include "tests/app/view/one_panel.h"

namespace weft::app::testing {

namespace {

// All fields of a material, a light, an object, the environment, the camera and the view.
std::vector<scene::EditField> all_fields() {
    scene::Scene scene;
    scene.materials.push_back({"clay", scene::default_material()});
    scene.meshes.push_back({"triangle", {}, 0});
    scene.instances.push_back({.mesh = 0, .material = 0, .node = "left"});
    scene.lights.push_back({.name = "lamp"});
    const scene::EditContext context;
    std::vector<scene::EditField> all;
    for (const char* const object : {"materials/clay",
                                     "lights/lamp",
                                     "nodes/left",
                                     "environment",
                                     "camera",
                                     "frame",
                                     "view"}) {
        const auto fields = scene::editable_fields(scene, context, object);
        CHECK_MESSAGE(!fields.empty(), object);
        all.insert(all.end(), fields.begin(), fields.end());
    }
    return all;
}

// How often the last frame draws a letter.
int count_drawn(ImWchar letter) {
    const ImFontGlyph* const glyph = ImGui::GetIO().Fonts->Fonts[0]->FindGlyph(letter);
    int count = 0;
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int list = 0; list < drawn.CmdListsCount; ++list) {
        for (const ImDrawVert& corner : drawn.CmdLists[list]->VtxBuffer) {
            count += corner.uv.x == glyph->U0 && corner.uv.y == glyph->V0 ? 1 : 0;
        }
    }
    return count;
}

}  // namespace

TEST_SUITE("app/view/field_help") {
    TEST_CASE("each field has help in whole sentences") {
        for (const scene::EditField& field : all_fields()) {
            const std::string help(field_help(field.path));
            CHECK_MESSAGE(help.size() > 30, field.path);
            CHECK_MESSAGE(help.ends_with('.'), field.path);
            CHECK_MESSAGE(help.find('_') == std::string::npos, (field.path + ": " + help));
        }
        CHECK(field_help("materials/roughness/nothing").empty());
        CHECK(field_help("environment").empty());
    }

    TEST_CASE("a tip names the field for the command line only at its end") {
        const scene::EditField field = all_fields().front();
        const std::string tip = tip_of(field);
        CHECK(tip.starts_with(field_help(field.path)));
        CHECK(tip.find(field.path) == tip.rfind("\n--set ") + 7);
    }

    TEST_CASE("a narrow panel cuts no label") {
        using Panel = void (*)(ViewState&);
        for (const Panel panel :
             {Panel([](ViewState& s) { s.material.draw(); }),
              Panel([](ViewState& s) { draw_environment(s.session, s.picture_rows); }),
              Panel([](ViewState& s) { draw_camera(s.session, s.selection, s.motion, s.ui); }),
              Panel([](ViewState& s) { draw_view_panel(s.session, s.link, s.ui); }),
              Panel([](ViewState& s) { draw_render_settings(s.session, s.link, s.ui); })}) {
            Screen screen(panel);
            screen.state.selection.path = "materials/white";
            screen.state.selection.material = 2;
            for (const float width : {240.0F, 330.0F, 500.0F}) {
                screen.width = width;
                screen.draw();
                CHECK(count_drawn('e') > 0);
                // The test's font lacks "…", so the fallback glyph counts all letters that it
                // lacks.
                CHECK(count_drawn(L'…') == 0);
            }
        }
    }
}

}  // namespace weft::app::testing
