#include "app/render_outputs.h"

#include <algorithm>
#include <fmt/format.h>

#include "app/checkpoint.h"
#include "app/command/messages.h"
#include "app/command/version.h"
#include "app/denoise_step.h"
#include "engine/film/whole_file.h"
#include "engine/frame/picture_metadata.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"

namespace weft::app {

namespace {

u64 pixel_count(const frame::Renderer& renderer) {
    const film::Region crop = renderer.film().crop();
    return u64{crop.width()} * crop.height();
}

void print_summary(const frame::Renderer& renderer) {
    const frame::FrameFigures& figures = renderer.figures();
    const trace::IntegratorCounters& counted = figures.integrator;
    if (!figures.dropped.empty()) {
        const frame::DroppedSample& first = figures.dropped.front();
        say(Level::Warning,
            fmt::format("{} samples were not finite or out of range and were dropped, the first of "
                        "them: --debug-pixel {},{},{}",
                        figures.dropped_samples,
                        first.x,
                        first.y,
                        first.sample));
    }
    if (figures.empty_pixels > 0) {
        say(Level::Warning,
            fmt::format("{} of {} pixels have no sample and show the nearest of every second, "
                        "fourth or eighth that has; {}",
                        figures.empty_pixels,
                        pixel_count(renderer),
                        figures.dropped_samples > 0
                            ? "theirs were dropped, or the picture was ended early"
                            : "the picture was ended early"));
    }
    const u64 rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    const double render_s = std::max(figures.render_s, 1e-9);
    say(Level::Info,
        fmt::format("{:.4g} samples per pixel in {:.2f} s, stopped by {} "
                    "({:.2f} Msamples/s, {:.2f} Mrays/s, {} on {} threads); "
                    "structure built in {:.2f} s; {} MiB",
                    renderer.mean_samples(),
                    figures.render_s,
                    stop_rule_text(figures.stopped_by),
                    static_cast<double>(figures.samples - figures.samples_found) / render_s * 1e-6,
                    static_cast<double>(rays) / render_s * 1e-6,
                    shaders::isa_name(figures.isa),
                    figures.thread_count,
                    figures.build_s,
                    peak_rss_bytes() >> 20));
}

}  // namespace

film::ImageConfig picture_config(const Plan& plan,
                                 const frame::Renderer& renderer,
                                 const std::shared_ptr<const film::Picture>& maybe_denoised) {
    const RenderOptions& options = plan.options;
    film::ImageConfig config = pick_image_config(options);
    config.matte_names = plan.matte_names;
    config.pixel_aspect = plan.context.camera.pixel_aspect;
    config.metadata = {{"version", kVersion}, {"command_line", plan.command_line}};
    const auto told = frame::picture_metadata(renderer, plan.context.camera, plan.settings);
    config.metadata.insert(config.metadata.end(), told.begin(), told.end());
    if (options.frame) {
        config.metadata.emplace_back("frame", std::to_string(*options.frame));
        config.metadata.emplace_back("frames_per_second", fmt::format("{}", options.frames_per_s));
    }
    if (config.keep_film) {
        config.record = record_now(plan, renderer);
    }
    if (maybe_denoised) {
        config.denoised = maybe_denoised;
        config.metadata.emplace_back("denoised_by",
                                     options.denoise_command
                                         ? options.denoise_command->program.string()
                                         : std::string(denoised_by(denoise_method(options))));
    }
    return config;
}

bool saves_film(const RenderOptions& options) {
    return options.keep_film || options.slice || !checkpoint_path(options).empty();
}

WriterMemory::~WriterMemory() {
    base::end_pledge(bytes_);
}

base::Status WriterMemory::keep_free(const Plan& plan, const frame::Renderer& frame) {
    const base::Result<u64> bytes =
        film::writer_bytes(plan.options.output, frame.picture(), pick_image_config(plan.options));
    WEFT_TRY(bytes);
    WEFT_TRY(base::claim_memory(frame::first_run_bytes(frame.figures()) + bytes.value(),
                                plan.options.output + ": the film and the writing of its file"));
    bytes_ = bytes.value();
    base::pledge_memory(bytes_);
    return base::Done{};
}

base::Status write_snapshot(const Plan& plan, frame::Renderer& frame) {
    const std::string& output = plan.options.output;
    if (film::is_standard_output(output)) {
        say(Level::Warning, "no snapshot: the standard output takes one picture, the finished one");
        return base::Done{};
    }
    frame.resolve_now();
    WEFT_TRY(film::write_image(output, frame.picture(), picture_config(plan, frame, nullptr)));
    say(Level::Info,
        fmt::format("snapshot of {:.4g} samples per pixel in {}", frame.mean_samples(), output));
    return base::Done{};
}

base::Status write_outputs(const Plan& plan,
                           const frame::Renderer& frame,
                           const std::shared_ptr<const film::Picture>& maybe_denoised,
                           RenderTimes& times) {
    const RenderOptions& options = plan.options;
    WEFT_TRY(film::write_image(
        options.output, frame.picture(), picture_config(plan, frame, maybe_denoised)));
    print_summary(frame);
    if (const std::string bias = bias_text(options); !bias.empty()) {
        say(Level::Info, "the picture is biased: " + bias);
    }
    times.total_s = base::seconds_since(times.begin);
    if (!options.stats_file.empty()) {
        WEFT_TRY(write_stats(options, plan.scene, frame, times, plan.command_line));
    }
    if (!options.trace_file.empty()) {
        WEFT_TRY(write_trace(options.trace_file));
    }
    return base::Done{};
}

}  // namespace weft::app
