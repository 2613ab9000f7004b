// film.cpp — adding samples exactly, and turning sums into pixels.
#include "engine/film/film.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "scheduler/base/ensure.h"

namespace weft::film {

namespace {

__extension__ using UInt128 = unsigned __int128;

constexpr float kRange = 1073741824.0F;          // 2³⁰
constexpr double kQuantaPerUnit = 4294967296.0;  // 2³²
constexpr float kSmall = 524288.0F;              // 2¹⁹: below, quanta are below 2⁵¹
constexpr u32 kSmallSums = 4096;                 // that many of them fit into 64 bits

// Quanta of a value below kSmall. Scaling by a power of two is exact; adding 1.5 · 2⁵² leaves the
// nearest whole number, halves to even, in the low bits.
i64 small_quanta(float value) {
    constexpr double kWhole = 6755399441055744.0;
    const double shifted = static_cast<double>(value) * kQuantaPerUnit + kWhole;
    return std::bit_cast<i64>(shifted) - std::bit_cast<i64>(kWhole);
}

bool is_small(const float* values, u32 channels) {
    bool is_small = true;
    for (u32 c = 0; c < channels; ++c) {
        is_small &= std::fabs(values[c]) < kSmall;
    }
    return is_small;
}

int width_of(UInt128 value) {
    const u64 high = static_cast<u64>(value >> 64);
    return static_cast<int>(high ? 64 + std::bit_width(high)
                                 : std::bit_width(static_cast<u64>(value)));
}

// 2^exponent for exponents of normal doubles.
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<u64>(exponent + 1023) << 52);
}

// sum / count · 2⁻³², rounded once to 24 bits, half to even. sum > 0.
float rounded_quotient(UInt128 sum, u32 count) {
    // At least 95 bits of quotient, so what the remainder adds lies far below the rounding bit.
    const int shift = 128 - width_of(sum);
    const UInt128 scaled = sum << shift;
    const UInt128 quotient = scaled / count;
    const bool is_inexact = scaled % count != 0;
    const int dropped = width_of(quotient) - 24;
    const UInt128 half = UInt128{1} << (dropped - 1);
    const UInt128 rest = quotient & ((half << 1) - 1);
    u64 mantissa = static_cast<u64>(quotient >> dropped);
    if (rest > half || (rest == half && (is_inexact || (mantissa & 1)))) {
        ++mantissa;
    }
    return static_cast<float>(static_cast<double>(mantissa) * power_of_two(dropped - shift - 32));
}

// A sum of ones.
u32 whole_of(const ExactSum& sum) {
    return static_cast<u32>(sum.value() >> 32);
}

constexpr u32 kSumWords = 4;

// Writes the sum's words, least significant first, and returns the place after them.
u32* put_words(const ExactSum& sum, u32* words) {
    const u64 high = static_cast<u64>(sum.high);
    *words++ = static_cast<u32>(sum.low);
    *words++ = static_cast<u32>(sum.low >> 32);
    *words++ = static_cast<u32>(high);
    *words++ = static_cast<u32>(high >> 32);
    return words;
}

ExactSum sum_of_words(const u32* words) {
    return {.low = u64{words[0]} | u64{words[1]} << 32,
            .high = static_cast<i64>(u64{words[2]} | u64{words[3]} << 32)};
}

}  // namespace

void ExactSum::add(i64 quanta) {
    const u64 addend = static_cast<u64>(quanta);
    low += addend;
    const u64 carry = low < addend ? 1 : 0;
    high = static_cast<i64>(static_cast<u64>(high) + static_cast<u64>(quanta >> 63) + carry);
}

void ExactSum::add(const ExactSum& other) {
    const UInt128 sum = static_cast<UInt128>(value()) + static_cast<UInt128>(other.value());
    low = static_cast<u64>(sum);
    high = static_cast<i64>(static_cast<u64>(sum >> 64));
}

Int128 ExactSum::value() const {
    return static_cast<Int128>((UInt128{static_cast<u64>(high)} << 64) | low);
}

bool to_quanta(float value, i64& quanta) {
    if (std::fabs(value) < kSmall) {
        quanta = small_quanta(value);
        return true;
    }
    // A float of this size is whole in quanta.
    const bool is_in_range = std::fabs(value) <= kRange;
    if (is_in_range) {
        quanta = static_cast<i64>(static_cast<double>(value) * kQuantaPerUnit);
    }
    return is_in_range;
}

float exact_mean(const ExactSum& sum, u32 count) {
    const Int128 value = sum.value();
    if (count == 0 || value == 0) {
        return 0;
    }
    const bool is_negative = value < 0;
    const UInt128 size =
        is_negative ? UInt128{0} - static_cast<UInt128>(value) : static_cast<UInt128>(value);
    // Fast path: the double quotient is the nearest double, and rounds to the nearest float unless
    // it lies just on the middle between two floats, where the exact quotient may lie on either
    // side.
    if (size < (UInt128{1} << 53)) {
        const double quotient =
            static_cast<double>(static_cast<u64>(size)) / static_cast<double>(count);
        constexpr u64 kDroppedBits = (u64{1} << 29) - 1;
        if ((std::bit_cast<u64>(quotient) & kDroppedBits) != (u64{1} << 28)) {
            const float mean = static_cast<float>(quotient * (1 / kQuantaPerUnit));
            return is_negative ? -mean : mean;
        }
    }
    const float mean = rounded_quotient(size, count);
    return is_negative ? -mean : mean;
}

Film::Film(u32 width, u32 height, Region crop, const std::vector<Aov>& aovs)
    : width_(width), height_(height), crop_(crop) {
    ENSURE(crop.x0, <, crop.x1);
    ENSURE(crop.y0, <, crop.y1);
    ENSURE(crop.x1, <=, width);
    ENSURE(crop.y1, <=, height);
    const std::size_t pixels = std::size_t{crop.width()} * crop.height();
    beauty_ = base::PageArray<ExactSum>(pixels * kFilmChannels);
    counts_ = base::PageArray<u32>(pixels);
    dropped_ = base::PageArray<u32>(pixels);
    for (const Aov aov : aovs) {
        FilmLayer layer;
        layer.aov = aov;
        layer.channels = aov_channels(aov);
        layer.sums = base::PageArray<ExactSum>(pixels * layer.channels);
        layer.numbers = base::PageArray<u32>(is_number_aov(aov) ? pixels : 0);
        if (is_matte_aov(aov)) {
            layer.mattes = MatteCounts(pixels);
        }
        aovs_.push_back(std::move(layer));
    }
}

bool Film::is_allocated() const {
    return beauty_.is_allocated() && counts_.is_allocated() && dropped_.is_allocated() &&
           std::all_of(aovs_.begin(), aovs_.end(), [](const FilmLayer& layer) {
               return is_number_aov(layer.aov)  ? layer.numbers.is_allocated()
                      : is_matte_aov(layer.aov) ? layer.mattes.is_allocated()
                                                : layer.channels == 0 || layer.sums.is_allocated();
           });
}

std::size_t Film::index(u32 x, u32 y) const {
    DEBUG_ENSURE(x, >=, crop_.x0);
    DEBUG_ENSURE(x, <, crop_.x1);
    DEBUG_ENSURE(y, >=, crop_.y0);
    DEBUG_ENSURE(y, <, crop_.y1);
    return std::size_t{y - crop_.y0} * crop_.width() + (x - crop_.x0);
}

bool Film::add_sample(u32 x, u32 y, const std::array<float, kFilmChannels>& rgba) {
    std::array<i64, kFilmChannels> quanta{};
    for (u32 c = 0; c < kFilmChannels; ++c) {
        if (!to_quanta(rgba[c], quanta[c])) {
            ++dropped_[index(x, y)];
            return false;
        }
    }
    const std::size_t pixel = index(x, y);
    for (u32 c = 0; c < kFilmChannels; ++c) {
        beauty_[pixel * kFilmChannels + c].add(quanta[c]);
    }
    ++counts_[pixel];
    return true;
}

u32 Film::add_samples(u32 x, u32 y, const float* rgba, u32 count, u32* dropped) {
    const std::size_t pixel = index(x, y);
    u32 dropped_count = 0;
    for (u32 begin = 0; begin < count; begin += kSmallSums) {
        const u32 end = std::min(count, begin + kSmallSums);
        std::array<i64, kFilmChannels> sums{};
        for (u32 k = begin; k < end; ++k) {
            const float* sample = rgba + kFilmChannels * std::size_t{k};
            if (is_small(sample, kFilmChannels)) {
                for (u32 c = 0; c < kFilmChannels; ++c) {
                    sums[c] += small_quanta(sample[c]);
                }
                ++counts_[pixel];
            } else if (!add_sample(x, y, {sample[0], sample[1], sample[2], sample[3]})) {
                dropped[dropped_count++] = k;
            }
        }
        for (u32 c = 0; c < kFilmChannels; ++c) {
            beauty_[pixel * kFilmChannels + c].add(sums[c]);
        }
    }
    return dropped_count;
}

void Film::add_aov(u32 layer, u32 x, u32 y, const float* values) {
    FilmLayer& aov = aovs_[layer];
    std::array<i64, kMostAovChannels> quanta{};
    for (u32 c = 0; c < aov.channels; ++c) {
        if (!to_quanta(values[c], quanta[c])) {
            return;
        }
    }
    const std::size_t pixel = index(x, y);
    for (u32 c = 0; c < aov.channels; ++c) {
        aov.sums[pixel * aov.channels + c].add(quanta[c]);
    }
}

void Film::add_aov_samples(u32 layer, u32 x, u32 y, const float* values, u32 stride, u32 count) {
    FilmLayer& aov = aovs_[layer];
    const std::size_t first = index(x, y) * aov.channels;
    for (u32 begin = 0; begin < count; begin += kSmallSums) {
        const u32 end = std::min(count, begin + kSmallSums);
        std::array<i64, kMostAovChannels> sums{};
        for (u32 k = begin; k < end; ++k) {
            const float* const sample = values + std::size_t{stride} * k;
            if (is_small(sample, aov.channels)) {
                for (u32 c = 0; c < aov.channels; ++c) {
                    sums[c] += small_quanta(sample[c]);
                }
            } else {
                add_aov(layer, x, y, sample);
            }
        }
        for (u32 c = 0; c < aov.channels; ++c) {
            aov.sums[first + c].add(sums[c]);
        }
    }
}

void Film::add_quanta(u32 layer, u32 x, u32 y, std::span<const i64, 3> quanta) {
    FilmLayer& aov = aovs_[layer];
    ExactSum* const sums = aov.sums.data() + index(x, y) * aov.channels;
    for (u32 c = 0; c < quanta.size(); ++c) {
        sums[c].add(quanta[c]);
    }
}

// The sums of a pixel and layer are at most 96 bytes: the first and the last line are asked for.
void Film::prefetch_aovs(u32 x, u32 y) const {
    const std::size_t pixel = index(x, y);
    for (const FilmLayer& aov : aovs_) {
        if (aov.channels > 0) {
            const ExactSum* const sums = aov.sums.data() + pixel * aov.channels;
            __builtin_prefetch(sums, 1);
            __builtin_prefetch(sums + aov.channels - 1, 1);
        }
    }
}

// Stored one higher, so that the zeroed memory of a new film says "no hit".
u64 layer_pixel_bytes(Aov aov) {
    return aov_channels(aov) * sizeof(ExactSum) + (is_number_aov(aov) ? sizeof(u32) : 0) +
           (is_matte_aov(aov) ? MatteCounts::kPixelBytes : 0);
}

void Film::set_number(u32 layer, u32 x, u32 y, u32 number) {
    aovs_[layer].numbers[index(x, y)] = number + 1;
}

u32 Film::number(u32 layer, u32 x, u32 y) const {
    return aovs_[layer].numbers[index(x, y)] - 1;
}

u32 Film::sample_count(u32 x, u32 y) const {
    return counts_[index(x, y)];
}

u32 Film::samples_tried(u32 x, u32 y) const {
    return counts_[index(x, y)] + dropped_[index(x, y)];
}

std::array<float, kFilmChannels> Film::pixel(u32 x, u32 y) const {
    const std::size_t pixel = index(x, y);
    std::array<float, kFilmChannels> means{};
    for (u32 c = 0; c < kFilmChannels; ++c) {
        means[c] = exact_mean(beauty_[pixel * kFilmChannels + c], counts_[pixel]);
    }
    return means;
}

void Film::aov_pixel(u32 layer, u32 x, u32 y, float* values) const {
    const FilmLayer& aov = aovs_[layer];
    const std::size_t pixel = index(x, y);
    const ExactSum* const sums = aov.sums.data() + pixel * aov.channels;
    const bool is_motion = aov.aov == Aov::Motion;
    const u32 samples = is_motion ? whole_of(sums[aov.channels - 1]) : counts_[pixel];
    const u32 count = is_motion || aov.aov == Aov::Direct ? aov_values(aov.aov) : aov.channels;
    for (u32 c = 0; c < count; ++c) {
        values[c] = exact_mean(sums[c], samples);
    }
}

std::span<const ExactSum> Film::aov_sums(u32 layer, u32 x, u32 y) const {
    const FilmLayer& aov = aovs_[layer];
    return aov.sums.span().subspan(index(x, y) * aov.channels, aov.channels);
}

std::vector<u32> Film::raw_words() const {
    const std::size_t row_words = std::size_t{crop_.width()} * kRawWords;
    std::vector<u32> words(row_words * crop_.height());
    for (u32 y = crop_.y0; y < crop_.y1; ++y) {
        raw_row(y, words.data() + row_words * (y - crop_.y0));
    }
    return words;
}

void Film::raw_row(u32 y, u32* words) const {
    for (u32 x = crop_.x0; x < crop_.x1; ++x) {
        const std::size_t pixel = index(x, y);
        for (u32 c = 0; c < kFilmChannels; ++c) {
            words = put_words(beauty_[pixel * kFilmChannels + c], words);
        }
        *words++ = counts_[pixel];
    }
}

bool Film::set_raw_words(const std::vector<u32>& words) {
    if (words.size() != counts_.size() * kRawWords) {
        return false;
    }
    const u32* word = words.data();
    for (std::size_t pixel = 0; pixel < counts_.size(); ++pixel) {
        for (u32 c = 0; c < kFilmChannels; ++c, word += kSumWords) {
            beauty_[pixel * kFilmChannels + c] = sum_of_words(word);
        }
        counts_[pixel] = *word++;
    }
    return true;
}

u32 Film::raw_aov_words(u32 layer) const {
    const u32 width = crop_.width();
    return is_matte_aov(aovs_[layer].aov) ? (longest_matte_row(layer) + width - 1) / width
                                          : std::max(1U, aovs_[layer].channels * kSumWords);
}

void Film::raw_aov_row(u32 layer, u32 y, std::span<u32> row) const {
    const FilmLayer& aov = aovs_[layer];
    if (is_matte_aov(aov.aov)) {
        const std::span<u32> rest = put_matte_row(layer, y, row);
        std::fill(rest.begin(), rest.end(), 0U);
        return;
    }
    u32* words = row.data();
    const std::size_t begin = index(crop_.x0, y);
    if (aov.channels == 0) {
        const u32* numbers = aov.aov == Aov::Samples ? counts_.data() : aov.numbers.data();
        std::copy_n(numbers + begin, crop_.width(), words);
        return;
    }
    const std::span<const ExactSum> sums =
        aov.sums.span().subspan(begin * aov.channels, std::size_t{crop_.width()} * aov.channels);
    for (const ExactSum& sum : sums) {
        words = put_words(sum, words);
    }
}

bool Film::set_raw_aov_row(u32 layer, u32 y, std::span<const u32> row) {
    FilmLayer& aov = aovs_[layer];
    if (is_matte_aov(aov.aov)) {
        return take_matte_row(layer, y, row) &&
               std::all_of(row.begin(), row.end(), [](u32 word) { return word == 0; });
    }
    const u32* words = row.data();
    const std::size_t begin = index(crop_.x0, y);
    if (aov.channels == 0) {
        // The counts come with the beauty.
        if (is_number_aov(aov.aov)) {
            std::copy_n(words, crop_.width(), aov.numbers.data() + begin);
        }
        return true;
    }
    const std::span<ExactSum> sums =
        aov.sums.span().subspan(begin * aov.channels, std::size_t{crop_.width()} * aov.channels);
    for (ExactSum& sum : sums) {
        sum = sum_of_words(words);
        words += kSumWords;
    }
    return true;
}

}  // namespace weft::film
