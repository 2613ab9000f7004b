// ids.h — the short integer names used in every room.
#pragma once

#include <cstdint>

namespace weft {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// "There is none", for every index of 32 bits.
inline constexpr u32 kNone = 0xffffffffu;

}  // namespace weft
