// reference_tracer.h — the truth: a scalar, recursive, single-threaded path tracer in double precision.
//
// Written from shaders/bsdf.md alone; shares only the scene data (SceneView's tables: geometry, materials, texels, lights) and the sample
// sequence with the fast code, and has BSDF, light, texture, medium and intersection code of its own, made to be read. Slow on
// purpose; used by tests and by --debug-pixel.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/trace/scene_tables.h"

namespace weft::trace {

struct ReferenceSettings {
    shaders::RenderParams params{};
    shaders::CameraRecord camera{};
};

// Radiance (RGB) and alpha of one camera sample: pixel (x, y), sample index.
class ReferenceTracer {
public:
    // Builds a simple median-split tree over all triangles in double precision.
    ReferenceTracer(const SceneTables& tables, const ReferenceSettings& settings);
    ~ReferenceTracer();
    [[nodiscard]] std::array<double, 4> trace_sample(u32 x, u32 y, u32 sample) const;

    // The same, telling each event of the path in a sentence (for --debug-pixel).
    [[nodiscard]] std::array<double, 4> explain_sample(u32 x, u32 y, u32 sample, std::vector<std::string>& events) const;

private:
    struct State;
    State* state_;
};

}  // namespace weft::trace
