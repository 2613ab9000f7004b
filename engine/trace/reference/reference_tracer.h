// reference_tracer.h — the reference: a scalar, single-threaded path tracer in double precision.
//
// Written from shaders/bsdf.md alone. Shares the scene's tables (SceneView) and the definition of
// the sample sequence with the kernels; has its own code for BSDFs, lights, textures, media and
// intersection, written for legibility, not speed. Used by tests, by --debug-pixel and by the
// viewer's explanation of a pixel.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/pages/page_store.h"
#include "engine/trace/first_surface.h"
#include "engine/trace/guide.h"
#include "engine/trace/reference/reference_split.h"
#include "engine/trace/scene_tables.h"
#include "engine/trace/start_media.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::trace {

struct ReferenceSettings {
    shaders::RenderParams params{};
    shaders::CameraRecord camera{};
    std::vector<bool> is_visible{};  // by instance, as in TablesConfig. Empty: all
    StartMedia media = kEmptySpace;  // around the camera
    const Guide* guide = nullptr;    // of paths; null: none
};

// Radiance (RGB) and alpha of one camera sample: pixel (x, y), sample index.
class ReferenceTracer {
public:
    // Builds a simple median-split tree over all triangles in double precision. `tables` and the
    // filter table that the settings point to must outlive the tracer.
    ReferenceTracer(const SceneTables& tables, const ReferenceSettings& settings);
    // Uses a tree of the renderer instead, which must outlive the tracer, and reads its pages from
    // `maybe_store` where it has some. Visible instances are those that the tree holds.
    ReferenceTracer(const SceneTables& tables,
                    const ReferenceSettings& settings,
                    const shaders::BvhView& tree,
                    pages::PageStore* maybe_store = nullptr);
    ~ReferenceTracer();
    ReferenceTracer(const ReferenceTracer&) = delete;
    ReferenceTracer& operator=(const ReferenceTracer&) = delete;
    ReferenceTracer(ReferenceTracer&&) = delete;
    ReferenceTracer& operator=(ReferenceTracer&&) = delete;

    [[nodiscard]] std::array<double, 4> trace_sample(u32 x, u32 y, u32 sample) const;

    // The same; records each event of the path as a sentence (for --debug-pixel).
    [[nodiscard]] std::array<double, 4> explain_sample(u32 x,
                                                       u32 y,
                                                       u32 sample,
                                                       std::vector<std::string>& events) const;

    // The parts of the sample's radiance.
    [[nodiscard]] LightSplit split_sample(u32 x, u32 y, u32 sample) const;

    // The first surface that the sample hits; empty if none.
    [[nodiscard]] std::optional<FirstSurface> first_surface(u32 x, u32 y, u32 sample) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft::trace
