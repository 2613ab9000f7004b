// scene_view.h — the scene as kernels see it: flat tables of 32-bit words, no pointers inside.
//
// Kernels gather single words by lane, so every record is a plain struct of 32-bit fields whose
// size is a power of two words; field offsets are taken with offsetof. engine/trace/scene_tables
// builds the tables from engine/scene/model/scene.h; shaders/bsdf.md defines every number.
// Read-only while a frame runs.
#pragma once

#include <algorithm>
#include <bit>

#include "scheduler/base/ids.h"

namespace weft::shaders {

// One glTF primitive (triangles of one material). Offsets count elements of the view's arrays.
struct MeshRecord {
    u32 first_triangle;  // triangle p has the vertices indices[3 * (first_triangle + p) + 0..2]
    u32 triangle_count;
    u32 first_position;  // vertex v lies at positions[3 * (first_position + v)], object space,
                         // metres
    u32 first_normal;    // kNone: flat shading with the geometric normal
    u32 first_tangent;   // vec4, w = handedness; kNone: none (no slot of the material needs one)
    u32 first_uv0;       // kNone: (0, 0)
    u32 first_uv1;       // kNone: (0, 0)
    u32 first_color;     // linear RGBA float; kNone: white
};

static_assert(sizeof(MeshRecord) == 8 * 4);

// Instance flags.
inline constexpr u32 kInstanceMirrored = 1;  // determinant < 0: the winding order is reversed

// One placed mesh. Matrices are row-major 3×4: p' = M[0..2][0..2] p + M[0..2][3].
struct InstanceRecord {
    float object_to_world[12];
    float world_to_object[12];
    u32 mesh;
    u32 material;
    u32 first_light;  // light of triangle p is first_light + p; kNone: does not emit
    u32 flags;
    u32 clip_planes;  // mask of the planes that cut this instance (clip_planes.h)
    u32 light_group;  // of the light that it emits (bsdf.md section 8)
    u32 reserved[2];
};

static_assert(sizeof(InstanceRecord) == 32 * 4);

// Alpha modes of glTF.
enum class AlphaMode : u32 { Opaque = 0, Mask = 1, Blend = 2 };

// Material flags: the features that a kernel must evaluate. scene_tables derives them from the
// parameters.
inline constexpr u32 kMaterialUnlit = 1u << 0;
inline constexpr u32 kMaterialSolid = 1u
                                      << 1;  // transmission with a volume: refracts, has an inside
inline constexpr u32 kMaterialStraight =
    1u << 2;  // thin-walled smooth transmission: light passes straight
inline constexpr u32 kMaterialSpecGloss = 1u << 3;  // pbrSpecularGlossiness workflow
inline constexpr u32 kMaterialCoat = 1u << 4;
inline constexpr u32 kMaterialSheen = 1u << 5;
inline constexpr u32 kMaterialIridescence = 1u << 6;
inline constexpr u32 kMaterialAnisotropy = 1u << 7;
inline constexpr u32 kMaterialTransmission = 1u << 8;
inline constexpr u32 kMaterialEmissive = 1u << 9;
inline constexpr u32 kMaterialNormalMap = 1u << 10;
inline constexpr u32 kMaterialSingleSided =
    1u << 11;  // glTF doubleSided == false; used by --backface-culling only
inline constexpr u32 kMaterialWhole = 1u << 12;       // no clip plane cuts it; no kernel reads it
inline constexpr u32 kMaterialDispersion = 1u << 13;  // solid: its index depends on the wavelength
inline constexpr u32 kMaterialFrontEmission = 1u << 14;  // emits from its front only
inline constexpr u32 kMaterialUnseen = 1u << 15;         // camera rays pass it
inline constexpr u32 kMaterialBoundary =
    1u << 16;  // solid: its surface only bounds the medium inside, and light passes it unchanged
inline constexpr u32 kMaterialScattering = 1u << 17;  // solid: the medium inside scatters light

// One material; factors as in glTF, texture fields are indices into the slot table or kNone.
struct MaterialRecord {
    float base_color[4];  // linear RGB and alpha
    float emissive[3];    // factor × strength, cd/m²
    float metallic;
    float roughness;  // perceptual; alpha = roughness²
    float normal_scale;
    float alpha_cutoff;
    float ior;
    float specular;
    float specular_color[3];  // SpecGloss: the specular factor (F0)
    float transmission;
    float sigma_a[3];  // absorption of the inside per metre: −ln(attenuationColor) /
                       // attenuationDistance
    float coat;
    float coat_roughness;
    float coat_normal_scale;
    float sheen_color[3];
    float sheen_roughness;
    float iridescence;
    float iridescence_ior;
    float iridescence_min_nm;
    float iridescence_max_nm;
    float anisotropy;
    float anisotropy_cos;  // of the rotation, counter-clockwise from the tangent
    float anisotropy_sin;
    float medium_priority;  // of nested media: where two overlap, the higher priority wins
    float dispersion;       // 20 / Abbe number; 0 without kMaterialDispersion
    float sigma_s[3];       // scattering of the inside per metre; 0 without kMaterialScattering
    float phase_g;  // mean cosine of what it scatters (Henyey and Greenstein), |g| ≤ kMostG
    u32 alpha_mode;
    u32 flags;
    u32 base_color_slot;  // SpecGloss: the diffuse texture
    u32 metallic_roughness_slot;
    u32 normal_slot;
    u32 emissive_slot;
    u32 specular_slot;        // alpha channel
    u32 specular_color_slot;  // SpecGloss: specularGlossinessTexture, rgb = F0 (sRGB), a =
                              // glossiness
    u32 transmission_slot;    // red
    u32 coat_slot;            // red
    u32 coat_roughness_slot;  // green
    u32 coat_normal_slot;
    u32 sheen_color_slot;
    u32 sheen_roughness_slot;        // alpha
    u32 iridescence_slot;            // red
    u32 iridescence_thickness_slot;  // green
    u32 anisotropy_slot;             // rg = direction, b = strength
    u32 reserved[7];
};

static_assert(sizeof(MaterialRecord) == 64 * 4);

// Largest |g|: beyond it floats cannot tell the directions apart.
inline constexpr float kMostG = 0.999f;

enum class Wrap : u32 { Repeat = 0, Clamp = 1, Mirror = 2 };

// How one material parameter reads one texture: u' = uv_transform · (u, v, 1).
struct TextureSlot {
    u32 texture;
    u32 uv_set;             // 0 or 1
    float uv_transform[6];  // row-major 2×3
    u32 wrap_u;             // Wrap
    u32 wrap_v;
    u32 is_nearest;  // 1: nearest texel of the nearest mip level; 0: trilinear
    u32 reserved[5];
};

static_assert(sizeof(TextureSlot) == 16 * 4);

// Texel formats. Texels are addressed in 32-bit words of the texel arena, in the order of
// texel_layout.h; row 0 is the top of the image and v = 0 (glTF). Straight alpha, channels in RGBA
// order (R in the lowest byte).
enum class TexelFormat : u32 {
    Linear8 = 0,  // 4 × 8 bit, value / 255; one word
    Srgb8 =
        1,  // 4 × 8 bit, RGB through the sRGB curve (table srgb_to_linear), alpha / 255; one word
    Float = 2,  // 4 × float, already linear (16-bit and float images); four words
    Half = 3,   // 4 × half, the same for images whose floats all are finite halves; two words
};

inline constexpr u32 kMaxMips = 24;

struct TextureRecord {
    u32 width;
    u32 height;
    u32 format;                // TexelFormat
    u32 mip_count;             // level l is max(1, width >> l) × max(1, height >> l)
    u32 mip_offset[kMaxMips];  // first word of the level in the arena
    u32 reserved[4];
};

static_assert(sizeof(TextureRecord) == 32 * 4);

enum class LightKind : u32 {
    Point = 0,
    Spot = 1,
    Directional = 2,
    Triangle = 3,
    Environment = 4,
};

// One light, with its entry of the alias table that chooses lights by power (Walker 1977; Vose
// 1991). Kernels read it four words at a time.
struct LightRecord {
    u32 kind;
    float choice_pdf;  // probability that the alias table chooses this light
    u32 tree_path;     // place in the light tree: bits 2k and 2k + 1 are the branch that the way
                       // from the root takes at its k-th node
    float area;        // triangle lights: in the world, m²

    u32 instance;  // triangle lights
    u32 primitive;
    u32 alias;              // entry i of the alias table is light i where the fraction is below
    float alias_threshold;  // `alias_threshold`, else light `alias`

    float position[3];  // point, spot; metres
    float size;  // point, spot: radius in metres; directional: 1 − cosine of the half angle of its
                 // disk; 0: none

    float direction[3];  // spot, directional: from the light, unit length
    float spot_cos_inner;

    float intensity[3];  // point, spot: cd per channel; directional: lux; others unused
    float spot_cos_outer;

    u32 light_group;
    u32 reserved[11];
};

static_assert(sizeof(LightRecord) == 32 * 4);

// A leaf of the light tree: LightBranch::child without this bit is a light.
inline constexpr u32 kLightLeaf = 0x80000000u;

// LightBranch::radius of lights without a place, whose light arrives from everywhere alike: of
// suns, and of the environment.
inline constexpr float kSunBranch = -1;
inline constexpr float kSkyBranch = -2;
// LightBranch::cos_reach of a branch without lights: it is dark everywhere.
inline constexpr float kNoReach = 2;

// A branch of the light tree: the bounds of the places and directions of its lights (Conty Estevez
// and Kulla 2018). 48 B.
//
// Of suns the cone holds the directions in which their light travels, and `intensity` is their
// illuminance in lux, in the unit of the other branches.
struct alignas(16) LightBranch {
    float middle[3];   // of the lights' box, metres. Of suns and environment middle[0] is how much
                       // their family counts at the root, where lights with a place count 1
    float radius;      // half the diagonal of the box, metres; or kSunBranch, kSkyBranch
    float axis[3];     // of the cone that holds the axes of all lights; unit length
    float cos_spread;  // cosine of the cone's half angle; −1: any direction
    float sin_spread;
    float cos_reach;  // a light shines up to this angle beyond the cone: its cosine, at least 0.
                      // −1: up to 90°, and as much to the other side of its axis. Or kNoReach
    float intensity;  // sum of the largest intensities (luminance), relative to that of all lights
                      // with a place
    u32 child;        // a node, or kLightLeaf | light
};

static_assert(sizeof(LightBranch) == 12 * 4);

// A node of the light tree, with up to four branches; the others have kNoReach. Node 0 is the root.
// bsdf.md section 5 says how it is walked. Three cache lines.
inline constexpr u32 kLightBranches = 4;

struct alignas(64) LightNode {
    LightBranch branches[kLightBranches];
};

// Most nodes on the way to a light, the root included.
inline constexpr u32 kMaxLightDepth = 16;

// The illuminance by the environment that the light tree expects, whatever hides it, in the unit
// of LightBranch::intensity: a polynomial of second order in the normal (Ramamoorthi and Hanrahan
// 2001).
struct SkyLight {
    float terms[9];  // of 1, x, y, z, x², y², xy, xz, yz
    float least;     // at any normal, positive
    float around;    // what arrives from all directions together, without cosine
};

// A cell of the environment: a texel in its row, or a row in the picture. A number n · 2⁻²⁴ draws
// the last cell of a row, or the last row, that begins at n or before: the inverse of their
// cumulative distribution.
struct EnvironmentCell {
    float begin;  // an integer, as is `steps`: numbers [begin, begin + steps) · 2⁻²⁴ draw it
    float steps;
    float pdf;  // probability of this cell in the whole picture
    u32 guide;  // where the search begins for numbers [i, i + 1) / 2ᵏ, if this is cell i, and
                // 2ᵏ = guide_count() > i: a cell (24 bits), and above it how far the first stride
                // is shifted down from kMostStride
};

static_assert(sizeof(EnvironmentCell) == 4 * 4);

inline constexpr u32 kMostStride = 1u << 24;
inline constexpr u32 kNoStride = 25;  // shifts it to 0: the cell is found

// The largest power of two that is at most `cells`, and at most 2²⁴: the numbers of that many
// intervals each have a guide.
constexpr u32 guide_count(u32 cells) {
    return std::min(std::bit_floor(cells), 1u << 24);
}

// Directional albedo tables of shaders/bsdf.md, kAlbedoSize² entries each, row = roughness, column
// = cosine: entry [j][i] stands for roughness j / (kAlbedoSize − 1) and cosine (i + 0.5) /
// kAlbedoSize; bilinear between. That of the GGX lobe repeats its last row, and its last two
// columns are extrapolated by one more.
inline constexpr u32 kAlbedoSize = 32;
inline constexpr u32 kGgxAlbedoSize = kAlbedoSize + 1;

// Losses of rough glass: entry [k][j][i] stands for an index, a roughness and a cosine, each an
// even step of its coordinate; linear between, which errs to both sides (table_fit.h). Means have
// no [i]. The slice of 1/η is the mirrored one.
//   k / (kLossIndices − 1) = (1 + w)/2, w = sign(x) z (1.4 − 0.4 z), x = (η − 1)/(η + 1),
//                            z = min(√|x| / kLossReach, 1): to η = 4.6, finest around 1
//   j / (kLossRoughnesses − 1) = (r − kLeastRoughness)/(1 − kLeastRoughness)
//   i / (kLossCosines − 1) = (μ + √(μ (1 + r)/(μ + r)))/2: fine where a rough surface hides itself
inline constexpr float kLeastRoughness = 0.0316227766f;  // √0.001
inline constexpr float kLossReach = 0.8f;
inline constexpr u32 kLossIndices = 49;
inline constexpr u32 kLossRoughnesses = 24;
inline constexpr u32 kLossCosines = 32;

// Albedos of anisotropic surfaces: entry [s][j][w][i] has two floats, E_ss and the fifth root of
// B / E_ss, and stands for even steps of four coordinates; linear between. With R = √α:
//   s / (kBrushStrengths − 1) = (R_t − R_b)/(1 − R_b)
//   j / (kBrushRoughnesses − 1) = (R_b − kLeastRoughness)/(1 − kLeastRoughness)
//   w / (kBrushWidths − 1) = (R_o − R_b)/(R_t − R_b), R_o being that of the plane of incidence
//   i / (kBrushCosines − 1) = (μ + √(μ (1 + R_o)/(μ + R_o)))/2
inline constexpr u32 kBrushStrengths = 16;
inline constexpr u32 kBrushRoughnesses = 20;
inline constexpr u32 kBrushWidths = 8;
inline constexpr u32 kBrushCosines = 20;

// What anisotropic glass loses more than isotropic glass of the mean roughness R_m does: entry
// [k][s][j][w][i] stands for even steps of five coordinates; linear between. With R = √α and
// R_m = ((α_t² + α_b²)/2)^¼:
//   k, s, j: an index as in the losses of rough glass, R_t and R_b as above
//   w / (kGlassAzimuths − 1) = (1 + cos φ − sin φ)/2, φ in [0, π/2] being the azimuth from the
//                              tangent
//   i / (kGlassCosines − 1) = (μ + √(μ (1 + R_m)/(μ + R_m)))/2
inline constexpr u32 kGlassIndices = 25;
inline constexpr u32 kGlassStrengths = 8;
inline constexpr u32 kGlassRoughnesses = 8;
inline constexpr u32 kGlassAzimuths = 8;
inline constexpr u32 kGlassCosines = 16;

// Wavelengths: entry k has four floats and stands for u = k / kSpectrumSize, linear between:
// 0.523655/λ² − 1.5168 (λ in µm), and the weights of red, green and blue, each 1 in the mean over
// u.
inline constexpr u32 kSpectrumSize = 128;

// A user clip plane: points with normal · p + offset < 0 are cut away.
struct ClipPlane {
    float normal[3];
    float offset;
};

inline constexpr u32 kMaxClipPlanes = 8;

struct LocalTexels;  // local_texels.h
struct GuideSlot;    // guide_view.h
struct GuideTable;

struct SceneView {
    // Geometry arenas.
    const u32* indices;
    const float* positions;
    const float* normals;
    const float* tangents;
    const float* uvs;  // uv0 and uv1 share this arena
    const float* colors;
    const MeshRecord* meshes;
    const InstanceRecord* instances;
    const ClipPlane* clip_planes;
    u32 clip_plane_count;  // at most kMaxClipPlanes
    // Materials and textures.
    const MaterialRecord* materials;
    u32 blends;  // whether a material has AlphaMode::Blend: 1 or 0. If not, no ray needs the key of
                 // alpha decisions
    const TextureSlot* slots;
    const TextureRecord* textures;
    const u32* texels;
    const float* srgb_to_linear;  // 256 entries
    // Lights. light_count may be 0 (nothing shines).
    const LightRecord* lights;
    u32 light_count;
    const LightNode* light_nodes;  // null: the alias table alone chooses
    float tree_share;              // probability that the light tree chooses: 1 − 2⁻ᵏ, or 0
    SkyLight sky;                  // read where a branch of the tree is a kSkyBranch
    u32 environment_light;         // index of the environment in `lights`, or kNone
    // Environment: lat-long RGB floats (3 per texel), row 0 = up; width 0 means black. Conventions:
    // bsdf.md.
    const float* environment;
    const EnvironmentCell* environment_cells;  // of all texels, then of all rows
    u32 environment_width;
    u32 environment_height;
    float environment_scale;  // cd/m² per stored unit
    float environment_cos;    // rotation about +Y
    float environment_sin;
    u32 environment_is_visible;  // to camera rays: 1, or 0 for --film-transparent
    u32 environment_group;       // its light group
    // Albedo tables.
    const float* ggx_albedo;  // A and B of each entry: albedo = F0·A + F90·B, A: ∫ (1 − Fc) part
    const float* sheen_albedo;
    // Tables that are null where no material needs them.
    const float* glass_loss;
    const float* glass_mean_loss;
    const float* glass_anisotropy;
    const float* anisotropic_albedo;
    const float* spectrum;  // kSpectrumSize + 1 entries
    // The guide of cosine lobes (guide_view.h); null: none.
    const GuideSlot* guide_slots;
    const GuideTable* guide_tables;
    u32 guide_mask;      // number of slots, a power of two, less one
    float guide_low[3];  // corner of its cube, metres
    float guide_scale;   // cells of the finest level per metre
    // Where kernels of the emulated GPU read `texels`, `environment` (but not one of a single
    // texel) and `environment_cells`, and then nowhere else; null: in these arrays.
    LocalTexels* local_texels;
    LocalTexels* local_environment;
    LocalTexels* local_cells;
};

}  // namespace weft::shaders
