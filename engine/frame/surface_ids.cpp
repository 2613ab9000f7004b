#include "engine/frame/surface_ids.h"

#include <string_view>
#include <unordered_map>

namespace weft::frame {

namespace {

std::vector<u32> object_numbers(const scene::Scene& scene) {
    std::unordered_map<std::string_view, u32> number_of;
    std::vector<u32> numbers;
    numbers.reserve(scene.instances.size());
    for (const scene::Instance& instance : scene.instances) {
        const auto next = static_cast<u32>(number_of.size());
        numbers.push_back(number_of.try_emplace(instance.node, next).first->second);
    }
    return numbers;
}

std::vector<u32> material_numbers(const scene::Scene& scene) {
    std::vector<u32> numbers;
    numbers.reserve(scene.instances.size());
    for (const scene::Instance& instance : scene.instances) {
        numbers.push_back(instance.material);
    }
    return numbers;
}

}  // namespace

SurfaceIds surface_ids(const scene::Scene& scene, const std::vector<film::Aov>& aovs) {
    SurfaceIds ids;
    for (const film::Aov aov : aovs) {
        ids.of_layer.push_back(aov == film::Aov::Object     ? object_numbers(scene)
                               : aov == film::Aov::Material ? material_numbers(scene)
                                                            : std::vector<u32>());
    }
    return ids;
}

}  // namespace weft::frame
