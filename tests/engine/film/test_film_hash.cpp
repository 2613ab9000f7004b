// test_film_hash.cpp — what changes a hash, and what does not.
#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "engine/film/film.h"
#include "engine/film/film_hash.h"

namespace weft::film {

namespace {

Film grey_film(u32 width, u32 height, Region crop) {
    Film film(width, height, crop, {Aov::Albedo, Aov::Instance});
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            film.add_sample(x, y, {0.5F, 0.5F, 0.5F, 1});
        }
    }
    return film;
}

}  // namespace

TEST_SUITE("engine/film/film_hash") {
    TEST_CASE("a hash is 32 lower-case hex digits and the same every time") {
        const Film film = grey_film(4, 3, {0, 0, 4, 3});
        const std::string hash = film.film_hash();
        CHECK(hash.size() == 32);
        CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
        CHECK(film.film_hash() == hash);
        CHECK(grey_film(4, 3, {0, 0, 4, 3}).film_hash() == hash);
    }

    TEST_CASE("the definition has not changed since files were first written") {
        Hash128 hash;
        CHECK(hash.hex() == "d19392c46a9027c44c9bbc4ff5e3b5c7");
        hash.absorb(u64{1});
        CHECK(hash.hex() == "1137bb8cbef3edecd5fc4a9ee6b9f324");
        hash.absorb("weft");
        CHECK(hash.hex() == "95c742ff7f347252b3d2cb63569f3c61");
    }

    TEST_CASE("one quantum in one channel of one pixel changes the hash") {
        const float quantum = std::ldexp(1.0F, -32);
        std::set<std::string> hashes{grey_film(3, 3, {0, 0, 3, 3}).film_hash()};
        std::size_t films = 1;
        for (u32 pixel = 0; pixel < 9; ++pixel) {
            for (std::size_t c = 0; c < kFilmChannels; ++c) {
                Film film = grey_film(3, 3, {0, 0, 3, 3});
                // The same count as below, so only the quantum differs.
                std::array<float, kFilmChannels> sample{};
                sample[c] = quantum;
                film.add_sample(pixel % 3, pixel / 3, sample);
                hashes.insert(film.film_hash());
                ++films;
            }
            Film film = grey_film(3, 3, {0, 0, 3, 3});
            film.add_sample(pixel % 3, pixel / 3, {0, 0, 0, 0});
            hashes.insert(film.film_hash());
            ++films;
        }
        CHECK(hashes.size() == films);
    }

    TEST_CASE("size and crop are part of the hash") {
        const std::set<std::string> hashes{Film(4, 4, {0, 0, 2, 2}, {}).film_hash(),
                                           Film(4, 5, {0, 0, 2, 2}, {}).film_hash(),
                                           Film(5, 4, {0, 0, 2, 2}, {}).film_hash(),
                                           Film(4, 4, {1, 0, 3, 2}, {}).film_hash(),
                                           Film(4, 4, {0, 1, 2, 3}, {}).film_hash(),
                                           Film(4, 4, {0, 0, 4, 1}, {}).film_hash(),
                                           Film(4, 4, {0, 0, 1, 4}, {}).film_hash()};
        CHECK(hashes.size() == 7);
    }

    TEST_CASE("AOVs have hashes of their own and leave the film's alone") {
        Film film = grey_film(2, 2, {0, 0, 2, 2});
        const std::string beauty = film.film_hash();
        const std::string albedo = film.aov_hash(0);
        const std::string instance = film.aov_hash(1);
        CHECK(albedo != beauty);
        CHECK(instance != albedo);
        const std::array<float, 3> values{0.1F, 0.2F, 0.3F};
        film.add_aov(0, 1, 1, values.data());
        CHECK(film.aov_hash(0) != albedo);
        CHECK(film.aov_hash(1) == instance);
        film.set_number(1, 0, 1, 3);
        CHECK(film.aov_hash(1) != instance);
        CHECK(film.film_hash() == beauty);
    }

    TEST_CASE("every bit of a word changes about half of the digits' bits") {
        const auto hash_of = [](u64 word) {
            Hash128 hash;
            hash.absorb(word);
            return hash.hex();
        };
        const std::string zero = hash_of(0);
        for (int bit = 0; bit < 64; ++bit) {
            const std::string other = hash_of(u64{1} << bit);
            int same = 0;
            for (std::size_t i = 0; i < 32; ++i) {
                same += zero[i] == other[i];
            }
            // 32 digits agree by chance in 1 of 16 places: two on average.
            CHECK(same <= 10);
        }
    }

    TEST_CASE("texts are hashed with their length so they cannot run together") {
        const auto hash_of = [](std::string_view first, std::string_view second) {
            Hash128 hash;
            hash.absorb(first);
            hash.absorb(second);
            return hash.hex();
        };
        CHECK(hash_of("ab", "c") != hash_of("a", "bc"));
        CHECK(hash_of("", "abc") != hash_of("abc", ""));
        CHECK(hash_of(std::string_view("a\0", 2), "") != hash_of("a", ""));
    }
}

}  // namespace weft::film
