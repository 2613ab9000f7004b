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
// another one (shaders/bsdf.md section 7).
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
    Samples,
    Noise,
    SeenAlbedo,
    SeenNormal,
    Direct
};

inline constexpr std::array<Aov, 16> kAovs = {Aov::Albedo,
                                              Aov::Normal,
                                              Aov::Position,
                                              Aov::Depth,
                                              Aov::Uv,
                                              Aov::Instance,
                                              Aov::Object,
                                              Aov::Material,
                                              Aov::CryptoObject,
                                              Aov::CryptoMaterial,
                                              Aov::CryptoAsset,
                                              Aov::Samples,
                                              Aov::Noise,
                                              Aov::SeenAlbedo,
                                              Aov::SeenNormal,
                                              Aov::Direct};

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

// Whether paths fill the layer in beyond their first surface.
constexpr bool is_seen_aov(Aov aov) {
    return aov >= Aov::SeenAlbedo;
}

// Whether paths have to fill in any of the layers.
constexpr bool has_path_aov(std::span<const Aov> aovs) {
    return std::any_of(
        aovs.begin(), aovs.end(), [](Aov aov) { return is_surface_aov(aov) || is_seen_aov(aov); });
}

constexpr bool has_seen_aov(std::span<const Aov> aovs) {
    return std::any_of(aovs.begin(), aovs.end(), is_seen_aov);
}

// The name of a layer in options, menus and EXR parts, such as "albedo".
constexpr const char* aov_name(Aov aov) {
    constexpr std::array<const char*, kAovs.size()> kNames = {"albedo",
                                                              "normal",
                                                              "position",
                                                              "depth",
                                                              "uv",
                                                              "instance",
                                                              "object",
                                                              "material",
                                                              "crypto_object",
                                                              "crypto_material",
                                                              "crypto_asset",
                                                              "samples",
                                                              "noise",
                                                              "seen_albedo",
                                                              "seen_normal",
                                                              "direct"};
    return kNames[static_cast<std::size_t>(aov)];
}

// The layer of that name, if there is one.
constexpr std::optional<Aov> aov_named(std::string_view name) {
    for (const Aov aov : kAovs) {
        if (name == aov_name(aov)) {
            return aov;
        }
    }
    return std::nullopt;
}

// The channels that have sums; numbers and lists have none, the number of samples is the beauty's.
// Noise sums every second sample: R, G, B and a one. Direct sums all samples, then every second
// one.
constexpr u32 aov_channels(Aov aov) {
    constexpr std::array<u32, kAovs.size()> kChannels = {
        3, 3, 3, 1, 2, 0, 0, 0, 0, 0, 0, 0, 4, 3, 3, 6};
    return kChannels[static_cast<std::size_t>(aov)];
}

// The values of a resolved pixel; none where the layer has whole numbers or lists instead.
constexpr u32 aov_values(Aov aov) {
    return aov == Aov::Noise ? 1 : std::min(aov_channels(aov), 3U);
}

}  // namespace weft::film
