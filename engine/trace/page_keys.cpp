#include "engine/trace/page_keys.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::trace {

void PagedCounters::add(const PagedCounters& other) {
    rays_waited += other.rays_waited;
    page_visits += other.page_visits;
    kernel_calls += other.kernel_calls;
    restarts += other.restarts;
    hits_waited += other.hits_waited;
}

PageKeys::PageKeys(pages::PageStore& store, const PageKeysConfig& config, PageOf page_of)
    : store_(store),
      states_(store.view().page_states),
      config_(config),
      page_of_(std::move(page_of)),
      ids_(config.batch),
      entries_(config.batch) {}

fibre::Fetch PageKeys::fetch(fibre::Key key) const {
    // What has failed ends without its pages.
    if (key.tag != kPageTag || store_.has_failed()) {
        return fibre::Fetch::Near;
    }
    switch (config_.desk ? config_.desk->fetch(config_.user, key.value)
                         : store_.fetch(config_.reader, key.value)) {
        case pages::Fetch::Near:
            return fibre::Fetch::Near;
        case pages::Fetch::Coming:
            return fibre::Fetch::Coming;
        default:
            return fibre::Fetch::Refused;
    }
}

void PageKeys::leaves(fibre::Key key, std::span<const u32> clusters) const {
    if (key.tag == kPageTag) {
        config_.desk->leaves(config_.user, key.value, clusters);
    }
}

void PageKeys::end_walk(fibre::Key key) const {
    if (key.tag == kPageTag && config_.desk) {
        config_.desk->end_slice(config_.user, key.value, config_.cluster);
    } else if (key.tag == kPageTag) {
        store_.end_walk(config_.reader, key.value);
    }
}

void PageKeys::await_fetch() {
    // Beyond those of the last time: none is slept through that came after a look at its page.
    store_.wait_beyond(seen_arrivals_);
    seen_arrivals_ = store_.arrivals();
}

bool PageKeys::next_arrival(fibre::Key& key) {
    const u64 arrivals = store_.arrivals();
    heard_arrivals_ =
        std::max(heard_arrivals_, arrivals - std::min(arrivals, pages::PageStore::kArrivalsKept));
    while (heard_arrivals_ < arrivals) {
        const u32 page = store_.arrived_page(heard_arrivals_++);
        if (page != kNone && states_[page].load() != shaders::PageState::Far) {
            key = {page, kPageTag};
            return true;
        }
    }
    return false;
}

void PageKeys::send_on(std::span<PageWaiter> waiting, fibre::Spawner& spawner) {
    if (!config_.is_keyed) {
        wait_for({0, kInOrderTag}, waiting, spawner);
        return;
    }
    std::sort(waiting.begin(), waiting.end(), [](const PageWaiter& a, const PageWaiter& b) {
        return a.page != b.page ? a.page < b.page : a.element < b.element;
    });
    for (std::size_t begin = 0, end = 0; begin < waiting.size(); begin = end) {
        const u32 page = waiting[begin].page;
        while (end < waiting.size() && waiting[end].page == page) {
            ++end;
        }
        wait_for({page, kPageTag}, waiting.subspan(begin, end - begin), spawner);
    }
}

void PageKeys::wait_for(fibre::Key key,
                        std::span<const PageWaiter> waiting,
                        fibre::Spawner& spawner) {
    if (waiting.empty()) {
        return;
    }
    for (std::size_t k = 0; k < waiting.size(); ++k) {
        ids_[k] = waiting[k].element;
        entries_[k] = waiting[k].entry;
    }
    const std::span<const u32> ids(ids_.data(), waiting.size());
    // The list memory holds every element once for each of its fibres, and a fibre waits once; a
    // lost cluster keeps nothing.
    const bool is_kept = spawner.rekey(key, ids, {entries_.data(), waiting.size()});
    ENSURE((is_kept || config_.desk != nullptr), ==, true);
}

void PageKeys::visit_in_order(std::span<const u32> elements, const Visit& visit) const {
    for (std::size_t k = 0; k < elements.size(); ++k) {
        const std::span<const u32> ahead =
            elements.subspan(k, std::min<std::size_t>(config_.reads_ahead, elements.size() - k));
        read_ahead(ahead);
        const u32 page = page_of_(elements[k]);
        if (page == kNone) {
            continue;
        }
        come_to(page);
        enter();
        if (use(page)) {
            visit(elements[k]);
        }
        leave();
        // The walk goes on where an element next in line needs the page, too.
        const auto needs_page = [&](u32 element) { return page_of_(element) == page; };
        if (std::none_of(ahead.begin() + 1, ahead.end(), needs_page)) {
            store_.end_walk(config_.reader, page);
        }
    }
    // Of elements that needed no page any more at their turn.
    store_.end_near_walks(config_.reader);
}

// Starts reads for elements in line, up to the first that is refused.
void PageKeys::read_ahead(std::span<const u32> elements) const {
    for (const u32 element : elements) {
        const u32 page = page_of_(element);
        if (page != kNone && store_.fetch(config_.reader, page) == pages::Fetch::Refused) {
            return;
        }
    }
}

// Blocks until a page is near, or reading has failed. Pages that were read ahead and have come may
// leave meanwhile: the page could wait for them otherwise.
void PageKeys::come_to(u32 page) const {
    for (;;) {
        const u64 arrivals = store_.arrivals();
        if (store_.fetch(config_.reader, page) == pages::Fetch::Near || store_.has_failed()) {
            return;
        }
        store_.end_near_walks(config_.reader);
        store_.wait_beyond(arrivals);
    }
}

}  // namespace weft::trace
