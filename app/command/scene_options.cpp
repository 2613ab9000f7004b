// scene_options.cpp — applies options to a scene: environment, camera, hidden nodes and section
// planes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <unordered_set>

#include "app/command/render_options.h"
#include "engine/math/affine.h"
#include "engine/math/angle.h"
#include "engine/scene/edit/edit.h"
#include "engine/scene/files/installed_maps.h"
#include "engine/scene/model/framing_camera.h"
#include "engine/scene/model/scene_report.h"
#include "engine/scene/model/scene_tree.h"
#include "shaders/host/scalar_math.h"

namespace weft::app {

namespace {

base::Error scene_usage(std::string sentence) {
    return {base::ErrorKind::Usage, std::move(sentence)};
}

base::Status place_camera(const LookAt& look_at, scene::Camera& camera) {
    using math::Vec3;
    const Vec3 eye = math::vec3_at(look_at.eye.data());
    const Vec3 back = math::normalize(eye - math::vec3_at(look_at.target.data()));
    const Vec3 up = look_at.up ? math::vec3_at(look_at.up->data()) : Vec3{0, 1, 0};
    if (back == Vec3{}) {
        return scene_usage("--look-at: eye and target are the same point; they must differ");
    }
    Vec3 right = math::normalize(cross(up, back));
    if (right == Vec3{}) {
        if (look_at.up) {
            return scene_usage("--look-at: the up vector points along the view; it must not");
        }
        right = {1, 0, 0};  // the view points straight up or down
    }
    camera.to_world = math::from_columns(right, cross(back, right), back, eye);
    return base::Done{};
}

// Finds --camera by name, else by its numbered name, else by index. Without --camera, returns the
// index of the first.
base::Result<u32> camera_index(const RenderOptions& options, const scene::Scene& scene) {
    if (options.camera.empty()) {
        return 0U;
    }
    const auto count = static_cast<u32>(scene.cameras.size());
    std::string names;
    for (u32 k = 0; k < count; ++k) {
        if (scene.cameras[k].name == options.camera) {
            return k;
        }
        names += (names.empty() ? "'" : ", '") + scene::numbered_name(scene, k) + "'";
    }
    for (u32 k = 0; k < count; ++k) {
        if (scene::numbered_name(scene, k) == options.camera) {
            return k;
        }
    }
    u32 index = 0;
    const char* const end = options.camera.data() + options.camera.size();
    const auto [rest, error] = std::from_chars(options.camera.data(), end, index);
    if (error == std::errc{} && rest == end && index < count) {
        return index;
    }
    return scene_usage(fmt::format("--camera {}: there is no such camera; the scene has {} ({})",
                                   options.camera,
                                   count,
                                   names));
}

// Applies --focus and --aperture.
void set_lens(const RenderOptions& options, const scene::Scene& scene, scene::Camera& camera) {
    if (options.focus_m > 0) {
        camera.focus_m = options.focus_m;
    } else if (options.aperture_f_stop > 0) {
        // Focus at the depth of the scene's centre. Autofocus replaces this distance if the ray
        // through the picture's centre hits a surface (RenderSettings::has_autofocus).
        const auto bounds = scene::scene_bounds(scene);
        const math::Vec3 centre = (bounds.low + bounds.high) / 2.0F;
        const float along =
            -dot(centre - math::column(camera.to_world, 3), math::column(camera.to_world, 2));
        camera.focus_m = std::max(along, 0.01F);
    }
    if (options.aperture_f_stop > 0) {
        // For a sensor 24 mm high, focal length = 12 mm / tan(yfov / 2) and lens radius = focal
        // length / (2 N).
        const double focal_m = 0.012 / shaders::tan_of(static_cast<double>(camera.yfov_rad) / 2);
        camera.lens_radius_m =
            static_cast<float>(focal_m / (2 * static_cast<double>(options.aperture_f_stop)));
    }
}

// The default camera of a scene without cameras frames the whole scene if the picture is at least
// as wide as high. For taller pictures, moves that camera back.
void frame_portrait(const RenderOptions& options,
                    const scene::Scene& scene,
                    scene::Camera& camera) {
    const auto bounds = scene::scene_bounds(scene);
    if (scene::is_framing_camera(camera, bounds, 1)) {
        camera = scene::framing_camera(
            bounds, static_cast<float>(options.width) / static_cast<float>(options.height));
    }
}

}  // namespace

base::Status apply_environment(const RenderOptions& options, scene::Scene& scene) {
    if (!options.environment_file.empty()) {
        std::error_code unknown;  // such as a name that is too long
        if (scene::is_map_name(options.environment_file) &&
            !std::filesystem::exists(options.environment_file, unknown)) {
            return base::Error{
                base::ErrorKind::Scene,
                fmt::format("--environment {}: no such file and no map of that name; expected a "
                            "lat-long .hdr or .exr, or {}",
                            options.environment_file,
                            fmt::join(scene::kInstalledMaps, ", "))};
        }
        auto environment = scene::read_environment(options.environment_file, options.colours.get());
        WEFT_TRY(environment);
        scene.environment = std::move(environment.value());
    } else if (options.environment_color) {
        scene.environment = {};
        scene.environment.name = "constant";
        scene.environment.width = 1;
        scene.environment.height = 1;
        scene.environment.pixels.assign(options.environment_color->begin(),
                                        options.environment_color->end());
    }
    // A scene's own environment may have both already.
    scene.environment.strength *= options.environment_strength;
    scene.environment.rotation_rad +=
        static_cast<float>(math::to_radians(static_cast<double>(options.environment_rotation_deg)));
    return base::Done{};
}

base::Result<scene::Camera> pick_camera(const RenderOptions& options, const scene::Scene& scene) {
    const base::Result<u32> index = camera_index(options, scene);
    WEFT_TRY(index);
    scene::Camera camera = scene.cameras[index.value()];
    camera.name = scene::numbered_name(scene, index.value());
    if (options.width > 0 && options.height > options.width) {
        frame_portrait(options, scene, camera);
    }
    if (options.look_at) {
        WEFT_TRY(place_camera(*options.look_at, camera));
    }
    if (options.fov_deg > 0) {
        camera.yfov_rad =
            static_cast<float>(math::to_radians(static_cast<double>(options.fov_deg)));
    }
    set_lens(options, scene, camera);
    return camera;
}

base::Result<std::vector<std::string>> pick_hidden(const RenderOptions& options,
                                                   const scene::Scene& scene) {
    std::set<std::string> nodes;
    for (const scene::Instance& instance : scene.instances) {
        nodes.insert(instance.node);
    }
    std::set<std::string> lights;
    for (const scene::Light& light : scene.lights) {
        lights.insert(light.name);
    }
    // A group whose name no node and no light bears.
    std::multimap<std::string, std::string> groups;
    for (const scene::Group& group : scene.groups) {
        if (nodes.count(group.name) + lights.count(group.name) == 0) {
            groups.emplace(group.name, scene::hidden_name(group));
        }
    }
    for (const auto& [names, option] :
         {std::pair{&options.hide, "--hide"}, {&options.show, "--show"}}) {
        for (const std::string& name : *names) {
            if (nodes.count(name) + lights.count(name) + groups.count(name) == 0) {
                return scene_usage(
                    fmt::format("{} {}: no node, no group and no light of the scene has this name",
                                option,
                                name));
            }
        }
    }
    std::vector<std::string> hidden;
    std::unordered_set<std::string> hidden_nodes;
    for (const std::string& name : options.hide) {
        if (std::find(options.show.begin(), options.show.end(), name) != options.show.end()) {
            continue;
        }
        if (nodes.count(name) > 0) {
            hidden_nodes.insert(name);
        }
        if (lights.count(name) > 0) {
            hidden.push_back("lights/" + name);
        }
        const auto [first, last] = groups.equal_range(name);
        std::transform(first, last, std::back_inserter(hidden), [](const auto& group) {
            return group.second;
        });
    }
    if (!hidden_nodes.empty()) {
        for (const scene::Instance& instance : scene.instances) {
            if (hidden_nodes.contains(instance.node)) {
                hidden.push_back(scene::hidden_name(instance.node, instance.place));
            }
        }
    }
    std::sort(hidden.begin(), hidden.end());
    hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
    return hidden;
}

std::vector<shaders::ClipPlane> pick_clip_planes(const RenderOptions& options) {
    std::vector<shaders::ClipPlane> planes;
    for (const std::array<float, 4>& numbers : options.clip_planes) {
        double squared = 0;
        for (u32 k = 0; k < 3; ++k) {
            squared += static_cast<double>(numbers[k]) * static_cast<double>(numbers[k]);
        }
        const double length = std::sqrt(squared);
        shaders::ClipPlane plane{};
        for (u32 k = 0; k < 3; ++k) {
            plane.normal[k] = static_cast<float>(static_cast<double>(numbers[k]) / length);
        }
        plane.offset = static_cast<float>(static_cast<double>(numbers[3]) / length);
        planes.push_back(plane);
    }
    return planes;
}

}  // namespace weft::app
