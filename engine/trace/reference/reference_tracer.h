// reference_tracer.h — the truth: a scalar, single-threaded path tracer in double precision.
//
// Written from shaders/bsdf.md alone; shares only the scene data (SceneView's tables: geometry,
// materials, texels, lights) and the sample sequence with the fast code, and has BSDF, light,
// texture, medium and intersection code of its own, made to be read. Slow on purpose; used by
// tests, by --debug-pixel and where the viewer tells a pixel's path.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/trace/first_surface.h"
#include "engine/trace/scene_tables.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::trace {

struct ReferenceSettings {
    shaders::RenderParams params{};
    shaders::CameraRecord camera{};
    std::vector<bool> is_visible;  // by instance, as in TablesConfig. Empty: all
};

// Radiance (RGB) and alpha of one camera sample: pixel (x, y), sample index.
class ReferenceTracer {
public:
    // Builds a simple median-split tree over all triangles in double precision. `tables` and the
    // filter table that the settings point to must outlive the tracer.
    ReferenceTracer(const SceneTables& tables, const ReferenceSettings& settings);
    // The same with a tree of the renderer, which must outlive the tracer: takes no time. Of
    // instances those are seen that it holds.
    ReferenceTracer(const SceneTables& tables,
                    const ReferenceSettings& settings,
                    const shaders::BvhView& tree);
    ~ReferenceTracer();
    ReferenceTracer(const ReferenceTracer&) = delete;
    ReferenceTracer& operator=(const ReferenceTracer&) = delete;
    ReferenceTracer(ReferenceTracer&&) = delete;
    ReferenceTracer& operator=(ReferenceTracer&&) = delete;

    [[nodiscard]] std::array<double, 4> trace_sample(u32 x, u32 y, u32 sample) const;

    // The same, telling each event of the path in a sentence (for --debug-pixel).
    [[nodiscard]] std::array<double, 4> explain_sample(u32 x,
                                                       u32 y,
                                                       u32 sample,
                                                       std::vector<std::string>& events) const;

    // What the sample saw first; nothing where it saw no surface.
    [[nodiscard]] std::optional<FirstSurface> first_surface(u32 x, u32 y, u32 sample) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft::trace
