// test_page_desk.cpp — a page that packets of a device wait for stays until the last slice has
// visited it, and no longer.
#include <array>

#include <doctest/doctest.h>

#include "engine/trace/page_desk.h"
#include "tests/engine/pages/store_case.h"

namespace weft::trace::test {

namespace {

using pages::testing::StoreCase;

constexpr std::array<u32, 2> kBoth = {0, 1};

// A store for one desk, and nobody else.
struct DeskCase {
    StoreCase pages{5000};
    std::unique_ptr<PageDesk> desk;

    DeskCase() {
        pages.open(pages::PageStore::least_budget(pages.right.resident, 2), 2);
        desk = std::make_unique<PageDesk>(*pages.store, 2);
    }

    void bring(PageUser user, u32 page) const {
        for (u64 arrivals = pages.store->arrivals(); desk->fetch(user, page) != pages::Fetch::Near;
             arrivals = pages.store->arrivals()) {
            pages.store->wait_beyond(arrivals);
        }
    }

    [[nodiscard]] u64 open_walks() const { return pages.store->figures().open_walks; }
};

}  // namespace

TEST_SUITE("engine/trace/page_desk") {
    TEST_CASE("N5 F13 a walk ends with the last slice of its packet") {
        const DeskCase test;
        test.bring(PageUser::Closest, 3);
        CHECK(test.open_walks() == 1);
        test.desk->leaves(PageUser::Closest, 3, kBoth);
        test.desk->end_slice(PageUser::Closest, 3, 1);
        CHECK(test.open_walks() == 1);
        test.desk->end_slice(PageUser::Closest, 3, 0);
        CHECK(test.open_walks() == 0);
        // Without a slice it ends at once.
        test.bring(PageUser::Closest, 4);
        CHECK(test.open_walks() == 1);
        test.desk->leaves(PageUser::Closest, 4, {});
        CHECK(test.open_walks() == 0);
    }

    TEST_CASE("N5 users share the walk of a page and each ends its own part") {
        const DeskCase test;
        test.bring(PageUser::Closest, 3);
        test.bring(PageUser::Shadow, 3);
        CHECK(test.open_walks() == 1);
        test.desk->leaves(PageUser::Closest, 3, kBoth);
        test.desk->end_slice(PageUser::Closest, 3, 0);
        test.desk->end_slice(PageUser::Closest, 3, 1);
        CHECK(test.open_walks() == 1);
        test.desk->leaves(PageUser::Shadow, 3, kBoth);
        // A collection asks again while slices of the former packet are on their way.
        test.bring(PageUser::Shadow, 3);
        test.desk->end_slice(PageUser::Shadow, 3, 0);
        test.desk->end_slice(PageUser::Shadow, 3, 1);
        CHECK(test.open_walks() == 1);
        test.desk->leaves(PageUser::Shadow, 3, {});
        CHECK(test.open_walks() == 0);
    }

    TEST_CASE("W7 slices of a lost cluster keep no page and may end late") {
        const DeskCase test;
        test.bring(PageUser::Hits, 2);
        test.desk->leaves(PageUser::Hits, 2, kBoth);
        test.desk->end_slice(PageUser::Hits, 2, 0);
        CHECK(test.open_walks() == 1);
        test.desk->forget(1);
        CHECK(test.open_walks() == 0);
        test.bring(PageUser::Hits, 2);
        test.desk->end_slice(PageUser::Hits, 2, 1);
        CHECK(test.open_walks() == 1);
        test.desk->leaves(PageUser::Hits, 2, {});
        CHECK(test.open_walks() == 0);
    }

    TEST_CASE("there is room when every cluster that is not lost has it") {
        const DeskCase test;
        CHECK(test.desk->has_room(PageUser::Closest));
        test.desk->set_room(PageUser::Closest, 0, false);
        test.desk->set_room(PageUser::Closest, 1, false);
        CHECK(test.desk->has_room(PageUser::Shadow));
        test.desk->set_room(PageUser::Closest, 0, true);
        CHECK_FALSE(test.desk->has_room(PageUser::Closest));
        test.desk->forget(1);
        test.desk->set_room(PageUser::Closest, 1, false);
        CHECK(test.desk->has_room(PageUser::Closest));
    }

    TEST_CASE("at rest no page is kept and slices may end later") {
        const DeskCase test;
        test.bring(PageUser::Closest, 1);
        test.bring(PageUser::Closest, 2);
        test.desk->leaves(PageUser::Closest, 2, kBoth);
        test.desk->rest();
        CHECK(test.open_walks() == 0);
        test.desk->end_slice(PageUser::Closest, 2, 0);
        // What asks for it again has it whatever slices of before end.
        test.bring(PageUser::Closest, 2);
        test.desk->end_slice(PageUser::Closest, 2, 1);
        CHECK(test.open_walks() == 1);
        test.desk->leaves(PageUser::Closest, 2, {});
        CHECK(test.open_walks() == 0);
    }
}

}  // namespace weft::trace::test
