// bench_scene.h — one scene made ready to be measured: tables, tree, camera and kernels, as a frame
// has them.
//
// What all variants of a comparison share. Made once from what the scene's command lists draw, as
// frame::Renderer makes its own, so that bits agree. Read-only afterwards; any thread.
#pragma once

#include <memory>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/frame/render_settings.h"
#include "engine/frame/scene_lists.h"
#include "engine/trace/scene_tables.h"
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
    shaders::RenderParams params{};
    const shaders::ShadeKernels* shade = nullptr;
    const shaders::TraceKernels* trace = nullptr;

    // A tree, tables and kernels of settings.isa (none: the machine's best). Errors: as those of
    // Renderer::prepare.
    static base::Result<std::unique_ptr<BenchScene>> prepare(
        const scene::Scene& scene,
        const scene::Camera& camera,
        const frame::RenderSettings& settings,
        const std::vector<std::string>& hidden);

    [[nodiscard]] film::Region crop() const;

    // The tree as traversal sees it, before slots of paths are known.
    [[nodiscard]] shaders::TraceScene trace_scene() const;

    // Embree over the same instances. `has_filters`: it asks about alpha as the embree mode does;
    // without, every triangle is opaque and Embree runs at its fastest.
    [[nodiscard]] base::Result<std::unique_ptr<accel::EmbreeReference>> build_embree(
        bool has_filters) const;

    // From now on no hit is asked about: alpha, tints and clip planes are gone. For comparisons of
    // geometry alone.
    void make_opaque();
};

}  // namespace weft::bench
