// estimator.h — the light without most of its noise, by regression (kernels/regression.h).
//
// Runs on oneTBB's threads; the result does not depend on their number.
#pragma once

#include <functional>

#include "engine/denoise/denoise_layers.h"
#include "engine/denoise/kernels/regression.h"
#include "engine/denoise/planes.h"

namespace weft::denoise {

// The light that falls on surfaces (surface_light()), 3 channels; each half of the samples filtered
// with weights that the other half chose.
struct Estimate {
    Planes first;
    Planes second;
};

// Colours of both halves of the samples.
struct LightHalves {
    const film::Picture& first;
    const film::Picture& second;
};

class Estimator {
public:
    // Of colours that are a part of the layers' or all; `layers` are valid (check_layers()).
    // `dark`: dark_light() of all colours.
    Estimator(const DenoiseLayers& layers, const LightHalves& halves, float dark, shaders::Isa isa);

    // Stops early, with a part of the estimate, once `should_stop` says so; it may be empty.
    [[nodiscard]] Estimate estimate(float bandwidth, const std::function<bool()>& should_stop);

private:
    [[nodiscard]] Planes regressed(float bandwidth, const std::function<bool()>& should_stop) const;

    Planes first_;
    Planes second_;
    Planes first_guide_;
    Planes second_guide_;
    Planes picture_;  // kRegressionPlanes
    RegressBlock block_;
};

}  // namespace weft::denoise
