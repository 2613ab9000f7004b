// material-inl.h — a material at a hit: factors times textures, emission, and the shading frames
// with their normal maps.
//
// Texture slots and factors: bsdf.md section 4; normals and anisotropy: section 3. A feature's
// parameters are read only where a lane has its flag. Reads only.
#if defined(WEFT_SHADERS_MATERIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_MATERIAL_INL_H_
#        undef WEFT_SHADERS_MATERIAL_INL_H_
#    else
#        define WEFT_SHADERS_MATERIAL_INL_H_
#    endif

#    include "shaders/host/feature_set.h"
#    include "shaders/surface/hit-inl.h"
#    include "shaders/surface/layers-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// The materials of a group of hits, and the places on their textures.
struct MaterialLanes {
    const SceneView& scene;
    Records record;
    const TexturePlace& place;
};

// Factors and texels; `offset` and `slot` are offsetofs in MaterialRecord.
HWY_INLINE Float factor(const MaterialLanes& m, std::size_t offset) {
    return read_float(m.record, offset);
}

HWY_INLINE Float3 factor3(const MaterialLanes& m, std::size_t offset) {
    return read_float3(m.record, offset);
}

HWY_INLINE Float4 texel(const MaterialLanes& m, std::size_t slot) {
    if (!may_have_slot(slot)) {
        return {splat(1.0f), 1.0f};
    }
    return lookup(m.scene, read_uint(m.record, slot), m.place);
}

// Base colour and alpha, vertex colours included.
HWY_INLINE Float4 base_color(const MaterialLanes& m, const Float4& vertex) {
    const Float4 texture = texel(m, offsetof(MaterialRecord, base_color_slot));
    const Float3 rgb = factor3(m, offsetof(MaterialRecord, base_color));
    const Float a = factor(m, offsetof(MaterialRecord, base_color) + 12);
    return {rgb * texture.rgb * vertex.rgb, a * texture.a * vertex.a};
}

// Emitted radiance in cd/m²; black where the material does not emit.
HWY_INLINE Float3 emission(const MaterialLanes& m, Uint flags) {
    const Bool emits = has_flag(flags, kMaterialEmissive);
    if (!may_have(kMaterialEmissive) || !any(emits)) {
        return splat(0.0f);
    }
    const ReadLanes emitting(emits);
    const Float3 rgb = factor3(m, offsetof(MaterialRecord, emissive)) *
                       texel(m, offsetof(MaterialRecord, emissive_slot)).rgb;
    return select(emits, rgb, splat(0.0f));
}

// Metallic, roughness and specular of either workflow.
HWY_INLINE void read_specular(const MaterialLanes& m, MaterialPoint& p) {
    const Bool is_spec_gloss = has_flag(p.flags, kMaterialSpecGloss);
    const Float3 mr = texel(m, offsetof(MaterialRecord, metallic_roughness_slot)).rgb;
    const Float4 color = texel(m, offsetof(MaterialRecord, specular_color_slot));
    const Float rough = factor(m, offsetof(MaterialRecord, roughness));
    p.metallic = saturate(factor(m, offsetof(MaterialRecord, metallic)) * mr.z);
    p.roughness =
        saturate(select(is_spec_gloss, fnma(Float(1.0f) - rough, color.a, 1.0f), rough * mr.y));
    p.ior = factor(m, offsetof(MaterialRecord, ior));
    p.specular = factor(m, offsetof(MaterialRecord, specular)) *
                 texel(m, offsetof(MaterialRecord, specular_slot)).a;
    p.specular_color = factor3(m, offsetof(MaterialRecord, specular_color)) * color.rgb;
}

// Transmission, coat and sheen.
HWY_INLINE void read_layers(const MaterialLanes& m, MaterialPoint& p) {
    p.transmission = 0.0f;
    if (may_have(kMaterialTransmission) && any(has_flag(p.flags, kMaterialTransmission))) {
        const ReadLanes lanes(p.flags, kMaterialTransmission);
        p.transmission = saturate(factor(m, offsetof(MaterialRecord, transmission)) *
                                  texel(m, offsetof(MaterialRecord, transmission_slot)).rgb.x);
    }
    const Bool has_coat = has_flag(p.flags, kMaterialCoat);
    p.coat = 0.0f;
    p.coat_roughness = 0.0f;
    if (may_have(kMaterialCoat) && any(has_coat)) {
        const ReadLanes lanes(has_coat);
        const Float coat = factor(m, offsetof(MaterialRecord, coat)) *
                           texel(m, offsetof(MaterialRecord, coat_slot)).rgb.x;
        const Float rough = factor(m, offsetof(MaterialRecord, coat_roughness)) *
                            texel(m, offsetof(MaterialRecord, coat_roughness_slot)).rgb.y;
        p.coat = select(has_coat, coat, Float(0.0f));
        p.coat_roughness = select(has_coat, rough, Float(0.0f));
    }
    const Bool has_sheen = has_flag(p.flags, kMaterialSheen);
    p.sheen_color = splat(0.0f);
    p.sheen_roughness = 0.0f;
    if (may_have(kMaterialSheen) && any(has_sheen)) {
        const ReadLanes lanes(has_sheen);
        const Float3 color = factor3(m, offsetof(MaterialRecord, sheen_color)) *
                             texel(m, offsetof(MaterialRecord, sheen_color_slot)).rgb;
        const Float rough = factor(m, offsetof(MaterialRecord, sheen_roughness)) *
                            texel(m, offsetof(MaterialRecord, sheen_roughness_slot)).a;
        p.sheen_color = select(has_sheen, color, splat(0.0f));
        p.sheen_roughness = select(has_sheen, rough, Float(0.0f));
    }
}

HWY_INLINE void read_film(const MaterialLanes& m, MaterialPoint& p) {
    p.iridescence = 0.0f;
    p.iridescence_ior = 1.3f;
    p.iridescence_nm = 0.0f;
    if (may_have(kMaterialIridescence) && any(has_flag(p.flags, kMaterialIridescence))) {
        const ReadLanes lanes(p.flags, kMaterialIridescence);
        const Float low = factor(m, offsetof(MaterialRecord, iridescence_min_nm));
        const Float high = factor(m, offsetof(MaterialRecord, iridescence_max_nm));
        p.iridescence = factor(m, offsetof(MaterialRecord, iridescence)) *
                        texel(m, offsetof(MaterialRecord, iridescence_slot)).rgb.x;
        p.iridescence_ior = factor(m, offsetof(MaterialRecord, iridescence_ior));
        // Without a texture the texel is white, which is the maximum.
        p.iridescence_nm =
            mix(low, high, texel(m, offsetof(MaterialRecord, iridescence_thickness_slot)).rgb.y);
    }
}

// Applies a normal map's texel to the outward n_s; the result is in the world and outward.
HWY_INLINE Float3 mapped_normal(const Hit& hit, Float3 texel_rgb, Float scale) {
    const Float x = fms(texel_rgb.x, 2.0f, 1.0f) * scale;
    const Float y = fms(texel_rgb.y, 2.0f, 1.0f) * scale;
    const Float z = fms(texel_rgb.z, 2.0f, 1.0f);
    return normalize_or(fma(hit.t, x, fma(hit.b, y, hit.n_s * z)), hit.n_s);
}

// Flips an outward normal to the viewer, and bends it where the viewer would see its back.
HWY_INLINE Float3 facing_normal(const Hit& hit, Float3 outward) {
    const Float3 n = select(hit.is_front, outward, -outward);
    const Float cosine = dot(n, hit.wo);
    const Bool is_bent = cosine < Float(0.01f);
    if (!any(is_bent)) {
        return n;
    }
    return select(is_bent, normalize_or(fma(hit.wo, Float(0.01f) - cosine, n), hit.wo), n);
}

// The place at which a normal map is read: finer than for colours, because averaged normals make a
// surface smoother.
HWY_INLINE TexturePlace normal_place(const TexturePlace& place) {
    TexturePlace narrow = place;
    narrow.stretch2 = select(place.is_wide, place.stretch2, Float(1.0f));
    return narrow;
}

// The shading normal: reads and applies the normal map, if any, and faces the viewer.
HWY_INLINE Float3 shading_normal(const MaterialLanes& m,
                                 const Hit& hit,
                                 Uint slot,
                                 std::size_t scale_offset) {
    const Bool has_map = slot != Uint(kNone);
    Float3 n = hit.n_s;
    if (any(has_map)) {
        const Float3 rgb = lookup(m.scene, slot, normal_place(m.place)).rgb;
        n = select(has_map, mapped_normal(hit, rgb, factor(m, scale_offset)), n);
    }
    return facing_normal(hit, n);
}

// Reads direction and strength of anisotropy, and turns the frame's tangent to the direction.
HWY_INLINE void read_anisotropy(const MaterialLanes& m,
                                const Hit& hit,
                                MaterialPoint& p,
                                Frame& frame) {
    const Bool is_anisotropic = has_flag(p.flags, kMaterialAnisotropy);
    p.anisotropy = 0.0f;
    if (!may_have(kMaterialAnisotropy) || !any(is_anisotropic)) {
        return;
    }
    const ReadLanes lanes(is_anisotropic);
    const Uint slot = read_uint(m.record, offsetof(MaterialRecord, anisotropy_slot));
    const Bool has_map = slot != Uint(kNone);
    const Float3 rgb = lookup(m.scene, slot, m.place).rgb;
    const Float dx = select(has_map, fms(rgb.x, 2.0f, 1.0f), Float(1.0f));
    const Float dy = select(has_map, fms(rgb.y, 2.0f, 1.0f), Float(0.0f));
    const Float c = factor(m, offsetof(MaterialRecord, anisotropy_cos));
    const Float s = factor(m, offsetof(MaterialRecord, anisotropy_sin));
    const Float x = fms(dx, c, dy * s);
    const Float y = fma(dx, s, dy * c);
    const Frame along = frame_along(frame.n, fma(hit.t, x, hit.b * y));
    frame = select(is_anisotropic, along, frame);
    p.anisotropy = saturate(factor(m, offsetof(MaterialRecord, anisotropy)) * rgb.z);
}

// A material at a hit, except for its relative index, which depends on the medium stack.
struct MaterialHit {
    MaterialPoint point;
    Float alpha;  // of the base colour
    Float3 emitted;
    ShadingGeometry geometry;  // eta is left at 1
};

HWY_NOINLINE inline void read_material(const SceneView& scene, const Hit& hit, MaterialHit& out) {
    // Read the parameters: base colour, emission, lobes and layers.
    const MaterialLanes m = {scene, hit.record, hit.place};
    MaterialPoint& p = out.point;
    p.flags = read_uint(m.record, offsetof(MaterialRecord, flags));
    const Float4 base = base_color(m, hit.color);
    p.base = base.rgb;
    out.alpha = base.a;
    out.emitted = emission(m, p.flags);
    read_specular(m, p);
    read_layers(m, p);
    read_film(m, p);

    // Compute the shading frames, with normal maps and anisotropy.
    ShadingGeometry& g = out.geometry;
    g.wo = hit.wo;
    g.n_g = select(hit.is_front, hit.n_g, -hit.n_g);
    g.eta = 1.0f;
    const Uint slot = read_uint(m.record, offsetof(MaterialRecord, normal_slot));
    g.frame = frame_around(shading_normal(m, hit, slot, offsetof(MaterialRecord, normal_scale)));
    g.coat_frame = g.frame;
    if (may_have(kMaterialCoat) && any(has_flag(p.flags, kMaterialCoat))) {
        const ReadLanes lanes(p.flags, kMaterialCoat);
        const Uint coat_slot = read_uint(m.record, offsetof(MaterialRecord, coat_normal_slot));
        g.coat_frame = frame_around(
            shading_normal(m, hit, coat_slot, offsetof(MaterialRecord, coat_normal_scale)));
    }
    read_anisotropy(m, hit, p, g.frame);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
