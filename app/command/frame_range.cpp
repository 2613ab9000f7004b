#include "app/command/frame_range.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "app/command/option_values.h"
#include "app/command/render_values.h"

namespace weft::app {

namespace {

// Frames of one command: a typing error must not fill the memory.
constexpr std::size_t kMostFrames = 1'000'000;

// One part of the list: N, A..B, A-B, or one of these with xSTEP behind it.
bool append_part(std::string_view part, std::vector<u32>& frames) {
    u32 step = 1;
    if (const std::size_t at = part.find('x'); at != std::string_view::npos) {
        step = number_of<u32>(part.substr(at + 1)).value_or(0);
        part = part.substr(0, at);
    }
    std::size_t dash = part.find("..");
    std::size_t dash_length = 2;
    if (dash == std::string_view::npos) {
        dash = part.find('-');
        dash_length = 1;
    }
    const bool is_range = dash != std::string_view::npos;
    const std::optional<u32> first = number_of<u32>(part.substr(0, dash));
    const std::optional<u32> last =
        is_range ? number_of<u32>(part.substr(dash + dash_length)) : first;
    if (!first || !last || step == 0 || step > kMostFrame || *last < *first || *last > kMostFrame ||
        (!is_range && step != 1) || frames.size() + (*last - *first) / step + 1 > kMostFrames) {
        return false;
    }
    for (u32 frame = *first; frame <= *last; frame += step) {
        frames.push_back(frame);
    }
    return true;
}

base::Error frame_usage(std::string sentence) {
    return {base::ErrorKind::Usage, std::move(sentence)};
}

}  // namespace

std::optional<std::vector<u32>> parse_frames(const std::string& text) {
    std::vector<u32> frames;
    for (const std::string_view part : words_of(text)) {
        if (!append_part(part, frames)) {
            return std::nullopt;
        }
    }
    return frames;
}

OptionValue frame_list(std::vector<u32>& frames) {
    return one_value<std::vector<u32>>(
        frames, "LIST", "", [](const std::string& text) -> base::Result<std::vector<u32>> {
            const std::optional<std::vector<u32>> parsed = parse_frames(text);
            if (!parsed) {
                return unexpected("frames such as 1,3,5..10 or 1-100x3", text);
            }
            return *parsed;
        });
}

std::vector<u32> wanted_frames(const RenderOptions& options) {
    if (!options.frames.empty() || !options.frame_end) {
        return options.frames;
    }
    std::vector<u32> frames;
    for (u32 frame = options.frame_start.value_or(0); frame <= *options.frame_end;
         frame += options.frame_jump) {
        frames.push_back(frame);
    }
    return frames;
}

namespace {

base::Status check_motion(const RenderOptions& options) {
    if (std::find(options.aovs.begin(), options.aovs.end(), film::Aov::Motion) ==
        options.aovs.end()) {
        return base::Done{};
    }
    return options.shutter > 0
               ? base::Status(frame_usage("--aov motion and --shutter exclude each other: vectors "
                                          "blur a sharp picture; give one of them"))
               : base::Status(base::Done{});
}

}  // namespace

base::Status check_frames(const RenderOptions& options) {
    const bool has_range = options.frame_start || options.frame_end || options.frame_jump != 1;
    if (!options.frames.empty() && has_range) {
        return frame_usage(
            "--frames and --frame-start, -end or -jump exclude each other: give one of them");
    }
    if (has_range && !options.frame_end) {
        return frame_usage("--frame-start and --frame-jump need --frame-end");
    }
    if (has_range && options.frame_start.value_or(0) > *options.frame_end) {
        return frame_usage(fmt::format("--frame-start {} lies behind --frame-end {}",
                                       *options.frame_start,
                                       *options.frame_end));
    }
    if (options.shutter > 0 && wanted_frames(options).empty()) {
        return frame_usage("--shutter blurs what moves in a frame: expected --frames as well");
    }
    WEFT_TRY(check_motion(options));
    if (wanted_frames(options).size() < 2) {
        return base::Done{};
    }
    if (options.debug_pixel) {
        return frame_usage("--debug-pixel explains one frame; expected one in --frames");
    }
    const std::array<std::pair<const char*, std::string>, 4> files = {
        {{"-o", options.output},
         {"--checkpoint", checkpoint_path(options)},
         {"--stats", options.stats_file},
         {"--trace", options.trace_file}}};
    for (const auto& [option, name] : files) {
        if (!name.empty() && name.find('#') == std::string::npos) {
            return frame_usage(
                fmt::format("{} {}: several frames need a # in the name, which "
                            "stands for their number, such as picture.####.exr",
                            option,
                            name));
        }
    }
    return base::Done{};
}

std::string name_of_frame(const std::string& name, u32 frame) {
    std::string numbered;
    for (std::size_t i = 0; i < name.size();) {
        const std::size_t end = std::min(name.find_first_not_of('#', i), name.size());
        if (end == i) {
            numbered += name[i++];
            continue;
        }
        numbered += fmt::format("{:0{}}", frame, end - i);
        i = end;
    }
    return numbered;
}

RenderOptions options_of_frame(const RenderOptions& options, u32 frame) {
    RenderOptions of_frame = options;
    for (std::string* name :
         {&of_frame.output, &of_frame.checkpoint, &of_frame.stats_file, &of_frame.trace_file}) {
        *name = name_of_frame(*name, frame);
    }
    of_frame.frame = frame;
    return of_frame;
}

}  // namespace weft::app
