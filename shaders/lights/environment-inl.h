// environment-inl.h — the environment map in lanes: radiance of a direction, importance sampling,
// and densities.
//
// Lat-long: u = 0.5 + atan2(z, x)/2π, v = 0.5 − asin(y)/π from the top row, after turning the
// direction back by the map's rotation about +Y (bsdf.md section 5). Cells are texels; an alias
// table draws them. Reads only.
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

// Solid-angle density of a cell's points.
HWY_INLINE Float cell_density(const SceneView& scene, Uint cell, Float cos_latitude) {
    const Float cells = to_float(Uint(scene.environment_width * scene.environment_height));
    const Float scale = cells * Float(0.5f * kInvPiF * kInvPiF);
    const Float share = value_of_cell(scene, cell, offsetof(EnvironmentCell, pdf));
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
    return cell_density(scene, row * Uint(scene.environment_width) + column, p.cos_latitude);
}

// An alias table's decision: keeps `index` or takes its alias; the rest of the fraction is rescaled
// to [0, 1).
struct AliasChoice {
    Uint index;
    Float fraction;
};

HWY_INLINE AliasChoice take_alias(Uint index, Uint alias, Float threshold, Float fraction) {
    const Bool stays = fraction < threshold;
    const Float share = select(stays, threshold, Float(1.0f) - threshold);
    const Float offset = select(stays, fraction, fraction - threshold);
    return {select(stays, index, alias), clamp(offset / max(share, 1e-12f), 0.0f, 0x1.fffffep-1f)};
}

// A sampled direction, its radiance and its density.
struct EnvironmentSample {
    Float3 wi;
    Float3 radiance;
    Float pdf;
};

// A sampled point of the map, and its cell.
struct CellPoint {
    Uint cell;
    Float x, y;
};

// Samples a cell by the alias table, and a point in it.
HWY_INLINE CellPoint draw_cell(const SceneView& scene, Float2 u, Float down) {
    const u32 cells = scene.environment_width * scene.environment_height;
    const Float place = floor(u.x * to_float(Uint(cells)));
    const Uint drawn = to_uint(min(place, to_float(Uint(cells - 1))));
    const AliasChoice choice =
        take_alias(drawn,
                   word_of_cell(scene, drawn, offsetof(EnvironmentCell, alias)),
                   value_of_cell(scene, drawn, offsetof(EnvironmentCell, alias_threshold)),
                   u.y);

    // Row and column; the float quotient may be one row off.
    const Uint width = scene.environment_width;
    const Float width_f = to_float(width);
    Uint row = to_uint(floor(to_float(choice.index) / width_f));
    row = select(is_less(choice.index, row * width), row - Uint(1u), row);
    row = select(is_less(choice.index - row * width, width), row, row + Uint(1u));
    const Uint column = choice.index - row * width;

    return {choice.index,
            (to_float(column) + choice.fraction) / width_f,
            (to_float(row) + down) / to_float(Uint(scene.environment_height))};
}

// Samples a direction. u chooses the cell and its alias; `down` is the position within the cell
// along its column.
HWY_NOINLINE inline EnvironmentSample sample_environment(const SceneView& scene,
                                                         Float2 u,
                                                         Float down) {
    const CellPoint at = draw_cell(scene, u, down);
    const SinCos longitude = sin_cos_turns(at.x - Float(0.5f));
    const SinCos latitude = sin_cos_turns((Float(0.5f) - at.y) * Float(0.5f));
    const Float lx = latitude.cos * longitude.cos;
    const Float lz = latitude.cos * longitude.sin;
    const Float c = scene.environment_cos;
    const Float s = scene.environment_sin;
    const Float3 wi = {fma(c, lx, s * lz), latitude.sin, fms(c, lz, s * lx)};
    return {wi,
            environment_radiance(scene, {at.x, at.y, latitude.cos}),
            cell_density(scene, at.cell, latitude.cos)};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
