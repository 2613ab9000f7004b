// test_drawn_frame.cpp — which of ImGui's frames the window draws again.
#include <doctest/doctest.h>
#include <imgui.h>

#include "app/view/window/drawn_frame.h"

namespace weft::app {
namespace {

// An interface of one button, at 20..120 in a window of this width.
class OneButton {
public:
    OneButton() {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DeltaTime = 1.0F / 60;
        unsigned char* pixels = nullptr;
        int columns = 0;
        int rows = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &columns, &rows);
    }

    ~OneButton() { ImGui::DestroyContext(); }

    OneButton(const OneButton&) = delete;
    OneButton& operator=(const OneButton&) = delete;

    const ImDrawData& draw(float mouse_x, const char* label, float width = 400) {
        ImGui::GetIO().DisplaySize = ImVec2(width, 300);
        ImGui::GetIO().MousePos = ImVec2(mouse_x, 30);
        ImGui::NewFrame();
        ImGui::SetNextWindowPos(ImVec2(0, 0));
        ImGui::SetNextWindowSize(ImVec2(400, 300));
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration);
        ImGui::SetCursorPos(ImVec2(20, 20));
        ImGui::Button(label, ImVec2(100, 20));
        ImGui::End();
        ImGui::Render();
        return *ImGui::GetDrawData();
    }
};

}  // namespace

TEST_SUITE("app/view/drawn_frame") {
    TEST_CASE("a frame is drawn if its triangles or size or textures differ from the last one's") {
        OneButton button;
        DrawnFrame shown;
        for (int k = 0; k < 4; ++k) {
            shown.take(button.draw(300, "one"), 0);  // ImGui settles
        }
        CHECK(!shown.take(button.draw(300, "one"), 0));
        CHECK(!shown.take(button.draw(310, "one"), 0));  // the mouse moves over nothing
        CHECK(shown.take(button.draw(30, "one"), 0));    // the button lights up
        CHECK(!shown.take(button.draw(40, "one"), 0));
        CHECK(shown.take(button.draw(300, "one"), 0));
        CHECK(shown.take(button.draw(300, "two"), 0));
        CHECK(!shown.take(button.draw(300, "two"), 0));
        CHECK(shown.take(button.draw(300, "two", 500), 0));
        CHECK(!shown.take(button.draw(300, "two", 500), 0));
        CHECK(shown.take(button.draw(300, "two", 500), 1));
        CHECK(!shown.take(button.draw(300, "two", 500), 1));
        CHECK(DrawnFrame().take(button.draw(300, "two", 500), 1));
    }
}

}  // namespace weft::app
