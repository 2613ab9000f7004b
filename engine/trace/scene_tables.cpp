#include "engine/trace/scene_tables.h"

#include <algorithm>
#include <cmath>

#include "engine/math/affine.h"
#include "engine/scene/model/texture.h"
#include "engine/trace/environment_tables.h"
#include "engine/trace/light_tables.h"
#include "engine/trace/table_work.h"
#include "scheduler/base/ensure.h"
#include "shaders/host/scalar_math.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/spectrum.h"

namespace weft::trace {

namespace {

constexpr u64 kInstancesOfThread = 1024;
constexpr u64 kMaterialsOfThread = 1024;

shaders::InstanceRecord instance_record(const scene::Instance& instance) {
    shaders::InstanceRecord record{};
    std::copy(
        instance.object_to_world.begin(), instance.object_to_world.end(), record.object_to_world);
    // A matrix without an inverse gets zeros: its interpolated normals have no length, so the
    // geometric one is used.
    const math::Affine inverse = math::inverse(instance.object_to_world).value_or(math::Affine{});
    std::copy(inverse.begin(), inverse.end(), record.world_to_object);
    const double determinant = math::determinant(math::to_double(instance.object_to_world));
    record.mesh = instance.mesh;
    record.material = instance.material;
    record.first_light = kNone;
    record.flags = determinant < 0 ? shaders::kInstanceMirrored : 0;
    return record;
}

bool is_positive(const float rgb[3]) {
    return rgb[0] > 0 || rgb[1] > 0 || rgb[2] > 0;
}

// Flags of scattering features, from the factors (textures can only lower them).
u32 scattering_flags(const shaders::MaterialRecord& material) {
    u32 flags = 0;
    const auto set_if = [&flags](bool is_set, u32 flag) { flags |= is_set ? flag : 0; };
    if ((material.flags & shaders::kMaterialBoundary) != 0) {
        // Nothing but the medium inside counts.
        set_if(true, shaders::kMaterialBoundary | shaders::kMaterialSolid);
        set_if(is_positive(material.sigma_s), shaders::kMaterialScattering);
        return flags;
    }
    const bool is_solid = (material.flags & shaders::kMaterialSolid) != 0;
    const bool is_transmissive = material.transmission > 0;
    const bool has_film_thickness =
        material.iridescence_max_nm > 0 ||
        (material.iridescence_thickness_slot != kNone && material.iridescence_min_nm > 0);
    set_if(material.coat > 0, shaders::kMaterialCoat);
    set_if(is_positive(material.sheen_color), shaders::kMaterialSheen);
    set_if(material.iridescence > 0 && has_film_thickness, shaders::kMaterialIridescence);
    set_if(material.anisotropy > 0, shaders::kMaterialAnisotropy);
    set_if(material.normal_slot != kNone, shaders::kMaterialNormalMap);
    set_if(is_transmissive, shaders::kMaterialTransmission);
    set_if(is_transmissive && is_solid, shaders::kMaterialSolid);
    set_if(is_transmissive && is_solid && is_positive(material.sigma_s),
           shaders::kMaterialScattering);
    set_if(is_transmissive && is_solid && material.dispersion > 0, shaders::kMaterialDispersion);
    const bool is_straight =
        is_solid ? std::fabs(material.ior - 1) < 0.001f : material.roughness <= 0.05f;
    set_if(is_transmissive && is_straight, shaders::kMaterialStraight);
    return flags;
}

// Completes the flags of the importer's record. An unlit material gets no others: it emits its base
// colour, scatters nothing, and is no light.
shaders::MaterialRecord material_record(const shaders::MaterialRecord& imported) {
    shaders::MaterialRecord record = imported;
    u32 flags = imported.flags & (shaders::kMaterialUnlit | shaders::kMaterialSpecGloss |
                                  shaders::kMaterialSingleSided | shaders::kMaterialFrontEmission |
                                  shaders::kMaterialUnseen);
    if ((flags & shaders::kMaterialUnlit) == 0) {
        flags |= scattering_flags(imported);
        const bool shines =
            is_positive(imported.emissive) && (flags & shaders::kMaterialBoundary) == 0;
        flags |= shines ? shaders::kMaterialEmissive : 0;
    }
    record.flags = flags;
    // Only solids disperse, and only media inside of them scatter.
    record.dispersion = (flags & shaders::kMaterialDispersion) != 0 ? imported.dispersion : 0.0f;
    if ((flags & shaders::kMaterialScattering) == 0) {
        std::fill_n(record.sigma_s, 3, 0.0f);
    }
    // A boundary without a surface bends no light.
    record.ior = (flags & shaders::kMaterialBoundary) != 0 ? 1.0f : imported.ior;
    return record;
}

void add_records(const scene::Scene& scene,
                 const TablesConfig& config,
                 TableWork& work,
                 SceneTables& tables) {
    tables.meshes.reserve(scene.meshes.size());
    for (const scene::Mesh& mesh : scene.meshes) {
        tables.meshes.push_back(mesh.record);
    }
    tables.instances.resize(scene.instances.size());
    work.place(scene.instances.size(), kInstancesOfThread, [&](u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            tables.instances[i] = instance_record(scene.instances[i]);
            tables.instances[i].light_group =
                config.light_groups.of_instance.empty() ? 0 : config.light_groups.of_instance[i];
        }
    });
    for (std::size_t i = 0; i < config.instance_materials.size(); ++i) {
        tables.instances[i].material = config.instance_materials[i];
    }
    const bool has_own = !config.materials.empty();
    tables.materials.resize(has_own ? config.materials.size() : scene.materials.size());
    work.compute(tables.materials.size(), kMaterialsOfThread, [&](u64 begin, u64 end) {
        for (u64 i = begin; i < end; ++i) {
            tables.materials[i] =
                material_record(has_own ? config.materials[i] : scene.materials[i].record);
        }
    });
    tables.slots = config.slots.empty() ? scene.slots.items() : config.slots;
    tables.textures.reserve(scene.textures.size());
    for (const scene::Texture& texture : scene.textures) {
        tables.textures.push_back(texture.record);
    }
}

void add_clip_planes(const TablesConfig& config, SceneTables& tables) {
    ENSURE(config.cut_by.empty() || config.cut_by.size() == tables.instances.size(), ==, true);
    ENSURE(config.clip_planes.size(), <=, std::size_t{shaders::kMaxClipPlanes});
    for (std::size_t i = 0; i < config.cut_by.size(); ++i) {
        tables.instances[i].clip_planes = config.cut_by[i];
    }
    tables.clip_planes = config.clip_planes;
    tables.view.clip_planes = tables.clip_planes.data();
    tables.view.clip_plane_count = static_cast<u32>(tables.clip_planes.size());
}

void point_at_arenas(const scene::Scene& scene, SceneTables& tables) {
    shaders::SceneView& view = tables.view;
    view.indices = scene.indices.data();
    view.positions = scene.positions.data();
    view.normals = scene.normals.data();
    view.tangents = scene.tangents.data();
    view.uvs = scene.uvs.data();
    view.colors = scene.colors.data();
    view.slots = tables.slots.data();
    view.texels = scene.texels.data();
    view.srgb_to_linear = scene::srgb_to_linear_table();
    view.meshes = tables.meshes.data();
    view.instances = tables.instances.data();
    view.materials = tables.materials.data();
    view.blends = tables.has_blends() ? 1 : 0;
    view.textures = tables.textures.data();
}

// Smooth glass has no losses between facets; a texture or regularisation may make a surface rough.
bool may_be_rough_glass(const shaders::MaterialRecord& material, bool is_regularized) {
    const bool has_texture =
        material.metallic_roughness_slot != kNone || material.specular_color_slot != kNone;
    return (material.flags & shaders::kMaterialSolid) != 0 &&
           (is_regularized || material.roughness * material.roughness > 0.001f || has_texture ||
            (material.flags & shaders::kMaterialAnisotropy) != 0);
}

void add_albedos(SceneTables& tables, bool is_regularized) {
    shaders::SceneView& view = tables.view;
    view.ggx_albedo = shaders::ggx_albedo().data();
    view.sheen_albedo = shaders::albedo_tables().sheen.data();

    // Copy the larger tables only if a material needs them.
    const auto& materials = tables.materials;
    const auto has_losses = [is_regularized](const auto& material) {
        return may_be_rough_glass(material, is_regularized);
    };
    if (std::any_of(materials.begin(), materials.end(), has_losses)) {
        view.glass_loss = shaders::glass_losses().loss.data();
        view.glass_mean_loss = shaders::glass_losses().mean.data();
    }
    const auto has_any = [&materials](u32 flags) {
        return std::any_of(materials.begin(), materials.end(), [flags](const auto& material) {
            return (material.flags & flags) == flags;
        });
    };
    if (has_any(shaders::kMaterialSolid | shaders::kMaterialAnisotropy)) {
        view.glass_anisotropy = shaders::glass_anisotropy().data();
    }
    if (has_any(shaders::kMaterialAnisotropy)) {
        view.anisotropic_albedo = shaders::anisotropic_albedo().data();
    }
    if (has_any(shaders::kMaterialDispersion)) {
        view.spectrum = shaders::spectrum_table().data();
    }
}

}  // namespace

bool SceneTables::has_boundaries() const {
    return std::any_of(materials.begin(), materials.end(), [](const auto& material) {
        return (material.flags & shaders::kMaterialBoundary) != 0;
    });
}

bool SceneTables::has_blends() const {
    return std::any_of(materials.begin(), materials.end(), [](const auto& material) {
        return material.alpha_mode == static_cast<u32>(shaders::AlphaMode::Blend);
    });
}

bool SceneTables::has_tints() const {
    return std::any_of(materials.begin(), materials.end(), [](const auto& material) {
        constexpr u32 kKind = shaders::kMaterialStraight | shaders::kMaterialSolid;
        return (material.flags & kKind) == shaders::kMaterialStraight;
    });
}

SceneTables make_scene_tables(const scene::Scene& scene, const TablesConfig& config) {
    ENSURE(
        config.is_visible.empty() || config.is_visible.size() == scene.instances.size(), ==, true);
    const std::vector<u32>& groups = config.light_groups.of_instance;
    ENSURE(groups.empty() || groups.size() == scene.instances.size(), ==, true);
    // Make records, views and clip planes.
    SceneTables tables;
    TableWork work(config.thread_count);
    add_records(scene, config, work, tables);
    point_at_arenas(scene, tables);
    add_clip_planes(config, tables);

    // Make the environment's cells.
    shaders::SceneView& view = tables.view;
    const auto rotation_rad = static_cast<double>(scene.environment.rotation_rad);
    if (const SceneTables* const same = config.same_environment) {
        tables.environment_cells = same->environment_cells;
        tables.environment_moments = same->environment_moments;
    } else {
        EnvironmentTable environment = make_environment_table(scene.environment, work);
        tables.environment_cells = std::move(environment.cells);
        tables.environment_moments = environment.moments;
    }
    view.environment = scene.environment.pixels.data();
    view.environment_cells = tables.environment_cells.data();
    view.environment_width = scene.environment.width;
    view.environment_height = scene.environment.height;
    view.environment_scale = scene.environment.strength;
    view.environment_cos = static_cast<float>(shaders::cos_of(rotation_rad));
    view.environment_sin = static_cast<float>(shaders::sin_of(rotation_rad));
    view.environment_is_visible = config.environment_is_visible ? 1 : 0;
    view.environment_group = config.light_groups.of_environment;

    // Add albedo tables, boxes and lights.
    add_albedos(tables, config.is_regularized);
    tables.boxes = scene::make_scene_boxes(scene, config.former ? &config.former->boxes : nullptr);
    add_lights(scene, config, work, tables);
    tables.geometry = work.geometry();
    tables.computed = work.computed();
    return tables;
}

}  // namespace weft::trace
