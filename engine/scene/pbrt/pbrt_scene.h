// pbrt_scene.h — one import of a pbrt-v4 file: the graphics state and what was named so far.
//
// Directives change the state; shapes, lights and the camera go into the scene as they come.
// pbrt.md says what becomes of each. Private to the pbrt importer; one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/math/affine.h"
#include "engine/scene/files/asset_root.h"
#include "engine/scene/import.h"
#include "engine/scene/model/size_rule.h"
#include "engine/scene/parts/mesh_data.h"
#include "engine/scene/parts/picture_shelf.h"
#include "engine/scene/parts/placement.h"
#include "engine/scene/parts/plain_material.h"
#include "engine/scene/pbrt/pbrt_parameters.h"
#include "engine/scene/pbrt/pbrt_tokens.h"

namespace weft::scene::pbrt {

// A picture that a texture reads, and how: (u, v) of pbrt, whose v points up, becomes
// (scale · (u, v) + shift).
struct PictureUse {
    PictureName picture;
    double scale[2] = {1, 1};
    double shift[2] = {0, 0};
    shaders::Wrap wrap = shaders::Wrap::Repeat;
    bool is_nearest = false;
    bool is_upright = true;  // row 0 is the top, where v is 1; else v is 0 there
};

// Two colours in a checkerboard; the mapping is that of a PictureUse without a name.
struct Checkers {
    math::Vec3 colors[2];
    PictureUse use;
};

// A texture as the scene's materials can have it: a factor, and a picture or checkers under it.
struct NamedTexture {
    math::Vec3 factor{1};
    std::optional<PictureUse> picture;
    std::optional<Checkers> checkers;
};

// Textures of both kinds have names of their own.
enum class TextureKind { Float, Spectrum };

// Its factor, and the mean of a checkerboard's colours.
math::Vec3 mean_of(const NamedTexture& texture);

// Whether the factor belongs to the texels, since a material's is 1 at most.
bool is_in_picture(const NamedTexture& texture);

// The picture, with the factor that belongs to it.
PictureName picture_of(const NamedTexture& texture);

// What AttributeBegin saves.
struct State {
    math::DAffine to_world = math::kDIdentity;
    u32 material = kNone;  // of the scene; kNone: pbrt's default
    bool has_surface = true;
    bool is_reversed = false;
    std::optional<math::Vec3> radiance;          // of an area light, cd/m²
    bool is_two_sided = false;                   // it shines from both sides
    std::string inside;                          // the medium; empty: none
    std::string outside;                         // the medium around
    std::map<std::string, Parameters> defaults;  // by the target of Attribute
};

// A block that is open: what its end restores.
struct Block {
    State before;
    Place place;
    bool is_object = false;
};

// A file that Import reads: what its end restores, and how many files are open in it.
struct OpenImport {
    State before;
    std::map<std::string, math::DAffine, std::less<>> systems;
    std::size_t first_block = 0;
    std::size_t depth = 0;
};

// A named material that is made behind its first use.
struct LaterMaterial {
    Parameters parameters;
    Place place;
};

// Of a camera's screen, whose shorter side goes from −1 to 1 without it.
struct ScreenWindow {
    double left = -1;
    double right = 1;
    double bottom = -1;
    double top = 1;
};

// Curves that follow each other with the same state.
struct OpenCurves {
    MeshData mesh{};
    u32 material = kNone;
    math::DAffine to_world = math::kDIdentity;
    bool is_reversed = false;
};

// Meshes of one Shape, in object space but for a scale of all axes.
struct MadeShape {
    std::vector<u32> meshes;
    double scale = 1;
};

class PbrtScene {
public:
    PbrtScene(const std::string& path, const ImportConfig& config, Scene& scene);

    base::Status read();

private:
    using Handler = base::Status (PbrtScene::*)(const Token& directive);
    static const std::map<std::string_view, Handler>& handlers();
    // Of the directives that a search reads in another way (pbrt_ahead.cpp).
    static const std::map<std::string_view, Handler>& search_handlers();

    // Directives (pbrt_directives.cpp): all until the file at this depth ends.
    base::Status read_directives(std::size_t depth);
    base::Status read_directive(const Token& directive);
    base::Status read_nothing(const Token& directive);
    base::Status skip_option(const Token& directive);
    base::Status skip_typed(const Token& directive);
    base::Status attribute_begin(const Token& directive);
    base::Status attribute_end(const Token& directive);
    base::Status begin_block(const Token& directive, bool is_object);
    base::Status end_block(const Token& directive, bool is_object);
    // An error if a block of the present file is still open.
    [[nodiscard]] base::Status check_blocks() const;
    base::Status world_begin(const Token& directive);
    base::Status transform(const Token& directive);
    base::Status look_at(const Token& directive);
    base::Status coordinate_system(const Token& directive);
    base::Status active_transform(const Token& directive);
    base::Status reverse_orientation(const Token& directive);
    base::Status attribute(const Token& directive);
    base::Status include(const Token& directive);
    base::Status import_file(const Token& directive);
    void end_import();
    base::Status object_begin(const Token& directive);
    base::Status object_end(const Token& directive);
    base::Status object_instance(const Token& directive);
    base::Status medium_interface(const Token& directive);
    // Media (pbrt_medium.cpp).
    base::Status make_named_medium(const Token& directive);
    base::Result<Medium> homogeneous(const Parameters& parameters);
    // The media on both sides of a shape of the present state.
    [[nodiscard]] Medium inside_now() const;
    [[nodiscard]] Medium outside_now() const;
    // Camera and lights (pbrt_light.cpp).
    base::Status film(const Token& directive);
    base::Status camera(const Token& directive);
    base::Status light(const Token& directive);
    base::Status area_light(const Token& directive);
    void frame(Camera& camera) const;
    base::Status read_screen_window(const Parameters& parameters);
    void note_stretch(const math::DAffine& to_world);
    base::Status infinite_light(const Parameters& parameters, const Place& place);
    // Materials and textures (pbrt_material.cpp, pbrt_texture.cpp).
    base::Status texture(const Token& directive);
    base::Status material(const Token& directive);
    base::Status make_named_material(const Token& directive);
    base::Status named_material(const Token& directive);
    base::Status make_of_type(const std::string& name,
                              const Parameters& parameters,
                              const Place& place);
    // Materials that are made later (pbrt_ahead.cpp). Whether there is one of this name, which is
    // made now unless it was before.
    base::Result<bool> find_material(const std::string& name, const Place& place);
    base::Status search_ahead();
    base::Status keep_material(const Token& directive);
    base::Status search_object(const Token& directive);
    base::Status make_material(const std::string& type,
                               const std::string& name,
                               const Parameters& parameters,
                               const Place& place);
    base::Status set_color(const Parameters& parameters,
                           std::string_view name,
                           math::Vec3 otherwise,
                           Material& material,
                           double boundary_index = 0);

    // What a layer's roughness says: widths α along u and v, or a picture.
    struct Roughness {
        double widths[2] = {0, 0};
        std::optional<PictureUse> picture;  // α is the root of its texel, or the texel
        bool is_remapped = true;
    };

    base::Result<Roughness> read_roughness(const Parameters& parameters,
                                           const std::string& prefix,
                                           double otherwise);
    base::Status set_roughness(const Parameters& parameters,
                               const std::string& prefix,
                               Material& material);
    base::Status set_normal_map(const Parameters& parameters, Material& material);
    // The material with the opacity of a shape; kNone: the shape hides it.
    base::Result<u32> material_with_alpha(u32 material, const NamedTexture& alpha);
    base::Result<NamedTexture> make_texture(TextureKind kind,
                                            const std::string& type,
                                            const Parameters& parameters);
    // A texture of the other kind serves where there is none of this one.
    base::Result<NamedTexture> texture_input(const Parameters& parameters,
                                             std::string_view name,
                                             math::Vec3 otherwise,
                                             TextureKind kind);
    base::Status read_mapping(const Parameters& parameters, PictureUse& use);
    base::Result<u32> slot_of(const NamedTexture& texture);
    u32 append_slot(u32 texture, const PictureUse& use);
    // The state's material with an opacity, the radiance of the state's area light and what the
    // medium inside absorbs; kNone: all of it is hidden.
    base::Result<u32> material_now(const NamedTexture& alpha);
    // Shapes (pbrt_shape.cpp).
    base::Status shape(const Token& directive);
    base::Result<MadeShape> make_shape(const std::string& type,
                                       const Parameters& parameters,
                                       const Place& place);
    base::Result<MadeShape> make_quadric(const std::string& type,
                                         const Parameters& parameters,
                                         const Place& place);
    base::Result<std::vector<u32>> read_ply(const Parameters& parameters, const Place& place);
    // Curves (pbrt_curve.cpp): added to those that are open, which finish_curves() appends.
    base::Status curve(const Parameters& parameters, const Place& place);
    base::Status finish_curves();
    // Appends a mesh with the front and the material of the state; kNone: it has no triangle.
    base::Result<u32> append_shape(MeshData mesh, const std::string& name);
    void place_meshes(const MadeShape& shape, const std::string& node);
    // Into the open object, or the scene.
    void place(const PlacedShape& shape);
    // What is flat or beyond the numbers of a float.
    void note_left_out();

    // Reads the name or type behind a directive, then its parameters.
    base::Result<std::string> read_string(const Token& directive);
    base::Result<Parameters> read_parameters(const std::string& target);
    base::Result<std::vector<double>> read_numbers(const Token& directive, std::size_t count);

    // One note for each sentence.
    void note(Note::Kind kind, const std::string& sentence);
    void note_unused(const std::string& what, const Parameters& parameters);

    [[nodiscard]] math::Affine world_matrix(const math::DAffine& to_world) const;

    std::string path_;
    ImportConfig config_;
    Scene& scene_;
    AssetRoots roots_;
    SizeRule size_;
    TokenReader tokens_;
    State state_;
    std::vector<Block> blocks_;
    std::size_t first_block_ = 0;  // of the file that is imported
    std::vector<OpenImport> imports_;
    std::map<std::string, math::DAffine, std::less<>> systems_;
    // From pbrt's left-handed world to the scene's: mirrors it, unless the camera does, and turns
    // the axis next to the camera's up direction into +Y.
    math::DAffine base_ = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0};
    double aspect_ = 1280.0 / 720.0;
    // Of the camera, whichever comes first, it or the film.
    double fov_deg_ = 90;
    std::optional<ScreenWindow> screen_window_;
    double lens_radius_ = 0;
    double focus_distance_ = 1e6;
    math::DVec3 stretch_{1};
    std::optional<double> frame_aspect_;
    bool is_in_world_ = false;
    std::map<std::pair<TextureKind, std::string>, NamedTexture> textures_;
    std::map<std::string, std::pair<u32, bool>, std::less<>> materials_;  // and whether it shows
    // What a search found behind the place where it began, and the materials made of it.
    bool is_searching_ = false;
    bool has_searched_ = false;
    u32 mixes_ = 0;  // of later materials that are being made within each other
    std::map<std::string, LaterMaterial, std::less<>> later_materials_;
    std::map<std::pair<TextureKind, std::string>, NamedTexture>
        later_textures_;  // and earlier ones
    std::set<std::string> early_materials_;
    ShiningMaterials shining_;
    FilledMaterials filled_;
    std::map<u32, NamedTexture> colors_;                      // the base colours of materials
    std::map<std::pair<u32, std::string>, u32> transparent_;  // materials with an opacity
    std::map<std::string, Medium, std::less<>> media_;
    std::map<std::string, std::vector<PlacedShape>, std::less<>> objects_;
    std::optional<std::string> open_object_;
    OpenCurves curves_;
    PictureShelf pictures_;
    std::map<std::string, std::vector<u32>> ply_meshes_;  // by file, orientation, tangents, uvs
    std::set<std::string> bare_plys_;                     // files without uvs
    // Meshes of radius 1: plain, reversed, and both with tangents.
    u32 whole_spheres_[4] = {kNone, kNone, kNone, kNone};
    u32 default_material_ = kNone;
    u32 shape_material_ = 0;  // of the present shape
    u32 unnamed_ = 0;         // materials, so far
    std::set<std::string> noted_;
};

}  // namespace weft::scene::pbrt
