// begin_frame.cpp — see begin_frame.h.
#include "app/begin_frame.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <utility>
#include <vector>

#include "app/command/messages.h"
#include "app/command/version.h"
#include "engine/frame/film_origin.h"
#include "engine/frame/surface_ids.h"
#include "scheduler/base/memory_limit.h"

namespace weft::app {

namespace {

// Prints the import's notes: what it repaired, replaced or ignored as warnings, the rest at debug
// level. Leaves out those in `known`, which the frame before had, too; then these are known.
void print_notes(const scene::Scene& scene, std::vector<scene::Note>& known) {
    for (const scene::Note& note : scene.notes) {
        const auto is_same = [&](const scene::Note& other) {
            return other.sentence == note.sentence;
        };
        if (std::none_of(known.begin(), known.end(), is_same)) {
            say(note.kind == scene::Note::Kind::Found ? Level::Debug : Level::Warning,
                note.sentence);
        }
    }
    known = scene.notes;
}

// Tells what came of the pilot.
void say_verdict(const frame::PilotFigures& pilot) {
    const std::string worth = fmt::format("{:.3g} unguided ones", pilot.worth_of_ray);
    switch (pilot.verdict) {
        case frame::PilotVerdict::None:
            break;
        case frame::PilotVerdict::Guided:
            say(Level::Info,
                fmt::format("guided by {} KiB that a pilot learned in {:.2f} s{}",
                            pilot.guide_bytes >> 10,
                            pilot.seconds,
                            pilot.worth_of_ray > 0 ? ": a guided ray is worth " + worth : ""));
            break;
        case frame::PilotVerdict::TooLittleLight:
            say(Level::Info, "not guided: the pilot found too little light");
            break;
        case frame::PilotVerdict::PaysTooLittle:
            say(Level::Info,
                fmt::format("not guided: it pays too little, since a guided ray would be worth {}, "
                            "less than {:.3g}",
                            worth,
                            frame::kLeastWorthOfRay));
    }
}

// Lets a pilot learn where light comes from; a dry run looks whether it would fit into memory.
base::Status learn(const BeginConfig& config, frame::Renderer& frame) {
    if (config.options->dry_run) {
        return frame.check_pilot();
    }
    if (config.options->guiding == frame::Guiding::Off) {
        return base::Done{};
    }
    config.leave_while("the pilot was rendered");
    say(Level::Debug, "a pilot learns where light comes from");
    WEFT_TRY(frame.learn());
    say_verdict(frame.figures().pilot);
    return base::Done{};
}

// One try of begin_frame(). What it prints becomes known, and a second try does not repeat it.
base::Status begin_beside(const BeginConfig& config,
                          std::vector<scene::Note>& known_notes,
                          KeptFrame& kept,
                          RenderTimes& times,
                          BegunFrame& begun) {
    const RenderOptions& options = *config.options;
    // Read the scene.
    config.leave_while("the scene was read");
    base::Result<Plan> planned = make_plan(options, *config.command_line, kept, times);
    WEFT_TRY(planned);
    begun.plan = std::make_shared<Plan>(std::move(planned.value()));
    print_notes(begun.plan->scene, known_notes);
    // Build tables and trees.
    config.leave_while("the structure was built");
    auto renderer = prepare_frame(begun.plan, kept);
    WEFT_TRY(renderer);
    begun.renderer = std::move(renderer.value());
    if (options.debug_pixel) {
        return learn(config, *begun.renderer);
    }
    // Read the checkpoint, and take the memory of the files.
    name_origin(*begun.plan, *begun.renderer);
    WEFT_TRY(continue_from_checkpoint(*begun.plan, *begun.renderer));
    begun.writer_memory = std::make_unique<WriterMemory>();
    if (!options.output.empty()) {  // a dry run needs none
        WEFT_TRY(begun.writer_memory->keep_free(*begun.plan, *begun.renderer));
    }
    begun.checkpoint = std::make_unique<Checkpoint>(
        checkpoint_path(options),
        options.checkpoint_interval_s > 0 ? options.checkpoint_interval_s : kCheckpointInterval_s);
    WEFT_TRY(begun.checkpoint->prepare(*begun.plan, *begun.renderer));
    return learn(config, *begun.renderer);
}

// Whether a frame that failed so may fit into memory without the one before.
bool is_shortage(const base::Status& status) {
    return is_too_large(status) ||
           (!status.is_ok() && status.error().kind == base::ErrorKind::Memory);
}

}  // namespace

void name_origin(Plan& plan, const frame::Renderer& frame) {
    plan.matte_names = frame::matte_names(plan.scene, plan.settings.aovs);
    if (saves_film(plan.options)) {
        plan.record.names = plan.matte_names;
        plan.record.camera_name = plan.context.camera.name;
        plan.record.origin = frame::film_origin(plan.scene,
                                                plan.context.camera,
                                                plan.settings,
                                                scene::hidden_names(plan.scene, plan.context),
                                                frame.figures().isa);
        plan.record.origin.emplace_back("version of weft", kVersion);
        if (plan.options.frame) {
            plan.record.origin.emplace_back("frame", std::to_string(*plan.options.frame));
        }
        if (plan.options.shutter > 0) {
            plan.record.origin.emplace_back("exposure",
                                            fmt::format("{} of a frame, {} samples in {} moments",
                                                        plan.options.shutter,
                                                        pixel_samples(plan.options),
                                                        plan.options.shutter_moments));
        }
    }
}

bool is_too_large(const base::Status& status) {
    return !status.is_ok() && status.error().kind == base::ErrorKind::TooLarge;
}

base::Status begin_frame(const BeginConfig& config,
                         KeptFrame& kept,
                         RenderTimes& times,
                         BegunFrame& begun) {
    const bool has_former = kept.plan != nullptr;
    std::vector<scene::Note> known_notes =
        has_former ? kept.plan->scene.notes : std::vector<scene::Note>();
    base::Status status = base::Done{};
    try {
        status = begin_beside(config, known_notes, kept, times, begun);
    } catch (const std::bad_alloc&) {
        if (!has_former) {
            throw;
        }
        status = base::Error{base::ErrorKind::TooLarge, "the frame does not fit into memory"};
    }
    if (!has_former || !is_shortage(status)) {
        return status;
    }
    say(Level::Debug, status.error().sentence + "; trying without the former frame");
    begun = {};
    kept = {};
    base::measure_memory_anew();
    return begin_beside(config, known_notes, kept, times, begun);
}

}  // namespace weft::app
