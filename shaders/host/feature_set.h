// feature_set.h — the material features that a kernel supports, known at compile time.
//
// Kernels linked into the program support all features. A kernel compiled at run time for one scene
// gets the scene's features as macros (engine/frame) and omits the rest. Tests of the lanes' flags
// would skip the same code, so the bits are the same.
#pragma once

#include <cstddef>

#include "shaders/host/scene_view.h"

#ifndef WEFT_SCENE_FLAGS
#    define WEFT_SCENE_FLAGS 0xffffffff
#endif
#ifndef WEFT_SCENE_SLOTS
#    define WEFT_SCENE_SLOTS 0xffffffff
#endif

namespace weft::shaders {

inline constexpr u32 kSceneFlags = WEFT_SCENE_FLAGS;  // kMaterial… of all materials together
inline constexpr u32 kSceneSlots = WEFT_SCENE_SLOTS;  // bit k: the k-th texture slot is used

// True if a material of the scene may have one of these flags.
constexpr bool may_have(u32 flags) {
    return (kSceneFlags & flags) != 0;
}

// The bit of a texture slot, by its offsetof in MaterialRecord.
constexpr u32 slot_bit(std::size_t slot) {
    return 1u << (slot - offsetof(MaterialRecord, base_color_slot)) / sizeof(u32);
}

// True if a material of the scene may have a texture in this slot.
constexpr bool may_have_slot(std::size_t slot) {
    return (kSceneSlots & slot_bit(slot)) != 0;
}

}  // namespace weft::shaders
