// selection_box.h — the boxes that show what is selected: one per part of the node, as brackets at
// their corners.
//
// A model without ImGui (viewport.cpp draws the lines). Interface thread only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/view/models/gizmo.h"

namespace weft::app {

// Corner k has the low or high end of axis a by bit a of k.
using BoxCorners = std::array<Vec3, 8>;

struct ScreenLine {
    ScreenPoint from;
    ScreenPoint to;
};

// The ends of a box's edges, a fifth of each, as far as they lie before the camera.
std::vector<ScreenLine> bracket_lines(const GizmoView& view, const BoxCorners& corners);

// Knows the boxes of meshes that were selected last: finding one means a walk over its triangles.
class SelectionBoxes {
public:
    // In the world, of the parts of the node that `instance` belongs to: the instances beside it
    // with the same path. `path` is that of edits ("nodes/NAME").
    const std::vector<BoxCorners>& of(const scene::Scene& scene,
                                      const std::string& path,
                                      u32 instance);

    // The same to be drawn: parts that stand under one matrix have one box.
    [[nodiscard]] const std::vector<BoxCorners>& outlines() const { return outlines_; }

    // The instance of the first box; the others follow it.
    [[nodiscard]] u32 first_instance() const { return first_instance_; }

    // The middle of the box of `instance` itself: what people take for the object's middle.
    [[nodiscard]] const Vec3& middle() const { return middle_; }

private:
    struct Part {
        const float* positions = nullptr;  // of its mesh, which tells meshes apart
        u64 triangle_count = 0;
        Vec3 low{};
        Vec3 high{};
    };

    std::string path_;
    std::vector<Part> parts_;
    std::vector<BoxCorners> boxes_;
    std::vector<BoxCorners> outlines_;
    u32 first_instance_ = 0;
    Vec3 middle_{};
};

}  // namespace weft::app
