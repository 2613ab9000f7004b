// motion.h — how far the surface in a pixel moves from frame to frame, in the picture.
//
// A point of an object at this frame is taken to where it is one frame earlier and later: by the
// object's transform, and where its vertices move by themselves (skins, morph targets), with its
// triangle. All three places are projected by the camera of their frame. Pure after construction;
// any thread.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame/surface_search.h"
#include "engine/math/affine.h"
#include "engine/scene/model/scene.h"
#include "shaders/host/path_view.h"

namespace weft::frame {

// A frame as motion sees it.
struct Moment {
    const scene::Scene& scene;
    const scene::Camera& camera;
};

class Motion {
public:
    // Instances of the moments correspond by their source (scene.h). One stands still that the
    // other moment lacks, or whose mesh has another number of triangles there; the camera still
    // moves it. The picture has width × height pixels. The moments need not outlive this.
    Motion(const Moment& previous, const Moment& now, const Moment& next, u32 width, u32 height);

    // For a place in the world on an instance, in pixels to the right and upwards: the way to its
    // place in the previous frame, then the way from its place in the next frame to this one. 0
    // where the place lies behind that frame's camera. So are the X, Y, Z and W of Blender's Vector
    // pass.
    [[nodiscard]] std::array<float, 4> vector_of(u32 instance, const float place[3]) const;

    // 32 hex digits over everything that a vector depends on.
    [[nodiscard]] std::string hash() const;

private:
    static constexpr u32 kPrevious = 0;
    static constexpr u32 kNext = 1;

    // Vertices that move by themselves. Three corners for each triangle, in space of the object.
    struct Shape {
        SurfaceSearch now;
        std::array<std::vector<math::Vec3>, 2> then;  // empty: as now
    };

    struct Mover {
        std::array<math::DAffine, 2> world_then;   // from the world now
        math::DAffine to_object{};                 // from the world now
        std::array<math::DAffine, 2> placed_then;  // from the object then
        std::shared_ptr<const Shape> maybe_shape;  // null: the vertices stay
    };

    [[nodiscard]] math::DVec3 place_then(const Mover& mover,
                                         u32 side,
                                         const math::DVec3& now) const;

    shaders::CameraRecord camera_{};
    std::array<shaders::CameraRecord, 2> cameras_{};  // previous, next
    u32 width_ = 0;
    u32 height_ = 0;
    std::vector<u32> mover_of_;  // by instance; kNone: it stands still
    std::vector<Mover> movers_;
};

}  // namespace weft::frame
