// medium-inl.h — the stack of media around a ray's origin: nested solids with priorities (bsdf.md
// "Media").
//
// After Schmidt and Budge, "Simple Nested Dielectrics in Ray Traced Images" (2002). A stack holds
// material indices, innermost first, without gaps; kNone marks the end. The medium in force is that
// of highest priority, the last pushed among equals. It absorbs light, and may scatter it.
#if defined(WEFT_SHADERS_MEDIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_MEDIUM_INL_H_
#        undef WEFT_SHADERS_MEDIUM_INL_H_
#    else
#        define WEFT_SHADERS_MEDIUM_INL_H_
#    endif

#    include "shaders/host/feature_set.h"
#    include "shaders/host/path_view.h"
#    include "shaders/host/scene_view.h"
#    include "shaders/lanes/elementary-inl.h"
#    include "shaders/lanes/record-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

struct MediumStack {
    Uint entry[kMediumDepth];
};

// A field of each lane's material; `none` where the index is kNone.
HWY_INLINE Float medium_float(const SceneView& scene, Uint medium, std::size_t offset, Float none) {
    const Bool is_there = medium != Uint(kNone);
    const Records r = records_of(scene.materials, select(is_there, medium, Uint(0u)));
    return select(is_there, read_float(r, offset), none);
}

HWY_INLINE Float medium_priority(const SceneView& scene, Uint medium) {
    return medium_float(
        scene, medium, offsetof(MaterialRecord, medium_priority), -__builtin_huge_valf());
}

// The index of refraction of a solid; 0 counts as 1, and so does empty space.
HWY_INLINE Float medium_ior(const SceneView& scene, Uint medium) {
    const Float ior = medium_float(scene, medium, offsetof(MaterialRecord, ior), 1.0f);
    return select(ior > Float(0.0f), ior, Float(1.0f));
}

// The medium in force; kNone in empty space.
HWY_INLINE Uint medium_in_force(const SceneView& scene, const MediumStack& stack) {
    Uint best = stack.entry[0];
    Float priority = medium_priority(scene, best);
    for (u32 k = 1; k < kMediumDepth; ++k) {
        if (!any(stack.entry[k] != Uint(kNone))) {
            break;
        }
        const Float other = medium_priority(scene, stack.entry[k]);
        const Bool is_higher = other > priority;
        best = select(is_higher, stack.entry[k], best);
        priority = select(is_higher, other, priority);
    }
    return best;
}

// True where a boundary of `material` lies inside a medium of higher priority, which hides it.
HWY_INLINE Bool is_hidden_boundary(const SceneView& scene,
                                   const MediumStack& stack,
                                   Uint material) {
    Float highest = -__builtin_huge_valf();
    for (u32 k = 0; k < kMediumDepth; ++k) {
        const Bool is_other = (stack.entry[k] != Uint(kNone)) & (stack.entry[k] != material);
        if (any(is_other)) {
            const Float priority = medium_priority(scene, stack.entry[k]);
            highest = select(is_other, max(highest, priority), highest);
        }
    }
    return medium_priority(scene, material) < highest;
}

// Pushes the material in the lanes of `where`; `overflow` gets the lanes whose stack was full.
HWY_INLINE MediumStack push_medium(const MediumStack& stack,
                                   Bool where,
                                   Uint material,
                                   Bool& overflow) {
    const Bool is_full = stack.entry[kMediumDepth - 1] != Uint(kNone);
    overflow = where & is_full;
    const Bool pushes = where & !is_full;
    MediumStack out;
    out.entry[0] = select(pushes, material, stack.entry[0]);
    for (u32 k = 1; k < kMediumDepth; ++k) {
        out.entry[k] = select(pushes, stack.entry[k - 1], stack.entry[k]);
    }
    return out;
}

// Removes the innermost occurrence of the material, if any, in the lanes of `where`.
HWY_INLINE MediumStack pop_medium(const MediumStack& stack, Bool where, Uint material) {
    MediumStack out;
    Bool is_found = all_lanes(false);
    for (u32 k = 0; k < kMediumDepth; ++k) {
        is_found = is_found | (where & (stack.entry[k] == material));
        const Uint next = k + 1 < kMediumDepth ? stack.entry[k + 1] : Uint(kNone);
        out.entry[k] = select(is_found, next, stack.entry[k]);
    }
    return out;
}

HWY_INLINE MediumStack select(Bool c, const MediumStack& yes, const MediumStack& no) {
    MediumStack out;
    for (u32 k = 0; k < kMediumDepth; ++k) {
        out.entry[k] = select(c, yes.entry[k], no.entry[k]);
    }
    return out;
}

// The medium in force, per metre.
struct MediumLanes {
    Bool is_there;   // else empty space
    Bool scatters;   // kMaterialScattering
    Float3 sigma_s;  // scattering; 0 where nothing scatters
    Float3 sigma_t;  // extinction: absorption and scattering
    Float phase_g;
};

HWY_INLINE MediumLanes read_medium(const SceneView& scene, const MediumStack& stack) {
    const Uint index = medium_in_force(scene, stack);
    MediumLanes medium;
    medium.is_there = index != Uint(kNone);
    const Records r = records_of(scene.materials, select(medium.is_there, index, Uint(0u)));
    medium.sigma_t = read_float3(r, offsetof(MaterialRecord, sigma_a));
    medium.scatters = all_lanes(false);
    medium.sigma_s = splat(0.0f);
    medium.phase_g = 0.0f;
    if (may_have(kMaterialScattering)) {
        const Uint flags = read_uint(r, offsetof(MaterialRecord, flags));
        medium.scatters = medium.is_there & has_flag(flags, kMaterialScattering);
        if (any(medium.scatters)) {
            const Float3 sigma_s = read_float3(r, offsetof(MaterialRecord, sigma_s));
            medium.sigma_s = select(medium.scatters, sigma_s, medium.sigma_s);
            medium.sigma_t = medium.sigma_t + medium.sigma_s;
            medium.phase_g = read_float(r, offsetof(MaterialRecord, phase_g));
        }
    }
    return medium;
}

// exp(−σ_t · distance) of a medium; 1 in empty space.
HWY_INLINE Float3 passing_share(const MediumLanes& medium, Float distance) {
    return select(medium.is_there, exp(medium.sigma_t * -distance), splat(1.0f));
}

// The same of the medium in force.
HWY_INLINE Float3 attenuation(const SceneView& scene, const MediumStack& stack, Float distance) {
    if (!any(stack.entry[0] != Uint(kNone))) {
        return splat(1.0f);
    }
    return passing_share(read_medium(scene, stack), distance);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
