// test_input_script.cpp — scripts of input events: their commands, their errors, and how events
// reach ImGui frame by frame.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <GLFW/glfw3.h>
#include <doctest/doctest.h>
#include <imgui.h>

#include "app/view/script/input_script.h"

namespace weft::app {

TEST_SUITE("app/view/input_script") {
    TEST_CASE("words are split at spaces but not within quotes and comments are skipped") {
        const auto lines =
            parse_script("s", "# a remark\n\nclick \"File/Open recent\"\n mouse 1 2\n");
        REQUIRE(lines.is_ok());
        REQUIRE(lines.value().size() == 2);
        CHECK(lines.value()[0].number == 3);
        CHECK(lines.value()[0].words[1] == "File/Open recent");
        CHECK(lines.value()[1].words.size() == 3);
    }

    TEST_CASE("an unknown command is refused with its file and line number") {
        for (const char* const text : {"wait picture\nclik 1 2\n",
                                       "wait done\nmouse 1\n",
                                       "quit\nkey ctrl+nokey\n",
                                       "quit\npress nose\n",
                                       "quit\nrush ctrl+o nokey\n",
                                       "quit\ndrag 1 2 3 4 nose\n"}) {
            const auto lines = parse_script("events.txt", text);
            REQUIRE(!lines.is_ok());
            CHECK(lines.error().sentence.find("events.txt:2: ") == 0);
            CHECK(lines.error().sentence.find("expected") != std::string::npos);
        }
    }

    TEST_CASE("keys have the names that people write") {
        CHECK(keys_named("F1") == std::vector<int>{GLFW_KEY_F1});
        CHECK(keys_named("ctrl+shift+z") ==
              std::vector<int>{GLFW_KEY_LEFT_CONTROL, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_Z});
        CHECK(keys_named("escape") == std::vector<int>{GLFW_KEY_ESCAPE});
        CHECK(keys_named("ctrl+").empty());
        CHECK(keys_named("F13").empty());
    }

    TEST_CASE("a click faster than a frame is seen as down and then up") {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        InputQueue queue;
        queue.push({.kind = InputKind::MouseMove, .x = 5, .y = 6});
        queue.push({.kind = InputKind::MouseButton, .code = 0, .is_down = true});
        queue.push({.kind = InputKind::MouseButton, .code = 0, .is_down = false});
        queue.push({.kind = InputKind::MouseMove, .x = 50, .y = 60});
        CHECK(queue.feed(io));
        CHECK(io.MouseDown[0]);
        CHECK(io.MousePos.x == 5);
        CHECK(queue.feed(io));
        CHECK(!io.MouseDown[0]);
        CHECK(io.MousePos.x == 5);  // where the button was released
        CHECK(queue.feed(io));
        CHECK(io.MousePos.x == 50);
        CHECK(!queue.feed(io));
        ImGui::DestroyContext();
    }

    // The keys that a shortcut sees go down in each frame, with ImGui's state of Ctrl.
    std::vector<std::pair<int, bool>> strokes_of(InputQueue & queue) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        std::vector<std::pair<int, bool>> strokes;
        std::array<bool, 512> was_down{};
        while (queue.feed(io)) {
            for (int key = 0; key < 340; ++key) {
                const auto at = static_cast<std::size_t>(key);
                if (io.KeysDown[key] && !was_down[at]) {
                    strokes.emplace_back(key, io.KeyCtrl);
                }
                was_down[at] = io.KeysDown[key];
            }
        }
        ImGui::DestroyContext();
        return strokes;
    }

    TEST_CASE("a key has the modifiers that were down when it went down") {
        InputQueue queue;
        const auto push = [&queue](int key, bool is_down) {
            queue.push({.kind = InputKind::Key, .code = key, .is_down = is_down});
        };
        push(GLFW_KEY_LEFT_CONTROL, true);
        push(GLFW_KEY_O, true);
        push(GLFW_KEY_LEFT_CONTROL, false);  // released before the letter, within one frame
        push(GLFW_KEY_B, true);
        push(GLFW_KEY_RIGHT_CONTROL, true);  // pressed after the letter
        push(GLFW_KEY_O, false);
        push(GLFW_KEY_B, false);
        push(GLFW_KEY_P, true);
        const std::vector<std::pair<int, bool>> expected = {
            {GLFW_KEY_O, true}, {GLFW_KEY_B, false}, {GLFW_KEY_P, true}};
        CHECK(strokes_of(queue) == expected);
    }

    TEST_CASE("two keys that go down together take two frames") {
        InputQueue queue;
        queue.push({.kind = InputKind::Key, .code = GLFW_KEY_G, .is_down = true});
        queue.push({.kind = InputKind::Key, .code = GLFW_KEY_S, .is_down = true});
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        queue.feed(io);
        CHECK(io.KeysDown[GLFW_KEY_G]);
        CHECK(!io.KeysDown[GLFW_KEY_S]);
        queue.feed(io);
        CHECK(io.KeysDown[GLFW_KEY_S]);
        ImGui::DestroyContext();
    }

    TEST_CASE("a click and a wheel step keep their modifiers") {
        for (const InputEvent& event :
             {InputEvent{.kind = InputKind::MouseButton, .code = 0, .is_down = true},
              InputEvent{.kind = InputKind::Scroll, .y = 1}}) {
            ImGui::CreateContext();
            ImGuiIO& io = ImGui::GetIO();
            InputQueue queue;
            queue.push({.kind = InputKind::Key, .code = GLFW_KEY_LEFT_SHIFT, .is_down = true});
            queue.push(event);
            queue.push({.kind = InputKind::Key, .code = GLFW_KEY_LEFT_SHIFT, .is_down = false});
            queue.feed(io);
            CHECK(io.KeyShift);
            CHECK((io.MouseDown[0] || io.MouseWheel == 1));
            queue.feed(io);
            CHECK(!io.KeyShift);
            ImGui::DestroyContext();
        }
    }

    TEST_CASE("a key after a click waits for the frame in which the click opened a field") {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        InputQueue queue;
        queue.push({.kind = InputKind::MouseButton, .code = 0, .is_down = true});
        queue.push({.kind = InputKind::Key, .code = GLFW_KEY_7, .is_down = true});
        queue.feed(io);
        CHECK(io.MouseDown[0]);
        CHECK(!io.KeysDown[GLFW_KEY_7]);
        queue.feed(io);
        CHECK(io.KeysDown[GLFW_KEY_7]);
        ImGui::DestroyContext();
    }

    TEST_CASE("a rush of keys releases modifiers first and types plain letters") {
        FrameEvents frames;
        const std::vector<std::string> words = {"ctrl+o", "7"};
        add_rush(frames, words);
        REQUIRE(frames.size() == 1);
        REQUIRE(frames[0].size() == 7);
        CHECK(frames[0][2].code == GLFW_KEY_LEFT_CONTROL);
        CHECK(!frames[0][2].is_down);
        CHECK(frames[0][5].kind == InputKind::Text);
    }

    TEST_CASE("held keys set the modifiers that ImGui sees") {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        InputQueue queue;
        queue.push({.kind = InputKind::Key, .code = GLFW_KEY_RIGHT_CONTROL, .is_down = true});
        queue.feed(io);
        CHECK(io.KeyCtrl);
        queue.push({.kind = InputKind::Key, .code = GLFW_KEY_RIGHT_CONTROL, .is_down = false});
        queue.feed(io);
        CHECK(!io.KeyCtrl);
        ImGui::DestroyContext();
    }

    TEST_CASE("a window that lost its content says so once") {
        ImGui::CreateContext();
        InputQueue queue;
        queue.push({.kind = InputKind::Refresh});
        CHECK(!queue.take_refresh());  // not before its frame
        CHECK(queue.feed(ImGui::GetIO()));
        CHECK(queue.take_refresh());
        CHECK(!queue.take_refresh());
        ImGui::DestroyContext();
    }

    TEST_CASE("text is typed letter by letter in any script") {
        FrameEvents frames;
        add_text(frames, "a\u00e9\u0416\u65e5");
        REQUIRE(frames.size() == 1);
        std::vector<int> letters;
        for (const InputEvent& event : frames.front()) {
            letters.push_back(event.code);
        }
        CHECK(letters == std::vector<int>{'a', 0xE9, 0x416, 0x65E5});
    }

    TEST_CASE("a drag presses at its first point and releases at its last") {
        FrameEvents frames;
        add_drag(frames, {10, 20}, {30, 60}, 2);
        REQUIRE(frames.size() > 4);
        CHECK(frames[0][0].x == 10);
        CHECK(frames[1][0].is_down);
        CHECK(frames[1][0].code == 2);
        CHECK(frames[frames.size() - 2][0].x == 30);
        CHECK(frames[frames.size() - 2][0].y == 60);
        CHECK(frames.back()[0].kind == InputKind::MouseButton);
        CHECK(!frames.back()[0].is_down);
    }
}

}  // namespace weft::app
