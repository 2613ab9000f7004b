// split_light-inl.h — whose light a path gathers, and what the first surface did with it (bsdf.md
// section 8): layers that split the picture.
//
// Called by shade.cpp and miss.cpp; writes slots of the group. Everything here is
// skipped where no such layer is wanted.
#if defined(WEFT_SHADERS_SPLIT_LIGHT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SPLIT_LIGHT_INL_H_
#        undef WEFT_SHADERS_SPLIT_LIGHT_INL_H_
#    else
#        define WEFT_SHADERS_SPLIT_LIGHT_INL_H_
#    endif

#    include "shaders/kernels/path-inl.h"
#    include "shaders/surface/bsdf-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Names the light that the hit or miss adds to the radiance: its group, and the way to the camera
// so far.
HWY_INLINE void record_found(const SplitView& split, const Group& g, Uint light_group) {
    const Uint way = load_field(split.way, g);
    store_field(split.found, g, shift_left<kSplitGroupShift>(light_group) | way);
}

HWY_INLINE Uint group_of_instance(const SceneView& scene, Uint instance) {
    return read_uint(records_of(scene.instances, instance), offsetof(InstanceRecord, light_group));
}

HWY_INLINE Uint group_of_light(const SceneView& scene, Uint light) {
    return read_uint(records_of(scene.lights, light), offsetof(LightRecord, light_group));
}

// What a surface does with light from a direction.
struct SplitLanes {
    Uint way;
    Float3 diffuse;  // share of diffuse and sheen in what the surface reflects, [0, 1]
};

// The lobes towards wi in evaluate()'s order, so that a surface without others gives exactly 1.
HWY_INLINE SplitLanes split_of(const Bsdf& b, Float3 wi) {
    const Float side = dot(wi, b.n_g);
    const Float3 w = to_local(b.frame, wi);
    const Bool reflects = (side > Float(0.0f)) & (w.z > Float(0.0f));
    const Float shade = terminator_factor(side, w.z, b.n_dot_ng);
    Float3 value = fma(b.diffuse * w.z, shade, splat(0.0f));
    if (may_have(kMaterialSheen) && any(b.p_sheen > Float(0.0f))) {
        const Float3 sheen = sheen_lobe(b, w, normalize(b.wo_local + w).z);
        value = select(b.p_sheen > Float(0.0f), fma(sheen, shade, value), value);
    }
    const Float3 whole = evaluate(b, wi).value;
    const auto share = [&](Float part, Float all) HWY_ATTR {
        const Bool is_there = reflects & (part > Float(0.0f)) & (all > Float(0.0f));
        return select(is_there, min(part / select(is_there, all, Float(1.0f)), 1.0f), Float(0.0f));
    };
    SplitLanes split = {
        select(side < Float(0.0f), Uint(kSplitTransmitted), Uint(kSplitReflected)),
        {share(value.x, whole.x), share(value.y, whole.y), share(value.z, whole.z)}};
    // What a medium scatters is diffuse.
    if (may_have(kMaterialScattering)) {
        split.way = select(b.is_phase, Uint(kSplitReflected), split.way);
        split.diffuse = select(b.is_phase, splat(1.0f), split.diffuse);
    }
    return split;
}

HWY_INLINE Float3 load_float3(float* const (&rows)[3], const Group& g) {
    return {load_field(rows[0], g), load_field(rows[1], g), load_field(rows[2], g)};
}

HWY_INLINE void store_float3(float* const (&rows)[3], const Group& g, Float3 value) {
    store_field(rows[0], g, value.x);
    store_field(rows[1], g, value.y);
    store_field(rows[2], g, value.z);
}

// Splits the pending light sample of the lanes of `where`, whose shadow rays are stored, and all
// that the path finds in the direction wi. Later surfaces pass on what the first one did.
HWY_INLINE void record_lobes(
    const PathView& paths, const Group& g, const Bsdf& b, Bool where, Float3 wi) {
    const SplitView& split = paths.split;
    SplitLanes next = {load_field(split.way, g), load_float3(split.diffuse, g)};
    SplitLanes light = next;
    const Bool is_first = where & (next.way == Uint(kSplitEmission));
    if (any(is_first)) {
        const Float3 to_light = first_three(load_quad(quads_of(paths.shadow, 1), g.at));
        const SplitLanes of_light = split_of(b, to_light);
        const SplitLanes of_next = split_of(b, wi);
        light = {select(is_first, of_light.way, light.way),
                 select(is_first, of_light.diffuse, light.diffuse)};
        next = {select(is_first, of_next.way, next.way),
                select(is_first, of_next.diffuse, next.diffuse)};
        store_field(split.way, g, next.way);
        store_float3(split.diffuse, g, next.diffuse);
    }
    store_where(split.pending, g, where, load_field(split.pending, g) | light.way);
    store_where(split.pending_diffuse[0], g, where, light.diffuse.x);
    store_where(split.pending_diffuse[1], g, where, light.diffuse.y);
    store_where(split.pending_diffuse[2], g, where, light.diffuse.z);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
