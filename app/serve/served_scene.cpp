#include "app/serve/served_scene.h"

#include <algorithm>
#include <new>
#include <utility>

#include "app/command/colour_options.h"
#include "app/command/edit_file.h"
#include "app/command/edit_options.h"
#include "app/command/version.h"
#include "app/serve/option_words.h"
#include "app/serve/same_lists.h"
#include "engine/scene/gltf/replace_mesh.h"

namespace weft::app::serve {

namespace {

// Effects that change the context only: the scene object stays the same.
constexpr u32 kBesideScene = scene::kEffectView | scene::kEffectCamera | scene::kEffectLook;

base::Error no_scene(const std::string& action) {
    return {base::ErrorKind::Usage, action + ": no scene is loaded; expected load before it"};
}

bool is_of_camera(const scene::Edit& edit) {
    return edit.path == "camera" || edit.path.starts_with("camera/");
}

bool is_of_frame_size(const scene::Edit& edit) {
    return edit.path == "frame/size" || edit.path == "/frame/size";
}

// Whether the value alone says what the path then is: a number, a list, a text or a flag.
bool is_plain(const scene::Edit& edit) {
    return !edit.value.starts_with('{') && edit.value != "null";
}

struct Loaded {
    std::shared_ptr<scene::Scene> scene;
    scene::EditContext context;
};

base::Result<Loaded> read_scene(const RenderOptions& options, std::function<bool()> is_cancelled) {
    scene::ImportConfig config = import_config(options);
    config.is_cancelled = std::move(is_cancelled);
    base::Result<scene::Scene> read = read_scenes(options, config);
    WEFT_TRY(read);
    Loaded loaded{std::make_shared<scene::Scene>(std::move(read.value())), {}};
    WEFT_TRY(apply_environment(options, *loaded.scene));
    scene::complete_scene(*loaded.scene);
    base::Result<scene::EditContext> context = edited_context(options, *loaded.scene);
    WEFT_TRY(context);
    loaded.context = std::move(context.value());
    return loaded;
}

}  // namespace

base::Status ServedScene::load(const Request& request, std::function<bool()> is_cancelled) {
    base::Result<RenderOptions> options = read_scene_words(usual_, request.options);
    WEFT_TRY(options);
    options.value().scenes = request.scenes;
    try {
        base::Result<Loaded> read = read_scene(options.value(), std::move(is_cancelled));
        WEFT_TRY(read);
        Loaded& loaded = read.value();
        effect_ |= scene_ ? share_same_lists(*scene_, *loaded.scene) | scene::kEffectCamera |
                                scene::kEffectLook
                          : u32{scene::kEffectAll};
        scene_ = std::move(loaded.scene);
        context_ = std::move(loaded.context);
        source_ = request.scenes.front();
        edits_.clear();
        has_sent_meshes_ = false;
    } catch (const std::bad_alloc&) {
        return base::Error{
            base::ErrorKind::Memory,
            request.scenes.front() + ": does not fit into memory; expected a smaller scene"};
    }
    return base::Done{};
}

base::Status ServedScene::take_settings(const Request& request) {
    base::Result<RenderOptions> options = read_render_words(usual_, request.options);
    WEFT_TRY(options);
    WEFT_TRY(pick_settings(options.value(), context_.camera));
    rendered_ = std::move(options.value());
    pixels_ = request.pixels;
    is_denoised_ = request.is_denoised;
    effect_ |= scene::kEffectView;
    return base::Done{};
}

base::Status ServedScene::edit(std::span<const scene::Edit> edits) {
    if (!scene_) {
        return no_scene("edit");
    }
    auto changed = std::make_shared<scene::Scene>(*scene_);
    scene::EditContext context = context_;
    const scene::EditsMade made =
        scene::apply_edits(*changed, context, edits, scene::OnFault::Stop, false);
    if (!made.faults.empty()) {
        return made.faults.front().error;
    }
    if (context.has_clip_cap) {
        return base::Error{base::ErrorKind::Usage,
                           "view/clip_cap: a server leaves sections open; expected false"};
    }
    if ((made.effect & ~kBesideScene) != 0) {
        scene_ = std::move(changed);
    }
    context_ = std::move(context);
    effect_ |= made.effect;
    remember(edits);
    return base::Done{};
}

// A slider that moves is one edit, and the camera's state is written as such.
void ServedScene::remember(std::span<const scene::Edit> edits) {
    for (const scene::Edit& edit : edits) {
        if (is_of_camera(edit)) {
            continue;
        }
        if (!edits_.empty() && edits_.back().path == edit.path && is_plain(edit)) {
            edits_.back() = edit;
        } else {
            edits_.push_back(edit);
        }
    }
}

base::Status ServedScene::replace_mesh(const Request& request, std::function<bool()> is_cancelled) {
    if (!scene_) {
        return no_scene("mesh");
    }
    try {
        scene::ImportConfig config = import_config(usual_);
        config.is_cancelled = std::move(is_cancelled);
        auto changed = std::make_shared<scene::Scene>(*scene_);
        WEFT_TRY(scene::replace_mesh(*changed, request.mesh, request.file, config));
        scene_ = std::move(changed);
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::Memory,
                           "mesh \"" + request.mesh + "\": does not fit into memory"};
    }
    constexpr u32 kKept = scene::kEffectTextures | scene::kEffectEnvironment |
                          scene::kEffectCamera | scene::kEffectLook;
    effect_ |= scene::kEffectAll & ~kKept;
    has_sent_meshes_ = true;
    return base::Done{};
}

base::Status ServedScene::save_edits(const std::string& path) const {
    if (!scene_) {
        return no_scene("save");
    }
    if (has_sent_meshes_) {
        return base::Error{base::ErrorKind::Usage,
                           "save: edits do not hold the meshes that were sent; expected load of "
                           "the whole scene before it"};
    }
    const base::Result<std::string> camera = scene::read_value(*scene_, context_, "camera");
    WEFT_TRY(camera);
    EditFile file{whole_scene_name(source_), edits_};
    file.edits.push_back({"camera", camera.value()});
    return write_edit_file(path, file);
}

film::ImageConfig ServedScene::image_config() const {
    film::ImageConfig config = pick_image_config(rendered_);
    config.metadata = {{"version", kVersion}, {"command_line", command_line_}};
    return config;
}

base::Result<live::LiveJob> ServedScene::take_job() {
    const u32 effect = std::exchange(effect_, u32{scene::kEffectNone});
    // Settings ask for a size, which edits may change.
    scene::EditContext framed = context_;
    if (std::none_of(edits_.begin(), edits_.end(), is_of_frame_size)) {
        framed.frame_size = asked_size(rendered_, context_.camera);
    }
    base::Result<frame::RenderSettings> settings = edited_settings(rendered_, framed);
    WEFT_TRY(settings);
    return live::LiveJob{.scene = scene_,
                         .camera = context_.camera,
                         .settings = std::move(settings.value()),
                         .hidden = scene::hidden_names(*scene_, context_),
                         .effect = effect};
}

live::LiveView ServedScene::view() const {
    live::LiveView view;
    scene::EditContext shown;
    set_view(rendered_, shown);
    view.transform = own_view(shown);
    const auto of_config = scene::config_view(shown);
    view.config_view = of_config.is_ok() ? of_config.value() : nullptr;
    view.exposure_stops = rendered_.exposure_stops;
    view.denoise = is_denoised_ ? live::LiveDenoise::Quality : live::LiveDenoise::Off;
    view.has_linear = pixels_ == PixelKind::Linear;
    return view;
}

}  // namespace weft::app::serve
