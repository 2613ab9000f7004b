// film_reader.cpp — the raw sums of an EXR, read back: for merging, for verify, and for the writer
// that checks its own file.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/film/decoding.h"
#include "engine/film/exr_parts.h"
#include "engine/film/film_hash.h"
#include "scheduler/base/memory_limit.h"

namespace weft::film {

namespace {

constexpr const char* kExpectedFilm = "an EXR written with --keep-film";
constexpr const char* kExpectedSlice =
    "a whole EXR of --slice or --keep-film, a merged one or a checkpoint";

std::string size_text(u32 width, u32 height) {
    std::string text = std::to_string(width);
    text += 'x';
    text += std::to_string(height);
    return text;
}

bool fits(const image::Part& part, const std::vector<std::string>& channels) {
    return is_of_sane_size(part) && part.type == image::ValueType::U32 && part.x >= 0 &&
           part.y >= 0 && part.full_x == 0 && part.full_y == 0 &&
           i64{part.x} + part.width <= part.full_width &&
           i64{part.y} + part.height <= part.full_height &&
           part.channel_count == static_cast<i32>(channels.size()) &&
           std::is_permutation(channels.begin(), channels.end(), part.channel_names.begin());
}

// Opens the file at a part with raw sums.
base::Result<std::unique_ptr<image::ImageReader>> open_part(
    const std::string& path, const std::string& name, const std::vector<std::string>& channels) {
    base::Result<std::unique_ptr<image::ImageReader>> input =
        open_exr(path, "an EXR with the part weft.film");
    WEFT_TRY(input);
    if (!seek_part_named(*input.value(), name) || !fits(input.value()->part(), channels)) {
        return read_error(path, "no part " + name + " that fits the picture", kExpectedFilm);
    }
    return input;
}

// Decodes the part row by row into words in the order of `channels`: OpenImageIO may sort them.
template <typename TakeRow>
base::Status decode_words(const std::string& path,
                          image::ImageReader& input,
                          const std::vector<std::string>& channels,
                          const TakeRow& take_row) {
    const image::Part& part = input.part();
    std::vector<std::size_t> places;
    for (const std::string& channel : channels) {
        const auto found = std::find(part.channel_names.begin(), part.channel_names.end(), channel);
        places.push_back(static_cast<std::size_t>(found - part.channel_names.begin()));
    }
    std::vector<u32> words(static_cast<std::size_t>(part.width) * places.size());
    const bool is_decoded = decode_rows(input, image::ValueType::U32, [&](u32 y, const u8* row) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::size_t place = i / places.size() * places.size() + places[i % places.size()];
            std::memcpy(&words[i], row + place * sizeof(u32), sizeof(u32));
        }
        take_row(y, words);
    });
    return is_decoded ? base::Status(base::Done{})
                      : base::Status(read_error(path,
                                                "the part " + part_name(input) +
                                                    " cannot be decoded (" + input.error() + ")",
                                                "a whole image file (.exr)"));
}

// An empty film of the part's size.
base::Result<Film> film_of_part(const std::string& path,
                                const image::Part& part,
                                const std::vector<Aov>& aovs) {
    const auto number = [](int value) { return static_cast<u32>(value); };
    Film film(
        number(part.full_width),
        number(part.full_height),
        {number(part.x), number(part.y), number(part.x + part.width), number(part.y + part.height)},
        aovs);
    if (!film.is_allocated()) {
        return base::Error{base::ErrorKind::Memory,
                           path + ": no memory for its film; expected room for it"};
    }
    return film;
}

// The AOVs whose sums the file holds.
base::Result<std::vector<Aov>> stored_aovs(const std::string& path) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_exr(path, kExpectedFilm);
    WEFT_TRY(input);
    std::vector<Aov> aovs;
    for (u32 part = 0; seek_part(*input.value(), part); ++part) {
        const std::string name = part_name(*input.value());
        for (const Aov aov : kAllAovs) {
            if (name == aov_film_part(aov)) {
                aovs.push_back(aov);
            }
        }
    }
    return aovs;
}

base::Result<Film> decode_film(const std::string& path, const std::vector<Aov>& aovs) {
    const base::Result<std::unique_ptr<image::ImageReader>> input =
        open_part(path, std::string(kFilmPart), film_channels());
    WEFT_TRY(input);
    const image::Part& part = input.value()->part();
    const u64 pixels = static_cast<u64>(part.width) * static_cast<u64>(part.height);
    const u64 word_count = pixels * kRawWords;
    // Claim memory for the words and for the film made from them, which also counts dropped
    // samples.
    const base::Result<base::MemoryClaim> claim = base::claim_memory(
        ((2 + 3 * aovs.size()) * word_count + pixels) * sizeof(u32), path + ": its film");
    WEFT_TRY(claim);
    const base::Result<base::MemoryClaim> decoder_claim = claim_decoder(path, *input.value());
    WEFT_TRY(decoder_claim);
    base::Result<Film> film = film_of_part(path, part, aovs);
    WEFT_TRY(film);
    std::vector<u32> words;
    words.reserve(word_count);
    WEFT_TRY(
        decode_words(path, *input.value(), film_channels(), [&](u32, const std::vector<u32>& row) {
            words.insert(words.end(), row.begin(), row.end());
        }));
    ENSURE(film.value().set_raw_words(words), ==, true);
    return film;
}

// The channels of a layer's raw sums, of which a part of mattes says how many there are.
base::Result<std::vector<std::string>> stored_channels(const std::string& path, Aov aov) {
    if (!is_matte_aov(aov)) {
        return aov_film_channels(aov, 0);
    }
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_exr(path, kExpectedFilm);
    WEFT_TRY(input);
    const std::string name = aov_film_part(aov);
    const bool is_there = seek_part_named(*input.value(), name);
    const i32 channels = is_there ? input.value()->part().channel_count : 0;
    if (channels < 1 || channels > static_cast<i32>(kMostMatteChannels)) {
        return read_error(path, "no part " + name + " that fits the picture", kExpectedFilm);
    }
    return aov_film_channels(aov, static_cast<u32>(channels));
}

// Adds the sums of the film's layers.
base::Status decode_layers(const std::string& path, Film& film) {
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        const Aov aov = film.aovs()[layer].aov;
        const base::Result<std::vector<std::string>> channels = stored_channels(path, aov);
        WEFT_TRY(channels);
        const base::Result<std::unique_ptr<image::ImageReader>> input =
            open_part(path, aov_film_part(aov), channels.value());
        WEFT_TRY(input);
        const image::Part& part = input.value()->part();
        const auto width = static_cast<u32>(part.width);
        const auto height = static_cast<u32>(part.height);
        if (width != film.crop().width() || height != film.crop().height()) {
            std::string found = "the part ";
            found += aov_film_part(aov);
            found += " of " + size_text(width, height) + " pixels beside a film of ";
            found += size_text(film.crop().width(), film.crop().height());
            return read_error(path, std::move(found), kExpectedSlice);
        }
        const base::Result<base::MemoryClaim> claim = claim_decoder(path, *input.value());
        WEFT_TRY(claim);
        bool is_whole = true;
        WEFT_TRY(decode_words(
            path, *input.value(), channels.value(), [&](u32 y, const std::vector<u32>& row) {
                is_whole = is_whole && film.set_raw_aov_row(layer, film.crop().y0 + y, row);
            }));
        if (!is_whole) {
            return read_error(path, "damaged sums in " + aov_film_part(aov), kExpectedSlice);
        }
    }
    return base::Done{};
}

// An error unless the words of the part are those that `expected_row` writes.
template <typename ExpectedRow>
base::Status compare_part(const std::string& path,
                          const std::string& name,
                          const std::vector<std::string>& channels,
                          const Film& film,
                          const ExpectedRow& expected_row) {
    const base::Result<std::unique_ptr<image::ImageReader>> input = open_part(path, name, channels);
    WEFT_TRY(input);
    const image::Part& part = input.value()->part();
    bool is_equal = static_cast<u32>(part.width) == film.crop().width() &&
                    static_cast<u32>(part.height) == film.crop().height();
    std::vector<u32> wanted(film.crop().width() * channels.size());
    if (is_equal) {
        WEFT_TRY(
            decode_words(path, *input.value(), channels, [&](u32 y, const std::vector<u32>& row) {
                expected_row(film.crop().y0 + y, std::span(wanted));
                is_equal = is_equal && row == wanted;
            }));
    }
    return is_equal ? base::Status(base::Done{})
                    : base::Status(read_error(path, "other raw sums", "those of the film"));
}

base::Status compare_film(const std::string& path,
                          const Film& film,
                          const std::vector<u32>& layers) {
    WEFT_TRY(compare_part(
        path, std::string(kFilmPart), film_channels(), film, [&](u32 y, std::span<u32> words) {
            film.raw_row(y, words.data());
        }));
    for (const u32 layer : layers) {
        const Aov aov = film.aovs()[layer].aov;
        WEFT_TRY(
            compare_part(path,
                         aov_film_part(aov),
                         aov_film_channels(aov, aov_film_channel_count(film, layer)),
                         film,
                         [&](u32 y, std::span<u32> words) { film.raw_aov_row(layer, y, words); }));
    }
    return base::Done{};
}

base::Result<Film> decode_whole_film(const std::string& path) {
    const base::Result<std::vector<Aov>> aovs = stored_aovs(path);
    WEFT_TRY(aovs);
    base::Result<Film> film = decode_film(path, aovs.value());
    WEFT_TRY(film);
    WEFT_TRY(decode_layers(path, film.value()));
    return film;
}

base::Result<SavedFilm> decode_saved_film(const std::string& path) {
    const base::Result<std::string> text = stated_attribute(path, kRecordName);
    WEFT_TRY(text);
    const base::Result<std::string> stated = stated_attribute(path, kRecordHashName);
    WEFT_TRY(stated);
    if (text.value().empty()) {
        return read_error(
            path, "no weft:film_record in its header, which tells its samples", kExpectedSlice);
    }
    base::Result<Film> film = decode_whole_film(path);
    WEFT_TRY(film);
    std::optional<FilmRecord> record = record_of(text.value());
    if (!record || record_hash(text.value(), film.value()) != stated.value()) {
        return read_error(
            path, "damaged sums or a damaged record (their hash differs)", kExpectedSlice);
    }
    base::Result<std::string> threshold = stated_attribute(path, kNoiseThresholdName);
    WEFT_TRY(threshold);
    return SavedFilm{std::move(film.value()), std::move(*record), std::move(threshold.value())};
}

}  // namespace

std::string record_hash(std::string_view record_text, const Film& film) {
    Hash128 hash;
    hash.absorb(record_text);
    hash.absorb(film.film_hash());
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        hash.absorb(film.aov_hash(layer));
    }
    return hash.hex();
}

base::Status check_stored_film(const std::string& path,
                               const Film& film,
                               const std::vector<u32>& layers) {
    return guarded(path, [&] { return compare_film(path, film, layers); });
}

base::Result<Film> read_film(const std::string& path) {
    return guarded(path, [&] { return decode_film(path, {}); });
}

base::Result<Film> read_whole_film(const std::string& path) {
    return guarded(path, [&] { return decode_whole_film(path); });
}

base::Result<SavedFilm> read_exr_film(const std::string& path) {
    return guarded(path, [&] { return decode_saved_film(path); });
}

}  // namespace weft::film
