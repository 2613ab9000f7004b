#include "engine/frame/heat_places.h"

#include <algorithm>
#include <cmath>

#include "engine/frame/picking.h"
#include "engine/trace/ray_list.h"

namespace weft::frame {

namespace {

constexpr u32 kBatch = 1024;

// A triangle that a ray has met, and where.
struct Meeting {
    u32 instance = 0;
    u32 primitive = 0;
    float position[3] = {};
    float margin = 0;  // of the position
};

Meeting meeting_of(const shaders::TraceRay& ray) {
    Meeting met = {.instance = ray.instance, .primitive = ray.primitive};
    for (u32 axis = 0; axis < 3; ++axis) {
        const float way = ray.t * ray.direction[axis];
        met.position[axis] = ray.origin[axis] + way;
        met.margin = std::max({met.margin, std::abs(ray.origin[axis]), std::abs(way)});
    }
    met.margin *= 0x1p-18F;
    return met;
}

bool may_hold(const shaders::BvhNode& node, u32 child, const Meeting& met) {
    for (u32 axis = 0; axis < 3; ++axis) {
        if (met.position[axis] < node.bounds[axis][0][child] - met.margin ||
            met.position[axis] > node.bounds[axis][1][child] + met.margin) {
            return false;
        }
    }
    return true;
}

// A block or placement with the triangle in it.
bool is_end_of(const shaders::BvhView& bvh, u32 ref, const Meeting& met) {
    const u32 index = ref & shaders::kRefIndex;
    if ((ref & shaders::kRefKind) == shaders::kRefInstance) {
        return bvh.placements[index].instance == met.instance;
    }
    const shaders::LeafBlock& block = bvh.blocks[index];
    bool is_in = false;
    for (u32 k = 0; k < 4; ++k) {
        is_in = is_in || (block.instance[k] == met.instance && block.primitive[k] == met.primitive);
    }
    return is_in;
}

// Appends the references from `ref` down to the triangle; false: it is not below.
bool find_path(const shaders::BvhView& bvh, u32 ref, const Meeting& met, std::vector<u32>& path) {
    path.push_back(ref);
    if ((ref & shaders::kRefKind) != shaders::kRefNode) {
        if (is_end_of(bvh, ref, met)) {
            return true;
        }
        path.pop_back();
        return false;
    }
    const shaders::BvhNode& node = bvh.nodes[ref & shaders::kRefIndex];
    for (u32 child = 0; child < 8; ++child) {
        if (node.child[child] != shaders::kRefEmpty && may_hold(node, child, met) &&
            find_path(bvh, node.child[child], met, path)) {
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
    find_path(bvh, bvh.root, meeting_of(ray), path);
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
