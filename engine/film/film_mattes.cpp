// film_mattes.cpp — the lists of names in a film: counting, and rows of words for files.
#include <algorithm>

#include "engine/film/film.h"
#include "scheduler/base/ensure.h"

namespace weft::film {

void Film::add_matte(u32 layer, u32 x, u32 y, const MatteCount& more) {
    ENSURE(more.id, !=, 0U);
    aovs_[layer].mattes.add(index(x, y), more);
}

void Film::matte_list(u32 layer, u32 x, u32 y, std::vector<MatteCount>& to) const {
    aovs_[layer].mattes.list(index(x, y), to);
}

u64 Film::matte_word_count(u32 layer) const {
    u64 words = 0;
    std::vector<MatteCount> list;
    for (u32 y = crop_.y0; y < crop_.y1; ++y) {
        words += matte_row_words(layer, y, list);
    }
    return words;
}

std::vector<u32> Film::matte_words(u32 layer) const {
    std::vector<u32> words(matte_word_count(layer));
    std::span<u32> rest(words);
    for (u32 y = crop_.y0; y < crop_.y1; ++y) {
        rest = put_matte_row(layer, y, rest);
    }
    return words;
}

bool Film::set_matte_words(u32 layer, std::span<const u32> words) {
    for (u32 y = crop_.y0; y < crop_.y1; ++y) {
        if (!take_matte_row(layer, y, words)) {
            return false;
        }
    }
    return words.empty();
}

// `list` is memory to work in.
u32 Film::matte_row_words(u32 layer, u32 y, std::vector<MatteCount>& list) const {
    u32 words = crop_.width();
    for (u32 x = crop_.x0; x < crop_.x1; ++x) {
        matte_list(layer, x, y, list);
        words += 2 * static_cast<u32>(list.size());
    }
    return words;
}

u32 Film::longest_matte_row(u32 layer) const {
    u32 longest = 0;
    std::vector<MatteCount> list;
    for (u32 y = crop_.y0; y < crop_.y1; ++y) {
        longest = std::max(longest, matte_row_words(layer, y, list));
    }
    return longest;
}

// Returns the words after the row.
std::span<u32> Film::put_matte_row(u32 layer, u32 y, std::span<u32> words) const {
    std::vector<MatteCount> list;
    for (u32 x = crop_.x0; x < crop_.x1; ++x) {
        matte_list(layer, x, y, list);
        ENSURE(words.size(), >=, 1 + 2 * list.size());
        words[0] = static_cast<u32>(list.size());
        words = words.subspan(1);
        for (const MatteCount& count : list) {
            words[0] = count.id;
            words[1] = count.samples;
            words = words.subspan(2);
        }
    }
    return words;
}

// Cuts the row off the words. False: they begin with no row, or with more samples than a pixel has.
bool Film::take_matte_row(u32 layer, u32 y, std::span<const u32>& words) {
    for (u32 x = crop_.x0; x < crop_.x1; ++x) {
        const u64 names = words.empty() ? ~u64{0} : words[0];
        if (names > words.size() / 2) {
            return false;
        }
        words = words.subspan(1);
        u32 last_id = 0;
        u64 samples = 0;
        for (u64 k = 0; k < names; ++k) {
            if (words.size() < 2) {
                return false;
            }
            const MatteCount count{words[0], words[1]};
            words = words.subspan(2);
            samples += count.samples;
            if (count.id <= last_id || count.samples == 0 || samples > counts_[index(x, y)]) {
                return false;
            }
            aovs_[layer].mattes.add(index(x, y), count);
            last_id = count.id;
        }
    }
    return true;
}

}  // namespace weft::film
