#include "engine/pages/page_store.h"

#include <algorithm>

#include "engine/pages/page_store_state.h"
#include "scheduler/base/ensure.h"

namespace weft::pages {

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

PageRows PageStore::rows() const {
    const ResidentTree& tree = state_->tree;
    return {.nodes = {state_->arrays.nodes(), tree.page_node_rows + tree.nodes.size()},
            .blocks = {state_->arrays.blocks(), tree.page_block_rows},
            .sheets = {state_->arrays.sheets(), tree.page_sheets * kPageAlign}};
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
