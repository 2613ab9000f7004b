#include "app/shutter.h"

#include <algorithm>
#include <bit>

namespace weft::app {

namespace {

// Mirrors the lowest `bits` bits.
u32 mirror(u32 value, u32 bits) {
    u32 mirrored = 0;
    for (u32 bit = 0; bit < bits; ++bit) {
        mirrored |= (value >> bit & 1U) << (bits - 1 - bit);
    }
    return mirrored;
}

// 0 .. count − 1, the middle first, each early part spread over the whole.
std::vector<u32> spread_order(u32 count) {
    const auto bits = static_cast<u32>(std::bit_width(count - 1));
    std::vector<u32> order;
    for (u32 i = 0; i < 1U << bits; ++i) {
        const u32 place = mirror(i, bits) ^ ((1U << bits) / 2);
        if (place < count) {
            order.push_back(place);
        }
    }
    return order;
}

}  // namespace

std::vector<Moment> shutter_moments(const RenderOptions& options, u32 samples) {
    if (options.shutter <= 0) {
        return {{0, 0, samples}};
    }
    const u32 count = std::min(options.shutter_moments, samples);
    std::vector<Moment> moments;
    u32 begin = 0;
    for (const u32 place : spread_order(count)) {
        const auto number = static_cast<u64>(moments.size()) + 1;
        const auto end = static_cast<u32>(number * samples / count);
        const double along = (static_cast<double>(place) + 0.5) / count - 0.5;
        moments.push_back({static_cast<double>(options.shutter) * along, begin, end});
        begin = end;
    }
    return moments;
}

}  // namespace weft::app
