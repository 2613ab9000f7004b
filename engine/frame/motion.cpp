#include "engine/frame/motion.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/film/film_hash.h"
#include "engine/trace/scene_tables.h"

namespace weft::frame {

namespace {

using math::DVec3;

struct Pixel {
    double x = 0;  // to the right
    double y = 0;  // upwards
};

// Where a camera of a picture of width × height sees a place; none behind it.
std::optional<Pixel> pixel_of(const shaders::CameraRecord& camera,
                              u32 width,
                              u32 height,
                              const DVec3& place) {
    const auto vector = [](const float v[3]) { return DVec3(math::vec3_at(v)); };
    const DVec3 from_camera = place - vector(camera.origin);
    const double depth = dot(from_camera, vector(camera.forward));
    if (!(depth > 0) && camera.is_orthographic == 0) {
        return std::nullopt;
    }
    const double scale = camera.is_orthographic != 0 ? 1 : depth;
    const auto across = [&](const float axis[3], float shift, float half, u32 pixels) {
        const double at = dot(from_camera, vector(axis)) / scale - double{shift};
        return (at / double{half} + 1) * 0.5 * pixels;
    };
    return Pixel{across(camera.right, camera.shift_s, camera.half_width, width),
                 across(camera.up, camera.shift_t, camera.half_height, height)};
}

// What an instance was made from.
struct Origin {
    u32 source = 0;
    u32 before = 0;  // instances of the same source that come first
    u32 instance = 0;

    friend bool operator<(const Origin& a, const Origin& b) {
        return std::pair(a.source, a.before) < std::pair(b.source, b.before);
    }
};

// By instance.
std::vector<Origin> origins_of(const scene::Scene& scene) {
    std::unordered_map<u32, u32> count;
    std::vector<Origin> origins;
    for (u32 number = 0; number < scene.instances.size(); ++number) {
        const u32 source = scene.instances[number].source;
        origins.push_back({source, count[source]++, number});
    }
    return origins;
}

// Finds the instances of one moment in another one.
class OtherMoment {
public:
    explicit OtherMoment(const scene::Scene& scene) : scene_(scene), sorted_(origins_of(scene)) {
        std::sort(sorted_.begin(), sorted_.end());
    }

    // Null: it is not there, or has other triangles.
    [[nodiscard]] const scene::Instance* find(const scene::Scene& now, const Origin& origin) const {
        const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), origin);
        if (found == sorted_.end() || origin < *found) {
            return nullptr;
        }
        const scene::Instance& here = now.instances[origin.instance];
        const scene::Instance& there = scene_.instances[found->instance];
        return here.node == there.node && now.meshes[here.mesh].record.triangle_count ==
                                              scene_.meshes[there.mesh].record.triangle_count
                   ? &there
                   : nullptr;
    }

private:
    const scene::Scene& scene_;
    std::vector<Origin> sorted_;
};

// The corners of a mesh's triangles.
class Corners {
public:
    Corners(const scene::Scene& scene, u32 mesh)
        : record_(scene.meshes[mesh].record),
          indices_(scene.indices.data() + std::size_t{3} * record_.first_triangle),
          positions_(scene.positions.data() + std::size_t{3} * record_.first_position) {}

    [[nodiscard]] std::size_t count() const { return std::size_t{3} * record_.triangle_count; }

    [[nodiscard]] math::Vec3 at(std::size_t corner) const {
        return math::vec3_at(positions_ + std::size_t{3} * indices_[corner]);
    }

    [[nodiscard]] std::vector<math::Vec3> all() const {
        std::vector<math::Vec3> corners(count());
        for (std::size_t corner = 0; corner < corners.size(); ++corner) {
            corners[corner] = at(corner);
        }
        return corners;
    }

    [[nodiscard]] bool is_at_places_of(const Corners& other) const {
        if (indices_ == other.indices_ && positions_ == other.positions_) {
            return true;
        }
        for (std::size_t corner = 0; corner < count(); ++corner) {
            if (at(corner) != other.at(corner)) {
                return false;
            }
        }
        return true;
    }

private:
    shaders::MeshRecord record_;
    const u32* indices_;
    const float* positions_;
};

math::DAffine inverse_or_identity(const math::Affine& matrix) {
    const std::optional<math::Affine> inverse = math::inverse(matrix);
    return inverse ? math::to_double(*inverse) : math::kDIdentity;
}

void absorb(film::Hash128& hash, std::span<const float> values) {
    for (const float value : values) {
        hash.absorb(std::bit_cast<u32>(value));
    }
}

void absorb(film::Hash128& hash, const math::DAffine& matrix) {
    for (const double number : matrix) {
        hash.absorb(std::bit_cast<u64>(number));
    }
}

void absorb(film::Hash128& hash, const shaders::CameraRecord& camera) {
    for (const auto* axis : {&camera.origin, &camera.right, &camera.up, &camera.forward}) {
        absorb(hash, std::span<const float>(*axis));
    }
    absorb(hash, std::array{camera.half_width, camera.half_height, camera.shift_s, camera.shift_t});
    hash.absorb(camera.is_orthographic);
}

void absorb(film::Hash128& hash, const std::vector<math::Vec3>& corners) {
    for (const math::Vec3& corner : corners) {
        absorb(hash, std::span<const float>(math::components(corner)));
    }
}

}  // namespace

Motion::Motion(const Moment& previous, const Moment& now, const Moment& next, u32 width, u32 height)
    : camera_(trace::make_camera(now.camera, width, height)),
      cameras_{trace::make_camera(previous.camera, width, height),
               trace::make_camera(next.camera, width, height)},
      width_(width),
      height_(height) {
    // Of three meshes; null: their vertices are at the same places.
    std::map<std::array<u32, 3>, std::shared_ptr<const Shape>> shapes;
    const auto shape_of = [&](const std::array<u32, 3>& meshes) {
        const auto [known, is_new] = shapes.try_emplace(meshes);
        const Corners here(now.scene, meshes[0]);
        const Corners before(previous.scene, meshes[1]);
        const Corners after(next.scene, meshes[2]);
        const auto moved = [&here](const Corners& then) {
            return here.is_at_places_of(then) ? std::vector<math::Vec3>() : then.all();
        };
        if (!is_new || here.count() == 0) {
            return known->second;
        }
        std::array<std::vector<math::Vec3>, 2> then = {moved(before), moved(after)};
        if (!then[kPrevious].empty() || !then[kNext].empty()) {
            known->second =
                std::make_shared<const Shape>(Shape{SurfaceSearch(here.all()), std::move(then)});
        }
        return known->second;
    };
    const OtherMoment earlier(previous.scene);
    const OtherMoment later(next.scene);
    for (const Origin& origin : origins_of(now.scene)) {
        const scene::Instance& here = now.scene.instances[origin.instance];
        const scene::Instance* const before = earlier.find(now.scene, origin);
        const scene::Instance* const after = later.find(now.scene, origin);
        const auto shape = before && after ? shape_of({here.mesh, before->mesh, after->mesh})
                                           : std::shared_ptr<const Shape>();
        const bool moves = (before && before->object_to_world != here.object_to_world) ||
                           (after && after->object_to_world != here.object_to_world) || shape;
        mover_of_.push_back(moves ? static_cast<u32>(movers_.size()) : kNone);
        if (!moves) {
            continue;
        }
        Mover& mover = movers_.emplace_back();
        mover.maybe_shape = shape;
        mover.to_object = inverse_or_identity(here.object_to_world);
        for (const u32 side : {kPrevious, kNext}) {
            const scene::Instance* const there = side == kPrevious ? before : after;
            const math::Affine& placed = (there ? *there : here).object_to_world;
            mover.placed_then[side] = math::to_double(placed);
            mover.world_then[side] = placed == here.object_to_world
                                         ? math::kDIdentity
                                         : math::compose(mover.placed_then[side], mover.to_object);
        }
    }
}

DVec3 Motion::place_then(const Mover& mover, u32 side, const DVec3& now) const {
    if (!mover.maybe_shape || mover.maybe_shape->then[side].empty()) {
        return math::transform_point(mover.world_then[side], now);
    }
    const SurfacePoint point =
        mover.maybe_shape->now.nearest(math::transform_point(mover.to_object, now));
    const math::Vec3* const corner =
        mover.maybe_shape->then[side].data() + std::size_t{3} * point.triangle;
    DVec3 there(0);
    for (std::size_t k = 0; k < 3; ++k) {
        there += point.weights[k] * DVec3(corner[k]);
    }
    return math::transform_point(mover.placed_then[side], there);
}

std::array<float, 4> Motion::vector_of(u32 instance, const float place[3]) const {
    const DVec3 here(math::vec3_at(place));
    const std::optional<Pixel> now = pixel_of(camera_, width_, height_, here);
    const u32 mover = instance < mover_of_.size() ? mover_of_[instance] : kNone;
    std::array<float, 4> vector{};
    for (const u32 side : {kPrevious, kNext}) {
        const DVec3 there = mover == kNone ? here : place_then(movers_[mover], side, here);
        const std::optional<Pixel> then = pixel_of(cameras_[side], width_, height_, there);
        if (!now || !then) {
            continue;
        }
        const double sign = side == kNext ? -1 : 1;
        vector[2 * side] = static_cast<float>(sign * (then->x - now->x));
        vector[2 * side + 1] = static_cast<float>(sign * (then->y - now->y));
    }
    return vector;
}

std::string Motion::hash() const {
    film::Hash128 hash;
    absorb(hash, cameras_[kPrevious]);
    absorb(hash, cameras_[kNext]);
    for (const u32 mover : mover_of_) {
        hash.absorb(mover);
    }
    for (const Mover& mover : movers_) {
        for (const u32 side : {kPrevious, kNext}) {
            absorb(hash, mover.placed_then[side]);
            if (mover.maybe_shape) {
                absorb(hash, mover.maybe_shape->then[side]);
            }
        }
    }
    return hash.hex();
}

}  // namespace weft::frame
