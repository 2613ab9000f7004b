#include "engine/pages/page_store.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/pages/page_arrays.h"
#include "engine/pages/page_listeners.h"
#include "engine/pages/page_lives.h"
#include "engine/pages/page_reader.h"
#include "engine/pages/page_ring.h"
#include "engine/pages/page_source.h"
#include "engine/pages/page_tasks.h"
#include "scheduler/base/memory_limit.h"

namespace weft::pages {

namespace {

// Threads for loads, where each waits for its read; one more for walks and evictions.
constexpr u32 kMostThreads = 16;
// Threads where a ring waits for reads.
constexpr u32 kThreadsBesideRing = 2;

// Walks that a reader has open at once, at most.
constexpr u32 kWalksOfReader = 32;

u64 sum_of_bytes(const std::vector<PageEntry>& pages) {
    u64 sum = 0;
    for (const PageEntry& page : pages) {
        sum += page.size_bytes();
    }
    return sum;
}

u32 thread_count(const PageStoreConfig& config, u64 page_count, bool has_ring) {
    if (page_count == 0) {
        return 0;
    }
    return has_ring ? kThreadsBesideRing : std::min(config.reads_in_flight, kMostThreads) + 1;
}

}  // namespace

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

PageStore::State::State(ResidentTree resident,
                        const PageStoreConfig& asked,
                        PageArrays reserved,
                        std::unique_ptr<PageSource> opened)
    : tree(std::move(resident)),
      config(asked),
      arrays(std::move(reserved)),
      source(std::move(opened)),
      ahead_bytes(std::min(asked.reads_in_flight * tree.most_page_bytes, asked.budget_bytes / 4)),
      lives(tree.pages.size(), asked.reader_count),
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

u64 PageStore::least_budget(const ResidentTree& tree, u32 reader_count) {
    return std::min(sum_of_bytes(tree.pages), 3 * u64{reader_count} * tree.most_page_bytes);
}

base::Result<std::unique_ptr<PageStore>> PageStore::open(ResidentTree tree,
                                                         const PageStoreConfig& config) {
    ENSURE(config.budget_bytes, >=, least_budget(tree, config.reader_count));
    ENSURE(config.reads_in_flight, >, 0U);
    base::Result<std::unique_ptr<PageSource>> source = PageSource::open(config.path);
    WEFT_TRY(source);
    base::Result<PageArrays> arrays = PageArrays::reserve(tree);
    WEFT_TRY(arrays);
    const u64 resident_bytes = tree.size_bytes();
    const auto node_count = static_cast<u32>(tree.nodes.size());
    tree.nodes = {};
    auto state = std::make_unique<State>(
        std::move(tree), config, std::move(arrays.value()), std::move(source.value()));
    state->figures.resident_bytes = resident_bytes;
    state->resident_nodes = node_count;
    return std::unique_ptr<PageStore>(new PageStore(std::move(state)));
}

PageStore::PageStore(std::unique_ptr<State> state) : state_(std::move(state)) {}

PageStore::~PageStore() = default;

shaders::BvhView PageStore::view() const {
    return {.nodes = state_->arrays.nodes(),
            .blocks = state_->arrays.blocks(),
            .placements = state_->tree.placements.data(),
            .root = state_->tree.root,
            .page_roots = state_->tree.roots.data(),
            .page_states = state_->lives.states()};
}

ResidentRows PageStore::resident() const {
    const ResidentTree& tree = state_->tree;
    return {.first_node = tree.page_node_rows,
            .node_count = state_->resident_nodes,
            .roots = tree.roots,
            .placements = tree.placements,
            .pages = tree.pages};
}

u32 PageStore::reader_count() const {
    return state_->config.reader_count;
}

u32 PageStore::tell_of_changes(std::function<void()> tell) {
    return state_->listeners.add(std::move(tell));
}

void PageStore::stop_telling(u32 listener) {
    state_->listeners.remove(listener);
}

RecordView PageStore::records() const {
    return {state_->arrays.sheets(), state_->tree.pages.data(), state_->tree.tables};
}

u32 PageStore::join() {
    const std::lock_guard lock(state_->mutex);
    std::vector<State::Reader>& readers = state_->readers;
    const auto place = std::find_if(
        readers.begin(), readers.end(), [](const State::Reader& one) { return !one.is_joined; });
    ENSURE(place != readers.end(), ==, true);
    place->is_joined = true;
    return static_cast<u32>(place - readers.begin());
}

void PageStore::part(u32 reader) {
    ENSURE(state_->lives.epochs().is_inside(reader), ==, false);
    state_->end_walks(reader, false);
    const std::lock_guard lock(state_->mutex);
    ENSURE(state_->readers.at(reader).is_joined, ==, true);
    state_->readers[reader].is_joined = false;
}

void PageStore::enter(u32 reader) {
    state_->lives.epochs().enter(reader);
}

void PageStore::leave(u32 reader) {
    state_->lives.epochs().leave(reader);
    // After leaving, as eviction counts the page before it looks for readers: one of the two lets
    // the event happen.
    if (state_->lives.is_any_waited_for()) {
        const std::lock_guard lock(state_->mutex);
        state_->tell_left();
    }
}

Fetch PageStore::fetch(u32 reader, u32 page) {
    ENSURE(page, <, state_->tree.pages.size());
    if (state_->has_failed) {
        return Fetch::Refused;
    }
    const std::vector<u32>& open = state_->readers[reader].pages;
    if (std::find(open.begin(), open.end(), page) != open.end()) {
        const bool is_far = state_->lives.states()[page].load() == shaders::PageState::Far;
        return is_far ? Fetch::Coming : Fetch::Near;
    }
    const std::lock_guard lock(state_->mutex);
    return state_->start(reader, page);
}

void PageStore::end_walk(u32 reader, u32 page) {
    if (std::erase(state_->readers[reader].pages, page) > 0) {
        const std::lock_guard lock(state_->mutex);
        state_->end_walk(page);
    }
}

void PageStore::end_near_walks(u32 reader) {
    state_->end_walks(reader, true);
}

void PageStore::end_walks(u32 reader) {
    state_->end_walks(reader, false);
}

u64 PageStore::arrivals() const {
    return state_->arrivals;
}

u32 PageStore::arrived_page(u64 number) const {
    const u64 found = state_->arrived[number % kArrivalsKept].load(std::memory_order_relaxed);
    return found >> 32 == (number & 0xffffffff) ? static_cast<u32>(found) : kNone;
}

void PageStore::wait_beyond(u64 arrivals) {
    std::unique_lock lock(state_->mutex);
    state_->ended.wait(lock, [&] {
        return state_->arrivals > arrivals || state_->has_failed ||
               (state_->under_way == 0 && state_->leaving_bytes == 0);
    });
}

void PageStore::fail(const base::Error& error) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->first_error = state_->has_failed ? state_->first_error : error;
        state_->has_failed = true;
    }
    state_->tell_all();
}

bool PageStore::has_failed() const {
    return state_->has_failed;
}

base::Error PageStore::failure() const {
    const std::lock_guard lock(state_->mutex);
    return state_->first_error;
}

PageFigures PageStore::figures() const {
    const std::lock_guard lock(state_->mutex);
    PageFigures figures = state_->figures;
    figures.tasks = state_->tasks.figures();
    figures.is_direct = state_->source->is_direct();
    return figures;
}

}  // namespace weft::pages
