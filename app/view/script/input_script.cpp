#include "app/view/script/input_script.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <map>

#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include "scheduler/base/input_file.h"

namespace weft::app {

namespace {

constexpr u32 kDragSteps = 12;

// The number of words that may follow a command.
struct Shape {
    std::size_t least = 0;
    std::size_t most = 0;
};

const std::map<std::string, Shape, std::less<>>& commands() {
    static const std::map<std::string, Shape, std::less<>> shapes = {
        {"wait", {1, 2}},      {"mouse", {2, 2}},        {"press", {1, 1}},    {"release", {1, 1}},
        {"click", {1, 2}},     {"double-click", {2, 2}}, {"drag", {5, 5}},     {"scroll", {1, 1}},
        {"type", {1, 1}},      {"key", {1, 1}},          {"hold", {1, 1}},     {"let", {1, 1}},
        {"drop", {1, 64}},     {"resize", {2, 2}},       {"minimise", {0, 0}}, {"close", {0, 0}},
        {"restore", {0, 0}},   {"screenshot", {1, 1}},   {"save", {1, 1}},     {"hash", {1, 1}},
        {"names", {1, 1}},     {"expect", {1, 1}},       {"refuse", {1, 1}},   {"quit", {0, 0}},
        {"clipboard", {1, 1}}, {"say", {1, 1}},          {"rush", {1, 64}},
    };
    return shapes;
}

std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::size_t at = 0;
    while (at < line.size()) {
        if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
            ++at;
        } else if (line[at] == '"') {
            const std::size_t end = std::min(line.find('"', at + 1), line.size());
            words.push_back(line.substr(at + 1, end - at - 1));
            at = end + 1;
        } else {
            const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
            words.push_back(line.substr(at, end - at));
            at = end;
        }
    }
    return words;
}

const std::map<std::string, int, std::less<>>& named_keys() {
    static const std::map<std::string, int, std::less<>> keys = {
        {"ctrl", GLFW_KEY_LEFT_CONTROL},
        {"shift", GLFW_KEY_LEFT_SHIFT},
        {"alt", GLFW_KEY_LEFT_ALT},
        {"escape", GLFW_KEY_ESCAPE},
        {"enter", GLFW_KEY_ENTER},
        {"tab", GLFW_KEY_TAB},
        {"space", GLFW_KEY_SPACE},
        {"backspace", GLFW_KEY_BACKSPACE},
        {"delete", GLFW_KEY_DELETE},
        {"home", GLFW_KEY_HOME},
        {"end", GLFW_KEY_END},
        {"pageup", GLFW_KEY_PAGE_UP},
        {"pagedown", GLFW_KEY_PAGE_DOWN},
        {"left", GLFW_KEY_LEFT},
        {"right", GLFW_KEY_RIGHT},
        {"up", GLFW_KEY_UP},
        {"down", GLFW_KEY_DOWN},
        {"[", GLFW_KEY_LEFT_BRACKET},
        {"]", GLFW_KEY_RIGHT_BRACKET},
        {",", GLFW_KEY_COMMA},
        {".", GLFW_KEY_PERIOD},
        {"-", GLFW_KEY_MINUS},
        {"=", GLFW_KEY_EQUAL},
    };
    return keys;
}

int key_named(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    const auto found = named_keys().find(name);
    if (found != named_keys().end()) {
        return found->second;
    }
    if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'z') {
        return GLFW_KEY_A + (name[0] - 'a');
    }
    if (name.size() == 1 && name[0] >= '0' && name[0] <= '9') {
        return GLFW_KEY_0 + (name[0] - '0');
    }
    for (int number = 1; number <= 12; ++number) {
        if (name == fmt::format("f{}", number)) {
            return GLFW_KEY_F1 + number - 1;
        }
    }
    return GLFW_KEY_UNKNOWN;
}

InputEvent moved_to(ScriptPoint at) {
    return {.kind = InputKind::MouseMove, .x = at.x, .y = at.y};
}

InputEvent button_event(int button, bool is_down) {
    return {.kind = InputKind::MouseButton, .code = button, .is_down = is_down};
}

}  // namespace

std::vector<int> keys_named(const std::string& name) {
    std::vector<int> keys;
    std::size_t at = 0;
    while (at <= name.size()) {
        const std::size_t end = std::min(name.find('+', at), name.size());
        const int key = key_named(name.substr(at, end - at));
        if (key == GLFW_KEY_UNKNOWN) {
            return {};
        }
        keys.push_back(key);
        at = end + 1;
    }
    return keys;
}

std::optional<int> button_named(const std::string& name) {
    constexpr std::array<const char*, 3> kNames = {"left", "right", "middle"};
    for (std::size_t k = 0; k < kNames.size(); ++k) {
        if (name == kNames[k]) {
            return static_cast<int>(k);
        }
    }
    return std::nullopt;
}

base::Result<std::vector<ScriptLine>> parse_script(const std::string& path,
                                                   const std::string& text) {
    std::vector<ScriptLine> lines;
    std::istringstream stream(text);
    u32 number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        std::vector<std::string> words = words_of(line);
        if (words.empty() || words.front().starts_with('#')) {
            continue;
        }
        const auto known = commands().find(words.front());
        const auto refuse = [&](const std::string& expected) {
            return base::Error{
                base::ErrorKind::Usage,
                fmt::format("{}:{}: found '{}'; expected {}", path, number, line, expected)};
        };
        if (known == commands().end()) {
            return refuse("a command such as wait, click, drag, key, type, screenshot or quit");
        }
        const std::size_t count = words.size() - 1;
        if (count < known->second.least || count > known->second.most) {
            return refuse(fmt::format("{} with {} to {} words behind it",
                                      words.front(),
                                      known->second.least,
                                      known->second.most));
        }
        const bool is_key =
            words.front() == "key" || words.front() == "hold" || words.front() == "let";
        const auto is_no_key = [](const std::string& word) { return keys_named(word).empty(); };
        if ((is_key && is_no_key(words[1])) ||
            (words.front() == "rush" && std::any_of(words.begin() + 1, words.end(), is_no_key))) {
            return refuse("keys such as F1, ctrl+z or escape");
        }
        const bool is_button = words.front() == "press" || words.front() == "release";
        if ((is_button && !button_named(words[1])) ||
            (words.front() == "drag" && !button_named(words[5]))) {
            return refuse("left, right or middle as the button");
        }
        lines.push_back({number, std::move(words)});
    }
    return lines;
}

base::Result<std::vector<ScriptLine>> read_script(const std::string& path) {
    const auto bytes =
        base::read_input_file(path, "a script of input events", base::kMostTextBytes);
    return bytes.is_ok() ? parse_script(path, std::string(base::as_text(bytes.value())))
                         : base::Error{base::ErrorKind::Usage, bytes.error().sentence};
}

void add_click(FrameEvents& frames, ScriptPoint at, int button, u32 times) {
    frames.push_back({moved_to(at)});
    for (u32 k = 0; k < times; ++k) {
        frames.push_back({button_event(button, true)});
        frames.push_back({button_event(button, false)});
    }
}

void add_drag(FrameEvents& frames, ScriptPoint from, ScriptPoint to, int button) {
    frames.push_back({moved_to(from)});
    frames.push_back({button_event(button, true)});
    for (u32 k = 1; k <= kDragSteps; ++k) {
        const float share = static_cast<float>(k) / static_cast<float>(kDragSteps);
        frames.push_back(
            {moved_to({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share})});
    }
    frames.push_back({button_event(button, false)});
}

void add_keys(FrameEvents& frames, const std::vector<int>& keys) {
    for (const int key : keys) {
        frames.push_back({{.kind = InputKind::Key, .code = key, .is_down = true}});
    }
    for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
        frames.push_back({{.kind = InputKind::Key, .code = *key, .is_down = false}});
    }
}

void add_rush(FrameEvents& frames, std::span<const std::string> words) {
    std::vector<InputEvent> events;
    const auto add = [&events](int key, bool is_down) {
        events.push_back({.kind = InputKind::Key, .code = key, .is_down = is_down});
    };
    for (const std::string& word : words) {
        const std::vector<int> keys = keys_named(word);
        for (const int key : keys) {
            add(key, true);
        }
        if (word.size() == 1) {
            events.push_back({.kind = InputKind::Text, .code = word[0]});
        }
        for (const int key : keys) {  // modifiers first: the rush releases Ctrl before the letter
            add(key, false);
        }
    }
    frames.push_back(std::move(events));
}

void add_text(FrameEvents& frames, const std::string& text) {
    std::vector<InputEvent> letters;
    for (const char* at = text.data(); at < text.data() + text.size();) {
        unsigned letter = 0;
        at += ImTextCharFromUtf8(&letter, at, text.data() + text.size());
        letters.push_back({.kind = InputKind::Text, .code = static_cast<int>(letter)});
    }
    frames.push_back(std::move(letters));
}

}  // namespace weft::app
