// reference_medium.h — the stack of solids around a ray's origin, and dispersion (shaders/bsdf.md
// section 3, Media).
//
// The innermost medium is that of highest priority, the last pushed among equals. A small value
// type; any thread.
#pragma once

#include <algorithm>
#include <array>

#include "engine/trace/reference/reference_sampler.h"
#include "engine/trace/start_media.h"
#include "shaders/host/path_view.h"
#include "shaders/host/scene_view.h"

namespace weft::trace::reference {

class MediumStack {
public:
    explicit MediumStack(const StartMedia& around = kEmptySpace) {
        count_ = static_cast<u32>(std::find(around.begin(), around.end(), kNone) - around.begin());
        std::reverse_copy(around.begin(), around.begin() + count_, materials_.begin());
    }

    // Material of the medium the ray is in; kNone: air.
    [[nodiscard]] u32 innermost(const shaders::SceneView& scene) const {
        u32 best = kNone;
        for (u32 i = 0; i < count_; ++i) {
            const u32 candidate = materials_[i];
            if (best == kNone || priority(scene, candidate) >= priority(scene, best)) {
                best = candidate;
            }
        }
        return best;
    }

    // True if another solid of the stack has a higher priority.
    [[nodiscard]] bool is_covered(const shaders::SceneView& scene, u32 material) const {
        for (u32 i = 0; i < count_; ++i) {
            if (materials_[i] != material &&
                priority(scene, materials_[i]) > priority(scene, material)) {
                return true;
            }
        }
        return false;
    }

    // The stack on the far side of a solid's surface: entered at its front, left at its back. A
    // full stack drops a solid that is entered.
    [[nodiscard]] MediumStack beyond(u32 material, bool is_front) const {
        MediumStack result = *this;
        if (is_front) {
            if (count_ < shaders::kMediumDepth) {
                result.materials_[result.count_++] = material;
            }
            return result;
        }
        for (u32 i = count_; i-- > 0;) {
            if (materials_[i] == material) {
                std::copy(materials_.begin() + i + 1,
                          materials_.begin() + count_,
                          result.materials_.begin() + i);
                --result.count_;
                break;
            }
        }
        return result;
    }

    // Transmittance over `distance_m`; 1 for infinite distances.
    [[nodiscard]] Rgb transmittance(const shaders::SceneView& scene, double distance_m) const {
        const u32 medium = innermost(scene);
        if (medium == kNone || std::isinf(distance_m)) {
            return gray(1);
        }
        return per_channel(
            vec_of(scene.materials[medium].sigma_a) + vec_of(scene.materials[medium].sigma_s),
            [distance_m](double sigma) { return std::exp(-sigma * distance_m); });
    }

    // Refractive index of a medium at a wavelength; `term` is 0.523655/λ² − 1.5168, and 0 for the
    // material's own index.
    static double ior_of(const shaders::SceneView& scene, u32 material, double term) {
        if (material == kNone || scene.materials[material].ior == 0) {
            return 1;
        }
        const double ior = scene.materials[material].ior;
        return std::max(ior + (ior - 1) * dispersion_of(scene, material) / 20 * term, 1.0);
    }

    static double dispersion_of(const shaders::SceneView& scene, u32 material) {
        return material == kNone ? 0.0 : static_cast<double>(scene.materials[material].dispersion);
    }

private:
    static double priority(const shaders::SceneView& scene, u32 material) {
        return scene.materials[material].medium_priority;
    }

    std::array<u32, shaders::kMediumDepth> materials_{};  // in the order of pushing
    u32 count_ = 0;
};

// The medium on the outer side of a solid's surface.
inline u32 medium_around(const shaders::SceneView& scene,
                         const MediumStack& here,
                         u32 material,
                         bool is_front) {
    return (is_front ? here : here.beyond(material, false)).innermost(scene);
}

// η at a solid's surface: index on the far side over index on the near side, at a wavelength
// (MediumStack::ior_of).
inline double relative_index(const shaders::SceneView& scene,
                             const MediumStack& here,
                             u32 material,
                             bool is_front,
                             double term) {
    const double own = MediumStack::ior_of(scene, material, term);
    const double around =
        MediumStack::ior_of(scene, medium_around(scene, here, material, is_front), term);
    return is_front ? own / around : around / own;
}

// True if a medium on either side of a solid's surface disperses.
inline bool is_dispersive(const shaders::SceneView& scene,
                          const MediumStack& here,
                          u32 material,
                          bool is_front) {
    const u32 around = medium_around(scene, here, material, is_front);
    return MediumStack::dispersion_of(scene, material) > 0 ||
           MediumStack::dispersion_of(scene, around) > 0;
}

// The wavelength that a path follows after a dispersive surface.
struct Wavelength {
    double term = 0;  // 0.523655/λ² − 1.5168
    Rgb weight;
};

inline Wavelength wavelength_of(const shaders::SceneView& scene, u32 pixel, u32 sample) {
    const double at =
        sample_tuple(pixel, sample, kWavelengthTuple).first.u0 * shaders::kSpectrumSize;
    const auto entry = static_cast<u32>(at);
    const auto word = [&](u32 k) {
        const float* const low = scene.spectrum + 4 * std::size_t{entry} + k;
        return mix(static_cast<double>(low[0]), static_cast<double>(low[4]), at - entry);
    };
    return {word(0), {word(1), word(2), word(3)}};
}

}  // namespace weft::trace::reference
