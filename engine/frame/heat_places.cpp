#include "engine/frame/heat_places.h"

#include <algorithm>
#include <cmath>

#include "engine/frame/picking.h"
#include "engine/trace/ray_list.h"

namespace weft::frame {

namespace {

constexpr u32 kBatch = 1024;

// The triangle that a ray hit, and the position of the hit.
struct HitPoint {
    u32 instance = 0;
    u32 primitive = 0;
    float position[3] = {};
    float margin = 0;  // rounding error of the position
};

HitPoint hit_point(const shaders::TraceRay& ray) {
    HitPoint hit = {.instance = ray.instance, .primitive = ray.primitive};
    for (u32 axis = 0; axis < 3; ++axis) {
        const float way = ray.t * ray.direction[axis];
        hit.position[axis] = ray.origin[axis] + way;
        hit.margin = std::max({hit.margin, std::abs(ray.origin[axis]), std::abs(way)});
    }
    hit.margin *= 0x1p-18F;
    return hit;
}

bool may_hold(const shaders::BvhNode& node, u32 child, const HitPoint& hit) {
    for (u32 axis = 0; axis < 3; ++axis) {
        if (hit.position[axis] < node.bounds[axis][0][child] - hit.margin ||
            hit.position[axis] > node.bounds[axis][1][child] + hit.margin) {
            return false;
        }
    }
    return true;
}

// A leaf block or placement that holds the triangle.
bool is_end_of(const shaders::BvhView& bvh, u32 ref, const HitPoint& hit) {
    const u32 index = ref & shaders::kRefIndex;
    if ((ref & shaders::kRefKind) == shaders::kRefInstance) {
        return bvh.placements[index].instance == hit.instance;
    }
    const shaders::LeafBlock& block = bvh.blocks[index];
    bool is_in = false;
    for (u32 k = 0; k < 4; ++k) {
        is_in = is_in || (block.instance[k] == hit.instance && block.primitive[k] == hit.primitive);
    }
    return is_in;
}

// Appends the references from `ref` down to the triangle; false: `ref` does not hold it.
bool find_path(const shaders::BvhView& bvh, u32 ref, const HitPoint& hit, std::vector<u32>& path) {
    path.push_back(ref);
    if ((ref & shaders::kRefKind) != shaders::kRefNode) {
        if (is_end_of(bvh, ref, hit)) {
            return true;
        }
        path.pop_back();
        return false;
    }
    const shaders::BvhNode& node = bvh.nodes[ref & shaders::kRefIndex];
    for (u32 child = 0; child < 8; ++child) {
        if (node.child[child] != shaders::kRefEmpty && may_hold(node, child, hit) &&
            find_path(bvh, node.child[child], hit, path)) {
            return true;
        }
    }
    path.pop_back();
    return false;
}

void add_point(const UnitScene& scene, const shaders::TraceRay& ray, HeatPlaces& places) {
    places.path_begin.push_back(static_cast<u32>(places.paths.size()));
    if (ray.primitive == kNone) {
        places.object.push_back(kNone);
        return;
    }
    const shaders::BvhView bvh = scene.acceleration->view();
    places.object.push_back(scene.heat->object_of_instance[ray.instance]);
    std::vector<u32> path;
    find_path(bvh, bvh.root, hit_point(ray), path);
    places.paths.insert(places.paths.end(), path.begin(), path.end());
}

}  // namespace

HeatPlaces heat_places(const UnitScene& scene,
                       const shaders::CameraRecord& camera,
                       u32 columns,
                       u32 rows) {
    trace::RayConfig config;
    config.batch = kBatch;
    trace::RayStage stage;
    stage.scene.bvh = scene.acceleration->view();
    stage.scene.scene = &scene.tables->view;
    stage.kernels = shaders::trace_kernels(shaders::best_isa());
    trace::RayList list(config, stage, config.batch);
    if (!list.is_allocated()) {
        return {};
    }
    HeatPlaces places = {
        .columns = columns, .rows = rows, .object = {}, .path_begin = {}, .paths = {}};
    const u32 count = columns * rows;
    std::vector<shaders::TraceRay> rays;
    for (u32 first = 0; first < count; first += kBatch) {
        rays.clear();
        for (u32 point = first; point < std::min(count, first + kBatch); ++point) {
            const float u =
                (static_cast<float>(point % columns) + 0.5F) / static_cast<float>(columns);
            const float v = (static_cast<float>(point / columns) + 0.5F) / static_cast<float>(rows);
            rays.push_back(ray_through(camera, u, v));
        }
        list.trace(rays);
        for (const shaders::TraceRay& ray : rays) {
            add_point(scene, ray, places);
        }
    }
    places.path_begin.push_back(static_cast<u32>(places.paths.size()));
    return places;
}

}  // namespace weft::frame
