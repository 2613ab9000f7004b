// film_sums.cpp — adds films to each other, and shows their memory to files.
#include <algorithm>

#include "engine/film/film.h"
#include "scheduler/base/ensure.h"

namespace weft::film {

namespace {

void add_sums(base::PageArray<ExactSum>& sums, const base::PageArray<ExactSum>& others) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].add(others[i]);
    }
}

void add_counts(base::PageArray<u32>& counts, const base::PageArray<u32>& others) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] += others[i];
    }
}

// 0 stands for "no hit" and for "no sample 0".
void take_numbers(base::PageArray<u32>& numbers, const base::PageArray<u32>& others) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = std::max(numbers[i], others[i]);
    }
}

void add_mattes(MatteCounts& mattes, const MatteCounts& others, std::size_t pixels) {
    std::vector<MatteCount> list;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        others.list(pixel, list);
        for (const MatteCount& count : list) {
            mattes.add(pixel, count);
        }
    }
}

}  // namespace

bool Film::is_alike(const Film& other) const {
    const auto sides = [](const Film& film) {
        const Region& crop = film.crop_;
        return std::array{film.width_, film.height_, crop.x0, crop.y0, crop.x1, crop.y1};
    };
    return sides(*this) == sides(other) &&
           std::equal(aovs_.begin(),
                      aovs_.end(),
                      other.aovs_.begin(),
                      other.aovs_.end(),
                      [](const FilmLayer& a, const FilmLayer& b) { return a.aov == b.aov; });
}

void Film::add(const Film& other) {
    ENSURE(is_alike(other), ==, true);
    add_sums(beauty_, other.beauty_);
    add_counts(counts_, other.counts_);
    add_counts(dropped_, other.dropped_);
    for (std::size_t layer = 0; layer < aovs_.size(); ++layer) {
        add_sums(aovs_[layer].sums, other.aovs_[layer].sums);
        take_numbers(aovs_[layer].numbers, other.aovs_[layer].numbers);
        if (is_matte_aov(aovs_[layer].aov)) {
            add_mattes(aovs_[layer].mattes, other.aovs_[layer].mattes, counts_.size());
        }
    }
}

std::vector<std::span<std::byte>> Film::blocks() {
    std::vector<std::span<std::byte>> blocks = {std::as_writable_bytes(beauty_.span()),
                                                std::as_writable_bytes(counts_.span()),
                                                std::as_writable_bytes(dropped_.span())};
    for (FilmLayer& layer : aovs_) {
        blocks.push_back(std::as_writable_bytes(layer.sums.span()));
    }
    for (FilmLayer& layer : aovs_) {
        blocks.push_back(std::as_writable_bytes(layer.numbers.span()));
    }
    return blocks;
}

std::vector<std::span<const std::byte>> Film::blocks() const {
    std::vector<std::span<const std::byte>> blocks = {std::as_bytes(beauty_.span()),
                                                      std::as_bytes(counts_.span()),
                                                      std::as_bytes(dropped_.span())};
    for (const FilmLayer& layer : aovs_) {
        blocks.push_back(std::as_bytes(layer.sums.span()));
    }
    for (const FilmLayer& layer : aovs_) {
        blocks.push_back(std::as_bytes(layer.numbers.span()));
    }
    return blocks;
}

}  // namespace weft::film
