#include "app/serve/option_words.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "app/command/command_line.h"

namespace weft::app::serve {

namespace {

using OptionNames = std::span<const std::string_view>;

constexpr std::array<std::string_view, 6> kSceneNames = {"--missing-file",
                                                         "--asset-root",
                                                         "--environment",
                                                         "--environment-color",
                                                         "--environment-rotation",
                                                         "--environment-strength"};

constexpr std::array<std::string_view, 24> kRenderNames = {"--spp",
                                                           "--noise-threshold",
                                                           "--width",
                                                           "--height",
                                                           "--pixelbounds",
                                                           "--seed",
                                                           "--max-bounces",
                                                           "--clamp-direct",
                                                           "--clamp-indirect",
                                                           "--light-choice",
                                                           "--filter",
                                                           "--film-transparent",
                                                           "--backface-culling",
                                                           "--isa",
                                                           "--device",
                                                           "--egpu-units",
                                                           "--jit",
                                                           "--leaf",
                                                           "--scheduler",
                                                           "--traversal",
                                                           "--policy",
                                                           "--paths",
                                                           "--view-transform",
                                                           "--exposure"};

// Leaves the options of these names alone.
void keep(const CommandLine& line, Command& command, OptionNames names) {
    const ProgramText text = line.text();
    for (const OptionText& option : text.commands.front().options) {
        const bool is_kept =
            std::any_of(option.names.begin(), option.names.end(), [&](const std::string& name) {
                return std::find(names.begin(), names.end(), name) != names.end();
            });
        if (!is_kept) {
            command.remove(option.names.front().c_str());
        }
    }
}

base::Result<RenderOptions> read_words(const RenderOptions& usual,
                                       const std::vector<std::string>& words,
                                       OptionNames names) {
    RenderOptions options = usual;
    CommandLine line("options in a message", "", "");
    Command command = line.add_command("render", "");
    add_render_options(command, options);
    keep(line, command, names);
    std::vector<std::string> whole = {"weft", "render"};
    whole.insert(whole.end(), words.begin(), words.end());
    WEFT_TRY(line.parse_words(whole));
    return options;
}

}  // namespace

base::Result<RenderOptions> read_scene_words(const RenderOptions& usual,
                                             const std::vector<std::string>& words) {
    base::Result<RenderOptions> options = read_words(usual, words, kSceneNames);
    if (options.is_ok() && !options.value().environment_file.empty() &&
        options.value().environment_color) {
        return base::Error{base::ErrorKind::Usage,
                           "--environment and --environment-color exclude each other: give one of "
                           "them"};
    }
    return options;
}

base::Result<RenderOptions> read_render_words(const RenderOptions& usual,
                                              const std::vector<std::string>& words) {
    base::Result<RenderOptions> options = read_words(usual, words, kRenderNames);
    WEFT_TRY(options);
    WEFT_TRY(check_traversal(options.value()));
    WEFT_TRY(check_whole_tree(options.value()));
    return options;
}

}  // namespace weft::app::serve
