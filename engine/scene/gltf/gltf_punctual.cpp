// gltf_punctual.cpp — nodes that carry a camera or a light; their scale has no effect on either.
#include "engine/scene/gltf/gltf_punctual.h"

#include <algorithm>
#include <cmath>

#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_material.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::gltf {

namespace {

using Axis = std::array<double, 3>;

Axis column(const Matrix& m, std::size_t index) {
    return {m[index], m[4 + index], m[8 + index]};
}

// Zero stays zero.
Axis normalize(const Axis& a) {
    const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const bool is_good = length > 0 && std::isfinite(length);
    return is_good ? Axis{a[0] / length, a[1] / length, a[2] / length} : Axis{0, 0, 0};
}

bool is_zero(const Axis& a) {
    return a[0] == 0 && a[1] == 0 && a[2] == 0;
}

// −Z of the node, or −Z of the world where the node is flat along that axis.
Axis forward_of(const Matrix& m) {
    const Axis back = normalize(column(m, 2));
    return is_zero(back) ? Axis{0, 0, -1} : Axis{-back[0], -back[1], -back[2]};
}

Axis cross(const Axis& a, const Axis& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// The node's position and axes without its scale: keeps back, makes up orthogonal to it, and
// derives right.
Affine rigid(const Matrix& m) {
    const Axis forward = forward_of(m);
    const Axis back = {-forward[0], -forward[1], -forward[2]};
    Axis right = normalize(cross(column(m, 1), back));
    if (is_zero(right)) {
        right = normalize(cross(std::fabs(back[1]) < 0.9 ? Axis{0, 1, 0} : Axis{1, 0, 0}, back));
    }
    const Axis up = cross(back, right);
    Matrix rows{};
    for (std::size_t row = 0; row < 3; ++row) {
        rows[4 * row] = right[row];
        rows[4 * row + 1] = up[row];
        rows[4 * row + 2] = back[row];
        rows[4 * row + 3] = m[4 * row + 3];
    }
    return to_affine(rows);
}

// `value` if it lies in (0, below), else `stand_in` with a note.
float positive(
    double value, double below, double stand_in, const std::string& place, Notes& notes) {
    if (value > 0 && value < below) {
        return static_cast<float>(value);
    }
    notes.add(Note::Kind::Repaired,
              place + " is " + number_to_text(value) + ", taken as " + number_to_text(stand_in));
    return static_cast<float>(stand_in);
}

Camera read_camera(const tinygltf::Camera& from, const std::string& pointer, Notes& notes) {
    Camera camera;
    camera.is_orthographic = from.type == "orthographic";
    if (camera.is_orthographic) {
        camera.xmag = positive(
            std::fabs(from.orthographic.xmag), 1e30, 1, pointer + "/orthographic/xmag", notes);
        camera.ymag = positive(
            std::fabs(from.orthographic.ymag), 1e30, 1, pointer + "/orthographic/ymag", notes);
        camera.aspect = camera.xmag / camera.ymag;
        return camera;
    }
    camera.yfov_rad =
        positive(from.perspective.yfov, shaders::kPi, 0.8, pointer + "/perspective/yfov", notes);
    if (from.perspective.aspectRatio != 0) {
        camera.aspect = positive(
            from.perspective.aspectRatio, 1e6, 1, pointer + "/perspective/aspectRatio", notes);
    }
    return camera;
}

void read_cone(const Json& light, const std::string& pointer, Light& to, Notes& notes) {
    const Json* spot = find(light, "spot");
    const Json& cone = spot == nullptr ? null_json() : *spot;
    const double widest = shaders::kPi / 2;
    const float outer = read_factor(cone,
                                    "outerConeAngle",
                                    static_cast<float>(shaders::kPi / 4),
                                    1e-4,
                                    widest,
                                    pointer + "/spot",
                                    notes);
    const float inner = read_factor(
        cone, "innerConeAngle", 0, 0, static_cast<double>(outer), pointer + "/spot", notes);
    to.cos_inner = static_cast<float>(shaders::cos_of(static_cast<double>(inner)));
    to.cos_outer = static_cast<float>(shaders::cos_of(static_cast<double>(outer)));
}

base::Result<Light> read_light(const Document& document,
                               const Json& from,
                               const std::string& pointer,
                               Notes& notes) {
    Light light;
    const std::string type = text_of(*find(from, "type"));
    if (type == "point") {
        light.kind = shaders::LightKind::Point;
    } else if (type == "spot") {
        light.kind = shaders::LightKind::Spot;
        read_cone(from, pointer, light, notes);
    } else if (type == "directional") {
        light.kind = shaders::LightKind::Directional;
    } else {
        return scene_error(document.path(),
                           pointer + "/type",
                           "is \"" + type + "\", \"point\", \"spot\" or \"directional\" expected");
    }
    read_color(from, "color", light.intensity, 1e30, pointer, notes);
    const float intensity = read_factor(from, "intensity", 1, 0, 1e30, pointer, notes);
    for (float& channel : light.intensity) {
        channel = std::min(channel * intensity, 1e30f);
    }
    if (find(from, "range") != nullptr) {
        notes.add(Note::Kind::Ignored,
                  "ranges of lights are ignored, light falls off with the square of distance");
    }
    return light;
}

}  // namespace

void append_cameras(const Document& document,
                    const std::vector<PlacedNode>& nodes,
                    Scene& scene,
                    Notes& notes) {
    for (const PlacedNode& placed : nodes) {
        const int index = document.model.nodes[placed.node].camera;
        if (index < 0) {
            continue;
        }
        const tinygltf::Camera& from = document.model.cameras[static_cast<std::size_t>(index)];
        Camera camera = read_camera(from, "/cameras/" + std::to_string(index), notes);
        // The node's name distinguishes cameras that share one description.
        const std::string& node = document.model.nodes[placed.node].name;
        camera.name = !node.empty()
                          ? node
                          : (!from.name.empty() ? from.name : "camera " + std::to_string(index));
        camera.to_world = rigid(placed.to_world);
        scene.cameras.push_back(std::move(camera));
    }
}

base::Status append_lights(const Document& document,
                           const std::vector<PlacedNode>& nodes,
                           Scene& scene,
                           Notes& notes) {
    for (const PlacedNode& placed : nodes) {
        const Json* extension =
            find_extension(element(document, "nodes", placed.node), "KHR_lights_punctual");
        if (extension == nullptr) {
            continue;
        }
        const std::size_t index = count_of(*find(*extension, "light"));
        const Json& from =
            item(*find(*find_extension(document.json(), "KHR_lights_punctual"), "lights"), index);
        base::Result<Light> light =
            read_light(document,
                       from,
                       "/extensions/KHR_lights_punctual/lights/" + std::to_string(index),
                       notes);
        WEFT_TRY(light);
        const Json* name = find(from, "name");
        light.value().name = name == nullptr ? node_name(document, placed.node) : text_of(*name);
        const Axis forward = forward_of(placed.to_world);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            light.value().position[axis] = static_cast<float>(placed.to_world[4 * axis + 3]);
            light.value().direction[axis] = static_cast<float>(forward[axis]);
        }
        scene.lights.push_back(std::move(light.value()));
    }
    return base::Done{};
}

}  // namespace weft::scene::gltf
