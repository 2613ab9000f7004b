// one_panel.h — ImGui with one panel in one window over the Cornell box, without a display, for
// tests that use the panel by mouse.
//
// One at a time: ImGui has one context.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/view/shell/view_state.h"
#include "engine/scene/import.h"

namespace weft::app::testing {

// An interface of one window that shows one panel.
class Screen {
public:
    explicit Screen(void (*panel)(ViewState&)) : panel_(panel) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = ImVec2(1200, 1600);
        io.DeltaTime = 1.0F / 60;
        unsigned char* pixels = nullptr;
        int columns = 0;
        int rows = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &columns, &rows);
        auto scene = scene::import_scene({WEFT_SOURCE_DIR "/scenes/cornell.gltf"}, {});
        REQUIRE(scene.is_ok());
        scene::complete_scene(scene.value());
        scene::EditContext context;
        context.camera = scene.value().cameras.front();
        state.session.document.open(std::make_shared<const scene::Scene>(std::move(scene.value())),
                                    context);
        draw();
    }

    ~Screen() { ImGui::DestroyContext(); }

    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    void draw() {
        ImGui::NewFrame();
        ImGui::SetNextWindowPos(ImVec2(0, 0));
        ImGui::SetNextWindowSize(ImVec2(width, 1600));
        ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
        panel_(state);
        ImGui::End();
        ImGui::Render();
        state.ui.marks.end_frame();
    }

    void move(float x, float y) {
        ImGui::GetIO().MousePos = ImVec2(x, y);
        draw();
    }

    void press(bool is_down) {
        ImGui::GetIO().MouseDown[0] = is_down;
        draw();
    }

    ImVec2 place_of(const std::string& name) {
        draw();
        const auto place = state.ui.marks.find(name);
        REQUIRE_MESSAGE(place.has_value(), name);
        return place->middle();
    }

    void click(const std::string& name) {
        const ImVec2 at = place_of(name);
        move(at.x, at.y);
        press(true);
        press(false);
    }

    // A drag with the left button, in five steps.
    void pull(float x, float y, float by_x, float by_y) {
        move(x, y);
        press(true);
        for (int step = 1; step <= 5; ++step) {
            const float share = static_cast<float>(step) / 5;
            move(x + by_x * share, y + by_y * share);
        }
        press(false);
    }

    ViewState state;
    float width = 500;  // of the window

private:
    void (*panel_)(ViewState&);
};

}  // namespace weft::app::testing
