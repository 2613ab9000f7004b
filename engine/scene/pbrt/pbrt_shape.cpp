// pbrt_shape.cpp — shapes as triangle meshes, and their instances.
//
// Quadrics become meshes of about 64 steps around; a whole sphere is one mesh for all radii.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "engine/scene/pbrt/pbrt_scene.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::pbrt {

namespace {

using math::DAffine;
using math::DVec3;
using math::Vec3;

// A mesh before it enters the scene. Normals and uvs may be empty.
struct Mesh3 {
    std::vector<u32> corners;
    std::vector<float> positions;
    std::vector<float> normals;
    std::vector<float> uvs;

    void add_vertex(const DVec3& position, const DVec3& normal, double u, double v) {
        for (glm::length_t axis = 0; axis < 3; ++axis) {
            positions.push_back(static_cast<float>(position[axis]));
            normals.push_back(static_cast<float>(normal[axis]));
        }
        uvs.push_back(static_cast<float>(u));
        uvs.push_back(static_cast<float>(v));
    }

    // Two triangles for each cell of a grid of columns + 1 times rows + 1 vertices, from vertex
    // `first` on.
    void add_grid(u32 columns, u32 rows, u32 first = 0) {
        for (u32 row = 0; row < rows; ++row) {
            for (u32 column = 0; column < columns; ++column) {
                const u32 at = first + row * (columns + 1) + column;
                const u32 above = at + columns + 1;
                corners.insert(corners.end(), {at, at + 1, above + 1, at, above + 1, above});
            }
        }
    }
};

constexpr u32 kAround = 64;
constexpr u32 kAlong = 32;

// The points of a circle at shares of `phi_max` degrees.
DVec3 on_circle(u32 step, double phi_max) {
    const double phi = phi_max * shaders::kPi / 180 * step / kAround;
    return {shaders::cos_of(phi), shaders::sin_of(phi), 0};
}

// A part of the unit sphere between two heights in [−1, 1], up to an angle.
Mesh3 unit_sphere(double z_min, double z_max, double phi_max) {
    Mesh3 mesh;
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

Mesh3 disk(double height, double radius, double inner, double phi_max) {
    Mesh3 mesh;
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

Mesh3 cylinder(double radius, double z_min, double z_max, double phi_max) {
    Mesh3 mesh;
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

void append(GeometryArena<float>& arena, const std::vector<float>& values) {
    arena.insert(arena.end(), values.begin(), values.end());
}

u32 append_mesh(Scene& scene, const Mesh3& mesh, const std::string& name) {
    shaders::MeshRecord record{};
    record.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    record.triangle_count = static_cast<u32>(mesh.corners.size() / 3);
    record.first_position = static_cast<u32>(scene.positions.size() / 3);
    record.first_normal = mesh.normals.empty() ? kNone : static_cast<u32>(scene.normals.size() / 3);
    record.first_tangent = kNone;
    record.first_uv0 = mesh.uvs.empty() ? kNone : static_cast<u32>(scene.uvs.size() / 2);
    record.first_uv1 = kNone;
    record.first_color = kNone;
    scene.indices.insert(scene.indices.end(), mesh.corners.begin(), mesh.corners.end());
    append(scene.positions, mesh.positions);
    append(scene.normals, mesh.normals);
    append(scene.uvs, mesh.uvs);
    scene.meshes.push_back({name, record, 0});
    return static_cast<u32>(scene.meshes.size() - 1);
}

// pbrt takes the front of a triangle from its normals where it has some, else from the order of its
// corners; ReverseOrientation turns either. Orders the corners of a mesh so that they say the same.
void orient(Scene& scene, u32 mesh, bool is_reversed) {
    const shaders::MeshRecord record = std::as_const(scene.meshes)[mesh].record;
    auto& indices = scene.indices.own();
    const auto& positions = scene.positions.items();
    const bool has_normals = record.first_normal != kNone;
    u32 most_vertex = 0;
    for (u32 triangle = 0; triangle < record.triangle_count; ++triangle) {
        u32* const corner = &indices[std::size_t{3} * (record.first_triangle + triangle)];
        bool swaps = is_reversed;
        if (has_normals) {
            Vec3 points[3];
            Vec3 normals{};
            for (u32 k = 0; k < 3; ++k) {
                points[k] =
                    math::vec3_at(&positions[std::size_t{3} * (record.first_position + corner[k])]);
                normals += math::vec3_at(scene.normals.data() +
                                         std::size_t{3} * (record.first_normal + corner[k]));
                most_vertex = std::max(most_vertex, corner[k]);
            }
            const Vec3 front = math::cross(points[1] - points[0], points[2] - points[0]);
            swaps = swaps != (math::dot(front, normals) < 0);
        }
        if (swaps) {
            std::swap(corner[1], corner[2]);
        }
    }
    if (has_normals && is_reversed) {
        auto& normals = scene.normals.own();
        const std::size_t begin = std::size_t{3} * record.first_normal;
        for (std::size_t k = begin; k < begin + std::size_t{3} * (most_vertex + 1); ++k) {
            normals[k] = -normals[k];
        }
    }
}

std::vector<float> to_floats(const Parameter* maybe_numbers) {
    return maybe_numbers
               ? std::vector<float>(maybe_numbers->numbers.begin(), maybe_numbers->numbers.end())
               : std::vector<float>();
}

// Corners from "indices", or those of the vertices in order; each names a vertex.
base::Result<std::vector<u32>> read_corners(const Parameters& parameters,
                                            std::size_t vertices,
                                            std::size_t per_item,
                                            const Place& place) {
    const base::Result<const Parameter*> found = parameters.numbers("indices", per_item);
    WEFT_TRY(found);
    std::vector<u32> corners;
    if (!found.value()) {
        if (vertices != per_item) {
            return error_at(place,
                            "is a mesh of " + std::to_string(vertices) +
                                " vertices without \"integer indices\"; expected these.");
        }
        for (u32 k = 0; k < per_item; ++k) {
            corners.push_back(k);
        }
        return corners;
    }
    for (const double index : found.value()->numbers) {
        if (!(index >= 0) || index >= static_cast<double>(vertices) || index != std::floor(index)) {
            return error_at(found.value()->place,
                            "has the index " + std::to_string(index) + "; expected one of " +
                                std::to_string(vertices) + " vertices.");
        }
        corners.push_back(static_cast<u32>(index));
    }
    return corners;
}

// Positions, normals and uvs of a mesh; those of the wrong length are an error.
base::Result<Mesh3> read_vertices(const Parameters& parameters, const Place& place) {
    const base::Result<const Parameter*> positions = parameters.numbers("P", 3);
    WEFT_TRY(positions);
    if (!positions.value()) {
        return error_at(place, "is a mesh without \"point3 P\"; expected positions.");
    }
    const base::Result<const Parameter*> normals = parameters.numbers("N", 3);
    WEFT_TRY(normals);
    base::Result<const Parameter*> uvs = parameters.numbers("uv", 2);
    WEFT_TRY(uvs);
    if (!uvs.value()) {
        uvs = parameters.numbers("st", 2);
        WEFT_TRY(uvs);
    }
    Mesh3 mesh{
        {}, to_floats(positions.value()), to_floats(normals.value()), to_floats(uvs.value())};
    const std::size_t vertices = mesh.positions.size() / 3;
    for (const auto& [values, each, what] : {std::tuple{&mesh.normals, std::size_t{3}, "normals"},
                                             std::tuple{&mesh.uvs, std::size_t{2}, "uvs"}}) {
        if (!values->empty() && values->size() != each * vertices) {
            return error_at(place,
                            "has " + std::to_string(values->size() / each) + " " + what + " for " +
                                std::to_string(vertices) + " positions; expected as many.");
        }
    }
    const auto is_finite = [](float value) { return std::isfinite(value); };
    if (!std::all_of(mesh.positions.begin(), mesh.positions.end(), is_finite)) {
        return error_at(place, "has a position beyond the numbers of a float; expected smaller.");
    }
    // Normals have unit length or none.
    for (std::size_t k = 0; k < mesh.normals.size(); k += 3) {
        const Vec3 unit = math::normalize(math::vec3_at(&mesh.normals[k]));
        for (glm::length_t axis = 0; axis < 3; ++axis) {
            mesh.normals[k + static_cast<std::size_t>(axis)] = unit[axis];
        }
    }
    return mesh;
}

// Cells of a bilinear patch along each side, where it is not flat.
constexpr u32 kPatchCells = 8;

DVec3 point_of(const Mesh3& mesh, u32 vertex) {
    return DVec3(math::vec3_at(&mesh.positions[std::size_t{3} * vertex]));
}

// Patches of four corners (0,0), (1,0), (0,1), (1,1) each, as grids.
Mesh3 patches(const Mesh3& from, const std::vector<u32>& corners) {
    Mesh3 mesh;
    for (std::size_t patch = 0; patch + 3 < corners.size(); patch += 4) {
        const DVec3 p[4] = {point_of(from, corners[patch]),
                            point_of(from, corners[patch + 1]),
                            point_of(from, corners[patch + 2]),
                            point_of(from, corners[patch + 3])};
        const DVec3 bend = p[0] - p[1] - p[2] + p[3];
        const u32 cells = math::length(bend) <= 1e-6 * math::length(p[3] - p[0]) ? 1 : kPatchCells;
        const u32 first = static_cast<u32>(mesh.positions.size() / 3);
        for (u32 row = 0; row <= cells; ++row) {
            for (u32 column = 0; column <= cells; ++column) {
                const double u = double{1} * column / cells;
                const double v = double{1} * row / cells;
                const DVec3 along = p[1] - p[0] + v * bend;
                const DVec3 across = p[2] - p[0] + u * bend;
                double s = u;
                double t = v;
                if (!from.uvs.empty()) {
                    const auto mixed = [&](std::size_t axis) {
                        const auto at = [&](std::size_t k) {
                            return static_cast<double>(
                                from.uvs[std::size_t{2} * corners[patch + k] + axis]);
                        };
                        return (1 - v) * ((1 - u) * at(0) + u * at(1)) +
                               v * ((1 - u) * at(2) + u * at(3));
                    };
                    s = mixed(0);
                    t = mixed(1);
                }
                mesh.add_vertex(p[0] + u * (p[1] - p[0]) + v * (p[2] - p[0]) + u * v * bend,
                                math::normalize(math::cross(along, across)),
                                s,
                                t);
            }
        }
        mesh.add_grid(cells, cells, first);
    }
    return mesh;
}

// Numbers of a quadric.
struct Quadric {
    double radius, z_min, z_max, phi_max, inner, height;
};

base::Result<Quadric> read_quadric(const Parameters& parameters,
                                   double z_limit,
                                   const Place& place) {
    Quadric q{};
    const base::Result<double> radius = parameters.number("radius", 1);
    WEFT_TRY(radius);
    q.radius = radius.value();
    const std::array<std::tuple<const char*, double, double*>, 5> rest = {
        std::tuple{"zmin", -z_limit * q.radius, &q.z_min},
        std::tuple{"zmax", z_limit * q.radius, &q.z_max},
        std::tuple{"phimax", 360.0, &q.phi_max},
        std::tuple{"innerradius", 0.0, &q.inner},
        std::tuple{"height", 0.0, &q.height}};
    for (const auto& [name, otherwise, value] : rest) {
        const base::Result<double> number = parameters.number(name, otherwise);
        WEFT_TRY(number);
        *value = number.value();
    }
    if (!(q.radius > 0)) {
        return error_at(place, "has no radius above 0.");
    }
    q.phi_max = std::clamp(q.phi_max, 0.0, 360.0);
    if (q.z_min > q.z_max) {
        std::swap(q.z_min, q.z_max);
    }
    return q;
}

}  // namespace

base::Result<std::vector<u32>> PbrtScene::read_ply(const Parameters& parameters,
                                                   const Place& place) {
    const base::Result<std::string> name = parameters.string("filename", "");
    WEFT_TRY(name);
    const std::optional<std::string> file = roots_.find(name.value());
    if (!file) {
        return outside_error(place.text() + ": a mesh", name.value());
    }
    const auto [entry, is_new] =
        ply_meshes_.try_emplace(*file + (state_.is_reversed ? " reversed" : ""));
    if (!is_new) {
        return entry->second;
    }
    std::error_code problem;
    if (!std::filesystem::is_regular_file(*file, problem)) {
        return error_at(place, "names the mesh " + *file + "; expected a file that is there.");
    }
    // assimp's importer appends meshes with materials and instances of its own: keep the meshes.
    const std::size_t meshes = scene_.meshes.size();
    const std::size_t materials = scene_.materials.size();
    const std::size_t instances = scene_.instances.size();
    if (const base::Status read = import_assimp(*file, config_, scene_); !read.is_ok()) {
        return error_of_file(place, read.error());
    }
    scene_.instances.own().resize(instances);
    scene_.materials.own().resize(materials);
    for (std::size_t mesh = meshes; mesh < scene_.meshes.size(); ++mesh) {
        scene_.meshes.own()[mesh].material = 0;
        scene_.meshes.own()[mesh].record.first_color = kNone;  // pbrt reads none
        orient(scene_, static_cast<u32>(mesh), state_.is_reversed);
        entry->second.push_back(static_cast<u32>(mesh));
    }
    return entry->second;
}

base::Result<MadeShape> PbrtScene::make_quadric(const std::string& type,
                                                const Parameters& parameters,
                                                const Place& place) {
    const base::Result<Quadric> read = read_quadric(parameters, type == "cylinder" ? 0 : 1, place);
    WEFT_TRY(read);
    const Quadric& q = read.value();
    const double low = std::clamp(q.z_min / q.radius, -1.0, 1.0);
    const double high = std::clamp(q.z_max / q.radius, -1.0, 1.0);
    const bool is_whole = type == "sphere" && low == -1 && high == 1 && q.phi_max == 360;
    u32& sphere = whole_spheres_[state_.is_reversed ? 1 : 0];
    if (is_whole && sphere != kNone) {
        return MadeShape{{sphere}, q.radius};
    }
    WEFT_TRY(size_.add_made(kAround * kAlong * 64, "its quadrics"));
    Mesh3 mesh;
    if (type == "sphere") {
        mesh = unit_sphere(low, high, q.phi_max);
    } else if (type == "disk") {
        mesh = disk(q.height, q.radius, q.inner, q.phi_max);
    } else {
        // A cylinder reaches from -1 to 1 where nothing is said.
        const base::Result<double> from = parameters.number("zmin", -1);
        WEFT_TRY(from);
        const base::Result<double> to = parameters.number("zmax", 1);
        WEFT_TRY(to);
        mesh = cylinder(q.radius, from.value(), to.value(), q.phi_max);
    }
    const u32 index = append_mesh(scene_, mesh, type);
    orient(scene_, index, state_.is_reversed);
    sphere = is_whole ? index : sphere;
    return MadeShape{{index}, type == "sphere" ? q.radius : 1};
}

base::Result<MadeShape> PbrtScene::make_shape(const std::string& type,
                                              const Parameters& parameters,
                                              const Place& place) {
    if (type == "plymesh") {
        const base::Result<std::vector<u32>> meshes = read_ply(parameters, place);
        WEFT_TRY(meshes);
        return MadeShape{meshes.value(), 1};
    }
    if (type == "sphere" || type == "cylinder" || type == "disk") {
        return make_quadric(type, parameters, place);
    }
    Mesh3 mesh;
    if (type == "trianglemesh" || type == "loopsubdiv" || type == "bilinearmesh") {
        base::Result<Mesh3> read = read_vertices(parameters, place);
        WEFT_TRY(read);
        mesh = std::move(read.value());
        base::Result<std::vector<u32>> corners = read_corners(
            parameters, mesh.positions.size() / 3, type == "bilinearmesh" ? 4 : 3, place);
        WEFT_TRY(corners);
        if (type == "bilinearmesh") {
            WEFT_TRY(size_.add_made(corners.value().size() * 1024, "its patches"));
            mesh = patches(mesh, corners.value());
        } else {
            mesh.corners = std::move(corners.value());
        }
        if (type == "loopsubdiv") {
            note(Note::Kind::Replaced, "loopsubdiv is shown as its control mesh");
        }
    } else {
        note(Note::Kind::Ignored, "shapes \"" + type + "\" are left out");
        parameters.expect_all();
        return MadeShape{};
    }
    const u32 index = append_mesh(scene_, mesh, type);
    orient(scene_, index, state_.is_reversed);
    return MadeShape{{index}, 1};
}

void PbrtScene::add_instance(const ObjectShape& shape, const DAffine& to_world) {
    const math::Affine matrix = world_matrix(to_world);
    if (!math::inverse(matrix)) {
        note(Note::Kind::Ignored, "shapes whose transform has no inverse are left out");
        return;
    }
    scene_.instances.push_back({shape.mesh, shape.material, matrix, shape.node});
}

void PbrtScene::place_shape(const MadeShape& shape, const std::string& node) {
    const u32 material = material_now();
    const double r = shape.scale;
    const DAffine to_world =
        math::compose(state_.to_world, DAffine{r, 0, 0, 0, 0, r, 0, 0, 0, 0, r, 0});
    for (const u32 mesh : shape.meshes) {
        if (open_object_) {
            objects_[*open_object_].push_back({mesh, material, to_world, node});
        } else {
            add_instance({mesh, material, {}, node}, to_world);
        }
    }
}

base::Status PbrtScene::shape(const Token& directive) {
    const base::Result<std::string> type = read_string(directive);
    WEFT_TRY(type);
    const base::Result<Parameters> read = read_parameters("shape");
    WEFT_TRY(read);
    const Parameters& parameters = read.value();
    // Shapes without a surface bound media, and alpha 0 hides one.
    if (const Parameter* const alpha = parameters.find("alpha")) {
        if (alpha->type == "float" && alpha->numbers == std::vector<double>{0}) {
            return base::Done{};
        }
        note(Note::Kind::Ignored, "alpha of shapes is ignored, they are opaque");
    }
    if (!state_.has_surface) {
        note(Note::Kind::Ignored, "shapes of the material \"interface\" are left out");
        return base::Done{};
    }
    const base::Result<MadeShape> made = make_shape(type.value(), parameters, directive.place);
    WEFT_TRY(made);
    const base::Result<std::string> file = parameters.string("filename", "");
    const std::string stem =
        file.is_ok() ? std::filesystem::path(file.value()).stem().string() : std::string();
    place_shape(made.value(), stem.empty() ? type.value() : stem);
    note_unused("shapes \"" + type.value() + "\"", parameters);
    return base::Done{};
}

}  // namespace weft::scene::pbrt
