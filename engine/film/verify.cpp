// verify.cpp — recomputes the hashes of an EXR of ours from its decoded values and compares them
// with its header.
#include <cstring>
#include <numeric>

#include <OpenImageIO/imageio.h>

#include "engine/film/exr_parts.h"
#include "engine/film/film_hash.h"
#include "engine/film/image_file.h"
#include "engine/film/oiio_input-inl.h"
#include "scheduler/base/input_file.h"

namespace weft::film {

namespace {

constexpr const char* kExpectedExr = "an EXR written by weft";

base::Result<std::unique_ptr<OIIO::ImageInput>> open_exr(const std::string& path) {
    WEFT_TRY(base::check_input_file(path, kExpectedExr));
    // By the format, not the extension: the writer checks its file under a temporary name.
    std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::create("openexr");
    OIIO::ImageSpec spec;
    if (!input || !input->open(path, spec)) {
        return read_error(
            path,
            "cannot be opened (" + (input ? input->geterror() : OIIO::geterror()) + ")",
            kExpectedExr);
    }
    return input;
}

void absorb_number(Hash128& hash, int number) {
    hash.absorb(static_cast<u64>(static_cast<i64>(number)));
}

// The place of each channel in a decoded pixel, in order of names.
std::vector<std::size_t> places_by_name(const std::vector<std::string>& names) {
    std::vector<std::size_t> places(names.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        return names[a] < names[b];
    });
    return places;
}

// The bits of one decoded value of 2 or 4 bytes.
u64 bits_at(const u8* value, std::size_t size) {
    if (size == sizeof(u16)) {
        u16 bits = 0;
        std::memcpy(&bits, value, sizeof bits);
        return bits;
    }
    u32 bits = 0;
    std::memcpy(&bits, value, sizeof bits);
    return bits;
}

// False where the part cannot be decoded.
bool absorb_part(Hash128& hash, OIIO::ImageInput& input, int part, const OIIO::ImageSpec& spec) {
    hash.absorb(part_name(spec));
    for (const int number : {spec.x,
                             spec.y,
                             spec.width,
                             spec.height,
                             spec.full_x,
                             spec.full_y,
                             spec.full_width,
                             spec.full_height,
                             spec.nchannels}) {
        absorb_number(hash, number);
    }
    hash.absorb(spec.format.c_str());
    const std::vector<std::size_t> places = places_by_name(spec.channelnames);
    for (const std::size_t place : places) {
        hash.absorb(spec.channelnames[place]);
    }
    const std::size_t value_bytes = spec.format.size();
    const std::size_t pixel_bytes = value_bytes * places.size();
    return decode_rows(input, part, spec, spec.format, [&](u32, const u8* row) {
        for (std::size_t x = 0; x < static_cast<std::size_t>(spec.width); ++x) {
            for (const std::size_t place : places) {
                hash.absorb(bits_at(row + x * pixel_bytes + place * value_bytes, value_bytes));
            }
        }
    });
}

base::Result<std::string> decode_pixel_hash(const std::string& path) {
    base::Result<std::unique_ptr<OIIO::ImageInput>> input = open_exr(path);
    WEFT_TRY(input);
    OIIO::ImageInput& exr = *input.value();
    Hash128 hash;
    for (int part = 0; exr.seek_subimage(part, 0); ++part) {
        const OIIO::ImageSpec spec = exr.spec();
        if (part_name(spec) == kFilmPart) {
            continue;
        }
        if (!is_of_sane_size(spec) || spec.deep || spec.tile_width > 0 ||
            !spec.channelformats.empty() || (spec.format.size() != 2 && spec.format.size() != 4)) {
            return read_error(path, "a part that weft does not write", kExpectedExr);
        }
        if (!absorb_part(hash, exr, part, spec)) {
            return read_error(
                path, "pixels that cannot be decoded (" + exr.geterror() + ")", kExpectedExr);
        }
    }
    // Clear the message that asking beyond the last part leaves.
    static_cast<void>(exr.geterror());
    return hash.hex();
}

base::Result<std::string> decode_attribute(const std::string& path, std::string_view name) {
    const base::Result<std::unique_ptr<OIIO::ImageInput>> input = open_exr(path);
    WEFT_TRY(input);
    return std::string(
        input.value()->spec().get_string_attribute(OIIO::string_view(name.data(), name.size())));
}

base::Result<bool> decode_has_film(const std::string& path) {
    const base::Result<std::unique_ptr<OIIO::ImageInput>> input = open_exr(path);
    WEFT_TRY(input);
    return part_named(*input.value(), kFilmPart) >= 0;
}

// The sentence about one hash: it matches, or how it differs.
std::string verdict(const std::string& name,
                    const std::string& what,
                    const base::Result<std::string>& found,
                    const std::string& stated) {
    if (!found.is_ok()) {
        return name + ": " + what + " cannot be checked against " + stated + ": " +
               found.error().sentence;
    }
    if (found.value() == stated) {
        return name + ": " + what + " match the header (" + stated + ")";
    }
    return name + ": " + what + " hash to " + found.value() + ", but the header says " +
           (stated.empty() ? "nothing" : stated);
}

void check_film(const std::string& path, const std::string& stated, VerifyReport& report) {
    const base::Result<Film> film = read_film(path);
    const base::Result<std::string> found =
        film.is_ok() ? base::Result<std::string>(film.value().film_hash())
                     : base::Result<std::string>(film.error());
    report.film_hash_matches = found.is_ok() && found.value() == stated;
    report.film_hash = found.is_ok() ? found.value() : stated;
    report.sentences.push_back(
        verdict("film_hash", "the raw sums in the part weft.film", found, stated));
}

}  // namespace

base::Result<std::string> stored_pixel_hash(const std::string& path) {
    return guarded(path, [&] { return decode_pixel_hash(path); });
}

base::Result<std::string> stated_attribute(const std::string& path, std::string_view name) {
    return guarded(path, [&] { return decode_attribute(path, name); });
}

base::Result<VerifyReport> verify_image(const std::string& path) {
    const base::Result<std::string> stated_pixels = stated_attribute(path, kPixelHashName);
    const base::Result<std::string> stated_film = stated_attribute(path, kFilmHashName);
    const base::Result<bool> has_film = guarded(path, [&] { return decode_has_film(path); });
    if (!stated_pixels.is_ok() || !stated_film.is_ok()) {
        return stated_pixels.is_ok() ? stated_film.error() : stated_pixels.error();
    }
    WEFT_TRY(has_film);
    if (stated_pixels.value().empty() && stated_film.value().empty()) {
        return read_error(
            path, "no weft:pixel_hash and no weft:film_hash in its header", kExpectedExr);
    }
    VerifyReport report;
    const base::Result<std::string> pixels = stored_pixel_hash(path);
    report.pixel_hash_matches = pixels.is_ok() && pixels.value() == stated_pixels.value();
    report.sentences.push_back(
        verdict("pixel_hash", "the stored pixels", pixels, stated_pixels.value()));
    report.has_film = has_film.value();
    if (report.has_film) {
        check_film(path, stated_film.value(), report);
    } else {
        report.film_hash = stated_film.value();
        report.sentences.push_back(
            "film_hash: not checked, for the file has no part weft.film (--keep-film); below is "
            "what the header says");
    }
    return report;
}

}  // namespace weft::film
