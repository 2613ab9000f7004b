#include "app/serve/option_words.h"

#include <array>
#include <span>
#include <string_view>

#include "app/command/colour_options.h"
#include "app/command/option_words.h"

namespace weft::app::serve {

namespace {

constexpr std::array<std::string_view, 7> kSceneNames = {"--missing-file",
                                                         "--variant",
                                                         "--asset-root",
                                                         "--environment",
                                                         "--environment-color",
                                                         "--environment-rotation",
                                                         "--environment-strength"};

constexpr std::array<std::string_view, 27> kRenderNames = {"--spp",
                                                           "--noise-threshold",
                                                           "--width",
                                                           "--height",
                                                           "--pixelbounds",
                                                           "--seed",
                                                           "--max-bounces",
                                                           "--clamp-direct",
                                                           "--clamp-indirect",
                                                           "--regularize",
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
                                                           "--display-device",
                                                           "--look",
                                                           "--exposure"};

base::Result<RenderOptions> read_words(const RenderOptions& usual,
                                       const std::vector<std::string>& words,
                                       std::span<const std::string_view> names) {
    RenderOptions options = usual;
    OptionWords known(
        "render",
        [&](Command& command) { add_render_options(command, options); },
        [&](const OptionText& option) { return has_name(option, names); });
    WEFT_TRY(known.parse(words));
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
    WEFT_TRY(check_view(options.value()));
    return options;
}

}  // namespace weft::app::serve
