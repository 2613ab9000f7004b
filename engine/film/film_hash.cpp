// film_hash.cpp — the hash of word streams, and the parts of a film that it covers.
#include "engine/film/film_hash.h"

#include <bit>
#include <cstddef>

#include "engine/film/film.h"

namespace weft::film {

namespace {

// Fractional bits of √2, √3, √5, √7, made odd: constants that nobody chose.
constexpr u64 kMultiplier1 = 0x6a09e667f3bcc909u;
constexpr u64 kMultiplier2 = 0xbb67ae8584caa73bu;
constexpr u64 kMultiplier3 = 0x3c6ef372fe94f82bu;
constexpr u64 kMultiplier4 = 0xa54ff53a5f1d36f1u;

// Spreads every bit over all 64; one-to-one (the finaliser of SplitMix64, Steele et al. 2014).
u64 spread(u64 x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void append_hex(std::string& text, u64 value) {
    for (int shift = 60; shift >= 0; shift -= 4) {
        text.push_back("0123456789abcdef"[(value >> shift) & 15]);
    }
}

void absorb_frame(Hash128& hash, const Film& film) {
    const Region crop = film.crop();
    for (const u32 number : {film.width(), film.height(), crop.x0, crop.y0, crop.x1, crop.y1}) {
        hash.absorb(number);
    }
}

void absorb_sums(Hash128& hash, const ExactSum* sums, u32 channels) {
    for (u32 c = 0; c < channels; ++c) {
        hash.absorb(sums[c].low);
        hash.absorb(static_cast<u64>(sums[c].high));
    }
}

}  // namespace

void Hash128::absorb(u64 word) {
    a_ = std::rotl(a_ ^ (word * kMultiplier1), 31) * kMultiplier2 + b_;
    b_ = (std::rotl(b_ + std::rotl(word, 32) * kMultiplier3, 27) * kMultiplier4) ^ a_;
    ++words_;
}

void Hash128::absorb(std::string_view text) {
    absorb(u64{text.size()});
    for (std::size_t begin = 0; begin < text.size(); begin += 8) {
        u64 word = 0;
        for (std::size_t i = begin; i < text.size() && i < begin + 8; ++i) {
            word |= u64{static_cast<unsigned char>(text[i])} << (8 * (i - begin));
        }
        absorb(word);
    }
}

std::string Hash128::hex() const {
    u64 a = a_ ^ words_;
    u64 b = b_;
    a = spread(a + b);
    b = spread(b + a);
    a = spread(a + b);
    std::string text;
    text.reserve(32);
    append_hex(text, a);
    append_hex(text, b);
    return text;
}

std::string Film::film_hash() const {
    Hash128 hash;
    absorb_frame(hash, *this);
    for (std::size_t pixel = 0; pixel < counts_.size(); ++pixel) {
        absorb_sums(hash, beauty_.data() + pixel * kFilmChannels, kFilmChannels);
        hash.absorb(counts_[pixel]);
    }
    return hash.hex();
}

std::string Film::aov_hash(u32 layer) const {
    const FilmLayer& aov = aovs_[layer];
    Hash128 hash;
    absorb_frame(hash, *this);
    hash.absorb(aov_name(aov.aov));
    std::vector<MatteCount> list;
    for (std::size_t pixel = 0; pixel < counts_.size(); ++pixel) {
        if (is_matte_aov(aov.aov)) {
            aov.mattes.list(pixel, list);
            hash.absorb(u64{list.size()} << 32 | counts_[pixel]);
            for (const MatteCount& count : list) {
                hash.absorb(u64{count.id} << 32 | count.samples);
            }
        } else if (aov.channels == 0) {
            hash.absorb(aov.aov == Aov::Samples ? counts_[pixel] : aov.numbers[pixel]);
        } else {
            absorb_sums(hash, aov.sums.data() + pixel * aov.channels, aov.channels);
            hash.absorb(counts_[pixel]);
        }
    }
    return hash.hex();
}

}  // namespace weft::film
