// mtl_file.h — parses a material library (MTL) into the values of each material.
//
// assimp's own MTL reader knows no option of a map, takes missing keys for zeros, and refuses a
// whole scene for the key `aniso`. This one skips unknown lines. Called by the assimp importer.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene {

enum class MtlMapKind : u32 {
    Diffuse,
    Specular,
    Exponent,
    Emissive,
    Opacity,
    Roughness,
    Metallic,
    Sheen,
    Coat,
    CoatRoughness,
    Bump,  // and norm
};

inline constexpr u32 kMtlMaps = 11;

// A `map_` line. Coordinates count from the bottom row: u' = scale · u + offset.
struct MtlMap {
    std::string file;  // empty: the material has no such line
    float scale[2] = {1, 1};
    float offset[2] = {0, 0};
    bool is_clamped = false;  // -clamp on
    float bump = 1;           // -bm
    u32 channel = kNone;      // -imfchan: 0 to 3 of RGBA
};

using MtlColor = std::array<float, 3>;

// One `newmtl`. A number that the file lacks, or that is not finite, is empty.
struct MtlMaterial {
    std::string name;
    std::string folder;                     // of its library, as the OBJ names it, with the last /
    bool is_from_blender = false;           // from the file's first comment
    std::optional<MtlColor> ambient;        // Ka
    std::optional<MtlColor> diffuse;        // Kd
    std::optional<MtlColor> specular;       // Ks
    std::optional<MtlColor> emissive;       // Ke
    std::optional<MtlColor> filter;         // Tf
    std::optional<float> exponent;          // Ns
    std::optional<float> ior;               // Ni
    std::optional<float> opacity;           // d; 1 − Tr where there is no d
    std::optional<float> illumination;      // illum
    std::optional<float> roughness;         // Pr
    std::optional<float> metallic;          // Pm
    std::optional<float> sheen;             // Ps
    std::optional<float> coat;              // Pc
    std::optional<float> coat_roughness;    // Pcr
    std::optional<float> anisotropy;        // aniso
    std::optional<float> anisotropy_turns;  // anisor
    std::array<MtlMap, kMtlMaps> maps;
    std::vector<std::string> unused;  // keys of maps that the importer ignores

    [[nodiscard]] const MtlMap& map(MtlMapKind kind) const {
        return maps[static_cast<std::size_t>(kind)];
    }
};

// The materials of all libraries that one scene names.
class MtlLibrary {
public:
    // A material of a known name goes on where it ended. Returns the new names.
    std::vector<std::string> append(std::string_view text, const std::string& folder = "");

    [[nodiscard]] const MtlMaterial* find(const std::string& name) const;

private:
    std::size_t begin_material(std::string_view name, std::vector<std::string>& added);

    std::vector<MtlMaterial> materials_;
    std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace weft::scene
