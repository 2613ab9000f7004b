// texture-inl.h — filtered texture lookups in lanes: the footprint of a ray cone, up to four reads
// along its long axis, wrap modes, texel formats.
//
// Each lane may read a different slot. The footprint follows Akenine-Möller et al., "Texture Level
// of Detail Strategies for Real-Time Ray Tracing" (2019) and "Improved Shader and Texture Level of
// Detail Using Ray Cones" (2021); bsdf.md section 3 has the formulas. Decoding happens before
// filtering. Reads only.
#if defined(WEFT_SHADERS_TEXTURE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_TEXTURE_INL_H_
#        undef WEFT_SHADERS_TEXTURE_INL_H_
#    else
#        define WEFT_SHADERS_TEXTURE_INL_H_
#    endif

#    include "shaders/host/scene_view.h"
#    include "shaders/lanes/elementary-inl.h"
#    include "shaders/lanes/local_words-inl.h"
#    include "shaders/lanes/record-inl.h"
#    include "shaders/surface/texel_layout.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Where a hit lies on its textures.
struct TexturePlace {
    Float2 uv[2];
    Float2 long_axis[2];  // full long axis of the footprint in uv, where stretch2 ≥ kTwoReads
    Float uv_area[2];     // |cross| of the uv edges of the triangle
    Float footprint;      // (cone width)² / |cross| of the world edges; 0: level 0
    Float stretch2;       // (long axis / short axis)²
    Bool is_wide;         // wide cone: one read of one level suffices
};

// From these values of stretch2 on, two and four reads are made along the long axis, where it is
// longer than a texel.
inline constexpr float kTwoReads = 2.25f;
inline constexpr float kFourReads = 9.0f;

// A lookup by lane: texture, transformed coordinates, wrap modes and filter.
struct TextureCursor {
    Records texture;
    Uint width, height, format, mips;
    Float2 uv;         // transformed
    Float2 long_axis;  // transformed
    Uint wrap_u, wrap_v;
    Bool is_nearest;
    Bool is_two, is_four;  // two or more, four reads along the long axis; else one
    Bool is_one_level;     // reads the nearest level alone
    Float level;           // not clamped
};

HWY_INLINE TextureCursor texture_cursor(const SceneView& scene, Uint slot, const TexturePlace& p) {
    // Read the slot and its texture; transform the coordinates.
    const Records r = records_of(scene.slots, slot);
    const QuadLanes head = read_quad(r, offsetof(TextureSlot, texture));
    const QuadLanes middle = read_quad(r, offsetof(TextureSlot, uv_transform) + 8);
    const QuadLanes wrap = read_quad(r, offsetof(TextureSlot, wrap_u));
    const Float m0 = bits_to_float(head.c), m1 = bits_to_float(head.d);
    const Float m2 = bits_to_float(middle.a), m3 = bits_to_float(middle.b);
    const Float m4 = bits_to_float(middle.c), m5 = bits_to_float(middle.d);
    const Bool is_second = head.b == Uint(1u);
    const Float u = select(is_second, p.uv[1].x, p.uv[0].x);
    const Float v = select(is_second, p.uv[1].y, p.uv[0].y);
    const Float du = select(is_second, p.long_axis[1].x, p.long_axis[0].x);
    const Float dv = select(is_second, p.long_axis[1].y, p.long_axis[0].y);
    TextureCursor c;
    c.texture = records_of(scene.textures, head.a);
    const QuadLanes size = read_quad(c.texture, offsetof(TextureRecord, width));
    c.width = size.a;
    c.height = size.b;
    c.format = size.c;
    c.mips = size.d;
    c.uv = {fma(m0, u, fma(m1, v, m2)), fma(m3, u, fma(m4, v, m5))};
    c.long_axis = {fma(m0, du, m1 * dv), fma(m3, du, m4 * dv)};
    c.wrap_u = wrap.a;
    c.wrap_v = wrap.b;
    c.is_nearest = wrap.c != Uint(0u);
    const Float area = select(is_second, p.uv_area[1], p.uv_area[0]) * abs(fms(m0, m4, m1 * m3));
    const Float texels = area * to_float(c.width) * to_float(c.height);
    // Compute the squared lengths of the footprint's axes in texels, and the number of reads.
    const Float short2 = texels * p.footprint;
    const Float long2 = short2 * p.stretch2;
    const Bool may_repeat = (long2 > Float(1.0f)) & !c.is_nearest & !p.is_wide;
    c.is_two = may_repeat & (p.stretch2 >= Float(kTwoReads));
    c.is_four = may_repeat & (p.stretch2 >= Float(kFourReads));
    c.is_one_level = c.is_nearest | p.is_wide;
    // Compute the mip level of one read.
    const Float part2 =
        long2 * select(c.is_four, Float(0.0625f), select(c.is_two, Float(0.25f), Float(1.0f)));
    const Float read2 = select(c.is_nearest & !p.is_wide, short2, max(short2, part2));
    c.level = log2(read2) * Float(0.5f);
    return c;
}

// Wraps a coordinate to [0, 1] (±rounding); values that are not finite count as 0.
HWY_INLINE Float wrap_coordinate(Float x, Uint wrap) {
    x = select(abs(x) < Float(1e12f), x, Float(0.0f));
    const Float repeated = x - floor(x);
    const Float half = x * Float(0.5f);
    const Float phase = Float(2.0f) * (half - floor(half));
    const Float mirrored = select(phase > Float(1.0f), Float(2.0f) - phase, phase);
    const Float clamped = saturate(x);
    return select(wrap == Uint(static_cast<u32>(Wrap::Repeat)),
                  repeated,
                  select(wrap == Uint(static_cast<u32>(Wrap::Clamp)), clamped, mirrored));
}

// The two texels around a wrapped coordinate, and the weight of the second.
struct TexelPair {
    Uint low, high;
    Float weight;
};

HWY_INLINE TexelPair texel_pair(Float x, Float size, Uint wrap, Bool is_nearest) {
    const Float last = size - Float(1.0f);
    const Float at = fms(x, size, 0.5f);
    const Float low = floor(at);
    const Float high = low + Float(1.0f);
    const Bool repeats = wrap == Uint(static_cast<u32>(Wrap::Repeat));
    const Float low_in = select(low < Float(0.0f), select(repeats, last, Float(0.0f)), low);
    const Float high_in = select(high > last, select(repeats, Float(0.0f), last), high);
    const Float texel = min(floor(x * size), last);
    return {to_uint(select(is_nearest, texel, min(low_in, last))),
            to_uint(select(is_nearest, texel, high_in)),
            select(is_nearest, Float(0.0f), at - low)};
}

HWY_INLINE Bool is_format(Uint format, TexelFormat which) {
    return format == Uint(static_cast<u32>(which));
}

// half_to_float of texel_layout.h: the half in the low bits of each lane.
HWY_INLINE Float decode_half(Uint code) {
    const Uint shifted = shift_left<13>(code & Uint(0x7fffu));
    const Float normal = bits_to_float(shifted + Uint(112u << 23));
    const Float small = bits_to_float(shifted + Uint(113u << 23)) - Float(0x1p-14f);
    const Float value = select(is_less(shifted, Uint(1u << 23)), small, normal);
    return bits_to_float(float_to_bits(value) | shift_left<16>(code & Uint(0x8000u)));
}

// Texel `index` of the level that begins at word `first` of the arena, decoded.
HWY_INLINE Float4 decode_texel(const SceneView& scene, Uint first, Uint index, Uint format) {
    const Bool is_float = is_format(format, TexelFormat::Float);
    const Bool is_half = is_format(format, TexelFormat::Half);
    const Bool is_grey_srgb = is_format(format, kGreySrgb8);
    const Bool is_grey_byte = is_format(format, kGreyLinear8) | is_grey_srgb;
    const Bool is_grey_float = is_format(format, kGreyFloat);
    const Bool is_srgb = is_format(format, TexelFormat::Srgb8) | is_grey_srgb;
    // Fetch the texel's first word.
    const Uint whole_words =
        select(is_float, shift_left<2>(index), select(is_half, shift_left<1>(index), index));
    const Uint word = first + select(is_grey_byte, shift_right<2>(index), whole_words);
    Uint packed = read_words(scene.local_texels, scene.texels, word);
    if (any(is_grey_byte)) {
        // Expand the byte to an opaque RGBA word.
        const Uint code = shift_right(packed, shift_left<3>(index & Uint(3u))) & Uint(255u);
        const Uint rgba = code | shift_left<8>(code) | shift_left<16>(code) | Uint(0xff000000u);
        packed = select(is_grey_byte, rgba, packed);
    }
    // Decode 8-bit channels.
    const Uint r = packed & Uint(255u);
    const Uint g = shift_right<8>(packed) & Uint(255u);
    const Uint b = shift_right<16>(packed) & Uint(255u);
    const Float unit = 1.0f / 255.0f;
    Float4 texel = {{to_float(r) * unit, to_float(g) * unit, to_float(b) * unit},
                    to_float(shift_right<24>(packed)) * unit};
    // Decode the other formats where a lane has them.
    if (any(is_srgb)) {
        const float* curve = scene.srgb_to_linear;
        const Float3 linear = {gather(curve, r), gather(curve, g), gather(curve, b)};
        texel.rgb = select(is_srgb, linear, texel.rgb);
    }
    if (any(is_grey_float)) {
        const Float grey = bits_to_float(packed);
        texel = {select(is_grey_float, Float3{grey, grey, grey}, texel.rgb),
                 select(is_grey_float, Float(1.0f), texel.a)};
    }
    if (any(is_float)) {
        const ReadLanes floats(is_float);
        const Uint at = select(is_float, word, Uint(0u));
        const Float3 rgb = {
            bits_to_float(packed),
            bits_to_float(read_words(scene.local_texels, scene.texels, at + Uint(1u))),
            bits_to_float(read_words(scene.local_texels, scene.texels, at + Uint(2u)))};
        const Float a = bits_to_float(read_words(scene.local_texels, scene.texels, at + Uint(3u)));
        texel = {select(is_float, rgb, texel.rgb), select(is_float, a, texel.a)};
    }
    if (any(is_half)) {
        const ReadLanes halves(is_half);
        const Uint more = read_words(
            scene.local_texels, scene.texels, select(is_half, word + Uint(1u), Uint(0u)));
        const Float3 rgb = {
            decode_half(packed), decode_half(shift_right<16>(packed)), decode_half(more)};
        const Float a = decode_half(shift_right<16>(more));
        texel = {select(is_half, rgb, texel.rgb), select(is_half, a, texel.a)};
    }
    return texel;
}

HWY_INLINE Float4 mix(const Float4& a, const Float4& b, Float t) {
    return {mix(a.rgb, b.rgb, t), mix(a.a, b.a, t)};
}

HWY_INLINE Float4 select(Bool c, const Float4& yes, const Float4& no) {
    return {select(c, yes.rgb, no.rgb), select(c, yes.a, no.a)};
}

// Bilinear (or nearest) at `uv` of one mip level.
HWY_NOINLINE inline Float4 read_level(const SceneView& scene,
                                      const TextureCursor& c,
                                      Float2 uv,
                                      Uint level) {
    // Find the level's first word and its size.
    const Records& r = c.texture;
    const Uint offset_word =
        r.first + Uint(static_cast<u32>(offsetof(TextureRecord, mip_offset) / 4)) + level;
    const Uint first = gather(r.words, offset_word);
    const Uint width = shift_right(c.width, level);
    const Uint height = shift_right(c.height, level);
    const Uint columns = select(width == Uint(0u), Uint(1u), width);
    const Uint rows = select(height == Uint(0u), Uint(1u), height);
    // Wrap the coordinates and find the four texels.
    const TexelPair x =
        texel_pair(wrap_coordinate(uv.x, c.wrap_u), to_float(columns), c.wrap_u, c.is_nearest);
    const TexelPair y =
        texel_pair(wrap_coordinate(uv.y, c.wrap_v), to_float(rows), c.wrap_v, c.is_nearest);
    // Split texel_index() into a column's and a row's summand.
    constexpr u32 kInTile = kTileSide - 1;
    const Uint tiles = shift_right<kTileShift>(columns + Uint(kInTile));
    const auto of_column = [&](Uint at) HWY_ATTR {
        return shift_left<2 * kTileShift>(shift_right<kTileShift>(at)) + (at & Uint(kInTile));
    };
    const auto of_row = [&](Uint at) HWY_ATTR {
        return shift_left<2 * kTileShift>(shift_right<kTileShift>(at) * tiles) +
               shift_left<kTileShift>(at & Uint(kInTile));
    };
    const auto texel = [&](Uint column, Uint row)
                           HWY_ATTR { return decode_texel(scene, first, column + row, c.format); };
    // Interpolate.
    const Uint left = of_column(x.low);
    const Uint right = of_column(x.high);
    const Uint above = of_row(y.low);
    const Uint below = of_row(y.high);
    const Float4 top = mix(texel(left, above), texel(right, above), x.weight);
    const Float4 bottom = mix(texel(left, below), texel(right, below), x.weight);
    return mix(top, bottom, y.weight);
}

// One of several reads along the long axis, at `shift` of its length from the centre. The biases of
// all reads are spread over [0, 1), so that their levels average to `level`.
HWY_INLINE Float4 read_along(const SceneView& scene,
                             const TextureCursor& c,
                             Bool where,
                             Float level,
                             Float shift,
                             Float bias) {
    const Float last = to_float(c.mips) - Float(1.0f);
    const Float at = min(floor(level + bias), last);
    const Float2 uv = {fma(c.long_axis.x, shift, c.uv.x), fma(c.long_axis.y, shift, c.uv.y)};
    const ReadLanes lanes(where);
    return read_level(
        scene, c, {select(where, uv.x, c.uv.x), select(where, uv.y, c.uv.y)}, to_uint(at));
}

// Filters along the long axis, in lanes with is_two; undefined in others.
HWY_NOINLINE inline Float4 lookup_along(const SceneView& scene,
                                        const TextureCursor& c,
                                        Float level) {
    const auto number = [&](float of_two, float of_four)
                            HWY_ATTR { return select(c.is_four, Float(of_four), Float(of_two)); };
    const Float4 first =
        read_along(scene, c, c.is_two, level, number(-0.25f, -0.375f), number(0.25f, 0.125f));
    const Float4 second =
        read_along(scene, c, c.is_two, level, number(0.25f, -0.125f), number(0.75f, 0.625f));
    const Float4 inner = mix(first, second, 0.5f);
    if (!any(c.is_four)) {
        return inner;
    }
    const Float4 third = read_along(scene, c, c.is_four, level, 0.125f, 0.375f);
    const Float4 fourth = read_along(scene, c, c.is_four, level, 0.375f, 0.875f);
    return select(c.is_four, mix(inner, mix(third, fourth, 0.5f), 0.5f), inner);
}

// Filtered RGBA of a slot at a place; white where the slot is kNone.
HWY_NOINLINE inline Float4 lookup(const SceneView& scene, Uint slot, const TexturePlace& place) {
    const Float4 white = {splat(1.0f), 1.0f};
    const Bool has_texture = slot != Uint(kNone);
    if (!any(has_texture)) {
        return white;
    }
    const ReadLanes textured(has_texture);
    // Compute the footprint and the mip level.
    const TextureCursor c = texture_cursor(scene, select(has_texture, slot, Uint(0u)), place);
    const Float last = to_float(c.mips) - Float(1.0f);
    const Float level =
        clamp(select(c.is_one_level, floor(c.level + Float(0.5f)), c.level), 0.0f, last);
    const Bool is_along = c.is_two & has_texture;
    // Read trilinearly, or along the long axis of stretched footprints.
    Float4 texel = white;
    if (!all(is_along)) {
        const Float lower = floor(level);
        {
            const ReadLanes across(has_texture, is_along);
            texel = read_level(scene, c, c.uv, to_uint(lower));
        }
        // Lanes that magnify or read one level need no second level.
        const Float between = level - lower;
        const Bool is_between = (between > Float(0.0f)) & !is_along & has_texture;
        if (any(is_between)) {
            const ReadLanes between_levels(is_between);
            const Float4 coarser =
                read_level(scene, c, c.uv, to_uint(min(lower + Float(1.0f), last)));
            texel = select(is_between, mix(texel, coarser, between), texel);
        }
    }
    if (any(is_along)) {
        const ReadLanes along(is_along);
        texel = select(is_along, lookup_along(scene, c, level), texel);
    }
    return select(has_texture, texel, white);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
