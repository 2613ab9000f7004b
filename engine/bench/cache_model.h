// cache_model.h — simulated caches for a trace of fetches: set-associative, least recently used
// replacement, lines of 64 bytes.
//
// A counting build traces a class of rays once more with a model listening
// (shaders/traverse/fetch_trace.h): so the misses of a variant do not depend on the machine it runs
// on, nor on its load. The model sees fetches of the tree and of decoded nodes, but not of rays and
// lists. One thread.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::bench {

class SetCache {
public:
    // `size_bytes` / (64 · ways) sets, a power of two.
    SetCache(u64 size_bytes, u32 ways);

    // Fetches a line by its number (address / 64); false: a miss.
    bool touch(u64 line);

    [[nodiscard]] u64 misses() const { return misses_; }

private:
    u32 ways_;
    u64 set_mask_;
    std::vector<u64> lines_;  // by set, most recently used first; ~0: empty
    u64 misses_ = 0;
};

inline constexpr u32 kCacheLevels = 4;
inline constexpr std::array<std::string_view, kCacheLevels> kCacheNames = {
    "l1_48k", "l2_2m", "l3_32m", "l3_128m"};

// An L1 of 48 KiB and 12 ways; its misses go to an L2 of 2 MiB and 16 ways; the misses of that go
// to two alternative L3 caches, of 32 and 128 MiB and 16 ways.
class CacheModel {
public:
    void fetch(const void* data, u32 size_bytes);

    // By kCacheNames.
    [[nodiscard]] std::array<u64, kCacheLevels> misses() const;

private:
    SetCache l1_{u64{48} << 10, 12};
    SetCache l2_{u64{2} << 20, 16};
    SetCache small_l3_{u64{32} << 20, 16};
    SetCache large_l3_{u64{128} << 20, 16};
};

}  // namespace weft::bench
