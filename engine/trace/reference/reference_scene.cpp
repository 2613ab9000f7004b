// reference_scene.cpp — see reference_scene.h.
#include "engine/trace/reference/reference_scene.h"

#include <array>
#include <tuple>

#include "engine/trace/reference/reference_sampler.h"
#include "engine/trace/reference/reference_texture.h"

namespace weft::trace::reference {

namespace {

constexpr u32 kLeafSize = 4;

double axis_of(Vec v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

Vec lower(Vec a, Vec b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}

Vec upper(Vec a, Vec b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

// True if the ray hits the box within (0, limit]. Callers widen boxes, so rounding loses no hit.
bool hits_box(Vec from, Vec along, Vec low, Vec high, double limit) {
    double near = 0;
    double far = limit;
    for (int axis = 0; axis < 3; ++axis) {
        const double origin = axis_of(from, axis);
        const double direction = axis_of(along, axis);
        if (direction == 0) {
            if (origin < axis_of(low, axis) || origin > axis_of(high, axis)) {
                return false;
            }
            continue;
        }
        const double t0 = (axis_of(low, axis) - origin) / direction;
        const double t1 = (axis_of(high, axis) - origin) / direction;
        near = std::max(near, std::min(t0, t1));
        far = std::min(far, std::max(t0, t1));
    }
    return near <= far;
}

// Plücker test: compares the signs of the volumes between the ray and the three edges; edges count
// as inside.
std::optional<RayHit> intersect_triangle(const Ray& ray, const Corners& corners) {
    const Vec a = corners.a - ray.origin;
    const Vec b = corners.b - ray.origin;
    const Vec c = corners.c - ray.origin;
    const double around_a = dot(ray.direction, cross(b, c));
    const double around_b = dot(ray.direction, cross(c, a));
    const double around_c = dot(ray.direction, cross(a, b));
    const bool is_inside = (around_a >= 0 && around_b >= 0 && around_c >= 0) ||
                           (around_a <= 0 && around_b <= 0 && around_c <= 0);
    const double volume = around_a + around_b + around_c;
    if (!is_inside || volume == 0) {
        return std::nullopt;
    }
    const Vec normal = cross(corners.b - corners.a, corners.c - corners.a);
    RayHit hit;
    hit.t = dot(a, normal) / dot(ray.direction, normal);
    hit.b1 = around_b / volume;
    hit.b2 = around_c / volume;
    return hit.t > 0 && hit.t <= ray.t_max ? std::optional(hit) : std::nullopt;
}

}  // namespace

Vec transform_vector(const float* rows, Vec v) {
    return {dot(vec_of(rows), v), dot(vec_of(rows + 4), v), dot(vec_of(rows + 8), v)};
}

Vec transform_point(const float* rows, Vec p) {
    return transform_vector(rows, p) + Vec{rows[3], rows[7], rows[11]};
}

Corners world_corners(const shaders::SceneView& scene, TriangleName name) {
    const shaders::InstanceRecord& instance = scene.instances[name.instance];
    const shaders::MeshRecord& mesh = scene.meshes[instance.mesh];
    std::array<Vec, 3> corner{};
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t vertex =
            scene.indices[std::size_t{3} * (mesh.first_triangle + name.primitive) + k];
        const float* position = scene.positions + 3 * (mesh.first_position + vertex);
        corner[k] = transform_point(instance.object_to_world, vec_of(position));
    }
    return {corner[0], corner[1], corner[2]};
}

Vec outward_cross(const shaders::SceneView& scene, TriangleName name, const Corners& corners) {
    const Vec around = cross(corners.b - corners.a, corners.c - corners.a);
    const bool is_mirrored =
        (scene.instances[name.instance].flags & shaders::kInstanceMirrored) != 0;
    return is_mirrored ? -around : around;
}

bool is_cut_away(const shaders::SceneView& scene, u32 instance, Vec point) {
    for (u32 plane = 0; plane < scene.clip_plane_count; ++plane) {
        const shaders::ClipPlane& cut = scene.clip_planes[plane];
        const bool is_enabled = (scene.instances[instance].clip_planes >> plane & 1U) != 0;
        if (is_enabled && dot(vec_of(cut.normal), point) + static_cast<double>(cut.offset) < 0) {
            return true;
        }
    }
    return false;
}

TriangleTree::TriangleTree(const shaders::SceneView& scene,
                           u32 instance_count,
                           const std::vector<bool>& is_visible)
    : scene_(scene) {
    for (u32 instance = 0; instance < instance_count; ++instance) {
        if (!is_visible.empty() && !is_visible[instance]) {
            continue;
        }
        const u32 count = scene.meshes[scene.instances[instance].mesh].triangle_count;
        for (u32 primitive = 0; primitive < count; ++primitive) {
            const TriangleName name = {instance, primitive};
            triangles_.push_back({world_corners(scene, name), name});
        }
    }
    if (!triangles_.empty()) {
        nodes_.emplace_back();
        build(0, 0, static_cast<u32>(triangles_.size()));
    }
}

void TriangleTree::build(u32 node, u32 first, u32 count) {
    const auto begin = triangles_.begin() + first;
    Vec low = gray(HUGE_VAL);
    Vec high = gray(-HUGE_VAL);
    for (auto it = begin; it != begin + count; ++it) {
        low = lower(low, lower(it->corners.a, lower(it->corners.b, it->corners.c)));
        high = upper(high, upper(it->corners.a, upper(it->corners.b, it->corners.c)));
    }
    const double margin = 1e-12 * (largest(upper(high, -low)) + largest(high - low));
    nodes_[node] = {low - gray(margin), high + gray(margin), first, count};
    if (count <= kLeafSize) {
        return;
    }
    // Split at the median of the centroids along the box's widest axis.
    const Vec size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const auto place = [axis](const Triangle& t) {
        return axis_of(t.corners.a + t.corners.b + t.corners.c, axis);
    };
    const u32 half = count / 2;
    std::nth_element(begin, begin + half, begin + count, [&](const Triangle& s, const Triangle& t) {
        return std::tuple(place(s), s.name.instance, s.name.primitive) <
               std::tuple(place(t), t.name.instance, t.name.primitive);
    });
    const auto left = static_cast<u32>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    nodes_[node].first = left;
    nodes_[node].count = 0;
    build(left, first, half);
    build(left + 1, first + half, count - half);
}

TriangleTree::TriangleTree(const shaders::SceneView& scene,
                           const shaders::BvhView& prepared,
                           pages::PageStore* maybe_store)
    : scene_(scene),
      prepared_(prepared),
      store_(maybe_store),
      reader_(maybe_store ? maybe_store->join() : 0) {}

TriangleTree::~TriangleTree() {
    if (store_) {
        store_->part(reader_);
    }
}

// Blocks until the page is in memory, and is inside then. False: it cannot be read.
bool TriangleTree::come_to(u32 page) const {
    while (!store_->has_failed()) {
        store_->enter(reader_);
        if (shaders::enter_page(prepared_->page_states[page])) {
            store_->end_walk(reader_, page);  // it stays until this reader leaves
            return true;
        }
        store_->leave(reader_);
        const u64 arrivals = store_->arrivals();
        if (store_->fetch(reader_, page) != pages::Fetch::Near) {
            store_->wait_beyond(arrivals);
        }
    }
    return false;
}

// Goes on below a page root. No other page lies below one that is in a page.
template <typename Visit>
void TriangleTree::walk_page(const Step& step, const double& limit, Visit visit) const {
    const shaders::PageRoot& root = prepared_->page_roots[step.ref & shaders::kRefIndex];
    const Step below = {root.ref, step.instance, step.origin, step.direction};
    if (root.page == kNone) {
        walk_prepared(below, limit, visit);
    } else if (come_to(root.page)) {
        walk_prepared(below, limit, visit);
        store_->leave(reader_);
    }
}

template <typename Visit>
void TriangleTree::walk_prepared(const Step& begin, const double& limit, Visit visit) const {
    std::vector<Step> waiting = {begin};
    while (!waiting.empty()) {
        const Step step = waiting.back();
        waiting.pop_back();
        if (step.ref == shaders::kRefEmpty) {
            continue;
        }
        const u32 index = step.ref & shaders::kRefIndex;
        const u32 kind = step.ref & shaders::kRefKind;
        // Enter a placement, name a block's triangles, or go on to the children that are hit.
        if (kind == shaders::kRefPage) {
            walk_page(step, limit, visit);
        } else if (kind == shaders::kRefInstance) {
            const shaders::Placement& placement = prepared_->placements[index];
            const auto& rows = placement.to_object;
            const Vec place = {rows[0][3], rows[1][3], rows[2][3]};
            waiting.push_back({placement.root,
                               placement.instance,
                               transform_vector(rows[0], step.origin - place),
                               transform_vector(rows[0], step.direction)});
        } else if (kind == shaders::kRefLeaf) {
            const shaders::LeafBlock& block = prepared_->blocks[index];
            for (u32 k = 0; k < 4; ++k) {
                const u32 instance = block.instance[k] == kNone ? step.instance : block.instance[k];
                if ((block.flags >> (8 + k) & 1U) != 0) {
                    const TriangleName name = {instance, block.primitive[k]};
                    visit(name, world_corners(scene_, name));
                }
            }
        } else {
            const shaders::BvhNode& node = prepared_->nodes[index];
            for (u32 k = 0; k < 8; ++k) {
                const auto corner = [&](u32 side) {
                    return Vec{static_cast<double>(node.bounds[0][side][k]),
                               static_cast<double>(node.bounds[1][side][k]),
                               static_cast<double>(node.bounds[2][side][k])};
                };
                if (node.child[k] == shaders::kRefEmpty) {
                    continue;
                }
                // Widen by the rounding errors of single-precision corners and transformations.
                const Vec low = corner(0);
                const Vec high = corner(1);
                const Vec margin = gray(1e-5 * largest(high - low) +
                                        1e-6 * (largest(upper(high, -low)) +
                                                largest(upper(step.origin, -step.origin))));
                if (hits_box(step.origin, step.direction, low - margin, high + margin, limit)) {
                    waiting.push_back({node.child[k], step.instance, step.origin, step.direction});
                }
            }
        }
    }
}

template <typename Visit>
void TriangleTree::walk_own(const Ray& ray, const double& limit, Visit visit) const {
    std::vector<u32> waiting;
    if (!nodes_.empty()) {
        waiting.push_back(0);
    }
    while (!waiting.empty()) {
        const Node& node = nodes_[waiting.back()];
        const u32 left = node.first;
        waiting.pop_back();
        if (!hits_box(ray.origin, ray.direction, node.low, node.high, limit)) {
            continue;
        }
        if (node.count == 0) {
            waiting.push_back(left);
            waiting.push_back(left + 1);
            continue;
        }
        for (u32 i = node.first; i < node.first + node.count; ++i) {
            visit(triangles_[i].name, triangles_[i].corners);
        }
    }
}

template <typename Visit>
void TriangleTree::traverse(const Ray& ray, const double& limit, Visit visit) const {
    const auto test = [&](TriangleName name, const Corners& corners) {
        if (name == ray.start || name == ray.end) {
            return;
        }
        std::optional<RayHit> hit = intersect_triangle(ray, corners);
        if (!hit || hit->t > limit) {
            return;
        }
        hit->name = name;
        const auto [instance, primitive] = name;
        if (is_cut_away(scene_, instance, ray.origin + ray.direction * hit->t)) {
            return;
        }
        const double alpha = read_alpha(scene_, instance, primitive, hit->b1, hit->b2);
        if (alpha >= 1 ||
            alpha_threshold(ray.alpha_key, ray.is_shadow, instance, primitive) < alpha) {
            visit(*hit);
        }
    };
    if (prepared_) {
        walk_prepared({prepared_->root, kNone, ray.origin, ray.direction}, limit, test);
    } else {
        walk_own(ray, limit, test);
    }
}

std::optional<RayHit> TriangleTree::closest(const Ray& ray) const {
    std::optional<RayHit> best;
    double limit = ray.t_max;
    const auto order = [](const RayHit& hit) {
        return std::tuple(hit.t, hit.name.instance, hit.name.primitive);
    };
    traverse(ray, limit, [&](const RayHit& hit) {
        if (!best || order(hit) < order(*best)) {
            best = hit;
            limit = hit.t;
        }
    });
    return best;
}

std::vector<RayHit> TriangleTree::all(const Ray& ray) const {
    std::vector<RayHit> hits;
    traverse(ray, ray.t_max, [&](const RayHit& hit) { hits.push_back(hit); });
    return hits;
}

}  // namespace weft::trace::reference
