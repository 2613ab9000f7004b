#include "engine/pages/page_store.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "engine/pages/page_arrays.h"
#include "engine/pages/page_lives.h"
#include "engine/pages/page_reader.h"
#include "scheduler/base/memory_limit.h"

namespace weft::pages {

namespace {

constexpr u32 kMostThreads = 16;

u64 sum_of_bytes(const std::vector<PageEntry>& pages) {
    u64 sum = 0;
    for (const PageEntry& page : pages) {
        sum += page.size_bytes();
    }
    return sum;
}

}  // namespace

struct PageStore::State {
    State(ResidentTree resident,
          const PageStoreConfig& asked,
          PageArrays reserved,
          std::unique_ptr<PageSource> source);
    ~State();

    // All with the lock held.
    Fetch start(u32 page);
    void make_room(u64 page_bytes);
    void release_left();
    void give_back(u64 page_bytes);

    // A reading thread has ended a page.
    void end_read(u32 page, const base::Status& status);

    const ResidentTree tree;  // its nodes are in `arrays`
    const PageStoreConfig config;
    const PageArrays arrays;
    const u64 ahead_bytes;  // free room that fetches leave behind, where they can
    PageLives lives;

    std::mutex mutex;
    std::condition_variable ended;  // a read, or all reading
    PageFigures figures;
    u64 used_bytes = 0;     // of pages that are coming, near or leaving
    u64 pledged_bytes = 0;  // that pages may come to fill (scheduler/base/memory_limit.h)
    u32 under_way = 0;
    std::vector<bool> is_joined;
    base::Error first_error;
    // By number of the read, modulo: number << 32 | page. Relaxed: a number that was overwritten
    // does not fit.
    std::array<std::atomic<u64>, kArrivalsKept> arrived{};
    std::atomic<u64> arrivals = 0;  // written with the lock held, as has_failed
    std::atomic<bool> has_failed = false;

    PageReader reader;  // last: its threads use all of the above
};

PageStore::State::State(ResidentTree resident,
                        const PageStoreConfig& asked,
                        PageArrays reserved,
                        std::unique_ptr<PageSource> source)
    : tree(std::move(resident)),
      config(asked),
      arrays(std::move(reserved)),
      ahead_bytes(std::min(asked.reads_in_flight * tree.most_page_bytes, asked.budget_bytes / 4)),
      lives(tree.pages, asked.reader_count),
      is_joined(asked.reader_count),
      reader(std::move(source),
             tree.pages,
             arrays,
             tree.pages.empty() ? 0 : std::min(asked.reads_in_flight, kMostThreads),
             [this](u32 page, const base::Status& status) { end_read(page, status); }) {
    figures.count = tree.pages.size();
    figures.bytes = sum_of_bytes(tree.pages);
    for (const PageEntry& page : tree.pages) {
        figures.record_count += page.sheet_count > 0 ? 1U : 0U;
        figures.record_bytes += page.sheet_bytes();
    }
    figures.budget_bytes = asked.budget_bytes;
    figures.least_bytes = least_budget(tree, asked.reader_count);
    pledged_bytes = std::min(figures.bytes, figures.budget_bytes);
    base::pledge_memory(pledged_bytes);
}

PageStore::State::~State() {
    base::end_pledge(pledged_bytes);
}

Fetch PageStore::State::start(u32 page) {
    release_left();
    switch (lives.ask(page)) {
        case Phase::Promised:
        case Phase::Passed:
            return Fetch::Near;
        case Phase::Coming:
            return Fetch::Coming;
        case Phase::Leaving:
            // Its memory is still there.
            lives.restore(page);
            return Fetch::Near;
        case Phase::Far:
            break;
    }
    const u64 page_bytes = tree.pages[page].size_bytes();
    if (has_failed || under_way >= config.reads_in_flight) {
        return Fetch::Refused;
    }
    make_room(page_bytes);
    if (used_bytes + page_bytes > config.budget_bytes) {
        return Fetch::Refused;
    }
    used_bytes += page_bytes;
    pledged_bytes -= page_bytes;
    base::end_pledge(page_bytes);
    figures.most_bytes = std::max(figures.most_bytes, used_bytes);
    ++under_way;
    lives.start(page);
    reader.push(page);
    return Fetch::Coming;
}

void PageStore::State::make_room(u64 page_bytes) {
    // A tree that fits as a whole needs no room ahead.
    const u64 staying = used_bytes - lives.leaving_bytes() + page_bytes;
    const u64 ahead = std::min(ahead_bytes, figures.bytes - staying);
    while (used_bytes - lives.leaving_bytes() + page_bytes + ahead > config.budget_bytes &&
           lives.retire_one()) {
        ++figures.evictions;
    }
    release_left();
}

void PageStore::State::release_left() {
    while (const std::optional<u32> page = lives.take_left()) {
        arrays.empty(tree.pages[*page]);
        give_back(tree.pages[*page].size_bytes());
    }
}

// Memory of a page that the budget may hold again.
void PageStore::State::give_back(u64 page_bytes) {
    used_bytes -= page_bytes;
    pledged_bytes += page_bytes;
    base::pledge_memory(page_bytes);
}

void PageStore::State::end_read(u32 page, const base::Status& status) {
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
    ended.notify_all();
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
    tree.nodes = {};
    auto state = std::make_unique<State>(
        std::move(tree), config, std::move(arrays.value()), std::move(source.value()));
    state->figures.resident_bytes = resident_bytes;
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

RecordView PageStore::records() const {
    return {state_->arrays.sheets(), state_->tree.pages.data(), state_->tree.tables};
}

u32 PageStore::join() {
    const std::lock_guard lock(state_->mutex);
    std::vector<bool>& is_joined = state_->is_joined;
    const auto place = std::find(is_joined.begin(), is_joined.end(), false);
    ENSURE(place != is_joined.end(), ==, true);
    *place = true;
    return static_cast<u32>(place - is_joined.begin());
}

void PageStore::part(u32 reader) {
    ENSURE(state_->lives.epochs().is_inside(reader), ==, false);
    const std::lock_guard lock(state_->mutex);
    std::vector<bool>& is_joined = state_->is_joined;
    ENSURE(is_joined.at(reader), ==, true);
    is_joined[reader] = false;
    if (std::find(is_joined.begin(), is_joined.end(), true) == is_joined.end()) {
        state_->lives.end_promises();
    }
}

void PageStore::enter(u32 reader) {
    state_->lives.epochs().enter(reader);
}

void PageStore::leave(u32 reader) {
    state_->lives.epochs().leave(reader);
}

Fetch PageStore::fetch(u32 page) {
    ENSURE(page, <, state_->tree.pages.size());
    if (state_->has_failed) {
        return Fetch::Refused;
    }
    switch (state_->lives.ask(page)) {
        case Phase::Promised:
            return Fetch::Near;
        case Phase::Coming:
            return Fetch::Coming;
        default:
            break;
    }
    const std::lock_guard lock(state_->mutex);
    return state_->start(page);
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
        return state_->arrivals > arrivals || state_->has_failed || state_->under_way == 0;
    });
}

void PageStore::fail(const base::Error& error) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->first_error = state_->has_failed ? state_->first_error : error;
        state_->has_failed = true;
    }
    state_->ended.notify_all();
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
    figures.is_direct = state_->reader.is_direct();
    return figures;
}

}  // namespace weft::pages
