// frame_vocabulary.h — the meaning of scheduler/command's numbered slots and routines in the
// renderer (clause C7): the only table of them.
//
// There are three stages: ray generation (the camera), hit (a material) and miss (the environment).
// Of the slots that scheduler/command defines itself, clip planes and predicate are used here, and
// index size and topology by the glTF importer, which turns them into triangles. Read-only; any
// thread.
#pragma once

#include "scheduler/command/vocabulary.h"
#include "shaders/host/scene_view.h"

namespace weft::frame {

// Texture slots of a material, as in MaterialRecord.
inline constexpr u32 kMaterialTextures = 15;

namespace slots {

using command::SlotName;
using command::StateShape;

// Inherited by the prepared list of a frame; its patch reads them.
inline constexpr SlotName kViewCamera{StateShape::engine_row(0), 0};   // resource: a camera
inline constexpr SlotName kViewSamples{StateShape::engine_row(1), 0};  // begin
inline constexpr SlotName kViewEnd{StateShape::engine_row(1), 1};

// Inherited by the lists of a scene. Resource: its clip planes, one bit each.
inline constexpr SlotName kScenePlanes{StateShape::engine_row(2), 0};

// Ray generation.
inline constexpr SlotName kRayRoutine{StateShape::engine_row(3), 0};    // RayRoutine
inline constexpr SlotName kRayConstants{StateShape::engine_row(4), 0};  // resource: a camera
inline constexpr SlotName kRaySamples{StateShape::engine_row(5), 0};    // first sample
inline constexpr SlotName kRayCount{StateShape::engine_row(5), 1};      // samples per pixel

// Hit. The lists of instances inherit all of it from the list of their surface.
inline constexpr SlotName kHitRoutine{StateShape::engine_row(6), 0};    // HitRoutine; unset: Lit
inline constexpr SlotName kHitConstants{StateShape::engine_row(7), 0};  // resource: a material
inline constexpr u32 kHitTextures = StateShape::engine_row(8);          // resources: textures
inline constexpr u32 kHitSamplers = StateShape::engine_row(9);          // packed_sampler()

// The row of the shading table that the slots above make; a patch sets it.
inline constexpr SlotName kHitRecord{StateShape::engine_row(12), 0};

// Miss.
inline constexpr SlotName kMissRoutine{StateShape::engine_row(10), 0};  // resource: a MissRoutine

// Render targets beside the beauty, which every frame has: 1 where the AOVs that the settings name
// are written.
inline constexpr SlotName kAuxiliary{StateShape::engine_row(11), 0};

}  // namespace slots

enum class RayRoutine : u64 { Perspective, Orthographic };

enum class HitRoutine : u64 {
    Lit,    // emission and scattering
    Unlit,  // the base colour alone
};

enum class MissRoutine : u64 {
    Surroundings,
    Transparent,  // to camera rays; the environment lights the scene all the same
};

// Numbers that every scene's lists name the look by; those of its materials, textures and instances
// follow (scene_groups.h).
enum LookResource : u32 {
    kLookPlanes,  // the scene's clip planes
    kLookMiss,    // the routine of rays that miss
    kLookResources,
};

// Numbers of the draw routines and how many operands they take.
enum FrameDraw : u32 {
    kDrawInstance,  // one operand: the number of an instance, a resource
    kDrawSurroundings,
    kDrawFrame,
};

enum FramePatch : u32 {
    kPatchView,  // sets ray generation from the view
    // Sets the shading table's row and the clip planes from hit slots and the scene's planes; one
    // operand: the planes to keep.
    kPatchSurface,
};

const command::Vocabulary& frame_vocabulary();

// Wrap modes and filter of a texture slot in one word.
inline u64 packed_sampler(const shaders::TextureSlot& slot) {
    return u64{slot.wrap_u} | u64{slot.wrap_v} << 8 | u64{slot.is_nearest} << 16;
}

inline void unpack_sampler(u64 sampler, shaders::TextureSlot& slot) {
    slot.wrap_u = static_cast<u32>(sampler & 0xff);
    slot.wrap_v = static_cast<u32>(sampler >> 8 & 0xff);
    slot.is_nearest = static_cast<u32>(sampler >> 16 & 1);
}

// The member of a MaterialRecord for a texture slot.
u32& texture_slot(shaders::MaterialRecord& material, u32 texture);
u32 texture_slot(const shaders::MaterialRecord& material, u32 texture);

}  // namespace weft::frame
