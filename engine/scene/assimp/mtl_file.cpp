#include "engine/scene/assimp/mtl_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/scene/parts/text_words.h"

namespace weft::scene {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return small;
}

// Takes the first word off `rest`.
std::string_view take_word(std::string_view& rest) {
    rest = trimmed(rest);
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    rest = trimmed(rest.substr(word.size()));
    return word;
}

std::optional<float> number_of(std::string_view word) {
    word.remove_prefix(!word.empty() && word.front() == '+' ? 1 : 0);
    float value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_whole = problem == std::errc() && end == word.data() + word.size();
    return is_whole && std::isfinite(value) ? std::optional<float>(value) : std::nullopt;
}

// Takes the first word off `rest` if it is a number.
std::optional<float> take_number(std::string_view& rest) {
    std::string_view behind = rest;
    const std::optional<float> number = number_of(take_word(behind));
    rest = number ? behind : rest;
    return number;
}

// One number is a grey. Does not read `spectral` and `xyz` colours.
std::optional<MtlColor> color_of(std::string_view rest) {
    const std::optional<float> red = take_number(rest);
    const std::optional<float> green = take_number(rest);
    const std::optional<float> blue = take_number(rest);
    if (!red) {
        return std::nullopt;
    }
    const auto positive = [](float value) { return std::fmax(value, 0.0f); };
    return MtlColor{positive(*red),
                    positive(green.value_or(*red)),
                    positive(blue.value_or(green.value_or(*red)))};
}

// Up to three numbers behind -o, -s or -t; the first two are u and v.
void take_place(std::string_view& rest, float* to) {
    for (u32 k = 0; k < 3; ++k) {
        const std::optional<float> number = take_number(rest);
        if (number && k < 2 && to != nullptr) {
            to[k] = *number;
        }
    }
}

// Takes the option at the start of a map's line.
void take_option(std::string_view& rest, MtlMap& map) {
    constexpr std::string_view kChannels = "rgbm";
    const std::string option = lower(take_word(rest));
    if (option == "-s" || option == "-o" || option == "-t") {
        take_place(rest, option == "-s" ? map.scale : option == "-o" ? map.offset : nullptr);
    } else if (option == "-mm") {
        take_number(rest);
        take_number(rest);
    } else if (option == "-bm") {
        map.bump = take_number(rest).value_or(1);
    } else if (option == "-clamp") {
        map.is_clamped = lower(take_word(rest)) == "on";
    } else if (option == "-imfchan") {
        const std::string channel = lower(take_word(rest));
        const std::size_t at = channel.size() == 1 ? kChannels.find(channel[0]) : kChannels.npos;
        map.channel = at == kChannels.npos ? kNone : static_cast<u32>(at);
    } else {
        take_word(rest);  // -blendu, -boost, -cc, -colorspace, -texres, -type: one word each
    }
}

// The rest of the line after the options is the file, whose name may have blanks.
MtlMap map_of(std::string_view rest) {
    MtlMap map;
    rest = trimmed(rest);
    while (rest.starts_with('-') && rest.find_first_of(kBlanks) != rest.npos) {
        take_option(rest, map);
    }
    if (rest.size() >= 2 && rest.front() == '"' && rest.back() == '"') {
        rest = rest.substr(1, rest.size() - 2);
    }
    map.file = rest;
    return map;
}

struct ColorKey {
    const char* key;
    std::optional<MtlColor> MtlMaterial::*field;
};

constexpr ColorKey kColors[] = {
    {"ka", &MtlMaterial::ambient},
    {"kd", &MtlMaterial::diffuse},
    {"ks", &MtlMaterial::specular},
    {"ke", &MtlMaterial::emissive},
    {"tf", &MtlMaterial::filter},
};

struct NumberKey {
    const char* key;
    std::optional<float> MtlMaterial::*field;
};

constexpr NumberKey kNumbers[] = {
    {"ns", &MtlMaterial::exponent},
    {"ni", &MtlMaterial::ior},
    {"illum", &MtlMaterial::illumination},
    {"pr", &MtlMaterial::roughness},
    {"pm", &MtlMaterial::metallic},
    {"ps", &MtlMaterial::sheen},
    {"pc", &MtlMaterial::coat},
    {"pcr", &MtlMaterial::coat_roughness},
    {"aniso", &MtlMaterial::anisotropy},
    {"anisor", &MtlMaterial::anisotropy_turns},
};

struct MapKey {
    const char* key;
    MtlMapKind kind;
};

constexpr MapKey kMaps[] = {
    {"map_kd", MtlMapKind::Diffuse},
    {"map_ks", MtlMapKind::Specular},
    {"map_ns", MtlMapKind::Exponent},
    {"map_ke", MtlMapKind::Emissive},
    {"map_emissive", MtlMapKind::Emissive},
    {"map_d", MtlMapKind::Opacity},
    {"map_pr", MtlMapKind::Roughness},
    {"map_pm", MtlMapKind::Metallic},
    {"map_ps", MtlMapKind::Sheen},
    {"map_pc", MtlMapKind::Coat},
    {"map_pcr", MtlMapKind::CoatRoughness},
    {"bump", MtlMapKind::Bump},
    {"map_bump", MtlMapKind::Bump},
    {"map_kn", MtlMapKind::Bump},
    {"norm", MtlMapKind::Bump},
};

template <typename Rows>
auto row_of(const Rows& rows, const std::string& key) {
    return std::find_if(
        std::begin(rows), std::end(rows), [&key](const auto& row) { return key == row.key; });
}

void read_line(const std::string& key, std::string_view rest, MtlMaterial& material) {
    if (const auto* color_row = row_of(kColors, key); color_row != std::end(kColors)) {
        const std::optional<MtlColor> color = color_of(rest);
        material.*color_row->field = color ? color : material.*color_row->field;
    } else if (const auto* number_row = row_of(kNumbers, key); number_row != std::end(kNumbers)) {
        const std::optional<float> number = take_number(rest);
        material.*number_row->field = number ? number : material.*number_row->field;
    } else if (const auto* map_row = row_of(kMaps, key); map_row != std::end(kMaps)) {
        material.maps[static_cast<std::size_t>(map_row->kind)] = map_of(rest);
    } else if (key == "d") {
        std::string_view behind = rest;
        const bool is_halo = take_word(behind) == "-halo";
        material.opacity = take_number(is_halo ? behind : rest);
    } else if (key == "tr" && !material.opacity) {
        const std::optional<float> number = take_number(rest);
        material.opacity = number ? std::optional<float>(1 - *number) : std::nullopt;
    } else if (key.starts_with("map_") || key == "disp" || key == "decal" || key == "refl") {
        material.unused.push_back(key);
    }
}

// Takes the first line off `text`; a backslash at its end joins it with the next line.
std::string take_line(std::string_view& text) {
    std::string line;
    for (bool goes_on = true; goes_on && !text.empty();) {
        const std::string_view part = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        line += trimmed(part);
        goes_on = !line.empty() && line.back() == '\\';
        if (goes_on) {
            line.back() = ' ';
        }
    }
    return line;
}

}  // namespace

std::size_t MtlLibrary::begin_material(std::string_view name, std::vector<std::string>& added) {
    const auto [place, is_new] = places_.try_emplace(std::string(name), materials_.size());
    if (is_new) {
        materials_.emplace_back();
        materials_.back().name = name;
        added.push_back(materials_.back().name);
    }
    return place->second;
}

std::vector<std::string> MtlLibrary::append(std::string_view text, const std::string& folder) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    std::vector<std::string> added;
    bool is_from_blender = false;
    std::optional<std::size_t> current;
    while (!text.empty()) {
        const std::string line = take_line(text);
        std::string_view rest = line;
        const std::string key = lower(take_word(rest));
        if (key.starts_with('#')) {
            is_from_blender = is_from_blender || line.starts_with("# Blender");
        } else if (key == "newmtl") {
            current = begin_material(rest, added);
            materials_[*current].is_from_blender = is_from_blender;
            materials_[*current].folder = folder;
        } else if (current) {
            read_line(key, rest, materials_[*current]);
        }
    }
    return added;
}

const MtlMaterial* MtlLibrary::find(const std::string& name) const {
    const auto place = places_.find(name);
    return place == places_.end() ? nullptr : &materials_[place->second];
}

}  // namespace weft::scene
