#include "engine/frame/film_origin.h"

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "engine/film/film_hash.h"
#include "engine/frame/motion.h"
#include "engine/frame/surface_ids.h"
#include "engine/math/vector.h"
#include "engine/trace/sample_version.h"

namespace weft::frame {

namespace {

using film::Hash128;

void absorb_bytes(Hash128& hash, const void* bytes, std::size_t size_bytes) {
    hash.absorb(std::string_view(static_cast<const char*>(bytes), size_bytes));
}

template <typename Items>
void absorb_array(Hash128& hash, const Items& items) {
    absorb_bytes(hash, items.data(), items.size() * sizeof(typename Items::value_type));
}

void absorb_floats(Hash128& hash, std::span<const float> values) {
    for (const float value : values) {
        hash.absorb(std::bit_cast<u32>(value));
    }
}

std::string geometry_hash(const scene::Scene& scene) {
    Hash128 hash;
    absorb_array(hash, scene.indices);
    for (const scene::GeometryArena<float>* values :
         {&scene.positions, &scene.normals, &scene.tangents, &scene.uvs, &scene.colors}) {
        absorb_array(hash, *values);
    }
    for (const scene::Mesh& mesh : scene.meshes) {
        absorb_bytes(hash, &mesh.record, sizeof mesh.record);
    }
    return hash.hex();
}

std::string placement_hash(const scene::Scene& scene) {
    Hash128 hash;
    for (const scene::Instance& instance : scene.instances) {
        hash.absorb(u64{instance.mesh} << 32 | instance.material);
        hash.absorb(instance.clip_planes);
        hash.absorb(scene::present_name(scene, instance));
        absorb_floats(hash, instance.object_to_world);
    }
    return hash.hex();
}

// Records without the reserved words at their ends.
std::string materials_hash(const scene::Scene& scene) {
    Hash128 hash;
    for (const scene::Material& material : scene.materials) {
        absorb_bytes(hash, &material.record, offsetof(shaders::MaterialRecord, reserved));
    }
    for (const shaders::TextureSlot& slot : scene.slots) {
        absorb_bytes(hash, &slot, offsetof(shaders::TextureSlot, reserved));
    }
    return hash.hex();
}

std::string textures_hash(const scene::Scene& scene) {
    Hash128 hash;
    for (const scene::Texture& texture : scene.textures) {
        const shaders::TextureRecord& record = texture.record;
        for (const u32 number : {record.width, record.height, record.format, record.mip_count}) {
            hash.absorb(number);
        }
        for (u32 mip = 0; mip < record.mip_count && mip < shaders::kMaxMips; ++mip) {
            hash.absorb(record.mip_offset[mip]);
        }
    }
    absorb_bytes(hash, scene.texels.data(), scene.texels.size() * sizeof(u32));
    return hash.hex();
}

std::string lights_hash(const scene::Scene& scene) {
    Hash128 hash;
    for (const scene::Light& light : scene.lights) {
        hash.absorb(scene::present_name(light));
        hash.absorb(static_cast<u64>(light.kind));
        absorb_floats(hash, math::components(light.position));
        absorb_floats(hash, math::components(light.direction));
        absorb_floats(hash, math::components(light.intensity));
        absorb_floats(
            hash, std::array{light.cos_inner, light.cos_outer, light.radius_m, light.angle_deg});
    }
    return hash.hex();
}

std::string environment_hash(const scene::Environment& environment) {
    Hash128 hash;
    hash.absorb(u64{environment.width} << 32 | environment.height);
    absorb_array(hash, environment.pixels);
    absorb_floats(hash, std::array{environment.strength, environment.rotation_rad});
    return hash.hex();
}

const char* filter_name(trace::PixelFilter filter) {
    switch (filter) {
        case trace::PixelFilter::Box:
            return "box";
        case trace::PixelFilter::BlackmanHarris:
            return "blackman-harris";
        case trace::PixelFilter::Gaussian:
            break;
    }
    return "gaussian";
}

constexpr std::string_view kOrthographic = "orthographic";
constexpr std::string_view kPixelAspect = ", pixel aspect ";

// An orthographic camera has no lens, and the picture's aspect and the height give its width.
std::string lens_text(const scene::Camera& camera, bool has_autofocus) {
    std::string text = camera.is_orthographic
                           ? fmt::format("{}, half height {} m", kOrthographic, camera.ymag)
                           : "perspective";
    if (camera.lens_radius_m > 0 && !camera.is_orthographic) {
        text += fmt::format(", radius {} m", camera.lens_radius_m);
        text += has_autofocus ? ", focus in the middle of the picture"
                              : fmt::format(", focus {} m", camera.focus_m);
    }
    if (camera.shift_x != 0 || camera.shift_y != 0) {
        text += fmt::format(", shifted by {}, {}", camera.shift_x, camera.shift_y);
    }
    if (camera.pixel_aspect != 1) {
        text += fmt::format("{}{}", kPixelAspect, camera.pixel_aspect);
    }
    return text;
}

const char* light_choice_name(trace::LightChoice choice) {
    return choice == trace::LightChoice::Tree ? "tree" : "power";
}

std::string planes_text(const std::vector<shaders::ClipPlane>& planes) {
    std::string text;
    for (const shaders::ClipPlane& plane : planes) {
        text += fmt::format(
            "{}{} {}", text.empty() ? "" : ", ", fmt::join(plane.normal, " "), plane.offset);
    }
    return text;
}

std::string aov_text(const std::vector<film::Aov>& aovs) {
    std::string text;
    for (const film::Aov aov : aovs) {
        text += fmt::format("{}{}", text.empty() ? "" : ",", film::aov_name(aov));
    }
    return text;
}

std::string names_hash(const film::MatteNames& names) {
    Hash128 hash;
    for (const film::MatteName& name : names) {
        hash.absorb(film::aov_name(name.layer));
        hash.absorb(name.name);
    }
    return hash.hex();
}

const char* yes_or_no(bool value) {
    return value ? "yes" : "no";
}

}  // namespace

std::string arithmetic_class(shaders::Isa isa) {
    return isa == shaders::Isa::Sse4 ? "sse4" : "fma";
}

bool is_orthographic(std::string_view lens) {
    return lens.starts_with(kOrthographic);
}

float pixel_aspect(std::string_view lens) {
    const std::size_t at = lens.find(kPixelAspect);
    float aspect = 1;
    if (at != std::string_view::npos) {
        std::from_chars(lens.data() + at + kPixelAspect.size(), lens.data() + lens.size(), aspect);
    }
    return aspect;
}

OriginEntries film_origin(const scene::Scene& scene,
                          const scene::Camera& camera,
                          const RenderSettings& settings,
                          const std::vector<std::string>& hidden,
                          shaders::Isa isa) {
    const film::Region crop =
        settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
    const bool has_embree = settings.integrator.mode == trace::SchedulerMode::Embree;
    OriginEntries origin = {
        {"version of the samples", std::to_string(trace::kSampleVersion)},
        {"size", fmt::format("{}x{}", settings.width, settings.height)},
        {"crop", fmt::format("{},{},{},{}", crop.x0, crop.x1, crop.y0, crop.y1)},
        {"list of AOVs", aov_text(settings.aovs)},
        {"seed", fmt::format("{}", settings.seed)},
        {"limit of bounces", fmt::format("{}", settings.max_bounces)},
        {"choice of lights", light_choice_name(settings.light_choice)},
        {"filter", filter_name(settings.filter)},
        {"transparent film", yes_or_no(settings.is_film_transparent)},
        {"backface culling", yes_or_no(settings.has_backface_culling)},
        {"list of clip planes", planes_text(settings.clip_planes)},
        {"list of hidden objects", fmt::format("{}", fmt::join(hidden, ","))},
        {"traversal", has_embree ? "embree" : "weft"},
        {"arithmetic class", arithmetic_class(isa)},
        {"camera matrix", fmt::format("{}", fmt::join(camera.to_world, " "))},
        {"field of view in radians", fmt::format("{}", camera.yfov_rad)},
        {"aspect of the camera", fmt::format("{}", camera.aspect)},
        {kLensOrigin, lens_text(camera, settings.has_autofocus)},
        {"geometry", geometry_hash(scene)},
        {"placement of objects", placement_hash(scene)},
        {"set of materials", materials_hash(scene)},
        {"set of textures", textures_hash(scene)},
        {"set of lights", lights_hash(scene)},
        {"environment", environment_hash(scene.environment)},
    };
    const OriginEntries biasing = bias_origin(settings);
    origin.insert(origin.end(), biasing.begin(), biasing.end());
    if (const film::MatteNames names = matte_names(scene, settings.aovs); !names.empty()) {
        origin.emplace_back("set of names in mattes", names_hash(names));
    }
    if (settings.guiding != Guiding::Off) {
        origin.emplace_back("guiding of paths", guiding_name(settings.guiding));
    }
    if (settings.motion) {
        origin.emplace_back("motion between frames", settings.motion->hash());
    }
    if (!settings.light_groups.empty()) {
        origin.emplace_back(kLightGroupsOrigin, film::text_of(settings.light_groups));
    }
    return origin;
}

}  // namespace weft::frame
