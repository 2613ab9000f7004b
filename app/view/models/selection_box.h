// selection_box.h — the boxes that mark the selection: one per part of the node, drawn as brackets
// at its corners.
//
// A model without ImGui (viewport.cpp draws the lines). Interface thread only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/view/models/gizmo.h"
#include "engine/math/box.h"

namespace weft::app {

// Corner k has the high end of axis a if bit a of k is set.
using BoxCorners = std::array<Vec3, 8>;

struct ScreenLine {
    ScreenPoint from;
    ScreenPoint to;
};

// Both ends of each edge, a fifth of its length, clipped to the part before the camera.
std::vector<ScreenLine> bracket_lines(const GizmoView& view, const BoxCorners& corners);

// Caches the boxes of recently selected meshes: computing one visits all triangles of the mesh.
class SelectionBoxes {
public:
    // World boxes of all parts of the node that `instance` belongs to: the adjacent instances with
    // the same path. `path` is the path of edits ("nodes/NAME").
    const std::vector<BoxCorners>& of(const scene::Scene& scene,
                                      const std::string& path,
                                      u32 instance);

    // The boxes to draw: parts that share a matrix share one box.
    [[nodiscard]] const std::vector<BoxCorners>& outlines() const { return outlines_; }

    // The instance of the first box; the others follow in order.
    [[nodiscard]] u32 first_instance() const { return first_instance_; }

    // The centre of the box of `instance` itself, used as the pivot.
    [[nodiscard]] const Vec3& middle() const { return middle_; }

private:
    struct Part {
        const float* positions = nullptr;  // of its mesh; identifies the mesh
        u64 triangle_count = 0;
        math::Box box;
    };

    std::string path_;
    std::vector<Part> parts_;
    std::vector<BoxCorners> boxes_;
    std::vector<BoxCorners> outlines_;
    u32 first_instance_ = 0;
    Vec3 middle_{};
};

}  // namespace weft::app
