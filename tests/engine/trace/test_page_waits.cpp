// test_page_waits.cpp — chains of the page roots that rays still have to visit: their order, what a
// hit drops, and their room; compared with sorted vectors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/page_waits.h"

namespace weft::trace {

namespace {

using shaders::PageWait;
using shaders::PageWaits;

constexpr float kFar = 1e30F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr u32 kMostSlots = 8;
constexpr u32 kRoots = 1000;  // more than any root here

// Of rays without a hit, or with one at `t`.
void add(PageWaitChains& chains, std::vector<PageWait> items, float t = kInfinity) {
    const auto count = static_cast<u32>(items.size());
    std::vector<shaders::TraceRay> rays(kMostSlots);
    for (shaders::TraceRay& ray : rays) {
        ray.t = t;
    }
    chains.add({items.data(), count, count}, rays.data());
}

// Roots of all visits of a ray, nearest first; takes them out.
std::vector<u32> drained(PageWaitChains& chains, u32 slot, float t = kFar) {
    std::vector<u32> roots;
    while (const PageVisit* visit = chains.nearest(slot, t)) {
        roots.push_back(visit->root);
        chains.drop_nearest(slot);
    }
    return roots;
}

// The same as sorted vectors.
class PlainChains {
public:
    PlainChains(u32 slot_count, u32 capacity) : rays_(slot_count), free_count_(capacity) {}

    void add(const PageWait& wait) {
        std::vector<PageVisit>& ray = rays_[wait.slot];
        const auto place =
            std::upper_bound(ray.begin(), ray.end(), wait.entry, [](float t, const PageVisit& v) {
                return t < v.entry;
            });
        ray.insert(place, {wait.root, wait.placement, wait.entry});
        --free_count_;
    }

    const PageVisit* nearest(u32 slot, float t) {
        while (!rays_[slot].empty() && rays_[slot].front().root == kNone) {
            drop_nearest(slot);
        }
        if (!rays_[slot].empty() && rays_[slot].front().entry > t) {
            clear(slot);
        }
        return rays_[slot].empty() ? nullptr : &rays_[slot].front();
    }

    void drop_nearest(u32 slot) {
        rays_[slot].erase(rays_[slot].begin());
        ++free_count_;
    }

    void clear(u32 slot) {
        free_count_ += static_cast<u32>(rays_[slot].size());
        rays_[slot].clear();
    }

    // Room of visits that were taken out comes back later: the ray keeps them, marked.
    std::vector<RayVisit> take_of_root(u32 root) {
        std::vector<RayVisit> taken;
        for (u32 slot = 0; slot < rays_.size(); ++slot) {
            for (PageVisit& visit : rays_[slot]) {
                if (visit.root == root) {
                    taken.push_back({visit, slot});
                    visit.root = kNone;
                }
            }
        }
        return taken;
    }

    [[nodiscard]] u32 free_count() const { return free_count_; }

private:
    std::vector<std::vector<PageVisit>> rays_;
    u32 free_count_;
};

bool is_same(const PageVisit* a, const PageVisit* b) {
    return (a == nullptr || b == nullptr)
               ? a == b
               : a->root == b->root && a->placement == b->placement && a->entry == b->entry;
}

// Takes all visits of a root from both. Returns whether they are the same, in any order.
bool agree_on_root(PageWaitChains& chains, PlainChains& plain, u32 root) {
    const auto order = [](const RayVisit& visit) {
        return std::tuple(visit.slot, visit.visit.root, visit.visit.placement, visit.visit.entry);
    };
    const auto sorted = [&order](std::vector<RayVisit> visits) {
        std::sort(visits.begin(), visits.end(), [&order](const RayVisit& a, const RayVisit& b) {
            return order(a) < order(b);
        });
        return visits;
    };
    std::vector<RayVisit> taken;
    bool is_more = true;
    while (is_more) {
        const std::size_t before = taken.size();
        chains.take_of_root(root, 3, taken);
        if (taken.size() > before + 3) {
            return false;
        }
        is_more = taken.size() > before;
    }
    const std::vector<RayVisit> expected = sorted(plain.take_of_root(root));
    taken = sorted(taken);
    return std::equal(
        taken.begin(),
        taken.end(),
        expected.begin(),
        expected.end(),
        [&order](const RayVisit& a, const RayVisit& b) { return order(a) == order(b); });
}

// One random operation on both. Returns whether they agree.
bool agree_after_one(PageWaitChains& chains, PlainChains& plain, u32 slots, std::mt19937& random) {
    const auto draw = [&random](u32 count) { return static_cast<u32>(random() % count); };
    const u32 slot = draw(slots);
    // Entries of few values, so that many are equal.
    const float t = static_cast<float>(draw(12)) * 0.5F;
    switch (draw(7)) {
        case 0:
            chains.clear(slot);
            plain.clear(slot);
            break;
        case 1:
            if (!is_same(chains.nearest(slot, kFar), plain.nearest(slot, kFar))) {
                return false;
            }
            if (plain.nearest(slot, kFar) != nullptr) {
                chains.drop_nearest(slot);
                plain.drop_nearest(slot);
            }
            break;
        case 2: {
            const PageVisit* const expected = plain.nearest(slot, t);
            if (!is_same(chains.nearest(slot, t), expected)) {
                return false;
            }
            break;
        }
        case 3:
            if (!agree_on_root(chains, plain, draw(8))) {
                return false;
            }
            break;
        default: {
            std::vector<PageWait> items(std::min(draw(9), plain.free_count()));
            for (PageWait& item : items) {
                item = {draw(slots), draw(8), draw(3), static_cast<float>(draw(10)) * 0.5F};
                plain.add(item);
            }
            add(chains, items);
        }
    }
    return chains.free_count() == plain.free_count();
}

}  // namespace

TEST_SUITE("engine/trace/page_waits") {
    TEST_CASE("visits come nearest first and each ray has its own") {
        PageWaitChains chains(3, 16, kRoots);
        REQUIRE(chains.is_allocated());
        add(chains, {{0, 10, kNone, 4}, {2, 20, 7, 2}, {0, 11, kNone, 1}, {0, 12, 3, 9}});
        add(chains, {{2, 21, kNone, 1}, {0, 13, kNone, 5}, {0, 14, kNone, 0}});
        const PageVisit* const first = chains.nearest(2, kFar);
        REQUIRE(first != nullptr);
        CHECK(first->root == 21);
        CHECK(first->placement == kNone);
        CHECK(first->entry == 1);
        CHECK(drained(chains, 0) == std::vector<u32>{14, 11, 10, 13, 12});
        CHECK(chains.nearest(1, kFar) == nullptr);
        CHECK(drained(chains, 2) == std::vector<u32>{21, 20});
        CHECK(chains.free_count() == 16);
    }

    TEST_CASE("visits that begin at the same distance keep the order of their recording") {
        PageWaitChains chains(1, 8, kRoots);
        add(chains, {{0, 1, 0, 2}, {0, 2, 0, 2}, {0, 3, 0, 1}});
        add(chains, {{0, 4, 0, 2}, {0, 5, 0, 1}, {0, 6, 0, 2}});
        CHECK(drained(chains, 0) == std::vector<u32>{3, 5, 1, 2, 4, 6});
    }

    TEST_CASE("a hit drops every visit that begins beyond it and keeps one that begins at it") {
        PageWaitChains chains(2, 8, kRoots);
        const std::vector<PageWait> items = {
            {0, 1, 0, 1}, {0, 2, 0, 2}, {0, 3, 0, 3}, {1, 4, 0, 9}};
        add(chains, items);
        CHECK(drained(chains, 0, 2) == std::vector<u32>{1, 2});
        CHECK(chains.free_count() == 7);
        CHECK(chains.nearest(0, kFar) == nullptr);
        add(chains, {{0, 5, 0, 4}, {0, 6, 0, 5}});
        CHECK(chains.nearest(0, std::nextafter(4.0F, 0.0F)) == nullptr);
        CHECK(chains.free_count() == 7);
        // A blocked shadow ray has t = −1 and no visit left.
        CHECK(chains.nearest(1, -1) == nullptr);
        CHECK(chains.free_count() == 8);
    }

    TEST_CASE("clearing one ray gives its room back and leaves the others") {
        PageWaitChains chains(2, 4, kRoots);
        add(chains, {{0, 1, 0, 1}, {1, 2, 0, 1}, {0, 3, 0, 2}});
        CHECK(chains.free_count() == 1);
        chains.clear(0);
        CHECK(chains.free_count() == 3);
        CHECK(chains.nearest(0, kFar) == nullptr);
        chains.clear(0);
        CHECK(chains.free_count() == 3);
        CHECK(drained(chains, 1) == std::vector<u32>{2});
    }

    TEST_CASE("another ray with visits is found while there is one") {
        PageWaitChains chains(4, 4, kRoots);
        CHECK(chains.other_with_visits(0) == kNone);
        add(chains, {{1, 1, 0, 1}, {3, 2, 0, 1}});
        CHECK(chains.other_with_visits(1) == 3);
        CHECK(chains.other_with_visits(3) == 1);
        chains.clear(3);
        CHECK(chains.other_with_visits(1) == kNone);
        CHECK(chains.other_with_visits(3) == 1);
    }

    TEST_CASE("a visit that begins beyond the hit of its ray is not added") {
        PageWaitChains chains(2, 8, kRoots);
        add(chains, {{0, 1, 0, 1}, {0, 2, 0, 2}, {0, 3, 0, 3}, {1, 4, 0, 9}}, 2);
        CHECK(chains.free_count() == 6);
        CHECK(drained(chains, 0) == std::vector<u32>{1, 2});
        CHECK(chains.nearest(1, kFar) == nullptr);
        add(chains, {{0, 5, 0, 0}}, -1);
        CHECK(chains.free_count() == 8);
    }

    TEST_CASE("chains hold exactly their capacity again and again in any distribution") {
        constexpr u32 kRoom = 50;
        PageWaitChains chains(5, kRoom, kRoots);
        CHECK(chains.capacity() == kRoom);
        CHECK(chains.high_water() == 0);
        for (u32 round = 0; round < 20; ++round) {
            CAPTURE(round);
            std::vector<PageWait> items;
            for (u32 k = 0; k < kRoom; ++k) {
                const u32 slot = k * (round + 1) % 5;
                items.push_back({slot, k, kNone, static_cast<float>(k * 7 % kRoom)});
            }
            add(chains, items);
            CHECK(chains.free_count() == 0);
            u32 found = 0;
            for (u32 slot = 0; slot < 5; ++slot) {
                found += static_cast<u32>(drained(chains, slot).size());
            }
            CHECK(found == kRoom);
            CHECK(chains.free_count() == kRoom);
            CHECK(chains.high_water() == kRoom);
        }
    }

    TEST_CASE("chains that list no roots need no room for lists") {
        PageWaitChains chains(2, 4);
        CHECK(chains.is_allocated());
        add(chains, {{0, 7, 0, 1}, {0, 3, 0, 2}});
        CHECK(drained(chains, 0) == std::vector<u32>{7, 3});
    }

    TEST_CASE("a root takes its visits out of all chains whatever their place there") {
        PageWaitChains chains(3, 8, 2);
        add(chains, {{0, 1, 5, 1}, {0, 0, 6, 2}, {0, 1, 7, 3}, {1, 0, 8, 1}, {2, 1, 9, 4}});
        std::vector<RayVisit> taken;
        chains.take_of_root(1, 2, taken);
        CHECK(taken.size() == 2);
        chains.take_of_root(1, 8, taken);
        REQUIRE(taken.size() == 3);
        u32 placements = 0;
        for (const RayVisit& visit : taken) {
            CHECK(visit.visit.root == 1);
            placements += visit.visit.placement;
        }
        CHECK(placements == 5 + 7 + 9);
        chains.take_of_root(1, 8, taken);
        CHECK(taken.size() == 3);
        // What is left is still in its chain.
        CHECK(drained(chains, 0) == std::vector<u32>{0});
        CHECK(drained(chains, 1) == std::vector<u32>{0});
        CHECK(chains.nearest(2, kFar) == nullptr);
        chains.take_of_root(0, 8, taken);
        CHECK(taken.size() == 3);
        CHECK(chains.free_count() == 8);
    }

    TEST_CASE("links are used again before new ones are") {
        PageWaitChains chains(2, 100, kRoots);
        for (u32 round = 0; round < 30; ++round) {
            add(chains, {{0, 1, 0, 1}, {1, 2, 0, 2}, {0, 3, 0, 3}});
            chains.clear(0);
            chains.clear(1);
        }
        CHECK(chains.high_water() == 3);
    }

    TEST_CASE("distances of zero and infinity have their places") {
        PageWaitChains chains(1, 4, kRoots);
        add(chains, {{0, 1, 0, kInfinity}, {0, 2, 0, 0.0F}, {0, 3, 0, -0.0F}});
        CHECK(drained(chains, 0, kInfinity) == std::vector<u32>{2, 3, 1});
        add(chains, {{0, 1, 0, kInfinity}, {0, 2, 0, 0.0F}});
        CHECK(drained(chains, 0) == std::vector<u32>{2});
        CHECK(chains.free_count() == 4);
    }

    TEST_CASE("random operations leave what sorted vectors hold") {
        for (u32 seed = 0; seed < 40; ++seed) {
            CAPTURE(seed);
            std::mt19937 random(seed);
            const u32 slots = 1 + seed % 7;
            const u32 capacity = 1 + seed * 3;
            PageWaitChains chains(slots, capacity, kRoots);
            PlainChains plain(slots, capacity);
            u32 agreed = 0;
            constexpr u32 kOperations = 3000;
            while (agreed < kOperations && agree_after_one(chains, plain, slots, random)) {
                ++agreed;
            }
            REQUIRE(agreed == kOperations);
            // What is left at the end, in its order.
            for (u32 slot = 0; slot < slots; ++slot) {
                while (const PageVisit* const expected = plain.nearest(slot, kFar)) {
                    REQUIRE(is_same(chains.nearest(slot, kFar), expected));
                    plain.drop_nearest(slot);
                    chains.drop_nearest(slot);
                }
                CHECK(chains.nearest(slot, kFar) == nullptr);
            }
            CHECK(chains.free_count() == capacity);
        }
    }
}

}  // namespace weft::trace
