// feature_set.h — what the materials of a scene use at all, as known while a kernel is compiled.
//
// Kernels linked into the program may meet anything. A kernel that is built while the program runs
// is given the features of its scene as definitions (engine/frame), and leaves out code that no
// material of the scene asks for: the same answer as testing each group, so the same bits.
// Included by kernels only.
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

// Whether some material may have one of these flags.
constexpr bool may_have(u32 flags) {
    return (kSceneFlags & flags) != 0;
}

// The bit of a texture slot, by its offsetof in MaterialRecord.
constexpr u32 slot_bit(std::size_t slot) {
    return 1u << (slot - offsetof(MaterialRecord, base_color_slot)) / sizeof(u32);
}

// Whether some material may have a texture there.
constexpr bool may_have_slot(std::size_t slot) {
    return (kSceneSlots & slot_bit(slot)) != 0;
}

}  // namespace weft::shaders
