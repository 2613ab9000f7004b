#include "engine/bench/ray_record.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/accel/placing.h"
#include "engine/bench/plain_tracer.h"
#include "engine/math/vector.h"
#include "shaders/host/scalar_math.h"

namespace weft::bench {

namespace {

using math::Vec3;
using shaders::TraceRay;

constexpr u32 kTile = 64;              // pixels on a side: a tile of the renderer
constexpr double kAmbientReach = 0.1;  // of the scene's diagonal
// Shadow rays are shortened so that they miss the light itself, which only our kernels can ignore.
constexpr float kShadowReach = 0.999F;
// Recording stops after so many rays of all classes per kept ray of one class; a class that is not
// full by then is rare in this scene.
constexpr u64 kPatience = 16;

// Random numbers in [0, 1), the same on every machine (xorshift64*).
class Dice {
public:
    double unit() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<double>((state_ * 0x2545f4914f6cdd1dU) >> 11) * 0x1p-53;
    }

private:
    u64 state_ = 0x9e3779b97f4a7c15U;
};

RayClass class_of(const shaders::PathView& paths, u32 slot) {
    const shaders::PathRecord& path = paths.record[slot];
    if (path.bounces == 0) {
        return path.depth == 0 ? RayClass::Primary : RayClass::Specular;
    }
    if (!(path.pdf < kSpecularPdf)) {
        return RayClass::Specular;
    }
    return path.bounces == 1   ? RayClass::Diffuse1
           : path.bounces == 2 ? RayClass::Diffuse2
                               : RayClass::Diffuse3;
}

class Recorder {
public:
    Recorder(RayRecord& record, u32 most) : record_(record), most_(most) {}

    void put(RayClass ray_class, const TraceRay& ray) {
        std::vector<TraceRay>& rays = record_.rays[static_cast<u32>(ray_class)];
        ++seen_[static_cast<u32>(ray_class)];
        if (rays.size() < most_) {
            rays.push_back(ray);
        }
    }

    // Whether all classes that paths have rays of are full, or are too rare to wait for.
    [[nodiscard]] bool is_full() const {
        if (std::accumulate(seen_.begin(), seen_.end(), u64{0}) >= kPatience * most_) {
            return true;
        }
        for (const RayClass ray_class : kAllRayClasses) {
            const std::size_t count = record_.of(ray_class).size();
            if (ray_class != RayClass::Ambient && count != 0 && count < most_) {
                return false;
            }
        }
        return true;
    }

    void finish() {
        record_.seen = std::accumulate(seen_.begin(), seen_.end(), u64{0});
        for (u32 k = 0; k < kRayClasses; ++k) {
            record_.share[k] = record_.seen == 0 ? 0
                                                 : static_cast<double>(seen_[k]) /
                                                       static_cast<double>(record_.seen);
        }
    }

private:
    RayRecord& record_;
    u32 most_;
    std::array<u64, kRayClasses> seen_{};
};

// A stride that visits all tiles, with a long jump between any two.
u32 stride_of(u32 tiles) {
    u32 stride = std::max(1U, static_cast<u32>(static_cast<double>(tiles) * 0.618));
    while (std::gcd(stride, tiles) != 1) {
        ++stride;
    }
    return stride;
}

trace::SampleBlock tile_block(film::Region crop, u32 tile, u32 sample) {
    const u32 columns = (crop.width() + kTile - 1) / kTile;
    trace::SampleBlock block;
    block.tile = tile;
    block.x0 = crop.x0 + tile % columns * kTile;
    block.y0 = crop.y0 + tile / columns * kTile;
    block.width = std::min(kTile, crop.x1 - block.x0);
    block.height = std::min(kTile, crop.y1 - block.y0);
    block.pixel_begin = 0;
    block.pixel_end = block.width * block.height;
    block.sample_begin = sample;
    block.sample_count = 1;
    return block;
}

// A point on the unit sphere that touches the face: cosine-distributed around `normal`.
Vec3 cosine_direction(const Vec3& normal, double u, double v) {
    const double z = 2 * u - 1;
    const double r = std::sqrt(std::max(0.0, 1 - z * z));
    const double turn = 2 * shaders::kPi * v;
    // 0.9999 keeps the direction off the face.
    return {normal[0] + static_cast<float>(0.9999 * r * shaders::cos_of(turn)),
            normal[1] + static_cast<float>(0.9999 * r * shaders::sin_of(turn)),
            normal[2] + static_cast<float>(0.9999 * z)};
}

// Starts at the face that a camera ray hit; false where it hit none with an area.
bool ambient_ray(
    const BenchScene& scene, const TraceRay& met, float reach, double u, double v, TraceRay& ray) {
    if (met.primitive == kNone) {
        return false;
    }
    const accel::Corners c = accel::world_corners(*scene.scene, met.instance, met.primitive);
    const Vec3 ab = c[1] - c[0];
    const Vec3 ac = c[2] - c[0];
    const Vec3 across = cross(ab, ac);
    if (!(length(across) > 0)) {
        return false;
    }
    const float side = dot(across, math::vec3_at(met.direction)) > 0 ? -1.0F : 1.0F;
    const Vec3 normal = across * (side / length(across));
    const Vec3 way = glm::normalize(cosine_direction(normal, u, v));
    const Vec3 place = c[0] + met.u * ab + met.v * ac + normal * reach * 1e-4F;
    ray = {};
    for (u32 axis = 0; axis < 3; ++axis) {
        ray.origin[axis] = place[axis];
        ray.direction[axis] = way[axis];
        ray.reciprocal[axis] = shaders::safe_reciprocal(ray.direction[axis]);
    }
    ray.t = reach;
    ray.primitive = kNone;
    ray.instance = kNone;
    ray.self_primitive = met.primitive;
    ray.self_instance = met.instance;
    return true;
}

void add_ambient(const BenchScene& scene, RayRecord& record) {
    const auto [low, high] = scene::scene_bounds(*scene.scene);
    const Vec3 size = high - low;
    const auto reach =
        static_cast<float>(kAmbientReach * std::sqrt(static_cast<double>(dot(size, size))));
    std::vector<TraceRay> traced = record.of(RayClass::Primary);
    std::vector<u32> ids(traced.size());
    std::iota(ids.begin(), ids.end(), 0U);
    std::vector<u32> keys(traced.size());
    shaders::TraceScene view = scene.trace_scene();
    view.alpha_keys = keys.data();
    own_trace(*scene.trace, false)(view, traced.data(), ids);
    Dice dice;
    for (const TraceRay& met : traced) {
        TraceRay ray;
        const double u = dice.unit();
        const double v = dice.unit();
        if (ambient_ray(scene, met, reach, u, v, ray)) {
            record.rays[static_cast<u32>(RayClass::Ambient)].push_back(ray);
        }
    }
}

}  // namespace

std::string_view ray_class_name(RayClass ray_class) {
    constexpr std::array<std::string_view, kRayClasses> kNames = {
        "primary", "shadow", "ambient", "diffuse1", "diffuse2", "diffuse3", "specular"};
    return kNames[static_cast<u32>(ray_class)];
}

u32 bounce_of(RayClass ray_class) {
    constexpr std::array<u32, kRayClasses> kBounces = {0, 0, 0, 1, 2, 3, 1};
    return kBounces[static_cast<u32>(ray_class)];
}

bool is_any_hit(RayClass ray_class) {
    return ray_class == RayClass::Shadow || ray_class == RayClass::Ambient;
}

base::Result<RayRecord> record_rays(const BenchScene& scene, u32 most, u32 samples_per_pixel) {
    RayRecord record;
    Recorder recorder(record, most);
    PlainTracer::Config config;
    config.path_count = kTile * kTile;
    config.shade = scene.shade;
    config.closest = own_trace(*scene.trace, false);
    config.any = own_trace(*scene.trace, true);
    config.on_closest = [&](const shaders::PathView& paths, std::span<const u32> ids) {
        for (const u32 slot : ids) {
            recorder.put(class_of(paths, slot), paths.ray[slot]);
        }
    };
    config.on_any = [&](const shaders::PathView& paths, std::span<const u32> ids) {
        for (const u32 slot : ids) {
            recorder.put(RayClass::Shadow, paths.shadow[slot]);
        }
    };
    PlainTracer tracer(scene, config);
    const film::Region crop = scene.crop();
    film::Film film(scene.params.width, scene.params.height, crop, {});
    if (!tracer.is_allocated() || !film.is_allocated()) {
        return base::Error{base::ErrorKind::Memory, "out of memory: rays could not be recorded"};
    }
    const u32 tiles = (crop.width() + kTile - 1) / kTile * ((crop.height() + kTile - 1) / kTile);
    const u32 stride = stride_of(tiles);
    const u64 turns = u64{tiles} * samples_per_pixel;
    for (u64 turn = 0; turn < turns && (turn == 0 || !recorder.is_full()); ++turn) {
        const auto tile = static_cast<u32>(turn * stride % tiles);
        tracer.trace(tile_block(crop, tile, static_cast<u32>(turn / tiles)), film);
    }
    recorder.finish();
    for (TraceRay& ray : record.rays[static_cast<u32>(RayClass::Shadow)]) {
        ray.t *= kShadowReach;
    }
    add_ambient(scene, record);
    return record;
}

}  // namespace weft::bench
