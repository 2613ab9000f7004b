#include "engine/frame/surface_ids.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

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

// The name of an instance in a layer of mattes.
std::string name_in(film::Aov layer, const scene::Scene& scene, const scene::Instance& instance) {
    return film::matte_name(layer == film::Aov::CryptoObject ? instance.node
                            : layer == film::Aov::CryptoMaterial
                                ? scene.materials[instance.material].name
                                : asset_name(scene, instance));
}

std::vector<u32> ids_of(film::Aov layer, const scene::Scene& scene) {
    std::vector<u32> ids;
    if (film::is_matte_aov(layer)) {
        ids.reserve(scene.instances.size());
        for (const scene::Instance& instance : scene.instances) {
            ids.push_back(film::matte_id(name_in(layer, scene, instance)));
        }
    }
    return ids;
}

}  // namespace

SurfaceIds surface_ids(const scene::Scene& scene, const std::vector<film::Aov>& aovs) {
    SurfaceIds ids;
    for (const film::Aov aov : aovs) {
        ids.of_layer.push_back(aov == film::Aov::Object     ? object_numbers(scene)
                               : aov == film::Aov::Material ? material_numbers(scene)
                                                            : ids_of(aov, scene));
    }
    return ids;
}

film::MatteNames matte_names(const scene::Scene& scene, const std::vector<film::Aov>& aovs) {
    film::MatteNames names;
    for (const film::Aov aov : aovs) {
        std::unordered_set<std::string> known;
        for (std::size_t k = 0; film::is_matte_aov(aov) && k < scene.instances.size(); ++k) {
            std::string name = name_in(aov, scene, scene.instances[k]);
            if (known.insert(name).second) {
                names.push_back({aov, std::move(name)});
            }
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace weft::frame
