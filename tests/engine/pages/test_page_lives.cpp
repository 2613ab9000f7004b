// test_page_lives.cpp — which page leaves next, by both kinds of eviction, beside slow lists of
// uses.
#include <array>
#include <optional>

#include <doctest/doctest.h>

#include "engine/pages/page_lives.h"

namespace weft::pages {

namespace {

using shaders::PageState;

constexpr u32 kPages = 60;
constexpr u32 kRoom = 20;

// Uses pages as a cache with room for kRoom of them, and notes the last use of each page by the
// number of misses until then.
class Cache {
public:
    explicit Cache(Eviction eviction) : lives_(kPages, 1, eviction) {}

    // Returns the page that left for this one.
    std::optional<u32> use(u32 page) {
        std::optional<u32> left;
        if (lives_.phase(page) != Phase::Near) {
            left = misses_ >= kRoom ? lives_.close_one() : std::nullopt;
            ++misses_;
            if (left) {
                REQUIRE(lives_.begin_evict(*left, lives_.turn(*left)));
            }
            lives_.start(page);
            lives_.publish(page);
        }
        lives_.states()[page].store(PageState::Used);
        last_use_[page] = misses_;
        return left;
    }

    // Whether a page that just left was used as long ago as any that stayed.
    [[nodiscard]] bool was_least_recent(u32 left) const {
        for (u32 page = 0; page < kPages; ++page) {
            if (lives_.phase(page) == Phase::Near && last_use_[page] < last_use_[left]) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] u64 misses() const { return misses_; }

    [[nodiscard]] PageLives& lives() { return lives_; }

private:
    PageLives lives_;
    std::array<u64, kPages> last_use_{};
    u64 misses_ = 0;
};

// A page: mostly one of the first few, else any.
class Pages {
public:
    u32 next() {
        const u32 number = draw();
        return number % 4 != 0 ? draw() % 12 : draw() % kPages;
    }

private:
    u32 draw() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<u32>(state_ >> 33);
    }

    u64 state_ = 1;
};

}  // namespace

TEST_CASE("the page that was used longest ago leaves first") {
    Cache cache(Eviction::LeastRecent);
    Pages pages;
    u32 evictions = 0;
    for (u32 k = 0; k < 20000; ++k) {
        if (const std::optional<u32> left = cache.use(pages.next())) {
            CAPTURE(k);
            CHECK(cache.was_least_recent(*left));
            ++evictions;
        }
    }
    CHECK(evictions > 2000);
}

TEST_CASE("a page with a walk does not leave though it was used longest ago") {
    Cache cache(Eviction::LeastRecent);
    for (u32 page = 0; page < kRoom; ++page) {
        cache.use(page);
    }
    CHECK(cache.use(30) == 0U);
    CHECK(cache.lives().begin_walk(1));
    CHECK(cache.use(31) == 2U);
    CHECK(cache.lives().end_walk(1));
    CHECK(cache.use(32) == 1U);
}

TEST_CASE("the clock reads a little more than the order of uses does") {
    Cache clock(Eviction::Clock);
    Cache least_recent(Eviction::LeastRecent);
    Pages pages;
    for (u32 k = 0; k < 20000; ++k) {
        const u32 page = pages.next();
        clock.use(page);
        least_recent.use(page);
    }
    // Within a tenth of each other.
    CHECK(clock.misses() * 10 < least_recent.misses() * 11);
    CHECK(least_recent.misses() * 10 < clock.misses() * 11);
}

}  // namespace weft::pages
