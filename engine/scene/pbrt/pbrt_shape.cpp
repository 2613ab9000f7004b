// pbrt_shape.cpp — shapes as triangle meshes, and their instances.
//
// A whole sphere is one mesh for all radii.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "engine/scene/parts/mesh_files.h"
#include "engine/scene/parts/quadrics.h"
#include "engine/scene/pbrt/pbrt_scene.h"

namespace weft::scene::pbrt {

namespace {

using math::DAffine;
using math::DVec3;
using math::Vec3;

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
base::Result<MeshData> read_vertices(const Parameters& parameters, const Place& place) {
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
    MeshData mesh{
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
    mesh.normalize_normals();
    return mesh;
}

// Cells of a bilinear patch along each side, where it is not flat.
constexpr u32 kPatchCells = 8;

// Patches of four corners (0,0), (1,0), (0,1), (1,1) each, as grids.
MeshData patches(const MeshData& from, const std::vector<u32>& corners) {
    MeshData mesh;
    for (std::size_t patch = 0; patch + 3 < corners.size(); patch += 4) {
        const DVec3 p[4] = {DVec3(from.position(corners[patch])),
                            DVec3(from.position(corners[patch + 1])),
                            DVec3(from.position(corners[patch + 2])),
                            DVec3(from.position(corners[patch + 3]))};
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
                DVec3 normal = math::cross(along, across);
                if (!from.normals.empty()) {
                    const auto at = [&](std::size_t k) {
                        const float* const n = &from.normals[std::size_t{3} * corners[patch + k]];
                        return DVec3(n[0], n[1], n[2]);
                    };
                    const DVec3 mixed =
                        (1 - v) * ((1 - u) * at(0) + u * at(1)) + v * ((1 - u) * at(2) + u * at(3));
                    normal = math::length(mixed) > 0 ? mixed : normal;
                }
                mesh.add_vertex(p[0] + u * (p[1] - p[0]) + v * (p[2] - p[0]) + u * v * bend,
                                math::normalize(normal),
                                s,
                                t);
            }
        }
        mesh.add_grid(cells, cells, first);
    }
    return mesh;
}

// Whether the material looks different where uvs are.
bool shows_uvs(const Scene& scene, u32 material) {
    const shaders::MaterialRecord& record = scene.materials[material].record;
    return record.base_color_slot != kNone || record.metallic_roughness_slot != kNone ||
           needs_tangents(scene, material);
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
    const bool shows = shows_uvs(scene_, shape_material_);
    bool is_given_uvs = shows && bare_plys_.contains(*file);
    const auto key = [&] {
        return *file + (state_.is_reversed ? " reversed" : "") +
               (needs_tangents(scene_, shape_material_) ? " with tangents" : "") +
               (is_given_uvs ? " with pbrt's uvs" : "");
    };
    if (const auto known = ply_meshes_.find(key()); known != ply_meshes_.end()) {
        return known->second;
    }
    std::error_code problem;
    if (!std::filesystem::is_regular_file(*file, problem)) {
        return error_at(place, "names the mesh " + *file + "; expected a file that is there.");
    }
    const auto read = [&] {
        return read_ply_mesh(*file, size_, is_given_uvs ? MissingUvs::OfFaces : MissingUvs::None);
    };
    base::Result<MeshData> mesh = read();
    if (mesh.is_ok() && mesh.value().uvs.empty()) {
        bare_plys_.insert(*file);
        if (shows) {
            is_given_uvs = true;
            mesh = read();
        }
    }
    if (!mesh.is_ok()) {
        return error_of_file(place, mesh.error());
    }
    const base::Result<u32> made = append_shape(std::move(mesh.value()), name.value());
    WEFT_TRY(made);
    std::vector<u32>& meshes = ply_meshes_[key()];
    if (made.value() != kNone) {
        meshes.push_back(made.value());
    }
    return meshes;
}

base::Result<u32> PbrtScene::append_shape(MeshData mesh, const std::string& name) {
    if (mesh.corners.empty()) {
        return kNone;
    }
    mesh.orient(state_.is_reversed);
    return append_mesh(scene_, path_, name, mesh.view(), shape_material_);
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
    u32& sphere = whole_spheres_[(state_.is_reversed ? 1 : 0) +
                                 (needs_tangents(scene_, shape_material_) ? 2 : 0)];
    if (is_whole && sphere != kNone) {
        return MadeShape{{sphere}, q.radius};
    }
    WEFT_TRY(size_.add_made(kQuadricBytes, "its quadrics"));
    MeshData mesh;
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
    const base::Result<u32> index = append_shape(std::move(mesh), type);
    WEFT_TRY(index);
    sphere = is_whole ? index.value() : sphere;
    return MadeShape{{index.value()}, type == "sphere" ? q.radius : 1};
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
    MeshData mesh;
    if (type == "trianglemesh" || type == "loopsubdiv" || type == "bilinearmesh") {
        base::Result<MeshData> read = read_vertices(parameters, place);
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
        if (type != "bilinearmesh" && mesh.uvs.empty() && shows_uvs(scene_, shape_material_)) {
            WEFT_TRY(size_.add_made(mesh.corners.size() * 9 * sizeof(float), "its uvs"));
            mesh.give_triangle_uvs();
        }
        if (type == "loopsubdiv") {
            note(Note::Kind::Replaced, "loopsubdiv is shown as its control mesh");
        }
    } else {
        note(Note::Kind::Ignored, "shapes \"" + type + "\" are left out");
        parameters.expect_all();
        return MadeShape{};
    }
    const base::Result<u32> index = append_shape(std::move(mesh), type);
    WEFT_TRY(index);
    return index.value() == kNone ? MadeShape{} : MadeShape{{index.value()}, 1};
}

void PbrtScene::note_left_out() {
    note(Note::Kind::Ignored, "shapes whose transform has no inverse are left out");
}

void PbrtScene::place(const PlacedShape& shape) {
    if (open_object_) {
        objects_[*open_object_].push_back(shape);
    } else if (!place_shape(scene_, base_, shape)) {
        note_left_out();
    }
}

void PbrtScene::place_meshes(const MadeShape& shape, const std::string& node) {
    const u32 material = shape_material_;
    const double r = shape.scale;
    const DAffine to_world =
        math::compose(state_.to_world, DAffine{r, 0, 0, 0, 0, r, 0, 0, 0, 0, r, 0});
    for (const u32 mesh : shape.meshes) {
        place({mesh, material, to_world, node});
    }
}

base::Status PbrtScene::shape(const Token& directive) {
    const base::Result<std::string> type = read_string(directive);
    WEFT_TRY(type);
    const base::Result<Parameters> read = read_parameters("shape");
    WEFT_TRY(read);
    const Parameters& parameters = read.value();
    // Shapes without a surface bound media, and alpha 0 hides one.
    if (!state_.has_surface && inside_now().is_clear() && outside_now().is_clear()) {
        note(Note::Kind::Ignored,
             "shapes of the material \"interface\" that bound no medium are left out");
        return base::Done{};
    }
    if (!state_.has_surface && state_.radiance) {
        note(Note::Kind::Ignored, "shapes of the material \"interface\" do not shine");
    }
    const base::Result<NamedTexture> alpha =
        texture_input(parameters, "alpha", Vec3(1), TextureKind::Float);
    WEFT_TRY(alpha);
    const base::Result<u32> material = material_now(alpha.value());
    WEFT_TRY(material);
    if (material.value() == kNone) {
        return base::Done{};
    }
    shape_material_ = material.value();
    if (type.value() == "curve") {
        WEFT_TRY(curve(parameters, directive.place));
        note_unused("shapes \"curve\"", parameters);
        return base::Done{};
    }
    const base::Result<MadeShape> made = make_shape(type.value(), parameters, directive.place);
    WEFT_TRY(made);
    const base::Result<std::string> file = parameters.string("filename", "");
    const std::string stem =
        file.is_ok() ? std::filesystem::path(file.value()).stem().string() : std::string();
    place_meshes(made.value(), stem.empty() ? type.value() : stem);
    note_unused("shapes \"" + type.value() + "\"", parameters);
    return base::Done{};
}

}  // namespace weft::scene::pbrt
