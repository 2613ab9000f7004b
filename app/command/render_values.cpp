#include "app/command/render_values.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/command/edit_options.h"
#include "app/command/file_kinds.h"
#include "engine/scene/files/installed_maps.h"

namespace weft::app {

namespace {

base::Error value_usage(std::string sentence) {
    return {base::ErrorKind::Usage, std::move(sentence)};
}

base::Result<std::array<float, 3>> parse_colour(const std::string& text) {
    const auto numbers = numbers_of(text);
    if (!numbers || numbers->size() != 3 ||
        *std::min_element(numbers->begin(), numbers->end()) < 0) {
        return unexpected("3 finite numbers from 0 with commas between", text);
    }
    return std::array{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

base::Result<LookAt> parse_look_at(const std::string& text) {
    const auto parsed = numbers_of(text);
    if (!parsed) {
        return unexpected("finite numbers with commas between", text);
    }
    const std::vector<float>& numbers = *parsed;
    if (numbers.size() != 6 && numbers.size() != 9) {
        return value_usage(
            fmt::format("--look-at has {} numbers; expected 6 (eye, target) or 9 (eye, target, up)",
                        numbers.size()));
    }
    LookAt look_at = {.eye = {numbers[0], numbers[1], numbers[2]},
                      .target = {numbers[3], numbers[4], numbers[5]}};
    if (numbers.size() == 9) {
        look_at.up = {numbers[6], numbers[7], numbers[8]};
    }
    return look_at;
}

base::Result<film::Region> parse_pixel_bounds(const std::string& text) {
    std::vector<u32> numbers;
    for (const std::string_view word : words_of(text)) {
        numbers.push_back(number_of<u32>(word).value_or(kMostSide + 1));
    }
    if (numbers.size() != 4 || *std::max_element(numbers.begin(), numbers.end()) > kMostSide) {
        return unexpected(
            fmt::format("4 whole numbers from 0 to {} with commas between", kMostSide), text);
    }
    return film::Region{numbers[0], numbers[2], numbers[1], numbers[3]};
}

base::Result<std::array<float, 4>> parse_clip_plane(const std::string& text) {
    const auto numbers = numbers_of(text);
    if (!numbers || numbers->size() != 4 ||
        ((*numbers)[0] == 0 && (*numbers)[1] == 0 && (*numbers)[2] == 0)) {
        return value_usage(fmt::format(
            "--clip-plane {}: expected nx,ny,nz,d with a normal that is not zero", text));
    }
    return std::array{(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]};
}

base::Result<DebugPixel> parse_debug_pixel(const std::string& text) {
    std::vector<u32> numbers;
    for (const std::string_view word : words_of(text)) {
        const std::optional<u32> number = number_of<u32>(word);
        if (!number) {
            numbers.clear();
            break;
        }
        numbers.push_back(*number);
    }
    if (numbers.size() != 2 && numbers.size() != 3) {
        return value_usage(fmt::format("--debug-pixel {}: expected x,y[,sample]", text));
    }
    return DebugPixel{numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
}

base::Result<SliceChoice> parse_slice(const std::string& text) {
    const std::size_t stroke = std::min(text.find('/'), text.size());
    const std::optional<u32> number = number_of<u32>(text.substr(0, stroke));
    const std::optional<u32> count = number_of<u32>(text.substr(std::min(stroke + 1, text.size())));
    if (!number || !count || *number == 0 || *number > *count) {
        return unexpected("k/N with 1 ≤ k ≤ N", text);
    }
    return SliceChoice{*number, *count};
}

// "fullest" sets the policy of both kinds of rays; "shade=oldest" sets one routine's.
base::Result<PolicyChoice> parse_policy(const std::string& text) {
    const std::size_t equals = text.find('=');
    const bool has_routine = equals != std::string::npos;
    const auto policy = parse_name(policy_names())(has_routine ? text.substr(equals + 1) : text);
    const auto routine = has_routine ? parse_name(routine_names())(text.substr(0, equals))
                                     : base::Result<RoutinePolicy>(RoutinePolicy{});
    if (!policy.is_ok() || !routine.is_ok()) {
        return value_usage(fmt::format(
            "--policy {}: expected depth_first, fullest, oldest, priority or balanced, or "
            "ROUTINE=NAME with the routine path, closest, shadow, shade or miss",
            text));
    }
    return PolicyChoice{routine.value(), policy.value()};
}

}  // namespace

OptionValue colour(std::optional<std::array<float, 3>>& value) {
    return one_value<std::array<float, 3>>(value, "R,G,B", "", parse_colour);
}

OptionValue look_at(std::optional<LookAt>& value) {
    return one_value<LookAt>(value, "X,X,...", "", parse_look_at);
}

OptionValue environment_map(std::string& value) {
    OptionValue option = one_value<std::string>(
        value, "FILE", value, [](const std::string& text) -> base::Result<std::string> {
            return scene::find_environment(text);
        });
    option.offer.endings = environment_endings();
    option.offer.names.assign(scene::kInstalledMaps.begin(), scene::kInstalledMaps.end());
    return option;
}

OptionValue pixel_bounds(std::optional<film::Region>& value) {
    return one_value<film::Region>(value, "X0,X1,Y0,Y1", "", parse_pixel_bounds);
}

OptionValue clip_planes(std::vector<std::array<float, 4>>& values) {
    OptionValue option = value_list<std::array<float, 4>>(values, "TEXT", parse_clip_plane);
    option.read = [read = std::move(option.read)](const Texts& texts) -> base::Status {
        WEFT_TRY(read(texts));
        if (texts.size() > shaders::kMaxClipPlanes) {
            return value_usage(fmt::format("--clip-plane: found {} planes, at most {} are possible",
                                           texts.size(),
                                           shaders::kMaxClipPlanes));
        }
        return base::Done{};
    };
    return option;
}

OptionValue light_groups(film::LightGroups& value) {
    return one_value<film::LightGroups>(value, "GROUPS", "", film::parse_light_groups);
}

OptionValue debug_pixel(std::optional<DebugPixel>& value) {
    return one_value<DebugPixel>(value, "TEXT", "", parse_debug_pixel);
}

OptionValue slice(std::optional<SliceChoice>& value) {
    return one_value<SliceChoice>(value, "K/N", "", parse_slice);
}

OptionValue denoise_command(std::optional<DenoiseCommand>& value) {
    return one_value<DenoiseCommand>(value, "COMMAND", "", parse_denoise_command);
}

OptionValue policies(std::vector<PolicyChoice>& values) {
    OptionValue option = value_list<PolicyChoice>(values, "TEXT", parse_policy);
    option.takes = Takes::ManyWords;
    return option;
}

OptionValue edits(std::vector<scene::Edit>& values) {
    return value_list<scene::Edit>(values, "TEXT", parse_set);
}

}  // namespace weft::app
