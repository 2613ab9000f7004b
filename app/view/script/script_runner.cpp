#include "app/view/script/script_runner.h"

#include <charconv>
#include <fmt/format.h>

#include "app/command/messages.h"
#include "app/view/session/picture_sight.h"
#include "app/view/session/render_link.h"
#include "app/view/session/save_picture.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_scene.h"
#include "app/view/viewport/viewport.h"
#include "app/view/window/window.h"
#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

// Frames after an event until its effect is drawn: one for the event, one for windows that open,
// one for their content.
constexpr u32 kSettleFrames = 3;
// The most frames to wait for a widget to appear.
constexpr u32 kMostWaits = 1200;

std::optional<float> number_of(const std::string& word) {
    float number = 0;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number);
    return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

base::Status write_text(const std::string& path, const std::string& text) {
    auto file = film::WholeFile::open(path);
    WEFT_TRY(file);
    file.value().write_at(text.data(), text.size(), 0);
    return file.value().commit();
}

base::Status write_hash(live::LiveRender& live, const std::string& path) {
    const auto hash = live.film_hash();
    WEFT_TRY(hash);
    return write_text(path, hash.value() + '\n');
}

bool is_shown(const ScriptWorld& world) {
    return world.link.scene != nullptr && world.link.effect == scene::kEffectNone &&
           world.link.job > 0 && world.viewport.shown_job() == world.link.job &&
           !is_closing_section(world.session, world.link);
}

}  // namespace

base::Error ScriptRunner::refusal(const ScriptLine& line, const std::string& what) const {
    return {base::ErrorKind::Render, fmt::format("{}:{}: {}", path_, line.number, what)};
}

base::Result<ScriptPoint> ScriptRunner::point(const ScriptWorld& world,
                                              const ScriptLine& line,
                                              std::size_t first) const {
    const PicturePlace& place = world.sight.place;
    ScriptPoint point;
    for (std::size_t k = 0; k < 2; ++k) {
        std::string word = line.words[first + k];
        const bool is_share = word.ends_with('%');
        if (is_share) {
            word.pop_back();
        }
        const auto number = number_of(word);
        if (!number) {
            return refusal(line,
                           fmt::format("found '{}'; expected a number", line.words[first + k]));
        }
        const float low = k == 0 ? place.x : place.y;
        const float size = k == 0 ? place.width : place.height;
        (k == 0 ? point.x : point.y) = is_share ? low + *number / 100 * size : *number;
    }
    return point;
}

base::Result<ScriptRunner::Step> ScriptRunner::wait_for(const ScriptWorld& world,
                                                        const ScriptLine& line) {
    const std::string& what = line.words[1];
    const float number =
        line.words.size() > 2 ? number_of(line.words[2]).value_or(-1) : -1;  // -1: none
    const auto when = [](bool is_there) { return is_there ? Step::Next : Step::Wait; };
    if (!world.link.status.error.empty() && world.link.status.job == world.link.job) {
        return refusal(line, "the renderer failed: " + world.link.status.error);
    }
    if (what == "scene") {
        return when(!world.session.loader.is_loading());
    }
    if (what == "map") {
        return when(!world.session.picture_reader.is_busy());
    }
    if (what == "saved") {
        return when(!world.link.saver.is_busy());
    }
    if (what == "picture") {
        return when(is_shown(world));
    }
    if (what == "done") {
        const live::LivePicture& picture = world.viewport.picture();
        const bool has_samples = picture.display != live::LiveDisplay::Rendered ||
                                 picture.samples >= world.link.settings.samples_per_pixel;
        return when(is_shown(world) && picture.display == world.link.view.display && has_samples &&
                    world.link.status.state == live::LiveState::Done);
    }
    if (what == "samples" && number >= 0) {
        return when(is_shown(world) &&
                    static_cast<float>(world.viewport.picture().samples) >= number);
    }
    if (what == "frames" && number >= 0) {
        return when(static_cast<float>(waited_) >= number);
    }
    return refusal(
        line,
        fmt::format("found '{}'; expected scene, map, picture, done, saved, samples N or frames N",
                    what));
}

base::Result<ScriptRunner::Step> ScriptRunner::press_names(const ScriptWorld& world,
                                                           const ScriptLine& line) {
    const auto place = world.ui.marks.find(line.words[1]);
    if (line.words[0] == "refuse") {
        return place ? refusal(line, fmt::format("'{}' is there", line.words[1]))
                     : base::Result<Step>(Step::Next);
    }
    if (!place) {
        if (waited_ > kMostWaits) {
            return refusal(line,
                           fmt::format("'{}' did not appear; expected a widget of this name "
                                       "(`names FILE` lists them)",
                                       line.words[1]));
        }
        return Step::Wait;
    }
    if (line.words[0] == "expect") {
        return Step::Next;
    }
    add_click(frames_, {place->middle().x, place->middle().y}, 0, 1);
    return Step::Next;
}

base::Result<ScriptRunner::Step> ScriptRunner::write_file(const ScriptWorld& world,
                                                          const ScriptLine& line) {
    const std::string& path = line.words[1];
    if (line.words[0] == "screenshot") {
        screenshot_ = path;
        return Step::Next;
    }
    if (line.words[0] == "names" || line.words[0] == "clipboard") {
        const char* const clipboard = ImGui::GetClipboardText();
        std::string text = clipboard == nullptr ? "\n" : std::string(clipboard) + '\n';
        if (line.words[0] == "names") {
            text.clear();
            for (const auto& [name, place] : world.ui.marks.all()) {
                text += fmt::format("{}\t{:.0f} {:.0f} {:.0f} {:.0f}\n",
                                    name,
                                    place.low.x,
                                    place.low.y,
                                    place.high.x,
                                    place.high.y);
            }
        }
        WEFT_TRY(write_text(path, text));
        return Step::Next;
    }
    if (line.words[0] == "save") {
        if (waited_ == 0) {
            save_picture(world.session, world.link, world.ui, path);
        }
        if (world.ui.message.is_error) {
            return refusal(line, world.ui.message.text);
        }
        return world.link.saver.is_busy() ? Step::Wait : Step::Next;
    }
    if (!writing_.valid()) {
        writing_ = std::async(std::launch::async,
                              [&live = *world.link.live, path] { return write_hash(live, path); });
    }
    if (writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        return Step::Wait;
    }
    const base::Status written = writing_.get();
    return written.is_ok() ? base::Result<Step>(Step::Next)
                           : refusal(line, written.error().sentence);
}

base::Result<ScriptRunner::Step> ScriptRunner::use_window(const ScriptWorld& world,
                                                          const ScriptLine& line) {
    const std::string& command = line.words[0];
    if (command == "quit") {
        if (world.session.files.autosave != nullptr) {
            world.session.files.autosave->discard();
        }
        world.ui.is_quit_wanted = true;
    } else if (command == "close") {
        world.window.ask_to_close();
    } else if (command == "say") {
        put_on_stderr(line.words[1] + "\n");
    } else if (command == "minimise" || command == "restore") {
        world.window.minimise(command == "minimise");
    } else if (command == "drop") {
        InputEvent event{.kind = InputKind::Files};
        event.files.assign(line.words.begin() + 1, line.words.end());
        frames_.push_back({std::move(event)});
    } else {
        const auto width = number_of(line.words[1]);
        const auto height = number_of(line.words[2]);
        if (!width || !height || *width < 1 || *height < 1) {
            return refusal(line, "expected a width and a height in pixels");
        }
        world.window.resize(static_cast<u32>(*width), static_cast<u32>(*height));
    }
    return Step::Next;
}

base::Result<ScriptRunner::Step> ScriptRunner::use_keys(const ScriptLine& line) {
    const std::string& command = line.words[0];
    if (command == "type") {
        add_text(frames_, line.words[1]);
        return Step::Next;
    }
    if (command == "rush") {
        add_rush(frames_, std::span(line.words).subspan(1));
        return Step::Next;
    }
    const std::vector<int> keys = keys_named(line.words[1]);
    if (command == "key") {
        add_keys(frames_, keys);
    } else {
        for (const int key : keys) {
            frames_.push_back(
                {{.kind = InputKind::Key, .code = key, .is_down = command == "hold"}});
        }
    }
    return Step::Next;
}

base::Result<ScriptRunner::Step> ScriptRunner::use_mouse(const ScriptWorld& world,
                                                         const ScriptLine& line) {
    const std::string& command = line.words[0];
    if (command == "scroll") {
        const auto steps = number_of(line.words[1]);
        if (!steps) {
            return refusal(line, fmt::format("found '{}'; expected a number", line.words[1]));
        }
        frames_.push_back({{.kind = InputKind::Scroll, .y = *steps}});
        return Step::Next;
    }
    if (command == "press" || command == "release") {
        frames_.push_back({{.kind = InputKind::MouseButton,
                            .code = *button_named(line.words[1]),
                            .is_down = command == "press"}});
        return Step::Next;
    }
    const auto at = point(world, line, 1);
    WEFT_TRY(at);
    if (command == "mouse") {
        frames_.push_back({{.kind = InputKind::MouseMove, .x = at.value().x, .y = at.value().y}});
    } else if (command == "drag") {
        const auto to = point(world, line, 3);
        WEFT_TRY(to);
        add_drag(frames_, at.value(), to.value(), *button_named(line.words[5]));
    } else {
        add_click(frames_, at.value(), 0, command == "double-click" ? 2 : 1);
    }
    return Step::Next;
}

base::Result<ScriptRunner::Step> ScriptRunner::begin(const ScriptWorld& world,
                                                     const ScriptLine& line) {
    const std::string& command = line.words[0];
    if (command == "wait") {
        return wait_for(world, line);
    }
    if (command == "expect" || command == "refuse" ||
        (command == "click" && line.words.size() == 2)) {
        return press_names(world, line);
    }
    if (command == "screenshot" || command == "save" || command == "hash" || command == "names" ||
        command == "clipboard") {
        return write_file(world, line);
    }
    if (command == "key" || command == "hold" || command == "let" || command == "type" ||
        command == "rush") {
        return use_keys(line);
    }
    if (command == "quit" || command == "resize" || command == "minimise" || command == "restore" ||
        command == "drop" || command == "say" || command == "close") {
        return use_window(world, line);
    }
    return use_mouse(world, line);
}

base::Status ScriptRunner::step(const ScriptWorld& world) {
    awaits_work_ = false;
    if (!frames_.empty()) {
        for (InputEvent& event : frames_.front()) {
            world.input.push(std::move(event));
        }
        frames_.pop_front();
        settled_ = 0;
        return base::Done{};
    }
    if (is_done() || ++settled_ <= kSettleFrames) {
        return base::Done{};
    }
    const ScriptLine& line = lines_[at_];
    const auto outcome = begin(world, line);
    WEFT_TRY(outcome);
    ++waited_;
    awaits_work_ =
        outcome.value() == Step::Wait && line.words[0] == "wait" && line.words[1] != "frames";
    if (outcome.value() == Step::Next) {
        ++at_;
        waited_ = 0;
    }
    return base::Done{};
}

}  // namespace weft::app
