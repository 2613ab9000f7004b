// section_closer.h — makes the scene whose solids are closed by caps where section planes cut them,
// on its own thread.
//
// Making caps takes time in proportion to the triangles that the planes may cut, and copies the
// geometry. Caps are remade when planes, shapes, transforms or the set of solids change; edits of
// materials and lights keep the caps and the BVHs. The newest request wins. Owner: the interface
// thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/view/background/background.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::app {

class SectionCloser {
public:
    using Shared = std::shared_ptr<const scene::Scene>;
    using Planes = std::vector<shaders::ClipPlane>;

    // The scene with its section closed; nullptr if its caps are not made yet. The same scene
    // always gives the same result.
    Shared closed(const Shared& scene, const Planes& planes);

    // Starts to make the caps, unless that is under way.
    void begin(const Shared& scene, const Planes& planes);

    // Drops the caps that are being made.
    void forget();

    // Drops the finished caps too: another scene was opened.
    void clear();

    [[nodiscard]] bool is_busy() const { return closing_.is_running(); }

    // Takes finished caps. Error: out of memory.
    base::Status poll();

    // Whether both scenes use the same triangles in memory, whatever their transforms.
    static bool has_same_shapes(const scene::Scene& a, const scene::Scene& b);

private:
    // Everything that the caps depend on.
    struct Cut {
        Shared scene;
        Planes planes;
    };

    struct Closed {
        Cut cut;
        Shared scene;
    };

    static bool is_same_cut(const Cut& a, const Cut& b);
    static base::Result<Closed> close(Cut cut);

    std::optional<Closed> made_;
    Shared asked_;  // the last request and its answer
    Shared answer_;
    Cut wish_;
    Background<base::Result<Closed>> closing_;
};

}  // namespace weft::app
