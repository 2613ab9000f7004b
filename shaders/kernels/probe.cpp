// probe.cpp — the kernels behind bsdf_probe.h: the BSDF and the elementary functions, without a
// scene or a path.
//
// Compiled once per instruction set from the same headers as shade.cpp. Called by tests.
#include "shaders/kernels/kernel_rows.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shaders/kernels/probe.cpp"
#include <hwy/foreach_target.h>
#include "shaders/surface/layers-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace {

Float3 broadcast(const float a[3]) {
    return {a[0], a[1], a[2]};
}

MaterialPoint constant_material(const MaterialRecord& r) {
    MaterialPoint p;
    p.flags = r.flags;
    p.base = broadcast(r.base_color);
    p.metallic = r.metallic;
    p.roughness = r.roughness;
    p.ior = r.ior;
    p.specular = r.specular;
    p.specular_color = broadcast(r.specular_color);
    p.transmission = r.transmission;
    p.coat = r.coat;
    p.coat_roughness = r.coat_roughness;
    p.sheen_color = broadcast(r.sheen_color);
    p.sheen_roughness = r.sheen_roughness;
    p.iridescence = r.iridescence;
    p.iridescence_ior = r.iridescence_ior;
    p.iridescence_nm = r.iridescence_max_nm;
    p.anisotropy = r.anisotropy;
    return p;
}

void probe_bsdf(const ProbeSurface& surface, Bsdf& bsdf) {
    SceneView scene{};
    scene.ggx_albedo = surface.ggx_albedo;
    scene.sheen_albedo = surface.sheen_albedo;
    scene.glass_loss = surface.glass_loss;
    scene.glass_mean_loss = surface.glass_mean_loss;
    scene.glass_anisotropy = surface.glass_anisotropy;
    scene.anisotropic_albedo = surface.anisotropic_albedo;
    const Float3 up = {0.0f, 0.0f, 1.0f};
    const Frame frame = frame_along(up, {1.0f, 0.0f, 0.0f});
    const ShadingGeometry geometry = {broadcast(surface.wo), up, frame, frame, surface.eta};
    make_bsdf(scene, constant_material(surface.material), geometry, bsdf);
    if ((surface.material.flags & kMaterialScattering) != 0) {
        put_phase(bsdf, all_lanes(true), surface.material.phase_g);
    }
}

// Up to kLanes rows of kWidth floats, transposed; rows beyond `size` repeat the first.
template <u32 kWidth>
struct Columns {
    float lanes[kWidth][kLanes];
    u32 size;
};

template <u32 kWidth>
Columns<kWidth> load_rows(const float* rows, u32 first, u32 count) {
    Columns<kWidth> c;
    c.size = count - first < kLanes ? count - first : kLanes;
    for (u32 k = 0; k < kLanes; ++k) {
        const u32 row = k < c.size ? first + k : first;
        for (u32 i = 0; i < kWidth; ++i) {
            c.lanes[i][k] = rows[row * kWidth + i];
        }
    }
    return c;
}

}  // namespace

void probe_evaluate(const ProbeSurface& surface, const float* wi, u32 count, ProbeValue* values) {
    Bsdf bsdf;
    probe_bsdf(surface, bsdf);
    for (u32 first = 0; first < count; first += kLanes) {
        const Columns<3> c = load_rows<3>(wi, first, count);
        const BsdfValue v = evaluate(bsdf, {load(c.lanes[0]), load(c.lanes[1]), load(c.lanes[2])});
        float out[4][kLanes];
        store(v.value.x, out[0]);
        store(v.value.y, out[1]);
        store(v.value.z, out[2]);
        store(v.pdf, out[3]);
        for (u32 k = 0; k < c.size; ++k) {
            values[first + k] = {{out[0][k], out[1][k], out[2][k]}, out[3][k]};
        }
    }
}

void probe_sample(const ProbeSurface& surface, const float* u, u32 count, ProbeSample* samples) {
    Bsdf bsdf;
    probe_bsdf(surface, bsdf);
    for (u32 first = 0; first < count; first += kLanes) {
        const Columns<3> c = load_rows<3>(u, first, count);
        const BsdfSample s = sample(bsdf, load(c.lanes[0]), {load(c.lanes[1]), load(c.lanes[2])});
        float out[7][kLanes];
        u32 straight[kLanes];
        store(s.wi.x, out[0]);
        store(s.wi.y, out[1]);
        store(s.wi.z, out[2]);
        store(s.weight.x, out[3]);
        store(s.weight.y, out[4]);
        store(s.weight.z, out[5]);
        store(s.pdf, out[6]);
        store(to_uint(s.is_straight), straight);
        for (u32 k = 0; k < c.size; ++k) {
            samples[first + k] = {{out[0][k], out[1][k], out[2][k]},
                                  {out[3][k], out[4][k], out[5][k]},
                                  out[6][k],
                                  straight[k]};
        }
    }
}

Float elementary_value(Elementary function, Float x, Float y) {
    switch (function) {
        case Elementary::SinTurns:
            return sin_cos_turns(x).sin;
        case Elementary::CosTurns:
            return sin_cos_turns(x).cos;
        case Elementary::Exp2:
            return exp2(x);
        case Elementary::Log2:
            return log2(x);
        case Elementary::Pow:
            return pow(x, y);
        case Elementary::Atan2:
            return atan2(x, y);
        case Elementary::Asin:
            return asin(x);
    }
    return x;
}

void probe_elementary(Elementary function, const float* x, const float* y, u32 count, float* out) {
    for (u32 first = 0; first < count; first += kLanes) {
        const Columns<1> cx = load_rows<1>(x, first, count);
        const Columns<1> cy = load_rows<1>(y, first, count);
        float lanes[kLanes];
        store(elementary_value(function, load(cx.lanes[0]), load(cy.lanes[0])), lanes);
        for (u32 k = 0; k < cx.size; ++k) {
            out[first + k] = lanes[k];
        }
    }
}

const BsdfProbe* probe_here() {
    static constexpr BsdfProbe kProbe = {&probe_evaluate, &probe_sample, &probe_elementary};
    return &kProbe;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace weft::shaders {

const BsdfProbe* probe_row([[maybe_unused]] Isa isa) {
    using namespace narrow;
    WEFT_PICK_ISA(isa, probe_here())
    return nullptr;
}

}  // namespace weft::shaders

#endif
