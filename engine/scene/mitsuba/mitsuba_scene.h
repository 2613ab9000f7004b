// mitsuba_scene.h — one import of a Mitsuba scene: what was made of its objects so far, and what
// was named.
//
// The sensor comes first, because it says which axis is up; then shapes and emitters in their
// order; materials as shapes need them. mitsuba.md says what becomes of each. Private to the
// Mitsuba importer; one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/math/affine.h"
#include "engine/scene/files/asset_root.h"
#include "engine/scene/import.h"
#include "engine/scene/mitsuba/mitsuba_color.h"
#include "engine/scene/mitsuba/mitsuba_fields.h"
#include "engine/scene/model/size_rule.h"
#include "engine/scene/parts/mesh_data.h"
#include "engine/scene/parts/picture_shelf.h"
#include "engine/scene/parts/placement.h"
#include "engine/scene/parts/plain_material.h"

namespace weft::scene::mitsuba {

// A picture, and how uvs read it: u' = transform · (u, v, 1), v' = 0 at the top row.
struct PictureUse {
    PictureName picture;
    float transform[6] = {1, 0, 0, 0, 1, 0};
    shaders::Wrap wrap = shaders::Wrap::Repeat;
    bool is_nearest = false;
};

// What a parameter of a material may be: a factor, with a picture or checkers under it.
struct TextureInput {
    math::Vec3 factor{1};
    std::optional<PictureUse> picture;
    std::optional<std::array<math::Vec3, 2>> checkers;
    PictureUse checkers_use;  // without a picture

    [[nodiscard]] bool is_plain() const { return !picture && !checkers; }
};

// A material while it is made: its record, and the pictures that slots still need.
struct Surface {
    Material material;
    TextureInput base;
    std::optional<PictureUse> opacity;
    std::optional<PictureUse> roughness;
    Curve roughness_curve = Curve::Root;
    std::optional<PictureUse> metallic;
    std::optional<PictureUse> normal;
    bool is_null = false;  // no surface at all
};

// What shapes and their meshes share.
struct ShapeStyle {
    bool is_reversed = false;       // its front is its back
    bool is_mirrored = false;       // by its transform
    bool has_face_normals = false;  // no smooth ones
    u32 material = 0;
};

class MitsubaScene {
public:
    MitsubaScene(const std::string& path, const ImportConfig& config, Scene& scene);

    base::Status read();

private:
    using Build = base::Status (MitsubaScene::*)(const Fields& fields, Surface& surface);

    // The element, or the one that a <ref> names.
    base::Result<const Element*> resolved(const Element& element) const;
    // The first child, or what a child refers to, with this tag; null: none.
    base::Result<const Element*> child_of(const Element& object, std::string_view tag) const;
    // The child of this name, or what it refers to; null: none.
    base::Result<const Element*> field_of(const Fields& fields, std::string_view name) const;
    base::Status read_item(const Element& item);

    // Sensors (mitsuba_sensor.cpp).
    base::Status sensor(const Element& element);
    base::Result<double> field_of_view(const Fields& fields, double aspect) const;
    base::Status film(const Fields& sensor, Camera& camera, double& width_share);

    // Emitters (mitsuba_emitter.cpp).
    base::Status emitter(const Element& element);
    base::Status punctual(const Fields& fields, const std::string& type);
    base::Status environment(const Fields& fields, const std::string& type);
    base::Status environment_map(const Fields& fields);
    base::Status sky(const Fields& fields, const std::string& type);
    base::Result<std::optional<Radiance>> radiance_of(const Element& shape);
    base::Result<math::Vec3> light_of(const Fields& fields, std::string_view name);

    // Materials (mitsuba_bsdf.cpp, mitsuba_coated.cpp).
    static const std::map<std::string_view, Build>& builds();
    base::Result<u32> material_of(const Element& bsdf);  // kNone: no surface
    base::Result<u32> default_material();
    u32 clear_material();
    base::Status build(const Element& bsdf, Surface& surface);
    base::Status build_nested(const Fields& fields, Surface& surface, std::size_t which = 0);
    base::Result<u32> finished(Surface& surface);
    base::Status set_base(const Fields& fields,
                          std::string_view name,
                          double otherwise,
                          Surface& surface);
    base::Status set_specular_color(const Fields& fields,
                                    float otherwise,
                                    float whole,
                                    Surface& surface);
    base::Status set_alpha(const Fields& fields, double otherwise, Surface& surface);
    base::Status set_indices(const Fields& fields, double inside, Surface& surface);
    base::Status set_conductor(const Fields& fields, Surface& surface);
    base::Status tint_base(const Fields& fields, std::string_view name, Surface& surface);
    base::Result<double> factor(const Fields& fields, std::string_view name, double otherwise);
    base::Status diffuse(const Fields& fields, Surface& surface);
    base::Status plastic(const Fields& fields, Surface& surface);
    base::Status phong(const Fields& fields, Surface& surface);
    base::Status conductor(const Fields& fields, Surface& surface);
    base::Status dielectric(const Fields& fields, Surface& surface);
    base::Status thin_dielectric(const Fields& fields, Surface& surface);
    base::Status principled(const Fields& fields, Surface& surface);
    base::Status coating(const Fields& fields, Surface& surface);
    base::Status two_sided(const Fields& fields, Surface& surface);
    base::Status mask(const Fields& fields, Surface& surface);
    base::Status blend(const Fields& fields, Surface& surface);
    base::Status bump_map(const Fields& fields, Surface& surface);
    base::Status normal_map(const Fields& fields, Surface& surface);
    base::Status nothing(const Fields& fields, Surface& surface);

    // Media (mitsuba_medium.cpp): what fills a shape; kNone: a shape without a surface or a medium.
    base::Status fill(const Element& shape, u32& material);
    base::Result<Medium> homogeneous(const Fields& fields);
    base::Result<double> mean_cosine(const Fields& medium);

    // Textures (mitsuba_texture.cpp).
    base::Result<TextureInput> input_of(const Fields& fields,
                                        std::string_view name,
                                        const math::Vec3& otherwise,
                                        ColorUse use = ColorUse::Reflected);
    base::Result<TextureInput> texture_of(const Element& element, ColorUse use, std::size_t depth);
    base::Result<TextureInput> bitmap(const Fields& fields);
    base::Result<TextureInput> checkerboard(const Fields& fields, std::size_t depth);
    base::Status read_mapping(const Fields& fields, PictureUse& use);
    base::Result<u32> slot_of(const TextureInput& input, TexelMeaning meaning);
    u32 append_slot(u32 texture, const PictureUse& use);

    // Shapes (mitsuba_shape.cpp).
    base::Status shape(const Element& element, std::vector<PlacedShape>* maybe_group);
    base::Status place_instances(const Fields& fields);
    base::Status group(const Element& element);
    base::Result<u32> mesh_of(const Fields& fields, const ShapeStyle& style);
    base::Result<math::DAffine> shape_placement(const Fields& fields) const;
    base::Result<std::string> mesh_key(const Fields& fields) const;
    base::Result<std::string> mesh_file(const Fields& fields) const;
    base::Result<MeshData> read_mesh(const Fields& fields);
    // What is flat or beyond the numbers of a float.
    void note_left_out();

    // One note for each sentence.
    void note(Note::Kind kind, const std::string& sentence);
    void note_unused(const std::string& what, const Fields& fields);

    [[nodiscard]] math::Affine world_matrix(const math::DAffine& to_world) const;

    std::string path_;
    ImportConfig config_;
    Scene& scene_;
    AssetRoots roots_;
    SizeRule size_;
    Document document_;
    PictureShelf pictures_;
    math::DAffine base_ = math::kDIdentity;  // from the file's world to the scene's
    bool has_sensor_ = false;
    std::map<const Element*, u32> materials_;
    FilledMaterials filled_;
    u32 default_material_ = kNone;
    u32 clear_material_ = kNone;
    u32 unnamed_ = 0;           // materials, so far
    std::size_t building_ = 0;  // materials within each other
    ShiningMaterials shining_;
    std::map<const Element*, std::vector<PlacedShape>> groups_;
    std::map<std::string, u32> meshes_;  // by what they are
    std::set<std::string> has_normals_;  // those whose files do
    std::set<std::string> noted_;
};

// A mesh of a .serialized file. A broken one is one sentence with its name.
base::Result<MeshData> read_serialized_mesh(const std::string& path, u64 index, SizeRule& size);

}  // namespace weft::scene::mitsuba
