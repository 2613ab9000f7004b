// hit-inl.h — hit geometry in lanes: triangle, normals, tangents, texture coordinates (bsdf.md
// section 3).
//
// Called by the shade kernel for the hit itself, and by light sampling for a point on an emitting
// triangle. Reads only.
#if defined(WEFT_SHADERS_HIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_HIT_INL_H_
#        undef WEFT_SHADERS_HIT_INL_H_
#    else
#        define WEFT_SHADERS_HIT_INL_H_
#    endif

#    include "shaders/surface/texture-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Rows of a 3×4 matrix, row-major.
struct Matrix {
    Float m[12];
};

HWY_INLINE Matrix read_matrix(const Records& r, std::size_t offset) {
    const std::size_t word = offset / 4;
    Matrix a;
    if (r.is_shared) {
        const float* const from = r.floats + r.shared_first + word;
        for (u32 k = 0; k < 12; ++k) {
            a.m[k] = from[k];
        }
        return a;
    }
    alignas(64) u32 at[kLanes];
    store(r.first, at);
    for (u32 k = 0; k < 12; k += 4) {
        const QuadLanes row = load_quad(r.words + word + k, at);
        a.m[k] = bits_to_float(row.a);
        a.m[k + 1] = bits_to_float(row.b);
        a.m[k + 2] = bits_to_float(row.c);
        a.m[k + 3] = bits_to_float(row.d);
    }
    return a;
}

HWY_INLINE Float3 transform_point(const Matrix& a, Float3 p) {
    return {fma(a.m[0], p.x, fma(a.m[1], p.y, fma(a.m[2], p.z, a.m[3]))),
            fma(a.m[4], p.x, fma(a.m[5], p.y, fma(a.m[6], p.z, a.m[7]))),
            fma(a.m[8], p.x, fma(a.m[9], p.y, fma(a.m[10], p.z, a.m[11])))};
}

HWY_INLINE Float3 transform_vector(const Matrix& a, Float3 v) {
    return {fma(a.m[0], v.x, fma(a.m[1], v.y, a.m[2] * v.z)),
            fma(a.m[4], v.x, fma(a.m[5], v.y, a.m[6] * v.z)),
            fma(a.m[8], v.x, fma(a.m[9], v.y, a.m[10] * v.z))};
}

// Multiplies by the transposed matrix: transforms normals, given the inverse.
HWY_INLINE Float3 transform_transposed(const Matrix& a, Float3 v) {
    return {fma(a.m[0], v.x, fma(a.m[4], v.y, a.m[8] * v.z)),
            fma(a.m[1], v.x, fma(a.m[5], v.y, a.m[9] * v.z)),
            fma(a.m[2], v.x, fma(a.m[6], v.y, a.m[10] * v.z))};
}

// Weights of the three vertices at barycentrics (u, v).
struct Barycentrics {
    Float a, b, c;
};

HWY_INLINE Barycentrics barycentrics(Float u, Float v) {
    return {Float(1.0f) - u - v, u, v};
}

HWY_INLINE Float3 interpolate(const Barycentrics& w, Float3 a, Float3 b, Float3 c) {
    return fma(a, w.a, fma(b, w.b, c * w.c));
}

// A triangle in the world.
struct Triangle {
    Records instance, mesh;
    Uint material, first_light;  // of the instance
    Uint first_normal;           // of the mesh
    Matrix to_world;
    Uint vertex[3];  // of the mesh
    Float3 w0, w1, w2;
    Float3 cross;  // of the edges: length is twice the area; negated where mirrored
    Float offset;  // rays start at position ± n_g · offset
    Bool is_mirrored;
};

// The largest sum of magnitudes in the transformation of a vertex: rounding errs by a fraction of
// it.
HWY_INLINE Float vertex_bound(const Matrix& a, Float3 v) {
    const Float3 p = {abs(v.x), abs(v.y), abs(v.z)};
    const auto row = [&](u32 k) HWY_ATTR {
        return fma(abs(a.m[k]),
                   p.x,
                   fma(abs(a.m[k + 1]), p.y, fma(abs(a.m[k + 2]), p.z, abs(a.m[k + 3]))));
    };
    return max(row(0), max(row(4), row(8)));
}

// Loads a triangle. `kHasOffset`: with the offset of rays that leave it.
template <bool kHasOffset>
HWY_NOINLINE inline void load_triangle(const SceneView& scene,
                                       Uint instance,
                                       Uint primitive,
                                       Triangle& t) {
    // Read the instance and its mesh.
    t.instance = records_of(scene.instances, instance);
    const QuadLanes placed = read_quad(t.instance, offsetof(InstanceRecord, mesh));
    t.material = placed.b;
    t.first_light = placed.c;
    t.is_mirrored = has_flag(placed.d, kInstanceMirrored);
    t.mesh = records_of(scene.meshes, placed.a);
    t.to_world = read_matrix(t.instance, offsetof(InstanceRecord, object_to_world));
    // Find its vertices.
    const QuadLanes mesh = read_quad(t.mesh, offsetof(MeshRecord, first_triangle));
    const Uint index = (mesh.a + primitive) * Uint(3u);
    const Uint first = mesh.c;
    t.first_normal = mesh.d;
    // Transform the vertices to the world.
    Float3 world[3];
    Float bound = 0.0f;
    const QuadLanes vertices = load_triple(scene.indices, index);
    t.vertex[0] = vertices.a;
    t.vertex[1] = vertices.b;
    t.vertex[2] = vertices.c;
    for (u32 k = 0; k < 3; ++k) {
        const Float3 v = gather3(scene.positions, (first + t.vertex[k]) * Uint(3u));
        world[k] = transform_point(t.to_world, v);
        if constexpr (kHasOffset) {
            bound = max(bound, vertex_bound(t.to_world, v));
        }
    }
    t.w0 = world[0];
    t.w1 = world[1];
    t.w2 = world[2];
    // Compute the normal from the edges, turned where the instance mirrors.
    const Float3 c = cross(t.w1 - t.w0, t.w2 - t.w0);
    t.cross = select(t.is_mirrored, -c, c);
    // Position errs by less than a quarter of this. A wall along an axis lies in flat boxes, which
    // traversal widens, origins included, by up to 3/4 of it: rays start outside of them.
    t.offset = bound * Float(0x1p-18f);
}

// A vector in the triangle's plane, as differences of the barycentrics of vertices 1 and 2.
struct PlaneStep {
    Float b, c;
};

// Where the arenas begin to hold what a mesh may lack; kNone: it lacks it.
struct MeshExtras {
    Uint first_tangent, first_uv0, first_uv1, first_color;
};

HWY_INLINE MeshExtras read_extras(const Records& mesh) {
    const QuadLanes words = read_quad(mesh, offsetof(MeshRecord, first_tangent));
    return {words.a, words.b, words.c, words.d};
}

// The first texture coordinates at a hit, v upwards; zeros where the mesh has none.
HWY_INLINE Float2 first_uv(const SceneView& scene, const Triangle& t, const Barycentrics& w) {
    const Uint first = read_uint(t.mesh, offsetof(MeshRecord, first_uv0));
    const Bool has_uv = first != Uint(kNone);
    Float2 place = {0.0f, 0.0f};
    if (any(has_uv)) {
        Float2 uv[3];
        for (u32 k = 0; k < 3; ++k) {
            const Uint at = (first + t.vertex[k]) * Uint(2u);
            uv[k] = gather2(scene.uvs, select(has_uv, at, Uint(0u)));
        }
        const Float x = fma(uv[0].x, w.a, fma(uv[1].x, w.b, uv[2].x * w.c));
        const Float y = fma(uv[0].y, w.a, fma(uv[1].y, w.b, uv[2].y * w.c));
        // glTF counts v from the top; compositors from the bottom.
        place = {select(has_uv, x, Float(0.0f)), select(has_uv, Float(1.0f) - y, Float(0.0f))};
    }
    return place;
}

// Interpolates uv set 0 or 1, which begins at `first`: the point, the triangle's area in uv, and
// the difference along `axis`; zeros where the mesh has no such set.
HWY_INLINE void place_uv(const SceneView& scene,
                         const Triangle& t,
                         const Barycentrics& w,
                         const PlaneStep& axis,
                         Uint first,
                         u32 set,
                         TexturePlace& place) {
    const Bool has_uv = first != Uint(kNone);
    place.uv[set] = {0.0f, 0.0f};
    place.long_axis[set] = {0.0f, 0.0f};
    place.uv_area[set] = 0.0f;
    if (!any(has_uv)) {
        return;
    }
    // Read the coordinates of the vertices.
    Float2 uv[3];
    for (u32 k = 0; k < 3; ++k) {
        const Uint at = (first + t.vertex[k]) * Uint(2u);
        uv[k] = gather2(scene.uvs, select(has_uv, at, Uint(0u)));
    }
    // Interpolate them at the hit.
    const Float x = fma(uv[0].x, w.a, fma(uv[1].x, w.b, uv[2].x * w.c));
    const Float y = fma(uv[0].y, w.a, fma(uv[1].y, w.b, uv[2].y * w.c));
    // Compute the area in uv and the long axis.
    const Float2 to_b = {uv[1].x - uv[0].x, uv[1].y - uv[0].y};
    const Float2 to_c = {uv[2].x - uv[0].x, uv[2].y - uv[0].y};
    const Float area = fms(to_b.x, to_c.y, to_b.y * to_c.x);
    place.long_axis[set] = {fma(to_b.x, axis.b, to_c.x * axis.c),
                            fma(to_b.y, axis.b, to_c.y * axis.c)};
    place.uv[set] = {select(has_uv, x, Float(0.0f)), select(has_uv, y, Float(0.0f))};
    place.uv_area[set] = select(has_uv, abs(area), Float(0.0f));
}

// A ray cone at a surface.
struct Cone {
    Float width;   // across the ray, metres; 0 reads level 0
    Bool is_wide;  // it left a rough lobe
    Float3 wo;     // against the ray
    Float cosine;  // of wo and the geometric normal, any sign
};

// The long axis of the cone's footprint: the projection of wo to the plane, width / |cosine| long.
HWY_INLINE PlaneStep long_axis(const Triangle& t, const Cone& cone, Float area2, Float stretch) {
    const Float3 e1 = t.w1 - t.w0;
    const Float3 e2 = t.w2 - t.w0;
    // The projection of wo is `sine` long, the footprint width · stretch.
    const Float sine = sqrt(max(fnma(cone.cosine, cone.cosine, 1.0f), 1e-6f));
    const Float length = cone.width * stretch / (sine * max(area2, 1e-30f));
    const Float scale = select(t.is_mirrored, -length, length);  // of the cross product
    // Express the projection by the barycentrics that change along it.
    return {dot(cone.wo, cross(e2, t.cross)) * scale, dot(cone.wo, cross(t.cross, e1)) * scale};
}

HWY_INLINE TexturePlace texture_place(const SceneView& scene,
                                      const Triangle& t,
                                      const MeshExtras& extras,
                                      const Barycentrics& w,
                                      const Cone& cone) {
    TexturePlace place;
    const Float stretch = Float(1.0f) / max(abs(cone.cosine), 0.1f);
    const Float area2 = dot(t.cross, t.cross);
    place.stretch2 = square(stretch);
    place.is_wide = cone.is_wide;
    // Compute the long axis where a read would use it.
    PlaneStep axis = {0.0f, 0.0f};
    if (any((place.stretch2 >= Float(kTwoReads)) & !cone.is_wide)) {
        axis = long_axis(t, cone, area2, stretch);
    }
    // Interpolate both sets of coordinates.
    place_uv(scene, t, w, axis, extras.first_uv0, 0, place);
    place_uv(scene, t, w, axis, extras.first_uv1, 1, place);
    // Relate the cone's width to the triangle's area.
    place.footprint = square(cone.width) / max(sqrt(area2), 1e-30f);
    return place;
}

// Linear RGBA; white where the mesh has no colours.
HWY_INLINE Float4 vertex_color(const SceneView& scene,
                               const Triangle& t,
                               Uint first,
                               const Barycentrics& w) {
    const Bool has_color = first != Uint(kNone);
    Float4 color = {splat(1.0f), 1.0f};
    if (any(has_color)) {
        // Read the colours of the vertices and interpolate them.
        Float3 rgb[3];
        Float a[3];
        for (u32 k = 0; k < 3; ++k) {
            const Uint at = select(has_color, (first + t.vertex[k]) * Uint(4u), Uint(0u));
            rgb[k] = gather3(scene.colors, at);
            a[k] = gather(scene.colors, at + Uint(3u));
        }
        const Float alpha = fma(a[0], w.a, fma(a[1], w.b, a[2] * w.c));
        color = select(has_color, {interpolate(w, rgb[0], rgb[1], rgb[2]), alpha}, color);
    }
    return color;
}

// A hit, seen from wo. Outward normals are those of the surface, not yet flipped to the viewer.
struct Hit {
    Triangle triangle;
    Barycentrics weights;
    Uint material;
    Records record;  // of the material
    Float3 wo;
    Float3 position;
    Float3 n_g;   // outward
    Float3 n_s;   // outward
    Float3 t, b;  // tangent frame around outward n_s, where asks_for_tangents
    Bool is_front;
    TexturePlace place;  // where asks_for_textures
    Float4 color;        // of the vertices
};

// Interpolated normal in the world, flipped to the side of n_g.
HWY_INLINE Float3 vertex_normal(const SceneView& scene,
                                const Triangle& t,
                                const Barycentrics& w,
                                Float3 n_g) {
    const Uint first = t.first_normal;
    const Bool has_normal = first != Uint(kNone);
    if (!any(has_normal)) {
        return n_g;
    }
    // Read the normals of the vertices.
    Float3 n[3];
    for (u32 k = 0; k < 3; ++k) {
        const Uint at = (first + t.vertex[k]) * Uint(3u);
        n[k] = gather3(scene.normals, select(has_normal, at, Uint(0u)));
    }
    // Interpolate them, and transform the result to the world.
    const Matrix inverse = read_matrix(t.instance, offsetof(InstanceRecord, world_to_object));
    const Float3 smooth =
        normalize_or(transform_transposed(inverse, interpolate(w, n[0], n[1], n[2])), n_g);
    // Turn the normal to the side of the triangle's own.
    const Float3 n_s = select(has_normal, smooth, n_g);
    return select(dot(n_s, n_g) < Float(0.0f), -n_s, n_s);
}

// Sets the tangent frame around n_s: the mesh's where it has tangents, else Duff's.
HWY_INLINE void place_tangents(const SceneView& scene, Uint first, Hit& hit) {
    const Triangle& t = hit.triangle;
    const Bool has_tangent = first != Uint(kNone);
    // Start with a frame around the normal.
    const Frame any_frame = frame_around(hit.n_s);
    hit.t = any_frame.t;
    hit.b = any_frame.b;
    if (!any(has_tangent)) {
        return;
    }
    // Read the tangents of the vertices.
    Float3 tangent[3];
    Uint at[3];
    for (u32 k = 0; k < 3; ++k) {
        at[k] = select(has_tangent, (first + t.vertex[k]) * Uint(4u), Uint(0u));
        tangent[k] = gather3(scene.tangents, at[k]);
    }
    // Interpolate them, and transform the frame to the world.
    const Float handedness = copy_sign(1.0f, gather(scene.tangents, at[0] + Uint(3u)));
    const Float3 object = interpolate(hit.weights, tangent[0], tangent[1], tangent[2]);
    const Frame frame = frame_along(hit.n_s, transform_vector(t.to_world, object));
    const Float sign = select(t.is_mirrored, -handedness, handedness);
    hit.t = select(has_tangent, frame.t, hit.t);
    hit.b = select(has_tangent, frame.b * sign, hit.b);
}

// True if a lane may read a texture; always for groups of several materials. No branch of the
// lanes: no lane reads what is skipped.
HWY_INLINE bool asks_for_textures(const Records& material) {
    constexpr u32 kFirst = offsetof(MaterialRecord, base_color_slot) / 4;
    constexpr u32 kLast = offsetof(MaterialRecord, anisotropy_slot) / 4;
    if (!material.is_shared) {
        return true;
    }
    u32 slots = kNone;
    for (u32 k = kFirst; k <= kLast; ++k) {
        slots &= material.words[material.shared_first + k];
    }
    return slots != kNone;
}

// True if a lane may need the tangent frame, for normal maps or anisotropy.
HWY_INLINE bool asks_for_tangents(const Records& material) {
    const auto word = [&](std::size_t offset) {
        return material.words[material.shared_first + offset / 4];
    };
    return !material.is_shared || word(offsetof(MaterialRecord, normal_slot)) != kNone ||
           word(offsetof(MaterialRecord, coat_normal_slot)) != kNone ||
           (word(offsetof(MaterialRecord, flags)) & kMaterialAnisotropy) != 0;
}

// Evaluates the geometry of hits. `cone_width`: width of the ray cone at the hit; `is_wide`: the
// cone left a rough lobe.
HWY_NOINLINE inline void load_hit(const SceneView& scene,
                                  Uint instance,
                                  Uint primitive,
                                  Float2 uv,
                                  Float3 wo,
                                  Float cone_width,
                                  Bool is_wide,
                                  Hit& hit) {
    // Load the triangle and its material.
    Triangle& t = hit.triangle;
    load_triangle<true>(scene, instance, primitive, t);
    hit.material = t.material;
    hit.record = records_of(scene.materials, hit.material);
    hit.weights = barycentrics(uv.x, uv.y);
    // Compute position and normals.
    hit.wo = wo;
    hit.position = interpolate(hit.weights, t.w0, t.w1, t.w2);
    hit.n_g = normalize_or(t.cross, wo);
    hit.n_s = vertex_normal(scene, t, hit.weights, hit.n_g);
    const Float cosine = dot(hit.n_g, wo);
    hit.is_front = cosine >= Float(0.0f);
    // Compute tangents, texture coordinates and colours, where the material needs them.
    const MeshExtras extras = read_extras(t.mesh);
    if (asks_for_tangents(hit.record)) {
        place_tangents(scene, extras.first_tangent, hit);
    }
    if (asks_for_textures(hit.record)) {
        hit.place = texture_place(scene, t, extras, hit.weights, {cone_width, is_wide, wo, cosine});
    }
    hit.color = vertex_color(scene, t, extras.first_color, hit.weights);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
