#include "engine/pages/page_store_state.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "scheduler/base/memory_limit.h"

namespace weft::pages {

namespace {

// Threads for loads, where each waits for its read; one more for walks and evictions.
constexpr u32 kMostThreads = 16;
// Threads where a ring waits for reads.
constexpr u32 kThreadsBesideRing = 2;

u32 thread_count(const PageStoreConfig& config, u64 page_count, bool has_ring) {
    if (page_count == 0) {
        return 0;
    }
    return has_ring ? kThreadsBesideRing : std::min(config.reads_in_flight, kMostThreads) + 1;
}

}  // namespace

u64 sum_of_bytes(const std::vector<PageEntry>& pages) {
    u64 sum = 0;
    for (const PageEntry& page : pages) {
        sum += page.size_bytes();
    }
    return sum;
}

PageStore::State::State(ResidentTree resident,
                        const PageStoreConfig& asked,
                        PageArrays reserved,
                        std::unique_ptr<PageSource> opened)
    : tree(std::move(resident)),
      config(asked),
      arrays(std::move(reserved)),
      source(std::move(opened)),
      ahead_bytes(std::min(asked.reads_in_flight * tree.most_page_bytes, asked.budget_bytes / 4)),
      lives(tree.pages.size(), asked.reader_count, asked.eviction),
      readers(asked.reader_count),
      tasks({.page_count = tree.pages.size(),
             .loads = asked.reads_in_flight,
             .walks = kWalksOfReader * asked.reader_count,
             .load = [this](u32 page) { return load(page); },
             .evict = [this](u32 page, u32 turn) { evict(page, turn); }}),
      maybe_ring(asked.may_use_ring && !tree.pages.empty()
                     ? PageRing::open(asked.reads_in_flight,
                                      [this](u32 page, bool is_whole) { end_read(page, is_whole); })
                     : nullptr),
      workers(tasks, thread_count(asked, tree.pages.size(), maybe_ring != nullptr)) {
    figures.has_ring = maybe_ring != nullptr;
    figures.count = tree.pages.size();
    figures.bytes = sum_of_bytes(tree.pages);
    for (const PageEntry& page : tree.pages) {
        figures.record_count += page.sheet_count > 0 ? 1U : 0U;
        figures.record_bytes += page.sheet_bytes();
    }
    figures.budget_bytes = asked.budget_bytes;
    figures.least_bytes = least_budget(tree, asked.reader_count);
    for (Reader& reader : readers) {
        reader.pages.reserve(kWalksOfReader);
    }
    pledged_bytes = std::min(figures.bytes, figures.budget_bytes);
    base::pledge_memory(pledged_bytes);
}

PageStore::State::~State() {
    workers.stop();  // they give memory back
    if (maybe_ring) {
        maybe_ring->stop();
    }
    base::end_pledge(pledged_bytes);
}

Fetch PageStore::State::start(u32 reader, u32 page) {
    if (has_failed || readers[reader].pages.size() == kWalksOfReader) {
        return Fetch::Refused;
    }
    if (lives.phase(page) == Phase::Leaving) {
        restore(page);
    } else if (lives.phase(page) == Phase::Far && !launch_load(page)) {
        return Fetch::Refused;
    }
    if (!begin_walk(reader, page)) {
        return Fetch::Refused;
    }
    return lives.phase(page) == Phase::Near ? Fetch::Near : Fetch::Coming;
}

// False: no room for the page, or too many loads are under way.
bool PageStore::State::launch_load(u32 page) {
    const u64 page_bytes = tree.pages[page].size_bytes();
    if (under_way >= config.reads_in_flight) {
        return false;
    }
    make_room(page_bytes);
    if (used_bytes + page_bytes > config.budget_bytes || !tasks.launch_load(page)) {
        return false;
    }
    used_bytes += page_bytes;
    pledged_bytes -= page_bytes;
    base::end_pledge(page_bytes);
    figures.most_bytes = std::max(figures.most_bytes, used_bytes);
    ++under_way;
    lives.start(page);
    return true;
}

bool PageStore::State::begin_walk(u32 reader, u32 page) {
    if (lives.begin_walk(page)) {
        if (!tasks.begin_walk(page)) {
            lives.end_walk(page);
            return false;
        }
        ++figures.walks;
        ++figures.open_walks;
    }
    readers[reader].pages.push_back(page);
    return true;
}

void PageStore::State::end_walk(u32 page) {
    if (lives.end_walk(page)) {
        tasks.end_walk(page);
        --figures.open_walks;
        listeners.tell();
    }
}

void PageStore::State::tell_all() {
    ended.notify_all();
    listeners.tell();
}

void PageStore::State::make_room(u64 page_bytes) {
    // A tree that fits as a whole needs no room ahead.
    const u64 staying = used_bytes - leaving_bytes + page_bytes;
    const u64 ahead = std::min(ahead_bytes, figures.bytes - staying);
    while (used_bytes - leaving_bytes + page_bytes + ahead > config.budget_bytes && evict_one()) {
    }
}

// Closes the next page that may leave, and launches its eviction.
bool PageStore::State::evict_one() {
    const std::optional<u32> page = lives.close_one();
    if (!page) {
        return false;
    }
    leaving_bytes += tree.pages[*page].size_bytes();
    task::EventId left;
    if (!tasks.launch_evict(*page, lives.turn(*page), left)) {
        restore(*page);
        return false;
    }
    ++figures.evictions;
    lives.wait_for_readers(*page, left);
    tell_left();
    figures.reader_waits += lives.is_any_waited_for() ? 1U : 0U;
    return true;
}

// The rows of a closed page are still there. Its eviction finds that it is void.
void PageStore::State::restore(u32 page) {
    leaving_bytes -= tree.pages[page].size_bytes();
    if (const std::optional<task::EventId> left = lives.restore(page)) {
        tasks.end_wait(page, *left);
    }
    tell_all();  // whoever waits for its memory waits in vain
}

// Lets the events happen of closed pages that no reader can traverse any more.
void PageStore::State::tell_left() {
    while (const std::optional<LeavingPage> closed = lives.take_left()) {
        tasks.end_wait(closed->page, closed->left);
    }
}

// On the reader's thread, without the lock.
void PageStore::State::end_walks(u32 reader, bool is_near_only) {
    const std::lock_guard lock(mutex);
    std::erase_if(readers[reader].pages, [&](u32 page) {
        if (is_near_only && lives.phase(page) != Phase::Near) {
            return false;
        }
        end_walk(page);
        return true;
    });
}

// False: the ring reads, and end_read() follows.
bool PageStore::State::load(u32 page) {
    if (maybe_ring && source->start(*maybe_ring, page, tree.pages[page], arrays)) {
        return false;
    }
    end_load(page, source->read(page, tree.pages[page], arrays));
    return true;
}

// On the ring's thread.
void PageStore::State::end_read(u32 page, bool is_whole) {
    end_load(page, source->finish(page, tree.pages[page], arrays, is_whole));
    tasks.end_load(page);
}

void PageStore::State::end_load(u32 page, const base::Status& status) {
    const PageEntry& entry = tree.pages[page];
    if (!status.is_ok()) {
        arrays.empty(entry);
    }
    {
        const std::lock_guard lock(mutex);
        --under_way;
        if (status.is_ok()) {
            ++figures.reads;
            figures.bytes_read += entry.size_bytes();
            figures.record_reads += entry.sheet_count > 0 ? 1U : 0U;
            lives.publish(page);
        } else {
            lives.abandon(page);
            give_back(entry.size_bytes());
            // What cannot be read is of no use: the next render builds the file again.
            if (!has_failed) {
                first_error = status.error();
                std::remove(config.path.c_str());
            }
            // Seq_cst: pairs with the loads in has_failed and fetch.
            has_failed = true;
        }
        const u64 number = arrivals;
        arrived[number % kArrivalsKept].store(number << 32 | (status.is_ok() ? page : kNone),
                                              std::memory_order_relaxed);
        // Seq_cst: pairs with the load in arrivals(), whose caller then finds the page near.
        ++arrivals;
    }
    tell_all();
}

// No reader is inside that could have seen the page near, and no load has begun behind this.
void PageStore::State::evict(u32 page, u32 turn) {
    {
        const std::lock_guard lock(mutex);
        if (!lives.begin_evict(page, turn)) {
            return;
        }
    }
    arrays.empty(tree.pages[page]);
    {
        const std::lock_guard lock(mutex);
        leaving_bytes -= tree.pages[page].size_bytes();
        give_back(tree.pages[page].size_bytes());
    }
    tell_all();
}

// Memory of a page that the budget may hold again.
void PageStore::State::give_back(u64 page_bytes) {
    used_bytes -= page_bytes;
    pledged_bytes += page_bytes;
    base::pledge_memory(page_bytes);
}

}  // namespace weft::pages
