// bsdf_probe.h — test access to the BSDF and the elementary functions of one instruction set.
//
// Runs the same code as the shade kernel. A probe's surface lies in the plane z = 0 with
// its front to +z; the frame's tangent is +x; the viewer is at `wo`. Materials have factors only:
// texture slots are ignored. One with kMaterialScattering stands for a point in its medium: the
// phase function is all there is. Pure, any thread.
#pragma once

#include "shaders/host/scene_view.h"
#include "shaders/host/shade_kernels.h"

namespace weft::shaders {

struct ProbeSurface {
    MaterialRecord material;
    float wo[3];  // unit length, z > 0
    float eta;    // solids: η_t / η_i
    const float* ggx_albedo;
    const float* sheen_albedo;
    const float* glass_loss;
    const float* glass_mean_loss;
    const float* glass_anisotropy;
    const float* anisotropic_albedo;
};

// The result of one draw.
struct ProbeSample {
    float wi[3];
    float weight[3];
    float pdf;
    u32 is_straight;
};

// f · |cos| and the density of a direction.
struct ProbeValue {
    float value[3];
    float pdf;
};

enum class Elementary : u32 {
    SinTurns = 0,  // sin(2πx)
    CosTurns,      // cos(2πx)
    Exp2,
    Log2,
    Pow,    // x^y
    Atan2,  // atan2(x, y)
    Asin,
};

struct BsdfProbe {
    // wi: three floats for each of `count` directions.
    void (*evaluate)(const ProbeSurface& surface, const float* wi, u32 count, ProbeValue* values);
    // u: three numbers in [0, 1) for each of `count` draws: lobe, direction, direction.
    void (*sample)(const ProbeSurface& surface, const float* u, u32 count, ProbeSample* samples);
    void (*elementary)(Elementary function, const float* x, const float* y, u32 count, float* out);
};

// The probe of one instruction set, or nullptr where this machine cannot run it.
const BsdfProbe* bsdf_probe(Isa isa);

}  // namespace weft::shaders
