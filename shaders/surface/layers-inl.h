// layers-inl.h — from a material's numbers to a Bsdf: how much each layer reflects, and what is
// left for the next.
//
// Coat over sheen over (specular over diffuse or transmission); each layer takes its directional
// albedo from the one below, so that a white material stays white. Formulas and names: bsdf.md
// section 4. Pure.
#if defined(WEFT_SHADERS_LAYERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LAYERS_INL_H_
#        undef WEFT_SHADERS_LAYERS_INL_H_
#    else
#        define WEFT_SHADERS_LAYERS_INL_H_
#    endif

#    include "shaders/host/feature_set.h"
#    include "shaders/surface/albedo-inl.h"
#    include "shaders/surface/bsdf-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// A material at one hit: factors times textures.
struct MaterialPoint {
    Uint flags;  // kMaterial…
    Float3 base;
    Float metallic;
    Float roughness;  // SpecGloss: 1 − glossiness
    Float ior;
    Float specular;
    Float3 specular_color;  // SpecGloss: F0
    Float transmission;
    Float coat;
    Float coat_roughness;
    Float3 sheen_color;
    Float sheen_roughness;
    Float iridescence;
    Float iridescence_ior;
    Float iridescence_nm;
    Float anisotropy;
};

// α of facets.
HWY_INLINE Float facet_alpha(Float roughness) {
    return max(square(saturate(roughness)), 0.001f);
}

// Raises α of the facets of base and coat to at least `least`, in [0, 1], along the tangent and
// across it (bsdf.md "Regularisation"). Walls that light passes straight stay as they are: shadow
// rays know what these let through.
HWY_INLINE void widen_facets(MaterialPoint& m, Float least) {
    const Bool may_widen =
        has_flag(m.flags, kMaterialSolid) | !has_flag(m.flags, kMaterialStraight);
    const Float roughness = sqrt(least);
    const Float alpha = facet_alpha(m.roughness);
    const Bool is_widened = may_widen & (alpha < least);
    if (may_have(kMaterialAnisotropy) && any(is_widened & has_flag(m.flags, kMaterialAnisotropy))) {
        // Find the strength that keeps α along the tangent where it is larger.
        const Float along = max(mix(alpha, 1.0f, square(m.anisotropy)), least);
        const Float left = max(Float(1.0f) - least, 1e-6f);
        m.anisotropy = select(is_widened, sqrt((along - least) / left), m.anisotropy);
    }
    m.roughness = select(is_widened, roughness, m.roughness);
    if (may_have(kMaterialCoat)) {
        const Bool is_coat_widened = may_widen & (facet_alpha(m.coat_roughness) < least);
        m.coat_roughness = select(is_coat_widened, roughness, m.coat_roughness);
    }
}

// The geometry that a Bsdf needs. Normals are turned to the viewer.
struct ShadingGeometry {
    Float3 wo;
    Float3 n_g;
    Frame frame;
    Frame coat_frame;
    Float eta;  // of a solid: η_t / η_i
};

// The base layer: reflectances of its dielectric and of its metal; the metal's F90 is 1.
struct SpecularBase {
    Float3 base;  // diffuse and transmission colour
    Float metallic;
    Float3 f0_dielectric, f0_metal;
    Float f90_dielectric;
};

HWY_INLINE SpecularBase specular_base(const MaterialPoint& m, Float cos_o) {
    // Take the reflectance of the dielectric from its index, or from the SpecGloss colour.
    const Bool is_spec_gloss = has_flag(m.flags, kMaterialSpecGloss);
    const Float normal_reflectance = reflectance_of(m.ior, 1.0f);
    const Float3 dielectric = min(m.specular_color * normal_reflectance, 1.0f) * m.specular;
    SpecularBase s;
    s.metallic = select(is_spec_gloss, Float(0.0f), m.metallic);
    s.f0_dielectric = select(is_spec_gloss, m.specular_color, dielectric);
    s.f90_dielectric = select(is_spec_gloss, Float(1.0f), m.specular);
    s.f0_metal = m.base;
    // Leave to the diffuse colour what SpecGloss does not reflect.
    const Float below = Float(1.0f) - max_of(m.specular_color);
    s.base = select(is_spec_gloss, m.base * max(below, 0.0f), m.base);

    // A thin film changes both by what it reflects at this angle.
    const Bool has_film = has_flag(m.flags, kMaterialIridescence) & (m.iridescence > Float(0.0f)) &
                          (m.iridescence_nm > Float(0.0f));
    if (may_have(kMaterialIridescence) && any(has_film)) {
        for (Float3* const f0 : {&s.f0_dielectric, &s.f0_metal}) {
            const Float3 film = film_f0(m.iridescence_ior, cos_o, m.iridescence_nm, *f0);
            *f0 = select(has_film, mix(*f0, film, m.iridescence), *f0);
        }
    }
    return s;
}

// Turquin 2019, "Practical multiple scattering compensation for microfacet models".
struct Compensated {
    Float3 factor;  // comp
    Float3 albedo;  // E, at most 1
};

HWY_INLINE Compensated compensate(Float3 f0, Float f90, Float a, Float b) {
    // Scale the lobe by what single scattering loses.
    const Float single = a + b;
    const Float lost = (Float(1.0f) - single) / single;
    const Float3 factor = fma(f0, lost, splat(1.0f));
    return {factor, min(fma(f0, a, splat(f90 * b)) * factor, 1.0f)};
}

// The lobe of dielectric and metal together, and what it reflects in all.
struct SpecularLobe {
    Float3 f0;
    Float f90;
    Compensated compensated;
};

// Each part is compensated alone, so that a white material stays white. Schlick's curve is linear
// in F0 and F90, so the sum of the parts is one curve with a factor for each channel.
HWY_INLINE SpecularLobe mixed_lobe(const SpecularBase& s,
                                   const Compensated& dielectric,
                                   Float a,
                                   Float b) {
    const Compensated metal = compensate(s.f0_metal, 1.0f, a, b);
    const Bool is_metal = s.metallic >= Float(1.0f);
    SpecularLobe lobe = {select(is_metal, s.f0_metal, s.f0_dielectric),
                         select(is_metal, Float(1.0f), s.f90_dielectric),
                         {select(is_metal, metal.factor, dielectric.factor),
                          select(is_metal, metal.albedo, dielectric.albedo)}};
    const Bool is_mixed = (s.metallic > Float(0.0f)) & !is_metal;
    if (any(is_mixed)) {
        const Float3 plain = dielectric.factor * (Float(1.0f) - s.metallic);
        const Float3 metallic = metal.factor * s.metallic;
        const Float3 factor = fma(plain, s.f90_dielectric, metallic);
        const Float3 f0 = fma(plain, s.f0_dielectric, metallic * s.f0_metal) / factor;
        lobe.f0 = select(is_mixed, f0, lobe.f0);
        lobe.f90 = select(is_mixed, Float(1.0f), lobe.f90);
        lobe.compensated.factor = select(is_mixed, factor, lobe.compensated.factor);
        lobe.compensated.albedo = select(
            is_mixed, mix(dielectric.albedo, metal.albedo, s.metallic), lobe.compensated.albedo);
    }
    return lobe;
}

// Coat and sheen: what they reflect and what they leave.
struct UpperLayers {
    Float coat_albedo;   // E_coat
    Float sheen_albedo;  // min(S, 1)
    Float3 sheen;        // sheen_color · min(1, 1/S)
    Float left_by_coat;  // 1 − E_coat
    Float left;          // (1 − E_coat) · k_s
};

HWY_INLINE UpperLayers upper_layers(const MaterialPoint& m,
                                    const SceneView& scene,
                                    Float cos_coat,
                                    Float cos_o) {
    UpperLayers u = {0.0f, 0.0f, splat(0.0f), 1.0f, 1.0f};
    // Look up what the coat reflects, and leave the rest.
    const Bool has_coat = has_flag(m.flags, kMaterialCoat);
    if (may_have(kMaterialCoat) && any(has_coat)) {
        const AlbedoPlace place = albedo_place(cos_coat, saturate(m.coat_roughness));
        const GgxAlbedo parts = read_ggx_albedo(scene.ggx_albedo, place);
        const Float albedo = fma(parts.a, 0.04f, parts.b);
        u.coat_albedo = select(has_coat, m.coat * albedo, Float(0.0f));
        u.left_by_coat = Float(1.0f) - u.coat_albedo;
        u.left = u.left_by_coat;
    }
    // Look up what the sheen reflects, at most all, and leave the rest.
    const Bool has_sheen = has_flag(m.flags, kMaterialSheen);
    if (may_have(kMaterialSheen) && any(has_sheen)) {
        const AlbedoPlace place = albedo_place(cos_o, saturate(m.sheen_roughness));
        const Float albedo = read_albedo(scene.sheen_albedo, place);
        const Float capped = min(albedo, 1.0f);
        const Float scale = min(Float(1.0f) / max(albedo, 1e-6f), 1.0f);
        u.sheen_albedo = select(has_sheen, capped, Float(0.0f));
        u.sheen = select(has_sheen, m.sheen_color * scale, splat(0.0f));
        u.left =
            select(has_sheen, u.left_by_coat * fnma(max_of(m.sheen_color), capped, 1.0f), u.left);
    }
    return u;
}

// Fills in roughnesses and local directions.
HWY_INLINE void place_lobes(Bsdf& b, const MaterialPoint& m, const ShadingGeometry& g) {
    // Copy the geometry.
    b.wo = g.wo;
    b.n_g = g.n_g;
    b.frame = g.frame;
    b.coat_frame = g.coat_frame;
    // Bent normals keep z above zero; the floor guards against rounding.
    b.wo_local = to_local(g.frame, g.wo);
    b.wo_local.z = max(b.wo_local.z, 1e-4f);
    b.n_dot_ng = dot(g.frame.n, g.n_g);
    // Set the GGX of the specular lobe, stretched along the tangent where it is anisotropic.
    b.alpha = facet_alpha(m.roughness);
    const Bool is_anisotropic = has_flag(m.flags, kMaterialAnisotropy);
    b.ggx = isotropic_ggx(b.alpha);
    if (any(is_anisotropic)) {
        const Float along = mix(b.alpha, 1.0f, square(m.anisotropy));
        b.ggx.along = select(is_anisotropic, along, b.alpha);
        b.ggx.per_along = select(is_anisotropic, Float(1.0f) / along, b.ggx.per_across);
    }
    // Compute the masking of wo.
    b.lambda_o = ggx_lambda(b.ggx, b.wo_local);
    b.g1 = masking_g1(b.lambda_o);
    b.sheen_alpha = max(square(saturate(m.sheen_roughness)), 0.01f);
    // Set the coat's GGX and directions.
    b.wo_coat = b.wo_local;
    b.coat_ggx = b.ggx;
    if (may_have(kMaterialCoat) && any(has_flag(m.flags, kMaterialCoat))) {
        b.wo_coat = to_local(g.coat_frame, g.wo);
        b.wo_coat.z = max(b.wo_coat.z, 1e-4f);
        b.n_dot_ng_coat = dot(g.coat_frame.n, g.n_g);
        b.coat_ggx = isotropic_ggx(facet_alpha(m.coat_roughness));
        b.coat_lambda_o = ggx_lambda(b.coat_ggx, b.wo_coat);
        b.coat_g1 = masking_g1(b.coat_lambda_o);
    }
}

// How rough a surface is, to look its losses up, and what its specular lobe reflects in all.
struct SeenRoughness {
    Float mean;  // √α, that of an anisotropic surface in the mean
    Bool is_anisotropic;
    BrushRoughness brush;  // where it is anisotropic
    Float a, b;            // A and B
};

HWY_INLINE SeenRoughness seen_roughness(const SceneView& scene,
                                        const MaterialPoint& m,
                                        const Bsdf& b) {
    // Look up the albedo of an isotropic surface.
    const Float roughness = saturate(m.roughness);
    const AlbedoPlace place = albedo_place(b.wo_local.z, roughness);
    const GgxAlbedo parts = read_ggx_albedo(scene.ggx_albedo, place);
    SeenRoughness r = {roughness, has_flag(m.flags, kMaterialAnisotropy), {}, parts.a, parts.b};
    if (may_have(kMaterialAnisotropy) && any(r.is_anisotropic)) {
        // Compute how rough the surface looks in the plane of incidence.
        const Float3 w = b.wo_local;
        const Float x = b.ggx.along * w.x;
        const Float y = b.ggx.across * w.y;
        const Float flat = max(fma(w.x, w.x, w.y * w.y), 1e-12f);
        const Float alpha_o = clamp(sqrt(fma(x, x, y * y) / flat), b.ggx.across, b.ggx.along);
        // Compute the mean roughness and the azimuth of wo.
        const Float sum = fma(b.ggx.along, b.ggx.along, square(b.ggx.across));
        const Float turn = (abs(w.x) - abs(w.y)) / sqrt(flat);
        r.brush = {sqrt(b.ggx.along),
                   sqrt(b.ggx.across),
                   sqrt(alpha_o),
                   sqrt(sqrt(sum * Float(0.5f))),
                   fma(turn, 0.5f, 0.5f)};
        // Look up the albedo of the anisotropic surface.
        const BrushAlbedo albedo = read_anisotropic_albedo(scene.anisotropic_albedo, r.brush, w.z);
        r.mean = select(r.is_anisotropic, r.brush.mean, r.mean);
        r.a = select(r.is_anisotropic, albedo.single - albedo.grazing, r.a);
        r.b = select(r.is_anisotropic, albedo.grazing, r.b);
    }
    return r;
}

// What facets of rough glass keep from each other.
HWY_INLINE void place_fill(Transmission& t,
                           const SceneView& scene,
                           Bool is_rough,
                           const SeenRoughness& roughness,
                           Float cos_o) {
    // Nothing is lost where there is no rough glass.
    GlassFill& fill = t.fill;
    fill.is_there = t.is_glass & is_rough;
    fill.lost = fill.scale = fill.back = 0.0f;
    fill.here = fill.beyond = {Uint(0u), 0.0f, 0.0f, 1.0f};
    fill.loss_table = scene.glass_loss;
    if (!any(fill.is_there)) {
        return;
    }
    // Find the table entries of this index and of its inverse, for the other side.
    const Float slice = loss_slice(t.eta);
    const Float mirrored = Float(static_cast<float>(kLossIndices - 1)) - slice;
    fill.here = loss_place(roughness.mean, slice);
    fill.beyond = loss_place(roughness.mean, mirrored);
    // Look up the share that is lost towards wo.
    Float lost = read_loss(scene.glass_loss, fill.here, cos_o);
    const Bool is_brushed = fill.is_there & roughness.is_anisotropic;
    if (may_have(kMaterialAnisotropy) && any(is_brushed)) {
        const Float more =
            read_glass_anisotropy(scene.glass_anisotropy, roughness.brush, slice, cos_o);
        lost = select(is_brushed, saturate(lost + more), lost);
    }
    // Share it out between both sides by their mean losses.
    const Float mean = read_mean_loss(scene.glass_mean_loss, fill.here);
    const Float mean_beyond = square(t.eta) * read_mean_loss(scene.glass_mean_loss, fill.beyond);
    const Float sum = max(mean + mean_beyond, 1e-12f);
    fill.lost = select(fill.is_there, lost, Float(0.0f));
    fill.scale = fill.lost / (sum * Float(kPiF));
    fill.back = mean / sum;
}

// Fills in the last lobe; returns its weight before normalising. `below` is what the dielectric
// leaves, t and m included.
HWY_INLINE Float place_transmission(Bsdf& b,
                                    const MaterialPoint& m,
                                    const SpecularBase& s,
                                    const UpperLayers& upper,
                                    Float3 below,
                                    Float single_albedo,
                                    Float eta) {
    Transmission& t = b.trans;
    if (!may_have(kMaterialTransmission) || !any(has_flag(m.flags, kMaterialTransmission))) {
        t.is_straight = t.is_glass = t.is_thin = all_lanes(false);
        return 0.0f;
    }
    // Choose the kind of transmission: straight, glass or thin wall.
    const Bool is_solid = has_flag(m.flags, kMaterialSolid);
    const Bool transmits =
        has_flag(m.flags, kMaterialTransmission) & (m.transmission > Float(0.0f));
    const Float share = (Float(1.0f) - s.metallic) * m.transmission;
    const Bool is_matched = abs(eta - Float(1.0f)) < Float(0.001f);
    const Bool has_flag_straight = has_flag(m.flags, kMaterialStraight);
    t.is_straight = transmits & ((is_solid & is_matched) | (has_flag_straight & !is_solid));
    t.is_glass = transmits & is_solid & !is_matched;
    t.is_thin = transmits & !is_solid & !has_flag_straight;
    // Set the index and the colour of that kind.
    t.eta = select(t.is_glass, eta, Float(1.5f));
    t.reflected = share * upper.left;
    const Float3 solid = s.base * t.reflected;
    const Float3 wall = below * s.base * t.reflected;
    const Float3 color = select(is_solid, solid, wall);
    t.color = select(t.is_thin, color * (Float(1.0f) / single_albedo), color);
    // Weigh the lobe by what it transmits.
    const Float weight = select(t.is_glass, t.reflected, average(color));
    return select(transmits, weight, Float(0.0f));
}

// The closure of a material at a hit.
HWY_NOINLINE inline void make_bsdf(const SceneView& scene,
                                   const MaterialPoint& m,
                                   const ShadingGeometry& g,
                                   Bsdf& b) {
    // Set roughnesses and local directions.
    place_lobes(b, m, g);
    const Float cos_o = b.wo_local.z;
    // Compute the base layer and the layers above it.
    const SpecularBase s = specular_base(m, cos_o);
    const UpperLayers upper = upper_layers(m, scene, b.wo_coat.z, cos_o);

    // Compute what the specular lobe reflects in all, and what its dielectric part leaves below.
    const SeenRoughness roughness = seen_roughness(scene, m, b);
    const Float a1 = roughness.a;
    const Float b1 = roughness.b;
    const Compensated dielectric = compensate(s.f0_dielectric, s.f90_dielectric, a1, b1);
    const SpecularLobe lobe = mixed_lobe(s, dielectric, a1, b1);
    const Float3 below = splat(1.0f) - dielectric.albedo;

    // Share the light among specular, diffuse and transmission.
    const Bool transmits = has_flag(m.flags, kMaterialTransmission);
    const Float t = select(transmits, m.transmission, Float(0.0f));
    const Float not_metal = Float(1.0f) - s.metallic;
    const Float glass = select(has_flag(m.flags, kMaterialSolid), not_metal * t, Float(0.0f));
    const Float spec = upper.left * (Float(1.0f) - glass);
    const Float3 diffuse = below * s.base * (upper.left * not_metal * (Float(1.0f) - t));
    b.f0 = lobe.f0;
    b.f90 = lobe.f90;
    b.spec = lobe.compensated.factor * spec;
    b.diffuse = diffuse * Float(kInvPiF);
    b.sheen = upper.sheen * upper.left_by_coat;
    b.coat = m.coat;

    // Weigh each lobe by what it reflects.
    const Float w_sheen = upper.left_by_coat * average(m.sheen_color) * upper.sheen_albedo;
    const Float w_spec = spec * average(lobe.compensated.albedo);
    const Float w_diffuse = average(diffuse);
    const Float w_trans = place_transmission(b, m, s, upper, below, a1 + b1, g.eta);
    place_fill(b.trans, scene, b.ggx.along > Float(0.001f), roughness, cos_o);
    // Normalise the weights to probabilities.
    const Float sum = upper.coat_albedo + w_sheen + w_spec + w_diffuse + w_trans;
    const Float scale = select(sum > Float(0.0f), Float(1.0f) / sum, Float(0.0f));
    b.p_coat = upper.coat_albedo * scale;
    b.p_sheen = w_sheen * scale;
    b.p_spec = w_spec * scale;
    b.p_diffuse = w_diffuse * scale;
    b.p_trans = w_trans * scale;
    b.is_phase = all_lanes(false);
    b.phase_g = 0.0f;
    b.guide = no_guide();
}

// Replaces the closure by the phase function of a medium in the lanes of `where`, whose surfaces
// have no flags.
HWY_INLINE void put_phase(Bsdf& b, Bool where, Float g) {
    b.diffuse = select(where, splat(0.0f), b.diffuse);
    for (Float* const p : {&b.p_coat, &b.p_sheen, &b.p_spec, &b.p_diffuse, &b.p_trans}) {
        *p = select(where, Float(0.0f), *p);
    }
    b.is_phase = where;
    b.phase_g = g;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
