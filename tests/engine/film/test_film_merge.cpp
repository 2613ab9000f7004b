// test_film_merge.cpp — films of parts of the samples add up to the film of all, whatever the
// order; and damaged, foreign or overlapping parts are refused.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/film/film_merge.h"
#include "engine/film/image_file.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::film {

namespace {

constexpr u32 kFilmWidth = 11;
constexpr u32 kFilmHeight = 7;
constexpr Region kFilmCrop{2, 1, 10, 6};

// A number of any size and sign from three, without a pattern; one in 50 is out of range.
float value_of(u32 pixel, u32 sample, u32 channel) {
    u32 bits = (pixel * 0x9e3779b1u) ^ (sample * 0x85ebca77u) ^ (channel * 0xc2b2ae3du);
    bits = (bits ^ (bits >> 15)) * 0x2c1b3c6du;
    bits ^= bits >> 13;
    const float size = bits % 50 == 0 ? 2e9F : static_cast<float>(1U << bits % 29);
    return (static_cast<float>(bits & 0xffffu) / 65536.0F - 0.3F) * size;
}

// The film of the samples [begin, end), added one by one: the reference.
SavedFilm film_of(
    u32 begin, u32 end, u32 wanted = 16, u32 slices = 4, const Region& crop = kFilmCrop) {
    // One of each kind.
    const std::vector<Aov> aovs = {
        Aov::Normal, Aov::Depth, Aov::Instance, Aov::CryptoObject, Aov::Samples, Aov::Noise};
    Film film(kFilmWidth, kFilmHeight, crop, aovs);
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const u32 pixel = y * kFilmWidth + x;
            for (u32 sample = begin; sample < end; ++sample) {
                std::array<float, kMostAovChannels> values{};
                for (u32 c = 0; c < values.size(); ++c) {
                    values[c] = value_of(pixel, sample, c);
                }
                if (film.add_sample(x, y, {values[0], values[1], values[2], values[3]})) {
                    for (u32 layer = 0; layer < aovs.size(); ++layer) {
                        film.add_aov(layer, x, y, values.data());
                        if (is_matte_aov(aovs[layer])) {
                            film.add_matte(layer, x, y, {1 + (pixel + sample) % 5, 1});
                        }
                    }
                }
                if (sample == 0 && pixel % 3 != 0) {
                    for (u32 layer = 0; layer < aovs.size(); ++layer) {
                        if (is_number_aov(aovs[layer])) {
                            film.set_number(layer, x, y, pixel);
                        }
                    }
                }
            }
        }
    }
    FilmRecord record;
    record.origin = {{"seed", "1"}, {"geometry", "00112233445566778899aabbccddeeff"}};
    record.ranges = {held_samples(film, begin)};
    record.samples_wanted = wanted;
    record.slices = slices;
    record.dropped_samples = dropped_samples(film);
    return {std::move(film), record};
}

std::string hashes_of(const Film& film) {
    std::string text = film.film_hash();
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        text += ' ' + film.aov_hash(layer);
    }
    return text;
}

SavedFilm merged(SavedFilm sum, const SavedFilm& part) {
    const base::Status status = merge_film(sum, "a.exr", part, "b.exr");
    CAPTURE(status.error().sentence);
    REQUIRE(status.is_ok());
    return sum;
}

std::string refusal_of(SavedFilm sum, const SavedFilm& part) {
    const base::Status status = merge_film(sum, "a.exr", part, "b.exr");
    REQUIRE(!status.is_ok());
    CHECK(status.error().kind == base::ErrorKind::Scene);
    return status.error().sentence;
}

base::Status write_exr_of(const std::string& path, const SavedFilm& saved) {
    ImageConfig config;
    config.keep_film = true;
    config.record = saved.record;
    return write_image(path, saved.film, config);
}

base::Status write_checkpoint_of(const std::string& path, const SavedFilm& saved) {
    std::vector<std::byte> bytes;
    encode_film_file(saved.film, saved.record, bytes);
    CHECK(bytes.size() == film_file_bytes(saved.film, saved.record));
    return write_film_file(path, bytes);
}

// Damages every `step`th byte in turn and cuts the file at it; each time reading must fail.
void check_damage(const std::string& path, std::size_t step) {
    const std::string whole = bytes_of(path);
    u32 accepted = 0;
    for (std::size_t at = 0; at < whole.size(); at += step) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
        put_bytes(path, bytes);
        const base::Result<SavedFilm> flipped = read_saved_film(path);
        accepted += flipped.is_ok() ? 1U : 0U;
        if (!flipped.is_ok()) {
            REQUIRE(flipped.error().sentence.find(path) == 0);
        }
        put_bytes(path, whole.substr(0, at));
        accepted += read_saved_film(path).is_ok() ? 1U : 0U;
    }
    put_bytes(path, whole + "x");
    accepted += read_saved_film(path).is_ok() ? 1U : 0U;
    CHECK(accepted == 0);
}

}  // namespace

TEST_SUITE("engine/film/merge") {
    TEST_CASE("parts in any order and nesting give every hash of the whole") {
        const SavedFilm whole = film_of(0, 16);
        CHECK(whole.record.dropped_samples > 0);
        std::array<u32, 4> order = {0, 1, 2, 3};
        do {
            SavedFilm row = film_of(4 * order[0], 4 * order[0] + 4);
            for (u32 k = 1; k < 4; ++k) {
                row = merged(std::move(row), film_of(4 * order[k], 4 * order[k] + 4));
            }
            CHECK(hashes_of(row.film) == hashes_of(whole.film));
            CHECK(row.record == whole.record);
            const auto pair = [&](u32 k) {
                return merged(film_of(4 * order[k], 4 * order[k] + 4),
                              film_of(4 * order[k + 1], 4 * order[k + 1] + 4));
            };
            CHECK(hashes_of(merged(pair(0), pair(2)).film) == hashes_of(whole.film));
        } while (std::next_permutation(order.begin(), order.end()));
    }

    TEST_CASE("missing samples are named by slice or by number") {
        CHECK(missing_of(film_of(0, 16).record).empty());
        const SavedFilm two = merged(film_of(4, 8), film_of(12, 16));
        CHECK(missing_of(two.record) == std::vector<std::string>{"slice 1/4 (samples 0 to 3)",
                                                                 "slice 3/4 (samples 8 to 11)"});
        SavedFilm cut = film_of(0, 5, 16, 1);
        CHECK(missing_of(cut.record) == std::vector<std::string>{"samples 5 to 15"});
        // Slices of several cuts.
        CHECK(missing_of(merged(film_of(0, 5, 16, 1), film_of(8, 16, 16, 2)).record) ==
              std::vector<std::string>{"samples 5 to 7"});
        CHECK(missing_of(film_of(0, 7).record) ==
              std::vector<std::string>{"sample 7 of slice 2/4",
                                       "slice 3/4 (samples 8 to 11)",
                                       "slice 4/4 (samples 12 to 15)"});
    }

    TEST_CASE("samples of an early end count as held for overlaps and as missing for the list") {
        FilmRecord record = film_of(0, 4).record;
        record.ranges = {{0, 2, 4}};
        CHECK(overlap_of(record, film_of(3, 4).record) == "sample 3");
        CHECK(missing_of(record).front() == "samples 2 to 3 of slice 1/4");
        join(record, film_of(4, 8).record);
        CHECK(record.ranges == std::vector<SampleRange>{{0, 2, 4}, {4, 8, 8}});
    }

    TEST_CASE("slices cover the samples once") {
        for (const u32 samples : {1U, 7U, 64U, 1U << 20}) {
            for (const u32 slices : {1U, 2U, 3U, 7U, 64U}) {
                u32 next = 0;
                for (u32 number = 1; number <= slices; ++number) {
                    const SampleRange range = slice_range(number, slices, samples);
                    CHECK(range.begin == next);
                    next = range.end;
                }
                CHECK(next == samples);
            }
        }
    }

    TEST_CASE("overlapping and foreign parts are refused with the difference") {
        CHECK(refusal_of(film_of(0, 4), film_of(3, 8)) ==
              "b.exr: sample 3, which the files before it hold already; expected parts with "
              "different samples");
        SavedFilm part = film_of(4, 8);
        part.record.origin[0].second = "2";
        CHECK(refusal_of(film_of(0, 4), part)
                  .find("b.exr: a part of another picture than a.exr "
                        "(seed is 1 there and 2 here)") == 0);
        part.record.origin = film_of(0, 4).record.origin;
        part.record.origin[1].second[0] = 'f';
        CHECK(refusal_of(film_of(0, 4), part).find("(another geometry)") != std::string::npos);
        part.record.origin.pop_back();
        CHECK(refusal_of(film_of(0, 4), part).find("(another geometry)") != std::string::npos);
        const SavedFilm other{Film(kFilmWidth, kFilmHeight, kFilmCrop, {}), film_of(4, 8).record};
        CHECK(refusal_of(film_of(0, 4), other).find("(another film)") != std::string::npos);
    }

    TEST_CASE("parts of one picture may differ in the camera's name and the first one counts") {
        SavedFilm unnamed = film_of(0, 4);
        SavedFilm named = film_of(4, 8);
        named.record.camera_name = "left";
        CHECK(merged(std::move(unnamed), named).record.camera_name == "left");
        SavedFilm other = film_of(8, 12);
        other.record.camera_name = "right";
        CHECK(merged(std::move(named), other).record.camera_name == "left");
    }

    TEST_CASE("a record survives as text and no other text is a record") {
        FilmRecord record = merged(film_of(0, 4), film_of(8, 12)).record;
        record.origin.emplace_back("list of hidden objects", "a\nb\\n c=d\\");
        record.origin.emplace_back("list of clip planes", "");
        record.camera_name = "wide\n\\angle";
        CHECK(record_of(text_of(record)) == record);
        for (const char* text : {"",
                                 "weft film record 2",
                                 "weft film record 1\nnothing 3",
                                 "weft film record 1\nwanted -1",
                                 "weft film record 1\nsamples 4 8",
                                 "weft film record 1\nsamples 4 8 7",
                                 "weft film record 1\nsamples 4 8 8\nsamples 7 9 9",
                                 "weft film record 1\norigin =3"}) {
            CHECK(!record_of(text).has_value());
        }
    }

    TEST_CASE("a checkpoint tells the stop rules of a render that one of them ended") {
        const TestFolder folder;
        const std::string path = folder.file("a.checkpoint");
        const SavedFilm saved = film_of(0, 4);
        for (const std::string rules : {"", "spp 4, noise 0, seconds 0"}) {
            std::vector<std::byte> bytes;
            encode_film_file(saved.film, saved.record, bytes, rules);
            REQUIRE(write_film_file(path, bytes).is_ok());
            const base::Result<std::string> told = read_finished_by(path);
            REQUIRE(told.is_ok());
            CHECK(told.value() == rules);
            const base::Result<SavedFilm> whole = read_film_file(path);
            REQUIRE(whole.is_ok());
            CHECK(whole.value().record == saved.record);
            CHECK(hashes_of(whole.value().film) == hashes_of(saved.film));
        }
        put_bytes(path, bytes_of(path).substr(0, 100));
        CHECK(!read_finished_by(path).is_ok());
    }

    TEST_CASE("an EXR and a checkpoint give back the film with its layers and its record") {
        const TestFolder folder;
        const SavedFilm saved = film_of(4, 8);
        for (const std::string name : {"a.exr", "a.checkpoint"}) {
            const std::string path = folder.file(name);
            const bool is_checkpoint = name == "a.checkpoint";
            REQUIRE((is_checkpoint ? write_checkpoint_of(path, saved) : write_exr_of(path, saved))
                        .is_ok());
            CHECK(is_film_file(path) == is_checkpoint);
            const base::Result<SavedFilm> read = read_saved_film(path);
            CAPTURE(read.error().sentence);
            REQUIRE(read.is_ok());
            CHECK(hashes_of(read.value().film) == hashes_of(saved.film));
            CHECK(read.value().record == saved.record);
        }
        const base::Result<SavedFilm> read = read_saved_film(folder.file("a.checkpoint"));
        for (u32 x = kFilmCrop.x0; x < kFilmCrop.x1; ++x) {
            CHECK(read.value().film.samples_tried(x, 3) == 4);
        }
        CHECK(verify_image(folder.file("a.exr")).value().pixel_hash_matches);
    }

    TEST_CASE("every damaged byte and every cut of a checkpoint is refused") {
        const TestFolder folder;
        const std::string path = folder.file("a.checkpoint");
        // Two rows of pixels: the time grows as the square of the file's bytes.
        REQUIRE(write_checkpoint_of(path, film_of(0, 4, 16, 4, {2, 1, 5, 3})).is_ok());
        check_damage(path, 1);
    }

    TEST_CASE("files without sums or without a record are refused") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        ImageConfig config;
        REQUIRE(write_image(path, film_of(0, 4).film, config).is_ok());
        CHECK(read_saved_film(path).error().sentence.find("no weft:film_record") !=
              std::string::npos);
        config.keep_film = true;
        REQUIRE(write_image(path, film_of(0, 4).film, config).is_ok());
        CHECK(!read_saved_film(path).is_ok());
        CHECK(!read_saved_film(folder.file("none.exr")).is_ok());
        put_bytes(path, "no picture");
        CHECK(!read_saved_film(path).is_ok());
    }

    TEST_CASE("damage in a slice is refused or touches no sum and no sample number") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        const SavedFilm saved = film_of(0, 4);
        REQUIRE(write_exr_of(path, saved).is_ok());
        const std::string whole = bytes_of(path);
        u32 refused = 0;
        for (std::size_t at = 0; at < whole.size(); at += 31) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
            put_bytes(path, bytes);
            const base::Result<SavedFilm> read = read_saved_film(path);
            refused += read.is_ok() ? 0U : 1U;
            if (read.is_ok()) {
                // Without a part's name its layer is not found, and the film is not alike.
                REQUIRE(hashes_of(read.value().film) == hashes_of(saved.film));
                REQUIRE(read.value().record == saved.record);
            }
        }
        CHECK(refused > 20);
    }
}

}  // namespace weft::film
