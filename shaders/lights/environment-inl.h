// environment-inl.h — the environment map in lanes: radiance of a direction, importance sampling,
// and densities.
//
// Lat-long: u = 0.5 + atan2(z, x)/2π, v = 0.5 − asin(y)/π from the top row, after turning the
// direction back by the map's rotation about +Y (bsdf.md section 5). Cells are texels. A sample
// draws a row, then a cell of it, each by the inverse of the cumulative distribution, so stratified
// numbers draw stratified points. Reads only.
#if defined(WEFT_SHADERS_ENVIRONMENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_ENVIRONMENT_INL_H_
#        undef WEFT_SHADERS_ENVIRONMENT_INL_H_
#    else
#        define WEFT_SHADERS_ENVIRONMENT_INL_H_
#    endif

#    include "shaders/host/scene_view.h"
#    include "shaders/lanes/elementary-inl.h"
#    include "shaders/lanes/local_words-inl.h"
#    include "shaders/lanes/record-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// A point of the map, u to the right and v down, with the cosine of its latitude.
struct MapPoint {
    Float u, v;
    Float cos_latitude;
};

// True for one radiance from all directions.
HWY_INLINE bool is_constant(const SceneView& scene) {
    return scene.environment_width == 1 && scene.environment_height == 1;
}

HWY_INLINE MapPoint map_point(const SceneView& scene, Float3 direction) {
    const Float cos_latitude = sqrt(max(fnma(direction.y, direction.y, 1.0f), 0.0f));
    if (is_constant(scene)) {
        return {0.5f, 0.5f, cos_latitude};
    }
    const Float c = scene.environment_cos;
    const Float s = scene.environment_sin;
    const Float x = fms(c, direction.x, s * direction.z);
    const Float z = fma(s, direction.x, c * direction.z);
    return {
        fma(atan2(z, x), kInvTwoPiF, 0.5f), fnma(asin(direction.y), kInvPiF, 0.5f), cos_latitude};
}

HWY_INLINE Float3 texel_of(const SceneView& scene, Uint cell) {
    const Uint first = cell * Uint(3u);
    if (scene.local_environment == nullptr) {
        return gather3(scene.environment, first);
    }
    const auto value = [&](u32 channel) HWY_ATTR {
        return bits_to_float(read_words(scene.local_environment, nullptr, first + Uint(channel)));
    };
    return {value(0), value(1), value(2)};
}

// One field of a cell: the word at `offset` bytes.
HWY_INLINE Uint word_of_cell(const SceneView& scene, Uint cell, std::size_t offset) {
    if (scene.local_cells == nullptr) {
        return read_uint(records_of(scene.environment_cells, cell), offset);
    }
    const Uint first = cell * Uint(sizeof(EnvironmentCell) / sizeof(u32));
    return read_words(
        scene.local_cells, nullptr, first + Uint(static_cast<u32>(offset / sizeof(u32))));
}

HWY_INLINE Float value_of_cell(const SceneView& scene, Uint cell, std::size_t offset) {
    return bits_to_float(word_of_cell(scene, cell, offset));
}

// The numbers of a cell.
struct CellLanes {
    Float begin, steps, pdf;
};

HWY_INLINE CellLanes cell_of(const SceneView& scene, Uint cell) {
    if (scene.local_cells != nullptr) {
        return {value_of_cell(scene, cell, offsetof(EnvironmentCell, begin)),
                value_of_cell(scene, cell, offsetof(EnvironmentCell, steps)),
                value_of_cell(scene, cell, offsetof(EnvironmentCell, pdf))};
    }
    alignas(64) u32 at[kLanes];
    store(cell * Uint(u32{sizeof(EnvironmentCell) / 4}), at);
    const QuadLanes words = load_quad(reinterpret_cast<const u32*>(scene.environment_cells), at);
    return {bits_to_float(words.a), bits_to_float(words.b), bits_to_float(words.c)};
}

// Radiance at p: bilinear; u wraps, v clamps. Black without a map.
HWY_NOINLINE inline Float3 environment_radiance(const SceneView& scene, const MapPoint& p) {
    if (scene.environment_width == 0) {
        return splat(0.0f);
    }
    if (is_constant(scene)) {
        const float* rgb = scene.environment;
        return Float3{rgb[0], rgb[1], rgb[2]} * Float(scene.environment_scale);
    }
    const Float width = to_float(Uint(scene.environment_width));
    const Float height = to_float(Uint(scene.environment_height));
    const Float x = fms(p.u, width, 0.5f);
    const Float y = fms(p.v, height, 0.5f);
    const Float left = floor(x);
    const Float above = floor(y);
    // Find the four cells around p.
    const auto column = [&](Float i) HWY_ATTR {
        const Float wrapped = select(i < Float(0.0f), i + width, select(i >= width, i - width, i));
        return to_uint(clamp(wrapped, 0.0f, width - Float(1.0f)));
    };
    const auto row = [&](Float j) HWY_ATTR {
        return to_uint(clamp(j, 0.0f, height - Float(1.0f))) * Uint(scene.environment_width);
    };
    const Uint x0 = column(left);
    const Uint x1 = column(left + Float(1.0f));
    const Uint y0 = row(above);
    const Uint y1 = row(above + Float(1.0f));
    // Interpolate.
    const Float3 top = mix(texel_of(scene, y0 + x0), texel_of(scene, y0 + x1), x - left);
    const Float3 bottom = mix(texel_of(scene, y1 + x0), texel_of(scene, y1 + x1), x - left);
    return mix(top, bottom, y - above) * Float(scene.environment_scale);
}

// Solid-angle density of the points of a cell of probability `share`.
HWY_INLINE Float cell_density(const SceneView& scene, Float share, Float cos_latitude) {
    const Float cells = to_float(Uint(scene.environment_width * scene.environment_height));
    const Float scale = cells * Float(0.5f * kInvPiF * kInvPiF);
    return share * scale / max(cos_latitude, 1e-6f);
}

// Density with which sample_environment draws the direction at p; 0 without a map.
HWY_INLINE Float environment_pdf(const SceneView& scene, const MapPoint& p) {
    if (scene.environment_width == 0) {
        return 0.0f;
    }
    const Float width = to_float(Uint(scene.environment_width));
    const Float height = to_float(Uint(scene.environment_height));
    const Uint column = to_uint(clamp(floor(p.u * width), 0.0f, width - Float(1.0f)));
    const Uint row = to_uint(clamp(floor(p.v * height), 0.0f, height - Float(1.0f)));
    const Uint cell = row * Uint(scene.environment_width) + column;
    return cell_density(
        scene, value_of_cell(scene, cell, offsetof(EnvironmentCell, pdf)), p.cos_latitude);
}

// A sampled direction, its radiance and its density.
struct EnvironmentSample {
    Float3 wi;
    Float3 radiance;
    Float pdf;
};

// A cell drawn from a row, or a row drawn from the picture.
struct DrawnCell {
    Uint index;  // in its row
    Float pdf;
    Float place;  // in the cell, [0, 1): what the number leaves
};

// Draws one of `count` cells from cell `first` on, in the lanes of `where`. `u` is on the sampler's
// grid of 2⁻²⁴; `u_fine`, in [0, 1), has the bits below it, since a dark cell has few numbers. The
// result rises with both.
HWY_INLINE DrawnCell
draw_cell(const SceneView& scene, Bool where, Uint first, u32 count, Float u, Float u_fine) {
    // The interval of the number names a cell at or before the one that is wanted.
    const Uint interval = to_uint(floor(u * Float(static_cast<float>(guide_count(count)))));
    const Uint guide = word_of_cell(scene, first + interval, offsetof(EnvironmentCell, guide));
    Uint drawn = guide & Uint(kMostStride - 1);
    Uint stride = shift_right(Uint(kMostStride), shift_right<24>(guide));
    // Find the last cell that does not begin behind the number.
    const Float n = u * Float(0x1p24f);
    for (;;) {
        const Bool searches = where & is_less(Uint(0u), stride);
        if (!any(searches)) {
            break;
        }
        const Uint next = drawn + stride;
        const Bool is_inside = searches & is_less(next, Uint(count));
        const Float begin = value_of_cell(
            scene, first + select(is_inside, next, drawn), offsetof(EnvironmentCell, begin));
        drawn = select(is_inside & (begin <= n), next, drawn);
        stride = shift_right<1>(stride);
    }
    // Stretch the rest of the number over the cell.
    const CellLanes cell = cell_of(scene, first + drawn);
    const Float place = ((n - cell.begin) + u_fine) / max(cell.steps, 1.0f);
    return {drawn, cell.pdf, clamp(place, 0.0f, 0x1.fffffep-1f)};
}

// Samples a direction, in the lanes of `where`: u.y chooses the row, u.x the cell of it. u_fine has
// the bits below these numbers.
HWY_NOINLINE inline EnvironmentSample sample_environment(const SceneView& scene,
                                                         Bool where,
                                                         Float2 u,
                                                         Float u_fine) {
    // Each number gets half of the finer bits.
    const Float fine = u_fine * Float(0x1p12f);
    const Float fine_x = floor(fine);
    const u32 width = scene.environment_width;
    const u32 height = scene.environment_height;
    const DrawnCell row = draw_cell(scene, where, Uint(width * height), height, u.y, fine - fine_x);
    const DrawnCell cell =
        draw_cell(scene, where, row.index * Uint(width), width, u.x, fine_x * Float(0x1p-12f));
    const Float x = (to_float(cell.index) + cell.place) / to_float(Uint(width));
    const Float y = (to_float(row.index) + row.place) / to_float(Uint(height));
    // Turn the point into a direction.
    const SinCos longitude = sin_cos_turns(x - Float(0.5f));
    const SinCos latitude = sin_cos_turns((Float(0.5f) - y) * Float(0.5f));
    const Float lx = latitude.cos * longitude.cos;
    const Float lz = latitude.cos * longitude.sin;
    const Float c = scene.environment_cos;
    const Float s = scene.environment_sin;
    const Float3 wi = {fma(c, lx, s * lz), latitude.sin, fms(c, lz, s * lx)};
    return {wi,
            environment_radiance(scene, {x, y, latitude.cos}),
            cell_density(scene, cell.pdf, latitude.cos)};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
