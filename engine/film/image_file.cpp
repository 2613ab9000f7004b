// image_file.cpp — chooses the writer of a file, and checks its name before anything is rendered.
#include "engine/film/image_file.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/film/aov_facts.h"
#include "engine/film/exr_parts.h"
#include "engine/film/whole_file.h"
#include "engine/image/codecs.h"
#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"

namespace weft::film {

namespace {

struct Extension {
    std::string_view text;
    FileFormat format;
};

constexpr std::array<Extension, 7> kExtensions{{
    {".exr", FileFormat::Exr},
    {".png", FileFormat::Png},
    {".hdr", FileFormat::Hdr},
    {".jpg", FileFormat::Jpeg},
    {".jpeg", FileFormat::Jpeg},
    {".tif", FileFormat::Tiff},
    {".tiff", FileFormat::Tiff},
}};

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

base::Result<FileFormat> format_of(const std::string& path) {
    std::string extension = path == "-" ? ".exr" : std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), lower);
    for (const Extension& known : kExtensions) {
        if (known.text == extension) {
            return known.format;
        }
    }
    return base::Error{base::ErrorKind::Usage,
                       path + ": unknown image extension \"" + extension +
                           "\"; expected .exr, .png, .hdr, .jpg, .jpeg, .tif or .tiff"};
}

bool is_exr_file(const std::string& path) {
    const base::Result<FileFormat> format = format_of(path);
    return format.is_ok() && format.value() == FileFormat::Exr;
}

bool is_display_file(const std::string& path) {
    const base::Result<FileFormat> format = format_of(path);
    return format.is_ok() &&
           (format.value() == FileFormat::Png || format.value() == FileFormat::Jpeg);
}

std::vector<std::string> film_channels() {
    std::vector<std::string> names;
    for (const char* colour : {"R", "G", "B", "A"}) {
        for (const char* word : {"0", "1", "2", "3"}) {
            names.push_back(std::string("sum.") + colour + word);
        }
    }
    names.emplace_back("sum.count");
    return names;
}

std::string part_name_of(Aov aov, const ImageConfig& config) {
    const std::size_t group = static_cast<std::size_t>(aov) - static_cast<std::size_t>(Aov::Light0);
    return is_light_group(aov) && group < config.light_layers.size() ? config.light_layers[group]
                                                                     : aov_name(aov);
}

std::string aov_film_part(Aov aov) {
    return std::string(kFilmPart) + "." + aov_name(aov);
}

std::vector<std::string> aov_film_channels(Aov aov, u32 channels) {
    if (is_matte_aov(aov)) {
        std::vector<std::string> words;
        for (u32 word = 0; word < channels; ++word) {
            const std::string number = std::to_string(word);
            words.push_back("sum." + std::string(4 - std::min<std::size_t>(4, number.size()), '0') +
                            number);
        }
        return words;
    }
    if (aov_channels(aov) == 0) {
        return {std::string("sum.") + aov_name(aov)};
    }
    std::vector<std::string> names;
    std::vector<std::string> values = aov_facts(aov).channels;
    if (aov == Aov::Noise) {
        values = {"half.R", "half.G", "half.B", "half.N"};
    } else if (aov == Aov::Motion) {
        values.emplace_back("motion.N");
    } else if (aov == Aov::Direct) {
        values.insert(values.end(), {"half.R", "half.G", "half.B"});
    }
    for (const std::string& channel : values) {
        for (const char* word : {"0", "1", "2", "3"}) {
            names.push_back("sum." + channel + word);
        }
    }
    return names;
}

u32 aov_film_channel_count(const Film& film, u32 layer) {
    constexpr u32 kFewest = 8;  // so that the memory of usual rows is claimed before there are any
    const u32 words = film.raw_aov_words(layer);
    return is_matte_aov(film.aovs()[layer].aov) ? std::max(words, kFewest) : words;
}

bool is_film_part(std::string_view name) {
    return name == kFilmPart || name.starts_with(std::string(kFilmPart) + ".");
}

base::Status check_image_target(const std::string& path, const ImageConfig& config) {
    const base::Result<FileFormat> format = format_of(path);
    WEFT_TRY(format);
    if (config.keep_film && format.value() != FileFormat::Exr) {
        return base::Error{base::ErrorKind::Usage,
                           path + ": cannot hold the film's raw sums; expected an .exr"};
    }
    WEFT_TRY(image::codecs());
    // Open the file as the writer will, and discard it.
    WEFT_TRY(WholeFile::open(path));
    return base::Done{};
}

ResolveConfig resolve_config(const std::string& path, const ImageConfig& config) {
    ResolveConfig resolve;
    resolve.has_display = is_display_file(path);
    if (resolve.has_display) {
        resolve.display.view = config.view;
        resolve.display.config_view = config.config_view;
        resolve.display.scale = exposure_scale(config.exposure_stops);
        const base::Result<FileFormat> format = format_of(path);
        resolve.display.has_alpha =
            config.has_alpha && format.is_ok() && format.value() == FileFormat::Png;
    }
    return resolve;
}

void shown_beauty_row(const ResolvedFilm& picture,
                      const ImageConfig& config,
                      u32 row,
                      float* rgba) {
    const u32 width = picture.film().crop().width();
    std::copy_n(picture.beauty_row(row), std::size_t{kFilmChannels} * width, rgba);
    if (config.denoised) {
        const float* colour = config.denoised->pixels.data() + std::size_t{3} * row * width;
        for (u32 x = 0; x < width; ++x) {
            std::copy_n(colour + std::size_t{3} * x, 3, rgba + std::size_t{kFilmChannels} * x);
        }
    }
}

base::Status write_image(const std::string& path,
                         const ResolvedFilm& picture,
                         const ImageConfig& config) {
    WEFT_TRY(check_image_target(path, config));
    ENSURE(picture.config() == resolve_config(path, config), ==, true);
    if (config.denoised) {
        ENSURE(config.denoised->width, ==, picture.film().crop().width());
        ENSURE(config.denoised->height, ==, picture.film().crop().height());
        ENSURE(config.denoised->channels, ==, 3);
    }
    const base::Result<FileFormat> format = format_of(path);
    return format.is_ok() && format.value() == FileFormat::Exr ? write_exr(path, picture, config)
                                                               : write_flat(path, picture, config);
}

base::Result<u64> writer_bytes(const std::string& path,
                               const ResolvedFilm& picture,
                               const ImageConfig& config) {
    const base::Result<FileFormat> format = format_of(path);
    WEFT_TRY(format);
    return format.value() == FileFormat::Exr ? exr_writer_bytes(picture, config)
                                             : flat_writer_bytes(path, picture, config);
}

base::Status write_image(const std::string& path, const Film& film, const ImageConfig& config) {
    WEFT_TRY(check_image_target(path, config));
    ResolvedFilm picture(film, resolve_config(path, config));
    if (!picture.is_allocated()) {
        return base::Error{base::ErrorKind::Memory,
                           path + ": out of memory for the means of its pixels"};
    }
    // Claim what the means first touch now, and what the encoder takes.
    u64 values = kFilmChannels + 1;  // the display bytes count as one
    for (const FilmLayer& layer : film.aovs()) {
        values += aov_values(layer.aov);
    }
    const base::Result<u64> bytes = writer_bytes(path, picture, config);
    WEFT_TRY(bytes);
    const u64 pixels = u64{film.crop().width()} * film.crop().height();
    const base::Result<base::MemoryClaim> claim = base::claim_memory(
        pixels * values * sizeof(float) + bytes.value(), path + ": writing the picture");
    WEFT_TRY(claim);
    picture.finish();
    return write_image(path, picture, config);
}

}  // namespace weft::film
