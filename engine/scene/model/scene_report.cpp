// scene_report.cpp — see scene_report.h.
#include "engine/scene/model/scene_report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "engine/math/angle.h"
#include "engine/scene/model/scene_boxes.h"
#include "scheduler/base/printable.h"

namespace weft::scene {
namespace {

constexpr std::size_t kLongList =
    40;  // objects, materials, textures, lights, cameras shown by name
constexpr std::size_t kLongNotes = 200;  // sentences of one kind

std::string size_text(u64 bytes) {
    if (bytes < 1024) {
        return fmt::format("{} B", bytes);
    }
    static constexpr std::array<const char*, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
    double size = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (size >= 1024 && unit + 1 < kUnits.size()) {
        size /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string plural(u64 count, const std::string& one, const std::string& several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string named(const std::string& name) {
    return name.empty() ? "(no name)" : base::printable(name);
}

// A heading with its lines, cut where there are too many.
void append_list(std::string& text,
                 const std::string& heading,
                 const std::vector<std::string>& lines,
                 std::size_t limit) {
    if (lines.empty()) {
        return;
    }
    text += heading + "\n";
    for (std::size_t i = 0; i < std::min(lines.size(), limit); ++i) {
        text += "  " + base::printable(lines[i]) + "\n";
    }
    if (lines.size() > limit) {
        text += fmt::format("  … and {} more\n", lines.size() - limit);
    }
}

std::string vector_text(const math::Vec3& v) {
    return fmt::format("({:.4g}, {:.4g}, {:.4g})", v.x, v.y, v.z);
}

bool is_any_positive(const float* rgb) {
    return std::max({rgb[0], rgb[1], rgb[2]}) > 0;
}

std::string material_line(const Scene& scene, std::size_t index) {
    const Material& material = scene.materials[index];
    const auto uses = std::count_if(
        scene.instances.begin(), scene.instances.end(), [&](const Instance& instance) {
            return instance.material == index;
        });
    return fmt::format(
        "{}: {} (used {} times)", named(material.name), material_features(material), uses);
}

std::string texture_line(const Texture& texture) {
    static constexpr std::array<const char*, 7> kFormats = {"8-bit linear",
                                                            "8-bit sRGB",
                                                            "float linear",
                                                            "float linear",
                                                            "8-bit grey linear",
                                                            "8-bit grey sRGB",
                                                            "float grey linear"};
    return fmt::format("{}: {} × {}, {}, {}",
                       named(texture.name),
                       texture.record.width,
                       texture.record.height,
                       kFormats.at(texture.record.format),
                       plural(texture.record.mip_count, "level", "levels"));
}

// Objects by name, in the order of the scene. Those of one name share a line.
std::vector<std::string> object_lines(const Scene& scene) {
    struct Object {
        u64 parts = 0;
        u64 triangles = 0;
        u32 material = 0;
        bool has_several_materials = false;
    };

    std::map<std::string_view, Object> objects;
    std::vector<std::string_view> names;
    for (const Instance& instance : scene.instances) {
        const std::string_view name = present_name(scene, instance);
        const auto [at, is_new] = objects.try_emplace(name);
        Object& object = at->second;
        if (is_new) {
            names.push_back(name);
            object.material = instance.material;
        }
        object.parts += 1;
        object.triangles += scene.meshes[instance.mesh].record.triangle_count;
        object.has_several_materials |= instance.material != object.material;
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < names.size() && i < kLongList; ++i) {
        const Object& object = objects[names[i]];
        lines.push_back(fmt::format(
            "{}: {}{}, {}",
            named(std::string(names[i])),
            plural(object.triangles, "triangle", "triangles"),
            object.parts > 1 ? fmt::format(" in {} parts", object.parts) : "",
            object.has_several_materials ? "several materials"
                                         : named(scene.materials[object.material].name)));
    }
    lines.resize(names.size());
    return lines;
}

std::string light_line(const Light& light) {
    if (light.kind == shaders::LightKind::Directional) {
        const std::string angle =
            light.angle_deg > 0 ? fmt::format(", {:.4g}° wide", light.angle_deg) : "";
        return fmt::format("{}: directional, {} lux, towards {}{}",
                           named(light.name),
                           vector_text(light.intensity),
                           vector_text(light.direction),
                           angle);
    }
    const std::string radius =
        light.radius_m > 0 ? fmt::format(", radius {:.4g} m", light.radius_m) : "";
    return fmt::format("{}: {}, {} cd, at {}{}",
                       named(light.name),
                       light.kind == shaders::LightKind::Spot ? "spot" : "point",
                       vector_text(light.intensity),
                       vector_text(light.position),
                       radius);
}

std::string camera_line(const Scene& scene, u32 index) {
    const Camera& camera = scene.cameras[index];
    const math::Vec3 eye = math::column(camera.to_world, 3);
    const std::string lens =
        camera.is_orthographic
            ? fmt::format("orthographic, {:.4g} × {:.4g} m", 2 * camera.xmag, 2 * camera.ymag)
            : fmt::format("perspective, {:.4g}° high",
                          math::to_degrees(static_cast<double>(camera.yfov_rad)));
    return fmt::format(
        "{} {}: {}, at {}", index, named(numbered_name(scene, index)), lens, vector_text(eye));
}

void append_counts(std::string& text, const Scene& scene) {
    const SceneSize size = scene_size(scene);
    const SceneBoxes boxes = make_scene_boxes(scene, nullptr);
    const math::Box& bounds = boxes.whole;
    u64 emitters = 0;
    for (const Instance& instance : scene.instances) {
        emitters += is_any_positive(scene.materials[instance.material].record.emissive) ? 1u : 0u;
    }
    text += fmt::format("scene        {}\n", named(scene.name));
    text += fmt::format("triangles    {} ({} unique)\n", size.triangles, size.unique_triangles);
    text += fmt::format("meshes       {}\n", scene.meshes.size());
    text += fmt::format("instances    {}\n", scene.instances.size());
    text += fmt::format("materials    {}\n", scene.materials.size());
    text += fmt::format("textures     {}\n", scene.textures.size());
    text += fmt::format("lights       {} and {}\n",
                        scene.lights.size(),
                        plural(emitters, "shining instance", "shining instances"));
    text += fmt::format("cameras      {}\n", scene.cameras.size());
    if (scene.environment.width > 0) {
        text += fmt::format("environment  {}, {} × {}, strength {:.4g}\n",
                            named(scene.environment.name),
                            scene.environment.width,
                            scene.environment.height,
                            scene.environment.strength);
    } else {
        text += "environment  none\n";
    }
    text += !bounds.is_empty() ? fmt::format("bounds       {} to {} m\n",
                                             vector_text(bounds.low),
                                             vector_text(bounds.high))
                               : "bounds       nothing to see\n";
    text += boxes.far_triangles > 0 ? "too far      " + far_note(boxes) + "\n" : "";
    text += fmt::format("memory       {}\n", size_text(size.bytes));
}

void append_notes(std::string& text, const Scene& scene) {
    static constexpr std::array<std::pair<Note::Kind, const char*>, 4> kHeadings = {
        {{Note::Kind::Found, "found"},
         {Note::Kind::Repaired, "repaired"},
         {Note::Kind::Replaced, "replaced"},
         {Note::Kind::Ignored, "ignored"}}};
    for (const auto& [kind, heading] : kHeadings) {
        // Equal sentences become one line with their count.
        std::vector<std::string> sentences;
        std::map<std::string, u64> times;
        for (const Note& note : scene.notes) {
            if (note.kind == kind && ++times[note.sentence] == 1) {
                sentences.push_back(note.sentence);
            }
        }
        for (std::string& sentence : sentences) {
            const u64 count = times[sentence];
            sentence += count > 1 ? fmt::format(" ({} times)", count) : "";
        }
        append_list(text, heading, sentences, kLongNotes);
    }
}

}  // namespace

std::string material_features(const Material& material) {
    const shaders::MaterialRecord& record = material.record;
    std::string text;
    const auto add_if = [&](bool is_so, const std::string& word) {
        text += is_so ? (text.empty() ? "" : ", ") + word : std::string();
    };
    const bool is_solid = (record.flags & shaders::kMaterialSolid) != 0;
    const bool is_unlit = (record.flags & shaders::kMaterialUnlit) != 0;
    add_if(is_unlit, "unlit");
    add_if((record.flags & shaders::kMaterialSpecGloss) != 0, "specular-glossiness");
    add_if(!is_unlit && record.metallic >= 0.5f, "metal");
    add_if(!is_unlit && record.metallic < 0.5f && record.transmission <= 0, "dielectric");
    add_if(record.transmission > 0, is_solid ? "solid transmission" : "thin transmission");
    add_if((record.flags & shaders::kMaterialBoundary) != 0, "boundary");
    add_if(is_solid && is_any_positive(record.sigma_a), "absorbing");
    add_if(is_solid && is_any_positive(record.sigma_s), "scattering");
    add_if(is_solid && record.dispersion > 0, "dispersive");
    add_if(is_any_positive(record.emissive), "emissive");
    add_if(record.coat > 0, "coat");
    add_if(is_any_positive(record.sheen_color), "sheen");
    add_if(record.iridescence > 0, "iridescence");
    add_if(record.anisotropy > 0, "anisotropy");
    add_if(record.normal_slot != kNone, "normal map");
    add_if(record.alpha_mode == static_cast<u32>(shaders::AlphaMode::Mask), "alpha mask");
    add_if(record.alpha_mode == static_cast<u32>(shaders::AlphaMode::Blend), "alpha blend");
    const std::array<u32, 15> slots = {record.base_color_slot,
                                       record.metallic_roughness_slot,
                                       record.normal_slot,
                                       record.emissive_slot,
                                       record.specular_slot,
                                       record.specular_color_slot,
                                       record.transmission_slot,
                                       record.coat_slot,
                                       record.coat_roughness_slot,
                                       record.coat_normal_slot,
                                       record.sheen_color_slot,
                                       record.sheen_roughness_slot,
                                       record.iridescence_slot,
                                       record.iridescence_thickness_slot,
                                       record.anisotropy_slot};
    const auto textured =
        slots.size() - static_cast<std::size_t>(std::count(slots.begin(), slots.end(), kNone));
    add_if(textured > 0, plural(textured, "texture", "textures"));
    return text;
}

std::string scene_report(const Scene& scene) {
    std::string text;
    append_counts(text, scene);
    append_list(text, "objects", object_lines(scene), kLongList);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < scene.materials.size() && lines.size() <= kLongList; ++i) {
        lines.push_back(material_line(scene, i));
    }
    lines.resize(std::max(lines.size(), scene.materials.size()));
    append_list(text, "materials", lines, kLongList);
    lines.clear();
    std::transform(
        scene.textures.begin(), scene.textures.end(), std::back_inserter(lines), texture_line);
    append_list(text, "textures", lines, kLongList);
    lines.clear();
    std::transform(scene.lights.begin(), scene.lights.end(), std::back_inserter(lines), light_line);
    append_list(text, "lights", lines, kLongList);
    lines.clear();
    for (u32 i = 0; i < scene.cameras.size(); ++i) {
        lines.push_back(camera_line(scene, i));
    }
    append_list(text, "cameras", lines, kLongList);
    append_notes(text, scene);
    return text;
}

std::string numbered_name(const Scene& scene, u32 camera) {
    const std::string& name = scene.cameras[camera].name;
    const auto before = std::count_if(scene.cameras.begin(),
                                      scene.cameras.begin() + camera,
                                      [&](const Camera& other) { return other.name == name; });
    return before == 0 ? name : name + "#" + std::to_string(before + 1);
}

}  // namespace weft::scene
