// aov.h — the layers that a film can hold beside the beauty.
//
// Pure; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::film {

// The surface that a camera ray hits; then the samples of a pixel: their number, and the noise that
// is left in its block (noise.h); then what denoising asks of paths: albedo and normal of the
// surface that mirrors and clear glass show, and the light that reaches that surface without
// another one (shaders/bsdf.md section 7); then parts of the light (section 8).
enum class Aov : u8 {
    Albedo,
    Normal,
    Position,
    Depth,
    Uv,
    Instance,
    Object,
    Material,
    CryptoObject,
    CryptoMaterial,
    CryptoAsset,
    Motion,
    Samples,
    Noise,
    SeenAlbedo,
    SeenNormal,
    Direct,
    Indirect,  // all light but direct
    Emission,  // light that the camera sees without a surface between
    Diffuse,   // the rest, by what the first surface did with it
    Specular,
    Transmission,
    Light0  // the first light group; others follow
};

// Light groups of a film, with the group of all lights that no other has.
inline constexpr u32 kMostLightGroups = 16;

struct AovRow {
    const char* name;
    // That have sums; numbers and lists have none, the number of samples is the beauty's. Noise
    // sums every second sample: R, G, B and a one. Direct sums all samples, then every second one.
    // Motion sums those that hit something, with a one.
    u32 channels;
};

// In the order of Aov.
inline constexpr std::array kAovRows = {
    AovRow{"albedo", 3},          AovRow{"normal", 3},       AovRow{"position", 3},
    AovRow{"depth", 1},           AovRow{"uv", 2},           AovRow{"instance", 0},
    AovRow{"object", 0},          AovRow{"material", 0},     AovRow{"crypto_object", 0},
    AovRow{"crypto_material", 0}, AovRow{"crypto_asset", 0}, AovRow{"motion", 5},
    AovRow{"samples", 0},         AovRow{"noise", 4},        AovRow{"seen_albedo", 3},
    AovRow{"seen_normal", 3},     AovRow{"direct", 6},       AovRow{"indirect", 3},
    AovRow{"emission", 3},        AovRow{"diffuse", 3},      AovRow{"specular", 3},
    AovRow{"transmission", 3},    AovRow{"light0", 3},       AovRow{"light1", 3},
    AovRow{"light2", 3},          AovRow{"light3", 3},       AovRow{"light4", 3},
    AovRow{"light5", 3},          AovRow{"light6", 3},       AovRow{"light7", 3},
    AovRow{"light8", 3},          AovRow{"light9", 3},       AovRow{"light10", 3},
    AovRow{"light11", 3},         AovRow{"light12", 3},      AovRow{"light13", 3},
    AovRow{"light14", 3},         AovRow{"light15", 3}};

static_assert(kAovRows.size() == static_cast<std::size_t>(Aov::Light0) + kMostLightGroups);

// The first `count` layers.
template <std::size_t count>
constexpr std::array<Aov, count> first_aovs() {
    std::array<Aov, count> aovs{};
    for (std::size_t k = 0; k < count; ++k) {
        aovs[k] = static_cast<Aov>(k);
    }
    return aovs;
}

// The layers that people ask for by name; and those of light groups as well, which have names of
// their own in pictures (light_groups.h).
inline constexpr auto kAovs = first_aovs<static_cast<std::size_t>(Aov::Light0)>();
inline constexpr auto kAllAovs = first_aovs<kAovRows.size()>();

// The layers that the viewer shows, of those of the first surface.
inline constexpr std::array<Aov, 5> kSurfaceAovs = {
    Aov::Albedo, Aov::Normal, Aov::Position, Aov::Depth, Aov::Instance};

// Whether paths fill the layer in at their first surface.
constexpr bool is_surface_aov(Aov aov) {
    return aov < Aov::Samples;
}

// Whether a pixel has one number, that of sample 0: the mean of two numbers names neither.
constexpr bool is_number_aov(Aov aov) {
    return aov == Aov::Instance || aov == Aov::Object || aov == Aov::Material;
}

// Whether a pixel has a list of the names that its samples hit (matte_counts.h).
constexpr bool is_matte_aov(Aov aov) {
    return aov == Aov::CryptoObject || aov == Aov::CryptoMaterial || aov == Aov::CryptoAsset;
}

// Whether paths fill the layer in beyond their first surface, for denoising.
constexpr bool is_seen_aov(Aov aov) {
    return aov >= Aov::SeenAlbedo && aov <= Aov::Indirect;
}

// Whether the layer is a part of the light, by the lobe of the first surface.
constexpr bool is_lobe_aov(Aov aov) {
    return aov >= Aov::Emission && aov <= Aov::Transmission;
}

constexpr bool is_light_group(Aov aov) {
    return aov >= Aov::Light0;
}

// Whether the layer holds radiance.
constexpr bool is_light_aov(Aov aov) {
    return aov >= Aov::Direct;
}

constexpr Aov light_group(u32 index) {
    return static_cast<Aov>(static_cast<u32>(Aov::Light0) + index);
}

// Whether paths have to fill in any of the layers of surfaces.
constexpr bool has_path_aov(std::span<const Aov> aovs) {
    return std::any_of(
        aovs.begin(), aovs.end(), [](Aov aov) { return is_surface_aov(aov) || is_seen_aov(aov); });
}

constexpr bool has_seen_aov(std::span<const Aov> aovs) {
    return std::any_of(aovs.begin(), aovs.end(), is_seen_aov);
}

constexpr bool has_lobe_aov(std::span<const Aov> aovs) {
    return std::any_of(aovs.begin(), aovs.end(), is_lobe_aov);
}

constexpr u32 light_group_count(std::span<const Aov> aovs) {
    return static_cast<u32>(std::count_if(aovs.begin(), aovs.end(), is_light_group));
}

constexpr const AovRow& aov_row(Aov aov) {
    return kAovRows[static_cast<std::size_t>(aov)];
}

// The name of a layer in options, menus and EXR parts, such as "albedo".
constexpr const char* aov_name(Aov aov) {
    return aov_row(aov).name;
}

// The layer of that name, if there is one.
constexpr std::optional<Aov> aov_named(std::string_view name) {
    for (const Aov aov : kAllAovs) {
        if (name == aov_name(aov)) {
            return aov;
        }
    }
    return std::nullopt;
}

constexpr u32 aov_channels(Aov aov) {
    return aov_row(aov).channels;
}

// The values of a resolved pixel; none where the layer has whole numbers or lists instead.
constexpr u32 aov_values(Aov aov) {
    return aov == Aov::Noise ? 1 : aov == Aov::Motion ? 4 : std::min(aov_channels(aov), 3U);
}

}  // namespace weft::film
