// albedo-inl.h — the directional albedo tables in lanes: what a rough lobe reflects in all, and
// what rough glass loses (bsdf.md "Albedo tables").
//
// Linear in each coordinate and clamped at the borders; scene_view.h has the layouts.
#if defined(WEFT_SHADERS_ALBEDO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_ALBEDO_INL_H_
#        undef WEFT_SHADERS_ALBEDO_INL_H_
#    else
#        define WEFT_SHADERS_ALBEDO_INL_H_
#    endif

#    include "shaders/host/scene_view.h"
#    include "shaders/lanes/vector-inl.h"

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

// Entries p and p + `stride`, mixed.
HWY_INLINE Float read_pair(const float* table, Uint p, u32 stride, Float along) {
    return mix(gather(table, p), gather(table, p + Uint(stride)), along);
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
    const Uint denser = corner + Uint(kLossRoughnesses * kLossCosines);
    const auto of_index = [&](Uint at) HWY_ATTR {
        return mix(read_pair(table, at, 1, t.along),
                   read_pair(table, at + Uint(kLossCosines), 1, t.along),
                   p.to_rougher);
    };
    return mix(of_index(corner), of_index(denser), p.to_denser);
}

HWY_INLINE Float read_mean_loss(const float* table, const LossPlace& p) {
    return mix(read_pair(table, p.row, 1, p.to_rougher),
               read_pair(table, p.row + Uint(kLossRoughnesses), 1, p.to_rougher),
               p.to_denser);
}

// Roughnesses √α of an anisotropic surface: along the tangent, across it, and in the plane of
// incidence.
struct BrushRoughness {
    Float along, across, seen;
};

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
    const auto share = [](Float part, Float whole, u32 size) HWY_ATTR {
        const Float of_whole = part / max(whole, 1e-6f);
        return table_step(of_whole * Float(static_cast<float>(size - 1)), size);
    };
    const TableStep s = share(r.along - r.across, Float(1.0f) - r.across, kBrushStrengths);
    const TableStep j = roughness_step(r.across, kBrushRoughnesses);
    const TableStep w = share(r.seen - r.across, r.along - r.across, kBrushWidths);
    const TableStep t = cosine_step(cosine, r.seen, kBrushCosines);
    const auto of_width = [&](Uint at)
                              HWY_ATTR { return read_pair(table, at, kOfCosine, t.along); };
    const auto of_roughness = [&](Uint at) HWY_ATTR {
        return mix(of_width(at), of_width(at + Uint(kOfWidth)), w.along);
    };
    const auto of_strength = [&](Uint at) HWY_ATTR {
        return mix(of_roughness(at), of_roughness(at + Uint(kOfRoughness)), j.along);
    };
    const auto of_all = [&](Uint at) HWY_ATTR {
        return mix(of_strength(at), of_strength(at + Uint(kOfStrength)), s.along);
    };
    const Uint corner = s.entry * Uint(kOfStrength) + j.entry * Uint(kOfRoughness) +
                        w.entry * Uint(kOfWidth) + t.entry * Uint(kOfCosine);
    const Float single = of_all(corner);
    const Float root = of_all(corner + Uint(1u));
    return {single, single * square(square(root)) * root};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
