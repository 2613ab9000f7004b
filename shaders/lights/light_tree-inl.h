// light_tree-inl.h — chooses a light by what it may contribute to a point, with a tree of lights;
// and the probability of that choice.
//
// Conty Estevez and Kulla, "Importance Sampling of Many Lights with Adaptive Tree Splitting",
// HPG 2018, without splitting: each lane walks from the root to one light, and takes one of a
// node's four branches with the probability that their importances give it. Suns and the
// environment are in the tree as well. bsdf.md section 5 defines all numbers. A light with a place
// that can light the point never has probability 0, nor has the environment. Reads only.
#if defined(WEFT_SHADERS_LIGHT_TREE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LIGHT_TREE_INL_H_
#        undef WEFT_SHADERS_LIGHT_TREE_INL_H_
#    else
#        define WEFT_SHADERS_LIGHT_TREE_INL_H_
#    endif

#    include "shaders/host/feature_set.h"
#    include "shaders/lanes/quads-inl.h"
#    include "shaders/lanes/record-inl.h"
#    include "shaders/lanes/sampler-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Packs a direction into 24 bits: octahedral coordinates (Cigolle et al. 2014), rounded to 12 bits
// each.
HWY_INLINE Uint pack_direction(Float3 normal) {
    const Float sum = abs(normal.x) + abs(normal.y) + abs(normal.z);
    const Float x = normal.x / sum;
    const Float y = normal.y / sum;
    // Fold the lower half over the upper one.
    const Bool is_low = normal.z < Float(0.0f);
    const Float folded_x = copy_sign(Float(1.0f) - abs(y), x);
    const Float folded_y = copy_sign(Float(1.0f) - abs(x), y);
    const auto rounded = [](Float a) HWY_ATTR {
        return to_uint(floor(fma(saturate(fma(a, 0.5f, 0.5f)), 4095.0f, 0.5f)));
    };
    const Uint column = rounded(select(is_low, folded_x, x));
    const Uint row = rounded(select(is_low, folded_y, y));
    return column | shift_left<12>(row);
}

HWY_INLINE Float3 unpack_direction(Uint code) {
    const auto coordinate = [](Uint a) HWY_ATTR {
        return fms(to_float(a & Uint(4095u)), 2.0f / 4095.0f, 1.0f);
    };
    const Float x = coordinate(code);
    const Float y = coordinate(shift_right<12>(code));
    const Float z = Float(1.0f) - abs(x) - abs(y);
    // Unfold the lower half.
    const Float over = max(-z, 0.0f);
    return normalize({x - copy_sign(over, x), y - copy_sign(over, y), z});
}

// The lobe in which a surface mirrors lights, as the tree sees it.
struct Highlight {
    bool is_there;  // in a lane of the group
    Float3 middle;  // the mirrored view
    Float alpha2;   // squared roughness of the lobe
    Float share;    // of the reflected light that goes into the lobe, [0, 1]; 0: no lobe
};

// Roughness and share keep 4 bits each, as the squares of numbers on a grid.
inline constexpr float kHighlightSteps = 15.0f;
// Lobes of a roughness beyond this (as α) are as wide as diffuse ones.
inline constexpr float kWidestHighlight = 0.5f;

// Packs the lobe about `middle` with squared roughness alpha2 into a word of PathView::highlight.
HWY_INLINE Uint pack_highlight(Float3 middle, Float alpha2, Float share) {
    const auto rounded = [](Float a) HWY_ATTR {
        return to_uint(floor(fma(saturate(a), kHighlightSteps, 0.5f)));
    };
    const Uint width = rounded(sqrt(sqrt(alpha2)));
    const Uint part = rounded(sqrt(share));
    const Bool is_narrow = alpha2 < Float(kWidestHighlight * kWidestHighlight);
    const Uint code = pack_direction(middle) | shift_left<24>(width) | shift_left<28>(part);
    return select(is_narrow & (part != Uint(0u)), code, Uint(0u));
}

HWY_INLINE Highlight unpack_highlight(Uint code) {
    const Uint part = shift_right<28>(code);
    if (!any(part != Uint(0u))) {
        return {false, splat(0.0f), 0.0f, 0.0f};
    }
    const Uint width = shift_right<24>(code) & Uint(15u);
    const Float root = max(to_float(width), 0.5f) * Float(1.0f / kHighlightSteps);
    return {true,
            unpack_direction(code),
            square(square(root)),
            square(to_float(part) * Float(1.0f / kHighlightSteps))};
}

// A point that is lit, as the tree sees it.
struct LitPoint {
    Float3 position;
    Float3 normal;        // shading normal on the viewer's side, rounded as LitSurface keeps it
    Bool is_lit_through;  // light from behind shows as well
    Bool is_in_medium;    // no surface: light from everywhere shows alike
    Highlight highlight;
};

// Packs a surface into the bits kPathSurface of a path's flags.
HWY_INLINE Uint pack_surface(Float3 normal, Bool is_lit_through) {
    return shift_left<kPathNormalShift>(pack_direction(normal)) |
           select(is_lit_through, Uint(kPathLitThrough), Uint(0u));
}

// The surface of a scattering event, as a path keeps it for the light tree.
struct LitSurface {
    Uint flags;      // kPathSurface
    Uint highlight;  // a word of PathView::highlight
};

// The point at `position` of a surface.
HWY_INLINE LitPoint lit_point(Float3 position, LitSurface surface) {
    return {position,
            unpack_direction(shift_right<kPathNormalShift>(surface.flags)),
            has_flag(surface.flags, kPathLitThrough),
            has_flag(surface.flags, kPathInMedium),
            unpack_highlight(surface.highlight)};
}

// Sine and cosine of an angle in [0, π], both times a length.
struct Angle {
    Float sine, cosine;
};

// The angle between an axis and a vector that reaches `along` along it, times the vector's length.
HWY_INLINE Angle angle_to_axis(Float along, Float length2) {
    return {sqrt(max(fnma(along, along, length2), 0.0f)), along};
}

// The angle a − b times both lengths; of negative sine where b is larger.
HWY_INLINE Angle operator-(Angle a, Angle b) {
    return {fms(a.sine, b.cosine, a.cosine * b.sine), fma(a.cosine, b.cosine, a.sine * b.sine)};
}

// The cosine of max(0, a) times the length of a.
HWY_INLINE Float cosine_from_zero(Angle a, Float length) {
    return select(a.sine <= Float(0.0f), length, a.cosine);
}

// Least factors of emission and reception where the bounds do not exclude light: bounds err, and a
// BSDF may have other normals.
inline constexpr float kLeastEmission = 1.0f / 64;
inline constexpr float kLeastReception = 1.0f / 32;
// How much a ball of lights widens a highlight.
inline constexpr float kBallWidth = 0.25f;
// Rounding of a cosine.
inline constexpr float kCosineSlack = 1.0f / 1024;

// The illuminance that the environment is expected to give.
HWY_INLINE Float sky_illuminance(const SkyLight& sky, const LitPoint& lit) {
    const Float3 n = lit.normal;
    const float(&t)[9] = sky.terms;
    const Float along_x = n.x * fma(n.z, t[7], fma(n.y, t[6], n.x * t[4]));
    const Float along_y = n.y * fma(n.z, t[8], n.y * t[5]);
    const Float even = along_x + along_y + Float(t[0]);
    const Float odd = fma(n.z, t[3], fma(n.y, t[2], n.x * t[1]));
    const Float both_sides = even + even;
    const Float seen = max(select(lit.is_lit_through, both_sides, even + odd), sky.least);
    return may_have(kMaterialScattering) ? select(lit.is_in_medium, Float(sky.around), seen) : seen;
}

// A branch in lanes.
struct LightBranchLanes {
    Float importance;  // 0, or at least kLeastImportance
    Uint child;
    Float radius2, distance2;  // squared: of the ball about the lights, of its middle; positive
};

inline constexpr float kLeastImportance = 1e-30f;
inline constexpr float kMostImportance = 1e30f;

// The words of a branch, by lane.
struct LightBranchWords {
    QuadLanes place, cone, rest;
};

// The illuminance that suns, or the environment, are expected to give.
HWY_INLINE Float far_illuminance(const SceneView& scene,
                                 const LightBranchWords& branch,
                                 const LitPoint& lit) {
    const Float turned = -dot(lit.normal, first_three(branch.cone));
    const Float facing = select(lit.is_lit_through, abs(turned), turned);
    const Angle spread = {bits_to_float(branch.rest.a), bits_to_float(branch.cone.d)};
    Float arrives = cosine_from_zero(angle_to_axis(facing, 1.0f) - spread, 1.0f);
    if (may_have(kMaterialScattering)) {
        arrives = select(lit.is_in_medium, Float(1.0f), arrives);
    }
    const Float from_suns = bits_to_float(branch.rest.c) * arrives;
    const Bool is_sky = bits_to_float(branch.place.d) <= Float(kSkyBranch);
    const Float sum = select(is_sky, sky_illuminance(scene.sky, lit), from_suns);
    return select(sum > Float(0.0f), max(sum, kLeastImportance), Float(0.0f));
}

// Adds the highlight to `reception`, which is what the surface reflects of a ball of lights.
// `along`: how far the vector to the ball's middle, of length `distance`, reaches along the
// highlight's middle; `sine2`: the squared sine of the ball's half angle, which widens the lobe.
HWY_INLINE Float
add_highlight(const Highlight& h, Float reception, Float along, Float distance, Float sine2) {
    const Float width = fma(sine2, kBallWidth, h.alpha2);
    const Float near = distance + along;
    const Float beside = fma(width, near, distance - along);
    const Float falloff = near / beside;
    return fma(h.share, fms(Float(0.25f) * width, square(falloff), reception), reception);
}

// Computes what the lights of a branch may contribute to the point: intensity · cosine of emission
// · reflection / distance², as far as their box and cone tell, with upper bounds of both cosines;
// of suns and the environment their illuminance.
HWY_INLINE LightBranchLanes weigh_branch(const SceneView& scene,
                                         const LightBranchWords& branch,
                                         const LitPoint& lit) {
    // Measure the way to the point, and the ball about the lights. All angles below are times the
    // distance, all cosines times its square: that saves roots.
    const Float3 away = lit.position - first_three(branch.place);
    const Float radius = bits_to_float(branch.place.d);
    const Float distance2 = max(dot(away, away), 1e-20f);
    const Float radius2 = square(radius);
    const Bool is_inside = radius2 >= distance2;
    const Float per_area = Float(1.0f) / max(max(radius2, distance2), 1e-20f);
    const Angle ball = {radius, sqrt(max(distance2 - radius2, 0.0f))};
    // Compute the least angle between a light's axis and its direction to the point.
    const Float reach = bits_to_float(branch.rest.b);
    const Float turn = dot(first_three(branch.cone), away);
    const Angle spread = {bits_to_float(branch.rest.a), bits_to_float(branch.cone.d)};
    const Angle off_cone =
        angle_to_axis(select(reach < Float(0.0f), abs(turn), turn), distance2) - spread;
    const Float leaves = select(
        off_cone.sine <= Float(0.0f), distance2, cosine_from_zero(off_cone - ball, distance2));
    const Bool is_dark = (leaves < (reach - Float(kCosineSlack)) * distance2) & !is_inside;
    // Compute the least angle between the normal and the direction to a light.
    const Float turned = -dot(lit.normal, away);
    const Float facing = select(lit.is_lit_through, abs(turned), turned);
    Float arrives = cosine_from_zero(angle_to_axis(facing, distance2) - ball, distance2);
    if (may_have(kMaterialScattering)) {
        arrives = select(lit.is_in_medium, distance2, arrives);
    }
    const Float emission = select(is_inside, Float(1.0f), max(leaves * per_area, kLeastEmission));
    Float reception = select(is_inside, Float(1.0f), max(arrives * per_area, kLeastReception));
    // Add the highlight.
    if (lit.highlight.is_there) {
        const Float along = -dot(lit.highlight.middle, away);
        reception =
            add_highlight(lit.highlight, reception, along, sqrt(distance2), radius2 * per_area);
    }
    // Multiply both with intensity over squared distance.
    Float importance = bits_to_float(branch.rest.c) * per_area * (emission * reception);
    importance = select(is_dark, Float(0.0f), max(importance, kLeastImportance));
    // Suns and the environment have the same illuminance everywhere.
    const Bool is_far = radius < Float(0.0f);
    if (any(is_far)) {
        importance = select(is_far, far_illuminance(scene, branch, lit), importance);
    }
    return {min(importance, kMostImportance), branch.rest.d, radius2, distance2};
}

HWY_INLINE LightBranchLanes select(Bool c,
                                   const LightBranchLanes& yes,
                                   const LightBranchLanes& no) {
    return {select(c, yes.importance, no.importance),
            select(c, yes.child, no.child),
            select(c, yes.radius2, no.radius2),
            select(c, yes.distance2, no.distance2)};
}

// The branches of a node in each lane.
struct LightNodeLanes {
    LightBranchLanes branches[kLightBranches];
};

HWY_INLINE LightNodeLanes load_light_node(const SceneView& scene, Uint node, const LitPoint& lit) {
    alignas(64) u32 at[kLanes];
    store(node * Uint(u32{sizeof(LightNode) / 4}), at);
    const u32* words = reinterpret_cast<const u32*>(scene.light_nodes);
    LightNodeLanes lanes;
    for (LightBranchLanes& branch : lanes.branches) {
        branch = weigh_branch(
            scene, {load_quad(words, at), load_quad(words + 4, at), load_quad(words + 8, at)}, lit);
        words += sizeof(LightBranch) / 4;
    }
    return lanes;
}

HWY_INLINE Bool is_light_leaf(Uint child) {
    return (child & Uint(kLightLeaf)) != Uint(0u);
}

// What all lights of a branch may contribute to the point, in the lanes of `where`. A branch tells
// little of points in its ball, so this goes on to the branch in whose ball the point lies deepest,
// as long as it lies in one, and adds up the others.
HWY_NOINLINE inline Float bounded_importance(const SceneView& scene,
                                             const LitPoint& lit,
                                             Bool where,
                                             LightBranchLanes near) {
    Float beside = 0.0f;
    for (;;) {
        const Bool is_around = near.radius2 >= near.distance2;
        const Bool walks = where & is_around & !is_light_leaf(near.child);
        if (!any(walks)) {
            return min(near.importance + beside, kMostImportance);
        }
        const LightNodeLanes node =
            load_light_node(scene, select(walks, near.child, Uint(0u)), lit);
        LightBranchLanes nearest = node.branches[0];
        Float others = 0.0f;
        for (u32 k = 1; k < kLightBranches; ++k) {
            const LightBranchLanes& next = node.branches[k];
            const Bool is_nearer =
                next.radius2 / next.distance2 > nearest.radius2 / nearest.distance2;
            others = others + select(is_nearer, nearest.importance, next.importance);
            nearest = select(is_nearer, next, nearest);
        }
        beside = select(walks, beside + others, beside);
        near = select(walks, nearest, near);
    }
}

// Whether families of lights are the branches of the root: those with a place, if any, the first.
HWY_INLINE bool has_light_families(const SceneView& scene) {
    const LightBranch& second = scene.light_nodes[0].branches[1];
    return second.radius < 0 && second.middle[0] > 0;
}

// Makes half of the choice between the families at the root even.
HWY_INLINE void balance_families(const SceneView& scene,
                                 const LitPoint& lit,
                                 Bool where,
                                 LightNodeLanes& root) {
    const LightBranch* const families = scene.light_nodes[0].branches;
    LightBranchLanes(&branches)[kLightBranches] = root.branches;
    if (families[0].radius >= 0) {
        branches[0].importance = bounded_importance(scene, lit, where, branches[0]);
    }
    // Add up importances, and families of lights that can light the point.
    Float counts[kLightBranches];
    Float sum = kLeastImportance;
    Float count = kLeastImportance;
    for (u32 k = 0; k < kLightBranches; ++k) {
        const float counted = families[k].radius < 0 ? families[k].middle[0] : 1;
        const Bool shines = branches[k].importance > Float(0.0f);
        counts[k] = select(shines, Float(counted), Float(0.0f));
        sum = sum + branches[k].importance;
        count = count + counts[k];
    }
    for (u32 k = 0; k < kLightBranches; ++k) {
        branches[k].importance = branches[k].importance / sum + counts[k] / count;
    }
}

// Least probability of a branch that may shine, nearly.
inline constexpr float kLeastShare = 0x1p-16f;

// Where a walk is: at a node, or at a light.
struct LightWalk {
    Uint child;  // LightBranch::child of the way's last branch; at first the root
    Float pdf;   // probability of the way so far; 0: a dead end
    Float u;     // in [0, 1), uniform whatever the way
};

// Takes a branch of each node: by the number u where the lane draws, else branch `named`.
HWY_INLINE void take_branch(
    const LightNodeLanes& node, Bool draws, Uint named, Bool walks, LightWalk& walk) {
    const LightBranchLanes(&branches)[kLightBranches] = node.branches;
    // Compute weights: importance, at least the least share of its sum.
    const Float least = ((branches[0].importance + branches[1].importance) +
                         (branches[2].importance + branches[3].importance)) *
                        Float(kLeastShare);
    Float weights[kLightBranches];
    for (u32 k = 0; k < kLightBranches; ++k) {
        const Float importance = branches[k].importance;
        weights[k] = select(importance > Float(0.0f), max(importance, least), Float(0.0f));
    }
    const Float sum = max((weights[0] + weights[1]) + (weights[2] + weights[3]), kLeastImportance);
    // Take the last branch that shines and begins before the number's place in the sum.
    const Float place = walk.u * sum;
    Float begin = 0.0f;
    Float taken_begin = 0.0f;
    Float weight = weights[0];
    Uint child = branches[0].child;
    for (u32 k = 1; k < kLightBranches; ++k) {
        begin = begin + weights[k - 1];
        const Bool is_drawn = draws & (place >= begin) & (weights[k] > Float(0.0f));
        const Bool takes = is_drawn | ((named == Uint(k)) & !draws);
        taken_begin = select(takes, begin, taken_begin);
        weight = select(takes, weights[k], weight);
        child = select(takes, branches[k].child, child);
    }
    // Go there, and stretch the number over the branch; where none shines the weight is 0.
    const Float rest = (place - taken_begin) / max(weight, kLeastImportance);
    walk.u = select(walks, clamp(rest, 0.0f, 0x1.fffffep-1f), walk.u);
    walk.pdf = select(walks, walk.pdf * (weight / sum), walk.pdf);
    walk.child = select(walks, child, walk.child);
}

// Once the way so far has less than this probability, finer bits refine the number.
inline constexpr float kCoarseShare = 0x1p-10f;

// How lanes choose a branch: by numbers on the sampler's grid of 2⁻²⁴, or along a path.
struct LightWay {
    Bool draws;
    Float u;
    FineNumber fine;  // bits below those of u
    Uint path;        // LightRecord::tree_path, where the lane does not draw
};

// Walks from the root to a light in the lanes of `where`. Lanes at a dead end have pdf 0 and no
// light.
HWY_NOINLINE inline LightWalk walk_lights(const SceneView& scene,
                                          const LitPoint& lit,
                                          Bool where,
                                          const LightWay& way) {
    LightWalk walk = {Uint(0u), Float(1.0f), way.u};
    Bool is_refined = all_lanes(false);
    Uint rest = way.path;
    bool has_families = has_light_families(scene);
    for (;;) {
        const Bool walks = where & !is_light_leaf(walk.child) & (walk.pdf > Float(0.0f));
        if (!any(walks)) {
            return walk;
        }
        // Finished lanes look at the root, which is in the cache.
        LightNodeLanes node = load_light_node(scene, select(walks, walk.child, Uint(0u)), lit);
        if (has_families) {
            balance_families(scene, lit, walks, node);
            has_families = false;
        }
        // Refine a number that has few values left.
        const Bool refines = way.draws & (walk.pdf < Float(kCoarseShare)) & !is_refined;
        if (any(refines)) {
            const Float step = way.fine.value() * (Float(0x1p-24f) / max(walk.pdf, 1e-30f));
            walk.u = select(refines, min(walk.u + step, 0x1.fffffep-1f), walk.u);
            is_refined = is_refined | refines;
        }
        take_branch(node, way.draws, rest & Uint(3u), walks, walk);
        rest = shift_right<2>(rest);
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
