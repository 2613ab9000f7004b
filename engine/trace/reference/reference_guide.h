// reference_guide.h — the guide of cosine lobes, as shaders/bsdf.md section 9 defines it.
//
// Reads the tables that the kernels read. Pure; any thread.
#pragma once

#include <optional>

#include "engine/trace/reference/reference_math.h"
#include "engine/trace/reference/reference_sampler.h"
#include "shaders/host/guide_view.h"
#include "shaders/host/scene_view.h"

namespace weft::trace::reference {

// A surface's square of numbers, from which its cosine lobe draws.
class GuideSquare {
public:
    GuideSquare(const shaders::GuideTable& table, const Frame& frame)
        : table_(&table), frame_(frame) {}

    // Mean radiance that arrives, weighted by the cosine.
    [[nodiscard]] double light() const { return static_cast<double>(table_->light); }

    // The direction of even numbers.
    [[nodiscard]] Vec draw(Pair u) const;

    // The density of the numbers that lead to a direction, over even ones.
    [[nodiscard]] double density(Vec wi) const;

private:
    const shaders::GuideTable* table_;
    Frame frame_;
};

// The square of a surface with shading normal n; none: no cell around it has a table.
std::optional<GuideSquare> guide_square(const shaders::SceneView& scene, Vec position, Vec n);

}  // namespace weft::trace::reference
