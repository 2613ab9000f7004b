// reference_tracer.cpp — see reference_tracer.h; the path itself is in reference_path.cpp.
#include "engine/trace/reference/reference_tracer.h"

#include "engine/trace/reference/reference_path.h"

namespace weft::trace {

namespace {

shaders::SceneView guided_view(const shaders::SceneView& scene, const Guide* maybe_guide) {
    shaders::SceneView view = scene;
    if (maybe_guide != nullptr) {
        point_at(*maybe_guide, maybe_guide->slots.data(), maybe_guide->tables.data(), view);
    }
    return view;
}

}  // namespace

struct ReferenceTracer::State {
    const SceneTables& tables;
    ReferenceSettings settings;
    reference::TriangleTree tree;
    shaders::SceneView view = guided_view(tables.view, settings.guide);

    [[nodiscard]] reference::PathScene scene() const {
        return {
            view, tree, settings.params, settings.camera, settings.media, tables.has_boundaries()};
    }

    [[nodiscard]] std::array<double, 4> trace(u32 x,
                                              u32 y,
                                              u32 sample,
                                              std::vector<std::string>* maybe_events) const {
        const reference::PathScene seen = scene();
        reference::Story story(maybe_events);
        return reference::Path(seen, x, y, sample, story).trace();
    }
};

ReferenceTracer::ReferenceTracer(const SceneTables& tables, const ReferenceSettings& settings)
    : state_(new State{
          tables,
          settings,
          reference::TriangleTree(
              tables.view, static_cast<u32>(tables.instances.size()), settings.is_visible)}) {}

ReferenceTracer::ReferenceTracer(const SceneTables& tables,
                                 const ReferenceSettings& settings,
                                 const shaders::BvhView& tree,
                                 pages::PageStore* maybe_store)
    : state_(new State{tables, settings, reference::TriangleTree(tables.view, tree, maybe_store)}) {
}

ReferenceTracer::~ReferenceTracer() = default;

std::array<double, 4> ReferenceTracer::trace_sample(u32 x, u32 y, u32 sample) const {
    return state_->trace(x, y, sample, nullptr);
}

std::array<double, 4> ReferenceTracer::explain_sample(u32 x,
                                                      u32 y,
                                                      u32 sample,
                                                      std::vector<std::string>& events) const {
    return state_->trace(x, y, sample, &events);
}

LightSplit ReferenceTracer::split_sample(u32 x, u32 y, u32 sample) const {
    const reference::PathScene seen = state_->scene();
    reference::Story story(nullptr);
    reference::Path path(seen, x, y, sample, story);
    static_cast<void>(path.trace());
    return path.split();
}

std::optional<FirstSurface> ReferenceTracer::first_surface(u32 x, u32 y, u32 sample) const {
    const reference::PathScene seen = state_->scene();
    reference::Story story(nullptr);
    reference::Path path(seen, x, y, sample, story);
    static_cast<void>(path.trace());
    return path.first_surface();
}

}  // namespace weft::trace
