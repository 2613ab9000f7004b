// path_view.h — the state of the paths of one cluster, as kernels see it: one slot per element of
// fibre storage.
//
// Arrays of records: a ray and a PathRecord take one cache line each, a PathGain half of one.
// Shading loads them four words at a time and transposes them into lanes; traversal reads rays one
// by one. Only the owner cluster reads and writes (F4).
#pragma once

#include "scheduler/base/ids.h"

namespace weft::shaders {

// One ray and its hit; 64 B. A hit is (t, u, v, instance, primitive) with barycentrics u of vertex
// 1, v of vertex 2. Shadow rays name the triangle they end on in (instance, primitive): see
// `any_group` in trace_kernels.h.
struct alignas(64) TraceRay {
    float origin[3];
    float t;             // in: end of the interval (0, t]; out: the nearest hit
    float direction[3];  // not necessarily unit length; never all zero
    float u;
    float reciprocal[3];  // safe_reciprocal(direction), see trace_kernels.h
    float v;
    u32 primitive;  // kNone: no hit
    u32 instance;
    u32 self_primitive;  // the primitive the ray starts on, ignored; kNone: none
    u32 self_instance;
};

static_assert(sizeof(TraceRay) == 64);

// Flags of a path, in PathGain::flags.
inline constexpr u32 kPathAlive = 1u << 0;  // the path continues with `ray`; else it ends
inline constexpr u32 kPathShadow = 1u
                                   << 1;  // the pending light sample needs its `shadow` ray traced
inline constexpr u32 kPathSpecular =
    1u << 2;  // camera ray, straight passages included: emission counts fully (no MIS)
inline constexpr u32 kPathMissed = 1u << 3;    // the miss kernel ran
inline constexpr u32 kPathInMedium = 1u << 4;  // a medium scattered the path last, no surface
inline constexpr u32 kPathMediumOverflow =
    1u << 5;                                    // more nested media than the stack holds (counted)
inline constexpr u32 kPathDispersed = 1u << 6;  // the path follows one wavelength
// The rest of the flags describes the surface of the last scattering event, for the light tree:
// whether it also shows light from behind, and its shading normal (octahedral, 12 bits a number).
inline constexpr u32 kPathLitThrough = 1u << 7;
inline constexpr u32 kPathNormalShift = 8;
inline constexpr u32 kPathSurface = ~0u << 7 | kPathInMedium;

inline constexpr u32 kMediumDepth = 4;

// AOV channels that shading writes at the first hit (zero where nothing was hit).
struct AovView {
    float* albedo[3];
    float* normal[3];    // world space, the shading normal that faces the viewer
    float* position[3];  // world space, metres
    float* depth;        // distance along the camera ray, metres
    float* uv[2];        // first texture coordinates, v upwards; 0 where the mesh has none
    u32* instance;       // instance index, kNone: nothing hit
};

// How far a path is (bsdf.md section 7).
inline constexpr u32 kSeenPassing = 0;    // all surfaces so far were mirrors or clear glass
inline constexpr u32 kSeenSettled = 1;    // the next hit still adds direct light
inline constexpr u32 kSeenScattered = 2;  // `direct` is final

// What the first surface that is neither a mirror nor clear glass shows, and the light that reaches
// it without another surface. All null: not wanted.
struct SeenView {
    float* albedo[3];  // weighted, times the colours of mirrors and glass; at most 1
    float* normal[3];  // weighted, world space
    float* direct[3];  // radiance; valid from kSeenScattered on, before all radiance is direct
    float* left;       // weight that the surfaces to come have, [0, 1]
    u32* stage;        // kSeen…
};

// What the first surface did with light on its way to the camera (bsdf.md section 8). Bits of words
// that name light: the way, then the light group.
inline constexpr u32 kSplitEmission = 0;  // there was no surface
inline constexpr u32 kSplitReflected = 1;
inline constexpr u32 kSplitTransmitted = 2;
inline constexpr u32 kSplitGroupShift = 2;

// Most boundaries of media that a shadow ray passes; one more blocks it.
inline constexpr u32 kMostCrossings = 28;

// Where a shadow ray passes a boundary.
struct MediumCrossing {
    float t;
    u32 boundary;  // material · 2 + (1 where the ray enters)
};

// The media along a shadow ray (bsdf.md section 5). The shade kernel writes `medium` and zeroes
// `count`; traversal adds crossings in any order.
struct alignas(64) ShadowMedia {
    u32 medium[kMediumDepth];  // around its origin, as in PathRecord
    u32 count;
    u32 reserved[3];
    MediumCrossing crossing[kMostCrossings];
};

static_assert(sizeof(ShadowMedia) == 64 * 4);

// Whose light a path gathers, for layers that split the picture. All null: not wanted. Ways stay
// kSplitEmission where `diffuse` is null: only groups are wanted.
struct SplitView {
    u32* way;           // of what the path finds next
    float* diffuse[3];  // where that is reflected: the share of diffuse lobes, [0, 1]
    u32* found;         // way and group of what the last shade or miss kernel added
    u32* pending;       // the same of the pending light sample
    float* pending_diffuse[3];
};

// The state of a path that only shading reads and writes: one cache line, moved four words at a
// time.
struct alignas(64) PathRecord {
    u32 pixel_hash;  // hash of (pixel, seed), bsdf.md section 1; before the camera kernel: the
                     // pixel number y · width + x
    u32 sample;      // index of the sample
    u32 depth;       // hits so far, straight passages included: selects the sampler's dimensions
    u32 bounces;     // scattering events so far (a straight passage is none)
    float throughput[3];
    float pdf;          // solid-angle density of `ray`'s direction at the last scattering event
    float travelled;    // metres since that event, straight passages included
    float cone_width;   // ray cone (Akenine-Möller et al. 2019): width at the ray's origin, metres
    float cone_spread;  // and growth per metre
    u32 alpha_key;  // hash for binary alpha decisions of the rays in flight; scattered rays have
                    // one only where a material blends (SceneView::blends)
    u32 medium[kMediumDepth];  // materials of the media around the ray's origin, innermost first;
                               // kNone: empty
};

static_assert(sizeof(PathRecord) == 64);

// The radiance of a path so far, and its pending light sample: half a cache line, moved four words
// at a time. The parent of a path's fibres reads and writes it path by path.
struct alignas(32) PathGain {
    float radiance[3];
    float alpha;
    float light[3];  // pending light sample, added if the shadow ray is not blocked
    u32 flags;       // kPath…
};

static_assert(sizeof(PathGain) == 32);

// The state of a path: gain, record and ray.
static_assert(sizeof(PathGain) + sizeof(PathRecord) + sizeof(TraceRay) == 160);

struct SceneView;
struct GuideVertex;  // guide_view.h

struct PathView {
    u32 capacity;
    PathGain* gain;
    PathRecord* record;
    TraceRay* ray;
    // The pending light sample's ray, and its tint, three words per slot (trace_kernels.h; the
    // shade kernel zeroes them where it sets kPathShadow). null: no material of the scene tints
    // shadow rays.
    TraceRay* shadow;
    u32* shadow_tint;
    // The media along the same ray, one per slot; null: no material of the scene is a boundary, and
    // the shade kernel attenuates light samples by the medium that they start in.
    ShadowMedia* shadow_media;
    AovView aov;      // null pointers: not wanted
    SeenView seen;    // null pointers: not wanted
    SplitView split;  // null pointers: not wanted
    // The highlight of the surface that scattered the path last, for the light tree (bsdf.md
    // section 5): its middle (octahedral, 12 bits a number), roughness and share (4 bits each); 0:
    // none. null: the scene has no light tree.
    u32* highlight;
    // The largest α of the lobes that scattered the path so far; 0 before the first. null: paths
    // are not regularised.
    float* widest;
    // Radiance that the guide expected at the first guided surface of the path; 0 before it. null:
    // the scene has no guide.
    float* first_light;
    // What a pilot's paths tell, kMostGuideVertices per slot; null: this is no pilot.
    GuideVertex* guide_vertices;
    // Where triangles lie in pages: the scene with other meshes and corners, in which the triangle
    // of a path's hit is that with the number of its slot (engine/trace/hit_slots.h). Only the
    // shade kernel reads it. null: hits are read from the scene.
    const SceneView* hits = nullptr;
};

// A camera. Directions are unit length; pixel (x, y) is at the film point
//   s = ((x + dx) / width · 2 − 1) · half_width + shift_s,
//   t = (1 − (y + dy) / height · 2) · half_height + shift_t.
// Perspective: direction = forward + s·right + t·up (half sizes at distance 1). Orthographic:
// origin moves by s·right + t·up (half sizes in metres).
struct CameraRecord {
    float origin[3];
    float right[3];
    float up[3];
    float forward[3];
    float half_width;
    float half_height;
    u32 is_orthographic;
    float lens_radius_m;  // 0: pinhole
    float focus_m;        // distance of the plane in focus along `forward`
    float pixel_spread;   // ray cone: spread per metre (perspective) of a whole pixel
    float pixel_width_m;  // ray cone: start width (orthographic) of a whole pixel
    float shift_s;        // of the film across and up, in the units of the half sizes
    float shift_t;
};

inline constexpr u32 kFilterTableSize = 1024;

// Settings that shading needs.
struct RenderParams {
    u32 width;  // full picture, whatever the crop
    u32 height;
    u32 seed;
    u32 max_bounces;
    float clamp_direct;  // largest channel of a contribution at the first scattering event;
                         // infinity: off
    float clamp_indirect;
    u32 backface_culling;
    const float* filter_table;  // kFilterTableSize + 1 entries: offset from the pixel's centre for
                                // u = i / kFilterTableSize
    // Later hits of regularised paths have at least this α, in [0, 1], or that of PathView::widest
    // if it is less (bsdf.md "Regularisation").
    float regularized_alpha = 0;
};

// Branches that lanes decide in lockstep. Only kernels of 32 lanes count them.
struct DivergenceCounters {
    u64 branches = 0;    // branches, each counted once for all lanes
    u64 divergent = 0;   // branches that some live lanes took and others did not
    u64 lanes_live = 0;  // live lanes, summed over branches
};

// Counted by shading kernels, added up per cluster.
struct ShadeCounters {
    u64 lanes_issued = 0;
    u64 lanes_active = 0;
    u64 medium_overflows = 0;
    DivergenceCounters divergence;
};

}  // namespace weft::shaders
