#include "engine/live/aside_memory.h"

#include <algorithm>

namespace weft::live {

namespace {

// Five trees of this share are a half.
constexpr u64 kShareOfTree = 10;

}  // namespace

u64 most_bytes_aside(u64 free_bytes, u64 limit_bytes) {
    const u64 allowed = limit_bytes == 0 ? free_bytes : std::min(free_bytes, limit_bytes);
    return allowed / kShareOfTree;
}

}  // namespace weft::live
