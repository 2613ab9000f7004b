// map_layout.cpp — see map_layout.h.
#include "engine/scene/assimp/map_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace weft::scene {
namespace {

constexpr i64 kMostCopies = 8;
constexpr u64 kMostSideWithCopies = 8192;  // beyond it, only one picture alone makes a side longer

// The indices of scale and offset of an axis in a slot's matrix.
constexpr std::array<std::size_t, 2> kSlotScales = {0, 4};
constexpr std::array<std::size_t, 2> kSlotOffsets = {2, 5};

bool is_same_layout(const shaders::TextureSlot& a, const shaders::TextureSlot& b) {
    return a.uv_set == b.uv_set && a.wrap_u == b.wrap_u && a.wrap_v == b.wrap_v &&
           std::equal(std::begin(a.uv_transform), std::end(a.uv_transform), b.uv_transform);
}

bool repeats_everywhere(const shaders::TextureSlot& slot) {
    const auto repeat = static_cast<u32>(shaders::Wrap::Repeat);
    return slot.wrap_u == repeat && slot.wrap_v == repeat && slot.uv_transform[1] == 0 &&
           slot.uv_transform[3] == 0;
}

// The fewest copies of two pictures with these scales that end at one place: {0, 0} if there are
// none.
std::array<i64, 2> common_copies(double first, double second) {
    for (i64 copies = 1; copies <= kMostCopies && first != 0; ++copies) {
        const double other = second * static_cast<double>(copies) / first;
        const double whole = std::round(other);
        if (whole != 0 && std::fabs(whole) <= static_cast<double>(kMostCopies) &&
            std::fabs(other - whole) < 1e-4) {
            return {copies, static_cast<i64>(whole)};
        }
    }
    return {0, 0};
}

i64 floor_of_ratio(i64 a, i64 b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace

std::optional<SharedLayout> shared_layout(const shaders::TextureSlot& first,
                                          const shaders::TextureSlot& second) {
    SharedLayout shared;
    shared.slot = first;
    if (is_same_layout(first, second)) {
        return shared;
    }
    if (first.uv_set != second.uv_set || !repeats_everywhere(first) ||
        !repeats_everywhere(second)) {
        return std::nullopt;
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
        auto first_offset = static_cast<double>(first.uv_transform[kSlotOffsets[axis]]);
        const auto second_offset = static_cast<double>(second.uv_transform[kSlotOffsets[axis]]);
        const auto scale = static_cast<double>(first.uv_transform[kSlotScales[axis]]);
        const std::array<i64, 2> copies =
            common_copies(scale, static_cast<double>(second.uv_transform[kSlotScales[axis]]));
        if (copies[0] == 0) {
            return std::nullopt;
        }
        // The texture begins where a copy of the first picture does.
        first_offset -= copies[0] == 1 ? 0 : std::floor(first_offset);
        const auto count = static_cast<double>(copies[0]);
        shared.slot.uv_transform[kSlotScales[axis]] = static_cast<float>(scale / count);
        shared.slot.uv_transform[kSlotOffsets[axis]] = static_cast<float>(first_offset / count);
        const double start = second_offset - static_cast<double>(copies[1]) * first_offset / count;
        shared.first.copies[axis] = copies[0];
        shared.second.copies[axis] = copies[1];
        shared.second.start[axis] = start - std::floor(start);
    }
    return shared;
}

u32 shared_side(u32 first, i64 first_copies, u32 second, i64 second_copies) {
    const u64 with_copies = std::max(first * static_cast<u64>(std::abs(first_copies)),
                                     second * static_cast<u64>(std::abs(second_copies)));
    return std::max({first, second, static_cast<u32>(std::min(with_copies, kMostSideWithCopies))});
}

std::vector<u32> texels_along(const Placement& placement, std::size_t axis, u32 side, u32 shared) {
    const i64 copies = placement.copies[axis];
    const i64 start = std::llround(placement.start[axis] * side * shared);
    std::vector<u32> texels(shared);
    for (u32 x = 0; x < shared; ++x) {
        const i64 low = copies > 0 ? i64{x} : i64{x} + 1;  // where the picture's texel begins
        const i64 texel = floor_of_ratio(low * copies * side + start, i64{shared});
        texels[x] = static_cast<u32>(texel - floor_of_ratio(texel, i64{side}) * i64{side});
    }
    return texels;
}

std::string words_of(const Placement& placement) {
    std::string words;
    for (std::size_t axis = 0; axis < 2 && !(placement == Placement{}); ++axis) {
        words += " " + std::to_string(placement.copies[axis]) + " times from " +
                 std::to_string(placement.start[axis]);
    }
    return words;
}

}  // namespace weft::scene
