#include "engine/scene/gltf/gltf_moving_light.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_nodes.h"

namespace weft::scene::gltf {

namespace {

bool is_positive(double value) {
    return value > 0;
}

bool is_not_zero(double value) {
    return value != 0;
}

// Whether the list of numbers at `name` holds a wanted one; `stand_in` where there is no list.
bool holds(const Json& object, const char* name, bool (*is_wanted)(double), bool stand_in) {
    const Json* list = find(object, name);
    if (list == nullptr) {
        return stand_in;
    }
    for (std::size_t i = 0; i < size_of(*list); ++i) {
        if (is_wanted(number_of(item(*list, i)))) {
            return true;
        }
    }
    return false;
}

// The light that stands at a node; null where there is none.
const Json* light_at(const Document& document, std::size_t node) {
    const Json* extension = find_extension(element(document, "nodes", node), "KHR_lights_punctual");
    return extension == nullptr
               ? nullptr
               : &item(*find(*find_extension(document.json(), "KHR_lights_punctual"), "lights"),
                       count_of(*find(*extension, "light")));
}

bool shines(const Document& document, std::size_t node) {
    if (const Json* light = light_at(document, node)) {
        const Json* intensity = find(*light, "intensity");
        if (holds(*light, "color", is_positive, true) &&
            (intensity == nullptr || is_positive(number_of(*intensity)))) {
            return true;
        }
    }
    const int mesh = document.model.nodes[node].mesh;
    if (mesh < 0) {
        return false;
    }
    const auto& primitives = document.model.meshes[static_cast<std::size_t>(mesh)].primitives;
    return std::any_of(primitives.begin(), primitives.end(), [&](const auto& primitive) {
        return primitive.material >= 0 &&
               holds(element(document, "materials", static_cast<std::size_t>(primitive.material)),
                     "emissiveFactor",
                     is_positive,
                     false);
    });
}

// Whether the node or one below it shines.
bool has_light_below(const Document& document, std::size_t top) {
    std::vector<bool> is_met(document.model.nodes.size(), false);
    std::vector<std::size_t> open = {top};
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        if (is_met[node]) {
            continue;
        }
        is_met[node] = true;
        if (shines(document, node)) {
            return true;
        }
        for (const int child : document.model.nodes[node].children) {
            open.push_back(static_cast<std::size_t>(child));
        }
    }
    return false;
}

// Whether the keys show a node at one time, while others, or the file at rest, do not.
bool comes_and_goes(const Document& document,
                    std::size_t node,
                    const std::string& property,
                    std::span<const double> keys) {
    const bool is_flag = property == "extensions/KHR_node_visibility/visible";
    if (!is_flag && property != "scale") {
        return false;
    }
    bool is_gone = is_flag ? is_hidden(document, node)
                           : !holds(element(document, "nodes", node), "scale", is_not_zero, true);
    bool is_there = false;
    const std::size_t width = is_flag ? 1 : 3;
    for (std::size_t i = 0; i + width <= keys.size(); i += width) {
        const auto key = keys.subspan(i, width);
        const bool shows =
            is_flag ? key[0] >= 0.5 : std::any_of(key.begin(), key.end(), is_not_zero);
        (shows ? is_there : is_gone) = true;
    }
    return is_there && is_gone;
}

}  // namespace

bool moves_light(const Document& document,
                 const std::string& pointer,
                 std::span<const double> keys) {
    const bool is_lamp = pointer.starts_with("/extensions/KHR_lights_punctual/lights/") &&
                         (pointer.ends_with("/intensity") || pointer.ends_with("/color"));
    const bool is_emission =
        pointer.starts_with("/materials/") &&
        (pointer.ends_with("/emissiveFactor") || pointer.ends_with("/emissiveStrength"));
    if (is_lamp || is_emission) {
        return std::any_of(keys.begin(), keys.end(), is_positive);
    }
    constexpr std::string_view kNodes = "/nodes/";
    const std::size_t end = pointer.find('/', kNodes.size());
    if (!pointer.starts_with(kNodes) || end == std::string::npos) {
        return false;
    }
    const std::size_t node = std::stoul(pointer.substr(kNodes.size(), end - kNodes.size()));
    return comes_and_goes(document, node, pointer.substr(end + 1), keys) &&
           has_light_below(document, node);
}

}  // namespace weft::scene::gltf
