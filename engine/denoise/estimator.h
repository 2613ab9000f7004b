// estimator.h — the light without most of its noise, by regression (kernels/regression.h).
//
// The result does not depend on the number of threads.
#pragma once

#include "engine/denoise/denoise_layers.h"
#include "engine/denoise/kernels/regression.h"
#include "engine/denoise/planes.h"
#include "engine/denoise/surface_light.h"

namespace weft::denoise {

// The light that falls on surfaces (surface_light()), 3 channels; each half of the samples filtered
// with weights that the other half chose.
struct Estimate {
    Planes first;
    Planes second;
};

// Colours of both halves of the samples.
struct LightHalves {
    PartOfLight first;
    PartOfLight second;
};

class Estimator {
public:
    // Of colours that are a part of the layers' or all; `layers` are valid (check_layers()).
    // `dark`: dark_light() of all colours. The passes outlive this.
    Estimator(const DenoiseLayers& layers,
              const LightHalves& halves,
              float dark,
              shaders::Isa isa,
              const Passes& passes);

    // Worth nothing once the passes are stopped.
    [[nodiscard]] Estimate estimate(float bandwidth);

private:
    void put_halves(const Planes& guide, const Planes& light);
    [[nodiscard]] Planes regressed(float bandwidth) const;

    const Passes& passes_;
    Planes first_;
    Planes second_;
    Planes first_guide_;
    Planes second_guide_;
    Planes picture_;  // kRegressionPlanes
    RegressBlock block_;
};

}  // namespace weft::denoise
