#include "integrations/python/script_scene.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/command/colour_options.h"
#include "app/command/edit_options.h"
#include "app/command/frame_range.h"
#include "app/command/thread_budget.h"
#include "app/render_input.h"
#include "engine/scene/edit/edit_path.h"
#include "engine/scene/model/scene_report.h"
#include "integrations/python/script_options.h"
#include "scheduler/base/clock.h"

namespace weft::python {

namespace {

using base::Error;
using base::ErrorKind;
using nlohmann::json;

std::string text_of(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

const char* kind_name(scene::EditKind kind) {
    constexpr std::array<const char*, 11> kNames = {"number",
                                                    "colour",
                                                    "vector",
                                                    "flag",
                                                    "choice",
                                                    "texture",
                                                    "file",
                                                    "planes",
                                                    "paths",
                                                    "materials",
                                                    "name"};
    return kNames.at(static_cast<std::size_t>(kind));
}

const char* kind_name(scene::Note::Kind kind) {
    constexpr std::array<const char*, 4> kNames = {"found", "repaired", "replaced", "ignored"};
    return kNames.at(static_cast<std::size_t>(kind));
}

// The options of a scene, checked; with the frame of an animation.
base::Result<app::RenderOptions> scene_options(const std::vector<std::string>& scenes,
                                               const std::vector<std::string>& words) {
    app::RenderOptions options;
    WEFT_TRY(read_words(OptionsOf::Load, words, options));
    options.scenes = scenes;
    options.dry_run = true;  // nothing is written
    if (scenes.empty()) {
        return Error{ErrorKind::Usage, "a scene is missing; expected a path or a name"};
    }
    if (options.texture_memory_bytes == 0) {
        options.cache_folder.clear();  // of page files of renders, which check it
    }
    WEFT_TRY(app::choose_colours(options));
    WEFT_TRY(app::check_options(options));
    if (options.frames.size() > 1) {
        return Error{ErrorKind::Usage, "frames: expected one frame, and a scene for each"};
    }
    WEFT_TRY(app::bound_threads(options.threads));
    return options.frames.empty() ? options : app::options_of_frame(options, options.frames[0]);
}

// Whether the edit sets one field that only a later edit of the same path replaces, whatever was
// there before, and that no other such edit reads. Groups move what they hold, each angle of a
// cone bounds the other, pictures are found among those of earlier edits, and a display decides
// which views there are.
bool is_independent(const std::string& path) {
    const base::Result<scene::edits::Address> parsed = scene::edits::parse_path(path);
    if (!parsed.is_ok() || parsed.value().field.empty()) {
        return false;
    }
    const std::string& family = parsed.value().family;
    const std::string& field = parsed.value().field;
    if (family == "materials") {
        return !field.ends_with("_texture");
    }
    if (family == "lights") {
        return field != "inner_deg" && field != "outer_deg";
    }
    if (family == "environment") {
        return field != "file";
    }
    if (family == "view") {
        return field == "exposure" || field == "clip_planes" || field == "clip_cap";
    }
    return family == "nodes" || family == "camera" || family == "frame";
}

}  // namespace

base::Result<std::unique_ptr<ScriptScene>> ScriptScene::load(
    std::vector<std::string> scenes,
    std::vector<std::string> words,
    const std::function<bool()>& is_cancelled) {
    const base::Clock::time_point begin = base::Clock::now();
    base::Result<app::RenderOptions> options = scene_options(scenes, words);
    WEFT_TRY(options);
    auto plan = std::make_shared<app::Plan>();
    plan->options = std::move(options.value());
    WEFT_TRY(app::load_scene(plan->options, {}, is_cancelled, *plan));
    std::unique_ptr<ScriptScene> made(new ScriptScene());
    made->edited_ = plan->scene;
    base::Result<scene::EditContext> context = app::edited_context(plan->options, made->edited_);
    WEFT_TRY(context);
    made->context_ = std::move(context.value());
    made->read_ = std::move(plan);
    made->words_ = std::move(words);
    made->import_s_ = base::seconds_since(begin);
    return made;
}

base::Status ScriptScene::edit(const std::vector<scene::Edit>& edits) {
    for (const scene::Edit& edit : edits) {
        if (edit.path.empty() || edit.path.find('=') != std::string::npos) {
            return Error{ErrorKind::Usage,
                         "'" + edit.path + "': no path of an edit; expected one without '='"};
        }
    }
    scene::Scene changed = edited_;
    scene::EditContext context = context_;
    const scene::EditsMade made =
        scene::apply_edits(changed, context, edits, scene::OnFault::Stop, false);
    if (!made.faults.empty()) {
        return made.faults.front().error;
    }
    edited_ = std::move(changed);
    context_ = std::move(context);
    for (const scene::Edit& edit : edits) {
        keep(edit);
    }
    return base::Done{};
}

void ScriptScene::keep(const scene::Edit& edit) {
    if (is_independent(edit.path)) {
        const auto [former, is_first] = free_.emplace(edit.path, edit_count_);
        if (!is_first) {
            sets_.erase(std::exchange(former->second, edit_count_));
        }
    } else {
        free_.clear();
    }
    sets_.emplace(edit_count_++, "--set=" + edit.path + "=" + edit.value);
}

std::vector<std::string> ScriptScene::words() const {
    std::vector<std::string> words = words_;
    std::transform(sets_.begin(), sets_.end(), std::back_inserter(words), [](const auto& set) {
        return set.second;
    });
    return words;
}

base::Result<std::string> ScriptScene::value(const std::string& path) const {
    return scene::read_value(edited_, context_, path);
}

base::Result<std::vector<std::string>> ScriptScene::paths(const std::string& family) const {
    constexpr std::array<const char*, 5> kFamilies = {
        "materials", "nodes", "groups", "lights", "cameras"};
    if (std::find(kFamilies.begin(), kFamilies.end(), family) == kFamilies.end()) {
        return Error{ErrorKind::Usage,
                     family + ": expected materials, nodes, groups, lights or cameras"};
    }
    return scene::object_paths(edited_, family);
}

std::string ScriptScene::fields_json(const std::string& object_path) const {
    json list = json::array();
    for (const scene::EditField& field : scene::editable_fields(edited_, context_, object_path)) {
        json row = {{"path", field.path},
                    {"label", field.label},
                    {"unit", field.unit},
                    {"kind", kind_name(field.kind)}};
        if (field.kind == scene::EditKind::Number || field.kind == scene::EditKind::Colour ||
            field.kind == scene::EditKind::Vector) {
            row.update({{"count", field.count}, {"least", field.least}, {"most", field.most}});
        }
        if (!field.choices.empty()) {
            row["choices"] = field.choices;
        }
        list.push_back(std::move(row));
    }
    return text_of(list);
}

std::string ScriptScene::figures_json() const {
    const scene::SceneSize size = scene::scene_size(edited_);
    std::vector<std::string> cameras;
    for (u32 k = 0; k < edited_.cameras.size(); ++k) {
        cameras.push_back(scene::numbered_name(edited_, k));
    }
    return text_of({{"name", edited_.name},
                    {"triangles", size.triangles},
                    {"unique_triangles", size.unique_triangles},
                    {"meshes", edited_.meshes.size()},
                    {"instances", edited_.instances.size()},
                    {"materials", edited_.materials.size()},
                    {"textures", edited_.textures.size()},
                    {"lights", edited_.lights.size()},
                    {"cameras", cameras},
                    {"environment", edited_.environment.name},
                    {"bytes", size.bytes}});
}

std::string ScriptScene::notes_json() const {
    json list = json::array();
    for (const scene::Note& note : edited_.notes) {
        list.push_back({kind_name(note.kind), note.sentence});
    }
    return text_of(list);
}

std::string ScriptScene::report() const {
    return scene::scene_report(edited_);
}

}  // namespace weft::python
