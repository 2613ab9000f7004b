// gltf_punctual.cpp — nodes that carry a camera or a light; their scale has no effect on either.
#include "engine/scene/gltf/gltf_punctual.h"

#include <algorithm>
#include <cmath>

#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_material.h"
#include "engine/scene/model/scene_tree.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::gltf {

namespace {

using math::DVec3;

// −Z of the node, or −Z of the world where the node is flat along that axis.
DVec3 forward_of(const math::DAffine& m) {
    const DVec3 back = math::normalize(math::column(m, 2));
    return back == DVec3{} ? DVec3{0, 0, -1} : -back;
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

// "extras" of our own: the lens, the shift of the film and the shape of a pixel.
void read_lens(const Json& from, const std::string& pointer, Camera& camera, Notes& notes) {
    constexpr double kFarthest = 1e30;
    constexpr double kMostShift = 1e3;
    camera.lens_radius_m = read_extra(from, "weft_lens_radius_m", 0, 0, kFarthest, pointer, notes);
    camera.focus_m = read_extra(from, "weft_focus_m", 1, 1e-30, kFarthest, pointer, notes);
    camera.shift_x = read_extra(from, "weft_shift_x", 0, -kMostShift, kMostShift, pointer, notes);
    camera.shift_y = read_extra(from, "weft_shift_y", 0, -kMostShift, kMostShift, pointer, notes);
    camera.pixel_aspect = read_extra(from, "weft_pixel_aspect", 1, 1e-3, 1e3, pointer, notes);
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

// "extras" of our own: the size of a light.
void read_size(const Json& from, const std::string& pointer, Light& light, Notes& notes) {
    constexpr double kLargestRadius = 1e4;  // metres
    constexpr double kWidestSun = 90;       // degrees from edge to edge
    if (light.kind == shaders::LightKind::Directional) {
        light.angle_deg = read_extra(from, "weft_angle_deg", 0, 0, kWidestSun, pointer, notes);
    } else {
        light.radius_m = read_extra(from, "weft_radius_m", 0, 0, kLargestRadius, pointer, notes);
    }
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
    read_color(from, "color", math::components(light.intensity), 1e30, pointer, notes);
    const float intensity = read_factor(from, "intensity", 1, 0, 1e30, pointer, notes);
    for (float& channel : math::components(light.intensity)) {
        channel = std::min(channel * intensity, 1e30f);
    }
    read_size(from, pointer, light, notes);
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
        const std::string pointer = "/cameras/" + std::to_string(index);
        Camera camera = read_camera(from, pointer, notes);
        read_lens(element(document, "cameras", static_cast<u32>(index)), pointer, camera, notes);
        // The node's name distinguishes cameras that share one description.
        const std::string& node = document.model.nodes[placed.node].name;
        camera.name = !node.empty()
                          ? node
                          : (!from.name.empty() ? from.name : "camera " + std::to_string(index));
        camera.to_world = rigid_matrix(placed.to_world);
        camera.group = placed.group;
        scene.cameras.push_back(std::move(camera));
    }
}

base::Status append_lights(const Document& document,
                           const std::vector<PlacedNode>& nodes,
                           Scene& scene,
                           Notes& notes) {
    for (const PlacedNode& placed : nodes) {
        const Json* extension = shown_light(document, placed);
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
        light.value().position = math::Vec3(math::column(placed.to_world, 3));
        light.value().direction = math::Vec3(forward_of(placed.to_world));
        light.value().group = placed.group;
        scene.lights.push_back(std::move(light.value()));
    }
    return base::Done{};
}

}  // namespace weft::scene::gltf
