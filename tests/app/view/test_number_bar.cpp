// test_number_bar.cpp — number bars dragged and typed into by a mouse without a window.
#include <string>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/view/models/object_name.h"
#include "app/view/panels/panels.h"
#include "app/view/window/number_bar.h"
#include "tests/app/view/one_panel.h"

using namespace weft;
using namespace weft::app;
using weft::app::testing::Screen;

namespace {

// The panel of a metal material, with its roughness in view.
struct Roughness {
    Roughness() : screen([](ViewState& state) { state.material.draw(); }) {
        screen.state.selection.path =
            scene::material_path(screen.state.session.document.scene(), 1);
        screen.state.selection.material = 1;
        at = screen.place_of("Material/Roughness");
    }

    [[nodiscard]] float value() const {
        return screen.state.session.document.scene().materials[1].record.roughness;
    }

    Screen screen;
    ImVec2 at{};
};

}  // namespace

TEST_SUITE("app/view/number_bar") {
    TEST_CASE("a click anywhere on a number's bar keeps the number") {
        Roughness bar;
        const float before = bar.value();
        for (const float aside : {-40.0F, 0.0F, 30.0F}) {
            bar.screen.move(bar.at.x + aside, bar.at.y);
            for (int frame = 0; frame < 40;
                 ++frame) {  // wait, so that no two clicks are a double-click
                bar.screen.draw();
            }
            bar.screen.press(true);
            bar.screen.press(false);
        }
        CHECK(bar.value() == before);
        CHECK(bar.screen.state.session.document.done().empty());
    }

    TEST_CASE("a double-click opens a text field for the number") {
        Roughness bar;
        bar.screen.move(bar.at.x + 25, bar.at.y);
        for (int click = 0; click < 2; ++click) {
            bar.screen.press(true);
            bar.screen.press(false);
        }
        CHECK(bar.screen.state.session.document.done().empty());
        CHECK(ImGui::GetIO().WantTextInput);
        for (const char letter : std::string("0.25")) {
            ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
        }
        bar.screen.draw();
        bar.screen.move(bar.at.x, bar.at.y + 400);
        bar.screen.press(true);
        bar.screen.press(false);
        CHECK(bar.value() == 0.25F);
        CHECK(bar.screen.state.session.document.done().size() == 1);
    }

    TEST_CASE("a seed of the whole range is typed and one beyond it becomes the nearest") {
        Screen screen([](ViewState& s) { draw_render_settings(s.session, s.link, s.ui); });
        const auto typed = [&screen](const std::string& text) {
            const ImVec2 at = screen.place_of("Render/Seed");
            screen.move(at.x, at.y);
            for (int frame = 0; frame < 60; ++frame) {
                screen.draw();  // a click long ago makes no double-click of this one
            }
            for (int click = 0; click < 2; ++click) {
                screen.press(true);
                screen.press(false);
            }
            for (const char letter : text) {
                ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
            }
            screen.draw();
            screen.move(at.x, 1500);
            screen.press(true);
            screen.press(false);
            return screen.state.link.settings.seed;
        };
        CHECK(typed("4294967295") == 4294967295U);
        CHECK(typed("16777217") == 16777217U);
        CHECK(typed("4294967296") == 4294967295U);
        CHECK(typed("-5") == 0);
    }

    TEST_CASE("a drag starts from the number and not from the mouse's place") {
        Roughness bar;
        const float before = bar.value();
        REQUIRE(before == 1);
        bar.screen.pull(bar.at.x - 60, bar.at.y, -12, 0);
        CHECK(bar.value() < before);
        CHECK(bar.value() > before - 0.2F);
    }

    TEST_CASE("a bar is filled to its number's place in the range") {
        CHECK(bar_share(0.25F, 0, 1, false, 0.001F) == doctest::Approx(0.25));
        CHECK(bar_share(-5, 0, 1, false, 0.001F) == 0);
        CHECK(bar_share(7, 0, 1, false, 0.001F) == 1);
        CHECK(bar_share(10, 1, 100, true, 0.001F) == doctest::Approx(0.5));
        CHECK(bar_share(0, 0, 100, true, 0.01F) == 0);
        CHECK(bar_share(1, 0, 100, true, 0.01F) == doctest::Approx(0.5));
    }
}
