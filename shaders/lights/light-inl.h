// light-inl.h — light sampling in lanes: chooses a light by power or by the light tree, then a
// point on it by kind; and densities for MIS.
//
// bsdf.md section 5 defines kinds and densities. The code of a kind runs only where a lane drew it;
// the code of punctual lights with a size only where a lane drew such a light. Reads only.
#if defined(WEFT_SHADERS_LIGHT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LIGHT_INL_H_
#        undef WEFT_SHADERS_LIGHT_INL_H_
#    else
#        define WEFT_SHADERS_LIGHT_INL_H_
#    endif

#    include "shaders/lanes/sampler-inl.h"
#    include "shaders/lights/environment-inl.h"
#    include "shaders/lights/light_tree-inl.h"
#    include "shaders/lights/lobe_share-inl.h"
#    include "shaders/surface/material-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// A light seen from a point.
struct LightSample {
    Float3 wi;                 // unit length, to the light
    Float distance;            // infinity: environment, directional
    Float3 radiance;           // punctual: divided by the density of wi, falloff included
    Float pdf;                 // choice × solid-angle density; punctual: of the choice alone
    Bool is_punctual;          // point, spot, directional: scattered rays cannot hit it
    Float lobe_share;          // punctual: probability that the BSDF draws wi; 0: never
    Float cone_area;           // where it may: the solid angle that the light fills
    Uint instance, primitive;  // the triangle that the shadow ray ends on; kNone: none
    Uint light;                // index among the scene's lights
};

// MIS divisor of a punctual light: the density of cone and BSDF together over that of the cone; 1
// where the cone alone draws the direction.
HWY_INLINE Float lobe_divisor(const LightSample& light, Float lobe_pdf) {
    return fma(light.lobe_share, fms(lobe_pdf, light.cone_area, 1.0f), 1.0f);
}

// Weight of strategy a by the power heuristic; p_b may be infinite.
HWY_INLINE Float mis_weight(Float p_a, Float p_b) {
    const Float ratio = p_b / max(p_a, 1e-30f);
    return Float(1.0f) / fma(ratio, ratio, 1.0f);
}

// A direction to a punctual light.
struct PunctualSample {
    Float3 wi;
    Float distance;  // to the light's surface; infinity: directional
    Float divisor;   // intensity / divisor = radiance / density of wi
    Float lobe_share = 0.0f;
    Float cone_area = 0.0f;
};

// The direction to the centre of a light without a size.
HWY_INLINE PunctualSample sample_middle(Float3 to_light, Float3 direction, Bool is_sun) {
    const Float distance2 = max(dot(to_light, to_light), 1e-20f);
    const Float distance = sqrt(distance2);
    return {select(is_sun, -direction, to_light * (Float(1.0f) / distance)),
            select(is_sun, kInfinity, distance),
            select(is_sun, Float(1.0f), distance2)};
}

// Packs the highlight of a surface: the lobe of the base or of the coat, whichever has the higher
// peak. Glass has none: what it mirrors is little beside what it lets through.
HWY_INLINE Uint pack_highlight(const Bsdf& bsdf) {
    const Bool is_glass = bsdf.trans.is_glass;
    Float3 middle = mirrored_view(bsdf.frame, bsdf.wo_local);
    Float alpha2 = bsdf.ggx.along * bsdf.ggx.across;
    Float share = select(is_glass, Float(0.0f), bsdf.p_spec);
    if (may_have(kMaterialCoat) && any(bsdf.p_coat > Float(0.0f))) {
        const Float coat_alpha2 = bsdf.coat_ggx.along * bsdf.coat_ggx.across;
        const Bool is_coat = bsdf.p_coat * alpha2 > share * coat_alpha2;
        const Float3 coat_middle = mirrored_view(bsdf.coat_frame, bsdf.wo_coat);
        middle = select(is_coat, coat_middle, middle);
        alpha2 = select(is_coat, coat_alpha2, alpha2);
        share = select(is_coat, bsdf.p_coat, share);
    }
    return pack_highlight(middle, alpha2, share);
}

// Samples a direction in the cone that a light with a size fills: a ball about `to_light` (from
// inside: all directions), or a directional light's disk. Draws it uniformly by solid angle, or by
// the BSDF, which finds the light on smooth surfaces, or where a medium scatters forwards;
// one-sample MIS combines both (Veach 1997, 9.2).
HWY_NOINLINE inline PunctualSample sample_cone(const Bsdf& bsdf,
                                               Float3 to_light,
                                               Float3 direction,
                                               Bool is_sun,
                                               Float size,
                                               Float u_share,
                                               Float2 u) {
    // Compute the cone that the light fills.
    const Float distance2 = max(dot(to_light, to_light), 1e-20f);
    const Float radius2 = square(size);
    const Bool is_inside = (distance2 < radius2) & !is_sun;
    const Float sine2 = min(radius2 / distance2, 1.0f);
    const Float ball = sine2 / (Float(1.0f) + sqrt(Float(1.0f) - sine2));
    // 1 − cosine of the cone's half angle.
    const Float spread = select(is_sun, size, select(is_inside, Float(2.0f), ball));
    const Float cone_area = Float(2.0f * kPiF) * spread;
    const Float3 axis = select(is_sun, -direction, normalize(to_light));
    // Compute the probability of each strategy.
    const Float share = lobe_share(bsdf, axis, spread, cone_area);
    const Bool is_lobe = u_share < share;

    // Sample the cone: map the unit disk to the spherical cap, preserving area.
    const DiskPoint disk = concentric_disk(u);
    const SinCos turn = sin_cos_turns(disk.turns);
    Float depth = square(disk.radius) * spread;
    Float sine = disk.radius * sqrt(spread * (Float(2.0f) - depth));
    Float3 wi =
        to_world(frame_around(axis), {turn.cos * sine, turn.sin * sine, Float(1.0f) - depth});
    Bool is_lit = all_lanes(true);
    // Sample the BSDF; directions outside the cone are unlit.
    if (any(is_lobe)) {
        const Float u_lobe = u_share / select(is_lobe, share, Float(1.0f));
        const BsdfSample lobe = sample(bsdf, min(u_lobe, 0x1.fffffep-1f), u);
        const Float3 aside = lobe.wi - axis;
        const Float lobe_depth = Float(0.5f) * dot(aside, aside);
        const Bool is_in_cone =
            (lobe_depth <= spread) & !lobe.is_straight & (max_of(lobe.weight) > Float(0.0f));
        is_lit = is_in_cone | !is_lobe;
        depth = select(is_lobe, min(lobe_depth, 2.0f), depth);
        sine = select(is_lobe, sqrt(depth * (Float(2.0f) - depth)), sine);
        wi = select(is_lobe, lobe.wi, wi);
    }

    // Intersect the ball, from outside or inside.
    const Float beside2 = distance2 * square(sine);
    const Float half_chord = sqrt(max(radius2 - beside2, 0.0f));
    const Float middle = sqrt(distance2) * (Float(1.0f) - depth);
    const Float way = max(middle + select(is_inside, half_chord, -half_chord), 0.0f);
    // Compute the divisor of the intensity.
    const Float narrowed = Float(1.0f) - Float(0.5f) * spread;
    const Float outside = select(is_sun, Float(1.0f), distance2) * narrowed;
    const Float divisor = select(is_inside, Float(0.25f) * radius2, outside);
    return {wi,
            select(is_sun, kInfinity, way),
            select(is_lit, divisor, Float(kInfinity)),
            share,
            cone_area};
}

// Samples point and spot lights (intensity in candela) and directional lights (lux).
HWY_INLINE void sample_punctual(const Bsdf& bsdf,
                                const Records& light,
                                Uint kind,
                                Float3 from,
                                Float u_share,
                                Float2 u,
                                LightSample& out) {
    const Bool is_sun = kind == Uint(static_cast<u32>(LightKind::Directional));
    const Bool is_spot = kind == Uint(static_cast<u32>(LightKind::Spot));
    const Bool is_punctual = is_sun | is_spot | (kind == Uint(static_cast<u32>(LightKind::Point)));
    if (!any(is_punctual)) {
        return;
    }
    // Sample the direction to the centre, or into the cone of a light with a size.
    const QuadLanes place = read_quad(light, offsetof(LightRecord, position));
    const QuadLanes axis = read_quad(light, offsetof(LightRecord, direction));
    const QuadLanes power = read_quad(light, offsetof(LightRecord, intensity));
    const Float3 direction = first_three(axis);
    const Float3 intensity = first_three(power);
    const Float3 to_light = first_three(place) - from;
    const Float size = bits_to_float(place.d);
    PunctualSample punctual = sample_middle(to_light, direction, is_sun);
    const Bool is_sized = is_punctual & (size > Float(0.0f));
    if (any(is_sized)) {
        const PunctualSample cone =
            sample_cone(bsdf, to_light, direction, is_sun, size, u_share, u);
        punctual.wi = select(is_sized, cone.wi, punctual.wi);
        punctual.distance = select(is_sized, cone.distance, punctual.distance);
        punctual.divisor = select(is_sized, cone.divisor, punctual.divisor);
        out.lobe_share = select(is_sized, cone.lobe_share, Float(0.0f));
        out.cone_area = select(is_sized, cone.cone_area, Float(0.0f));
    }
    // Apply the falloff of a spot light.
    const Float cos_inner = bits_to_float(axis.d);
    const Float cos_outer = bits_to_float(power.d);
    const Float cone =
        saturate((-dot(direction, punctual.wi) - cos_outer) / max(cos_inner - cos_outer, 0.001f));
    const Float falloff = select(is_spot, square(cone), Float(1.0f));
    // Store the sample in the lanes that drew a punctual light.
    out.is_punctual = is_punctual;
    out.wi = select(is_punctual, punctual.wi, out.wi);
    out.distance = select(is_punctual, punctual.distance, out.distance);
    out.radiance = select(is_punctual, intensity * (falloff / punctual.divisor), out.radiance);
}

// Radiance of a point on an emitting triangle: emission times alpha, at mip level 0.
HWY_INLINE Float3 triangle_radiance(const SceneView& scene, const Triangle& t, Float2 uv) {
    // Look the emission up at the point.
    const Barycentrics w = barycentrics(uv.x, uv.y);
    TexturePlace place;
    const MaterialLanes m = {scene, records_of(scene.materials, t.material), place};
    if (asks_for_textures(m.record)) {
        const Cone cone = {0.0f, all_lanes(true), splat(0.0f), 1.0f};
        place = texture_place(scene, t, read_extras(t.mesh), w, cone);
    }
    const Float3 emitted = emission(m, read_uint(m.record, offsetof(MaterialRecord, flags)));
    // Opaque triangles emit it fully.
    const Uint mode = read_uint(m.record, offsetof(MaterialRecord, alpha_mode));
    const Bool is_opaque = mode == Uint(static_cast<u32>(AlphaMode::Opaque));
    if (all(is_opaque)) {
        return emitted;
    }
    // Multiply it by alpha, which shadow rays do not see: they ignore this triangle.
    const ReadLanes lanes(all_lanes(true), is_opaque);
    const Float alpha = base_color(m, vertex_color(scene, t, read_extras(t.mesh).first_color, w)).a;
    const Float cutoff = factor(m, offsetof(MaterialRecord, alpha_cutoff));
    const Bool is_mask = mode == Uint(static_cast<u32>(AlphaMode::Mask));
    const Float masked = select(alpha >= cutoff, Float(1.0f), Float(0.0f));
    const Float present = select(is_mask, masked, saturate(alpha));
    return emitted * select(is_opaque, Float(1.0f), present);
}

// True where a point of an instance is cut away by a clip plane (clip_planes.h).
HWY_INLINE Bool is_point_cut(const SceneView& scene, Uint enabled, Float3 point) {
    Bool is_cut = all_lanes(false);
    for (u32 plane = 0; plane < scene.clip_plane_count; ++plane) {
        const ClipPlane& cut = scene.clip_planes[plane];
        const Float3 normal = {cut.normal[0], cut.normal[1], cut.normal[2]};
        const Bool is_enabled = (enabled & Uint(1U << plane)) != Uint(0u);
        is_cut = is_cut | (is_enabled & (dot(normal, point) + Float(cut.offset) < Float(0.0f)));
    }
    return is_cut;
}

// Samples a point on an emitting triangle, uniformly by area. Points behind clip planes are dark.
HWY_INLINE void sample_triangle(const SceneView& scene,
                                const Records& light,
                                Float area,
                                Bool where,
                                Float3 from,
                                Float2 u,
                                LightSample& out) {
    const QuadLanes name = read_quad(light, offsetof(LightRecord, instance));
    const Uint instance = select(where, name.a, Uint(0u));
    const Uint primitive = select(where, name.b, Uint(0u));
    // Sample the triangle.
    Triangle t;
    load_triangle<false>(scene, instance, primitive, t);
    const Float root = sqrt(u.x);
    const Float2 uv = {Float(1.0f) - root, u.y * root};
    const Float3 point = interpolate(barycentrics(uv.x, uv.y), t.w0, t.w1, t.w2);
    // Convert the density from area to solid angle.
    const Float3 to_light = point - from;
    const Float distance2 = max(dot(to_light, to_light), 1e-20f);
    const Float distance = sqrt(distance2);
    const Float3 wi = to_light * (Float(1.0f) / distance);
    const Float slope = dot(normalize_or(t.cross, wi), wi);
    const Float cosine = abs(slope);
    const Float density = distance2 / max(area * cosine, 1e-20f);
    // Darken points seen edge-on, dark backs and points behind clip planes.
    Bool is_seen = where & (cosine > Float(1e-7f));
    if (may_have(kMaterialFrontEmission)) {
        const Records material = records_of(scene.materials, t.material);
        const Uint flags = read_uint(material, offsetof(MaterialRecord, flags));
        is_seen = is_seen & !(has_flag(flags, kMaterialFrontEmission) & (slope > Float(0.0f)));
    }
    if (scene.clip_plane_count != 0) {
        const Uint enabled = read_uint(t.instance, offsetof(InstanceRecord, clip_planes));
        is_seen = is_seen & !is_point_cut(scene, enabled, point);
    }
    // Look up the radiance and store the sample.
    const Float3 radiance = triangle_radiance(scene, t, uv);
    out.wi = select(where, wi, out.wi);
    out.distance = select(where, distance, out.distance);
    out.radiance = select(where, select(is_seen, radiance, splat(0.0f)), out.radiance);
    out.pdf = select(where, out.pdf * density, out.pdf);
    out.instance = select(where, instance, out.instance);
    out.primitive = select(where, primitive, out.primitive);
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

// The random numbers of a light sample.
struct LightNumbers {
    Float choice, fraction;  // choose the light: table or tree, and within it
    FineNumber fine;         // has finer bits, for the light tree and the environment
    Float2 point;            // chooses the point
};

// The first words of a light's record.
struct LightHead {
    Uint kind;
    Float choice_pdf;
    Uint tree_path;
    Float area;
};

HWY_INLINE LightHead read_light_head(const Records& light) {
    const QuadLanes words = read_quad(light, offsetof(LightRecord, kind));
    return {words.a, bits_to_float(words.b), words.c, bits_to_float(words.d)};
}

// A chosen light.
struct ChosenLight {
    Uint index;
    LightHead head;
    Float pdf;       // 0: none
    Float fraction;  // in [0, 1), uniform whatever the choice
};

// Draws a light by the alias table; `fraction` decides the alias.
HWY_INLINE AliasChoice draw_from_table(const SceneView& scene, Float u, Float fraction) {
    const Float count = to_float(Uint(scene.light_count));
    const Uint drawn = to_uint(min(floor(u * count), count - Float(1.0f)));
    const Records light = records_of(scene.lights, drawn);
    const QuadLanes entry = read_quad(light, offsetof(LightRecord, instance));
    return take_alias(drawn, entry.c, bits_to_float(entry.d), fraction);
}

// Chooses a light: by the tree, if there is one and the fraction is in its share, else by the alias
// table. The rest of the fraction, stretched to [0, 1), drives the walk through the tree, so it
// stays stratified. The probability is that of both ways to the light.
HWY_INLINE ChosenLight choose_light(const SceneView& scene,
                                    Float3 from,
                                    LitSurface surface,
                                    const LightNumbers& u) {
    if (scene.light_nodes == nullptr) {
        const AliasChoice choice = draw_from_table(scene, u.choice, u.fraction);
        const LightHead head = read_light_head(records_of(scene.lights, choice.index));
        return {choice.index, head, head.choice_pdf, choice.fraction};
    }
    // Draw from the table in lanes that do not go to the tree.
    const Float share = scene.tree_share;
    const Bool draws = u.fraction < share;
    AliasChoice choice = {Uint(0u), Float(0.0f)};
    Uint path = 0u;
    if (any(!draws)) {
        const Float rest = (u.fraction - share) * Float(1 / (1 - scene.tree_share));
        choice = draw_from_table(scene, max(rest, 0.0f), u.choice);
        path = read_uint(records_of(scene.lights, choice.index), offsetof(LightRecord, tree_path));
    }
    // Walk through the tree: lanes of the tree to some light, others to theirs.
    const LitPoint lit = lit_point(from, surface);
    const Float place = min(u.fraction / share, 0x1.fffffep-1f);
    const LightWalk walk = walk_lights(scene, lit, all_lanes(true), {draws, place, u.fine, path});
    const Bool has_light = is_light_leaf(walk.child) & (walk.pdf > Float(0.0f));
    const Uint found = select(has_light, walk.child & Uint(~kLightLeaf), Uint(0u));
    const Uint index = select(draws, found, choice.index);
    // Add the probabilities; lanes at a dead end have no light.
    const LightHead head = read_light_head(records_of(scene.lights, index));
    const Float by_table = head.choice_pdf;
    const Bool is_chosen = (has_light | !draws) & (by_table > Float(0.0f));
    return {index,
            head,
            select(is_chosen, fma(walk.pdf, share, by_table), Float(0.0f)),
            select(draws, walk.u, choice.fraction)};
}

// Probability that a light sample at `lit` chooses the light of each lane of `where`; other lanes
// get that of the alias table alone.
HWY_INLINE Float choice_probability(const SceneView& scene,
                                    const LitPoint& lit,
                                    const LightHead& light,
                                    Bool where) {
    const Float by_table = light.choice_pdf;
    const Bool walks = where & (by_table > Float(0.0f));
    if (scene.light_nodes == nullptr || !any(walks)) {
        return by_table;
    }
    const LightWay way = {all_lanes(false), 0.0f, {}, light.tree_path};
    const LightWalk walk = walk_lights(scene, lit, walks, way);
    return select(walks, fma(walk.pdf, scene.tree_share, by_table), by_table);
}

// Samples a light and a point on it as seen from a point of a surface. Requires light_count > 0.
HWY_NOINLINE inline LightSample sample_light(const SceneView& scene,
                                             const Bsdf& bsdf,
                                             Float3 from,
                                             LitSurface surface,
                                             const LightNumbers& u) {
    // Choose a light.
    const ChosenLight choice = choose_light(scene, from, surface, u);
    const Records light = records_of(scene.lights, choice.index);
    const Uint kind = choice.head.kind;

    // Start with a sample that is black.
    LightSample out;
    out.wi = {0.0f, 0.0f, 1.0f};
    out.distance = kInfinity;
    out.radiance = splat(0.0f);
    out.pdf = choice.pdf;
    out.is_punctual = all_lanes(false);
    out.lobe_share = 0.0f;
    out.cone_area = 0.0f;
    out.instance = kNone;
    out.primitive = kNone;
    out.light = choice.index;
    // Sample a point, spot or directional light.
    sample_punctual(bsdf, light, kind, from, choice.fraction, u.point, out);
    // Sample an emitting triangle.
    const Bool is_triangle = kind == Uint(static_cast<u32>(LightKind::Triangle));
    if (any(is_triangle)) {
        const ReadLanes lanes(is_triangle);
        sample_triangle(scene, light, choice.head.area, is_triangle, from, u.point, out);
    }
    // Sample the environment.
    const Bool is_environment = kind == Uint(static_cast<u32>(LightKind::Environment));
    if (any(is_environment) && scene.environment_width != 0) {
        const ReadLanes lanes(is_environment);
        const EnvironmentSample e =
            sample_environment(scene, is_environment, u.point, u.fine.value());
        out.wi = select(is_environment, e.wi, out.wi);
        out.radiance = select(is_environment, e.radiance, out.radiance);
        out.pdf = select(is_environment, out.pdf * e.pdf, out.pdf);
    }
    return out;
}

// Emission that a scattered ray hit.
struct FoundEmission {
    Uint light;      // kNone: emission that no light samples
    Float distance;  // since the scattering event
    Float cosine;    // at the light
};

// MIS weight of found emission. `pdf`: density of the ray's direction (infinity: weight 1); `lit`:
// the point that scattered the ray.
HWY_INLINE Float emission_weight(const SceneView& scene,
                                 const LitPoint& lit,
                                 Float pdf,
                                 const FoundEmission& found) {
    // Emission that no light samples counts fully.
    const Bool is_light = found.light != Uint(kNone);
    if (!any(is_light)) {
        return 1.0f;
    }
    // Compute the probability with which light sampling would have chosen this light.
    const LightHead light =
        read_light_head(records_of(scene.lights, select(is_light, found.light, Uint(0u))));
    const Float choice = choice_probability(scene, lit, light, is_light & (pdf < Float(kInfinity)));
    // Multiply by the density of the point, and weigh the emission by the power heuristic.
    const Float density = square(found.distance) / max(light.area * found.cosine, 1e-20f);
    return select(is_light, mis_weight(pdf, choice * density), Float(1.0f));
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
