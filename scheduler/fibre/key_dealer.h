// key_dealer.h — sorts the elements of one spawn by the keys that their routine derives (F6).
//
// Neighbours often have different keys (the materials that they hit), and a spawn costs as much as
// many fibres; so elements are dealt to their keys first, and each key is spawned once. A counting
// sort: elements of one key keep their order, and keys come in the order of their first elements.
// One cluster owns it. Nothing is allocated after construction.
#pragma once

#include <array>
#include <span>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/fibre/fibre_key.h"

namespace weft::fibre {

struct KeyRun {
    Key key;
    std::span<const u32> elements;  // at least one
};

class KeyDealer {
public:
    static constexpr u32 kMostKeys = 64;  // of one call

    // `capacity`: most elements of one call.
    explicit KeyDealer(u32 capacity) : run_of_(capacity), dealt_(capacity) {}

    [[nodiscard]] bool is_allocated() const {
        return run_of_.is_allocated() && dealt_.is_allocated();
    }

    [[nodiscard]] u64 size_bytes() const { return run_of_.size_bytes() + dealt_.size_bytes(); }

    // Removes elements from the front, as many as fit and have at most kMostKeys keys, at least
    // one, and returns them by key. Valid until the next call, and as long as the elements are.
    std::span<const KeyRun> deal(std::span<const u32>& elements,
                                 Key (*derive_key)(void* context, u32 element),
                                 void* context);

private:
    static constexpr u32 kCells = 4 * kMostKeys;

    u32 find_or_open(Key key);

    base::PageArray<u8> run_of_;  // by place among the elements
    base::PageArray<u32> dealt_;  // the elements by run
    std::array<KeyRun, kMostKeys> runs_{};
    std::array<u32, kMostKeys> counts_{};  // elements of each run
    std::array<u8, kCells> cells_{};       // open addressing: runs by their key's hash
    u32 run_count_ = 0;
};

}  // namespace weft::fibre
