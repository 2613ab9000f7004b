// test_arena.cpp — arenas: reading never copies a shared array, changing always does.
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/model/scene.h"

namespace weft::scene::testing {

TEST_SUITE("engine/scene/arena") {
    TEST_CASE("a copy shares its memory until either side is changed") {
        Arena<u32> first = {1, 2, 3};
        Arena<u32> second = first;
        CHECK(second.shares_with(first));
        CHECK(std::as_const(second).data() == std::as_const(first).data());
        second[1] = 7;
        CHECK(!second.shares_with(first));
        CHECK(first == std::vector<u32>{1, 2, 3});
        CHECK(second == std::vector<u32>{1, 7, 3});
        // The only owner again: a change copies nothing.
        const u32* const place = std::as_const(first).data();
        first[0] = 9;
        CHECK(std::as_const(first).data() == place);
    }

    TEST_CASE("every way to change a shared array leaves the other copy as it was") {
        const Arena<u32> kept = {1, 2, 3};
        const std::vector<u32> more = {8, 9};
        const auto changed = [&](const auto& change) {
            Arena<u32> copy = kept;
            change(copy);
            CHECK(kept == std::vector<u32>{1, 2, 3});
            return copy;
        };
        CHECK(changed([](Arena<u32>& a) { a.push_back(4); }) == std::vector<u32>{1, 2, 3, 4});
        CHECK(changed([](Arena<u32>& a) { a.resize(1); }) == std::vector<u32>{1});
        CHECK(changed([](Arena<u32>& a) { a.clear(); }).empty());
        CHECK(changed([](Arena<u32>& a) { a.assign(2, 5); }) == std::vector<u32>{5, 5});
        CHECK(changed([&](Arena<u32>& a) { a.insert(a.end(), more.begin(), more.end()); }) ==
              std::vector<u32>{1, 2, 3, 8, 9});
        CHECK(changed([&](Arena<u32>& a) { a.insert(a.begin(), more.begin(), more.end()); }) ==
              std::vector<u32>{8, 9, 1, 2, 3});
        CHECK(changed([](Arena<u32>& a) { a.back() = 0; }) == std::vector<u32>{1, 2, 0});
        CHECK(changed([](Arena<u32>& a) { *a.data() = 0; }) == std::vector<u32>{0, 2, 3});
        CHECK(changed([](Arena<u32>& a) { a.own().clear(); }).empty());
        CHECK(changed([](Arena<u32>& a) { a = Arena<u32>(); }).empty());
    }

    TEST_CASE("an arena that was moved from is empty and can be used again") {
        Arena<u32> first = {1, 2};
        const Arena<u32> second = std::move(first);
        CHECK(second.size() == 2);
        CHECK(first.empty());  // NOLINT(bugprone-use-after-move)
        first.push_back(5);
        CHECK(first == std::vector<u32>{5});
        CHECK(Arena<u32>().empty());
    }

    TEST_CASE("copies are read and changed and dropped on many threads at once") {
        std::vector<u32> numbers(1000);
        std::iota(numbers.begin(), numbers.end(), 0U);
        const Arena<u32> shared(numbers);
        std::vector<u64> sums(8);
        {
            std::vector<std::jthread> threads;
            for (u32 t = 0; t < sums.size(); ++t) {
                threads.emplace_back([&shared, &sums, t] {
                    for (u32 turn = 0; turn < 200; ++turn) {
                        Arena<u32> own = shared;
                        if (turn % 2 == 0) {
                            own[0] = t;
                        }
                        const Arena<u32> last = std::move(own);
                        sums[t] += std::accumulate(last.begin(), last.end(), u64{0});
                    }
                });
            }
        }
        for (u32 t = 0; t < sums.size(); ++t) {
            CHECK(sums[t] == u64{200} * 499500 + u64{100} * t);
        }
        CHECK(shared == numbers);
    }

    TEST_CASE("a copy of a scene shares all its arrays") {
        Scene scene;
        scene.positions = {0, 1, 2};
        scene.indices = {0, 0, 0};
        scene.instances.push_back({});
        scene.environment.pixels = {1, 1, 1};
        const Scene copy = scene;
        CHECK(copy.positions.shares_with(scene.positions));
        CHECK(copy.indices.shares_with(scene.indices));
        CHECK(copy.instances.shares_with(scene.instances));
        CHECK(copy.environment.pixels.shares_with(scene.environment.pixels));
        scene.instances[0].mesh = 3;
        CHECK(copy.instances[0].mesh == 0);
        CHECK(copy.positions.shares_with(scene.positions));
    }
}

}  // namespace weft::scene::testing
