// bench_lanes.cpp — which layout of lanes suits which rays: interleaved fibres (lanes over
// children), packets (lanes over rays) and sets against Embree's single rays, packets of 16 and,
// for any hits, streams.
//
// `bench_lanes [--isa ISA] SCENE [REPEATS [SIZE [EX EY EZ TX TY TZ]]]` (a camera at E that looks at
// T; ISA: sse4, avx2 or avx512, of Embree's device, too) prints one JSON line per kind of ray and
// arm: Mrays/s on one thread, median and extremes of interleaved repeats, by the thread's own CPU
// time. All arms trace the same rays in the same order and must find the same number of hits
// (Embree: within 0.1 %), in calls of kCall rays that lie in the cache, as a cluster's do. Embree's
// rays are packed before its clock starts; ours are read from path state.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include <embree3/rtcore.h>

#include "engine/accel/acceleration.h"
#include "engine/accel/placing.h"
#include "engine/scene/import.h"
#include "tests/bench/lane_rays.h"

namespace {

using weft::u32;
using weft::u64;
using weft::bench::RayList;
using weft::shaders::TraceKernels;
using weft::shaders::TraceRay;

// Rays that one call gets: the fibres in flight of a cluster.
constexpr u32 kCall = 4096;
constexpr u32 kPacket = 16;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Embree's scene of all triangles, in the world.
class EmbreeScene {
public:
    EmbreeScene(const weft::scene::Scene& scene, weft::shaders::Isa isa)
        : device_(rtcNewDevice(device_config(isa).c_str())), scene_(rtcNewScene(device_)) {
        rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_HIGH);
        for (u32 i = 0; i < scene.instances.size(); ++i) {
            const u32 count = scene.meshes[scene.instances[i].mesh].record.triangle_count;
            RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
            auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
                geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, 3UL * count));
            auto* indices = static_cast<u32*>(rtcSetNewGeometryBuffer(
                geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, count));
            std::iota(indices, indices + 3UL * count, 0U);
            for (u32 p = 0; p < count; ++p) {
                for (const weft::accel::Point& corner : weft::accel::world_corners(scene, i, p)) {
                    vertices = std::copy_n(&corner.x, 3, vertices);
                }
            }
            rtcCommitGeometry(geometry);
            rtcAttachGeometryByID(scene_, geometry, i);
            rtcReleaseGeometry(geometry);
        }
        rtcCommitScene(scene_);
    }

    ~EmbreeScene() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }

    EmbreeScene(const EmbreeScene&) = delete;
    EmbreeScene& operator=(const EmbreeScene&) = delete;

    [[nodiscard]] RTCScene get() const { return scene_; }

private:
    static std::string device_config(weft::shaders::Isa isa) {
        const std::string name = weft::shaders::isa_name(isa);
        return "threads=1,hugepages=1,isa=" + (name == "sse4" ? "sse4.2" : name);
    }

    RTCDevice device_;
    RTCScene scene_;
};

struct Arm {
    std::string name;
    std::function<void(const RayList&)> prepare;  // a call, not timed
    std::function<void()> run;                    // the call
    std::function<u64()> count_hits;              // of the call
    std::vector<double> seconds{};
    u64 hits = 0;
};

// Ours: one entry of the table.
Arm own_arm(const char* name,
            decltype(TraceKernels::closest_group) kernel,
            const weft::shaders::TraceScene& scene,
            RayList& work) {
    Arm arm{name, [&work](const RayList& rays) { work = rays; }, {}, {}};
    std::vector<u32> ids(kCall);
    std::iota(ids.begin(), ids.end(), 0U);
    arm.run = [&work, &scene, kernel, ids = std::move(ids)] {
        weft::shaders::TraceCounters counters;
        const auto count = static_cast<u32>(work.size());
        kernel(scene, scene.bvh.root, work.data(), ids.data(), count, counters);
    };
    arm.count_hits = [&work] {
        return static_cast<u64>(std::count_if(work.begin(), work.end(), [](const TraceRay& ray) {
            return ray.t < 0 || ray.primitive != weft::kNone;
        }));
    };
    return arm;
}

// Ours as sets; the rays are split by octant before the clock starts.
Arm set_arm(decltype(TraceKernels::closest_walk) walk,
            const weft::shaders::TraceScene& scene,
            RayList& work,
            std::array<std::vector<u32>, 8>& octants) {
    Arm arm = own_arm("set", nullptr, scene, work);
    arm.prepare = [&work, &octants](const RayList& rays) {
        work = rays;
        for (std::vector<u32>& ids : octants) {
            ids.clear();
        }
        for (u32 k = 0; k < rays.size(); ++k) {
            const float* const d = rays[k].direction;
            octants[(d[0] < 0 ? 1U : 0U) | (d[1] < 0 ? 2U : 0U) | (d[2] < 0 ? 4U : 0U)].push_back(
                k);
        }
    };
    arm.run = [&work, &octants, &scene, walk] {
        weft::shaders::TraceCounters counters;
        for (u32 octant = 0; octant < 8; ++octant) {
            const std::vector<u32>& ids = octants[octant];
            const auto count = static_cast<u32>(ids.size());
            walk(scene, scene.bvh.root, octant, work.data(), ids.data(), count, counters);
        }
    };
    return arm;
}

struct EmbreeRays {
    std::vector<RTCRayHit16> packets;
    std::vector<RTCRayHit> singles;

    void pack(const RayList& rays) {
        packets.resize(rays.size() / kPacket);
        singles.resize(packets.size() * kPacket);
        for (std::size_t i = 0; i < singles.size(); ++i) {
            const TraceRay& from = rays[i];
            RTCRayHit& s = singles[i];
            s.ray = {from.origin[0],
                     from.origin[1],
                     from.origin[2],
                     0,
                     from.direction[0],
                     from.direction[1],
                     from.direction[2],
                     0,
                     from.t,
                     0xffffffffU,
                     0,
                     0};
            s.hit.geomID = s.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
            RTCRayHit16& p = packets[i / kPacket];
            const std::size_t k = i % kPacket;
            p.ray.org_x[k] = s.ray.org_x;
            p.ray.org_y[k] = s.ray.org_y;
            p.ray.org_z[k] = s.ray.org_z;
            p.ray.dir_x[k] = s.ray.dir_x;
            p.ray.dir_y[k] = s.ray.dir_y;
            p.ray.dir_z[k] = s.ray.dir_z;
            p.ray.tnear[k] = p.ray.time[k] = 0;
            p.ray.tfar[k] = s.ray.tfar;
            p.ray.mask[k] = 0xffffffffU;
            p.ray.id[k] = p.ray.flags[k] = 0;
            p.hit.geomID[k] = p.hit.instID[0][k] = RTC_INVALID_GEOMETRY_ID;
        }
    }
};

Arm embree_packets(const char* name,
                   RTCScene scene,
                   RTCIntersectContextFlags flags,
                   EmbreeRays& work,
                   bool is_any) {
    Arm arm{name, [&work](const RayList& rays) { work.pack(rays); }, {}, {}};
    arm.run = [=, &work] {
        alignas(64) std::array<int, kPacket> all{};
        all.fill(-1);
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = flags;
        for (RTCRayHit16& packet : work.packets) {
            if (is_any) {
                rtcOccluded16(all.data(), scene, &context, &packet.ray);
            } else {
                rtcIntersect16(all.data(), scene, &context, &packet);
            }
        }
    };
    arm.count_hits = [&work] {
        u64 hits = 0;
        for (const RTCRayHit16& packet : work.packets) {
            for (u32 k = 0; k < kPacket; ++k) {
                hits += packet.ray.tfar[k] < 0 || packet.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
            }
        }
        return hits;
    };
    return arm;
}

Arm embree_stream(RTCScene scene, EmbreeRays& work) {
    Arm arm{"embree stream", [&work](const RayList& rays) { work.pack(rays); }, {}, {}};
    arm.run = [=, &work] {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        const auto count = static_cast<u32>(work.singles.size());
        rtcOccluded1M(scene, &context, &work.singles[0].ray, count, sizeof(RTCRayHit));
    };
    arm.count_hits = [&work] {
        u64 hits = 0;
        for (const RTCRayHit& single : work.singles) {
            hits += single.ray.tfar < 0 ? 1U : 0U;
        }
        return hits;
    };
    return arm;
}

Arm embree_singles(RTCScene scene, EmbreeRays& work, bool is_any) {
    Arm arm{"embree1", [&work](const RayList& rays) { work.pack(rays); }, {}, {}};
    arm.run = [=, &work] {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        for (RTCRayHit& single : work.singles) {
            if (is_any) {
                rtcOccluded1(scene, &context, &single.ray);
            } else {
                rtcIntersect1(scene, &context, &single);
            }
        }
    };
    arm.count_hits = [&work] {
        u64 hits = 0;
        for (const RTCRayHit& single : work.singles) {
            hits += single.ray.tfar < 0 || single.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        }
        return hits;
    };
    return arm;
}

void report(const char* scene, const char* kind, u64 rays, Arm& arm) {
    std::sort(arm.seconds.begin(), arm.seconds.end());
    const auto rate = [&](double seconds) { return static_cast<double>(rays) / seconds * 1e-6; };
    std::printf(
        "{\"bench\": \"lanes\", \"scene\": \"%s\", \"rays\": \"%s\", \"arm\": \"%s\", \"mrays\": "
        "%.2f, \"low\": %.2f, \"high\": %.2f, \"hits\": %llu, \"count\": %llu}\n",
        scene,
        kind,
        arm.name.c_str(),
        rate(arm.seconds[arm.seconds.size() / 2]),
        rate(arm.seconds.back()),
        rate(arm.seconds.front()),
        static_cast<unsigned long long>(arm.hits),
        static_cast<unsigned long long>(rays));
    std::fflush(stdout);
}

void compare(const char* scene_name,
             const char* kind,
             const weft::shaders::TraceScene& scene,
             const TraceKernels& row,
             RTCScene embree,
             const RayList& rays,
             u32 repeats,
             bool is_any) {
    // Cut the rays into calls, of whole packets of Embree's.
    std::vector<RayList> calls;
    const std::size_t ray_count = rays.size() / kPacket * kPacket;
    for (std::size_t first = 0; first < ray_count; first += kCall) {
        const auto begin = rays.begin() + static_cast<std::ptrdiff_t>(first);
        const std::size_t count = std::min<std::size_t>(kCall, ray_count - first);
        calls.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    // Make the arms.
    RayList work;
    EmbreeRays packed;
    std::array<std::vector<u32>, 8> octants;
    std::vector<Arm> arms;
    arms.push_back(own_arm("group", is_any ? row.any_group : row.closest_group, scene, work));
    arms.push_back(own_arm("packet", is_any ? row.any_packet : row.closest_packet, scene, work));
    arms.push_back(set_arm(is_any ? row.any_walk : row.closest_walk, scene, work, octants));
    if (is_any) {
        arms.push_back(embree_stream(embree, packed));
    } else {
        arms.push_back(own_arm("wide packet", row.closest_wide, scene, work));
    }
    arms.push_back(embree_singles(embree, packed, is_any));
    arms.push_back(embree_packets(
        "embree16 coherent", embree, RTC_INTERSECT_CONTEXT_FLAG_COHERENT, packed, is_any));
    arms.push_back(
        embree_packets("embree16", embree, RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT, packed, is_any));
    // Time them in turn; the first round warms up and counts hits.
    for (u32 repeat = 0; repeat <= repeats; ++repeat) {
        for (Arm& arm : arms) {
            double spent = 0;
            for (const RayList& call : calls) {
                arm.prepare(call);
                const double start = cpu_seconds();
                arm.run();
                spent += cpu_seconds() - start;
                arm.hits += repeat == 0 ? arm.count_hits() : 0;
            }
            if (repeat != 0) {
                arm.seconds.push_back(spent);
            }
        }
    }
    for (Arm& arm : arms) {
        report(scene_name, kind, ray_count, arm);
    }
}

// The instruction set that `--isa NAME` asks for, which it takes off the arguments; else the best.
std::optional<weft::shaders::Isa> take_isa(int& argc, char**& argv) {
    using weft::shaders::Isa;
    if (argc < 3 || std::string_view(argv[1]) != "--isa") {
        return weft::shaders::best_isa();
    }
    const std::string_view wanted = argv[2];
    argc -= 2;
    argv += 2;
    for (const Isa isa : {Isa::Sse4, Isa::Avx2, Isa::Avx512}) {
        if (wanted == weft::shaders::isa_name(isa) && weft::shaders::trace_kernels(isa)) {
            return isa;
        }
    }
    return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
    const std::optional<weft::shaders::Isa> isa = take_isa(argc, argv);
    if (!isa) {
        std::fprintf(stderr, "--isa: sse4, avx2 or avx512, of those that this machine has\n");
        return 2;
    }
    const std::string name = argc > 1 ? argv[1] : "procedural:rubble:100K";
    const u32 repeats = argc > 2 ? static_cast<u32>(std::atoi(argv[2])) : 5;
    const u32 size = argc > 3 ? static_cast<u32>(std::atoi(argv[3])) : 512;
    auto imported = weft::scene::import_scene({name}, {});
    if (!imported.is_ok()) {
        std::fprintf(stderr, "%s\n", imported.error().sentence.c_str());
        return 1;
    }
    weft::scene::Scene& scene = imported.value();
    weft::scene::complete_scene(scene);
    if (argc > 9) {
        scene.cameras = {weft::bench::camera_at(argv + 4)};
    }
    // Geometry alone is compared: no triangle is flagged, so nothing asks about alpha or tints.
    weft::accel::BuildConfig config;
    config.is_flagged.assign(scene.instances.size(), false);
    auto tree = weft::accel::build_acceleration(scene, config);
    if (!tree.is_ok()) {
        std::fprintf(stderr, "%s\n", tree.error().sentence.c_str());
        return 1;
    }
    const EmbreeScene embree(scene, *isa);
    const weft::shaders::TraceScene view = {tree.value().view(), nullptr, nullptr, nullptr};
    const TraceKernels& row = *weft::shaders::trace_kernels(*isa);
    const auto traced = [&](RayList rays) {
        std::vector<u32> ids(rays.size());
        std::iota(ids.begin(), ids.end(), 0U);
        weft::shaders::TraceCounters counters;
        row.closest_group(
            view, view.bvh.root, rays.data(), ids.data(), static_cast<u32>(ids.size()), counters);
        return rays;
    };
    const RayList camera = weft::bench::camera_rays(scene, size);
    const RayList first = traced(camera);
    compare(name.c_str(), "camera", view, row, embree.get(), camera, repeats, false);
    const RayList bounce = weft::bench::bounce_rays(scene, first);
    compare(name.c_str(),
            "shadow",
            view,
            row,
            embree.get(),
            weft::bench::shadow_rays(scene, first),
            repeats,
            true);
    compare(name.c_str(),
            "ambient",
            view,
            row,
            embree.get(),
            weft::bench::ambient_rays(scene, first),
            repeats,
            true);
    compare(name.c_str(), "bounce", view, row, embree.get(), bounce, repeats, false);
    compare(name.c_str(),
            "shadow of bounce",
            view,
            row,
            embree.get(),
            weft::bench::shadow_rays(scene, traced(bounce)),
            repeats,
            true);
    return 0;
}
