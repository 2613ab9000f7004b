#include "engine/frame/camera_media.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "engine/trace/reference/reference_scene.h"

namespace weft::frame {

namespace {

using trace::StartMedia;
using trace::reference::Ray;
using trace::reference::RayHit;
using trace::reference::TriangleTree;
using trace::reference::Vec;

// Four ways of which every half space lacks one, so that no plane bounds a solid alone; of no
// symmetry, so that no edge of a box or of a grid lies along them.
constexpr std::array<Vec, 4> kWays = {Vec{0.5127, 0.6719, 0.5373},
                                      Vec{0.6351, -0.4937, -0.5891},
                                      Vec{-0.6437, 0.5211, -0.5647},
                                      Vec{-0.5291, -0.6183, 0.5811}};

bool is_medium(const shaders::MaterialRecord& material) {
    const auto is_positive = [](float sigma) { return sigma > 0; };
    return (material.flags & shaders::kMaterialSolid) != 0 &&
           (std::any_of(material.sigma_a, material.sigma_a + 3, is_positive) ||
            std::any_of(material.sigma_s, material.sigma_s + 3, is_positive));
}

std::vector<RayHit> sorted_hits(const TriangleTree& tree, Vec origin, Vec way) {
    Ray ray;
    ray.origin = origin;
    ray.direction = way * (1 / std::sqrt(dot(way, way)));
    std::vector<RayHit> hits = tree.all(ray);
    std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
        return std::tuple(a.t, a.name.instance, a.name.primitive) <
               std::tuple(b.t, b.name.instance, b.name.primitive);
    });
    return hits;
}

// The solids that a ray leaves without having entered them, in this order.
std::vector<u32> media_left(const UnitScene& scene, const TriangleTree& tree, Vec origin, Vec way) {
    const shaders::SceneView& view = scene.tables->view;
    std::vector<u32> entered;
    std::vector<u32> left;
    for (const RayHit& hit : sorted_hits(tree, origin, way)) {
        const u32 material = view.instances[hit.name.instance].material;
        if ((view.materials[material].flags & shaders::kMaterialSolid) == 0) {
            continue;
        }
        const Vec outward = outward_cross(view, hit.name, world_corners(view, hit.name));
        if (dot(outward, way) < 0) {
            entered.push_back(material);
            continue;
        }
        const auto own = std::find(entered.begin(), entered.end(), material);
        if (own != entered.end()) {
            entered.erase(own);
        } else {
            left.push_back(material);
        }
    }
    return left;
}

// Keeps of `media` what `others` have as often.
void keep_common(std::vector<u32>& media, std::vector<u32> others) {
    const auto is_lacking = [&others](u32 material) {
        const auto found = std::find(others.begin(), others.end(), material);
        if (found == others.end()) {
            return true;
        }
        others.erase(found);
        return false;
    };
    media.erase(std::remove_if(media.begin(), media.end(), is_lacking), media.end());
}

}  // namespace

StartMedia media_around(const UnitScene& scene, const shaders::CameraRecord& camera) {
    const auto& materials = scene.tables->materials;
    if (!std::any_of(materials.begin(), materials.end(), is_medium)) {
        return trace::kEmptySpace;
    }
    const TriangleTree tree(
        scene.tables->view, scene.acceleration->view(), scene.acceleration->store.get());
    const Vec origin = trace::reference::vec_of(camera.origin);
    std::vector<u32> common = media_left(scene, tree, origin, kWays[0]);
    for (std::size_t k = 1; k < kWays.size() && !common.empty(); ++k) {
        keep_common(common, media_left(scene, tree, origin, kWays[k]));
    }
    StartMedia media = trace::kEmptySpace;
    std::copy_n(common.begin(), std::min(common.size(), media.size()), media.begin());
    return media;
}

}  // namespace weft::frame
