// assimp_colors.cpp — vertex colours of OFF and STL as their files mean them.
//
// Runs in the reader process.
#include <algorithm>
#include <assimp/mesh.h>
#include <cmath>
#include <fstream>
#include <string_view>

#include "engine/scene/assimp/assimp_source.h"

namespace weft::scene {
namespace {

// The colours of an OFF are floats up to 1 or whole numbers up to 255; assimp reads both as floats.
void scale_whole_colors(aiMesh& mesh) {
    aiColor4D* const colors = mesh.mColors[0];
    if (colors == nullptr) {
        return;
    }
    float largest = 0;
    for (aiColor4D* color = colors; color != colors + mesh.mNumVertices; ++color) {
        for (const float channel : {color->r, color->g, color->b, color->a}) {
            if (std::floor(channel) != channel) {
                return;
            }
            largest = std::max(largest, channel);
        }
    }
    if (largest > 1) {
        std::for_each(colors, colors + mesh.mNumVertices, [](aiColor4D& color) {
            color = color * (1.0f / 255);
        });
    }
}

constexpr std::size_t kStlHeadBytes = 84;  // of a binary STL: 80 of text and the number of facets
constexpr std::size_t kStlFacetBytes = 50;
constexpr std::string_view kMagicsKey = "COLOR=";

aiColor4D magics_object_color(const char* bytes) {
    const auto channel = [bytes](std::size_t k) {
        return static_cast<float>(static_cast<u8>(bytes[k])) / 255;
    };
    return {channel(0), channel(1), channel(2), 1};
}

// Five bits for each channel, red in the lowest.
aiColor4D magics_facet_color(u32 bits) {
    const auto channel = [bits](u32 shift) { return static_cast<float>(bits >> shift & 31U) / 31; };
    return {channel(0), channel(5), channel(10), 1};
}

// Magics writes the object's colour into the header. The last two bytes of a facet are its own
// colour; bit 15 stands for that of the object. assimp takes the bit the other way around, and the
// object's colour for a linear one.
void read_magics_colors(const std::string& path, aiMesh& mesh) {
    std::ifstream file(path, std::ios::binary);
    std::string head(kStlHeadBytes, '\0');
    if (!file.read(head.data(), static_cast<std::streamsize>(head.size()))) {
        return;
    }
    const std::size_t key = std::string_view(head).substr(0, 80).find(kMagicsKey);
    const std::size_t color = key + kMagicsKey.size();
    if (key == std::string::npos || color + 3 > 80) {
        return;
    }
    file.seekg(0, std::ios::end);
    const u32 facets = mesh.mNumVertices / 3;
    if (static_cast<u64>(file.tellg()) != kStlHeadBytes + u64{kStlFacetBytes} * facets) {
        return;  // a text, or cut
    }
    file.seekg(kStlHeadBytes);
    const aiColor4D of_object = magics_object_color(&head[color]);
    delete[] mesh.mColors[0];
    mesh.mColors[0] = new aiColor4D[mesh.mNumVertices];
    std::string facet(kStlFacetBytes, '\0');
    for (u32 f = 0; f < facets && file.read(facet.data(), kStlFacetBytes); ++f) {
        const u32 bits = static_cast<u8>(facet[48]) | u32{static_cast<u8>(facet[49])} << 8;
        const aiColor4D own = (bits & 0x8000U) != 0 ? of_object : magics_facet_color(bits);
        std::fill_n(&mesh.mColors[0][std::size_t{3} * f], 3, own);
    }
}

}  // namespace

void mend_colors(const AssimpSource& source, aiMesh& mesh) {
    if (source.extension == "off") {
        scale_whole_colors(mesh);
    } else if (source.extension == "stl") {
        read_magics_colors(source.path, mesh);
    }
}

}  // namespace weft::scene
