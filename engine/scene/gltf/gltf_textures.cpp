// gltf_textures.cpp — samplers, texture transforms, and pictures read in parallel.
#include "engine/scene/gltf/gltf_textures.h"

#include <algorithm>
#include <array>
#include <optional>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "engine/scene/gltf/gltf_check.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::gltf {

namespace {

using base::Error;
using base::Result;

constexpr double kMaxShift = 1e9;  // a float has lost all fraction long before

std::array<double, 2> pair_at(const Json& object, const char* key, double stand_in) {
    const Json* value = find(object, key);
    return value == nullptr
               ? std::array<double, 2>{stand_in, stand_in}
               : std::array<double, 2>{number_of(item(*value, 0)), number_of(item(*value, 1))};
}

// u' = translation · rotation · scale · (u, v, 1); a positive rotation turns the picture clockwise.
void set_transform(shaders::TextureSlot& slot, const Json& transform) {
    const std::array<double, 2> offset = pair_at(transform, "offset", 0);
    const std::array<double, 2> scale = pair_at(transform, "scale", 1);
    const Json* rotation = find(transform, "rotation");
    double angle = rotation == nullptr ? 0 : number_of(*rotation);
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

// The image of EXT_texture_webp, else the texture's own; empty where only unknown formats exist.
std::optional<std::size_t> image_of(const Json& texture) {
    const Json* webp = find_extension(texture, "EXT_texture_webp");
    const Json* source = webp == nullptr ? nullptr : find(*webp, "source");
    source = source == nullptr ? find(texture, "source") : source;
    return source == nullptr ? std::nullopt : std::optional<std::size_t>(count_of(*source));
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
        wanted_.push_back({image, meaning, use == SlotUse::Normal, row->second});
        wanted_.back().source = source_of(row->second);
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
    // The magnification filter decides; without one, a minification filter that is nearest within
    // and between levels.
    const bool is_min_nearest = sampler.minFilter == TINYGLTF_TEXTURE_FILTER_NEAREST ||
                                sampler.minFilter == TINYGLTF_TEXTURE_FILTER_NEAREST_MIPMAP_NEAREST;
    slot.is_nearest = sampler.magFilter == TINYGLTF_TEXTURE_FILTER_NEAREST ||
                              (sampler.magFilter == -1 && is_min_nearest)
                          ? 1
                          : 0;
}

u32 TextureSlots::add(const Json& info, SlotUse use, const std::string& pointer) {
    const std::size_t texture = count_of(*find(info, "index"));
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
    slot.uv_set = set == nullptr ? 0 : static_cast<u32>(count_of(*set));
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

// Black or a magenta checker replaces colours; numbers become neutral (white, a flat normal), so
// that the factors alone count.
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

// Many images may name one file, or the same bytes of a buffer.
u32 TextureSlots::source_of(u32 wanted) {
    const ImageSource& image = document_.images[wanted_[wanted].image];
    const SourceKey key(image.file, image.bytes.data(), image.bytes.size(), image.fault);
    return sources_.try_emplace({key, wanted_[wanted].meaning}, wanted).first->second;
}

// Adds up sizes from the headers of the pictures, before any is decoded. Skips pictures that cannot
// be read: decode() reports them.
base::Status TextureSlots::check_size(SizeRule& rule) {
    for (u32 k = 0; k < wanted_.size(); ++k) {
        const ImageSource& source = document_.images[wanted_[k].image];
        if (wanted_[k].source != k || !source.fault.empty()) {
            continue;
        }
        const Result<PictureSize> size =
            source.file.empty()
                ? picture_size(source.bytes, source.name)
                : picture_size(source.file, wanted_[k].meaning, config_.colours.get());
        if (!size.is_ok()) {
            continue;
        }
        wanted_[k].chain_bytes = size.value().chain_bytes;
        rule.add_read(source.file.empty() ? 0 : size.value().file_bytes);
        WEFT_TRY(rule.add_made(size.value().chain_bytes, source.name));
    }
    return base::Done{};
}

// The texture of the former import that shows the same picture.
std::optional<u32> TextureSlots::former_of(const Wanted& wanted) const {
    const ImageSource& source = document_.images[wanted.image];
    return config_.former && source.fault.empty()
               ? find_texture(*config_.former, source.name, wanted.meaning)
               : std::nullopt;
}

Result<MipChain> TextureSlots::read(const Wanted& wanted) const {
    const ImageSource& source = document_.images[wanted.image];
    if (!source.fault.empty()) {
        return Error{base::ErrorKind::Scene, source.fault};
    }
    const Result<DecodedImage> image =
        source.file.empty() ? decode_image_memory(source.bytes, source.name, wanted.meaning)
                            : decode_image_file(source.file, wanted.meaning, config_.colours.get());
    WEFT_TRY(image);
    MipChain chain = build_mip_chain(image.value(), wanted.meaning);
    image.value().claim->give_back(chain.words.size() * sizeof(u32));
    return chain;
}

// Reserves all at once, so that each chain is freed right after its copy, and texels beyond the
// budget go to the file from the first on.
base::Status TextureSlots::make_room() {
    u64 words = scene_.texels.size();
    for (const Wanted& wanted : wanted_) {
        words += wanted.chain_bytes / sizeof(u32);
    }
    return scene_.texels.reserve(std::min<u64>(words, kNone));
}

// Pictures that are decoded together: all, or as many as the texture budget has room for, each with
// its chain, and at least one.
std::size_t TextureSlots::end_of_batch(std::size_t begin) const {
    const u64 room = scene_.texels.left_of_budget();
    u64 bytes = 0;
    std::size_t end = begin;
    while (end < wanted_.size() &&
           (end == begin || wanted_[end].chain_bytes <= (room - std::min(room, bytes)) / 2)) {
        bytes += 2 * wanted_[end].chain_bytes;
        ++end;
    }
    return end;
}

void TextureSlots::read_batch(std::size_t begin, std::size_t end, Chains& chains) const {
    tbb::task_arena arena(config_.thread_count == 0 ? tbb::task_arena::automatic
                                                    : static_cast<int>(config_.thread_count));
    arena.execute([&] {
        tbb::parallel_for(begin, end, [&](std::size_t i) {
            if (wanted_[i].source != i || former_of(wanted_[i])) {
                return;
            }
            chains[i].emplace(is_given_up(config_)
                                  ? Result<MipChain>(cancelled_error(document_.path()))
                                  : read(wanted_[i]));
        });
    });
}

// A picture that cannot be read is an error or gets a stand-in.
base::Status TextureSlots::fill_gap(u32 wanted, Chains& chains) {
    const std::string& name = document_.images[wanted_[wanted].image].name;
    const Error& error = chains[wanted]->error();
    if (config_.missing_file == MissingFile::Error) {
        const auto missing = std::count_if(chains.begin(), chains.end(), [](const auto& chain) {
            return chain && !chain->is_ok();
        });
        return missing_pictures_error(error, static_cast<std::size_t>(missing));
    }
    if (config_.on_missing) {
        config_.on_missing(name, error.sentence);
    }
    notes_.add(Note::Kind::Replaced, error.sentence + "; a stand-in is used");
    chains[wanted].emplace(build_mip_chain(stand_in(wanted_[wanted]), wanted_[wanted].meaning));
    return base::Done{};
}

// Appends in the order of first use; a picture with the same source gets another row over its
// texels.
base::Status TextureSlots::append(std::size_t begin,
                                  std::size_t end,
                                  Chains& chains,
                                  std::vector<u32>& texture_of) {
    for (std::size_t i = begin; i < end; ++i) {
        const ImageSource& source = document_.images[wanted_[i].image];
        // A repeated image shares the texels of the first.
        if (wanted_[i].source != i) {
            Texture texture = std::as_const(scene_.textures)[texture_of[wanted_[i].source]];
            texture.name = source.name;
            texture.label = source.label;
            texture_of[i] = static_cast<u32>(scene_.textures.size());
            scene_.textures.push_back(std::move(texture));
            continue;
        }
        // Append the mip chain.
        Result<u32> appended = Error{};
        if (const std::optional<u32> former = former_of(wanted_[i])) {
            appended = append_texture_of(scene_, *config_.former, *former);
        } else {
            if (!chains[i]->is_ok()) {
                WEFT_TRY(fill_gap(static_cast<u32>(i), chains));
            }
            const MipChain& chain = chains[i]->value();
            if (chain.repaired_texels > 0) {
                notes_.add(Note::Kind::Repaired,
                           repaired_texels_sentence(source.name, chain.repaired_texels));
            }
            appended = append_mip_chain(scene_, chain, source.name);
            chains[i].reset();
        }
        WEFT_TRY(appended);
        texture_of[i] = appended.value();
        scene_.textures[texture_of[i]].label = source.label;
    }
    return base::Done{};
}

base::Status TextureSlots::decode(SizeRule& rule) {
    WEFT_TRY(check_size(rule));
    WEFT_TRY(make_room());
    Chains chains(wanted_.size());
    std::vector<u32> texture_of(wanted_.size());
    for (std::size_t begin = 0; begin < wanted_.size();) {
        const std::size_t end = end_of_batch(begin);
        read_batch(begin, end, chains);
        if (is_given_up(config_)) {
            return cancelled_error(document_.path());
        }
        WEFT_TRY(append(begin, end, chains, texture_of));
        begin = end;
    }
    for (std::size_t s = first_slot_; s < scene_.slots.size(); ++s) {
        scene_.slots[s].texture = texture_of[scene_.slots[s].texture];
    }
    return base::Done{};
}

}  // namespace weft::scene::gltf
