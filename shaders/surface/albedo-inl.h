// albedo-inl.h — the directional albedo tables in lanes: what a rough lobe reflects in all, and
// what rough glass loses (bsdf.md "Albedo tables").
//
// Linear in each coordinate and clamped at the borders; that of the GGX lobe goes on to cosine 1.
// scene_view.h has the layouts.
#if defined(WEFT_SHADERS_ALBEDO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_ALBEDO_INL_H_
#        undef WEFT_SHADERS_ALBEDO_INL_H_
#    else
#        define WEFT_SHADERS_ALBEDO_INL_H_
#    endif

#    include "shaders/host/scene_view.h"
#    include "shaders/lanes/quads-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Where to read: the entry above and to the left, and the weights of its neighbours.
struct AlbedoPlace {
    Uint column, row;
    Float across, along;
};

inline constexpr float kLastAlbedo = static_cast<float>(kAlbedoSize - 1);

HWY_INLINE AlbedoPlace albedo_place(Float cosine, Float roughness) {
    constexpr float kMost = kLastAlbedo + 0.5f;  // at cosine 1
    const Float x = clamp(fms(cosine, static_cast<float>(kAlbedoSize), 0.5f), 0.0f, kMost);
    const Float y = clamp(roughness * Float(kLastAlbedo), 0.0f, kLastAlbedo);
    const Float column = floor(x);
    const Float row = floor(y);
    return {to_uint(column), to_uint(row), x - column, y - row};
}

HWY_INLINE Float read_albedo(const float* table, const AlbedoPlace& p) {
    constexpr u32 kLast = kAlbedoSize - 1;
    const Uint corner = p.row * Uint(kAlbedoSize) + p.column;
    const Uint right = to_uint(is_less(p.column, Uint(kLast)));
    const Uint down = select(is_less(p.row, Uint(kLast)), Uint(kAlbedoSize), Uint(0u));
    const Float a = gather(table, corner);
    const Float b = gather(table, corner + right);
    const Float c = gather(table, corner + down);
    const Float d = gather(table, corner + down + right);
    return mix(mix(a, b, p.across), mix(c, d, p.across), p.along);
}

// A and B of the GGX lobe.
struct GgxAlbedo {
    Float a, b;
};

// Two entries side by side are four words.
HWY_INLINE GgxAlbedo read_ggx_albedo(const float* table, const AlbedoPlace& p) {
    alignas(64) u32 at[kLanes];
    store(shift_left<1>(p.row * Uint(kGgxAlbedoSize) + p.column), at);
    const u32* const words = reinterpret_cast<const u32*>(table);
    const QuadLanes above = load_quad(words, at);
    const QuadLanes below = load_quad(words + 2 * kGgxAlbedoSize, at);
    const auto between = [&](Uint a, Uint b, Uint c, Uint d) HWY_ATTR {
        return mix(mix(bits_to_float(a), bits_to_float(b), p.across),
                   mix(bits_to_float(c), bits_to_float(d), p.across),
                   p.along);
    };
    return {between(above.a, above.c, below.a, below.c),
            between(above.b, above.d, below.b, below.d)};
}

// One coordinate of a table with `size` entries, x in entries: the entry below, and the way to the
// next.
struct TableStep {
    Uint entry;
    Float along;
};

HWY_INLINE TableStep table_step(Float x, u32 size) {
    const Float inside = clamp(x, 0.0f, static_cast<float>(size - 1));
    const Float entry = min(floor(inside), static_cast<float>(size - 2));
    return {to_uint(entry), inside - entry};
}

// One axis of a table: the stride of its entries, and the way to the next entry.
struct TableAxis {
    u32 stride;
    Float along;
};

// The entries around `corner`, mixed along the innermost axis first. Axes before kAxis are done.
template <std::size_t kAxis, std::size_t kAxes>
HWY_INLINE Float read_linear(const float* table, Uint corner, const TableAxis (&axes)[kAxes]) {
    if constexpr (kAxis == kAxes) {
        return gather(table, corner);
    } else {
        const Float low = read_linear<kAxis + 1>(table, corner, axes);
        const Uint next = corner + Uint(axes[kAxis].stride);
        return mix(low, read_linear<kAxis + 1>(table, next, axes), axes[kAxis].along);
    }
}

// A cosine's coordinate in a table of `size` entries, for a roughness of at least kLeastRoughness.
HWY_INLINE TableStep cosine_step(Float cosine, Float roughness, u32 size) {
    const Float c = saturate(cosine);
    const Float grazing = sqrt(c * (roughness + Float(1.0f)) / (c + roughness));
    return table_step((c + grazing) * Float(0.5f * static_cast<float>(size - 1)), size);
}

// A roughness of at least kLeastRoughness.
HWY_INLINE TableStep roughness_step(Float roughness, u32 size) {
    const float scale = static_cast<float>(size - 1) / (1.0f - kLeastRoughness);
    return table_step((roughness - Float(kLeastRoughness)) * Float(scale), size);
}

// Where a roughness and an index are in the table of glass losses; a row is one roughness of one
// index.
struct LossPlace {
    Uint row;
    Float to_rougher, to_denser;
    Float roughness;  // at least kLeastRoughness
};

// An index's coordinate (scene_view.h), in entries.
HWY_INLINE Float loss_slice(Float eta) {
    constexpr float kHalf = 0.5f * static_cast<float>(kLossIndices - 1);
    const Float x = (eta - Float(1.0f)) / (eta + Float(1.0f));
    const Float z = min(sqrt(abs(x)) * Float(1.0f / kLossReach), 1.0f);
    const Float w = z * fnma(z, 0.4f, 1.4f);
    return fma(select(x < Float(0.0f), -w, w), kHalf, kHalf);
}

HWY_INLINE LossPlace loss_place(Float roughness, Float slice) {
    const Float inside = clamp(roughness, kLeastRoughness, 1.0f);
    const TableStep rough = roughness_step(inside, kLossRoughnesses);
    const TableStep index = table_step(slice, kLossIndices);
    return {index.entry * Uint(kLossRoughnesses) + rough.entry, rough.along, index.along, inside};
}

HWY_INLINE Float read_loss(const float* table, const LossPlace& p, Float cosine) {
    const TableStep t = cosine_step(cosine, p.roughness, kLossCosines);
    const Uint corner = p.row * Uint(kLossCosines) + t.entry;
    return read_linear<0>(table,
                          corner,
                          {{kLossRoughnesses * kLossCosines, p.to_denser},
                           {kLossCosines, p.to_rougher},
                           {1, t.along}});
}

HWY_INLINE Float read_mean_loss(const float* table, const LossPlace& p) {
    return read_linear<0>(table, p.row, {{kLossRoughnesses, p.to_denser}, {1, p.to_rougher}});
}

// Roughnesses √α of an anisotropic surface: along the tangent, across it, in the plane of
// incidence, and in the mean, ((α_t² + α_b²)/2)^¼. `azimuth` is (1 + cos φ − sin φ)/2 of that
// plane.
struct BrushRoughness {
    Float along, across, seen, mean, azimuth;
};

// Where `part` of `whole` is among even shares.
HWY_INLINE TableStep share_step(Float part, Float whole, u32 size) {
    const Float share = part / max(whole, 1e-6f);
    return table_step(share * Float(static_cast<float>(size - 1)), size);
}

// What an anisotropic surface reflects in all, and how.
struct BrushAlbedo {
    Float single;   // E_ss
    Float grazing;  // B
};

HWY_INLINE BrushAlbedo read_anisotropic_albedo(const float* table,
                                               const BrushRoughness& r,
                                               Float cosine) {
    constexpr u32 kOfCosine = 2;
    constexpr u32 kOfWidth = kOfCosine * kBrushCosines;
    constexpr u32 kOfRoughness = kOfWidth * kBrushWidths;
    constexpr u32 kOfStrength = kOfRoughness * kBrushRoughnesses;
    const TableStep s = share_step(r.along - r.across, Float(1.0f) - r.across, kBrushStrengths);
    const TableStep j = roughness_step(r.across, kBrushRoughnesses);
    const TableStep w = share_step(r.seen - r.across, r.along - r.across, kBrushWidths);
    const TableStep t = cosine_step(cosine, r.seen, kBrushCosines);
    const TableAxis axes[] = {
        {kOfStrength, s.along}, {kOfRoughness, j.along}, {kOfWidth, w.along}, {kOfCosine, t.along}};
    const Uint corner = s.entry * Uint(kOfStrength) + j.entry * Uint(kOfRoughness) +
                        w.entry * Uint(kOfWidth) + t.entry * Uint(kOfCosine);
    const Float single = read_linear<0>(table, corner, axes);
    const Float root = read_linear<0>(table, corner + Uint(1u), axes);
    return {single, single * square(square(root)) * root};
}

// What anisotropic glass loses more than glass of its mean roughness; `slice` as in loss_place().
HWY_INLINE Float read_glass_anisotropy(const float* table,
                                       const BrushRoughness& r,
                                       Float slice,
                                       Float cosine) {
    constexpr u32 kOfAzimuth = kGlassCosines;
    constexpr u32 kOfRoughness = kOfAzimuth * kGlassAzimuths;
    constexpr u32 kOfStrength = kOfRoughness * kGlassRoughnesses;
    constexpr u32 kOfIndex = kOfStrength * kGlassStrengths;
    constexpr float kSlices =
        static_cast<float>(kGlassIndices - 1) / static_cast<float>(kLossIndices - 1);
    const TableStep k = table_step(slice * Float(kSlices), kGlassIndices);
    const TableStep s = share_step(r.along - r.across, Float(1.0f) - r.across, kGlassStrengths);
    const TableStep j = roughness_step(r.across, kGlassRoughnesses);
    const TableStep w = share_step(r.azimuth, 1.0f, kGlassAzimuths);
    const TableStep t = cosine_step(cosine, r.mean, kGlassCosines);
    const Uint corner = k.entry * Uint(kOfIndex) + s.entry * Uint(kOfStrength) +
                        j.entry * Uint(kOfRoughness) + w.entry * Uint(kOfAzimuth) + t.entry;
    return read_linear<0>(table,
                          corner,
                          {{kOfIndex, k.along},
                           {kOfStrength, s.along},
                           {kOfRoughness, j.along},
                           {kOfAzimuth, w.along},
                           {1, t.along}});
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
