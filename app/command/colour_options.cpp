#include "app/command/colour_options.h"

#include <algorithm>
#include <cstdlib>

#include "app/command/option_values.h"

namespace weft::app {

namespace {

using base::Error;
using base::ErrorKind;

// As --ocio: no config, whatever $OCIO says.
constexpr const char* kNoConfig = "none";

bool is_own(const std::string& view) {
    return film::view_transform_named(view).has_value();
}

base::Status check_own_view(const RenderOptions& options) {
    if (!options.display_device.empty() || options.look != colour::kLookOfView) {
        return Error{ErrorKind::Usage,
                     "--display-device and --look name parts of a colour config; expected --ocio "
                     "FILE or $OCIO beside them"};
    }
    if (!options.view_transform || is_own(*options.view_transform)) {
        return base::Done{};
    }
    std::vector<std::string_view> names;
    for (const Named<film::ViewTransform>& named : view_transform_names()) {
        names.push_back(named.name);
    }
    return Error{
        ErrorKind::Usage,
        "--view-transform: " + unexpected(either_of(names), *options.view_transform).sentence +
            " (other names are views of a colour config: --ocio FILE or $OCIO)"};
}

}  // namespace

void add_ocio_option(Command& command, const char* group, RenderOptions& options) {
    OptionValue file = file_name(options.ocio, {".ocio"});
    command.add({"--ocio",
                 "OpenColorIO config with the views of 8-bit files and the rules for files of "
                 "textures; none: no config",
                 group,
                 "$OCIO"},
                file);
}

base::Status check_view(const RenderOptions& options) {
    if (!options.colours) {
        return check_own_view(options);
    }
    const std::vector<std::string> displays = options.colours->displays();
    const std::string view = options.view_transform.value_or("");
    const bool is_known =
        std::find(displays.begin(), displays.end(), options.display_device) != displays.end();
    const std::vector<std::string> views = options.colours->views(options.display_device);
    if (is_known && is_own(view) && std::find(views.begin(), views.end(), view) == views.end()) {
        return base::Done{};
    }
    WEFT_TRY(options.colours->view({options.display_device, view, options.look}));
    return base::Done{};
}

base::Status choose_colours(RenderOptions& options) {
    const char* const variable = std::getenv("OCIO");
    const bool is_option = !options.ocio.empty();
    const std::string path = is_option ? options.ocio : variable ? variable : "";
    if (!options.colours && !path.empty() && path != kNoConfig) {
        auto config = colour::ColourConfig::read(path);
        if (!config.is_ok()) {
            return Error{config.error().kind,
                         (is_option ? "--ocio " : "$OCIO ") + config.error().sentence};
        }
        options.colours = std::move(config.value());
    }
    if (options.colours) {
        if (options.display_device.empty()) {
            options.display_device = options.colours->default_display();
        }
        if (!options.view_transform) {
            options.view_transform = options.colours->default_view(options.display_device);
        }
    }
    return check_view(options);
}

void set_view(const RenderOptions& options, scene::EditContext& context) {
    context.colours = options.colours;
    context.display = options.display_device;
    context.look = options.look;
    context.view_transform = options.view_transform.value_or(context.view_transform);
}

void set_view(const RenderOptions& options, film::ImageConfig& config) {
    scene::EditContext context;
    set_view(options, context);
    config.view = own_view(context);
    const auto view = scene::config_view(context);
    config.config_view = view.is_ok() ? view.value() : nullptr;
    if (options.colours) {
        config.primaries = options.colours->primaries();
    }
}

void take_view(const scene::EditContext& context, RenderOptions& options) {
    options.view_transform = scene::shown_transform(context);
    options.display_device = context.display;
    options.look = context.look;
}

film::ViewTransform own_view(const scene::EditContext& context) {
    return film::view_transform_named(scene::shown_transform(context))
        .value_or(film::ViewTransform::Standard);
}

}  // namespace weft::app
