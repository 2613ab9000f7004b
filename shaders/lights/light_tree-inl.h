// light_tree-inl.h — chooses a light by what it may contribute to a point, with a tree of lights;
// and the probability of that choice.
//
// Conty Estevez and Kulla, "Importance Sampling of Many Lights with Adaptive Tree Splitting",
// HPG 2018, without splitting: each lane walks from the root to one light, and takes either child
// with the probability that their importances give it. Suns and the environment are in the tree as
// well. bsdf.md section 5 defines all numbers. A light with a place that can light the point never
// has probability 0, nor has the environment. Reads only.
#if defined(WEFT_SHADERS_LIGHT_TREE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LIGHT_TREE_INL_H_
#        undef WEFT_SHADERS_LIGHT_TREE_INL_H_
#    else
#        define WEFT_SHADERS_LIGHT_TREE_INL_H_
#    endif

#    include "shaders/host/feature_set.h"
#    include "shaders/lanes/quads-inl.h"
#    include "shaders/lanes/record-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// A point that is lit, as the tree sees it.
struct LitPoint {
    Float3 position;
    Float3 normal;        // shading normal on the viewer's side, rounded as LitSurface keeps it
    Bool is_lit_through;  // light from behind shows as well
    Bool is_in_medium;    // no surface: light from everywhere shows alike
};

// Packs a surface into the bits kPathSurface of a path's flags: octahedral coordinates of the
// normal (Cigolle et al. 2014), rounded to 12 bits each.
HWY_INLINE Uint pack_surface(Float3 normal, Bool is_lit_through) {
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
    return shift_left<kPathNormalShift>(column | shift_left<12>(row)) |
           select(is_lit_through, Uint(kPathLitThrough), Uint(0u));
}

// The point at `position` of a surface from the flags of its path.
HWY_INLINE LitPoint lit_point(Float3 position, Uint flags) {
    const Uint code = shift_right<kPathNormalShift>(flags);
    const auto coordinate = [](Uint a) HWY_ATTR {
        return fms(to_float(a & Uint(4095u)), 2.0f / 4095.0f, 1.0f);
    };
    const Float x = coordinate(code);
    const Float y = coordinate(shift_right<12>(code));
    const Float z = Float(1.0f) - abs(x) - abs(y);
    // Unfold the lower half.
    const Float over = max(-z, 0.0f);
    const Float3 normal = {x - copy_sign(over, x), y - copy_sign(over, y), z};
    return {position,
            normalize(normal),
            has_flag(flags, kPathLitThrough),
            has_flag(flags, kPathInMedium)};
}

// Sine and cosine of an angle in [0, π].
struct Angle {
    Float sine, cosine;
};

HWY_INLINE Angle angle_of(Float cosine) {
    return {sqrt(max(fnma(cosine, cosine, 1.0f), 0.0f)), cosine};
}

// The angle max(0, a − b).
HWY_INLINE Angle angle_beyond(Angle a, Angle b) {
    const Bool is_none = a.cosine > b.cosine;
    return {select(is_none, Float(0.0f), fms(a.sine, b.cosine, a.cosine * b.sine)),
            select(is_none, Float(1.0f), fma(a.cosine, b.cosine, a.sine * b.sine))};
}

// Least factors of emission and reception where the bounds do not exclude light: bounds err, and a
// BSDF may have other normals.
inline constexpr float kLeastEmission = 1.0f / 64;
inline constexpr float kLeastReception = 1.0f / 32;
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

// A node in lanes.
struct LightNodeLanes {
    Float importance;
    Uint child;
    // The first sibling's share is scale · (that by importance) + offset.
    Float scale;
    Float offset;
    Float nearness;  // radius of the ball about the lights over the distance of its middle
};

// Reads the nodes `index` and computes what their lights may contribute to the point: an upper
// bound of intensity · cosines / distance², as far as their box and cone tell; of suns and the
// environment their illuminance.
HWY_INLINE LightNodeLanes load_light_node(const SceneView& scene, Uint index, const LitPoint& lit) {
    alignas(64) u32 at[kLanes];
    store(index * Uint(u32{sizeof(LightNode) / 4}), at);
    const u32* const words = reinterpret_cast<const u32*>(scene.light_nodes);
    const QuadLanes place = load_quad(words, at);
    const QuadLanes cone = load_quad(words + 4, at);
    const QuadLanes rest = load_quad(words + 8, at);
    // Measure the direction to the point, and the ball about the lights.
    const Float3 away = lit.position - first_three(place);
    const Float radius = bits_to_float(place.d);
    const Float distance2 = max(dot(away, away), 1e-20f);
    const Float per_distance = Float(1.0f) / sqrt(distance2);
    const Float3 direction = away * per_distance;
    const Float ball_sine = radius * per_distance;
    const Bool is_inside = ball_sine >= Float(1.0f);
    const Angle ball = {min(ball_sine, 1.0f), sqrt(max(fnma(ball_sine, ball_sine, 1.0f), 0.0f))};
    // Compute the least angle between a light's axis and its direction to the point.
    const Float reach = bits_to_float(rest.b);
    const Float turn = dot(first_three(cone), direction);
    const Float facing_axis = select(reach < Float(0.0f), abs(turn), turn);
    const Angle spread = {bits_to_float(rest.a), bits_to_float(cone.d)};
    const Float leaves =
        angle_beyond(angle_beyond(angle_of(clamp(facing_axis, -1.0f, 1.0f)), spread), ball).cosine;
    const Bool is_dark = (leaves + Float(kCosineSlack) < reach) & !is_inside;
    // Compute the least angle between the normal and the direction to a light.
    const Float turned = -dot(lit.normal, direction);
    const Float facing = select(lit.is_lit_through, abs(turned), turned);
    Float arrives = angle_beyond(angle_of(clamp(facing, -1.0f, 1.0f)), ball).cosine;
    if (may_have(kMaterialScattering)) {
        arrives = select(lit.is_in_medium, Float(1.0f), arrives);
    }
    // Multiply both cosines with intensity over squared distance.
    const Float cosines = max(leaves, kLeastEmission) * max(arrives, kLeastReception);
    const Float outside = cosines * square(per_distance);
    const Float inside = Float(1.0f) / max(square(radius), 1e-20f);
    const Float intensity = bits_to_float(rest.c);
    const Float importance = intensity * select(is_inside, inside, outside);
    LightNodeLanes node = {
        select(is_dark, Float(0.0f), min(importance, 1e30f)), rest.d, 1.0f, 0.0f, ball_sine};
    // Suns and the environment have the same illuminance everywhere.
    const Bool is_far = radius < Float(0.0f);
    if (any(is_far)) {
        const Float turned_away = -dot(lit.normal, first_three(cone));
        const Float to_suns = select(lit.is_lit_through, abs(turned_away), turned_away);
        Float from_suns = angle_beyond(angle_of(clamp(to_suns, -1.0f, 1.0f)), spread).cosine;
        if (may_have(kMaterialScattering)) {
            from_suns = select(lit.is_in_medium, Float(1.0f), from_suns);
        }
        const Bool has_sky = radius <= Float(kSkyNode);
        const Float from_sky = select(has_sky, sky_illuminance(scene.sky, lit), Float(0.0f));
        const Float illuminance = fma(intensity, max(from_suns, 0.0f), from_sky);
        node.importance = select(is_far, min(illuminance, 1e30f), node.importance);
        node.offset = select(is_far, bits_to_float(place.a), Float(0.0f));
        node.scale = select(is_far, bits_to_float(place.b), Float(1.0f));
    }
    return node;
}

HWY_INLINE Bool is_light_leaf(Uint child) {
    return (child & Uint(kLightLeaf)) != Uint(0u);
}

// What all lights with a place may contribute to the point, in the lanes of `where`. A node tells
// little of points in its ball, so this goes on to the child in whose ball the point lies deepest,
// as long as it lies in one, and adds up the others.
HWY_NOINLINE inline Float bounded_importance(const SceneView& scene,
                                             const LitPoint& lit,
                                             Bool where) {
    const Uint root = scene.light_nodes[0].child;
    LightNodeLanes node = load_light_node(scene, root, lit);
    Float beside = 0.0f;
    for (;;) {
        const Bool is_around = node.nearness >= Float(1.0f);
        const Bool walks = where & is_around & !is_light_leaf(node.child);
        if (!any(walks)) {
            return min(node.importance + beside, 1e30f);
        }
        const Uint first_child = select(walks, node.child, root);
        const LightNodeLanes first = load_light_node(scene, first_child, lit);
        const LightNodeLanes second = load_light_node(scene, first_child + Uint(1u), lit);
        const Bool is_second = second.nearness > first.nearness;
        const Float near = select(is_second, second.importance, first.importance);
        const Float other = select(is_second, first.importance, second.importance);
        beside = select(walks, beside + other, beside);
        node.importance = select(walks, near, node.importance);
        node.child = select(walks, select(is_second, second.child, first.child), node.child);
        node.nearness = select(walks, max(first.nearness, second.nearness), node.nearness);
    }
}

// Least probability of a child that may shine.
inline constexpr float kLeastShare = 0x1p-16f;

// Where a walk is: at a node, or at a light.
struct LightWalk {
    Uint child;  // LightNode::child of the node
    Float pdf;   // probability of the way so far; 0: a dead end
    Float u;     // in [0, 1), uniform whatever the way
};

// Goes on to a child of each node: by the number u where the lane draws, else by `is_second`.
HWY_INLINE void descend(const SceneView& scene,
                        const LitPoint& lit,
                        Bool draws,
                        Bool is_second,
                        Bool walks,
                        bool is_root,
                        LightWalk& walk) {
    // Finished lanes look at the root's children, which are in the cache.
    const Uint first_child = select(walks, walk.child, Uint(scene.light_nodes[0].child));
    LightNodeLanes first = load_light_node(scene, first_child, lit);
    const LightNodeLanes second = load_light_node(scene, first_child + Uint(1u), lit);
    if (is_root) {
        first.importance = bounded_importance(scene, lit, walks);
    }
    // Compute the share of the first child.
    const Bool is_first_dark = first.importance <= Float(0.0f);
    const Bool is_second_dark = second.importance <= Float(0.0f);
    const Float sum = max(first.importance + second.importance, 1e-37f);
    const Float by_importance = clamp(first.importance / sum, kLeastShare, 1.0f - kLeastShare);
    const Float both = fma(by_importance, second.scale, second.offset);
    const Float share =
        select(is_first_dark, Float(0.0f), select(is_second_dark, Float(1.0f), both));
    // Take a child, and stretch the number over it.
    const Bool takes_second = (draws & (walk.u >= share)) | (is_second & !draws);
    const Float taken = select(takes_second, Float(1.0f) - share, share);
    const Float rest = select(takes_second, walk.u - share, walk.u) / max(taken, kLeastShare);
    const Bool is_dead = is_first_dark & is_second_dark;
    walk.u = select(walks, clamp(rest, 0.0f, 0x1.fffffep-1f), walk.u);
    walk.pdf = select(walks, select(is_dead, Float(0.0f), walk.pdf * taken), walk.pdf);
    walk.child = select(walks, select(takes_second, second.child, first.child), walk.child);
}

// Once the way so far has less than this probability, finer bits refine the number.
inline constexpr float kCoarseShare = 0x1p-10f;

// How lanes choose a child: by numbers on the sampler's grid of 2⁻²⁴, or along a path.
struct LightWay {
    Bool draws;
    Float u;
    Float u_fine;  // bits below those of u
    Uint path;     // LightRecord::tree_path, where the lane does not draw
};

// Walks from the root to a light in the lanes of `where`. Lanes at a dead end have pdf 0 and no
// light.
HWY_NOINLINE inline LightWalk walk_lights(const SceneView& scene,
                                          const LitPoint& lit,
                                          Bool where,
                                          const LightWay& way) {
    LightWalk walk = {Uint(scene.light_nodes[0].child), Float(1.0f), way.u};
    Bool is_refined = all_lanes(false);
    Uint rest = way.path;
    // At the root lights with a place compete with those without.
    const u32 top = scene.light_nodes[0].child;
    bool is_root = scene.light_nodes[top].radius >= 0 && scene.light_nodes[top + 1].radius < 0;
    for (;;) {
        const Bool walks = where & !is_light_leaf(walk.child) & (walk.pdf > Float(0.0f));
        if (!any(walks)) {
            return walk;
        }
        // Refine a number that has few values left.
        const Bool refines = (walk.pdf < Float(kCoarseShare)) & !is_refined;
        const Float step = way.u_fine * (Float(0x1p-24f) / max(walk.pdf, 1e-30f));
        walk.u = select(refines, min(walk.u + step, 0x1.fffffep-1f), walk.u);
        is_refined = is_refined | refines;
        descend(scene, lit, way.draws, (rest & Uint(1u)) != Uint(0u), walks, is_root, walk);
        is_root = false;
        rest = shift_right<1>(rest);
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
