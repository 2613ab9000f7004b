// pack_table.h — the lanes that each mask of eight names, in order: how AVX2, which has no
// instruction for it, packs them (pack-inl.h). Constant; any thread.
#pragma once

#include <array>

#include "scheduler/base/ids.h"

namespace weft::shaders {

struct PackTable {
    // By mask: its lanes from the lowest on; then 0.
    std::array<std::array<u8, 8>, 256> lanes{};

    constexpr PackTable() {
        for (u32 mask = 0; mask < 256; ++mask) {
            u32 place = 0;
            for (u8 lane = 0; lane < 8; ++lane) {
                if ((mask >> lane & 1) != 0) {
                    lanes[mask][place++] = lane;
                }
            }
        }
    }
};

alignas(64) inline constexpr PackTable kPackTable;

}  // namespace weft::shaders
