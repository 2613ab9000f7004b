#include "integrations/python/script_frame.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/begin_frame.h"
#include "app/command/colour_options.h"
#include "app/command/shell_word.h"
#include "app/command/thread_budget.h"
#include "app/denoise_step.h"
#include "app/render_input.h"
#include "engine/film/image_file.h"
#include "engine/film/whole_file.h"
#include "engine/scene/model/texel_file.h"
#include "integrations/python/script_options.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"

namespace weft::python {

namespace {

using base::Error;
using base::ErrorKind;

constexpr std::string_view kKeepFilm = "--keep-film";

// Options of layers and sums, which only an EXR holds.
bool is_of_layers(const std::string& word) {
    return word.starts_with("--aov=") || word.starts_with("--light-groups=") ||
           word.starts_with(kKeepFilm);
}

std::string command_line_of(const std::vector<std::string>& scenes,
                            const std::vector<std::string>& words) {
    std::vector<std::string> line = {"weft", "render"};
    line.insert(line.end(), scenes.begin(), scenes.end());
    line.insert(line.end(), words.begin(), words.end());
    return app::shell_line(line);
}

}  // namespace

base::Result<std::shared_ptr<ScriptFrame>> ScriptFrame::prepare(
    const ScriptScene& scene, const std::vector<std::string>& words) {
    std::shared_ptr<ScriptFrame> frame(new ScriptFrame());
    frame->times_.begin = base::Clock::now();
    frame->times_.import_s = scene.import_s();
    frame->words_ = scene.words();
    frame->words_.insert(frame->words_.end(), words.begin(), words.end());
    // Read the options: those of the scene, its edits, and those of the render.
    auto plan = std::make_shared<app::Plan>();
    WEFT_TRY(read_words(OptionsOf::Either, frame->words_, plan->options));
    plan->options.scenes = scene.plan().options.scenes;
    plan->options.frame = scene.plan().options.frame;
    plan->options.dry_run = true;  // save() writes
    plan->options.colours = scene.plan().options.colours;
    WEFT_TRY(app::choose_colours(plan->options));
    WEFT_TRY(app::check_options(plan->options));
    const auto reductions = app::bound_threads(plan->options.threads);
    WEFT_TRY(reductions);
    frame->notes_ = reductions.value();
    // Make the edits, and pick camera and settings.
    plan->scene = scene.plan().scene;
    frame->plan_ = plan;
    plan->command_line = command_line_of(plan->options.scenes, frame->words_);
    WEFT_TRY(app::finish_plan(*plan));
    for (std::size_t k = scene.plan().scene.notes.size(); k < plan->scene.notes.size(); ++k) {
        frame->notes_.push_back(plan->scene.notes[k].sentence);
    }
    plan->settings.on_note = [maybe_frame = std::weak_ptr(frame)](const std::string& line) {
        if (const std::shared_ptr<ScriptFrame> told = maybe_frame.lock()) {
            const std::lock_guard lock(told->mutex_);
            told->notes_.push_back(line);
        }
    };
    // Build tables and trees, which read texels.
    if (plan->scene.texels.maybe_file() && !scene::BoundedMapping::take_faults()) {
        return Error{ErrorKind::Render, "the system refuses a handler for texture_memory"};
    }
    app::KeptFrame none;
    auto renderer = app::prepare_frame(plan, none);
    WEFT_TRY(renderer);
    frame->renderer_ = std::move(renderer.value());
    return frame;
}

base::Status ScriptFrame::render() {
    if (is_begun_.exchange(true)) {
        return Error{ErrorKind::Usage, "this renderer has rendered; expected a new one"};
    }
    base::Status status = run();
    const frame::FrameFigures& figures = renderer_->figures();
    // Nothing but a shortage of memory leaves a film that is worth something.
    const bool has_film = status.is_ok() || status.error().kind == ErrorKind::Memory;
    if (!has_film || figures.samples == 0) {
        return status;
    }
    if (status.is_ok()) {
        status = denoise();
    }
    times_.total_s = base::seconds_since(times_.begin);
    stats_ = app::stats_text(plan_->options, plan_->scene, *renderer_, times_, plan_->command_line);
    if (renderer_->is_whole()) {
        renderer_->let_go_of_units();
    }
    is_picture_.store(true);
    return status;
}

base::Status ScriptFrame::run() {
    if (is_cancelled()) {
        return base::Done{};
    }
    return renderer_->render([this](const frame::FrameProgress& progress) {
        const std::lock_guard lock(mutex_);
        progress_ = progress;
    });
}

base::Status ScriptFrame::denoise() {
    if (!app::is_denoised(plan_->options) || is_cancelled()) {
        return base::Done{};
    }
    denoise::DenoiseConfig config;
    config.method = app::denoise_method(plan_->options);
    config.isa = renderer_->figures().isa;
    config.should_stop = [this] { return is_cancelled(); };
    auto denoised = app::denoised_picture(renderer_->picture(), config);
    if (!denoised.is_ok() && is_cancelled()) {
        return base::Done{};
    }
    WEFT_TRY(denoised);
    denoised_ = std::move(denoised.value());
    return base::Done{};
}

void ScriptFrame::cancel() {
    is_cancelled_.store(true, std::memory_order_relaxed);
    renderer_->request_stop();
}

frame::FrameProgress ScriptFrame::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

std::vector<std::string> ScriptFrame::take_notes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
}

std::string ScriptFrame::film_hash() const {
    return renderer_->film().film_hash();
}

base::Status ScriptFrame::save(const std::string& path,
                               const std::vector<std::string>& words) const {
    if (path.empty() || film::is_standard_output(path)) {
        return Error{ErrorKind::Usage, "'" + path + "': expected the name of a file"};
    }
    // The plan of the same picture in a file.
    app::Plan plan = *plan_;
    WEFT_TRY(read_words(OptionsOf::Save, words, plan.options));
    WEFT_TRY(app::check_view(plan.options));
    plan.options.output = path;
    std::vector<std::string> line = words_;
    line.insert(line.end(), words.begin(), words.end());
    if (!film::is_exr_file(path)) {
        const bool is_asked = std::any_of(words.begin(), words.end(), [](const std::string& word) {
            return word.starts_with(kKeepFilm);
        });
        if (is_asked && plan.options.keep_film) {
            return Error{ErrorKind::Usage, path + ": keep_film needs an .exr file"};
        }
        plan.options.keep_film = false;
        std::erase_if(line, is_of_layers);
    }
    line.insert(line.end(), {"-o", path});
    plan.command_line = command_line_of(plan.options.scenes, line);
    WEFT_TRY(film::check_image_target(path, app::pick_image_config(plan.options)));
    app::name_origin(plan, *renderer_);
    const film::ImageConfig config = app::picture_config(plan, *renderer_, denoised_);
    // Only means are resolved; a file of display values resolves the film again.
    return film::is_display_file(path) ? film::write_image(path, renderer_->film(), config)
                                       : film::write_image(path, renderer_->picture(), config);
}

}  // namespace weft::python
