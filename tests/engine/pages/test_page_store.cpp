// Tests of page_store.h: what is near when, for whom, and within which budget.
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "engine/pages/page_store.h"
#include "tests/engine/pages/sample_tree.h"
#include "tests/engine/pages/store_case.h"

namespace weft::pages::testing {

TEST_SUITE_BEGIN("engine/pages/page_store");

TEST_CASE("a tree whose pages all fit is near as a whole and read once") {
    StoreCase test(5000);
    test.open(u64{1} << 30);
    const u32 reader = test.store->join();
    for (int turn = 0; turn < 3; ++turn) {
        for (u32 page = 0; page < test.page_count(); ++page) {
            CHECK(test.visit(reader, page) == 0);
        }
    }
    const shaders::BvhView view = test.store->view();
    LoadedTree seen = test.right;
    std::memcpy(seen.nodes.data(), view.nodes, seen.nodes.size() * sizeof(seen.nodes[0]));
    CHECK(seen.blocks_below(view.root) == counted(5000));
    const PageFigures figures = test.store->figures();
    CHECK(figures.count == test.page_count());
    CHECK(figures.reads == test.page_count());
    CHECK(figures.bytes_read == figures.bytes);
    CHECK(figures.most_bytes == figures.bytes);
    CHECK(figures.evictions == 0);
    CHECK(figures.resident_bytes == test.right.resident.size_bytes());
    test.store->part(reader);
}

TEST_CASE("the exact size of all pages is enough to keep them") {
    StoreCase test(5000);
    u64 bytes = 0;
    for (const PageEntry& page : test.right.resident.pages) {
        bytes += page.size_bytes();
    }
    test.open(bytes);
    const u32 reader = test.store->join();
    for (u32 k = 0; k < 2 * test.page_count(); ++k) {
        CHECK(test.visit(reader, k % test.page_count()) == 0);
    }
    CHECK(test.store->figures().evictions == 0);
    CHECK(test.store->figures().reads == test.page_count());
}

TEST_CASE("pages in memory never exceed the budget") {
    StoreCase test(5000);
    const u64 least = PageStore::least_budget(test.right.resident, 1);
    for (const u64 budget : {least, least + 100, 2 * least, 10 * least}) {
        CAPTURE(budget);
        test.open(budget);
        const u32 reader = test.store->join();
        std::mt19937 random(17);
        for (int k = 0; k < 500; ++k) {
            const u32 ahead = static_cast<u32>(random() % test.page_count());
            const Fetch answer = test.store->fetch(reader, ahead);
            test.visit(reader, static_cast<u32>(random() % test.page_count()));
            // What was fetched ahead is visited too, as rays that wait for it do.
            if (answer != Fetch::Refused) {
                test.visit(reader, ahead);
            }
        }
        const PageFigures figures = test.store->figures();
        CHECK(figures.most_bytes <= budget);
        CHECK(figures.evictions > 0);
        CHECK(figures.evictions <= figures.reads);
        CHECK(figures.bytes_read > figures.budget_bytes);
    }
}

TEST_CASE("listeners hear of pages that come and go and of walks that end until they stop") {
    StoreCase test(5000);
    test.open(PageStore::least_budget(test.right.resident, 1));
    const u32 reader = test.store->join();
    std::atomic<u64> told = 0;
    const u32 listener = test.store->tell_of_changes([&] { ++told; });
    test.bring(reader, 0);
    // The reading thread says so after the page has come.
    while (told == 0) {
        std::this_thread::yield();
    }
    const u64 when_near = told;
    test.store->end_walk(reader, 0);
    CHECK(told > when_near);
    for (u32 page = 0; page < test.page_count(); ++page) {
        test.visit(reader, page);
    }
    CHECK(test.store->figures().evictions > 0);
    CHECK(told >= test.store->figures().reads);
    test.store->stop_telling(listener);
    const u64 before = told;
    test.visit(reader, 0);
    CHECK(told == before);
}

TEST_CASE("a page whose walk is open is not evicted") {
    StoreCase test(5000);
    test.open(8 * kSmallPage);
    const u32 reader = test.store->join();
    std::vector<u32> near;
    for (u32 page = 0; page < test.page_count(); ++page) {
        u64 arrivals = test.store->arrivals();
        Fetch answer = test.store->fetch(reader, page);
        while (answer == Fetch::Coming) {
            test.store->wait_beyond(arrivals);
            arrivals = test.store->arrivals();
            answer = test.store->fetch(reader, page);
        }
        if (answer == Fetch::Near) {
            near.push_back(page);
        }
    }
    CHECK(near.size() >= 8);
    CHECK(near.size() < test.page_count());
    CHECK(test.store->figures().evictions == 0);
    for (const u32 page : near) {
        CHECK(test.state_of(page) == PageState::Fresh);
        CHECK(test.store->fetch(reader, page) == Fetch::Near);
        CHECK(test.is_right(page));
    }
    // Each walk that ends makes room for another page.
    test.visit(reader, near[0]);
    test.visit(reader, near[1]);
    test.visit(reader, near[2]);
    test.visit(reader, test.page_count() - 1);
    CHECK(test.store->figures().evictions > 0);
}

TEST_CASE("a second fetch keeps a page until its walk ends") {
    StoreCase test(5000);
    test.open(8 * kSmallPage, 2);
    const u32 reader = test.store->join();
    test.visit(reader, 0);
    const u32 waiting = test.store->join();
    CHECK(test.store->fetch(waiting, 0) == Fetch::Near);
    for (u32 page = 1; page < test.page_count(); ++page) {
        test.visit(reader, page);
        // Others' visits do not end the walk.
        test.visit(reader, 0);
        REQUIRE(test.state_of(0) != PageState::Far);
    }
    test.store->end_walk(waiting, 0);
    for (u32 page = 1; page < test.page_count(); ++page) {
        test.visit(reader, page);
    }
    CHECK(test.state_of(0) == PageState::Far);
}

TEST_CASE("pages that are entered all the time are read less often than in order of age") {
    StoreCase test(20000);
    test.open(16 * kSmallPage);
    const u32 reader = test.store->join();
    constexpr u32 kHot = 6;
    for (u32 page = kHot; page < test.page_count(); ++page) {
        test.visit(reader, page);
        for (u32 hot = 0; hot < kHot; ++hot) {
            // As rays that come by: nobody has asked for the page.
            test.store->enter(reader);
            const bool is_near = test.use(hot);
            test.store->leave(reader);
            if (!is_near) {
                test.visit(reader, hot);
            }
        }
    }
    // At most 12 pages are near beside the room ahead, so by age each hot page would be read again
    // after 12 others: half as many reads again as there are pages.
    const u64 again = test.store->figures().reads - test.page_count();
    CHECK(again < test.page_count() / 8);
}

TEST_CASE("a page that leaves keeps its memory while a reader is inside") {
    StoreCase test(5000);
    test.open(8 * kSmallPage, 2);
    const u32 slow = test.store->join();
    const u32 reader = test.store->join();
    test.bring(slow, 0);
    test.store->enter(slow);
    REQUIRE(test.use(0));
    test.store->end_walk(slow, 0);
    u32 next = 1;
    for (; test.state_of(0) != PageState::Far; ++next) {
        test.visit(reader, next);
    }
    // Fetches go on until leaving pages fill the budget, and then all are refused.
    Fetch answer = Fetch::Near;
    while (answer != Fetch::Refused) {
        CHECK(test.is_right(0));
        u64 arrivals = test.store->arrivals();
        answer = test.store->fetch(reader, next);
        while (answer == Fetch::Coming) {
            test.store->wait_beyond(arrivals);
            arrivals = test.store->arrivals();
            answer = test.store->fetch(reader, next);
        }
        if (answer == Fetch::Near) {
            test.visit(reader, next++);
        }
    }
    CHECK(test.is_right(0));
    CHECK(test.state_of(0) == PageState::Far);
    CHECK(test.store->figures().most_bytes <= 8 * kSmallPage);
    // One that was closed last is near again without a read.
    const u64 reads = test.store->figures().reads;
    CHECK(test.store->fetch(reader, 0) == Fetch::Near);
    CHECK(test.state_of(0) == PageState::Fresh);
    CHECK(test.is_right(0));
    CHECK(test.store->figures().reads == reads);
    test.store->leave(slow);
    test.visit(reader, next);
    CHECK(test.store->figures().reads == reads + 1);
}

TEST_CASE("pages that were fetched for readers that have parted can leave") {
    StoreCase test(5000);
    test.open(8 * kSmallPage, 1, 64);
    const u32 reader = test.store->join();
    // With many reads at once, some are under way when the budget is full and the reader parts.
    u32 next = 0;
    for (u64 arrivals = 0; test.store->figures().most_bytes + kSmallPage <= 8 * kSmallPage;) {
        arrivals = test.store->arrivals();
        if (test.store->fetch(reader, next) == Fetch::Coming) {
            ++next;
        } else {
            test.store->wait_beyond(arrivals);
        }
    }
    test.store->part(reader);
    const u32 another = test.store->join();
    for (u64 arrivals = 0; arrivals < next; arrivals = test.store->arrivals()) {
        test.store->wait_beyond(arrivals);
    }
    for (u32 page = next; page < next + 20; ++page) {
        test.visit(another, page);
    }
    CHECK(test.store->figures().evictions >= 20);
}

TEST_CASE("readers with the least budget all come to their pages") {
    for (const bool may_use_ring : {true, false}) {
        CAPTURE(may_use_ring);
        StoreCase test(5000);
        test.may_use_ring = may_use_ring;
        for (const u32 reader_count : {1U, 2U, 4U, 9U}) {
            for (const u32 reads_in_flight : {1U, 16U}) {
                CAPTURE(reader_count);
                const u64 least = PageStore::least_budget(test.right.resident, reader_count);
                test.open(least, reader_count, reads_in_flight);
                std::vector<std::thread> threads;
                std::atomic<u32> visits = 0;
                for (u32 k = 0; k < reader_count; ++k) {
                    threads.emplace_back([&test, &visits, k] {
                        const u32 reader = test.store->join();
                        std::mt19937 random(k);
                        for (int turn = 0; turn < 200; ++turn) {
                            test.visit(reader, static_cast<u32>(random() % test.page_count()));
                            ++visits;
                        }
                        test.store->part(reader);
                    });
                }
                for (std::thread& thread : threads) {
                    thread.join();
                }
                CHECK(visits == 200 * reader_count);
                CHECK(test.store->figures().most_bytes <= least);
                CHECK_FALSE(test.store->has_failed());
            }
        }
    }
}

TEST_CASE("a store ends while reads are under way") {
    for (const bool may_use_ring : {true, false}) {
        CAPTURE(may_use_ring);
        StoreCase test(5000);
        test.may_use_ring = may_use_ring;
        for (u32 turn = 0; turn < 20; ++turn) {
            test.open(u64{1} << 30, 1, 64);
            const u32 reader = test.store->join();
            for (u32 page = 0; page < turn; ++page) {
                CHECK(test.store->fetch(reader, page) != Fetch::Refused);
            }
            test.store.reset();
        }
    }
}

TEST_CASE("no more reads are under way than asked for") {
    StoreCase test(5000);
    test.open(u64{1} << 30, 1, 1);
    // With one at once each Coming after the first needs an arrival in between.
    u64 coming = 0;
    const u32 reader = test.store->join();
    for (u32 page = 0; page < test.page_count(); ++page) {
        coming += test.store->fetch(reader, page) == Fetch::Coming ? 1U : 0U;
        CHECK(coming <= test.store->arrivals() + 1);
    }
    CHECK(coming > 0);
}

TEST_CASE("trees without pages and of one block are stores too") {
    StoreCase empty(0);
    empty.open(0);
    CHECK(empty.store->view().root == shaders::kRefEmpty);
    CHECK(empty.store->figures().count == 0);
    empty.store->wait_beyond(0);
    empty.store->part(empty.store->join());
    StoreCase one(1);
    one.open(PageStore::least_budget(one.right.resident, 1));
    const u32 reader = one.store->join();
    CHECK((one.store->view().root & shaders::kRefKind) == shaders::kRefPage);
    CHECK(one.visit(reader, 0) == 0);
    CHECK(one.store->figures().most_bytes == kPageAlign);
}

TEST_SUITE_END();

}  // namespace weft::pages::testing
