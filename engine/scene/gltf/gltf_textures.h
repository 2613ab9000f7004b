// gltf_textures.h — texture slots of materials, and every picture behind them decoded once per
// meaning.
//
// Materials add slots first (importer thread). decode() then reads all pictures in parallel and
// appends them in the order of their first use, so that the scene does not depend on the number of
// threads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_notes.h"
#include "engine/scene/import.h"
#include "engine/scene/model/size_rule.h"
#include "engine/scene/model/texture.h"

namespace weft::scene::gltf {

// Beyond it sine and cosine have no meaning left.
inline constexpr double kMaxAngle = 1e6;

// How a slot uses its picture: colour through the sRGB curve, numbers as they are, or normals
// (numbers, too).
enum class SlotUse { Color, Linear, Normal };

class TextureSlots {
public:
    TextureSlots(const Document& document, const ImportConfig& config, Scene& scene, Notes& notes)
        : document_(document),
          config_(config),
          scene_(scene),
          notes_(notes),
          first_slot_(scene.slots.size()) {}

    // `info`: the textureInfo object at `pointer`. kNone where its texture has no picture of a
    // known kind.
    u32 add(const Json& info, SlotUse use, const std::string& pointer);

    // Fails where a picture cannot be read and the policy is Error; otherwise its stand-in is
    // noted. Fails, too, where `rule` refuses what the pictures take together, and once the import
    // is given up.
    base::Status decode(SizeRule& rule);

private:
    struct Wanted {
        std::size_t image;
        TexelMeaning meaning;
        bool is_normal;
        u32 source;           // in wanted_: the first of the same bytes and meaning
        u64 chain_bytes = 0;  // by the header of a picture; check_size() sets it
    };

    // Its file, where its bytes begin and how many they are, and why there are none.
    using SourceKey = std::tuple<std::string, const u8*, std::size_t, std::string>;
    using Chains = std::vector<std::optional<base::Result<MipChain>>>;

    u32 want(std::size_t image, SlotUse use);
    void set_sampler(shaders::TextureSlot& slot, int sampler);
    u32 source_of(u32 wanted);
    base::Status check_size(SizeRule& rule);
    [[nodiscard]] std::optional<u32> former_of(const Wanted& wanted) const;
    [[nodiscard]] base::Result<MipChain> read(const Wanted& wanted) const;
    base::Status make_room();
    [[nodiscard]] std::size_t end_of_batch(std::size_t begin) const;
    void read_batch(std::size_t begin, std::size_t end, Chains& chains) const;
    base::Status fill_gap(u32 wanted, Chains& chains);
    base::Status append(std::size_t begin,
                        std::size_t end,
                        Chains& chains,
                        std::vector<u32>& texture_of);
    [[nodiscard]] DecodedImage stand_in(const Wanted& wanted) const;

    const Document& document_;
    const ImportConfig& config_;
    Scene& scene_;
    Notes& notes_;
    std::size_t
        first_slot_;  // slots from here on are ours; until decode() their `texture` counts wanted_
    std::vector<Wanted> wanted_;
    std::map<std::pair<std::size_t, TexelMeaning>, u32> wanted_by_image_;
    std::map<std::pair<SourceKey, TexelMeaning>, u32> sources_;  // in wanted_
};

}  // namespace weft::scene::gltf
