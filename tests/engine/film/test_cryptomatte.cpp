// test_cryptomatte.cpp — ids, lists and ranks of names, and the files that hold them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/film/cryptomatte.h"
#include "engine/film/film_merge.h"
#include "engine/film/image_file.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::film {

namespace {

constexpr u32 kWidth = 9;
constexpr u32 kHeight = 5;
constexpr Region kCrop{1, 0, 8, 5};
constexpr u32 kSamples = 24;

float id_of(std::string_view name) {
    return std::bit_cast<float>(matte_id(name));
}

std::string object_name(u32 number) {
    return "object \"" + std::to_string(number) + "\"";
}

// The name that a sample hits; pixels differ in how many there are, up to kSamples. 0: none.
u32 hit_of(u32 x, u32 y, u32 sample) {
    const u32 names = 1 + (x * 5 + y * 7) % kSamples;
    const u32 bits = (sample * 0x9e3779b1u) ^ (x * 0x85ebca77u) ^ (y * 0xc2b2ae3du);
    return sample % 11 == 3 ? 0 : 1 + (bits >> 16) % names;
}

void add_sample(Film& film, u32 x, u32 y, u32 sample) {
    film.add_sample(x, y, {1, 1, 1, hit_of(x, y, sample) != 0 ? 1.0F : 0.0F});
    if (const u32 hit = hit_of(x, y, sample); hit != 0) {
        film.add_matte(0, x, y, {matte_id(object_name(hit)), 1});
        film.add_matte(1, x, y, {matte_id(object_name(hit % 2)), 1});
    }
}

MatteNames all_names() {
    MatteNames names;
    for (u32 number = 0; number <= kSamples + 3; ++number) {
        names.push_back({Aov::CryptoObject, object_name(number)});
        names.push_back({Aov::CryptoMaterial, object_name(number)});
    }
    std::sort(names.begin(), names.end());
    return names;
}

// The samples [begin, end) of every pixel.
SavedFilm film_of(u32 begin, u32 end) {
    Film film(kWidth, kHeight, kCrop, {Aov::CryptoObject, Aov::CryptoMaterial});
    for (u32 y = kCrop.y0; y < kCrop.y1; ++y) {
        for (u32 x = kCrop.x0; x < kCrop.x1; ++x) {
            for (u32 sample = begin; sample < end; ++sample) {
                add_sample(film, x, y, sample);
            }
        }
    }
    FilmRecord record;
    record.origin = {{"seed", "1"}};
    record.ranges = {held_samples(film, begin)};
    record.samples_wanted = kSamples;
    record.names = all_names();
    return {std::move(film), record};
}

std::string hashes_of(const Film& film) {
    return film.film_hash() + film.aov_hash(0) + film.aov_hash(1);
}

void write_exr(const std::string& path, const SavedFilm& saved, u32 ranks = kMatteRanks) {
    ImageConfig config;
    config.keep_film = true;
    config.record = saved.record;
    config.matte_names = saved.record.names;
    config.matte_ranks = ranks;
    config.is_half = true;
    config.compression = ExrCompression::Dwaa;
    const base::Status written = write_image(path, saved.film, config);
    INFO(written.error().sentence);
    REQUIRE(written.is_ok());
}

// The pixels of the part of that name: four floats each.
std::vector<float> part_of(const std::string& path, const std::string& name) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    for (int part = 0; input->seek_subimage(part, 0); ++part) {
        const OIIO::ImageSpec spec = input->spec();
        if (std::string(spec.get_string_attribute("oiio:subimagename")) == name) {
            CHECK(spec.format == OIIO::TypeDesc::FLOAT);
            CHECK(spec.channelnames ==
                  std::vector<std::string>{name + ".R", name + ".G", name + ".B", name + ".A"});
            std::vector<float> pixels(spec.image_pixels() * 4);
            REQUIRE(input->read_image(part, 0, 0, 4, OIIO::TypeDesc::FLOAT, pixels.data()));
            return pixels;
        }
    }
    FAIL("no part " << name);
    return {};
}

std::string attribute_of(const std::string& path, const std::string& name) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    return std::string(input->spec().get_string_attribute(name));
}

}  // namespace

TEST_SUITE("engine/film/cryptomatte") {
    TEST_CASE("names have the ids that the specification's reference gives them") {
        // MurmurHash3_x86_32 with seed 0: tails of none to three bytes.
        CHECK(murmur3("") == 0);
        CHECK(murmur3("a") == 0x3c2569b2u);
        CHECK(murmur3("hello") == 0x248bfa47u);
        CHECK(murmur3("hello, world") == 0x149bbb7fu);
        CHECK(murmur3("The quick brown fox jumps over the lazy dog") == 0x2e4ff723u);
        // The ids in the unit tests of Psyop's Cryptomatte.
        CHECK(id_of("hello") == 6.0705627102400005616e-17F);
        CHECK(id_of("cube") == -4.08461912519e+15F);
        CHECK(id_of("sphere") == 2.79018604383e+15F);
        CHECK(id_of("plane") == 3.66557617593e-11F);
        CHECK(id_of("\xd1\x80\xd0\xb0\xd0\xb2\xd0\xbd\xd0\xb8\xd0\xbd\xd0\xb0") ==
              -1.3192631212399999468e-25F);
        CHECK(id_of("m\xc3\xa4"
                    "dchen") == 6.2361298211599995797e+25F);
    }

    TEST_CASE("no id is zero, denormal, infinite or NaN") {
        u32 changed = 0;
        for (u32 k = 0; k < 100000; ++k) {
            const std::string name = "n" + std::to_string(k);
            const u32 id = matte_id(name);
            REQUIRE(std::isnormal(std::bit_cast<float>(id)));
            // Where the exponent is usual, the id is the hash; else its lowest bit differs.
            changed += id != murmur3(name) ? 1U : 0U;
            REQUIRE((id ^ murmur3(name)) == (id != murmur3(name) ? 1U << 23 : 0U));
        }
        CHECK(changed > 500);  // two exponents of 256: 781 are expected
        CHECK(changed < 1100);
        CHECK(matte_id("") == 1U << 23);
    }

    TEST_CASE("names for a manifest are UTF-8 and not empty") {
        CHECK(matte_name("") == "unnamed");
        CHECK(matte_name("m\xc3\xa4") == "m\xc3\xa4");
        CHECK(matte_name("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
        const std::string bad = "\xef\xbf\xbd";
        CHECK(matte_name("a\xff") == "a" + bad);
        CHECK(matte_name("\xc3") == bad);
        CHECK(matte_name("\xc3z") == bad + "z");
        CHECK(matte_name("\xc0\x80") == bad + bad);                      // overlong
        CHECK(matte_name("\xed\xa0\x80") == bad + bad + bad);            // a surrogate
        CHECK(matte_name("\xf4\x90\x80\x80") == bad + bad + bad + bad);  // beyond U+10FFFF
    }

    TEST_CASE("the manifest is JSON and leads from each name to its id") {
        const std::vector<std::string> texts = {"",
                                                "plain",
                                                "with \"quotes\" and \\",
                                                "line\nend\ttab",
                                                std::string("a\0b", 3),
                                                "m\xc3\xa4"};
        MatteNames names;
        for (const std::string& text : texts) {
            names.push_back({Aov::CryptoMaterial, text});
        }
        names.push_back({Aov::CryptoObject, "of another layer"});
        std::sort(names.begin(), names.end());
        const auto attributes = matte_metadata(Aov::CryptoMaterial, names);
        REQUIRE(attributes.size() == 4);
        std::map<std::string, std::string> values(attributes.begin(), attributes.end());
        char key[32];
        std::snprintf(key, sizeof key, "%08x", matte_id("crypto_material"));
        const std::string before = "cryptomatte/" + std::string(key, 7) + '/';
        CHECK(values[before + "name"] == "crypto_material");
        CHECK(values[before + "hash"] == "MurmurHash3_32");
        CHECK(values[before + "conversion"] == "uint32_to_float32");
        const auto manifest = nlohmann::json::parse(values[before + "manifest"], nullptr, false);
        REQUIRE(manifest.is_object());
        CHECK(manifest.size() == texts.size());
        for (const std::string& text : texts) {
            CAPTURE(text);
            char hex[16];
            std::snprintf(hex, sizeof hex, "%08x", matte_id(text));
            REQUIRE(manifest.contains(text));
            CHECK(manifest.at(text).get<std::string>() == hex);
        }
        CHECK(matte_metadata(Aov::CryptoAsset, {})[3].second == "{}");
    }

    TEST_CASE("ranks fall by coverage, equal ones stand in the order of ids") {
        std::vector<MatteCount> list = {{9, 2}, {5, 7}, {7, 2}, {8, 4}};
        std::array<float, 4> values{};
        matte_ranks(list, 15, 0, values.data());
        CHECK(std::bit_cast<u32>(values[0]) == 5);
        CHECK(values[1] == 7.0F / 15.0F);
        CHECK(std::bit_cast<u32>(values[2]) == 8);
        CHECK(values[3] == 4.0F / 15.0F);
        matte_ranks(list, 15, 1, values.data());
        CHECK(std::bit_cast<u32>(values[0]) == 7);
        CHECK(std::bit_cast<u32>(values[2]) == 9);
        matte_ranks(list, 15, 2, values.data());
        CHECK(values == std::array<float, 4>{});
        CHECK(matte_parts(Aov::CryptoAsset, 5) ==
              std::vector<std::string>{"crypto_asset00", "crypto_asset01", "crypto_asset02"});
    }

    TEST_CASE("lists do not depend on the order of samples nor on threads") {
        const SavedFilm forwards = film_of(0, kSamples);
        Film backwards(kWidth, kHeight, kCrop, {Aov::CryptoObject, Aov::CryptoMaterial});
        std::vector<std::jthread> threads;
        for (u32 y = kCrop.y0; y < kCrop.y1; ++y) {
            threads.emplace_back([&backwards, y] {
                for (u32 sample = kSamples; sample-- > 0;) {
                    for (u32 x = kCrop.x0; x < kCrop.x1; ++x) {
                        add_sample(backwards, x, y, sample);
                    }
                }
            });
        }
        threads.clear();
        CHECK(hashes_of(backwards) == hashes_of(forwards.film));
        // Every list holds what the samples hit.
        std::vector<MatteCount> list;
        std::size_t longest = 0;
        for (u32 y = kCrop.y0; y < kCrop.y1; ++y) {
            for (u32 x = kCrop.x0; x < kCrop.x1; ++x) {
                std::map<u32, u32> wanted;
                for (u32 sample = 0; sample < kSamples; ++sample) {
                    const u32 hit = hit_of(x, y, sample);
                    wanted[hit == 0 ? 0 : matte_id(object_name(hit))] += 1;
                }
                wanted.erase(0);
                backwards.matte_list(0, x, y, list);
                REQUIRE(list.size() == wanted.size());
                for (const MatteCount& count : list) {
                    REQUIRE(wanted.at(count.id) == count.samples);
                }
                longest = std::max(longest, list.size());
            }
        }
        CHECK(longest > 3 + 7);  // beyond the first block
        // One more sample of one name changes its layer's hash alone.
        const std::string object = backwards.aov_hash(0);
        const std::string material = backwards.aov_hash(1);
        backwards.add_matte(0, 3, 2, {matte_id("one more"), 1});
        CHECK(backwards.aov_hash(0) != object);
        CHECK(backwards.aov_hash(1) == material);
    }

    TEST_CASE("an EXR holds ranked coverage as floats that add up to alpha") {
        const TestFolder folder;
        const SavedFilm saved = film_of(0, kSamples);
        const std::string path = folder.file("a.exr");
        write_exr(path, saved, kMostMatteRanks);
        std::vector<std::vector<float>> parts;
        for (const std::string& name : matte_parts(Aov::CryptoObject, kMostMatteRanks)) {
            parts.push_back(part_of(path, name));
        }
        for (std::size_t pixel = 0; pixel < parts[0].size() / 4; ++pixel) {
            const u32 x = kCrop.x0 + static_cast<u32>(pixel % kCrop.width());
            const u32 y = kCrop.y0 + static_cast<u32>(pixel / kCrop.width());
            double sum = 0;
            float last = 1;
            for (const std::vector<float>& part : parts) {
                for (const std::size_t channel : {1U, 3U}) {
                    const float coverage = part[4 * pixel + channel];
                    REQUIRE(coverage <= last);
                    last = coverage;
                    sum += static_cast<double>(coverage);
                }
            }
            REQUIRE(sum ==
                    doctest::Approx(static_cast<double>(saved.film.pixel(x, y)[3])).epsilon(1e-6));
        }
        // A name that is picked has the coverage of its samples.
        const float wanted = id_of(object_name(2));
        const std::size_t pixel = 3 + 2 * kCrop.width();
        float coverage = 0;
        for (const std::vector<float>& part : parts) {
            coverage += part[4 * pixel] == wanted ? part[4 * pixel + 1] : 0;
            coverage += part[4 * pixel + 2] == wanted ? part[4 * pixel + 3] : 0;
        }
        u32 hits = 0;
        for (u32 sample = 0; sample < kSamples; ++sample) {
            hits += hit_of(4, 2, sample) == 2 ? 1U : 0U;
        }
        CHECK(hits > 0);
        CHECK(coverage == static_cast<float>(hits) / kSamples);
        // Fewer ranks are the first of them.
        write_exr(folder.file("two.exr"), saved, 2);
        CHECK(part_of(folder.file("two.exr"), "crypto_object00") == parts[0]);
    }

    TEST_CASE("manifests name what the picture shows and no more") {
        const TestFolder folder;
        const SavedFilm saved = film_of(0, kSamples);
        const std::string path = folder.file("a.exr");
        write_exr(path, saved);
        char key[32];
        std::snprintf(key, sizeof key, "%08x", matte_id("crypto_object"));
        const std::string text =
            attribute_of(path, "cryptomatte/" + std::string(key, 7) + "/manifest");
        const auto manifest = nlohmann::json::parse(text, nullptr, false);
        REQUIRE(manifest.is_object());
        CHECK(manifest.contains(object_name(1)));
        CHECK(!manifest.contains(object_name(0)));
        CHECK(!manifest.contains(object_name(kSamples + 3)));
        const base::Result<VerifyReport> report = verify_image(path);
        REQUIRE(report.is_ok());
        CHECK(report.value().pixel_hash_matches);
    }

    TEST_CASE("parts from files of both kinds add up to the file of one render") {
        const TestFolder folder;
        const SavedFilm whole = film_of(0, kSamples);
        write_exr(folder.file("whole.exr"), whole);
        write_exr(folder.file("first.exr"), film_of(0, 7));
        write_exr(folder.file("second.exr"), film_of(7, 16));
        const SavedFilm third = film_of(16, kSamples);
        std::vector<std::byte> bytes;
        encode_film_file(third.film, third.record, bytes);
        CHECK(bytes.size() == film_file_bytes(third.film, third.record));
        REQUIRE(write_film_file(folder.file("third"), bytes).is_ok());
        base::Result<SavedFilm> sum = read_saved_film(folder.file("third"));
        INFO(sum.error().sentence);
        REQUIRE(sum.is_ok());
        CHECK(hashes_of(sum.value().film) == hashes_of(third.film));
        CHECK(sum.value().record == third.record);
        for (const char* name : {"first.exr", "second.exr"}) {
            const base::Result<SavedFilm> part = read_saved_film(folder.file(name));
            INFO(part.error().sentence);
            REQUIRE(part.is_ok());
            REQUIRE(merge_film(sum.value(), "third", part.value(), name).is_ok());
        }
        CHECK(hashes_of(sum.value().film) == hashes_of(whole.film));
        // A file names the second in which it was written: a second try has both in one.
        bool is_same = false;
        for (u32 attempt = 0; attempt < 3 && !is_same; ++attempt) {
            write_exr(folder.file("merged.exr"), sum.value());
            write_exr(folder.file("whole.exr"), whole);
            is_same = bytes_of(folder.file("merged.exr")) == bytes_of(folder.file("whole.exr"));
        }
        CHECK(is_same);
    }

    TEST_CASE("words that are no row of lists are refused") {
        Film film(2, 1, {0, 0, 2, 1}, {Aov::CryptoObject});
        for (u32 sample = 0; sample < 3; ++sample) {
            film.add_sample(0, 0, {1, 1, 1, 1});
            film.add_sample(1, 0, {1, 1, 1, 1});
        }
        using Words = std::vector<u32>;
        const auto is_taken = [&](const Words& words) {
            Film copy(2, 1, {0, 0, 2, 1}, {Aov::CryptoObject});
            copy.add(film);
            return copy.set_matte_words(0, words);
        };
        CHECK(is_taken({0, 0}));
        CHECK(is_taken({1, 7, 3, 0}));
        CHECK(is_taken({2, 7, 1, 8, 2, 1, 7, 3}));
        CHECK(!is_taken({}));
        CHECK(!is_taken({0}));
        CHECK(!is_taken({0, 0, 0}));           // more words
        CHECK(!is_taken({1, 7, 4, 0}));        // more samples than the pixel has
        CHECK(!is_taken({2, 7, 2, 8, 2, 0}));  // together, too
        CHECK(!is_taken({1, 0, 1, 0}));        // no id
        CHECK(!is_taken({1, 7, 0, 0}));        // no sample
        CHECK(!is_taken({2, 8, 1, 7, 1, 0}));  // ids do not rise
        CHECK(!is_taken({~0U, 7, 1, 0}));
        CHECK(!is_taken({2, 7, 1, 0}));
    }

    TEST_CASE("damaged lists in files are refused with a sentence") {
        const TestFolder folder;
        const SavedFilm saved = film_of(0, kSamples);
        std::vector<std::byte> bytes;
        encode_film_file(saved.film, saved.record, bytes);
        const std::string path = folder.file("film");
        REQUIRE(write_film_file(path, bytes).is_ok());
        const std::string whole = bytes_of(path);
        const std::string line = "aov crypto_object ";
        const std::size_t at = whole.find(line) + line.size();
        REQUIRE(at > line.size());
        for (const char* number : {"0\n", "99", "x", "-1"}) {
            std::string changed = whole;
            changed.replace(at, std::string(number).size(), number);
            put_bytes(path, changed);
            const base::Result<SavedFilm> read = read_saved_film(path);
            REQUIRE(!read.is_ok());
            CHECK(read.error().sentence.starts_with(path));
        }
        for (const std::size_t place : {whole.size() - 40, whole.size() - 200}) {
            std::string changed = whole;
            changed[place] = static_cast<char>(changed[place] ^ 1);
            put_bytes(path, changed);
            CHECK(!read_saved_film(path).is_ok());
        }
    }
}

}  // namespace weft::film
