#include "app/render_command.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <system_error>

#include "app/begin_frame.h"
#include "app/checkpoint.h"
#include "app/command/exit_code.h"
#include "app/command/frame_range.h"
#include "app/command/messages.h"
#include "app/command/output_lock.h"
#include "app/command/progress.h"
#include "app/command/signals.h"
#include "app/command/standard_output.h"
#include "app/denoise_step.h"
#include "app/external_denoiser.h"
#include "app/moment_tasks.h"
#include "app/render_input.h"
#include "app/render_outputs.h"
#include "app/shutter.h"
#include "engine/film/film_file.h"
#include "engine/film/whole_file.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"
#include "scheduler/base/trace_log.h"

namespace weft::app {

namespace {

using base::Clock;

int debug_pixel(const DebugPixel& pixel,
                const frame::RenderSettings& settings,
                const frame::Renderer& renderer) {
    if (pixel.x >= settings.width || pixel.y >= settings.height) {
        const std::string sample = pixel.sample == 0 ? "" : fmt::format(",{}", pixel.sample);
        return fail(
            {base::ErrorKind::Usage,
             fmt::format("--debug-pixel {},{}{}: expected x,y[,sample] with x < {} and y < {}",
                         pixel.x,
                         pixel.y,
                         sample,
                         settings.width,
                         settings.height)});
    }
    std::string text;
    for (const std::string& event : renderer.explain_sample(pixel.x, pixel.y, pixel.sample)) {
        text += event + '\n';
    }
    return put_on_stdout(text) ? kExitDone : kExitOutput;
}

// Says what happens to the output after a signal. Returns whether there is a sample to save.
bool say_interrupted(const RenderOptions& options, const frame::Renderer& frame) {
    const u64 samples = frame.figures().samples;
    say(Level::Info,
        samples == 0
            ? "interrupted before the first sample; " + options.output + " is left as it was"
            : "interrupted; writing " + options.output + " (again to leave without it)");
    return samples != 0;
}

int say_dry_run(const Plan& plan) {
    const bool is_shown = put_on_stdout(
        fmt::format("{}x{}, {} samples per pixel: everything that a render needs is there\n",
                    plan.settings.width,
                    plan.settings.height,
                    plan.settings.samples_per_pixel - plan.settings.first_sample));
    return is_shown ? kExitDone : kExitOutput;
}

// Shows the next moment of the exposure: beside the former one, whose parts it takes over, else
// without it. One that does not fit into memory ends a frame that has samples as other shortages do
// (kind Memory).
base::Status show_next_moment(const Plan& plan,
                              double frame_offset,
                              frame::Renderer& frame,
                              KeptFrame& kept) {
    const auto show = [&]() -> base::Status {
        try {
            return show_moment(plan, frame_offset, frame, kept);
        } catch (const std::bad_alloc&) {
            return base::Error{base::ErrorKind::TooLarge, "the moment does not fit into memory"};
        }
    };
    base::Status shown = show();
    if (is_too_large(shown)) {
        say(Level::Debug, shown.error().sentence + "; trying without the former moment");
        kept = {};
        frame.let_go_of_scene();
        base::measure_memory_anew();
        shown = show();
    }
    const frame::FrameFigures& figures = frame.figures();
    if (!is_too_large(shown) || (figures.samples == 0 && figures.samples_found == 0)) {
        return shown;
    }
    frame.end_out_of_memory();
    return base::Error{
        base::ErrorKind::Memory,
        "out of memory between two moments of the exposure: " + shown.error().sentence};
}

// Renders the moments of the frame's exposure that its film lacks.
base::Status render_exposure(const Plan& plan,
                             frame::Renderer& frame,
                             Checkpoint& checkpoint,
                             KeptFrame& kept) {
    ProgressPrinter printer(progress_style(plan.options.progress, plan.options.is_quiet),
                            plan.settings.time_limit_s,
                            plan.options.frame_place,
                            plan.options.frame_count);
    const frame::RenderSettings& settings = plan.settings;
    const u32 held = film::held_samples(frame.film(), settings.first_sample).end;
    const u32 samples =
        plan.options.slice ? pixel_samples(plan.options) : settings.samples_per_pixel;
    double shown_offset = plan.options.frame_offset;
    for (const Moment& moment : shutter_moments(plan.options, samples)) {
        const u32 end = std::min(moment.end, settings.samples_per_pixel);
        const bool is_last =
            moment.begin < settings.samples_per_pixel && moment.end >= settings.samples_per_pixel;
        if (moment.begin >= end || (end <= held && !is_last)) {
            continue;
        }
        if (end > held && moment.frame_offset != shown_offset) {
            WEFT_TRY(show_next_moment(plan, moment.frame_offset, frame, kept));
            shown_offset = moment.frame_offset;
        }
        frame.change_samples(end);
        WEFT_TRY(MomentTasks(plan, frame, checkpoint, printer).run());
        if (frame.figures().stopped_by != frame::StopRule::Samples) {
            break;
        }
    }
    return base::Done{};
}

bool wants_denoiser(const RenderOptions& options) {
    return is_denoised(options) || options.denoise_command.has_value();
}

// Whether one of the rules that the options give ended the frame.
bool is_finished_by_rule(frame::StopRule rule) {
    return rule == frame::StopRule::Samples || rule == frame::StopRule::Noise ||
           rule == frame::StopRule::TimeLimit;
}

// The picture by --denoise or --denoise-command; null without them, and after a signal, which wants
// the program to end soon.
base::Result<std::shared_ptr<const film::Picture>> denoise(const Plan& plan,
                                                           const frame::Renderer& frame) {
    if (was_interrupted() || !wants_denoiser(plan.options)) {
        return std::shared_ptr<const film::Picture>();
    }
    if (is_denoised(plan.options)) {
        denoise::DenoiseConfig config;
        config.method = denoise_method(plan.options);
        config.isa = frame.figures().isa;
        config.should_stop = was_interrupted;
        const Clock::time_point begin = Clock::now();
        auto denoised = denoised_picture(frame.picture(), config);
        if (denoised.is_ok()) {
            say_denoised(begin);
        }
        return denoised;
    }
    say(Level::Info, "denoising with " + plan.options.denoise_command->program.string());
    return run_denoiser(*plan.options.denoise_command, frame.picture());
}

// Saves the samples before a moment whose scene cannot be read any more, or a failure, where a
// checkpoint was asked for. Returns the error, which then names it.
base::Error with_samples_kept(const Plan& plan,
                              const frame::Renderer& frame,
                              Checkpoint& checkpoint,
                              base::Error error) {
    const bool has_failed =
        error.kind == base::ErrorKind::Scene || error.kind == base::ErrorKind::Render;
    if (has_failed && frame.figures().samples > 0 && checkpoint.is_wanted() &&
        checkpoint.save_now(plan, frame, false).is_ok()) {
        error.sentence += "; the samples until then are in " + checkpoint_path(plan.options);
    }
    return error;
}

// Renders and writes the outputs, also after a signal or when memory runs out between samples.
int render_plan(BegunFrame& begun, KeptFrame& kept, RenderTimes& times, RenderEnd& end) {
    const Plan& plan = *begun.plan;
    frame::Renderer& frame = *begun.renderer;
    Checkpoint& checkpoint = *begun.checkpoint;
    stop_on_signal();
    base::Status rendered = render_exposure(plan, frame, checkpoint, kept);
    end.samples = frame.figures().samples;
    end.total = samples_wanted(plan, frame) - frame.figures().samples_saved;
    end.elapsed_s = frame.figures().render_s;
    const bool has_run_out = !rendered.is_ok() && rendered.error().kind == base::ErrorKind::Memory;
    if (!rendered.is_ok() && (!has_run_out || frame.figures().samples == 0)) {
        return fail(with_samples_kept(plan, frame, checkpoint, rendered.error()));
    }
    if (was_interrupted() && !say_interrupted(plan.options, frame)) {
        return kExitSignal;
    }
    // The checkpoint first: it is still good where the picture cannot be written.
    const bool is_finished = !has_run_out && is_finished_by_rule(frame.figures().stopped_by);
    base::Status saved = checkpoint.save_now(plan, frame, is_finished);
    // A failure of the denoiser, and a signal before its end, leave the film's picture.
    const auto denoised = denoise(plan, frame);
    if (is_finished && wants_denoiser(plan.options) &&
        !(denoised.is_ok() && denoised.value() != nullptr)) {
        saved = checkpoint.save_now(plan, frame, false);
    }
    base::Status written =
        write_outputs(plan, frame, denoised.is_ok() ? denoised.value() : nullptr, times);
    if (!written.is_ok() || !saved.is_ok()) {
        return fail(written.is_ok() ? saved.error() : written.error());
    }
    if (has_run_out) {
        return fail(
            {rendered.error().kind,
             rendered.error().sentence + "; the samples until then are in " + plan.options.output});
    }
    if (!denoised.is_ok() && !was_interrupted()) {
        return fail({denoised.error().kind,
                     denoised.error().sentence + "; " + plan.options.output + " is not denoised"});
    }
    return was_interrupted() ? kExitSignal : kExitDone;
}

// Warns that `#` in the output's name stands for a number that there is not.
void say_number_sign(const RenderOptions& options) {
    if (!options.frame && options.output.find('#') != std::string::npos) {
        say(Level::Warning,
            options.output +
                ": # stands for the frame's number, but no frame was asked for (--frames); the "
                "name is taken as it is");
    }
}

int render_to_file(const RenderOptions& options,
                   const std::string& command_line,
                   KeptFrame& kept,
                   RenderEnd& end) {
    RenderTimes times;
    times.begin = Clock::now();
    if (!options.trace_file.empty()) {
        base::start_trace();
    }
    // Check the options.
    base::Status checked = check_options(options);
    if (!checked.is_ok()) {
        return fail(checked.error());
    }
    say_number_sign(options);
    if (keeps_finished(options)) {
        return kExitDone;
    }
    // Lock the outputs, and remove what a killed run left. A dry run removes nothing.
    const base::Result<OutputLock> output_lock = OutputLock::take(options.output);
    const base::Result<OutputLock> checkpoint_lock = OutputLock::take(checkpoint_path(options));
    for (const base::Result<OutputLock>* lock : {&output_lock, &checkpoint_lock}) {
        if (!lock->is_ok()) {
            return fail(lock->error());
        }
    }
    if (!options.dry_run) {
        film::remove_stale_files(options.output);
        film::remove_stale_files(checkpoint_path(options));
    }
    // With JSON progress, the signal handler also prints the final line.
    const auto leave_while = [&](const std::string& what) {
        const bool is_json =
            progress_style(options.progress, options.is_quiet) == ProgressStyle::Json;
        leave_on_signal(
            "before the first sample, while " + what +
                (options.output.empty() ? "" : "; " + options.output + " is left as it was"),
            is_json ? end_line({.exit_code = kExitSignal}) : "");
    };
    BegunFrame begun;
    base::Status begins = begin_frame({&options, &command_line, leave_while}, kept, times, begun);
    if (!begins.is_ok()) {
        return fail(begins.error());
    }
    const std::string far = scene::far_note(begun.renderer->scene().tables->boxes);
    if (!far.empty()) {
        say(Level::Warning, far);
    }
    // Explain one pixel, stop before the first sample, or render.
    if (options.debug_pixel) {
        return debug_pixel(*options.debug_pixel, begun.plan->settings, *begun.renderer);
    }
    if (options.dry_run) {
        return say_dry_run(*begun.plan);
    }
    return render_plan(begun, kept, times, end);
}

// Renders one picture. Turns what the machine refuses into sentences.
int render_safely(const RenderOptions& options,
                  const std::string& command_line,
                  KeptFrame& kept,
                  RenderEnd& end) {
    try {
        return render_to_file(options, command_line, kept, end);
    } catch (const std::bad_alloc&) {
        return fail_without_memory(
            "out of memory: the scene or the picture is too large for this machine");
    } catch (const std::system_error& error) {
        return fail(no_thread(error));
    }
}

// The moment that a frame begins with: the first of its exposure, or that of --debug-pixel.
double first_offset(const RenderOptions& options) {
    const std::vector<Moment> moments = shutter_moments(options, pixel_samples(options));
    const u32 sample = options.debug_pixel ? options.debug_pixel->sample : 0;
    const auto shown = std::find_if(
        moments.begin(), moments.end(), [&](const Moment& moment) { return sample < moment.end; });
    return shown == moments.end() ? moments.back().frame_offset : shown->frame_offset;
}

// Renders the frames in order. Ends with the first that fails; with --skip-bad-frames with the
// last, and the code is that of the first that failed.
int render_frames(const RenderOptions& options,
                  const std::vector<u32>& frames,
                  const std::string& command_line,
                  RenderEnd& end) {
    KeptFrame kept;
    std::string failed;
    std::size_t failed_count = 0;
    int exit_code = kExitDone;
    for (std::size_t i = 0; i < frames.size() && !was_interrupted(); ++i) {
        RenderOptions of_frame = options_of_frame(options, frames[i]);
        of_frame.frame_offset = first_offset(of_frame);
        of_frame.frame_place = static_cast<u32>(i);
        of_frame.frame_count = static_cast<u32>(frames.size());
        say(Level::Info,
            fmt::format(
                "frame {} ({} of {}) {}", frames[i], i + 1, frames.size(), of_frame.output));
        const int code = render_safely(of_frame, command_line, kept, end);
        if (code == kExitSignal) {
            return code;
        }
        if (code == kExitDone) {
            continue;
        }
        exit_code = exit_code == kExitDone ? code : exit_code;
        ++failed_count;
        failed += fmt::format("{}{} (code {})", failed.empty() ? "" : ", ", frames[i], code);
        if (!options.skip_bad_frames || code == kExitUsage) {
            break;
        }
    }
    if (failed_count > 0) {
        say(Level::Error,
            fmt::format("{} of {} frames failed: {}", failed_count, frames.size(), failed));
    }
    return exit_code == kExitDone && was_interrupted() ? kExitSignal : exit_code;
}

}  // namespace

int run_render(const RenderOptions& options, const std::string& command_line) {
    RenderEnd end;
    const base::Status checked = check_frames(options);
    const std::vector<u32> frames = checked.is_ok() ? wanted_frames(options) : std::vector<u32>();
    if (!checked.is_ok()) {
        end.exit_code = fail(checked.error());
    } else if (frames.empty()) {
        KeptFrame none;
        end.exit_code = render_safely(options, command_line, none, end);
    } else {
        end.exit_code = render_frames(options, frames, command_line, end);
    }
    say_end(progress_style(options.progress, options.is_quiet), end);
    return end.exit_code;
}

}  // namespace weft::app
