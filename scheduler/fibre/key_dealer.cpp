#include "scheduler/fibre/key_dealer.h"

#include <algorithm>

namespace weft::fibre {

namespace {

constexpr u8 kNoRun = 255;

u32 hash_of(Key key) {
    return static_cast<u32>((u64{key.tag} << 32 | key.value) * 0x9e3779b97f4a7c15u >> 32);
}

}  // namespace

// The run of a key; kNone: there are kMostKeys others.
u32 KeyDealer::find_or_open(Key key) {
    u32 at = hash_of(key) % kCells;
    for (; cells_[at] != kNoRun; at = (at + 1) % kCells) {
        if (runs_[cells_[at]].key == key) {
            return cells_[at];
        }
    }
    if (run_count_ == kMostKeys) {
        return kNone;
    }
    cells_[at] = static_cast<u8>(run_count_);
    runs_[run_count_].key = key;
    counts_[run_count_] = 0;
    return run_count_++;
}

std::span<const KeyRun> KeyDealer::deal(std::span<const u32>& elements,
                                        Key (*derive_key)(void* context, u32 element),
                                        void* context) {
    // Find the run of each element, and count the elements of each run.
    cells_.fill(kNoRun);
    run_count_ = 0;
    const std::size_t most = std::min(elements.size(), dealt_.size());
    std::size_t count = 0;
    for (; count < most; ++count) {
        const u32 run = find_or_open(derive_key(context, elements[count]));
        if (run == kNone) {
            break;
        }
        run_of_[count] = static_cast<u8>(run);
        ++counts_[run];
    }
    const std::span<const u32> front = elements.first(count);
    elements = elements.subspan(count);
    // One key needs no sorting.
    if (run_count_ == 1) {
        runs_[0].elements = front;
        return std::span(runs_).first(1);
    }
    // Place the runs one after the other, and the elements in them.
    std::array<u32*, kMostKeys> next;
    u32* begin = dealt_.data();
    for (u32 run = 0; run < run_count_; ++run) {
        next[run] = begin;
        runs_[run].elements = {begin, counts_[run]};
        begin += counts_[run];
    }
    for (std::size_t k = 0; k < count; ++k) {
        *next[run_of_[k]]++ = front[k];
    }
    return std::span(runs_).first(run_count_);
}

}  // namespace weft::fibre
