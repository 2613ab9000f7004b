#include "engine/scene/model/section_caps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "engine/math/affine.h"

namespace weft::scene {

namespace {

using math::DVec3;
using Flat = std::array<double, 2>;

// A plane with axes of its own: (across, up, out) is right-handed, and out points to the side that
// is cut away.
struct PlaneFrame {
    DVec3 normal{};  // of the plane, towards the kept side
    double offset = 0;
    DVec3 across{};
    DVec3 up{};

    explicit PlaneFrame(const shaders::ClipPlane& plane)
        : normal(math::vec3_at(plane.normal)), offset(static_cast<double>(plane.offset)) {
        const DVec3 out = math::normalize(-normal);
        const DVec3 helper = std::fabs(out.x) < 0.5 ? DVec3{1, 0, 0} : DVec3{0, 1, 0};
        across = math::normalize(cross(helper, out));
        up = cross(out, across);
    }

    [[nodiscard]] double distance(const DVec3& point) const { return dot(normal, point) + offset; }

    [[nodiscard]] Flat flat(const DVec3& point) const {
        return {dot(across, point), dot(up, point)};
    }

    // Back to the world, on the plane.
    [[nodiscard]] DVec3 world(const Flat& point) const {
        const double back = -offset / dot(normal, normal);
        return normal * back + across * point[0] + up * point[1];
    }
};

struct Corner {
    DVec3 point{};
    double distance = 0;
};

// Where an edge meets the plane; the same from both triangles that share it, whatever their order.
Flat crossing(const PlaneFrame& frame, const Corner& one, const Corner& other) {
    const auto key = [](const DVec3& p) { return std::tie(p.x, p.y, p.z); };
    const bool is_ordered = key(one.point) < key(other.point);
    const Corner& a = is_ordered ? one : other;
    const Corner& b = is_ordered ? other : one;
    const double share = a.distance / (a.distance - b.distance);
    return frame.flat(a.point + (b.point - a.point) * share);
}

// The triangle's edge of the contour. It runs from where the boundary enters the kept side to where
// it leaves, so that the solid lies to its left as seen from the side that is cut away.
std::optional<ContourEdge> contour_edge(const PlaneFrame& frame,
                                        const std::array<Corner, 3>& corners) {
    std::optional<Flat> enters;
    std::optional<Flat> leaves;
    for (std::size_t k = 0; k < 3; ++k) {
        const Corner& from = corners[k];
        const Corner& to = corners[(k + 1) % 3];
        if (from.distance < 0 && to.distance >= 0) {
            enters = crossing(frame, from, to);
        } else if (from.distance >= 0 && to.distance < 0) {
            leaves = crossing(frame, from, to);
        }
    }
    if (!enters || !leaves || *enters == *leaves) {
        return std::nullopt;
    }
    return ContourEdge{*enters, *leaves};
}

DVec3 object_corner(const Scene& scene, const shaders::MeshRecord& mesh, u64 corner) {
    const u64 vertex = u64{mesh.first_position} + scene.indices[corner];
    return DVec3(math::vec3_at(scene.positions.data() + 3 * vertex));
}

std::vector<ContourEdge> contours_of(const Scene& scene,
                                     const Instance& instance,
                                     const PlaneFrame& frame) {
    const shaders::MeshRecord& mesh = scene.meshes[instance.mesh].record;
    const math::DAffine object_to_world = math::to_double(instance.object_to_world);
    const bool is_turned = math::determinant(object_to_world) < 0;
    std::vector<ContourEdge> edges;
    for (u64 triangle = 0; triangle < mesh.triangle_count; ++triangle) {
        std::array<Corner, 3> corners{};
        for (std::size_t k = 0; k < 3; ++k) {
            const u64 corner = 3 * (mesh.first_triangle + triangle) + k;
            corners[k].point =
                math::transform_point(object_to_world, object_corner(scene, mesh, corner));
            corners[k].distance = frame.distance(corners[k].point);
        }
        if (is_turned) {
            std::swap(corners[1], corners[2]);
        }
        if (const auto edge = contour_edge(frame, corners)) {
            edges.push_back(*edge);
        }
    }
    return edges;
}

// An edge without its direction, from low to high.
struct SweptEdge {
    Flat low{};
    Flat high{};
    int winding = 0;  // the winding number on its right less that on its left

    [[nodiscard]] double x_at(double y) const {
        if (y <= low[1]) {
            return low[0];
        }
        if (y >= high[1]) {
            return high[0];
        }
        return low[0] + (high[0] - low[0]) * ((y - low[1]) / (high[1] - low[1]));
    }
};

// A trapezoid that is not finished: between two edges, from the height `begin` on.
using EdgePair = std::pair<u32, u32>;

void close_trapezoid(const SweptEdge& left,
                     const SweptEdge& right,
                     double begin,
                     double end,
                     std::vector<Flat>& triangles) {
    const Flat a = {left.x_at(begin), begin};
    const Flat b = {right.x_at(begin), begin};
    const Flat c = {right.x_at(end), end};
    const Flat d = {left.x_at(end), end};
    if (a != b) {
        triangles.insert(triangles.end(), {a, b, c});
    }
    if (c != d) {
        triangles.insert(triangles.end(), {a, c, d});
    }
}

std::vector<SweptEdge> swept_edges(const std::vector<ContourEdge>& edges) {
    std::vector<SweptEdge> swept;
    for (const ContourEdge& edge : edges) {
        if (edge.from[1] < edge.to[1]) {
            swept.push_back({edge.from, edge.to, -1});
        } else if (edge.from[1] > edge.to[1]) {
            swept.push_back({edge.to, edge.from, 1});
        }
    }
    std::sort(swept.begin(), swept.end(), [](const SweptEdge& a, const SweptEdge& b) {
        return std::tie(a.low[1], a.low[0], a.high[1], a.high[0]) <
               std::tie(b.low[1], b.low[0], b.high[1], b.high[0]);
    });
    return swept;
}

// Pairs of edges that bound the filled stretches at this height; none where contours do not close.
std::optional<std::vector<EdgePair>> pairs_at(double y,
                                              const std::vector<SweptEdge>& swept,
                                              std::vector<u32>& active) {
    std::sort(active.begin(), active.end(), [&](u32 a, u32 b) {
        return std::tuple(swept[a].x_at(y), a) < std::tuple(swept[b].x_at(y), b);
    });
    std::vector<EdgePair> pairs;
    int winding = 0;
    u32 left = 0;
    for (const u32 edge : active) {
        const int before = winding;
        winding += swept[edge].winding;
        if (before <= 0 && winding > 0) {
            left = edge;
        } else if (before > 0 && winding <= 0) {
            pairs.emplace_back(left, edge);
        }
    }
    return winding == 0 ? std::optional(pairs) : std::nullopt;
}

bool is_cut_by(const Scene& scene, const Instance& instance, u32 plane) {
    const u32 flags = scene.materials[instance.material].record.flags;
    return (instance.clip_planes >> plane & 1U) != 0 && (flags & shaders::kMaterialWhole) == 0;
}

void append_cap(Scene& scene,
                u32 instance,
                u32 plane,
                const PlaneFrame& frame,
                const std::vector<Flat>& triangles) {
    Mesh mesh;
    mesh.name = scene.meshes[scene.instances[instance].mesh].name + " cap";
    mesh.material = scene.instances[instance].material;
    mesh.record.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    mesh.record.triangle_count = static_cast<u32>(triangles.size() / 3);
    mesh.record.first_position = static_cast<u32>(scene.positions.size() / 3);
    mesh.record.first_normal = mesh.record.first_tangent = mesh.record.first_color = kNone;
    mesh.record.first_uv0 = mesh.record.first_uv1 = kNone;
    u32 vertex = 0;
    for (const Flat& corner : triangles) {
        const math::Vec3 place(frame.world(corner));
        for (const float coordinate : math::components(place)) {
            scene.positions.push_back(coordinate);
        }
        scene.indices.push_back(vertex++);
    }
    scene.meshes.push_back(std::move(mesh));
    Instance cap;
    cap.mesh = static_cast<u32>(scene.meshes.size() - 1);
    cap.material = scene.instances[instance].material;
    cap.node = scene.instances[instance].node;
    cap.asset = scene.instances[instance].asset;
    cap.group = scene.instances[instance].group;
    cap.clip_planes = scene.instances[instance].clip_planes & ~(1U << plane);
    scene.instances.push_back(std::move(cap));
}

}  // namespace

std::vector<Flat> fill_contours(const std::vector<ContourEdge>& edges, bool& is_open) {
    const std::vector<SweptEdge> swept = swept_edges(edges);
    std::vector<double> heights;
    for (const SweptEdge& edge : swept) {
        heights.insert(heights.end(), {edge.low[1], edge.high[1]});
    }
    std::sort(heights.begin(), heights.end());
    heights.erase(std::unique(heights.begin(), heights.end()), heights.end());

    is_open = false;
    std::vector<Flat> triangles;
    std::map<EdgePair, double> open;  // trapezoids and where they begin
    std::vector<u32> active;
    u32 next = 0;
    for (std::size_t k = 0; k + 1 < heights.size(); ++k) {
        const double y = heights[k];
        std::erase_if(active, [&](u32 edge) { return swept[edge].high[1] <= y; });
        while (next < swept.size() && swept[next].low[1] <= y) {
            active.push_back(next++);
        }
        const auto pairs = pairs_at(0.5 * (y + heights[k + 1]), swept, active);
        is_open = is_open || !pairs;
        std::map<EdgePair, double> still;
        for (const EdgePair& pair : pairs.value_or(std::vector<EdgePair>())) {
            const auto begun = open.find(pair);
            still[pair] = begun == open.end() ? y : begun->second;
        }
        for (const auto& [pair, begin] : open) {
            if (still.count(pair) == 0) {
                close_trapezoid(swept[pair.first], swept[pair.second], begin, y, triangles);
            }
        }
        open = std::move(still);
    }
    for (const auto& [pair, begin] : open) {
        close_trapezoid(swept[pair.first], swept[pair.second], begin, heights.back(), triangles);
    }
    return triangles;
}

CapFigures append_caps(Scene& scene, const std::vector<shaders::ClipPlane>& planes) {
    CapFigures figures;
    const auto count = static_cast<u32>(scene.instances.size());
    for (u32 plane = 0; plane < planes.size(); ++plane) {
        const PlaneFrame frame(planes[plane]);
        for (u32 instance = 0; instance < count; ++instance) {
            if (!is_cut_by(scene, scene.instances[instance], plane)) {
                continue;
            }
            bool is_open = false;
            const std::vector<Flat> triangles =
                fill_contours(contours_of(scene, scene.instances[instance], frame), is_open);
            figures.open += is_open ? 1 : 0;
            if (!triangles.empty()) {
                ++figures.caps;
                figures.triangles += triangles.size() / 3;
                append_cap(scene, instance, plane, frame, triangles);
            }
        }
    }
    if (figures.open != 0) {
        scene.notes.push_back(
            {Note::Kind::Found,
             std::to_string(figures.open) + " sections do not close, their caps are incomplete"});
    }
    return figures;
}

}  // namespace weft::scene
