// bench_scene.h — a scene ready to be measured: tables, tree, camera and kernels, as a frame has
// them.
//
// All variants of a comparison share it. It is made once by executing the scene's command lists, as
// frame::Renderer does, so that bits agree. Read-only afterwards; any thread.
#pragma once

#include <memory>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/frame/drawn_scene.h"
#include "engine/frame/render_settings.h"
#include "engine/trace/scene_tables.h"
#include "engine/trace/start_media.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::bench {

struct BenchScene {
    const scene::Scene* scene = nullptr;  // outlives this unchanged
    frame::RenderSettings settings;
    trace::SceneTables tables;
    accel::Acceleration acceleration;
    frame::DrawnScene drawn;  // which instances are visible, and whose hits traversal asks about
    std::vector<float> filter_table;
    shaders::CameraRecord camera{};
    trace::StartMedia media = trace::kEmptySpace;  // around it
    shaders::RenderParams params{};
    const shaders::ShadeKernels* shade = nullptr;
    const shaders::TraceKernels* trace = nullptr;

    // Makes tables, a tree and the kernels of settings.isa (none: the machine's best). Errors:
    // those of Renderer::prepare.
    static base::Result<std::unique_ptr<BenchScene>> prepare(
        const scene::Scene& scene,
        const scene::Camera& camera,
        const frame::RenderSettings& settings,
        const std::vector<std::string>& hidden);

    [[nodiscard]] film::Region crop() const;

    // The scene for traversal, without slots of paths.
    [[nodiscard]] shaders::TraceScene trace_scene() const;

    // Embree over the same instances. With `has_filters` it tests alpha as the embree mode does;
    // without, every triangle is opaque and Embree runs at its fastest.
    [[nodiscard]] base::Result<std::unique_ptr<accel::EmbreeReference>> build_embree(
        bool has_filters) const;

    // Removes alpha, tints and clip planes from the tree, for comparisons of geometry alone.
    void make_opaque();
};

}  // namespace weft::bench
