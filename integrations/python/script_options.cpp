#include "integrations/python/script_options.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "app/command/option_words.h"

namespace weft::python {

namespace {

using Names = std::span<const std::string_view>;

// Of no function: what a command writes or says itself, what belongs to a process of its own, and
// frames, moments and slices of which one command makes many.
constexpr std::array<std::string_view, 30> kLeftOut = {"SCENE",
                                                       "A",
                                                       "B",
                                                       "--aov-list",
                                                       "--chart",
                                                       "--checkpoint",
                                                       "--checkpoint-interval",
                                                       "--debug-pixel",
                                                       "--denoise-command",
                                                       "--dry-run",
                                                       "--frame-end",
                                                       "--frame-jump",
                                                       "--frame-start",
                                                       "--json",
                                                       "--log-level",
                                                       "--memory-limit",
                                                       "--no-clobber",
                                                       "--output",
                                                       "--progress",
                                                       "--quiet",
                                                       "--resume",
                                                       "--shutter",
                                                       "--shutter-moments",
                                                       "--skip-bad-frames",
                                                       "--slice",
                                                       "--stats",
                                                       "--summary",
                                                       "--table",
                                                       "--trace",
                                                       "--verbose"};

// They decide how a scene is read and lit.
constexpr std::array<std::string_view, 12> kOfScene = {"--missing-file",
                                                       "--variant",
                                                       "--ocio",
                                                       "--asset-root",
                                                       "--texture-memory",
                                                       "--environment",
                                                       "--environment-color",
                                                       "--environment-rotation",
                                                       "--environment-strength",
                                                       "--frames",
                                                       "--fps",
                                                       "--animation"};

// Only the tree of a render lies in a page file here, and not what was imported.
constexpr std::array<std::string_view, 2> kOfRender = {"--geometry-memory", "--cache-limit"};

// They decide how a picture is written.
constexpr std::array<std::string_view, 8> kOfFile = {"--view-transform",
                                                     "--display-device",
                                                     "--look",
                                                     "--exposure",
                                                     "--exr-type",
                                                     "--exr-compression",
                                                     "--cryptomatte-ranks",
                                                     "--keep-film"};

bool is_known(OptionsOf function, const app::OptionText& option) {
    if (app::has_name(option, kLeftOut)) {
        return false;
    }
    switch (function) {
        case OptionsOf::Load:
            return !app::has_name(option, kOfRender);
        case OptionsOf::Render:
            return !app::has_name(option, kOfScene);
        case OptionsOf::Save:
            return app::has_name(option, kOfFile);
        default:
            return true;
    }
}

// Where the words of a function go.
struct Variables {
    app::RenderOptions& render;
    app::BenchOptions& bench;
    app::CompareOptions& compare;
};

const char* command_of(OptionsOf function) {
    return function == OptionsOf::Bench     ? "bench"
           : function == OptionsOf::Compare ? "compare"
                                            : "render";
}

void declare(OptionsOf function, app::Command& command, const Variables& variables) {
    switch (function) {
        case OptionsOf::Bench:
            app::add_bench_options(command, variables.bench);
            return;
        case OptionsOf::Compare:
            app::add_compare_options(command, variables.compare);
            return;
        default:
            app::add_render_options(command, variables.render);
    }
}

// "film_transparent"
std::string name_in_python(std::string_view option) {
    std::string name(option.substr(option.find_first_not_of('-')));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::vector<std::string> names_in_python(const app::OptionText& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) {
        if (name.starts_with("--")) {
            names.push_back(name_in_python(name));
        }
    }
    return names;
}

base::Status parse(OptionsOf function,
                   const std::vector<std::string>& words,
                   const Variables& variables) {
    app::OptionWords known(
        command_of(function),
        [&](app::Command& command) { declare(function, command, variables); },
        [&](const app::OptionText& option) { return is_known(function, option); });
    return known.parse(words);
}

}  // namespace

std::string options_json(OptionsOf function) {
    app::RenderOptions render;
    app::BenchOptions bench;
    app::CompareOptions compare;
    const Variables variables{render, bench, compare};
    const app::OptionWords known(
        command_of(function),
        [&](app::Command& command) { declare(function, command, variables); },
        [&](const app::OptionText& option) { return is_known(function, option); });
    nlohmann::json list = nlohmann::json::array();
    for (const app::OptionText& option : known.options()) {
        list.push_back({{"names", names_in_python(option)},
                        {"has_value", option.has_value},
                        {"is_repeatable", option.is_repeatable},
                        {"is_list", option.is_list},
                        {"kind", option.kind},
                        {"usual", option.usual},
                        {"help", option.help},
                        {"group", option.group}});
    }
    return list.dump();
}

base::Status read_words(OptionsOf function,
                        const std::vector<std::string>& words,
                        app::RenderOptions& options) {
    app::BenchOptions bench;
    app::CompareOptions compare;
    return parse(function, words, {options, bench, compare});
}

base::Status read_bench_words(const std::vector<std::string>& words, app::BenchOptions& options) {
    app::RenderOptions render;
    app::CompareOptions compare;
    return parse(OptionsOf::Bench, words, {render, options, compare});
}

base::Status read_compare_words(const std::vector<std::string>& words,
                                app::CompareOptions& options) {
    app::RenderOptions render;
    app::BenchOptions bench;
    return parse(OptionsOf::Compare, words, {render, bench, options});
}

}  // namespace weft::python
