// albedo-inl.h — the directional albedo tables in lanes: what a rough lobe reflects in all (bsdf.md
// "Albedo tables").
//
// Bilinear over cosine (columns, entries at (i + ½) / kAlbedoSize) and perceptual roughness (rows),
// clamped at the borders.
#if defined(WEFT_SHADERS_ALBEDO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_ALBEDO_INL_H_
#        undef WEFT_SHADERS_ALBEDO_INL_H_
#    else
#        define WEFT_SHADERS_ALBEDO_INL_H_
#    endif

#    include "shaders/scene_view.h"
#    include "shaders/vector-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Where to read: the corner entry, the steps to its neighbours, and the weights.
struct AlbedoPlace {
    Uint corner, right, down;
    Float across, along;
};

HWY_INLINE AlbedoPlace albedo_place(Float cosine, Float roughness) {
    constexpr float kLast = static_cast<float>(kAlbedoSize - 1);
    const Float x = clamp(fms(cosine, static_cast<float>(kAlbedoSize), 0.5f), 0.0f, kLast);
    const Float y = clamp(roughness * Float(kLast), 0.0f, kLast);
    const Float column = floor(x);
    const Float row = floor(y);
    const Uint i = to_uint(column);
    const Uint j = to_uint(row);
    return {j * Uint(kAlbedoSize) + i,
            to_uint(column < Float(kLast)),
            select(row < Float(kLast), Uint(kAlbedoSize), Uint(0u)),
            x - column,
            y - row};
}

HWY_INLINE Float read_albedo(const float* table, const AlbedoPlace& p) {
    const Float a = gather(table, p.corner);
    const Float b = gather(table, p.corner + p.right);
    const Float c = gather(table, p.corner + p.down);
    const Float d = gather(table, p.corner + p.down + p.right);
    return mix(mix(a, b, p.across), mix(c, d, p.across), p.along);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
