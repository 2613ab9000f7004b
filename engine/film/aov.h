// aov.h — the layers that a film can hold beside the beauty.
//
// Pure; any thread.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::film {

enum class Aov : u8 { Albedo, Normal, Position, Depth, Instance };

inline constexpr std::array<Aov, 5> kAovs = {
    Aov::Albedo, Aov::Normal, Aov::Position, Aov::Depth, Aov::Instance};

// The name of a layer in options, menus and EXR parts, such as "albedo".
constexpr const char* aov_name(Aov aov) {
    constexpr std::array<const char*, kAovs.size()> kNames = {
        "albedo", "normal", "position", "depth", "instance"};
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

// The channels that have sums; an instance is an index and has none.
constexpr u32 aov_channels(Aov aov) {
    constexpr std::array<u32, kAovs.size()> kChannels = {3, 3, 3, 1, 0};
    return kChannels[static_cast<std::size_t>(aov)];
}

}  // namespace weft::film
