// image_reader.cpp — pictures from files of the formats of engine/scene/files/picture_input.h, as
// scene-linear premultiplied floats.
#include <algorithm>

#include "engine/film/decoding.h"
#include "engine/film/image_file.h"
#include "engine/film/view_transform.h"
#include "engine/scene/files/picture_channels.h"
#include "scheduler/base/input_file.h"

namespace weft::film {

namespace {

constexpr const char* kExpectedImage = "a whole image file (.exr .png .hdr .jpg .tif)";

// Files of integers hold display values, unless their metadata says otherwise.
bool is_display_coded(const image::ImageReader& reader) {
    const bool is_whole_numbers = !image::is_floating_point(reader.part().type);
    const std::string space = reader.text("oiio:ColorSpace");
    return is_whole_numbers && space != "Linear" && space != "linear" && space != "scene_linear";
}

// Display values to linear ones, then straight alpha to premultiplied.
void linearise(Picture& picture, bool is_straight, bool is_coded) {
    const u32 colours = picture.channels >= 3 ? 3 : 1;
    const bool has_alpha = picture.channels == 2 || picture.channels == 4;
    for (std::size_t begin = 0; begin < picture.pixels.size(); begin += picture.channels) {
        float* pixel = picture.pixels.data() + begin;
        for (u32 c = 0; c < colours; ++c) {
            if (is_coded) {
                pixel[c] = static_cast<float>(srgb_decode(double{pixel[c]}));
            }
            if (is_straight && has_alpha) {
                pixel[c] *= pixel[picture.channels - 1];
            }
        }
    }
}

// Memory of a pixel: four floats, and four for values computed from it.
constexpr u64 kBytesOfValue = 2 * sizeof(float);

base::Result<Picture> decode_picture(const std::string& path) {
    WEFT_TRY(base::check_input_file(path, kExpectedImage));
    base::Result<scene::PictureInput> opened = scene::open_picture_file(path);
    WEFT_TRY(opened);
    scene::PictureInput& input = opened.value();
    const base::Result<std::vector<i32>> channels = scene::choose_colours(input);
    WEFT_TRY(channels);
    const image::Part& part = input.part();
    if (!is_of_sane_size(part)) {
        return read_error(path, "a picture too large or without pixels", "at most 2^30 values");
    }
    Picture picture;
    picture.width = static_cast<u32>(part.width);
    picture.height = static_cast<u32>(part.height);
    picture.x0 = part.x;
    picture.y0 = part.y;
    picture.channels = static_cast<u32>(channels.value().size());
    const std::size_t row = std::size_t{picture.width} * picture.channels;
    const base::Result<base::MemoryClaim> claim =
        scene::claim_texels(input.claimant(), kBytesOfValue * row * picture.height);
    WEFT_TRY(claim);
    picture.pixels.resize(row * picture.height);
    const base::Status read =
        scene::read_picture_channels(input, channels.value(), [&](u32 y, const float* values) {
            std::copy_n(values, row, &picture.pixels[y * row]);
        });
    WEFT_TRY(read);
    const bool is_straight = input.reader->number("oiio:UnassociatedAlpha", 0) != 0;
    const bool is_coded = is_display_coded(*input.reader);
    if (is_straight || is_coded) {
        linearise(picture, is_straight, is_coded);
    }
    return picture;
}

}  // namespace

base::Result<Picture> read_picture(const std::string& path) {
    return guarded(path, [&] { return decode_picture(path); });
}

}  // namespace weft::film
