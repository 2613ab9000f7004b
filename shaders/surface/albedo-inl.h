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

// Where a roughness and an index are in the table of glass losses; a row is one roughness of one
// index.
struct LossPlace {
    Uint row;
    Float to_rougher, to_denser;
};

// y of scene_view.h, in entries.
HWY_INLINE Float loss_slice(Float eta) {
    constexpr float kHalf = 0.5f * static_cast<float>(kLossIndices - 1);
    const Float x = (eta - Float(1.0f)) / (eta + Float(1.0f));
    const Float y = sqrt(abs(x));
    return fma(select(x < Float(0.0f), -y, y), kHalf, kHalf);
}

HWY_INLINE LossPlace loss_place(Float roughness, Float slice) {
    const TableStep rough =
        table_step(roughness * Float(static_cast<float>(kLossRoughnesses - 1)), kLossRoughnesses);
    const TableStep index = table_step(slice, kLossIndices);
    return {index.entry * Uint(kLossRoughnesses) + rough.entry, rough.along, index.along};
}

HWY_INLINE Float read_loss(const float* table, const LossPlace& p, Float cosine) {
    const TableStep t = table_step(
        sqrt(saturate(cosine)) * Float(static_cast<float>(kLossCosines - 1)), kLossCosines);
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

// Albedo of an anisotropic surface; `width` as in scene_view.h.
HWY_INLINE Float read_anisotropic_albedo(
    const float* table, Float strength, Float roughness, Float width, Float cosine) {
    constexpr u32 kOfWidth = kBrushCosines;
    constexpr u32 kOfRoughness = kOfWidth * kBrushWidths;
    constexpr u32 kOfStrength = kOfRoughness * kBrushRoughnesses;
    const auto step = [](Float x, u32 size) HWY_ATTR {
        return table_step(x * Float(static_cast<float>(size - 1)), size);
    };
    const TableStep s = step(strength, kBrushStrengths);
    const TableStep r = step(roughness, kBrushRoughnesses);
    const TableStep w = step(width, kBrushWidths);
    const TableStep t = step(sqrt(saturate(cosine)), kBrushCosines);
    const auto of_width = [&](Uint at) HWY_ATTR { return read_pair(table, at, 1, t.along); };
    const auto of_roughness = [&](Uint at) HWY_ATTR {
        return mix(of_width(at), of_width(at + Uint(kOfWidth)), w.along);
    };
    const auto of_strength = [&](Uint at) HWY_ATTR {
        return mix(of_roughness(at), of_roughness(at + Uint(kOfRoughness)), r.along);
    };
    const Uint corner = s.entry * Uint(kOfStrength) + r.entry * Uint(kOfRoughness) +
                        w.entry * Uint(kOfWidth) + t.entry;
    return mix(of_strength(corner), of_strength(corner + Uint(kOfStrength)), s.along);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
