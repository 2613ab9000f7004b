// spectrum-inl.h — the wavelength that a path follows after a dispersive boundary (bsdf.md
// "Dispersion").
//
// Every path has a wavelength, a function of its pixel and sample alone. Pure.
#if defined(WEFT_SHADERS_SPECTRUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SPECTRUM_INL_H_
#        undef WEFT_SHADERS_SPECTRUM_INL_H_
#    else
#        define WEFT_SHADERS_SPECTRUM_INL_H_
#    endif

#    include "shaders/host/scene_view.h"
#    include "shaders/lanes/sampler-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

struct Wavelength {
    Float term;     // 0.523655/λ² − 1.5168
    Float3 weight;  // factor of the throughput of a path that follows this wavelength
};

// `spectrum`: as in SceneView, not null.
HWY_INLINE Wavelength wavelength_of(const float* spectrum, Uint pixel_hash, Uint sample) {
    const Float u = first_two(sample_tuple(pixel_hash, sample, Uint(kWavelengthTuple))).x;
    const Float at = u * Float(static_cast<float>(kSpectrumSize));
    const Float entry = floor(at);
    const Float along = at - entry;
    const Uint first = shift_left<2>(to_uint(entry));
    const auto read = [&](u32 word) HWY_ATTR {
        return mix(
            gather(spectrum, first + Uint(word)), gather(spectrum, first + Uint(word + 4)), along);
    };
    return {read(0), {read(1), read(2), read(3)}};
}

// Cauchy's index at a wavelength, from that at 587.6 nm and 20 / Abbe number.
HWY_INLINE Float index_at(Float index, Float dispersion, Float term) {
    const Float spread = (index - Float(1.0f)) * dispersion * Float(0.05f);
    return max(fma(spread, term, index), 1.0f);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
