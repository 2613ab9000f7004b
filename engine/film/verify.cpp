// verify.cpp — recomputes the hashes of an EXR of ours from its decoded values and compares them
// with its header.
#include <cstring>
#include <numeric>

#include "engine/film/decoding.h"
#include "engine/film/exr_parts.h"
#include "engine/film/film_hash.h"
#include "engine/film/image_file.h"

namespace weft::film {

namespace {

constexpr const char* kExpectedExr = "an EXR written by weft";

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

// The word for a type in the pixel hash; it must never change.
const char* hashed_name(image::ValueType type) {
    switch (type) {
        case image::ValueType::Half:
            return "half";
        case image::ValueType::Float:
            return "float";
        case image::ValueType::U32:
            return "uint";
        default:
            return nullptr;
    }
}

// Whether weft could have written the part.
bool is_part_of_ours(const image::Part& part) {
    return is_of_sane_size(part) && !part.is_deep && part.tile_width == 0 &&
           !part.has_mixed_types && hashed_name(part.type) != nullptr;
}

// Absorbs the current part. Returns false if it cannot be decoded.
bool absorb_part(Hash128& hash, image::ImageReader& input) {
    const image::Part& part = input.part();
    hash.absorb(part_name(input));
    for (const i32 number : {part.x,
                             part.y,
                             part.width,
                             part.height,
                             part.full_x,
                             part.full_y,
                             part.full_width,
                             part.full_height,
                             part.channel_count}) {
        absorb_number(hash, number);
    }
    hash.absorb(hashed_name(part.type));
    const std::vector<std::size_t> places = places_by_name(part.channel_names);
    for (const std::size_t place : places) {
        hash.absorb(part.channel_names[place]);
    }
    const std::size_t value_bytes = image::size_bytes(part.type);
    const std::size_t pixel_bytes = value_bytes * places.size();
    return decode_rows(input, part.type, [&](u32, const u8* row) {
        for (std::size_t x = 0; x < static_cast<std::size_t>(part.width); ++x) {
            for (const std::size_t place : places) {
                hash.absorb(bits_at(row + x * pixel_bytes + place * value_bytes, value_bytes));
            }
        }
    });
}

base::Result<std::string> decode_pixel_hash(const std::string& path) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_exr(path, kExpectedExr);
    WEFT_TRY(input);
    image::ImageReader& exr = *input.value();
    Hash128 hash;
    for (u32 part = 0; seek_part(exr, part); ++part) {
        if (is_film_part(part_name(exr))) {
            continue;
        }
        if (!is_part_of_ours(exr.part())) {
            return read_error(path, "a part that weft does not write", kExpectedExr);
        }
        if (!absorb_part(hash, exr)) {
            return read_error(
                path, "pixels that cannot be decoded (" + exr.error() + ")", kExpectedExr);
        }
    }
    return hash.hex();
}

// Whether each part can be decoded within the memory that is left. The writer does not ask for the
// parts that it reads back: it claimed their memory before the first sample.
base::Status check_decoders(const std::string& path) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_exr(path, kExpectedExr);
    WEFT_TRY(input);
    for (u32 part = 0; seek_part(*input.value(), part); ++part) {
        if (is_of_sane_size(input.value()->part())) {  // others are refused for their size
            WEFT_TRY(claim_decoder(path, *input.value()));
        }
    }
    return base::Done{};
}

base::Result<std::string> decode_attribute(const std::string& path, std::string_view name) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_exr(path, kExpectedExr);
    WEFT_TRY(input);
    return input.value()->text(std::string(name));
}

base::Result<bool> decode_has_film(const std::string& path) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_exr(path, kExpectedExr);
    WEFT_TRY(input);
    return seek_part_named(*input.value(), kFilmPart);
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

// The hash of the sums of a layer, which the film may lack.
base::Result<std::string> layer_hash(const std::string& path, const Film& film, Aov aov) {
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (film.aovs()[layer].aov == aov) {
            return film.aov_hash(layer);
        }
    }
    return read_error(path, "no part " + aov_film_part(aov), kExpectedExr);
}

// Compares the sums of each layer with the hash that the header has for it. Hashes of light groups
// go by the names of the groups: the record's hash covers those.
base::Status check_layers(const std::string& path, const Film& film, VerifyReport& report) {
    for (const Aov aov : kAllAovs) {
        const std::string name = std::string(kFilmHashName) + "." + aov_name(aov);
        const base::Result<std::string> stated = stated_attribute(path, name);
        WEFT_TRY(stated);
        const base::Result<std::string> found = layer_hash(path, film, aov);
        const bool matches = found.is_ok() && found.value() == stated.value();
        if (!stated.value().empty() && !matches) {
            report.layers_match = false;
            report.sentences.push_back(verdict(std::string("film_hash.") + aov_name(aov),
                                               "the raw sums of the layer",
                                               found,
                                               stated.value()));
        }
    }
    return base::Done{};
}

// Compares the record, and all sums that it is the record of, with its hash.
base::Status check_record(const std::string& path,
                          const base::Result<Film>& film,
                          VerifyReport& report) {
    const base::Result<std::string> text = stated_attribute(path, kRecordName);
    WEFT_TRY(text);
    const base::Result<std::string> stated = stated_attribute(path, kRecordHashName);
    WEFT_TRY(stated);
    if (text.value().empty() && stated.value().empty()) {
        return base::Done{};
    }
    const base::Result<std::string> found =
        film.is_ok() ? base::Result<std::string>(record_hash(text.value(), film.value()))
                     : base::Result<std::string>(film.error());
    const bool matches = found.is_ok() && found.value() == stated.value();
    report.layers_match = report.layers_match && matches;
    report.sentences.push_back(
        verdict("film_record", "the record and the raw sums of all layers", found, stated.value()));
    return base::Done{};
}

// The sums of the beauty may be whole where those of a layer are not.
base::Result<std::string> beauty_hash(const std::string& path, const base::Result<Film>& whole) {
    if (whole.is_ok()) {
        return whole.value().film_hash();
    }
    const base::Result<Film> film = read_film(path);
    WEFT_TRY(film);
    return film.value().film_hash();
}

// Error: the film does not fit into memory.
base::Status check_film(const std::string& path, const std::string& stated, VerifyReport& report) {
    const base::Result<Film> whole = read_whole_film(path);
    if (!whole.is_ok() && is_of_memory(whole.error())) {
        return whole.error();
    }
    const base::Result<std::string> found = beauty_hash(path, whole);
    report.film_hash_matches = found.is_ok() && found.value() == stated;
    report.film_hash = found.is_ok() ? found.value() : stated;
    report.sentences.push_back(
        verdict("film_hash", "the raw sums in the part weft.film", found, stated));
    if (whole.is_ok()) {
        WEFT_TRY(check_layers(path, whole.value(), report));
        return check_record(path, whole, report);
    }
    report.layers_match = false;
    if (found.is_ok()) {
        report.sentences.push_back("film_record: the raw sums of the layers cannot be checked: " +
                                   whole.error().sentence);
    }
    return base::Done{};
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
    WEFT_TRY(stated_pixels);
    WEFT_TRY(stated_film);
    WEFT_TRY(has_film);
    if (stated_pixels.value().empty() && stated_film.value().empty()) {
        return read_error(
            path, "no weft:pixel_hash and no weft:film_hash in its header", kExpectedExr);
    }
    VerifyReport report;
    WEFT_TRY(guarded(path, [&] { return check_decoders(path); }));
    const base::Result<std::string> pixels = stored_pixel_hash(path);
    if (!pixels.is_ok() && is_of_memory(pixels.error())) {
        return pixels.error();
    }
    // A blank stands where the writer had no memory left to read its pixels back.
    const bool is_blank = stated_pixels.value() == std::string(kHashDigits, '0');
    report.pixel_hash_matches =
        pixels.is_ok() && (is_blank || pixels.value() == stated_pixels.value());
    report.sentences.push_back(
        is_blank && pixels.is_ok()
            ? "pixel_hash: not checked, for memory ran out before the header got one; the stored "
              "pixels can be decoded"
            : verdict("pixel_hash", "the stored pixels", pixels, stated_pixels.value()));
    report.has_film = has_film.value();
    if (report.has_film) {
        WEFT_TRY(check_film(path, stated_film.value(), report));
    } else {
        report.film_hash = stated_film.value();
        report.sentences.push_back(
            "film_hash: not checked, for the file has no part weft.film (--keep-film); below is "
            "what the header says");
        WEFT_TRY(check_record(path, read_error(path, "no part weft.film", kExpectedExr), report));
    }
    const base::Result<std::string> bias = stated_attribute(path, kBiasName);
    WEFT_TRY(bias);
    if (!bias.value().empty()) {
        report.sentences.push_back("biased: " + bias.value());
    }
    return report;
}

}  // namespace weft::film
