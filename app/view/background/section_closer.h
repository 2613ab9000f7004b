// section_closer.h — the scene with the solids closed that section planes cut, made on a thread of
// its own.
//
// Caps take as long as the triangles that the planes may cut are many, and they are a copy of the
// geometry besides. They are made again where planes, shapes, places, or what may be cut have
// changed; edits of materials and lights keep them, and with them the tree. The newest wish wins.
// Owner: the interface thread.
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

    // The scene with its section closed; nullptr where that is yet to be made. Of the same scene
    // always the same one.
    Shared closed(const Shared& scene, const Planes& planes);

    // Begins to close it, unless that is under way.
    void begin(const Shared& scene, const Planes& planes);

    // What is being made will not be taken.
    void forget();

    // Nor is anything kept: another scene was opened.
    void clear();

    [[nodiscard]] bool is_busy() const { return closing_.is_running(); }

    // Takes what has been made, where it is there. Error: out of memory.
    base::Status poll();

    // Whether both have the same triangles in memory, wherever they are placed.
    static bool has_same_shapes(const scene::Scene& a, const scene::Scene& b);

private:
    // What caps are made of.
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
    Shared asked_;  // last, and what was answered
    Shared answer_;
    Cut wish_;
    Background<base::Result<Closed>> closing_;
};

}  // namespace weft::app
