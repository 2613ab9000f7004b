#include "engine/film/matte_counts.h"

#include <algorithm>
#include <new>
#include <span>

namespace weft::film {

namespace {

// Chunks of the pool: 2^26 blocks.
constexpr std::size_t kChunks = 4096;

// Adds to the place of the id, or to the first free one. False: the places are full of others.
bool add_to(std::span<MatteCount> places, const MatteCount& more) {
    for (MatteCount& place : places) {
        if (place.samples == 0 || place.id == more.id) {
            place = {more.id, place.samples + more.samples};
            return true;
        }
    }
    return false;
}

}  // namespace

MatteCounts::Pool::Pool() : chunks(kChunks) {}

u32 MatteCounts::Pool::take() {
    const std::lock_guard lock(mutex);
    const u32 chunk = block_count / kChunk;
    if (chunk == kChunks) {
        throw std::bad_alloc();
    }
    if (!chunks[chunk]) {
        chunks[chunk] = std::make_unique<Block[]>(kChunk);
    }
    return ++block_count;
}

MatteCounts::MatteCounts(std::size_t pixels)
    : first_(kFirst * pixels), next_(pixels), pool_(std::make_unique<Pool>()) {}

// Places fill up in order: a free one ends the list.
void MatteCounts::add(std::size_t pixel, const MatteCount& more) {
    if (more.samples == 0 || add_to(first_.span().subspan(kFirst * pixel, kFirst), more)) {
        return;
    }
    u32* next = &next_[pixel];
    while (*next != 0) {
        Block& block = (*pool_)[*next];
        if (add_to(block.counts, more)) {
            return;
        }
        next = &block.next;
    }
    const u32 number = pool_->take();
    (*pool_)[number].counts[0] = more;
    *next = number;
}

void MatteCounts::list(std::size_t pixel, std::vector<MatteCount>& to) const {
    to.clear();
    const auto take = [&to](std::span<const MatteCount> places) {
        std::copy_if(places.begin(), places.end(), std::back_inserter(to), [](const auto& place) {
            return place.samples != 0;
        });
    };
    take(first_.span().subspan(kFirst * pixel, kFirst));
    for (u32 number = next_[pixel]; number != 0; number = (*pool_)[number].next) {
        take((*pool_)[number].counts);
    }
    std::sort(
        to.begin(), to.end(), [](const MatteCount& a, const MatteCount& b) { return a.id < b.id; });
}

}  // namespace weft::film
