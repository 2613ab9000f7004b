// reference_medium.h — the solids around a ray's origin: a stack of materials (shaders/bsdf.md
// section 4, Media).
//
// The innermost medium is the one of highest priority, the last pushed among equals. A small value
// type; any thread.
#pragma once

#include <array>

#include "engine/trace/reference_math.h"
#include "shaders/path_view.h"
#include "shaders/scene_view.h"

namespace weft::trace::reference {

class MediumStack {
public:
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

    // Does another solid of the stack win over this one?
    [[nodiscard]] bool is_covered(const shaders::SceneView& scene, u32 material) const {
        for (u32 i = 0; i < count_; ++i) {
            if (materials_[i] != material &&
                priority(scene, materials_[i]) > priority(scene, material)) {
                return true;
            }
        }
        return false;
    }

    // The stack beyond the surface of a solid: entered at its front, left at its back. A full stack
    // drops what enters.
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

    // What is left of light after `distance_m`; 1 for infinite distances.
    [[nodiscard]] Rgb transmittance(const shaders::SceneView& scene, double distance_m) const {
        const u32 medium = innermost(scene);
        if (medium == kNone || std::isinf(distance_m)) {
            return gray(1);
        }
        return per_channel(vec_of(scene.materials[medium].sigma_a),
                           [distance_m](double sigma) { return std::exp(-sigma * distance_m); });
    }

    // Refractive index of the medium the ray is in.
    [[nodiscard]] double ior(const shaders::SceneView& scene) const {
        return ior_of(scene, innermost(scene));
    }

    static double ior_of(const shaders::SceneView& scene, u32 material) {
        if (material == kNone || scene.materials[material].ior == 0) {
            return 1;
        }
        return scene.materials[material].ior;
    }

private:
    static double priority(const shaders::SceneView& scene, u32 material) {
        return scene.materials[material].medium_priority;
    }

    std::array<u32, shaders::kMediumDepth> materials_{};  // in the order of pushing
    u32 count_ = 0;
};

// η of a solid's surface: index beyond over index here.
inline double relative_index(const shaders::SceneView& scene,
                             const MediumStack& here,
                             u32 material,
                             bool is_front) {
    const double own = MediumStack::ior_of(scene, material);
    return is_front ? own / here.ior(scene) : here.beyond(material, false).ior(scene) / own;
}

}  // namespace weft::trace::reference
