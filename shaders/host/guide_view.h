// guide_view.h — where light comes from, by place and normal, as a pilot learned it (bsdf.md
// section 9).
//
// A cube around the pilot's surfaces has 4³ cells on the coarsest of five levels and 64³ on the
// finest. A cell with six axes, that which the normal is nearest to, has a table: densities over
// the square from which a cosine lobe draws its direction, after Müller et al., "Practical Path
// Guiding" (2017), but over the numbers instead of directions, so that cosine and stratification
// stay. Read-only while a frame runs; engine/trace/guide.h makes it.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::shaders {

inline constexpr u32 kGuideLevels = 5;  // level l has 4 · 2ˡ cells along an edge of the cube
inline constexpr u32 kGuideCells = 64;  // of the finest level, along an edge
inline constexpr u32 kGuideSide = 8;    // bins along a side of the square
inline constexpr u32 kGuideBins = kGuideSide * kGuideSide;
inline constexpr u32 kGuideProbes = 4;   // most slots to look at for a key
inline constexpr u32 kGuideNoKey = ~0u;  // an empty slot

// Names a cell: coordinates on its level, axis (0 to 5: +x, −x, +y, −y, +z, −z) and level.
constexpr u32 guide_key(u32 x, u32 y, u32 z, u32 axis, u32 level) {
    return (level << 21) | (axis << 18) | (x << 12) | (y << 6) | z;
}

// Open addressing: the slot of a key is one of kGuideProbes from guide_hash(key) on.
constexpr u32 guide_hash(u32 key) {
    u32 x = key * 0x9e3779b9u;
    x ^= x >> 15;
    x *= 0x21f0aaadu;
    return x ^ x >> 16;
}

struct GuideSlot {
    u32 key;
    u32 table;
};

// Rows and columns hold the ends of intervals; the density of a bin, 1 in the mean, is the length
// of its column's interval. The first number draws a row, of [0, 64) in all, the second a column
// of the row's own length. 320 B.
struct alignas(64) GuideTable {
    float row_end[kGuideSide];
    float light;  // mean radiance that arrives, weighted by the cosine, without light samples' own
    float reserved[7];
    float column_end[kGuideSide][kGuideSide];
};

static_assert(sizeof(GuideTable) == 320);

// A vertex of a pilot's path.
struct GuideVertex {
    float position[3];
    u32 bin;        // axis · kGuideBins + row · kGuideSide + column; kGuideNoKey: no cosine lobe
    float through;  // luminance of the throughput after it
    float before;   // luminance of the radiance before the next hit; negative: there is none
};

inline constexpr u32 kMostGuideVertices = 16;  // of a path

// Rough specular lobes lend the cosine lobe a share of their draws, which the guide leads: none at
// the first GGX α, the most from the second on, rising linearly between them.
inline constexpr float kLeastLendingAlpha = 0.1f;
inline constexpr float kMostLendingAlpha = 0.4f;
inline constexpr float kMostLent = 0.5f;

}  // namespace weft::shaders
