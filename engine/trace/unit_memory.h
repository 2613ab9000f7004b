// unit_memory.h — deals an execution unit's paths and results out of memory that it was given.
//
// The units of a frame get pieces of the runtime's buffers, on the host or on a device
// (engine/frame/frame_objects.h). Without a piece, pages of the host are taken: for tests and
// comparisons that have no runtime. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::trace {

class UnitMemory {
public:
    static constexpr u64 kAlignment = 64;

    // A piece of a buffer, which must be zero and outlive this; empty: pages of the host.
    explicit UnitMemory(std::span<std::byte> piece = {})
        : piece_(piece), has_piece_(!piece.empty()) {}

    // Bytes of a piece that a take() of so many uses up.
    static u64 rounded(u64 bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

    // Zeroed memory aligned to 64 B, or null if memory ran out.
    void* take(u64 bytes) {
        if (!has_piece_) {
            pages_.emplace_back(bytes);
            return pages_.back().data();
        }
        if (bytes > piece_.size()) {
            return nullptr;
        }
        void* const place = piece_.data();
        piece_ = piece_.subspan(std::min<u64>(rounded(bytes), piece_.size()));
        return place;
    }

private:
    std::span<std::byte> piece_;  // what is left of it
    bool has_piece_;
    std::vector<base::PageArray<std::byte>> pages_;
};

}  // namespace weft::trace
