#include "engine/live/live_job.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "engine/denoise/denoise_layers.h"
#include "engine/live/layer_colours.h"
#include "engine/live/live_filter.h"
#include "scheduler/base/memory_limit.h"

namespace weft::live {

namespace {

// Compares bits: records are plain words without padding.
template <typename T>
bool is_same_record(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <typename List, typename Same>
bool is_same_list(const List& a, const List& b, const Same& same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

template <typename Arena>
bool is_same_arena(const Arena& a, const Arena& b) {
    return a.data() == b.data() && a.size() == b.size();
}

bool is_same_light(const scene::Light& a, const scene::Light& b) {
    return a.kind == b.kind && a.position == b.position && a.direction == b.direction &&
           a.intensity == b.intensity && a.cos_inner == b.cos_inner && a.cos_outer == b.cos_outer &&
           a.radius_m == b.radius_m && a.angle_deg == b.angle_deg;
}

bool is_same_instance(const scene::Instance& a, const scene::Instance& b) {
    return a.mesh == b.mesh && a.material == b.material && a.object_to_world == b.object_to_world &&
           a.node == b.node && a.clip_planes == b.clip_planes;
}

bool is_same_environment(const scene::Environment& a, const scene::Environment& b) {
    return a.width == b.width && a.height == b.height && is_same_arena(a.pixels, b.pixels) &&
           a.strength == b.strength && a.rotation_rad == b.rotation_rad;
}

bool has_same_geometry(const scene::Scene& a, const scene::Scene& b) {
    return is_same_arena(a.indices, b.indices) && is_same_arena(a.positions, b.positions) &&
           is_same_arena(a.normals, b.normals) && is_same_arena(a.tangents, b.tangents) &&
           is_same_arena(a.uvs, b.uvs) && is_same_arena(a.colors, b.colors);
}

// Lights, and what surfaces look like.
bool has_same_looks(const scene::Scene& a, const scene::Scene& b) {
    const auto same_of = [](const auto& x, const auto& y) {
        return is_same_record(x.record, y.record);
    };
    return is_same_list(a.materials, b.materials, same_of) &&
           is_same_list(a.slots, b.slots, is_same_record<shaders::TextureSlot>) &&
           is_same_list(a.textures, b.textures, same_of) && is_same_arena(a.texels, b.texels) &&
           is_same_list(a.lights, b.lights, is_same_light) &&
           is_same_environment(a.environment, b.environment);
}

bool is_same_scene(const scene::Scene& a, const scene::Scene& b) {
    const auto same_mesh = [](const auto& x, const auto& y) {
        return is_same_record(x.record, y.record);
    };
    return &a == &b ||
           (has_same_geometry(a, b) && is_same_list(a.meshes, b.meshes, same_mesh) &&
            is_same_list(a.instances, b.instances, is_same_instance) && has_same_looks(a, b));
}

bool is_same_camera(const scene::Camera& a, const scene::Camera& b) {
    return a.to_world == b.to_world && a.is_orthographic == b.is_orthographic &&
           a.yfov_rad == b.yfov_rad && a.xmag == b.xmag && a.ymag == b.ymag &&
           a.lens_radius_m == b.lens_radius_m && a.focus_m == b.focus_m && a.shift_x == b.shift_x &&
           a.shift_y == b.shift_y && a.pixel_aspect == b.pixel_aspect;
}

bool has_same_size(const frame::RenderSettings& a, const frame::RenderSettings& b) {
    return a.width == b.width && a.height == b.height && a.crop.has_value() == b.crop.has_value() &&
           (!a.crop || is_same_record(*a.crop, *b.crop));
}

bool has_same_light_transport(const frame::RenderSettings& a, const frame::RenderSettings& b) {
    return a.seed == b.seed && a.max_bounces == b.max_bounces && a.clamp_direct == b.clamp_direct &&
           a.clamp_indirect == b.clamp_indirect &&
           a.regularized_roughness == b.regularized_roughness && a.light_choice == b.light_choice &&
           a.filter == b.filter && a.is_film_transparent == b.is_film_transparent &&
           a.has_backface_culling == b.has_backface_culling && a.has_autofocus == b.has_autofocus &&
           a.noise_threshold == b.noise_threshold &&
           is_same_list(a.clip_planes, b.clip_planes, is_same_record<shaders::ClipPlane>);
}

// Another way to run a job needs another frame, although the bits are the same.
bool is_run_alike(const frame::RenderSettings& a, const frame::RenderSettings& b) {
    return a.integrator.mode == b.integrator.mode &&
           a.integrator.policies == b.integrator.policies && a.has_cpu == b.has_cpu &&
           a.chooses_device == b.chooses_device && a.has_egpu == b.has_egpu &&
           a.egpu_units == b.egpu_units && a.isa == b.isa && a.has_heat == b.has_heat;
}

bool has_aovs_of(const frame::RenderSettings& made, const frame::RenderSettings& wanted) {
    return std::all_of(wanted.aovs.begin(), wanted.aovs.end(), [&](film::Aov aov) {
        return std::find(made.aovs.begin(), made.aovs.end(), aov) != made.aovs.end();
    });
}

void add_layers(std::span<const film::Aov> layers, std::vector<film::Aov>& aovs) {
    for (const film::Aov aov : layers) {
        if (std::find(aovs.begin(), aovs.end(), aov) == aovs.end()) {
            aovs.push_back(aov);
        }
    }
}

u64 bytes_of(std::span<const film::Aov> layers) {
    u64 bytes = 0;
    for (const film::Aov aov : layers) {
        bytes += film::layer_pixel_bytes(aov);
    }
    return bytes;
}

// Whether two films with layers of so many bytes a pixel take a small part of the memory.
bool fits(const frame::RenderSettings& settings, u64 bytes) {
    constexpr u64 kFilms = 2;
    constexpr u64 kPart = 8;
    const film::Region region =
        settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
    const u64 pixels = u64{region.width()} * region.height();
    return kFilms * pixels * bytes <= base::memory_limit_bytes() / kPart;
}

}  // namespace

bool is_same_picture(const LiveJob& made, const LiveJob& wanted) {
    const frame::RenderSettings& a = made.settings;
    const frame::RenderSettings& b = wanted.settings;
    return has_same_size(a, b) && has_same_light_transport(a, b) && is_run_alike(a, b) &&
           has_aovs_of(a, b) && made.hidden == wanted.hidden &&
           is_same_camera(made.camera, wanted.camera) && is_same_scene(*made.scene, *wanted.scene);
}

bool is_comparable(const LiveJob& made, const LiveJob& wanted) {
    return has_same_size(made.settings, wanted.settings) &&
           has_same_light_transport(made.settings, wanted.settings);
}

bool is_lit_alike(const LiveJob& made, const LiveJob& wanted) {
    return made.hidden == wanted.hidden &&
           (made.scene == wanted.scene || has_same_looks(*made.scene, *wanted.scene));
}

LiveJob with_layers(LiveJob job) {
    add_layers(film::kSurfaceAovs, job.settings.aovs);
    add_layers(std::array{film::Aov::Noise}, job.settings.aovs);
    return job;
}

LiveJob with_quality_layers(LiveJob job) {
    if (LiveFilter::can_filter(job.settings.aovs) &&
        fits(job.settings, bytes_of(film::kSurfaceAovs) + bytes_of(denoise::kQualityAovs))) {
        add_layers(denoise::kQualityAovs, job.settings.aovs);
    }
    return job;
}

bool layers_fit(const frame::RenderSettings& settings) {
    return fits(settings, bytes_of(film::kSurfaceAovs) + film::layer_pixel_bytes(film::Aov::Noise));
}

LiveJob layers_of(LiveJob job) {
    job.settings.aovs.assign(film::kSurfaceAovs.begin(), film::kSurfaceAovs.end());
    job.settings.max_bounces = 0;
    job.settings.noise_threshold = 0;  // layers have no noise to decide by
    return job;
}

}  // namespace weft::live
