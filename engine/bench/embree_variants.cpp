// embree_variants.cpp — E1, E16 and ES: Embree's own calls on the same rays.
//
// No filter and no alpha; rays are packed before the clock starts and unpacked after it stops, so
// that only Embree's traversal is timed. Any-hit rays use incoherent traversal only: it was faster
// wherever both ended, and coherent rtcOccluded16 (3.13.5) did not end on a scene with instances.
#include <algorithm>
#include <array>

#include <embree3/rtcore.h>

#include "engine/bench/ray_variant.h"

namespace weft::bench {

namespace {

using shaders::TraceRay;

constexpr u32 kPacket = 16;

RTCRay ray_of(const TraceRay& from) {
    RTCRay ray{};
    ray.org_x = from.origin[0];
    ray.org_y = from.origin[1];
    ray.org_z = from.origin[2];
    ray.dir_x = from.direction[0];
    ray.dir_y = from.direction[1];
    ray.dir_z = from.direction[2];
    ray.tfar = from.t;
    ray.mask = 0xffffffffU;
    return ray;
}

void store(TraceRay& hit, float t, u32 instance_id, u32 geometry_id, u32 primitive) {
    hit.t = t;
    hit.instance = instance_id == RTC_INVALID_GEOMETRY_ID ? geometry_id : instance_id;
    hit.primitive = primitive;
}

class EmbreeVariant : public RayVariant {
public:
    EmbreeVariant(std::string name, std::string traversal, RTCScene scene, bool is_any)
        : RayVariant(std::move(name), std::move(traversal)), scene_(scene), is_any_(is_any) {
        rtcInitIntersectContext(&context_);
        context_.flags = this->traversal() == "coherent" ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT
                                                         : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    }

protected:
    RTCScene scene_;
    bool is_any_;
    RTCIntersectContext context_;
};

// Single rays and streams: both take rays one after the other.
class ListVariant final : public EmbreeVariant {
public:
    ListVariant(const char* traversal, RTCScene scene, bool is_any, bool is_stream, u32 chunk)
        : EmbreeVariant(is_stream ? "ES" : "E1", traversal, scene, is_any),
          is_stream_(is_stream),
          rays_(chunk) {}

    double trace(std::span<const TraceRay> rays, std::span<TraceRay> hits) override {
        for (std::size_t k = 0; k < rays.size(); ++k) {
            rays_[k].ray = ray_of(rays[k]);
            rays_[k].hit.geomID = RTC_INVALID_GEOMETRY_ID;
            rays_[k].hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
        }
        const double begin = thread_seconds();
        run(static_cast<u32>(rays.size()));
        const double spent = thread_seconds() - begin;
        std::copy_n(rays.begin(), hits.size(), hits.begin());
        for (std::size_t k = 0; k < hits.size(); ++k) {
            const RTCRayHit& found = rays_[k];
            if (is_any_) {
                hits[k].t = found.ray.tfar < 0 ? -1 : hits[k].t;
            } else if (found.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
                store(hits[k],
                      found.ray.tfar,
                      found.hit.instID[0],
                      found.hit.geomID,
                      found.hit.primID);
            }
        }
        return spent;
    }

private:
    void run(u32 count) {
        if (is_stream_ && is_any_) {
            rtcOccluded1M(scene_, &context_, &rays_[0].ray, count, sizeof(RTCRayHit));
        } else if (is_stream_) {
            rtcIntersect1M(scene_, &context_, rays_.data(), count, sizeof(RTCRayHit));
        } else if (is_any_) {
            for (u32 k = 0; k < count; ++k) {
                rtcOccluded1(scene_, &context_, &rays_[k].ray);
            }
        } else {
            for (u32 k = 0; k < count; ++k) {
                rtcIntersect1(scene_, &context_, &rays_[k]);
            }
        }
    }

    bool is_stream_;
    std::vector<RTCRayHit> rays_;
};

class PacketVariant final : public EmbreeVariant {
public:
    PacketVariant(const char* traversal, RTCScene scene, bool is_any, u32 chunk)
        : EmbreeVariant("E16", traversal, scene, is_any),
          packets_((chunk + kPacket - 1) / kPacket) {}

    double trace(std::span<const TraceRay> rays, std::span<TraceRay> hits) override {
        // Spare lanes of the last packet repeat its last ray.
        const std::size_t lanes = (rays.size() + kPacket - 1) / kPacket * kPacket;
        for (std::size_t k = 0; k < lanes; ++k) {
            set_ray(packets_[k / kPacket], k % kPacket, rays[std::min(k, rays.size() - 1)]);
        }
        const double begin = thread_seconds();
        run(rays.size());
        const double spent = thread_seconds() - begin;
        std::copy_n(rays.begin(), hits.size(), hits.begin());
        for (std::size_t k = 0; k < hits.size(); ++k) {
            const RTCRayHit16& packet = packets_[k / kPacket];
            const std::size_t lane = k % kPacket;
            if (is_any_) {
                hits[k].t = packet.ray.tfar[lane] < 0 ? -1 : hits[k].t;
            } else if (packet.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID) {
                store(hits[k],
                      packet.ray.tfar[lane],
                      packet.hit.instID[0][lane],
                      packet.hit.geomID[lane],
                      packet.hit.primID[lane]);
            }
        }
        return spent;
    }

private:
    static void set_ray(RTCRayHit16& packet, std::size_t lane, const TraceRay& from) {
        packet.ray.org_x[lane] = from.origin[0];
        packet.ray.org_y[lane] = from.origin[1];
        packet.ray.org_z[lane] = from.origin[2];
        packet.ray.dir_x[lane] = from.direction[0];
        packet.ray.dir_y[lane] = from.direction[1];
        packet.ray.dir_z[lane] = from.direction[2];
        packet.ray.tnear[lane] = 0;
        packet.ray.tfar[lane] = from.t;
        packet.ray.time[lane] = 0;
        packet.ray.mask[lane] = 0xffffffffU;
        packet.ray.id[lane] = 0;
        packet.ray.flags[lane] = 0;
        packet.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
        packet.hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
    }

    void run(std::size_t count) {
        alignas(64) std::array<int, kPacket> valid{};
        for (std::size_t first = 0; first < count; first += kPacket) {
            const std::size_t size = std::min<std::size_t>(kPacket, count - first);
            for (std::size_t lane = 0; lane < kPacket; ++lane) {
                valid[lane] = lane < size ? -1 : 0;
            }
            RTCRayHit16& packet = packets_[first / kPacket];
            if (is_any_) {
                rtcOccluded16(valid.data(), scene_, &context_, &packet.ray);
            } else {
                rtcIntersect16(valid.data(), scene_, &context_, &packet);
            }
        }
    }

    std::vector<RTCRayHit16> packets_;
};

}  // namespace

std::vector<std::unique_ptr<RayVariant>> make_embree_variants(const accel::EmbreeReference& embree,
                                                              RayClass ray_class,
                                                              u32 chunk) {
    const bool is_any = is_any_hit(ray_class);
    RTCScene scene = embree.top();
    std::vector<std::unique_ptr<RayVariant>> variants;
    variants.push_back(std::make_unique<ListVariant>("", scene, is_any, false, chunk));
    std::vector<const char*> traversals = {"incoherent"};
    if (!is_any) {
        traversals.push_back("coherent");
    }
    for (const char* const traversal : traversals) {
        variants.push_back(std::make_unique<PacketVariant>(traversal, scene, is_any, chunk));
        variants.push_back(std::make_unique<ListVariant>(traversal, scene, is_any, true, chunk));
    }
    return variants;
}

}  // namespace weft::bench
