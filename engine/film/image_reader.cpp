// image_reader.cpp — pictures from files of the formats of engine/scene/files/picture_input.h, as
// scene-linear premultiplied floats.
#include <array>
#include <cstring>

#include "engine/film/decoding.h"
#include "engine/film/exr_parts.h"
#include "engine/film/image_file.h"
#include "engine/film/view_transform.h"
#include "engine/scene/files/picture_input.h"
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
    const image::Part& part = input.part();
    if (!is_of_sane_size(part)) {
        return read_error(path, "a picture too large or without pixels", "at most 2^30 values");
    }
    Picture picture;
    picture.width = static_cast<u32>(part.width);
    picture.height = static_cast<u32>(part.height);
    picture.x0 = part.x;
    picture.y0 = part.y;
    picture.channels = static_cast<u32>(std::min(part.channel_count, 4));
    const std::size_t row = std::size_t{picture.width} * picture.channels;
    const base::Result<base::MemoryClaim> claim =
        scene::claim_texels(input.claimant(), kBytesOfValue * row * picture.height);
    WEFT_TRY(claim);
    picture.pixels.resize(row * picture.height);
    const base::Status read = scene::read_picture_rows(
        input,
        {0, static_cast<i32>(picture.channels)},
        image::ValueType::Float,
        [&](u32 y, const u8* values) {
            std::memcpy(&picture.pixels[y * row], values, row * sizeof(float));
        });
    WEFT_TRY(read);
    const bool is_straight = input.reader->number("oiio:UnassociatedAlpha", 0) != 0;
    const bool is_coded = is_display_coded(*input.reader);
    if (is_straight || is_coded) {
        linearise(picture, is_straight, is_coded);
    }
    return picture;
}

bool fits(const image::Part& part, const std::vector<std::string>& channels) {
    return is_of_sane_size(part) && part.type == image::ValueType::U32 && part.x >= 0 &&
           part.y >= 0 && part.full_x == 0 && part.full_y == 0 &&
           i64{part.x} + part.width <= part.full_width &&
           i64{part.y} + part.height <= part.full_height &&
           part.channel_count == static_cast<i32>(channels.size()) &&
           std::is_permutation(channels.begin(), channels.end(), part.channel_names.begin());
}

// Opens the file at its part weft.film.
base::Result<std::unique_ptr<image::ImageReader>> open_film_part(const std::string& path) {
    base::Result<std::unique_ptr<image::ImageReader>> input =
        open_exr(path, "an EXR with the part weft.film");
    WEFT_TRY(input);
    if (!seek_part_named(*input.value(), kFilmPart) ||
        !fits(input.value()->part(), film_channels())) {
        return read_error(
            path, "no part weft.film that fits the picture", "an EXR written with --keep-film");
    }
    return input;
}

// The place of each word in a decoded pixel: OpenImageIO may sort channels.
std::array<std::size_t, kRawWords> places_of_words(const image::Part& part) {
    const std::vector<std::string> channels = film_channels();
    std::array<std::size_t, kRawWords> places{};
    for (std::size_t word = 0; word < kRawWords; ++word) {
        const auto found =
            std::find(part.channel_names.begin(), part.channel_names.end(), channels[word]);
        places[word] = static_cast<std::size_t>(found - part.channel_names.begin());
    }
    return places;
}

// Decodes the part row by row into raw words in their order.
template <typename TakeRow>
bool decode_film_rows(image::ImageReader& input, const TakeRow& take_row) {
    const std::array<std::size_t, kRawWords> places = places_of_words(input.part());
    std::vector<u32> words(static_cast<std::size_t>(input.part().width) * kRawWords);
    return decode_rows(input, image::ValueType::U32, [&](u32 y, const u8* row) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::size_t place = i / kRawWords * kRawWords + places[i % kRawWords];
            std::memcpy(&words[i], row + place * sizeof(u32), sizeof(u32));
        }
        take_row(y, words);
    });
}

base::Error undecodable_film(const std::string& path, const image::ImageReader& input) {
    return read_error(
        path, "the part weft.film cannot be decoded (" + input.error() + ")", kExpectedImage);
}

base::Result<Film> decode_film(const std::string& path) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_film_part(path);
    WEFT_TRY(input);
    const image::Part& part = input.value()->part();
    const std::size_t word_count =
        static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height) * kRawWords;
    // Claim memory for the words and for the film made from them.
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(2 * word_count * sizeof(u32), path + ": its film");
    WEFT_TRY(claim);
    std::vector<u32> words;
    words.reserve(word_count);
    if (!decode_film_rows(*input.value(), [&](u32, const std::vector<u32>& row) {
            words.insert(words.end(), row.begin(), row.end());
        })) {
        return undecodable_film(path, *input.value());
    }
    const auto number = [](int value) { return static_cast<u32>(value); };
    Film film(
        number(part.full_width),
        number(part.full_height),
        {number(part.x), number(part.y), number(part.x + part.width), number(part.y + part.height)},
        {});
    if (!film.is_allocated() || !film.set_raw_words(words)) {
        return base::Error{base::ErrorKind::Memory,
                           path + ": no memory for its film; expected room for it"};
    }
    return film;
}

base::Status compare_film(const std::string& path, const Film& film) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_film_part(path);
    WEFT_TRY(input);
    const image::Part& part = input.value()->part();
    bool is_equal = static_cast<u32>(part.width) == film.crop().width() &&
                    static_cast<u32>(part.height) == film.crop().height();
    std::vector<u32> wanted(std::size_t{film.crop().width()} * kRawWords);
    if (is_equal && !decode_film_rows(*input.value(), [&](u32 y, const std::vector<u32>& row) {
            film.raw_row(film.crop().y0 + y, wanted.data());
            is_equal = is_equal && row == wanted;
        })) {
        return undecodable_film(path, *input.value());
    }
    return is_equal ? base::Status(base::Done{})
                    : base::Status(read_error(path, "other raw sums", "those of the film"));
}

}  // namespace

base::Result<Picture> read_picture(const std::string& path) {
    return guarded(path, [&] { return decode_picture(path); });
}

base::Status check_stored_film(const std::string& path, const Film& film) {
    return guarded(path, [&] { return compare_film(path, film); });
}

base::Result<Film> read_film(const std::string& path) {
    return guarded(path, [&] { return decode_film(path); });
}

}  // namespace weft::film
