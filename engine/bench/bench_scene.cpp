#include "engine/bench/bench_scene.h"

#include <algorithm>
#include <thread>

#include "engine/frame/autofocus.h"
#include "engine/frame/camera_media.h"
#include "engine/frame/hidden_lights.h"
#include "engine/frame/prepared_scene.h"

namespace weft::bench {

namespace {

base::Status draw(BenchScene& made, const std::vector<std::string>& hidden) {
    const base::Result<std::shared_ptr<const frame::SceneLists>> lists =
        frame::SceneLists::record(*made.scene, {.thread_count = made.settings.thread_count});
    WEFT_TRY(lists);
    base::Result<frame::DrawnScene> drawn = frame::draw_scene(
        lists.value(), {hidden, made.settings.clip_planes, !made.settings.is_film_transparent});
    WEFT_TRY(drawn);
    drawn.value().tables.thread_count = made.settings.thread_count;
    drawn.value().tables.light_choice = made.settings.light_choice;
    drawn.value().tables.is_regularized = frame::is_regularized(made.settings);
    made.tables = frame::make_lit_tables(*made.scene, hidden, drawn.value().tables);
    made.drawn = std::move(drawn.value());
    return base::Done{};
}

}  // namespace

base::Result<std::unique_ptr<BenchScene>> BenchScene::prepare(
    const scene::Scene& scene,
    const scene::Camera& camera,
    const frame::RenderSettings& settings,
    const std::vector<std::string>& hidden) {
    auto made = std::make_unique<BenchScene>();
    made->scene = &scene;
    made->settings = settings;
    if (made->settings.thread_count == 0) {
        made->settings.thread_count = std::max(1U, std::thread::hardware_concurrency());
    }
    const shaders::Isa isa = settings.isa.value_or(shaders::best_isa());
    made->shade = shaders::shade_kernels(isa);
    made->trace = shaders::trace_kernels(isa);
    if (!made->shade || !made->trace) {
        return base::Error{base::ErrorKind::Usage,
                           std::string("--isa ") + shaders::isa_name(isa) +
                               ": this machine cannot run it; expected one that it has"};
    }
    base::Status status = draw(*made, hidden);
    WEFT_TRY(status);
    accel::BuildConfig build;
    build.thread_count = made->settings.thread_count;
    build.is_visible = made->drawn.tables.is_visible;
    build.is_flagged = made->drawn.is_flagged;
    build.leaf_fill = settings.leaf_fill;
    build.is_high_quality = settings.has_fine_tree;
    auto acceleration = accel::build_acceleration(scene, build);
    WEFT_TRY(acceleration);
    made->acceleration = std::move(acceleration.value());
    made->filter_table = trace::make_filter_table(settings.filter);
    made->params = frame::render_params(settings, made->filter_table);
    made->camera = trace::make_camera(camera, settings.width, settings.height);
    frame::UnitScene shared;
    shared.tables = &made->tables;
    shared.acceleration = &made->acceleration;
    if (settings.has_autofocus) {
        const float focus_m = frame::distance_in_the_middle(shared, made->camera);
        made->camera.focus_m = focus_m > 0 ? focus_m : made->camera.focus_m;
    }
    made->media = frame::media_around(shared, made->camera);
    return made;
}

film::Region BenchScene::crop() const {
    return settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
}

shaders::TraceScene BenchScene::trace_scene() const {
    return {acceleration.view(), &tables.view, nullptr, nullptr};
}

base::Result<std::unique_ptr<accel::EmbreeReference>> BenchScene::build_embree(
    bool has_filters) const {
    return accel::EmbreeReference::build(*scene,
                                         settings.thread_count,
                                         drawn.tables.is_visible,
                                         drawn.is_flagged,
                                         has_filters,
                                         settings.isa);
}

void BenchScene::make_opaque() {
    constexpr u32 kAsked = 0xf;
    for (shaders::LeafBlock& block : acceleration.blocks.span()) {
        block.flags &= ~kAsked;
    }
}

}  // namespace weft::bench
