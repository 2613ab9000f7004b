#include "engine/accel/embree_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <embree3/rtcore.h>

#include "engine/accel/embree_filters-inl.h"
#include "engine/accel/placing.h"
#include "engine/accel/tree_size.h"
#include "engine/math/vector.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"

namespace weft::accel {

namespace {

using namespace embree;

constexpr u32 kPacket = 16;

// Rays form a packet if all directions lie within this cosine of the first.
constexpr float kCoherentCosine = 0.9f;

bool is_coherent(const TraceRay* rays, const u32* ids) {
    const math::Vec3 first = math::vec3_at(rays[ids[0]].direction);
    const float length2 = dot(first, first);
    return std::all_of(ids + 1, ids + kPacket, [&](u32 id) {
        const math::Vec3 other = math::vec3_at(rays[id].direction);
        const float along = dot(first, other);
        return along > 0 &&
               along * along >= kCoherentCosine * kCoherentCosine * length2 * dot(other, other);
    });
}

template <typename Packet>
void set_ray(Packet& packet, u32 k, u32 id, const TraceRay& ray) {
    packet.org_x[k] = ray.origin[0];
    packet.org_y[k] = ray.origin[1];
    packet.org_z[k] = ray.origin[2];
    packet.dir_x[k] = ray.direction[0];
    packet.dir_y[k] = ray.direction[1];
    packet.dir_z[k] = ray.direction[2];
    packet.tnear[k] = 0;
    packet.tfar[k] = ray.t * kReach;
    packet.time[k] = 0;
    packet.mask[k] = 0xffffffffu;
    packet.id[k] = id;
    packet.flags[k] = 0;
}

RTCRay single_ray(u32 id, const TraceRay& ray) {
    RTCRay single{};
    single.org_x = ray.origin[0];
    single.org_y = ray.origin[1];
    single.org_z = ray.origin[2];
    single.dir_x = ray.direction[0];
    single.dir_y = ray.direction[1];
    single.dir_z = ray.direction[2];
    single.tfar = ray.t * kReach;
    single.mask = 0xffffffffu;
    single.id = id;
    return single;
}

// Embree aborts on a ray whose origin exceeds this on any axis, in the world or in object space.
constexpr double kFarthest = 1.8e18;
constexpr float kLongestDirection = 1024;  // length limit of directions; paths use unit vectors
// Origins of rays lie within so many times the distance of the farthest corner.
constexpr double kSurroundings = 16;

// Largest coordinate of a ray's origin that Embree can transform to the instance's object space; 0:
// none.
double reach_of(const math::Affine& object_to_world) {
    const auto inverse = math::inverse(object_to_world);
    if (!inverse) {
        return 0;
    }
    double reach = kFarthest;
    for (std::size_t row = 0; row < 3; ++row) {
        const float* const m = inverse->data() + 4 * row;
        double sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            sum += std::fabs(static_cast<double>(m[axis]));
        }
        const double shift = std::fabs(static_cast<double>(m[3]));
        const bool fits = sum * static_cast<double>(kLongestDirection) < kFarthest;
        reach = std::min(reach, fits && sum > 0 ? (kFarthest - shift) / sum : 0.0);
    }
    return reach;
}

}  // namespace

struct EmbreeReference::State {
    RTCDevice device = nullptr;
    RTCScene top = nullptr;
    std::vector<RTCScene> meshes;  // by mesh; nullptr: not shared
    std::vector<bool> is_flagged;  // by instance
    bool has_filters = true;
    double commit_s = 0;
    float reach = static_cast<float>(kFarthest);  // largest coordinate of origins

    ~State() {
        for (RTCScene mesh : meshes) {
            if (mesh) {
                rtcReleaseScene(mesh);
            }
        }
        if (top) {
            rtcReleaseScene(top);
        }
        if (device) {
            rtcReleaseDevice(device);
        }
    }

    [[nodiscard]] RTCScene new_scene() const {
        RTCScene made = rtcNewScene(device);
        const RTCSceneFlags filters =
            has_filters ? RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION : RTC_SCENE_FLAG_NONE;
        rtcSetSceneFlags(made, RTC_SCENE_FLAG_ROBUST | filters);
        // High quality splits triangles, so that a filter would sum the tint of each piece.
        rtcSetSceneBuildQuality(made,
                                has_filters ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_HIGH);
        return made;
    }

    void commit(RTCScene made) {
        const auto begin = base::Clock::now();
        rtcCommitScene(made);
        commit_s += base::seconds_since(begin);
    }

    // Attaches triangles with the corners `corners_of(primitive)`. Degenerate ones become points at
    // the origin, so that primitives keep their indices.
    template <typename CornersOf>
    bool attach(RTCScene into, u32 id, u32 triangle_count, const CornersOf& corners_of) const {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        auto* vertices = static_cast<float*>(
            rtcSetNewGeometryBuffer(geometry,
                                    RTC_BUFFER_TYPE_VERTEX,
                                    0,
                                    RTC_FORMAT_FLOAT3,
                                    3 * sizeof(float),
                                    std::max<std::size_t>(std::size_t{3} * triangle_count, 1)));
        auto* indices = static_cast<u32*>(rtcSetNewGeometryBuffer(geometry,
                                                                  RTC_BUFFER_TYPE_INDEX,
                                                                  0,
                                                                  RTC_FORMAT_UINT3,
                                                                  3 * sizeof(u32),
                                                                  std::max(triangle_count, 1u)));
        if (!vertices || !indices) {
            rtcReleaseGeometry(geometry);
            return false;
        }
        for (u32 p = 0; p < triangle_count; ++p) {
            Corners corners = corners_of(p);
            if (is_degenerate(corners)) {
                corners = {};
            }
            for (u32 k = 0; k < 3; ++k) {
                std::copy_n(&corners[k].x, 3, vertices + std::size_t{9} * p + std::size_t{3} * k);
                indices[std::size_t{3} * p + k] = 3 * p + k;
            }
        }
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(into, geometry, id);
        rtcReleaseGeometry(geometry);
        return true;
    }

    void attach_instance(u32 id, RTCScene mesh, const math::Affine& object_to_world) const {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_INSTANCE);
        rtcSetGeometryInstancedScene(geometry, mesh);
        rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, object_to_world.data());
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(top, geometry, id);
        rtcReleaseGeometry(geometry);
    }

    // True for rays that Embree accepts; others hit nothing.
    [[nodiscard]] bool accepts(const TraceRay& ray) const {
        bool is_near = ray.t >= 0;
        for (u32 axis = 0; axis < 3; ++axis) {
            is_near = is_near && std::fabs(ray.origin[axis]) <= reach &&
                      std::fabs(ray.direction[axis]) <= kLongestDirection;
        }
        return is_near;
    }

    // Skips instances to whose object space Embree cannot transform the scene's rays.
    void attach_instances(const scene::Scene& scene,
                          const Placing& placing,
                          const std::vector<std::vector<Box>>& cells) {
        double size = 0;
        const Box bounds = scene::scene_bounds(scene);
        for (const Point& corner : {bounds.low, bounds.high}) {
            for (const float coordinate : math::components(corner)) {
                size = std::isfinite(coordinate)
                           ? std::max(size, std::fabs(static_cast<double>(coordinate)))
                           : size;
            }
        }
        for (const u32 instance : placing.placed) {
            const scene::Instance& placed = scene.instances[instance];
            const double own = reach_of(placed.object_to_world);
            if (own >= kSurroundings * size &&
                is_in_reach(placed_bounds(cells[placed.mesh], placed.object_to_world))) {
                attach_instance(instance, meshes[placed.mesh], placed.object_to_world);
                reach = std::min(reach, static_cast<float>(own));
            }
        }
    }

    // Fills and commits all scenes. False if memory ran out.
    bool fill(const scene::Scene& scene, const Placing& placing, const std::vector<bool>& flagged) {
        top = new_scene();
        meshes.assign(scene.meshes.size(), nullptr);
        std::vector<std::vector<Box>> cells(scene.meshes.size());
        for (const u32 mesh : placing.shared) {
            cells[mesh] = mesh_cells(scene, mesh);
            meshes[mesh] = new_scene();
            if (!attach(meshes[mesh], 0, scene.meshes[mesh].record.triangle_count, [&](u32 p) {
                    return object_corners(scene, mesh, p);
                })) {
                return false;
            }
            commit(meshes[mesh]);
        }
        attach_instances(scene, placing, cells);
        for (const u32 instance : placing.baked) {
            const u32 mesh = scene.instances[instance].mesh;
            if (!attach(top, instance, scene.meshes[mesh].record.triangle_count, [&](u32 p) {
                    return world_corners(scene, instance, p);
                })) {
                return false;
            }
        }
        commit(top);
        for (u32 instance = 0; instance < scene.instances.size(); ++instance) {
            is_flagged.push_back(must_flag(scene, flagged, instance));
        }
        return true;
    }

    void closest_packet(const TraceScene& scene, TraceRay* rays, const u32* ids) const {
        Call call = make_call(scene, rays, ids, is_flagged, keep_nearest, true);
        alignas(64) std::array<int, kPacket> valid{};
        RTCRayHit16 packet;
        for (u32 k = 0; k < kPacket; ++k) {
            valid[k] = accepts(rays[ids[k]]) ? -1 : 0;
            set_ray(packet.ray, k, k, rays[ids[k]]);
            packet.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
            packet.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
        }
        rtcIntersect16(valid.data(), top, &call.context, &packet);
    }

    void closest_single(const TraceScene& scene, TraceRay* rays, const u32* ids, u32 count) const {
        Call call = make_call(scene, rays, ids, is_flagged, keep_nearest);
        for (u32 k = 0; k < count; ++k) {
            if (!accepts(rays[ids[k]])) {
                continue;
            }
            RTCRayHit single{};
            single.ray = single_ray(k, rays[ids[k]]);
            single.hit.geomID = RTC_INVALID_GEOMETRY_ID;
            single.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            rtcIntersect1(top, &call.context, &single);
        }
    }

    void any_packet(const TraceScene& scene, TraceRay* rays, const u32* ids) const {
        // Never declare these rays coherent: for coherent packets Embree 3.13 iterates over octants
        // with a mask whose bits above the sixteenth lane come from uninitialised memory (seen with
        // AVX-512). It then repeats octants, so that a pane tints a ray twice, or loops forever.
        Call call = make_call(scene, rays, ids, is_flagged, keep_blockers);
        alignas(64) std::array<int, kPacket> valid{};
        RTCRay16 packet;
        for (u32 k = 0; k < kPacket; ++k) {
            valid[k] = accepts(rays[ids[k]]) ? -1 : 0;
            set_ray(packet, k, k, rays[ids[k]]);
        }
        rtcOccluded16(valid.data(), top, &call.context, &packet);
        for (u32 k = 0; k < kPacket; ++k) {
            if (valid[k] != 0 && packet.tfar[k] < 0) {
                rays[ids[k]].t = -1;
            }
        }
    }

    void any_single(const TraceScene& scene, TraceRay* rays, const u32* ids, u32 count) const {
        Call call = make_call(scene, rays, ids, is_flagged, keep_blockers);
        for (u32 k = 0; k < count; ++k) {
            if (!accepts(rays[ids[k]])) {
                continue;
            }
            RTCRay single = single_ray(k, rays[ids[k]]);
            rtcOccluded1(top, &call.context, &single);
            if (single.tfar < 0) {
                rays[ids[k]].t = -1;
            }
        }
    }
};

EmbreeReference::EmbreeReference(std::unique_ptr<State> state) : state_(std::move(state)) {}

EmbreeReference::~EmbreeReference() = default;

namespace {

// Peak memory of Embree's own build per triangle and per instance. Measured
// (tests/bench/notebook/scenes.md, 2026-11-22).
constexpr u64 kBytesOfEmbreeTriangle = 140;
constexpr u64 kBytesOfEmbreePlacement = 200;

// Embree's configuration that keeps its kernels to one instruction set.
const char* isa_option(shaders::Isa isa) {
    switch (isa) {
        case shaders::Isa::Sse4:
            return ",isa=sse4.2";
        case shaders::Isa::Avx2:
            return ",isa=avx2";
        case shaders::Isa::Avx512:
            return ",isa=avx512";
    }
    return "";
}

}  // namespace

base::Result<std::unique_ptr<EmbreeReference>> EmbreeReference::build(
    const scene::Scene& scene,
    u32 thread_count,
    const std::vector<bool>& is_visible,
    const std::vector<bool>& flagged,
    bool has_filters,
    std::optional<shaders::Isa> maybe_isa) {
    const Placing placing = decide_placing(scene, is_visible);
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(triangles_in_tree(scene, placing) * kBytesOfEmbreeTriangle +
                               placing.placed.size() * kBytesOfEmbreePlacement,
                           "Embree's tree over the scene");
    WEFT_TRY(claim);
    auto state = std::make_unique<State>();
    state->has_filters = has_filters;
    std::string config = "hugepages=1,threads=" + std::to_string(thread_count);
    if (maybe_isa) {
        config += isa_option(*maybe_isa);
    }
    state->device = rtcNewDevice(config.c_str());
    const bool is_filled = state->device && state->fill(scene, placing, flagged);
    const RTCError error = rtcGetDeviceError(state->device);
    if (!is_filled || error != RTC_ERROR_NONE) {
        const bool is_memory =
            is_filled ? error == RTC_ERROR_OUT_OF_MEMORY : state->device != nullptr;
        return base::Error{is_memory ? base::ErrorKind::TooLarge : base::ErrorKind::Render,
                           "Embree's scene could not be built: error " +
                               std::to_string(static_cast<int>(error)) + ", expected none"};
    }
    return std::unique_ptr<EmbreeReference>(new EmbreeReference(std::move(state)));
}

bool EmbreeReference::accepts(const TraceRay& ray) const {
    return state_->accepts(ray);
}

double EmbreeReference::commit_s() const {
    return state_->commit_s;
}

RTCSceneTy* EmbreeReference::top() const {
    return state_->top;
}

void EmbreeReference::closest(const TraceScene& scene,
                              TraceRay* rays,
                              const u32* ids,
                              u32 count) const {
    u32 done = 0;
    for (; done + kPacket <= count; done += kPacket) {
        if (is_coherent(rays, ids + done)) {
            state_->closest_packet(scene, rays, ids + done);
        } else {
            state_->closest_single(scene, rays, ids + done, kPacket);
        }
    }
    state_->closest_single(scene, rays, ids + done, count - done);
}

void EmbreeReference::any(const TraceScene& scene,
                          TraceRay* rays,
                          const u32* ids,
                          u32 count) const {
    u32 done = 0;
    for (; done + kPacket <= count; done += kPacket) {
        if (is_coherent(rays, ids + done)) {
            state_->any_packet(scene, rays, ids + done);
        } else {
            state_->any_single(scene, rays, ids + done, kPacket);
        }
    }
    state_->any_single(scene, rays, ids + done, count - done);
}

}  // namespace weft::accel
