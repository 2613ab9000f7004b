#include "app/render_input.h"

#include <algorithm>
#include <utility>

#include "app/command/colour_options.h"
#include "app/command/edit_options.h"
#include "app/idle_options.h"
#include "engine/frame/grouped_lights.h"
#include "engine/frame/motion.h"
#include "engine/scene/edit/scene_changes.h"
#include "engine/scene/model/section_caps.h"
#include "scheduler/base/clock.h"

namespace weft::app {

namespace {

// Reads the scene at rest once for all frames of a range.
base::Status take_rest(const RenderOptions& options, const KeptFrame& kept, Plan& plan) {
    if (kept.plan && kept.plan->rest) {
        plan.rest = kept.plan->rest;
        return base::Done{};
    }
    scene::ImportConfig config = import_config(options);
    config.pose.reset();
    config.former = &plan.scene;
    base::Result<scene::Scene> rest = read_scenes(options, config);
    WEFT_TRY(rest);
    const bool is_lit = scene::is_lit(rest.value());
    scene::complete_scene(rest.value(), is_lit);
    plan.rest = {rest.value().cameras, is_lit};
    return base::Done{};
}

// Adds the default environment and the default camera where a frame of an animation needs them. All
// frames get the same ones, whichever machine renders them: where the moment alone would decide,
// the scene at rest decides.
base::Status complete_frame(const RenderOptions& options, const KeptFrame& kept, Plan& plan) {
    const bool is_lit_by_rest = scene::is_lit_at_most_by_surfaces(plan.scene);
    if (is_lit_by_rest || plan.scene.cameras.empty()) {
        WEFT_TRY(take_rest(options, kept, plan));
    }
    if (plan.scene.cameras.empty()) {
        plan.scene.cameras = plan.rest->cameras;
    }
    const bool is_lit = is_lit_by_rest ? plan.rest->is_lit : scene::is_lit(plan.scene);
    scene::complete_scene(plan.scene, is_lit);
    return base::Done{};
}

// Requests the plan's scene with what it has in common with `former`, which must outlive the
// request. Lets go of what changed, so that its memory is free for the new one.
frame::SceneRequest request_of(const std::shared_ptr<Plan>& plan, KeptFrame& former) {
    frame::SceneRequest request;
    request.scene = std::shared_ptr<const scene::Scene>(plan, &plan->scene);
    request.settings = &plan->settings;
    request.hidden = scene::hidden_names(plan->scene, plan->context);
    const frame::RenderSettings& settings = plan->settings;
    const u64 moments = plan->options.shutter > 0 ? plan->options.shutter_moments : 1;
    request.sample_count = u64{settings.width} * settings.height *
                           (settings.samples_per_pixel - settings.first_sample) / moments;
    if (!former.plan) {
        return request;
    }
    request.effect = scene::share_unchanged(plan->scene, former.plan->scene);
    if (request.effect == scene::kEffectAll) {
        former = {};
        return request;
    }
    // Offer the tree that was built last for a patch, and let go of the one patched from it.
    frame::PreparedScene& prepared = former.prepared;
    request.maybe_built_tree = prepared.built_tree ? prepared.built_tree : prepared.acceleration;
    prepared.built_tree.reset();
    if ((request.effect & (scene::kEffectPlacement | scene::kEffectVertices)) != 0) {
        prepared.acceleration.reset();
    }
    request.pool =
        prepared.pool ? std::exchange(prepared.pool, nullptr) : std::make_shared<accel::TreePool>();
    request.maybe_former = &prepared;
    return request;
}

// Sets what the motion of this frame's surfaces is: reads the frames before and after it, whose
// light does not matter. A scene at rest has none.
base::Status add_motion(const RenderOptions& options, Plan& plan) {
    const std::vector<film::Aov>& aovs = plan.settings.aovs;
    if (!options.frame || std::find(aovs.begin(), aovs.end(), film::Aov::Motion) == aovs.end()) {
        return base::Done{};
    }
    KeptFrame kept;
    if (!plan.imported.meshes.empty()) {
        const auto now = std::make_shared<Plan>();
        now->imported = plan.imported;
        now->rest = plan.rest.value_or(RestView{});
        kept.plan = now;
    }
    const auto neighbour = [&](double frames) {
        RenderOptions other = options;
        other.frame_offset += frames;
        other.aovs.clear();
        other.light_groups = {};
        other.environment_file.clear();
        RenderTimes times;
        return make_plan(other, plan.command_line, kept, times);
    };
    const base::Result<Plan> previous = neighbour(-1);
    WEFT_TRY(previous);
    const base::Result<Plan> next = neighbour(1);
    WEFT_TRY(next);
    const auto moment = [](const Plan& at) { return frame::Moment{at.scene, at.context.camera}; };
    plan.settings.motion = std::make_shared<const frame::Motion>(moment(previous.value()),
                                                                 moment(plan),
                                                                 moment(next.value()),
                                                                 plan.settings.width,
                                                                 plan.settings.height);
    return base::Done{};
}

}  // namespace

base::Status load_scene(const RenderOptions& options,
                        const KeptFrame& kept,
                        const std::function<bool()>& is_cancelled,
                        Plan& plan) {
    scene::ImportConfig config = import_config(options);
    config.is_cancelled = is_cancelled;
    config.former = kept.plan ? &kept.plan->imported : nullptr;
    base::Result<scene::Scene> scene = read_scenes(options, config);
    WEFT_TRY(scene);
    plan.scene = std::move(scene.value());
    WEFT_TRY(apply_environment(options, plan.scene));
    if (options.frame) {
        WEFT_TRY(complete_frame(options, kept, plan));
    } else {
        scene::complete_scene(plan.scene);
    }
    // Keep no second copy of what the frame before has as well.
    if (config.former) {
        scene::share_unchanged(plan.scene, *config.former);
    }
    return base::Done{};
}

base::Result<Plan> make_plan(const RenderOptions& options,
                             const std::string& command_line,
                             const KeptFrame& kept,
                             RenderTimes& times) {
    Plan plan;
    plan.options = options;
    plan.command_line = command_line;
    WEFT_TRY(load_scene(options, kept, {}, plan));
    if (options.frame) {
        plan.imported = plan.scene;
    }
    times.import_s = base::seconds_since(times.begin);
    WEFT_TRY(finish_plan(plan));
    return plan;
}

base::Status finish_plan(Plan& plan) {
    const RenderOptions options = plan.options;
    base::Result<scene::EditContext> context = edited_context(options, plan.scene);
    WEFT_TRY(context);
    WEFT_TRY(frame::check_light_groups(plan.scene, options.light_groups));
    for (scene::Note& note : frame::dark_light_groups(
             plan.scene, options.light_groups, scene::hidden_names(plan.scene, context.value()))) {
        plan.scene.notes.push_back(std::move(note));
    }
    for (scene::Note& note : idle_options(options, context.value())) {
        plan.scene.notes.push_back(std::move(note));
    }
    plan.context = std::move(context.value());
    plan.options.exposure_stops = plan.context.exposure_stops;
    take_view(plan.context, plan.options);
    base::Result<frame::RenderSettings> settings = edited_settings(options, plan.context);
    WEFT_TRY(settings);
    plan.settings = std::move(settings.value());
    plan.settings.picture = film::resolve_config(options.output, pick_image_config(plan.options));
    // Before the faces of cut solids, which have no counterparts in other frames.
    WEFT_TRY(add_motion(options, plan));
    if (plan.context.has_clip_cap) {
        scene::append_caps(plan.scene, plan.settings.clip_planes);
    }
    plan.record.samples_wanted = pixel_samples(options);
    plan.record.slices = options.slice.value_or(SliceChoice{}).count;
    return base::Done{};
}

base::Result<std::unique_ptr<frame::Renderer>> prepare_frame(const std::shared_ptr<Plan>& plan,
                                                             KeptFrame& kept) {
    KeptFrame former = std::exchange(kept, {});
    auto renderer =
        frame::Renderer::prepare(request_of(plan, former), plan->context.camera, plan->settings);
    if (renderer.is_ok() && plan->options.frame) {
        kept = {plan, renderer.value()->scene()};
    }
    return renderer;
}

base::Status show_moment(const Plan& plan,
                         double frame_offset,
                         frame::Renderer& frame,
                         KeptFrame& kept) {
    RenderOptions options = plan.options;
    options.frame_offset = frame_offset;
    RenderTimes times;
    base::Result<Plan> planned = make_plan(options, plan.command_line, kept, times);
    WEFT_TRY(planned);
    const auto shown = std::make_shared<Plan>(std::move(planned.value()));
    KeptFrame former = std::exchange(kept, {});
    base::Result<frame::PreparedScene> prepared = frame::prepare_scene(request_of(shown, former));
    WEFT_TRY(prepared);
    kept = {shown, prepared.value()};
    return frame.change_scene(std::move(prepared.value()), shown->context.camera);
}

}  // namespace weft::app
