// matte_counts.h — which names the samples of each pixel hit, and how many each: the exact sums
// behind Cryptomatte.
//
// A pixel's list holds an id and a count of samples for every name that a sample hit. Counts are
// whole numbers and a list is read in the order of ids, so no schedule can change it, and lists of
// distinct samples add up. Three names lie beside the pixel, as most pixels need; further ones in
// blocks of a pool that all pixels share and that grows while samples are added. Throws
// std::bad_alloc where it cannot grow.
//
// Any thread may add to a pixel that no other thread uses meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::film {

struct MatteCount {
    u32 id = 0;       // of a name (cryptomatte.h); never 0
    u32 samples = 0;  // that hit it; 0: the place is free

    bool operator==(const MatteCount&) const = default;
};

class MatteCounts {
public:
    MatteCounts() = default;
    // Empty lists. Ask is_allocated().
    explicit MatteCounts(std::size_t pixels);

    [[nodiscard]] bool is_allocated() const { return first_.is_allocated(); }

    // Bytes of a pixel, without blocks.
    static constexpr u32 kPixelBytes = 3 * sizeof(MatteCount) + sizeof(u32);

    void add(std::size_t pixel, const MatteCount& more);

    // Puts the pixel's list, by rising id, in place of what `to` holds.
    void list(std::size_t pixel, std::vector<MatteCount>& to) const;

private:
    static constexpr u32 kFirst = 3;

    struct Block {
        std::array<MatteCount, 7> counts{};
        u32 next = 0;  // its number counted from 1; 0: none
    };

    // Blocks never move, so that pixels may be read while others get new ones.
    struct Pool {
        static constexpr u32 kChunk = 1U << 14;  // blocks
        std::mutex mutex;
        u32 block_count = 0;
        std::vector<std::unique_ptr<Block[]>> chunks;  // room for kChunks from the start

        Pool();

        Block& operator[](u32 number) {
            return chunks[(number - 1) / kChunk][(number - 1) % kChunk];
        }

        u32 take();  // the number of an empty block
    };

    base::PageArray<MatteCount> first_;  // kFirst per pixel
    base::PageArray<u32> next_;          // the first block of each pixel, as Block::next
    std::unique_ptr<Pool> pool_;
};

}  // namespace weft::film
