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
        const std::string& name = scene::present_name(scene, instance);
        numbers.push_back(number_of.try_emplace(name, next).first->second);
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

// The names of instances in layers of mattes. The scene must outlive it.
class NamesInMattes {
public:
    explicit NamesInMattes(const scene::Scene& scene) : scene_(scene) {
        for (u32 k = 0; k < scene.groups.size(); ++k) {
            const u32 parent = scene.groups[k].parent;
            topmost_.push_back(parent == kNone ? k : topmost_[parent]);
        }
    }

    [[nodiscard]] std::string of(film::Aov layer, const scene::Instance& instance) const {
        return film::matte_name(
            layer == film::Aov::CryptoObject     ? scene::present_name(scene_, instance)
            : layer == film::Aov::CryptoMaterial ? scene_.materials[instance.material].name
                                                 : asset(instance));
    }

private:
    // The file's name of the asset, or what is given to the group or the node that it names.
    [[nodiscard]] const std::string& asset(const scene::Instance& instance) const {
        const std::string& name = scene::asset_name(scene_, instance);
        if (instance.group == kNone) {
            return name == instance.node ? scene::present_name(scene_, instance) : name;
        }
        const scene::Group& group = scene_.groups[topmost_[instance.group]];
        return name == group.name ? scene::present_name(group) : name;
    }

    const scene::Scene& scene_;
    std::vector<u32> topmost_;  // by group: the one above it that stands in none
};

std::vector<u32> ids_of(film::Aov layer, const scene::Scene& scene) {
    std::vector<u32> ids;
    if (film::is_matte_aov(layer)) {
        const NamesInMattes names(scene);
        ids.reserve(scene.instances.size());
        for (const scene::Instance& instance : scene.instances) {
            ids.push_back(film::matte_id(names.of(layer, instance)));
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
    const NamesInMattes in_mattes(scene);
    for (const film::Aov aov : aovs) {
        std::unordered_set<std::string> known;
        for (std::size_t k = 0; film::is_matte_aov(aov) && k < scene.instances.size(); ++k) {
            std::string name = in_mattes.of(aov, scene.instances[k]);
            if (known.insert(name).second) {
                names.push_back({aov, std::move(name)});
            }
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace weft::frame
