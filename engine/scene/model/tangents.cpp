// tangents.cpp — angle-weighted tangents per (position, normal, uv, handedness), then vertices
// doubled where signs meet.
#include "engine/scene/model/tangents.h"

#include <array>
#include <bit>
#include <unordered_map>

#include "engine/math/vector.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {

namespace {

using math::DVec2;
using math::DVec3;

DVec3 flatten(const DVec3& a, const DVec3& normal) {
    return a - normal * dot(a, normal);
}

DVec3 read3(std::span<const float> values, std::size_t row) {
    return DVec3(math::vec3_at(&values[3 * row]));
}

// The bits of position, normal and uv; vertices that agree in all share their tangent. −0 counts as
// 0.
struct Key {
    std::array<u32, 8> bits{};
    bool operator==(const Key&) const = default;
};

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        u64 hash = 0x9e3779b97f4a7c15u;
        for (const u32 word : key.bits) {
            hash = (hash ^ word) * 0xff51afd7ed558ccdu;
            hash ^= hash >> 32;
        }
        return hash;
    }
};

// One triangle's part: the way u grows, and +1, −1 or (no uv area) 0.
struct UvGradient {
    DVec3 along_u{};
    int sign = 0;
};

class TangentMaker {
public:
    TangentMaker(std::span<const u32> indices,
                 std::span<const float> positions,
                 std::span<const float> normals,
                 std::span<const float> uvs)
        : positions_(positions), normals_(normals), uvs_(uvs) {
        mesh_.indices.assign(indices.begin(), indices.end());
        if (normals.empty()) {
            // Flat: each corner is a vertex of its own.
            mesh_.source = mesh_.indices;
            for (std::size_t i = 0; i < mesh_.indices.size(); ++i) {
                mesh_.indices[i] = static_cast<u32>(i);
            }
        } else {
            mesh_.source.assign(positions.size() / 3, 0);
            for (std::size_t v = 0; v < mesh_.source.size(); ++v) {
                mesh_.source[v] = static_cast<u32>(v);
            }
        }
    }

    TangentMesh make() {
        group_vertices();
        for (std::size_t t = 0; t < mesh_.indices.size() / 3; ++t) {
            add_triangle(t);
        }
        split_vertices();
        write_tangents();
        return std::move(mesh_);
    }

private:
    [[nodiscard]] DVec3 position(u32 vertex) const {
        return read3(positions_, mesh_.source[vertex]);
    }

    [[nodiscard]] DVec3 face_normal(std::size_t triangle) const {
        const DVec3 p0 = position(mesh_.indices[3 * triangle]);
        return math::normalize(cross(position(mesh_.indices[3 * triangle + 1]) - p0,
                                     position(mesh_.indices[3 * triangle + 2]) - p0));
    }

    [[nodiscard]] DVec3 normal(u32 vertex) const {
        // Flat meshes: vertex v is a corner of triangle v / 3.
        return normals_.empty() ? face_normal(vertex / 3)
                                : math::normalize(read3(normals_, mesh_.source[vertex]));
    }

    void group_vertices() {
        std::unordered_map<Key, u32, KeyHash> groups;
        groups.reserve(mesh_.source.size());
        group_.assign(mesh_.source.size(), 0);
        for (u32 v = 0; v < mesh_.source.size(); ++v) {
            const std::size_t from = mesh_.source[v];
            Key key;
            for (std::size_t i = 0; i < 3; ++i) {
                key.bits[i] = std::bit_cast<u32>(positions_[3 * from + i] + 0.0f);
                const float n =
                    normals_.empty() ? static_cast<float>(normal(v)[i]) : normals_[3 * from + i];
                key.bits[3 + i] = std::bit_cast<u32>(n + 0.0f);
            }
            key.bits[6] = std::bit_cast<u32>(uvs_[2 * from] + 0.0f);
            key.bits[7] = std::bit_cast<u32>(uvs_[2 * from + 1] + 0.0f);
            group_[v] = groups.try_emplace(key, static_cast<u32>(groups.size())).first->second;
        }
        sums_.assign(2 * groups.size(), DVec3{});
    }

    [[nodiscard]] UvGradient gradient(std::size_t triangle) const {
        std::array<DVec3, 3> p{};
        std::array<DVec2, 3> uv{};
        for (std::size_t k = 0; k < 3; ++k) {
            const u32 vertex = mesh_.indices[3 * triangle + k];
            p[k] = position(vertex);
            uv[k] = {static_cast<double>(uvs_[2 * std::size_t{mesh_.source[vertex]}]),
                     static_cast<double>(uvs_[2 * std::size_t{mesh_.source[vertex]} + 1])};
        }
        const DVec3 e1 = p[1] - p[0];
        const DVec3 e2 = p[2] - p[0];
        const DVec2 uv1 = uv[1] - uv[0];
        const DVec2 uv2 = uv[2] - uv[0];
        const double area = uv1.x * uv2.y - uv2.x * uv1.y;
        if (!(area < 0 || area > 0)) {
            return {};
        }
        const double side = area > 0 ? 1.0 : -1.0;
        const DVec3 along = (e1 * uv2.y - e2 * uv1.y) * side;
        // v runs downwards: a uv triangle of positive area is a mirrored one.
        return {math::normalize(along), area > 0 ? -1 : 1};
    }

    void add_triangle(std::size_t triangle) {
        const UvGradient from = gradient(triangle);
        signs_.push_back(from.sign);
        if (from.sign == 0) {
            return;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            const u32 vertex = mesh_.indices[3 * triangle + k];
            const DVec3 n = normal(vertex);
            const DVec3 p = position(vertex);
            const DVec3 next = math::normalize(
                flatten(position(mesh_.indices[3 * triangle + (k + 1) % 3]) - p, n));
            const DVec3 last = math::normalize(
                flatten(position(mesh_.indices[3 * triangle + (k + 2) % 3]) - p, n));
            const double angle = shaders::acos_of(dot(next, last));
            const DVec3 along = math::normalize(flatten(from.along_u, n));
            const std::size_t side = from.sign < 0 ? std::size_t{1} : std::size_t{0};
            sums_[2 * std::size_t{group_[vertex]} + side] += angle * along;
        }
    }

    // A vertex takes the sign of its first triangle that has one; triangles of the other sign get a
    // copy.
    void split_vertices() {
        vertex_sign_.assign(mesh_.source.size(), 0);
        std::vector<u32> copy(mesh_.source.size(), kNone);
        for (std::size_t i = 0; i < mesh_.indices.size(); ++i) {
            const int sign = signs_[i / 3];
            const u32 vertex = mesh_.indices[i];
            if (sign == 0 || vertex_sign_[vertex] == sign) {
                continue;
            }
            if (vertex_sign_[vertex] == 0) {
                vertex_sign_[vertex] = sign;
                continue;
            }
            if (copy[vertex] == kNone) {
                copy[vertex] = static_cast<u32>(mesh_.source.size());
                mesh_.source.push_back(mesh_.source[vertex]);
                group_.push_back(group_[vertex]);
                vertex_sign_.push_back(sign);
            }
            mesh_.indices[i] = copy[vertex];
        }
    }

    void write_tangents() {
        mesh_.tangents.assign(4 * mesh_.source.size(), 0.0f);
        for (u32 v = 0; v < mesh_.source.size(); ++v) {
            const std::size_t side = vertex_sign_[v] < 0 ? std::size_t{1} : std::size_t{0};
            const DVec3 tangent = math::normalize(sums_[2 * std::size_t{group_[v]} + side]);
            float* out = &mesh_.tangents[4 * std::size_t{v}];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                out[axis] = static_cast<float>(tangent[axis]);
            }
            if (dot(tangent, tangent) == 0) {
                const math::Vec3 n(normal(v));
                any_tangent(&n.x, out);
            }
            out[3] = vertex_sign_[v] < 0 ? -1.0f : 1.0f;
        }
    }

    std::span<const float> positions_;
    std::span<const float> normals_;
    std::span<const float> uvs_;
    TangentMesh mesh_;
    std::vector<u32> group_;        // per vertex
    std::vector<DVec3> sums_;       // per group: handedness +1, then −1
    std::vector<int> signs_;        // per triangle
    std::vector<int> vertex_sign_;  // per vertex; 0: no triangle with uv area
};

}  // namespace

void any_tangent(const float normal[3], float tangent[3]) {
    const float x = normal[0];
    const float y = normal[1];
    const float z = normal[2];
    if (!(x * x + y * y + z * z > 0.25f)) {
        tangent[0] = 1;
        tangent[1] = tangent[2] = 0;
        return;
    }
    const float sign = z < 0 ? -1.0f : 1.0f;
    const float a = -1.0f / (sign + z);
    tangent[0] = 1.0f + sign * x * x * a;
    tangent[1] = sign * x * y * a;
    tangent[2] = -sign * x;
}

TangentMesh make_tangents(std::span<const u32> indices,
                          std::span<const float> positions,
                          std::span<const float> normals,
                          std::span<const float> uvs) {
    return TangentMaker(indices, positions, normals, uvs).make();
}

}  // namespace weft::scene
