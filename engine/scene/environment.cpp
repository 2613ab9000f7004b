// environment.cpp — a lat-long picture as the environment.
//
// Rows and columns are kept as in the file: the top row is up, u = 0.5 + atan2(z, x) / 2π
// (shaders/bsdf.md, section 5). Any thread; throws nothing.
#include <algorithm>
#include <cmath>
#include <new>

#include "engine/scene/files/picture_channels.h"
#include "engine/scene/import.h"
#include "engine/scene/model/texture.h"
#include "scheduler/base/input_file.h"

namespace weft::scene {
namespace {

// The memory that a texel takes: three floats here, and its cell of
// engine/trace/environment_tables.cpp.
constexpr u64 kTexelBytes = 12 + 16;

// Most texels: kernels gather the four words of a cell by 31 bits. 32768 × 16384 are just allowed.
constexpr u64 kMostTexels = u64{1} << 29;
// Most columns and most rows: the sampler's numbers have 2²⁴ values.
constexpr i32 kMostSide = (1 << 24) - 1;

// Grey (with or without alpha) fills all three colours; whole-number formats carry the sRGB curve.
// With a colour space all values go through it. Negative values and NaNs become 0, infinite ones
// the largest half.
base::Status read_pixels(PictureInput& input,
                         const std::vector<i32>& channels,
                         const colour::Transform* maybe_space,
                         Environment& environment) {
    const image::Part& part = input.part();
    const std::size_t stride = channels.size();
    const bool is_grey = stride == 1;
    const bool is_coded = !maybe_space && !image::is_floating_point(part.type);
    const std::size_t width = environment.width;
    float* const pixels = environment.pixels.own().data();
    const auto take = [&](u32 y, const float* values) {
        for (std::size_t x = 0; x < width; ++x) {
            float* const texel = pixels + 3 * (y * width + x);
            bool is_repaired = false;
            const float* const stored = values + stride * x;
            colour::Rgb rgb = {stored[0], stored[is_grey ? 0 : 1], stored[is_grey ? 0 : 2]};
            rgb = maybe_space ? (*maybe_space)(rgb) : rgb;
            for (std::size_t c = 0; c < 3; ++c) {
                const float value = rgb[c];
                const float kept = value >= 0 ? finite_texel(value) : 0.0f;
                is_repaired = is_repaired || !(kept == value);
                texel[c] = is_coded ? srgb_to_linear(kept) : kept;
            }
            environment.repaired_texels += is_repaired ? 1 : 0;
        }
    };
    return read_picture_channels(input, channels, take);
}

}  // namespace

base::Result<Environment> read_environment(const std::string& path,
                                           const colour::ColourConfig* maybe_colours) {
    WEFT_TRY(base::check_input_file(path, "a lat-long .hdr or .exr"));
    base::Result<PictureInput> opened = open_picture_file(path);
    WEFT_TRY(opened);
    PictureInput& input = opened.value();
    base::Result<std::vector<i32>> channels = choose_colours(input);
    WEFT_TRY(channels);
    channels.value().resize(channels.value().size() < 3 ? 1 : 3);  // without alpha
    base::Result<std::shared_ptr<const colour::Transform>> space =
        std::shared_ptr<const colour::Transform>();
    if (maybe_colours != nullptr) {
        space = maybe_colours->input(path);
        WEFT_TRY(space);
    }
    const u64 texels = input.pixel_count();
    if (texels > kMostTexels) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": has " + std::to_string(input.part().width) + " × " +
                               std::to_string(input.part().height) +
                               " pixels; expected at most 536870912, such as 32768 × 16384."};
    }
    if (std::max(input.part().width, input.part().height) > kMostSide) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": has " + std::to_string(input.part().width) + " × " +
                               std::to_string(input.part().height) +
                               " pixels; expected at most 16777215 columns and rows."};
    }
    base::Result<base::MemoryClaim> claim = claim_texels(input.claimant(), kTexelBytes * texels);
    WEFT_TRY(claim);
    Environment environment;
    environment.name = path;
    environment.width = static_cast<u32>(input.part().width);
    environment.height = static_cast<u32>(input.part().height);
    try {
        environment.pixels = std::vector<float>(3 * texels);
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::TooLarge, path + ": its pixels do not fit into memory"};
    }
    WEFT_TRY(read_pixels(input, channels.value(), space.value().get(), environment));
    return environment;
}

}  // namespace weft::scene
