// store_case.h — a page file with small pages, what it holds, and a store over it, for tests of the
// store.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "engine/pages/page_store.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::pages::testing {

using shaders::PageState;

inline constexpr u64 kSmallPage = u64{16} << 10;

// A file of small pages, what they hold, and a store over it.
struct StoreCase {
    TestFolder folder;
    std::string path = folder.file("tree");
    LoadedTree right;
    bool may_use_ring = true;
    std::unique_ptr<PageStore> store;

    explicit StoreCase(u32 block_count)
        : right(load(path, write_file(path, make_tree(block_count, 5), kSmallPage))) {}

    [[nodiscard]] u32 page_count() const { return static_cast<u32>(right.resident.pages.size()); }

    void open(u64 budget_bytes, u32 reader_count = 1, u32 reads_in_flight = 4) {
        auto opened = PageStore::open(
            right.resident, {path, budget_bytes, reads_in_flight, reader_count, may_use_ring});
        REQUIRE_MESSAGE(opened.is_ok(), opened.error().sentence);
        store = std::move(opened.value());
    }

    [[nodiscard]] PageState state_of(u32 page) const {
        return store->view().page_states[page].load();
    }

    // Whether the rows of a page hold what was written.
    [[nodiscard]] bool is_right(u32 page) const {
        const PageEntry& entry = right.resident.pages[page];
        const shaders::BvhView view = store->view();
        const u64 node_bytes = entry.node_count * sizeof(shaders::BvhNode);
        const u64 block_bytes = entry.block_count * sizeof(shaders::LeafBlock);
        return (node_bytes == 0 || std::memcmp(view.nodes + entry.first_node,
                                               right.nodes.data() + entry.first_node,
                                               node_bytes) == 0) &&
               std::memcmp(view.blocks + entry.first_block,
                           right.blocks.data() + entry.first_block,
                           block_bytes) == 0;
    }

    // As a kernel enters a page: false if it is far.
    [[nodiscard]] bool use(u32 page) const {
        std::atomic<PageState>& state = store->view().page_states[page];
        // Acquire: pairs with the store of Fresh.
        PageState found = state.load(std::memory_order_acquire);
        if (found == PageState::Fresh) {
            state.compare_exchange_strong(found, PageState::Used);
        }
        return found != PageState::Far;
    }

    // Fetches until the page is near or reading has failed. A reader that waits for one page keeps
    // no other.
    void bring(u32 reader, u32 page) const {
        for (u64 arrivals = store->arrivals();
             store->fetch(reader, page) != Fetch::Near && !store->has_failed();
             arrivals = store->arrivals()) {
            store->end_near_walks(reader);
            store->wait_beyond(arrivals);
        }
    }

    // Brings a page and traverses it. How often it was far and came again.
    u32 visit(u32 reader, u32 page) const {
        for (u32 misses = 0;; ++misses) {
            bring(reader, page);
            store->enter(reader);
            const bool is_near = use(page);
            const bool is_whole = is_near && is_right(page);
            store->leave(reader);
            store->end_walk(reader, page);
            if (is_near) {
                ENSURE(is_whole, ==, true);
                return misses;
            }
        }
    }
};

}  // namespace weft::pages::testing
