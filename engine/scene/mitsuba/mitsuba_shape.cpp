// mitsuba_shape.cpp — shapes as meshes and their instances; groups and what places them.
//
// A shape of a kind has one mesh for all its placements, where its material needs the same.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "engine/scene/mitsuba/mitsuba_scene.h"
#include "engine/scene/model/tangents.h"
#include "engine/scene/parts/mesh_files.h"
#include "engine/scene/parts/quadrics.h"

namespace weft::scene::mitsuba {

namespace {

using math::DAffine;
using math::DVec3;
using math::Vec3;

void flip_rows(MeshData& mesh) {
    for (std::size_t k = 1; k < mesh.uvs.size(); k += 2) {
        mesh.uvs[k] = 1 - mesh.uvs[k];
    }
}

MeshData sphere_mesh() {
    MeshData mesh = unit_sphere();
    flip_rows(mesh);  // v = 0 at +z
    return mesh;
}

MeshData disk_mesh() {
    MeshData mesh = disk(0, 1, 0, 360);
    // u is the distance from the middle, v the angle.
    for (std::size_t k = 0; k + 1 < mesh.uvs.size(); k += 2) {
        std::swap(mesh.uvs[k], mesh.uvs[k + 1]);
        mesh.uvs[k] = 1 - mesh.uvs[k];
    }
    return mesh;
}

MeshData cylinder_mesh() {
    return cylinder(1, 0, 1, 360);
}

// The meshes of shapes that are no files; null: no such shape is known.
MeshData (*maker_of(std::string_view type))() {
    static constexpr std::array<std::pair<std::string_view, MeshData (*)()>, 5> kMakers = {
        {{"sphere", sphere_mesh},
         {"disk", disk_mesh},
         {"cylinder", cylinder_mesh},
         {"rectangle", rectangle},
         {"cube", box}}};
    for (const auto& [name, maker] : kMakers) {
        if (name == type) {
            return maker;
        }
    }
    return nullptr;
}

bool is_mesh_file(std::string_view type) {
    return type == "obj" || type == "ply" || type == "serialized";
}

}  // namespace

// The matrix from the shape's own mesh to its object space.
base::Result<DAffine> MitsubaScene::shape_placement(const Fields& fields) const {
    const std::string& type = fields.object().type();
    if (type != "sphere" && type != "cylinder") {
        return math::kDIdentity;
    }
    const base::Result<double> radius = fields.number("radius", 1);
    WEFT_TRY(radius);
    if (!(radius.value() > 0)) {
        return error_at(fields.object().place, fields.object().text() + " has no radius above 0.");
    }
    const double r = radius.value();
    if (type == "sphere") {
        const base::Result<DVec3> center = fields.vector("center", {});
        WEFT_TRY(center);
        return math::from_columns(DVec3{r, 0, 0}, DVec3{0, r, 0}, DVec3{0, 0, r}, center.value());
    }
    const base::Result<DVec3> from = fields.vector("p0", {0, 0, 0});
    WEFT_TRY(from);
    const base::Result<DVec3> to = fields.vector("p1", {0, 0, 1});
    WEFT_TRY(to);
    const DVec3 along = to.value() - from.value();
    const Vec3 axis(math::normalize(along));
    if (axis == Vec3{}) {
        return error_at(fields.object().place,
                        fields.object().text() + " has no length; expected points apart.");
    }
    Vec3 across{};
    any_tangent(&axis.x, &across.x);
    const DVec3 x = DVec3(across) * r;
    return math::from_columns(x, math::cross(DVec3(axis), x), along, from.value());
}

base::Result<std::string> MitsubaScene::mesh_file(const Fields& fields) const {
    const base::Result<std::string> name = fields.string("filename", "");
    WEFT_TRY(name);
    const std::optional<std::string> file = document_.find_file(name.value());
    if (!file) {
        return outside_error(fields.object().place.text() + ": a mesh", name.value());
    }
    std::error_code problem;
    if (name.value().empty() || !std::filesystem::is_regular_file(*file, problem)) {
        return error_at(fields.object().place,
                        "names the mesh \"" + name.value() + "\"; expected a file that is there.");
    }
    return *file;
}

base::Result<MeshData> MitsubaScene::read_mesh(const Fields& fields) {
    const base::Result<std::string> file = mesh_file(fields);
    WEFT_TRY(file);
    const std::string& type = fields.object().type();
    const base::Result<double> number = fields.number("shape_index", 0);
    WEFT_TRY(number);
    const base::Result<bool> flips_rows = fields.boolean("flip_tex_coords", type == "obj");
    WEFT_TRY(flips_rows);
    if (!(number.value() >= 0) || number.value() >= static_cast<double>(kNone)) {
        return error_at(fields.object().place, "has no \"shape_index\" of 0 or more.");
    }
    base::Result<MeshData> mesh =
        type == "obj" ? read_obj_mesh(file.value(), size_)
        : type == "ply"
            ? read_ply_mesh(file.value(), size_)
            : read_serialized_mesh(file.value(), static_cast<u64>(number.value()), size_);
    if (!mesh.is_ok()) {
        return error_of_file(fields.object().place, mesh.error());
    }
    if (flips_rows.value()) {
        flip_rows(mesh.value());
    }
    return mesh;
}

// What the mesh of a shape is, apart from what its material needs.
base::Result<std::string> MitsubaScene::mesh_key(const Fields& fields) const {
    const std::string& type = fields.object().type();
    if (!is_mesh_file(type)) {
        return type;
    }
    base::Result<std::string> file = mesh_file(fields);
    WEFT_TRY(file);
    std::string key = file.value();
    for (const char* const name : {"shape_index", "flip_tex_coords"}) {
        const base::Result<std::string> value = fields.string(name, "");
        WEFT_TRY(value);
        key += " " + value.value();
    }
    return key;
}

// The mesh of a shape; kNone: it has no triangle.
base::Result<u32> MitsubaScene::mesh_of(const Fields& fields, const ShapeStyle& style) {
    const std::string& type = fields.object().type();
    const base::Result<std::string> name = mesh_key(fields);
    WEFT_TRY(name);
    // Normals of the file are mirrored with it; without them the front is where the corners say in
    // the world, which a mirror turns. Version 0.x turns the corners of .serialized meshes back.
    const auto is_reversed = [&] {
        const bool is_kept = !style.has_face_normals &&
                             (type == "serialized" || has_normals_.contains(name.value()));
        return style.is_reversed != (style.is_mirrored && is_mesh_file(type) && !is_kept);
    };
    const auto key = [&] {
        return name.value() + (is_reversed() ? " reversed" : "") +
               (style.has_face_normals ? " flat" : "") +
               (needs_tangents(scene_, style.material) ? " with tangents" : "");
    };
    if (const auto found = meshes_.find(key()); found != meshes_.end()) {
        return found->second;
    }
    base::Result<MeshData> made =
        is_mesh_file(type) ? read_mesh(fields) : base::Result<MeshData>(maker_of(type)());
    WEFT_TRY(made);
    MeshData& mesh = made.value();
    if (!mesh.normals.empty()) {
        has_normals_.insert(name.value());
    }
    const auto [entry, is_new] = meshes_.try_emplace(key(), kNone);
    if (!is_new || mesh.corners.empty()) {
        return entry->second;
    }
    if (style.has_face_normals) {
        mesh.normals.clear();
    } else if (mesh.normals.empty()) {
        mesh.smooth_normals();
    }
    mesh.orient(is_reversed());
    WEFT_TRY(size_.add_made(mesh.size_bytes(), "its meshes"));
    const base::Result<u32> index = append_mesh(scene_, path_, type, mesh.view(), style.material);
    WEFT_TRY(index);
    entry->second = index.value();
    return index;
}

void MitsubaScene::note_left_out() {
    note(Note::Kind::Ignored, "shapes whose transform has no inverse are left out");
}

// Shapes in a group, which instances place.
base::Status MitsubaScene::group(const Element& element) {
    if (groups_.count(&element) != 0) {
        return base::Done{};
    }
    std::vector<PlacedShape> shapes;
    for (const Element& child : element.children) {
        const base::Result<const Element*> found = resolved(child);
        WEFT_TRY(found);
        if (found.value()->tag == "shape") {
            WEFT_TRY(shape(*found.value(), &shapes));
        }
    }
    groups_[&element] = std::move(shapes);
    return base::Done{};
}

base::Status MitsubaScene::place_instances(const Fields& fields) {
    const base::Result<DAffine> to_world = fields.transform("to_world");
    WEFT_TRY(to_world);
    const base::Result<const Element*> named = child_of(fields.object(), "shape");
    WEFT_TRY(named);
    if (!named.value() || named.value()->type() != "shapegroup") {
        return error_at(fields.object().place,
                        "is an instance without a shapegroup; expected a ref to one.");
    }
    WEFT_TRY(group(*named.value()));
    const std::vector<PlacedShape>& shapes = groups_[named.value()];
    WEFT_TRY(size_.add_made(object_bytes(shapes.size()), "its instances"));
    const std::string& own = fields.object().id();
    const std::string& name = own.empty() ? named.value()->id() : own;
    if (!place_object(scene_, base_, {name, to_world.value()}, shapes)) {
        note_left_out();
    }
    return base::Done{};
}

base::Status MitsubaScene::shape(const Element& element, std::vector<PlacedShape>* maybe_group) {
    if (is_given_up(config_)) {
        return cancelled_error(path_);
    }
    const Fields fields(element);
    const std::string& type = element.type();
    if (type == "shapegroup") {
        return maybe_group ? error_at(element.place, "is a shapegroup within another.")
                           : group(element);
    }
    if (type == "instance") {
        return maybe_group ? error_at(element.place, "is an instance within a shapegroup.")
                           : place_instances(fields);
    }
    if (type == "merge") {
        for (const Element& child : element.children) {
            const base::Result<const Element*> found = resolved(child);
            WEFT_TRY(found);
            if (found.value()->tag == "shape" && found.value()->type() == "merge") {
                return error_at(child.place, "is a merge within another; expected shapes.");
            }
            if (found.value()->tag == "shape") {
                WEFT_TRY(shape(*found.value(), maybe_group));
            }
        }
        return base::Done{};
    }
    if (!is_mesh_file(type) && !maker_of(type)) {
        note(Note::Kind::Ignored, "shapes \"" + type + "\" are left out");
        return base::Done{};
    }
    // The material, with what shines and what is inside.
    const base::Result<const Element*> bsdf = child_of(element, "bsdf");
    WEFT_TRY(bsdf);
    const base::Result<u32> plain = bsdf.value() ? material_of(*bsdf.value()) : default_material();
    WEFT_TRY(plain);
    ShapeStyle style;
    style.material = plain.value();
    WEFT_TRY(fill(element, style.material));
    const base::Result<std::optional<Radiance>> radiance = radiance_of(element);
    WEFT_TRY(radiance);
    if (style.material == kNone && radiance.value()) {
        style.material = clear_material();
    }
    if (style.material == kNone) {
        note(Note::Kind::Ignored, "shapes of the BSDF \"null\" that bound no medium are left out");
        return base::Done{};
    }
    const bool is_boundary = (std::as_const(scene_.materials)[style.material].record.flags &
                              shaders::kMaterialBoundary) != 0;
    if (radiance.value() && is_boundary) {
        note(Note::Kind::Ignored, "boundaries of media without a surface do not shine");
    } else if (radiance.value()) {
        style.material = shining_.of(scene_, style.material, *radiance.value());
    }
    const base::Result<bool> flips = fields.boolean("flip_normals", false);
    WEFT_TRY(flips);
    const base::Result<bool> is_flat = fields.boolean("face_normals", false);
    WEFT_TRY(is_flat);
    const base::Result<DAffine> placed = fields.transform("to_world");
    WEFT_TRY(placed);
    const base::Result<DAffine> own = shape_placement(fields);
    WEFT_TRY(own);
    const DAffine to_world = math::compose(placed.value(), own.value());
    style.has_face_normals = is_flat.value();
    style.is_reversed = flips.value();
    style.is_mirrored = math::determinant(to_world) < 0;
    const base::Result<u32> mesh = mesh_of(fields, style);
    WEFT_TRY(mesh);
    fields.expect("max_smooth_angle");
    note_unused("shapes \"" + type + "\"", fields);
    if (mesh.value() == kNone) {
        return base::Done{};
    }
    const base::Result<std::string> file = fields.string("filename", type);
    WEFT_TRY(file);
    const PlacedShape made{
        mesh.value(),
        style.material,
        to_world,
        element.id().empty() ? std::filesystem::path(file.value()).stem().string() : element.id()};
    if (maybe_group) {
        maybe_group->push_back(made);
    } else if (!place_shape(scene_, base_, made)) {
        note_left_out();
    }
    return base::Done{};
}

}  // namespace weft::scene::mitsuba
