// bsdf-inl.h — what a surface does to light at one hit: a closure of five lobes over lanes, to
// evaluate and to sample.
//
// Or what a medium does where it scatters a path: then the phase function is all there is.
// layers-inl.h builds a Bsdf from a material; the formulas are bsdf.md section 4. All weights of
// the layers are folded into the colours here, so each lobe is a product. A lobe's code is skipped
// where no lane has it; that changes no bit, because each result is chosen by lane. Pure.
#if defined(WEFT_SHADERS_BSDF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_BSDF_INL_H_
#        undef WEFT_SHADERS_BSDF_INL_H_
#    else
#        define WEFT_SHADERS_BSDF_INL_H_
#    endif

#    include "shaders/host/feature_set.h"
#    include "shaders/surface/albedo-inl.h"
#    include "shaders/surface/fresnel-inl.h"
#    include "shaders/surface/guide-inl.h"
#    include "shaders/surface/microfacet-inl.h"
#    include "shaders/surface/phase-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// What facets of rough glass keep from each other, given back as two cosine lobes of their own
// (Kulla and Conty 2017, over both sides).
struct GlassFill {
    Bool is_there;            // glass that is not smooth
    Float lost;               // L(wo): share of the glass lobe that these take; 0 where not there
    Float scale;              // L(wo) / (π (L̄ + η² L̄'))
    Float back;               // share of `lost` that is reflected
    LossPlace here, beyond;   // to look L(wi) up, on the side of the viewer and on the other
    const float* loss_table;  // null where no lane has any
};

// What lies behind the last lobe, `p_trans`.
struct Transmission {
    Bool is_glass;     // refracts at a rough boundary, with a reflection of its own
    Bool is_thin;      // rough thin wall: the specular lobe mirrored to the other side
    Bool is_straight;  // a delta: light passes as if nothing were there, times `color`
    Float3 color;      // glass: base · layers; thin: base · layers / E_ss; straight: W
    Float reflected;   // glass: layers above its reflection
    Float eta;         // glass: η_t / η_i
    GlassFill fill;    // glass
};

struct Bsdf {
    Float3 wo;    // to the viewer
    Float3 n_g;   // geometric normal, turned to the viewer
    Frame frame;  // of all lobes but the coat
    Frame coat_frame;
    Float3 wo_local;  // wo in `frame`
    Float3 wo_coat;   // wo in `coat_frame`
    Float n_dot_ng;   // for the terminator
    Float n_dot_ng_coat;
    Ggx ggx;             // spec, thin and glass
    Float lambda_o, g1;  // of wo
    Ggx coat_ggx;
    Float coat_lambda_o, coat_g1;
    Float sheen_alpha;
    Float alpha;  // roughness² without anisotropy: how far a ray cone spreads
    Float3 f0;
    Float f90;
    Float3 spec;     // layers · comp
    Float3 diffuse;  // layers · base / π
    Float3 sheen;    // (1 − E_coat) · sheen_color · min(1, 1/S)
    Float coat;
    Transmission trans;
    Float p_coat, p_sheen, p_spec, p_diffuse, p_trans;  // sum 1, or all 0: nothing scatters
    Bool is_phase;                                      // a medium, no surface: no lobe is there
    Float phase_g;
    Guide guide;  // of the cosine lobe, diffuse and sheen
};

// f · |cos|, and the solid-angle density with which sample() chooses that direction.
struct BsdfValue {
    Float3 value;
    Float pdf;
};

struct BsdfSample {
    Float3 wi;
    Float3 weight;  // f · |cos| / pdf; zero where the path ends
    Float pdf;      // of continuous lobes
    Float alpha;    // of the lobe drawn; 1 for diffuse and sheen, 0 for a straight passage
    Bool is_straight;
    Bool is_transmitted;  // to the other side of n_g
};

// Chiang et al. 2019, "Taming the Shadow Terminator".
HWY_INLINE Float terminator_factor(Float ng_dot_wi, Float n_dot_wi, Float n_dot_ng) {
    // Compare the geometric slope with that of the shading normal.
    const Float divisor = n_dot_wi * n_dot_ng;
    const Bool is_plain = divisor <= Float(0.0f);
    const Float ratio = ng_dot_wi / select(is_plain, Float(1.0f), divisor);
    const Float g = select(is_plain, Float(1.0f), min(ratio, 1.0f));
    // Fade smoothly to zero where light would come through the surface.
    return g + square(g) - g * square(g);
}

// The microfacet between wo and a reflected wi, and what its lobes have in common.
struct Facet {
    Float3 h;
    Float wo_dot_h;
    Float density;  // D / (4 NoV)
    Float g1, g2;
};

HWY_INLINE Facet facet_of(const Ggx& ggx, Float3 wo, Float3 wi, Float lambda_o, Float g1) {
    const Float3 h = normalize(wo + wi);
    return {h,
            dot(wo, h),
            Float(1.0f) / (inverse_ggx_density(ggx, h) * (Float(4.0f) * wo.z)),
            g1,
            masking_g2(lambda_o, ggx_lambda(ggx, wi))};
}

HWY_INLINE BsdfValue spec_lobe(const Bsdf& b, const Facet& facet) {
    const Float3 f = schlick(b.f0, b.f90, schlick_weight(facet.wo_dot_h));
    return {f * b.spec * (facet.density * facet.g2), facet.density * facet.g1};
}

HWY_INLINE BsdfValue thin_lobe(const Bsdf& b, const Facet& facet) {
    return {b.trans.color * (facet.density * facet.g2), facet.density * facet.g1};
}

HWY_INLINE BsdfValue glass_reflection(const Bsdf& b, const Facet& facet) {
    const Float f = fresnel_dielectric(abs(facet.wo_dot_h), b.trans.eta) * facet.density;
    const Float pdf = f * facet.g1 * (Float(1.0f) - b.trans.fill.lost);
    return {splat(f * facet.g2 * b.trans.reflected), pdf};
}

// Walter et al. 2007; wi in the lobe's frame.
HWY_INLINE BsdfValue glass_refraction(const Bsdf& b, Float3 wi) {
    // Find the microfacet that refracts wo to wi.
    const Float eta = b.trans.eta;
    const Float3 across = normalize(fma(wi, eta, b.wo_local));
    const Float3 h = select(across.z < Float(0.0f), -across, across);
    const Float co = dot(b.wo_local, h);
    const Float ci = dot(wi, h);
    // Change the measure from microfacets to directions.
    const Float divisor = max(square(fma(eta, ci, co)), 1e-20f);
    const Float jacobian = square(eta) * abs(ci) / divisor;
    // Compute the density of wi, and drop microfacets that cannot refract it.
    const Float visible = b.g1 * co / (inverse_ggx_density(b.ggx, h) * b.wo_local.z);
    const Float pdf = (Float(1.0f) - fresnel_dielectric(abs(co), eta)) * visible * jacobian;
    const Bool is_possible = (co > Float(0.0f)) & (ci < Float(0.0f));
    const Float density = select(is_possible, pdf, 0.0f);
    // Mask wi as well for the value.
    return {b.trans.color * (density * masking_g1(ggx_lambda(b.ggx, wi))),
            density * (Float(1.0f) - b.trans.fill.lost)};
}

// What facets lost, towards wi in the lobe's frame, on the viewer's side of it or beyond.
HWY_INLINE BsdfValue glass_fill(const Bsdf& b, Float3 wi, Bool is_here) {
    const GlassFill& fill = b.trans.fill;
    // Choose the table entries of the side that wi lies on.
    const LossPlace place = {select(is_here, fill.here.row, fill.beyond.row),
                             select(is_here, fill.here.to_rougher, fill.beyond.to_rougher),
                             select(is_here, fill.here.to_denser, fill.beyond.to_denser),
                             fill.here.roughness};
    // Read what facets lost towards wi.
    const Float cosine = abs(wi.z);
    const Float value = fill.scale * read_loss(fill.loss_table, place, cosine) * cosine;
    const Float3 passed = b.trans.color * (square(b.trans.eta) * value);
    const Float share = select(is_here, fill.back, Float(1.0f) - fill.back);
    return {select(is_here, splat(b.trans.reflected * value), passed),
            fill.lost * share * (cosine * Float(kInvPiF))};
}

// wi and wo in the coat's frame.
HWY_INLINE BsdfValue coat_lobe(const Bsdf& b, Float3 wi) {
    const Facet facet = facet_of(b.coat_ggx, b.wo_coat, wi, b.coat_lambda_o, b.coat_g1);
    const Float f = schlick(0.04f, 1.0f, schlick_weight(facet.wo_dot_h)) * facet.density;
    return {splat(b.coat * f * facet.g2), facet.density * facet.g1};
}

HWY_INLINE Float3 sheen_lobe(const Bsdf& b, Float3 wi, Float cos_h) {
    return b.sheen * (sheen_value(b.sheen_alpha, cos_h, b.wo_local.z, wi.z) * wi.z);
}

// Adds p · pdf and scale · value in the lanes of `where`.
HWY_INLINE void add_lobe(BsdfValue& sum, Bool where, Float p, Float scale, const BsdfValue& lobe) {
    sum.value = select(where, fma(lobe.value, scale, sum.value), sum.value);
    sum.pdf = select(where, fma(p, lobe.pdf, sum.pdf), sum.pdf);
}

// All continuous lobes together.
HWY_NOINLINE inline BsdfValue evaluate(const Bsdf& b, Float3 wi) {
    BsdfValue sum = {splat(0.0f), 0.0f};
    // Decide which lobes can reach wi: those of the viewer's side or those beyond.
    const Float side = dot(wi, b.n_g);
    const Float3 w = to_local(b.frame, wi);
    const Bool reflects = (side > Float(0.0f)) & (w.z > Float(0.0f));
    const Bool passes = side < Float(0.0f);
    const Float shade = terminator_factor(side, w.z, b.n_dot_ng);

    // Lobes of the specular roughness share one microfacet; the thin one lies mirrored behind the
    // surface.
    const Facet facet = facet_of(b.ggx, b.wo_local, {w.x, w.y, abs(w.z)}, b.lambda_o, b.g1);
    // Add the specular lobe.
    add_lobe(sum, reflects & (b.p_spec > Float(0.0f)), b.p_spec, shade, spec_lobe(b, facet));
    // Add the thin wall.
    const Bool thin = b.trans.is_thin & passes & (w.z < Float(0.0f));
    if (may_have(kMaterialTransmission) && any(thin)) {
        add_lobe(sum, thin, b.p_trans, 1.0f, thin_lobe(b, facet));
    }
    // Add glass: reflection, refraction, and what its facets lost.
    if (may_have(kMaterialTransmission) && any(b.trans.is_glass)) {
        add_lobe(sum, b.trans.is_glass & reflects, b.p_trans, shade, glass_reflection(b, facet));
        const Bool refracts = b.trans.is_glass & passes;
        if (any(refracts)) {
            add_lobe(sum, refracts, b.p_trans, 1.0f, glass_refraction(b, w));
        }
        if (any(b.trans.fill.is_there)) {
            const Bool fills = b.trans.fill.is_there & (reflects | (passes & (w.z < Float(0.0f))));
            const Float fill_shade = select(reflects, shade, Float(1.0f));
            add_lobe(sum, fills, b.p_trans, fill_shade, glass_fill(b, w, reflects));
        }
    }

    // Add diffuse and sheen, which share the cosine density.
    BsdfValue cosine = {b.diffuse * w.z, w.z * Float(kInvPiF)};
    if (b.guide.words != nullptr) {
        cosine.pdf = cosine.pdf * guide_density(b.guide, wi);
    }
    add_lobe(sum, reflects, b.p_diffuse + b.p_sheen, shade, cosine);
    const Bool sheen = reflects & (b.p_sheen > Float(0.0f));
    if (may_have(kMaterialSheen) && any(sheen)) {
        add_lobe(sum, sheen, 0.0f, shade, {sheen_lobe(b, w, facet.h.z), 0.0f});
    }

    // Add the coat, which has a normal of its own.
    if (may_have(kMaterialCoat) && any(b.p_coat > Float(0.0f))) {
        const Float3 wc = to_local(b.coat_frame, wi);
        const Bool coat = (b.p_coat > Float(0.0f)) & (side > Float(0.0f)) & (wc.z > Float(0.0f));
        const Float coat_shade = terminator_factor(side, wc.z, b.n_dot_ng_coat);
        add_lobe(sum, coat, b.p_coat, coat_shade, coat_lobe(b, wc));
    }
    // Or take the phase function of a medium.
    if (may_have(kMaterialScattering) && any(b.is_phase)) {
        const Float phase = phase_value(-b.wo, b.phase_g, wi);
        add_lobe(sum, b.is_phase, 1.0f, 1.0f, {splat(phase), phase});
    }
    return sum;
}

// Which lobe a number in [0, 1) picks, and that number stretched back over the last lobe's share.
struct LobeChoice {
    Bool is_coat, is_cosine, is_spec, is_trans;
    Float rest;
};

HWY_INLINE LobeChoice choose_lobe(const Bsdf& b, Float u) {
    // Add up the probabilities and find the lobe that u falls into.
    const Float to_coat = b.p_coat;
    const Float to_sheen = to_coat + b.p_sheen;
    const Float to_spec = to_sheen + b.p_spec;
    const Float to_diffuse = to_spec + b.p_diffuse;
    const Bool is_coat = u < to_coat;
    const Bool is_sheen = (u < to_sheen) & !is_coat;
    const Bool is_spec = (u < to_spec) & !(is_coat | is_sheen);
    const Bool is_trans = (u >= to_diffuse) & (b.p_trans > Float(0.0f));
    // Stretch u back to [0, 1) for a second choice in the last lobe.
    Float rest = 0.0f;
    if (may_have(kMaterialTransmission) && any(is_trans)) {
        const Float share = select(is_trans, b.p_trans, Float(1.0f));
        rest = clamp((u - to_diffuse) / share, 0.0f, 0x1.fffffep-1f);
    }
    return {is_coat, !(is_coat | is_spec | is_trans), is_spec, is_trans, rest};
}

// wo refracted at h; η = η_t / η_i, no total reflection.
HWY_INLINE Float3 refract(Float3 wo, Float3 h, Float eta) {
    const Float inverse = Float(1.0f) / eta;
    const Float c = dot(wo, h);
    const Float sin2 = fnma(c, c, 1.0f) * square(inverse);
    const Float ct = sqrt(max(Float(1.0f) - sin2, 0.0f));
    return fma(h, fms(c, inverse, ct), wo * -inverse);
}

// Draws a direction: u_lobe picks the lobe, u the direction; all in [0, 1).
HWY_NOINLINE inline BsdfSample sample(const Bsdf& b, Float u_lobe, Float2 u) {
    // Choose a lobe, and its frame.
    LobeChoice choice = choose_lobe(b, u_lobe);
    const Frame frame = select(choice.is_coat, b.coat_frame, b.frame);
    const Float3 wo = select(choice.is_coat, b.wo_coat, b.wo_local);

    const Bool is_diffuse = choice.is_cosine;
    // Glass: what facets lost is drawn as a diffuse lobe is, on either side.
    const Bool is_glass = choice.is_trans & b.trans.is_glass;
    Bool is_filled_beyond = all_lanes(false);
    if (may_have(kMaterialTransmission) && any(is_glass & b.trans.fill.is_there)) {
        const GlassFill& fill = b.trans.fill;
        const Bool is_filled = is_glass & (choice.rest < fill.lost);
        choice.is_cosine = choice.is_cosine | is_filled;
        is_filled_beyond = is_filled & (choice.rest >= fill.lost * fill.back);
        choice.rest = (choice.rest - fill.lost) / max(Float(1.0f) - fill.lost, 1e-6f);
    }

    // Warp the numbers of a guided cosine lobe by its table.
    const bool has_guide = b.guide.words != nullptr;
    const Bool is_guided = is_diffuse & b.guide.is_there;
    if (has_guide && any(is_guided)) {
        const Float2 drawn = guided_numbers(b.guide, u);
        u = {select(is_guided, drawn.x, u.x), select(is_guided, drawn.y, u.y)};
    }
    // One point of a disk serves both maps: a cosine hemisphere, or the visible normals of the
    // lobe.
    const DiskPoint disk = concentric_disk(u);
    const Float radius = select(choice.is_cosine, disk.radius, sqrt(u.x));
    const SinCos angle = sin_cos_turns(select(choice.is_cosine, disk.turns, u.y));
    const Float3 upward = {
        radius * angle.cos, radius * angle.sin, sqrt(max(fnma(radius, radius, 1.0f), 0.0f))};
    // Draw a visible microfacet of the chosen lobe, and mirror wo at it.
    const Float along = select(choice.is_coat, b.coat_ggx.along, b.ggx.along);
    const Float across = select(choice.is_coat, b.coat_ggx.across, b.ggx.across);
    const Float3 h = sample_visible_normal(along, across, wo, radius, angle);
    const Float wo_dot_h = dot(wo, h);
    const Float3 mirrored = fma(h, wo_dot_h + wo_dot_h, -wo);

    // Glass reflects or refracts; a thin wall throws the reflection to its other side.
    const Bool is_thin = choice.is_trans & b.trans.is_thin;
    const Bool is_straight = choice.is_trans & b.trans.is_straight;
    Float3 local = select(choice.is_cosine, upward, mirrored);
    Bool is_own_side = local.z > Float(0.0f);
    local.z = select(is_thin | is_filled_beyond, -local.z, local.z);
    Bool is_refracted = all_lanes(false);
    if (may_have(kMaterialTransmission) && any(is_glass)) {
        const Float reflectance = fresnel_dielectric(abs(wo_dot_h), b.trans.eta);
        is_refracted = is_glass & !choice.is_cosine & (choice.rest >= reflectance);
        local = select(is_refracted, refract(wo, h, b.trans.eta), local);
        is_own_side = is_own_side | is_refracted;
    }
    Float3 wi = select(is_straight, -b.wo, normalize(to_world(frame, local)));
    if (has_guide && any(is_guided)) {
        const Float3 turned = to_world({b.guide.along, b.guide.across, b.frame.n}, upward);
        wi = select(is_guided, normalize(turned), wi);
    }
    if (may_have(kMaterialScattering) && any(b.is_phase)) {
        wi = select(b.is_phase, sample_phase(-b.wo, b.phase_g, u), wi);
    }

    // Evaluate all lobes: the value is the whole f, the density the whole mixture.
    const BsdfValue whole = evaluate(b, wi);
    // Keep directions on the side where the lobe lies.
    const Float side = dot(wi, b.n_g);
    const Bool is_transmitted = is_refracted | is_filled_beyond | is_thin | is_straight;
    const Bool is_right_side =
        (is_transmitted & (side < Float(0.0f))) | ((side > Float(0.0f)) & !is_transmitted);
    const Bool counts = is_own_side & is_right_side & (whole.pdf > Float(0.0f));
    // Divide the value by the density.
    const Float inverse = Float(1.0f) / select(counts, whole.pdf, Float(1.0f));
    Float3 weight = select(counts, whole.value * inverse, splat(0.0f));
    // A phase function is its own density.
    if (may_have(kMaterialScattering)) {
        weight = select(b.is_phase, splat(1.0f), weight);
    }
    // A straight passage is a delta: only its probability divides its weight.
    if (may_have(kMaterialTransmission) && any(is_straight)) {
        const Float p = select(is_straight, b.p_trans, Float(1.0f));
        weight = select(is_straight, b.trans.color * (Float(1.0f) / p), weight);
    }
    // State how rough the drawn lobe is, for the ray cone.
    const Float alpha =
        select(choice.is_coat,
               b.coat_ggx.along,
               select(choice.is_cosine, Float(1.0f), select(is_straight, Float(0.0f), b.alpha)));
    return {wi,
            weight,
            select(is_straight, Float(0.0f), whole.pdf),
            alpha,
            is_straight,
            is_transmitted};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
