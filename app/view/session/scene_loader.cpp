#include "app/view/session/scene_loader.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <utility>

#include "app/command/edit_file.h"
#include "app/command/edit_options.h"
#include "app/view/session/document_file.h"
#include "app/view/window/window.h"
#include "engine/scene/files/asset_root.h"
#include "engine/scene/model/scene_boxes.h"
#include "scheduler/base/clock.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using Outcome = base::Result<LoadedScene>;

// Reads the edits of --edits: all or none.
base::Status read_wanted_edits(const RenderOptions& options, LoadedScene& loaded) {
    base::Status read = load_edits(loaded.document, options.edits_file);
    if (read.is_ok()) {
        loaded.edits_file = options.edits_file;
        loaded.edits_text = text_of(options.edits_file);
        loaded.document.mark_saved();
    }
    return read;
}

// Reads the edits saved for this scene. The scene may have changed since; it opens anyway.
base::Status read_saved_edits(const RenderOptions& options,
                              const std::vector<std::string>& chosen_pictures,
                              LoadedScene& loaded) {
    std::error_code problem;
    const std::string file = default_edit_file(options.scenes);
    if (!fs::is_regular_file(file, problem)) {
        return base::Done{};
    }
    if (const auto read = read_edit_file(file); !read.is_ok()) {
        loaded.unread_because = set_aside(file, read.error().sentence);
        return base::Done{};
    }
    // A file beside the scene may come from a stranger; one in the data folder does not.
    const bool is_own = !is_scene_file(options.scenes.front());
    const scene::AssetRoots roots(file, options.asset_roots);
    const auto may_open = [&](const std::string& path) {
        std::error_code unknown;
        const std::string whole = fs::weakly_canonical(path, unknown).string();
        return is_own || roots.holds(path) ||
               std::find(chosen_pictures.begin(), chosen_pictures.end(), whole) !=
                   chosen_pictures.end();
    };
    const base::Status read = load_fitting_edits(loaded.document, file, may_open);
    if (read.is_ok()) {
        loaded.edits_file = file;
        loaded.edits_text = text_of(file);
        loaded.document.mark_saved();
    } else {
        loaded.unread_because = read.error().sentence;
    }
    return base::Done{};
}

// Makes the saved edits as one step, which counts as saved, and those of --set as another.
base::Status make_edits(const RenderOptions& options,
                        const std::vector<std::string>& chosen_pictures,
                        LoadedScene& loaded) {
    base::Status read = options.edits_file.empty()
                            ? read_saved_edits(options, chosen_pictures, loaded)
                            : read_wanted_edits(options, loaded);
    WEFT_TRY(read);
    const base::Status set = loaded.document.edit_all(options.sets);
    return set.is_ok() ? set : base::Error{set.error().kind, "--set " + set.error().sentence};
}

// Lists each file once: it may be read both as colours and as numbers.
void add_missing(std::vector<MissingPicture>& missing, MissingPicture picture) {
    const bool is_known =
        std::any_of(missing.begin(), missing.end(), [&](const MissingPicture& known) {
            return known.name == picture.name;
        });
    if (!is_known) {
        missing.push_back(std::move(picture));
    }
}

// Repeats the edits of the open document in the scene that was read again, to read the pictures
// that they need.
void read_pictures_of(Document open, LoadedScene& loaded) {
    // Document::reopen() reports steps that do not fit, when the scene is taken.
    static_cast<void>(open.reopen(loaded.document.shared_scene(), loaded.document.context()));
    auto scene = std::make_shared<scene::Scene>(loaded.document.scene());
    scene->texels = open.pictures().texels;
    scene->textures = open.pictures().textures;
    loaded.document.open(std::move(scene), loaded.document.context());
    loaded.is_again = true;
}

// Lights, completes and edits an imported scene as the options say.
Outcome finish_scene(const RenderOptions& options,
                     const std::vector<std::string>& chosen_pictures,
                     const std::optional<Document>& open,
                     std::shared_ptr<scene::Scene> scene,
                     std::atomic<const char*>& stage) {
    // relaxed: a word for the status line; nothing else depends on it.
    const auto says = [&](const char* what) { stage.store(what, std::memory_order_relaxed); };
    says("lighting");
    base::Status environment = apply_environment(options, *scene);
    WEFT_TRY(environment);
    says("completing");
    scene::complete_scene(*scene);
    // Edits start from the scene as the options give it.
    RenderOptions unedited = options;
    unedited.edits_file.clear();
    unedited.sets.clear();
    auto context = edited_context(unedited, *scene);
    WEFT_TRY(context);
    LoadedScene loaded;
    loaded.options = options;
    loaded.document.open(std::move(scene), context.value());
    says("making edits");
    if (open) {
        read_pictures_of(*open, loaded);
        return loaded;
    }
    WEFT_TRY(make_edits(options, chosen_pictures, loaded));
    const scene::SceneBoxes boxes = scene::make_scene_boxes(loaded.document.scene(), nullptr);
    loaded.bounds = boxes.whole;
    loaded.far_note = boxes.far_triangles == 0 ? "" : "; " + scene::far_note(boxes);
    return loaded;
}

// The input of an import, and where it reports progress.
struct Job {
    RenderOptions options;
    std::vector<std::string> chosen_pictures;
    std::optional<Document> open;  // if the open scene is read again
    std::atomic<const char*>& stage;
    std::atomic<u64>& stopped_count;
};

Outcome load(const Job& job, const std::stop_token& stop) {
    std::vector<MissingPicture> missing;
    scene::ImportConfig config = import_config(job.options);
    config.is_cancelled = [&stop] { return stop.stop_requested(); };
    config.on_missing = [&missing](const std::string& name, const std::string& why) {
        add_missing(missing, {name, why});
    };
    auto scene = read_scenes(job.options, config);
    if (!scene.is_ok()) {
        // relaxed: a figure; orders nothing.
        job.stopped_count.fetch_add(stop.stop_requested() ? 1U : 0U, std::memory_order_relaxed);
        return scene.error();
    }
    Outcome outcome = finish_scene(job.options,
                                   job.chosen_pictures,
                                   job.open,
                                   std::make_shared<scene::Scene>(std::move(scene.value())),
                                   job.stage);
    if (outcome.is_ok()) {
        outcome.value().missing = std::move(missing);
    }
    return outcome;
}

Outcome load_or_refuse(const Job& job, const std::stop_token& stop) {
    try {
        return load(job, stop);
    } catch (const std::bad_alloc&) {
        return base::Error{
            base::ErrorKind::Memory,
            job.options.scenes.front() + ": does not fit into memory; expected a smaller scene."};
    }
}

}  // namespace

void SceneLoader::start(const RenderOptions& options, std::vector<std::string> chosen_pictures) {
    begin(options, std::move(chosen_pictures), std::nullopt);
}

void SceneLoader::start_again(const RenderOptions& options, const Document& open) {
    begin(options, {}, open);
}

void SceneLoader::begin(RenderOptions options,
                        std::vector<std::string> chosen_pictures,
                        std::optional<Document> open) {
    progress_ = std::make_shared<Progress>();
    progress_->source = options.scenes.front();
    loading_.start([this,
                    progress = progress_,
                    options = std::move(options),
                    chosen_pictures = std::move(chosen_pictures),
                    open = std::move(open)](const std::stop_token& stop) {
        Outcome outcome =
            load_or_refuse({options, chosen_pictures, open, progress->stage, stopped_count_}, stop);
        Window::wake();
        return outcome;
    });
}

std::string SceneLoader::source() const {
    return is_loading() ? progress_->source : "";
}

std::string SceneLoader::stage() const {
    // relaxed: a word for the status line; nothing else depends on it.
    return is_loading() ? progress_->stage.load(std::memory_order_relaxed) : "";
}

double SceneLoader::elapsed_s() const {
    return is_loading() ? base::seconds_since(progress_->begin) : 0;
}

std::optional<base::Result<LoadedScene>> SceneLoader::poll() {
    return loading_.poll();
}

}  // namespace weft::app
