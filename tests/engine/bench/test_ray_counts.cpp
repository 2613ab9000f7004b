// test_ray_counts.cpp — the counts of variants against a simple reference count: each ray alone,
// every node whose box it hits, in any order.
//
// Rays end just before what they would hit, so that nothing shortens them on the way and the order
// of traversal cannot matter.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/bench/ray_variant.h"
#include "engine/scene/import.h"
#include "scheduler/unit/float_state.h"
#include "shaders/traverse/fetch_trace.h"

namespace {

using namespace weft;
using bench::RayClass;
using shaders::BvhNode;
using shaders::BvhView;
using shaders::TraceRay;

constexpr u32 kRays = 1500;
constexpr u64 kLine = 64;

struct SlowCount {
    u64 nodes = 0;
    u64 leaves = 0;
    std::set<u64> lines;  // of the tree, that rays have to read

    void read(const void* data, std::size_t bytes) {
        const u64 begin = std::bit_cast<u64>(data);
        for (u64 at = begin / kLine; at <= (begin + bytes - 1) / kLine; ++at) {
            lines.insert(at);
        }
    }
};

// The interval of the ray with a child's box, widened by 2⁻²⁰ of the ray's largest coordinate.
bool meets(const BvhNode& node, u32 child, const TraceRay& ray) {
    const float* const o = ray.origin;
    const float margin = std::max({std::fabs(o[0]), std::fabs(o[1]), std::fabs(o[2])}) * 0x1p-20F;
    float near = 0;
    float far = ray.t;
    for (u32 axis = 0; axis < 3; ++axis) {
        const float scale = ray.reciprocal[axis];
        const u32 low = scale < 0 ? 1 : 0;
        const float along = std::copysign(margin, scale);
        near = std::max(near, (node.bounds[axis][low][child] - (o[axis] + along)) * scale);
        far = std::min(far, (node.bounds[axis][1 - low][child] - (o[axis] - along)) * scale);
    }
    return near <= far;
}

void count(const BvhView& bvh, u32 ref, const TraceRay& ray, SlowCount& counted) {
    if ((ref & shaders::kRefKind) == shaders::kRefLeaf) {
        ++counted.leaves;
        counted.read(&bvh.blocks[ref & shaders::kRefIndex], sizeof(shaders::LeafBlock));
        return;
    }
    REQUIRE((ref & shaders::kRefKind) == shaders::kRefNode);
    const BvhNode& node = bvh.nodes[ref];
    ++counted.nodes;
    counted.read(&node, sizeof(node));
    for (u32 child = 0; child < 8; ++child) {
        if (node.child[child] != shaders::kRefEmpty && meets(node, child, ray)) {
            count(bvh, node.child[child], ray, counted);
        }
    }
}

// A heap of stones without instances, and rays of its picture that hit nothing.
struct ReadyCounts {
    base::Result<scene::Scene> scene = scene::import_scene({"procedural:rubble:3000"}, {});
    std::unique_ptr<bench::BenchScene> prepared;
    bench::RayRecord record;

    ReadyCounts() {
        unit::set_float_state();
        REQUIRE(scene.is_ok());
        scene::complete_scene(scene.value());
        frame::RenderSettings settings;
        settings.width = 64;
        settings.height = 64;
        settings.thread_count = 1;
        settings.integrator.is_adaptive = false;
        auto made =
            bench::BenchScene::prepare(scene.value(), scene.value().cameras.front(), settings, {});
        REQUIRE(made.is_ok());
        prepared = std::move(made.value());
        auto recorded = bench::record_rays(*prepared, kRays, 1);
        REQUIRE(recorded.is_ok());
        record = std::move(recorded.value());
        prepared->make_opaque();
    }

    // Of the class, ended before their hits.
    [[nodiscard]] std::vector<TraceRay> free_rays(RayClass ray_class) const {
        std::vector<TraceRay> rays = record.of(ray_class);
        const auto variants = bench::make_own_variants(*prepared, ray_class, kRays);
        std::vector<TraceRay> hits(rays.size());
        variants.front()->trace(rays, hits);
        for (std::size_t k = 0; k < rays.size(); ++k) {
            if (!bench::is_any_hit(ray_class) && hits[k].primitive != kNone) {
                rays[k].t = hits[k].t * 0.99F;
            }
        }
        variants.front()->trace(rays, hits);
        std::vector<TraceRay> free;
        for (std::size_t k = 0; k < rays.size(); ++k) {
            const bool is_hit =
                bench::is_any_hit(ray_class) ? hits[k].t < 0 : hits[k].primitive != kNone;
            if (!is_hit) {
                free.push_back(rays[k]);
            }
        }
        return free;
    }

    [[nodiscard]] SlowCount slow_count(const std::vector<TraceRay>& rays) const {
        const BvhView bvh = prepared->acceleration.view();
        SlowCount counted;
        for (const TraceRay& ray : rays) {
            count(bvh, bvh.root, ray, counted);
        }
        return counted;
    }
};

// The lines of the tree that a listener got.
struct Heard {
    u64 begin_nodes = 0;
    u64 end_nodes = 0;
    u64 begin_blocks = 0;
    u64 end_blocks = 0;
    u64 fetches = 0;
    std::set<u64> lines;

    explicit Heard(const accel::Acceleration& tree)
        : begin_nodes(std::bit_cast<u64>(tree.nodes.data())),
          end_nodes(begin_nodes + tree.nodes.size_bytes()),
          begin_blocks(std::bit_cast<u64>(tree.blocks.data())),
          end_blocks(begin_blocks + tree.blocks.size_bytes()) {}

    static void hear(void* context, const void* data, u32 bytes) {
        auto& heard = *static_cast<Heard*>(context);
        ++heard.fetches;
        const u64 begin = std::bit_cast<u64>(data);
        const bool is_tree = (begin >= heard.begin_nodes && begin < heard.end_nodes) ||
                             (begin >= heard.begin_blocks && begin < heard.end_blocks);
        for (u64 at = begin / kLine; is_tree && at <= (begin + bytes - 1) / kLine; ++at) {
            heard.lines.insert(at);
        }
    }
};

}  // namespace

TEST_SUITE("engine/bench/ray_counts") {
    TEST_CASE("nodes and leaves of every own variant equal those of each ray alone") {
        const ReadyCounts ready;
        for (const RayClass ray_class :
             {RayClass::Primary, RayClass::Shadow, RayClass::Diffuse1, RayClass::Diffuse2}) {
            const std::vector<TraceRay> rays = ready.free_rays(ray_class);
            REQUIRE(rays.size() > kRays / 10);
            const SlowCount slow = ready.slow_count(rays);
            CHECK(slow.nodes > 2 * rays.size());
            for (const auto& variant :
                 bench::make_own_variants(*ready.prepared, ray_class, kRays)) {
                variant->trace(rays, {});
                CAPTURE(bench::ray_class_name(ray_class));
                CAPTURE(variant->name());
                CHECK(variant->counts().trace.node_tests == slow.nodes);
                CHECK(variant->counts().trace.leaf_tests == slow.leaves);
            }
        }
    }

    TEST_CASE("a listener gets each line that rays read and only in a counting build") {
        const ReadyCounts ready;
        for (const RayClass ray_class : {RayClass::Shadow, RayClass::Diffuse1}) {
            const std::vector<TraceRay> rays = ready.free_rays(ray_class);
            const SlowCount slow = ready.slow_count(rays);
            for (const auto& variant :
                 bench::make_own_variants(*ready.prepared, ray_class, kRays)) {
                Heard heard(ready.prepared->acceleration);
                const shaders::FetchListener listener = {Heard::hear, &heard};
                shaders::fetch_listener = &listener;
                variant->trace(rays, {});
                shaders::fetch_listener = nullptr;
                CAPTURE(bench::ray_class_name(ray_class));
                CAPTURE(variant->name());
                CHECK(heard.lines == (shaders::kIsCounting ? slow.lines : std::set<u64>()));
                if (variant->name() == "U1") {
                    CHECK(heard.fetches == (shaders::kIsCounting ? slow.nodes + slow.leaves : 0));
                }
            }
        }
    }
}
