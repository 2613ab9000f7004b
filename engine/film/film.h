// film.h — exact sums of samples per pixel: independent of order, so any schedule gives the same
// picture.
//
// Per pixel and channel a 128-bit two's-complement integer counts quanta of 2⁻³². A sample is
// rounded once to the quantum (round half to even); a sample with a channel that is not finite or
// beyond ±2³⁰ is dropped and counted, so 2⁶⁵ samples fit without overflow. Filters are
// importance-sampled: every sample has weight one, a pixel is sum / count.
//
// Any thread may add to a pixel that no other thread uses meanwhile (a frame's shares in flight
// have distinct pixels).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/film/aov.h"
#include "engine/film/matte_counts.h"
#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::film {

__extension__ using Int128 = __int128;

inline constexpr u32 kFilmChannels = 4;  // R, G, B, A (premultiplied)
inline constexpr u32 kMostAovChannels = 6;

// Two 64-bit words, low first: an exact sum of quanta.
struct ExactSum {
    u64 low = 0;
    i64 high = 0;
    void add(i64 quanta);
    void add(const ExactSum& other);
    [[nodiscard]] Int128 value() const;
};

// One value in quanta; false (and `quanta` untouched) where it is not finite or out of range.
bool to_quanta(float value, i64& quanta);

// The float nearest to sum / count (ties to even): correctly rounded, so no platform can differ. 0
// for a count of 0.
float exact_mean(const ExactSum& sum, u32 count);

// The sums of one AOV.
struct FilmLayer {
    Aov aov = Aov::Albedo;
    u32 channels = 3;                // aov_channels(aov)
    base::PageArray<ExactSum> sums;  // channels per pixel
    base::PageArray<u32> numbers;    // one per pixel, if is_number_aov(aov)
    MatteCounts mattes;              // a list per pixel, if is_matte_aov(aov)
};

// Bytes of a layer's pixel in memory, without what long lists of names take.
u64 layer_pixel_bytes(Aov aov);

// Words of one pixel in raw_words: channel by channel the sum, least significant word first, then
// the count.
inline constexpr u32 kRawWords = kFilmChannels * 4 + 1;

struct Region {  // pixels x0 ≤ x < x1, y0 ≤ y < y1
    u32 x0 = 0, y0 = 0, x1 = 0, y1 = 0;

    [[nodiscard]] u32 width() const { return x1 - x0; }

    [[nodiscard]] u32 height() const { return y1 - y0; }
};

class Film {
public:
    // A picture of width × height of which `crop` is rendered: not empty, within the picture
    // (program error otherwise). The index of a layer is its place in `aovs`. Ask is_allocated().
    Film(u32 width, u32 height, Region crop, const std::vector<Aov>& aovs);

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] u32 width() const { return width_; }

    [[nodiscard]] u32 height() const { return height_; }

    [[nodiscard]] Region crop() const { return crop_; }

    // Adds one sample of the beauty to pixel (x, y) of the full picture; false (and nothing added)
    // if it was dropped.
    bool add_sample(u32 x, u32 y, const std::array<float, kFilmChannels>& rgba);
    // The same for `count` samples of one pixel, four floats each, reading its sums once. Writes
    // the indices of dropped samples, in order, to `dropped` (room for `count`); returns their
    // number.
    u32 add_samples(u32 x, u32 y, const float* rgba, u32 count, u32* dropped);
    // Adds to AOV layer `layer` (index into aovs); ignores values that are not finite. The mean
    // divides by the beauty's count, so call it for samples that add_sample kept.
    void add_aov(u32 layer, u32 x, u32 y, const float* values);
    // The same for `count` samples of one pixel, whose values begin `stride` floats apart, reading
    // the sums once.
    void add_aov_samples(u32 layer, u32 x, u32 y, const float* values, u32 stride, u32 count);
    // Adds quanta to the sums of a layer's three channels.
    void add_quanta(u32 layer, u32 x, u32 y, std::span<const i64, 3> quanta);
    // Asks for the sums of a pixel's AOVs, to which samples will be added soon.
    void prefetch_aovs(u32 x, u32 y) const;
    // Sets the number of sample 0 in a layer of numbers. kNone, the initial value, means no hit.
    void set_number(u32 layer, u32 x, u32 y, u32 number);

    [[nodiscard]] u32 sample_count(u32 x, u32 y) const;

    // The same of all pixels of the crop, row by row.
    [[nodiscard]] std::span<const u32> sample_counts() const { return counts_.span(); }

    // Samples that were added and samples that were dropped.
    [[nodiscard]] u32 samples_tried(u32 x, u32 y) const;
    [[nodiscard]] std::array<float, kFilmChannels> pixel(u32 x, u32 y) const;  // means

    [[nodiscard]] const std::vector<FilmLayer>& aovs() const { return aovs_; }

    // Means over all samples: of direct light the first three channels, else all. Of motion those
    // over samples that hit something.
    void aov_pixel(u32 layer, u32 x, u32 y, float* values) const;
    // The sums of all channels.
    [[nodiscard]] std::span<const ExactSum> aov_sums(u32 layer, u32 x, u32 y) const;
    [[nodiscard]] u32 number(u32 layer, u32 x, u32 y) const;
    // Counts samples that hit a name, in a layer of mattes (program error: the id is 0). The names
    // of a pixel, by rising id, go in place of what `to` holds.
    void add_matte(u32 layer, u32 x, u32 y, const MatteCount& more);
    void matte_list(u32 layer, u32 x, u32 y, std::vector<MatteCount>& to) const;

    // 128 bits as 32 hex digits over width, height, crop, then sums and sample counts of the
    // beauty.
    [[nodiscard]] std::string film_hash() const;
    [[nodiscard]] std::string aov_hash(u32 layer) const;

    // The sums and counts for the part `weft.film` of an EXR: kRawWords words per crop pixel.
    [[nodiscard]] std::vector<u32> raw_words() const;
    // The same of row y alone: crop().width() × kRawWords words.
    void raw_row(u32 y, u32* words) const;
    // False where the words do not fit width, height and crop.
    bool set_raw_words(const std::vector<u32>& words);
    // The same for AOV `layer`: per pixel and channel the four words of its sum; for numbers one
    // word, which is 0 for "no hit"; for "samples" one word, which set_raw_aov_row() ignores.
    // A row of mattes holds for each pixel the number of its names, then id and samples of each, by
    // rising id, and zeros at its end; so the words of a pixel are a share of the longest row.
    [[nodiscard]] u32 raw_aov_words(u32 layer) const;  // of a pixel
    // The row's words, as many as fit the longest row at least.
    void raw_aov_row(u32 layer, u32 y, std::span<u32> words) const;
    // False where the words are no row of mattes, or one with more samples than the pixel has.
    bool set_raw_aov_row(u32 layer, u32 y, std::span<const u32> words);

    // The lists of a layer of mattes as words, row by row without zeros at the end; their number.
    [[nodiscard]] std::vector<u32> matte_words(u32 layer) const;
    [[nodiscard]] u64 matte_word_count(u32 layer) const;
    // False as for set_raw_aov_row().
    bool set_matte_words(u32 layer, std::span<const u32> words);

    // Whether the other film has the same size, crop and AOVs.
    [[nodiscard]] bool is_alike(const Film& other) const;
    // Adds the sums and counts of a film that is alike (program error otherwise). At most one of
    // the two has sample 0 of a pixel, and with it the pixel's numbers.
    void add(const Film& other);

    // All sums, counts and numbers as they lie in memory, in a fixed order: for files of this
    // machine's byte order. Lists of mattes are not among them.
    [[nodiscard]] std::vector<std::span<const std::byte>> blocks() const;
    [[nodiscard]] std::vector<std::span<std::byte>> blocks();

private:
    [[nodiscard]] std::size_t index(u32 x, u32 y) const;
    u32 matte_row_words(u32 layer, u32 y, std::vector<MatteCount>& list) const;
    [[nodiscard]] u32 longest_matte_row(u32 layer) const;
    std::span<u32> put_matte_row(u32 layer, u32 y, std::span<u32> words) const;
    bool take_matte_row(u32 layer, u32 y, std::span<const u32>& words);
    u32 width_ = 0;
    u32 height_ = 0;
    Region crop_;
    base::PageArray<ExactSum> beauty_;  // kFilmChannels per pixel
    base::PageArray<u32> counts_;
    base::PageArray<u32> dropped_;
    std::vector<FilmLayer> aovs_;
};

}  // namespace weft::film
