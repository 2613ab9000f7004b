// picture_shelf.h — the pictures that a scene file names, each once in the scene's texels.
//
// A texture of the scene may be put together from several pictures: colours from one, and single
// channels (an opacity, a roughness) from others. Pictures that cannot be read become an error or a
// stand-in, as ImportConfig::missing_file says. One import; one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/scene/files/asset_root.h"
#include "engine/scene/import.h"
#include "engine/scene/model/size_rule.h"
#include "engine/scene/model/texture.h"

namespace weft::scene {

// What becomes of a number of a picture.
enum class Curve {
    Plain,
    Root,       // a width α as roughness
    FourthRoot  // the square of a width α as roughness
};

struct PictureName {
    std::string path;           // as the scene says it, or as roots found it
    std::string place;          // where the scene says it, for sentences
    math::Vec3 factor{1};       // of its colours; the product is cut to 1
    bool is_inverted = false;   // 1 − factor · texel
    bool is_linear = false;     // the file's bytes are no sRGB, whatever they mean
    double boundary_index = 0;  // its colours lie below a boundary of this index (plain_material.h)
};

// One channel of the texture from the numbers of a picture: its grey, or the mean of its colours,
// in linear light.
struct ChannelUse {
    PictureName picture;
    u32 channel = 0;
    Curve curve = Curve::Plain;
};

// Two by two texels of two colours in a checkerboard.
DecodedImage checkers(const math::Vec3& one, const math::Vec3& other);

// The 8-bit code of the sRGB curve with the nearest linear value.
u8 srgb_code(float linear);

class PictureShelf {
public:
    PictureShelf(const std::string& scene_file,
                 const ImportConfig& config,
                 Scene& scene,
                 const AssetRoots& roots,
                 SizeRule& size)
        : scene_file_(scene_file), config_(config), scene_(scene), roots_(roots), size_(size) {}

    // The texture of one picture.
    base::Result<u32> load(const PictureName& picture, TexelMeaning meaning);

    // The texture with the colours of a picture (none: white) and these channels, nearest texel
    // where the sizes differ. `channels` is not empty.
    base::Result<u32> load(const std::optional<PictureName>& color,
                           const std::vector<ChannelUse>& channels,
                           TexelMeaning meaning);

    // Appends checkers.
    base::Result<u32> append_checkers(const math::Vec3& one, const math::Vec3& other);

private:
    // `maybe_colours`: of the import, for colours; null for numbers.
    base::Result<DecodedImage> decode(const PictureName& picture,
                                      TexelMeaning meaning,
                                      const colour::ColourConfig* maybe_colours);
    base::Result<u32> append(const std::string& key,
                             const std::string& name,
                             const DecodedImage& image,
                             TexelMeaning meaning);

    std::string scene_file_;
    const ImportConfig& config_;
    Scene& scene_;
    const AssetRoots& roots_;
    SizeRule& size_;
    std::map<std::pair<std::string, TexelMeaning>, u32> known_;
};

}  // namespace weft::scene
