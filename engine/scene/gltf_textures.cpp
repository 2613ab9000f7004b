// gltf_textures.cpp — samplers, texture transforms, and pictures read in parallel.
#include "engine/scene/gltf_textures.h"

#include <algorithm>
#include <array>
#include <optional>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "engine/scene/gltf_check.h"
#include "shaders/scalar_math.h"

namespace weft::scene::gltf {

namespace {

using base::Error;
using base::Result;

constexpr double kMaxShift = 1e9;  // a float has lost all fraction long before
constexpr double kMaxAngle = 1e6;  // beyond it sine and cosine have no meaning left

std::array<double, 2> pair_at(const Json& object, const char* key, double stand_in) {
    const Json* value = find(object, key);
    return value == nullptr
               ? std::array<double, 2>{stand_in, stand_in}
               : std::array<double, 2>{(*value)[0].get<double>(), (*value)[1].get<double>()};
}

// u' = translation · rotation · scale · (u, v, 1); a positive rotation turns the picture clockwise.
void set_transform(shaders::TextureSlot& slot, const Json& transform) {
    const std::array<double, 2> offset = pair_at(transform, "offset", 0);
    const std::array<double, 2> scale = pair_at(transform, "scale", 1);
    const Json* rotation = find(transform, "rotation");
    double angle = rotation == nullptr ? 0 : rotation->get<double>();
    angle = angle > -kMaxAngle && angle < kMaxAngle ? angle : 0;
    const double cosine = shaders::cos_of(angle);
    const double sine = shaders::sin_of(angle);
    const std::array<double, 6> rows = {cosine * scale[0],
                                        sine * scale[1],
                                        offset[0],
                                        -sine * scale[0],
                                        cosine * scale[1],
                                        offset[1]};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        slot.uv_transform[i] = static_cast<float>(std::clamp(rows[i], -kMaxShift, kMaxShift));
    }
}

// Of EXT_texture_webp first, else the texture's own; none where only unknown formats are offered.
std::optional<std::size_t> image_of(const Json& texture) {
    const Json* webp = find_extension(texture, "EXT_texture_webp");
    const Json* source = webp == nullptr ? nullptr : find(*webp, "source");
    source = source == nullptr ? find(texture, "source") : source;
    return source == nullptr ? std::nullopt
                             : std::optional<std::size_t>(source->get<std::size_t>());
}

u32 wrap_of(int code) {
    switch (code) {
        case TINYGLTF_TEXTURE_WRAP_CLAMP_TO_EDGE:
            return static_cast<u32>(shaders::Wrap::Clamp);
        case TINYGLTF_TEXTURE_WRAP_MIRRORED_REPEAT:
            return static_cast<u32>(shaders::Wrap::Mirror);
        default:
            return static_cast<u32>(shaders::Wrap::Repeat);
    }
}

}  // namespace

u32 TextureSlots::want(std::size_t image, SlotUse use) {
    const TexelMeaning meaning = use == SlotUse::Color ? TexelMeaning::Color : TexelMeaning::Linear;
    const auto [row, is_new] =
        wanted_by_image_.try_emplace({image, meaning}, static_cast<u32>(wanted_.size()));
    if (is_new) {
        wanted_.push_back({image, meaning, use == SlotUse::Normal});
    }
    return row->second;
}

void TextureSlots::set_sampler(shaders::TextureSlot& slot, int index) {
    if (index < 0) {
        return;
    }
    const tinygltf::Sampler& sampler = document_.model.samplers[static_cast<std::size_t>(index)];
    slot.wrap_u = wrap_of(sampler.wrapS);
    slot.wrap_v = wrap_of(sampler.wrapT);
    // Magnification decides; where it is left open, a minification filter that is nearest in both
    // ways does.
    const bool is_min_nearest = sampler.minFilter == TINYGLTF_TEXTURE_FILTER_NEAREST ||
                                sampler.minFilter == TINYGLTF_TEXTURE_FILTER_NEAREST_MIPMAP_NEAREST;
    slot.is_nearest = sampler.magFilter == TINYGLTF_TEXTURE_FILTER_NEAREST ||
                              (sampler.magFilter == -1 && is_min_nearest)
                          ? 1
                          : 0;
}

u32 TextureSlots::add(const Json& info, SlotUse use, const std::string& pointer) {
    const auto texture = info["index"].get<std::size_t>();
    const std::optional<std::size_t> image = image_of(element(document_, "textures", texture));
    if (!image) {
        notes_.add(Note::Kind::Replaced,
                   pointer + ": texture " + std::to_string(texture) +
                       " has no picture of a known kind, the factor alone counts");
        return kNone;
    }
    shaders::TextureSlot slot{};
    slot.texture = want(*image, use);
    slot.uv_transform[0] = slot.uv_transform[4] = 1.0f;
    const Json* set = find(info, "texCoord");
    if (const Json* transform = find_extension(info, "KHR_texture_transform");
        transform != nullptr) {
        set_transform(slot, *transform);
        const Json* other = find(*transform, "texCoord");
        set = other == nullptr ? set : other;
    }
    slot.uv_set = set == nullptr ? 0 : set->get<u32>();
    if (slot.uv_set > 1) {
        notes_.add(Note::Kind::Replaced,
                   pointer + ": TEXCOORD_" + std::to_string(slot.uv_set) +
                       " is beyond the two uv sets there are, TEXCOORD_0 is used");
        slot.uv_set = 0;
    }
    set_sampler(slot, document_.model.textures[texture].sampler);
    scene_.slots.push_back(slot);
    return static_cast<u32>(scene_.slots.size() - 1);
}

// Black or a magenta checker stands for colours; numbers become neutral ones (white, a flat
// normal), so that factors count.
DecodedImage TextureSlots::stand_in(const Wanted& wanted) const {
    const std::array<u8, 4> black = {0, 0, 0, 255};
    const std::array<u8, 4> magenta = {255, 0, 255, 255};
    const std::array<u8, 4> neutral = wanted.is_normal ? std::array<u8, 4>{128, 128, 255, 255}
                                                       : std::array<u8, 4>{255, 255, 255, 255};
    DecodedImage image;
    image.width = image.height = 8;
    for (u32 i = 0; i < image.width * image.height; ++i) {
        const bool is_magenta =
            config_.missing_file == MissingFile::Checker && (i + i / image.width) % 2 == 1;
        const auto& texel =
            wanted.meaning == TexelMeaning::Linear ? neutral : (is_magenta ? magenta : black);
        image.bytes.insert(image.bytes.end(), texel.begin(), texel.end());
    }
    return image;
}

Result<MipChain> TextureSlots::read(const Wanted& wanted) const {
    const ImageSource& source = document_.images[wanted.image];
    if (!source.fault.empty()) {
        return Error{base::ErrorKind::Scene, source.fault};
    }
    const Result<DecodedImage> image =
        source.file.empty() ? decode_image_memory(source.bytes, source.name, wanted.meaning)
                            : decode_image_file(source.file, wanted.meaning);
    return image.is_ok() ? Result<MipChain>(build_mip_chain(image.value(), wanted.meaning))
                         : image.error();
}

base::Status TextureSlots::decode() {
    std::vector<std::optional<Result<MipChain>>> chains(wanted_.size());
    tbb::task_arena arena(config_.thread_count == 0 ? tbb::task_arena::automatic
                                                    : static_cast<int>(config_.thread_count));
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, wanted_.size(), [&](std::size_t i) {
            chains[i].emplace(is_given_up(config_)
                                  ? Result<MipChain>(cancelled_error(document_.path()))
                                  : read(wanted_[i]));
        });
    });
    if (is_given_up(config_)) {
        return cancelled_error(document_.path());
    }
    std::vector<u32> texture_of(wanted_.size());
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
        const ImageSource& source = document_.images[wanted_[i].image];
        if (!chains[i]->is_ok()) {
            if (config_.missing_file == MissingFile::Error) {
                return chains[i]->error();
            }
            notes_.add(Note::Kind::Replaced, chains[i]->error().sentence + "; a stand-in is used");
            chains[i].emplace(build_mip_chain(stand_in(wanted_[i]), wanted_[i].meaning));
        }
        if (scene_.texels.size() + chains[i]->value().words.size() >= kNone) {
            return Error{base::ErrorKind::Scene,
                         source.name + ": the textures outgrow 2^32 - 1 words of memory here"};
        }
        texture_of[i] = append_mip_chain(scene_, chains[i]->value(), source.name);
        scene_.textures[texture_of[i]].label = source.label;
        chains[i].reset();
    }
    for (std::size_t s = first_slot_; s < scene_.slots.size(); ++s) {
        scene_.slots[s].texture = texture_of[scene_.slots[s].texture];
    }
    return base::Done{};
}

}  // namespace weft::scene::gltf
