#include "app/command/edit_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command/colour_options.h"
#include "app/command/edit_file.h"
#include "engine/scene/files/json_text.h"

namespace weft::app {

namespace {

using Json = nlohmann::json;

base::Status apply_sets(const RenderOptions& options,
                        scene::Scene& scene,
                        scene::EditContext& context) {
    const scene::EditsMade made =
        scene::apply_edits(scene, context, options.sets, scene::OnFault::Stop, false);
    if (!made.faults.empty()) {
        const base::Error& error = made.faults.front().error;
        return base::Error{error.kind, "--set " + error.sentence};
    }
    return base::Done{};
}

}  // namespace

base::Result<scene::Edit> parse_set(const std::string& text) {
    const std::size_t cut = text.find('=');
    if (cut == 0 || cut == std::string::npos) {
        return base::Error{base::ErrorKind::Usage,
                           "--set " + text +
                               ": expected path=value, for example "
                               "materials/Floor/roughness=0.2"};
    }
    scene::Edit edit = {text.substr(0, cut), text.substr(cut + 1)};
    if (scene::parse_json(edit.value).is_ok()) {
        return edit;
    }
    const std::string list = "[" + edit.value + "]";
    const base::Result<Json> numbers = scene::parse_json(list);
    const bool is_list = numbers.is_ok() && numbers.value().size() > 1 &&
                         std::all_of(numbers.value().begin(),
                                     numbers.value().end(),
                                     [](const Json& number) { return number.is_number(); });
    edit.value = is_list ? list : scene::json_to_text(edit.value);
    return edit;
}

base::Result<scene::EditContext> edited_context(const RenderOptions& options, scene::Scene& scene) {
    scene::EditContext context;
    const base::Result<scene::Camera> camera = pick_camera(options, scene);
    WEFT_TRY(camera);
    context.camera = camera.value();
    const std::array<u32, 2> asked = asked_size(options, context.camera);
    context.frame_size = asked;
    context.has_autofocus = options.aperture_f_stop > 0 && options.focus_m == 0;
    base::Result<std::vector<std::string>> hidden = pick_hidden(options, scene);
    WEFT_TRY(hidden);
    context.hidden = std::move(hidden.value());
    context.clip_planes = pick_clip_planes(options);
    context.has_clip_cap = options.clip_cap;
    context.exposure_stops = options.exposure_stops;
    WEFT_TRY(check_view(options));
    set_view(options, context);
    if (!options.edits_file.empty()) {
        WEFT_TRY(apply_edit_file(options.edits_file, scene, context));
    }
    WEFT_TRY(apply_sets(options, scene, context));
    // A side that was not asked for follows from the camera as it is now.
    if (context.frame_size == asked) {
        context.frame_size = asked_size(options, context.camera);
    }
    return context;
}

std::array<u32, 2> asked_size(const RenderOptions& options, const scene::Camera& camera) {
    const bool is_sized = options.width > 0 || options.height > 0;
    return is_sized ? picture_size(options.width, options.height, camera) : std::array<u32, 2>{};
}

std::array<u32, 2> framed_size(const scene::EditContext& context) {
    std::array<u32, 2> size =
        picture_size(context.frame_size[0], context.frame_size[1], context.camera);
    if (context.frame_percent != 100) {
        for (u32& side : size) {
            side = std::max(
                1U,
                static_cast<u32>(static_cast<float>(side) * context.frame_percent / 100 + 0.5F));
        }
    }
    return size;
}

base::Result<frame::RenderSettings> edited_settings(const RenderOptions& options,
                                                    const scene::EditContext& context) {
    RenderOptions framed = options;
    const auto [width, height] = framed_size(context);
    framed.width = width;
    framed.height = height;
    base::Result<frame::RenderSettings> settings = pick_settings(framed, context.camera);
    if (settings.is_ok()) {
        settings.value().clip_planes = context.clip_planes;
        settings.value().has_autofocus = context.has_autofocus;
    }
    return settings;
}

}  // namespace weft::app
