#include "engine/film/aov_facts.h"

#include "scheduler/base/ensure.h"

namespace weft::film {

namespace {

std::vector<std::string> channels_of(Aov aov) {
    if (is_light_aov(aov)) {
        return {"R", "G", "B"};
    }
    switch (aov) {
        case Aov::Albedo:
        case Aov::SeenAlbedo:
            return {"R", "G", "B"};
        case Aov::Normal:
        case Aov::SeenNormal:
        case Aov::Position:
            return {"X", "Y", "Z"};
        case Aov::Depth:
            return {"Z"};
        case Aov::Uv:
            return {"U", "V"};
        case Aov::Instance:
        case Aov::Object:
        case Aov::Material:
        case Aov::Samples:
            return {"X"};  // Blender knows no other letter for one number
        case Aov::CryptoObject:
        case Aov::CryptoMaterial:
        case Aov::CryptoAsset:
            return {"R", "G", "B", "A"};
        case Aov::Motion:
            return {"X", "Y", "Z", "W"};
        case Aov::Noise:
            return {"Y"};
        default:
            break;
    }
    UNREACHABLE("every AOV has channels");
}

struct Text {
    const char* unit;
    const char* meaning;
};

Text text_of(Aov aov) {
    switch (aov) {
        case Aov::Albedo:
            return {"1", "colour of the first surface, linear Rec. 709; 0 where nothing is hit"};
        case Aov::Normal:
            return {"1", "shading normal of the first surface, in world axes"};
        case Aov::Position:
            return {"m", "place of the first surface, in the world"};
        case Aov::Depth:
            return {"m", "way along the camera's ray to the first surface; 0 where nothing is hit"};
        case Aov::Uv:
            return {"1",
                    "first texture coordinates of the first surface, v upwards; 0 where it has "
                    "none"};
        case Aov::Instance:
            return {"number", "placed mesh that sample 0 hits; 4294967295 for none"};
        case Aov::Object:
            return {"number",
                    "name of a node that sample 0 hits, in the order of the scene; 4294967295 for "
                    "none"};
        case Aov::Material:
            return {"number",
                    "material that sample 0 hits, in the order of the scene; 4294967295 for none"};
        case Aov::CryptoObject:
            return {
                "id, 1",
                "Cryptomatte of nodes by name: two names and their coverages; 01, 02, ... as well"};
        case Aov::CryptoMaterial:
            return {"id, 1", "Cryptomatte of materials by name, alike"};
        case Aov::CryptoAsset:
            return {
                "id, 1",
                "Cryptomatte of assets, alike: the topmost node of glTF, an instanced object of "
                "pbrt or Mitsuba, else the file"};
        case Aov::Motion:
            return {"pixel",
                    "way to the surface's place in the previous frame (X right, Y up), and from "
                    "its place in the next one (Z, W)"};
        case Aov::Samples:
            return {"number", "samples of the pixel"};
        case Aov::Noise:
            return {"1", "error that is left in the pixel's block, as --noise-threshold counts it"};
        case Aov::SeenAlbedo:
            return {"1", "albedo and emission (at most 1) of what mirrors and clear glass show"};
        case Aov::SeenNormal:
            return {"1", "shading normal of what mirrors and clear glass show, in world axes"};
        case Aov::Direct:
            return {"radiance", "light seen, or on the surface seen without another surface"};
        case Aov::Indirect:
            return {"radiance", "all other light: direct + indirect is the picture"};
        case Aov::Emission:
            return {"radiance", "light that the camera sees without a surface between"};
        case Aov::Diffuse:
            return {"radiance", "light that the first surface scatters diffusely, sheen included"};
        case Aov::Specular:
            return {"radiance", "light that the first surface reflects by facets, coat included"};
        case Aov::Transmission:
            return {"radiance",
                    "light through the first surface: emission + diffuse + specular + transmission "
                    "is the picture"};
        default:
            return {"radiance", "light of a group of --light-groups, which add up to the picture"};
    }
}

}  // namespace

AovFacts aov_facts(Aov aov, std::string_view layer) {
    const Text text = text_of(aov);
    AovFacts facts{channels_of(aov), text.unit, text.meaning};
    for (std::string& channel : facts.channels) {
        channel = std::string(layer) + (is_matte_aov(aov) ? "00." : ".") + channel;
    }
    return facts;
}

}  // namespace weft::film
