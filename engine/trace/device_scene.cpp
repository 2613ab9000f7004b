#include "engine/trace/device_scene.h"

#include <array>
#include <cstddef>
#include <type_traits>

#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/spectrum.h"

namespace weft::trace {

namespace {

using scene::Scene;
using shaders::SceneView;

using Count = u64 (*)(const Scene& scene, const SceneTables& tables);

enum class Kind : u32 { Plain, MayBeNull, Image };

template <auto Field>
SceneArray row(const char* name, u32 readers, Count count, Kind kind = Kind::Plain) {
    using Pointer = std::remove_reference_t<decltype(SceneView{}.*Field)>;
    SceneArray array{};
    array.name = name;
    array.element_bytes = static_cast<u32>(sizeof(*Pointer{}));
    array.readers = readers;
    array.may_be_null = kind == Kind::MayBeNull;
    array.is_image = kind == Kind::Image;
    array.get = [](const SceneView& view) -> const void* { return view.*Field; };
    array.set = [](SceneView& view, const void* place) {
        view.*Field = static_cast<Pointer>(place);
    };
    array.count = count;
    return array;
}

constexpr u32 kSurface = kReadByTrace | kReadByShade;
constexpr u32 kLight = kReadByShade | kReadByMiss;
constexpr u64 kSrgbEntries = 256;

// Geometry, materials and textures.
std::array<SceneArray, 14> surface_arrays() {
    using V = SceneView;
    using S = const Scene&;
    using T = const SceneTables&;
    return {
        row<&V::indices>("indices", kSurface, [](S s, T) { return u64{s.indices.size()}; }),
        row<&V::positions>("positions", kSurface, [](S s, T) { return u64{s.positions.size()}; }),
        row<&V::normals>("normals", kReadByShade, [](S s, T) { return u64{s.normals.size()}; }),
        row<&V::tangents>("tangents", kReadByShade, [](S s, T) { return u64{s.tangents.size()}; }),
        row<&V::uvs>("uvs", kSurface, [](S s, T) { return u64{s.uvs.size()}; }),
        row<&V::colors>("colors", kSurface, [](S s, T) { return u64{s.colors.size()}; }),
        row<&V::meshes>("meshes", kSurface, [](S, T t) { return u64{t.meshes.size()}; }),
        row<&V::instances>("instances", kSurface, [](S, T t) { return u64{t.instances.size()}; }),
        row<&V::clip_planes>(
            "clip_planes", kSurface, [](S, T t) { return u64{t.clip_planes.size()}; }),
        row<&V::materials>("materials", kSurface, [](S, T t) { return u64{t.materials.size()}; }),
        row<&V::slots>("slots", kSurface, [](S, T t) { return u64{t.slots.size()}; }),
        row<&V::textures>("textures", kSurface, [](S, T t) { return u64{t.textures.size()}; }),
        row<&V::texels>("texels", kSurface, [](S s, T) { return u64{s.texels.size()}; }),
        row<&V::srgb_to_linear>("srgb_to_linear", kSurface, [](S, T) { return kSrgbEntries; })};
}

// Lights and the environment.
std::array<SceneArray, 4> light_arrays() {
    using V = SceneView;
    using S = const Scene&;
    using T = const SceneTables&;
    return {row<&V::lights>("lights", kLight, [](S, T t) { return u64{t.lights.size()}; }),
            row<&V::light_nodes>(
                "light_nodes",
                kLight,
                [](S, T t) { return u64{t.light_nodes.size()}; },
                Kind::MayBeNull),
            row<&V::environment>(
                "environment",
                kLight,
                [](S s, T) { return u64{s.environment.pixels.size()}; },
                Kind::Image),
            row<&V::environment_cells>("environment_cells", kLight, [](S, T t) {
                return u64{t.environment_cells.size()};
            })};
}

// Albedo tables and those that only some scenes need.
std::array<SceneArray, 7> albedo_arrays() {
    using V = SceneView;
    using S = const Scene&;
    using T = const SceneTables&;
    constexpr u32 kBy = kReadByShade;
    return {
        row<&V::ggx_albedo>(
            "ggx_albedo", kSurface, [](S, T) { return u64{shaders::ggx_albedo().size()}; }),
        row<&V::sheen_albedo>(
            "sheen_albedo", kBy, [](S, T) { return u64{shaders::albedo_tables().sheen.size()}; }),
        row<&V::glass_loss>(
            "glass_loss",
            kBy,
            [](S, T) { return u64{shaders::glass_losses().loss.size()}; },
            Kind::MayBeNull),
        row<&V::glass_mean_loss>(
            "glass_mean_loss",
            kBy,
            [](S, T) { return u64{shaders::glass_losses().mean.size()}; },
            Kind::MayBeNull),
        row<&V::glass_anisotropy>(
            "glass_anisotropy",
            kBy,
            [](S, T) { return u64{shaders::glass_anisotropy().size()}; },
            Kind::MayBeNull),
        row<&V::anisotropic_albedo>(
            "anisotropic_albedo",
            kBy,
            [](S, T) { return u64{shaders::anisotropic_albedo().size()}; },
            Kind::MayBeNull),
        row<&V::spectrum>(
            "spectrum",
            kBy,
            [](S, T) { return u64{shaders::spectrum_table().size()}; },
            Kind::MayBeNull)};
}

std::vector<SceneArray> all_arrays() {
    std::vector<SceneArray> all;
    const auto add = [&all](const auto& arrays) {
        for (const SceneArray& array : arrays) {
            all.push_back(array);
        }
    };
    add(surface_arrays());
    add(light_arrays());
    add(albedo_arrays());
    return all;
}

}  // namespace

std::span<const SceneArray> scene_arrays() {
    static const std::vector<SceneArray> all = all_arrays();
    return all;
}

std::span<const std::byte> bytes_of(const SceneArray& array,
                                    const Scene& scene,
                                    const SceneTables& tables) {
    const void* const begin = array.get(tables.view);
    const u64 count = begin == nullptr ? 0 : array.count(scene, tables);
    return {static_cast<const std::byte*>(begin), count * array.element_bytes};
}

}  // namespace weft::trace
