// guide-inl.h — densities that a pilot learned, in lanes (bsdf.md section 9).
//
// The shade kernel finds the table of a surface; the BSDF draws its cosine lobe by it. Pure.
#if defined(WEFT_SHADERS_GUIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_GUIDE_INL_H_
#        undef WEFT_SHADERS_GUIDE_INL_H_
#    else
#        define WEFT_SHADERS_GUIDE_INL_H_
#    endif

#    include "shaders/host/guide_view.h"
#    include "shaders/host/scene_view.h"
#    include "shaders/lanes/elementary-inl.h"
#    include "shaders/lanes/sampler-inl.h"
#    include "shaders/lanes/vector-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// The cell of a surface on the finest level.
struct GuideCell {
    Uint x, y, z, axis;
    Bool is_inside;  // of the cube
};

// What guides the cosine lobe of each lane's surface.
struct Guide {
    Bool is_there;
    Uint table;            // its first word
    Float3 along, across;  // of the square of numbers, orthogonal to the normal
    const float* words;    // of all tables; null: no lane has one
};

// The frame turns with the axis, so it has no seam within a cell.
HWY_INLINE Uint guide_axis(Float3 n) {
    const Float3 size = {abs(n.x), abs(n.y), abs(n.z)};
    const Bool is_x = (size.x >= size.y) & (size.x >= size.z);
    const Bool is_y = !is_x & (size.y >= size.z);
    const Float component = select(is_x, n.x, select(is_y, n.y, n.z));
    const Uint first = select(is_x, Uint(0u), select(is_y, Uint(2u), Uint(4u)));
    return first + select(component < Float(0.0f), Uint(1u), Uint(0u));
}

HWY_INLINE GuideCell guide_cell(const SceneView& scene, Float3 position, Float3 n) {
    const Float scale = scene.guide_scale;
    const Float x = (position.x - Float(scene.guide_low[0])) * scale;
    const Float y = (position.y - Float(scene.guide_low[1])) * scale;
    const Float z = (position.z - Float(scene.guide_low[2])) * scale;
    const Float end = static_cast<float>(kGuideCells);
    const Float zero = 0.0f;
    const Bool is_inside =
        (x >= zero) & (x < end) & (y >= zero) & (y < end) & (z >= zero) & (z < end);
    const auto cell = [&](Float at) HWY_ATTR { return to_uint(select(is_inside, at, zero)); };
    return {cell(x), cell(y), cell(z), guide_axis(n), is_inside};
}

HWY_INLINE Uint guide_hash_of(Uint key) {
    Uint x = key * Uint(0x9e3779b9u);
    x = x ^ shift_right<15>(x);
    x = x * Uint(0x21f0aaadu);
    return x ^ shift_right<16>(x);
}

HWY_INLINE Uint guide_key_of(const GuideCell& cell, u32 level) {
    Uint x = cell.x;
    Uint y = cell.y;
    Uint z = cell.z;
    for (u32 k = level + 1; k < kGuideLevels; ++k) {
        x = shift_right<1>(x);
        y = shift_right<1>(y);
        z = shift_right<1>(z);
    }
    return Uint(level << 21) | shift_left<18>(cell.axis) | shift_left<12>(x) | shift_left<6>(y) | z;
}

HWY_INLINE Float3 guide_along(Uint axis, Float3 n) {
    const Bool is_x = is_less(axis, Uint(2u));
    const Bool is_y = is_less(axis, Uint(4u)) & !is_x;
    const Float one = 1.0f;
    const Float zero = 0.0f;
    const Float3 side = {
        select(is_x | is_y, zero, one), select(is_x, one, zero), select(is_y, one, zero)};
    return normalize(fma(n, -dot(n, side), side));
}

// The table of the finest cell that has one, in the lanes of `where`.
HWY_NOINLINE inline Guide find_guide(const SceneView& scene,
                                     Float3 position,
                                     Float3 n,
                                     Bool where) {
    const GuideCell cell = guide_cell(scene, position, n);
    const u32* const slots = reinterpret_cast<const u32*>(scene.guide_slots);
    Uint found = kGuideNoKey;
    Bool is_open = where & cell.is_inside;
    for (u32 level = kGuideLevels; level-- > 0 && any(is_open);) {
        const Uint key = guide_key_of(cell, level);
        Uint slot = guide_hash_of(key);
        for (u32 probe = 0; probe < kGuideProbes; ++probe) {
            const Uint word = shift_left<1>(slot & Uint(scene.guide_mask));
            const Bool is_here = is_open & (gather(slots, word) == key);
            found = select(is_here, gather(slots, word + Uint(1u)), found);
            is_open = is_open & !is_here;
            slot = slot + Uint(1u);
        }
    }
    const Bool is_there = where & cell.is_inside & !is_open;
    const Float3 along = guide_along(cell.axis, n);
    constexpr u32 kWords = sizeof(GuideTable) / sizeof(float);
    return {is_there,
            select(is_there, found, Uint(0u)) * Uint(kWords),
            along,
            cross(n, along),
            reinterpret_cast<const float*>(scene.guide_tables)};
}

HWY_INLINE Guide no_guide() {
    return {all_lanes(false), 0u, splat(0.0f), splat(0.0f), nullptr};
}

HWY_INLINE Float guide_light(const Guide& guide) {
    return gather(guide.words, guide.table + Uint(offsetof(GuideTable, light) / 4));
}

// The interval of kGuideSide that holds x: its number and both ends.
struct GuideInterval {
    Uint number;
    Float begin, end;
};

// Bisects the ends from word `first` on.
HWY_INLINE GuideInterval find_interval(const float* words, Uint first, Float x) {
    Uint number = 0u;
    for (u32 step = kGuideSide / 2; step > 0; step /= 2) {
        const Float end = gather(words, first + number + Uint(step - 1));
        number = number + select(x < end, Uint(0u), Uint(step));
    }
    const Bool is_first = number == Uint(0u);
    const Uint before = select(is_first, Uint(0u), number - Uint(1u));
    const Float begin = select(is_first, Float(0.0f), gather(words, first + before));
    return {number, begin, gather(words, first + number)};
}

// Numbers of the guided lobe from even ones: monotone in each, so strata stay strata.
HWY_INLINE Float2 guided_numbers(const Guide& guide, Float2 u) {
    constexpr float kSide = static_cast<float>(kGuideSide);
    constexpr float kBelowOne = 0x1.fffffep-1f;
    const Float x = u.x * Float(kSide * kSide);
    const GuideInterval row = find_interval(guide.words, guide.table, x);
    const Float length = row.end - row.begin;
    const Float y = u.y * length;
    const Uint columns =
        guide.table + Uint(offsetof(GuideTable, column_end) / 4) + row.number * Uint(kGuideSide);
    const GuideInterval column = find_interval(guide.words, columns, y);
    const auto part = [](Float at, const GuideInterval& of) HWY_ATTR {
        return clamp((at - of.begin) / (of.end - of.begin), 0.0f, kBelowOne);
    };
    const Float2 numbers = {(to_float(row.number) + part(x, row)) * Float(1 / kSide),
                            (to_float(column.number) + part(y, column)) * Float(1 / kSide)};
    return {min(numbers.x, kBelowOne), min(numbers.y, kBelowOne)};
}

// The bin of a direction: concentric_disk backwards.
HWY_INLINE Uint guide_bin(Float3 along, Float3 across, Float3 wi) {
    const Float x = dot(wi, along);
    const Float y = dot(wi, across);
    const Float radius = sqrt(fma(x, x, y * y));
    const Bool a_leads = abs(x) > abs(y);
    const Float longer = select(a_leads, x, y);
    const Float shorter = select(a_leads, y, x);
    const Float lead = copy_sign(radius, longer);
    // In turns of an eighth: −1 to 1.
    const Float ratio = shorter / select(longer == Float(0.0f), Float(1.0f), longer);
    const Float other = lead * (atan2(ratio, 1.0f) * Float(4.0f * kInvPiF));
    const auto bin = [](Float at) HWY_ATTR {
        constexpr float kHalf = static_cast<float>(kGuideSide) / 2;
        return to_uint(clamp(fma(at, kHalf, kHalf), 0.0f, static_cast<float>(kGuideSide) - 0.5f));
    };
    return bin(select(a_leads, lead, other)) * Uint(kGuideSide) + bin(select(a_leads, other, lead));
}

// The density of the numbers that a direction comes from.
HWY_INLINE Float guide_density(const Guide& guide, Float3 wi) {
    const Uint bin = guide_bin(guide.along, guide.across, wi);
    const Uint word = guide.table + Uint(offsetof(GuideTable, column_end) / 4) + bin;
    const Bool is_first = (bin & Uint(kGuideSide - 1)) == Uint(0u);
    const Float begin = select(
        is_first, Float(0.0f), gather(guide.words, word - select(is_first, Uint(0u), Uint(1u))));
    return select(guide.is_there, gather(guide.words, word) - begin, Float(1.0f));
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
