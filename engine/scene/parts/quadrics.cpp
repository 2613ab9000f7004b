#include "engine/scene/parts/quadrics.h"

#include "shaders/host/scalar_math.h"

namespace weft::scene {

namespace {

using math::DVec3;

constexpr u32 kAround = 64;
constexpr u32 kAlong = 32;

// The points of a circle at shares of `phi_max` degrees.
DVec3 on_circle(u32 step, double phi_max) {
    const double phi = phi_max * shaders::kPi / 180 * step / kAround;
    return {shaders::cos_of(phi), shaders::sin_of(phi), 0};
}

// A rectangle from `corner` on, along two edges.
void add_rectangle(MeshData& mesh, const DVec3& corner, const DVec3& along, const DVec3& across) {
    const auto first = static_cast<u32>(mesh.vertex_count());
    const DVec3 normal = math::normalize(math::cross(along, across));
    for (const double v : {0.0, 1.0}) {
        for (const double u : {0.0, 1.0}) {
            mesh.add_vertex(corner + u * along + v * across, normal, u, v);
        }
    }
    mesh.add_grid(1, 1, first);
}

}  // namespace

MeshData unit_sphere(double z_min, double z_max, double phi_max) {
    MeshData mesh;
    const double from = shaders::acos_of(z_min);
    const double to = shaders::acos_of(z_max);
    for (u32 row = 0; row <= kAlong; ++row) {
        const double theta = from + (to - from) * row / kAlong;
        const double sine = shaders::sin_of(theta);
        const double cosine = shaders::cos_of(theta);
        for (u32 column = 0; column <= kAround; ++column) {
            const DVec3 around = on_circle(column, phi_max);
            const DVec3 point{sine * around.x, sine * around.y, cosine};
            mesh.add_vertex(point, point, double{1} * column / kAround, double{1} * row / kAlong);
        }
    }
    mesh.add_grid(kAround, kAlong);
    return mesh;
}

MeshData disk(double height, double radius, double inner, double phi_max) {
    MeshData mesh;
    for (const double at : {radius, inner}) {
        for (u32 column = 0; column <= kAround; ++column) {
            const DVec3 point = at * on_circle(column, phi_max) + DVec3{0, 0, height};
            mesh.add_vertex(point,
                            {0, 0, 1},
                            double{1} * column / kAround,
                            radius > inner ? (radius - at) / (radius - inner) : 0);
        }
    }
    mesh.add_grid(kAround, 1);
    return mesh;
}

MeshData cylinder(double radius, double z_min, double z_max, double phi_max) {
    MeshData mesh;
    for (const double z : {z_min, z_max}) {
        for (u32 column = 0; column <= kAround; ++column) {
            const DVec3 around = on_circle(column, phi_max);
            mesh.add_vertex(radius * around + DVec3{0, 0, z},
                            around,
                            double{1} * column / kAround,
                            z == z_min ? 0 : 1);
        }
    }
    mesh.add_grid(kAround, 1);
    return mesh;
}

MeshData rectangle() {
    MeshData mesh;
    add_rectangle(mesh, {-1, -1, 0}, {2, 0, 0}, {0, 2, 0});
    return mesh;
}

MeshData box() {
    MeshData mesh;
    const DVec3 axes[3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
    for (std::size_t k = 0; k < 3; ++k) {
        const DVec3& along = axes[(k + 1) % 3];
        const DVec3& across = axes[(k + 2) % 3];
        const DVec3 middle = -0.5 * (along + across);
        add_rectangle(mesh, middle + 0.5 * axes[k], along, across);
        add_rectangle(mesh, middle - 0.5 * axes[k], across, along);
    }
    return mesh;
}

}  // namespace weft::scene
