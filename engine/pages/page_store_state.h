// page_store_state.h — what is behind the façade of page_store.h: the budget, who waits for which
// page, and the tasks that load, walk and evict pages.
//
// Members say which of them need the lock. Only page_store.cpp and page_store_state.cpp include
// this file.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/pages/page_arrays.h"
#include "engine/pages/page_listeners.h"
#include "engine/pages/page_lives.h"
#include "engine/pages/page_reader.h"
#include "engine/pages/page_ring.h"
#include "engine/pages/page_source.h"
#include "engine/pages/page_store.h"
#include "engine/pages/page_tasks.h"

namespace weft::pages {

// Walks that a reader has open at once, at most.
inline constexpr u32 kWalksOfReader = 32;

u64 sum_of_bytes(const std::vector<PageEntry>& pages);

struct PageStore::State {
    State(ResidentTree resident,
          const PageStoreConfig& asked,
          PageArrays reserved,
          std::unique_ptr<PageSource> opened);
    ~State();

    // All with the lock held.
    Fetch start(u32 reader, u32 page);
    bool launch_load(u32 page);
    bool begin_walk(u32 reader, u32 page);
    void end_walk(u32 page);
    void make_room(u64 page_bytes);
    bool evict_one();
    void restore(u32 page);
    void tell_left();
    void give_back(u64 page_bytes);

    void end_walks(u32 reader, bool is_near_only);
    // Wakes who waits, and tells the listeners; with or without the lock.
    void tell_all();

    // Programs of tasks, on reading threads.
    bool load(u32 page);
    void evict(u32 page, u32 turn);
    void end_read(u32 page, bool is_whole);
    void end_load(u32 page, const base::Status& status);

    // Of the reader's thread alone, but is_joined.
    struct alignas(64) Reader {
        bool is_joined = false;
        std::vector<u32> pages;  // of its open walks
    };

    const ResidentTree tree;  // its nodes are in `arrays`
    u32 resident_nodes = 0;
    const PageStoreConfig config;
    const PageArrays arrays;
    const std::unique_ptr<PageSource> source;
    const u64 ahead_bytes;  // free room that fetches leave behind, where they can
    PageLives lives;
    std::vector<Reader> readers;

    std::mutex mutex;
    std::condition_variable ended;  // a read, an eviction, or all reading
    PageListeners listeners;
    PageFigures figures;
    u64 used_bytes = 0;     // of pages that are coming, near or leaving
    u64 leaving_bytes = 0;  // of these, of those closed
    u64 pledged_bytes = 0;  // that pages may come to fill (scheduler/base/memory_limit.h)
    u32 under_way = 0;
    base::Error first_error;
    // By number of the read, modulo: number << 32 | page. Relaxed: a number that was overwritten
    // does not fit.
    std::array<std::atomic<u64>, kArrivalsKept> arrived{};
    std::atomic<u64> arrivals = 0;  // written with the lock held, as has_failed
    std::atomic<bool> has_failed = false;

    PageTasks tasks;
    // Last: their threads use all of the above.
    const std::unique_ptr<PageRing> maybe_ring;
    PageReader workers;
};

}  // namespace weft::pages
