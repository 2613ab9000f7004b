#include "engine/trace/paged_rays.h"

#include <algorithm>
#include <string>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

// Tags of keys; the value of a page's key is its number.
constexpr u32 kPage = 32;     // rays that wait for one page
constexpr u32 kInOrder = 33;  // unkeyed: rays that wait for any pages, in order of arrival
constexpr u32 kAgain = 34;    // rays that start again at the root, for want of room in the chains

// Visits that there is room for, per ray; a ray crosses some 20 pages of a tree of 2600 without any
// in memory. Few rays have room for as many as one ray may need.
constexpr u32 kVisitsOfRay = 32;
constexpr u32 kFewestVisits = 1U << 17;

u32 most_visits(u32 ray_count) {
    return std::max(ray_count * kVisitsOfRay, kFewestVisits);
}

}  // namespace

void PagedCounters::add(const PagedCounters& other) {
    rays_waited += other.rays_waited;
    page_visits += other.page_visits;
    kernel_calls += other.kernel_calls;
    restarts += other.restarts;
}

PagedRays::PagedRays(const PagedConfig& config,
                     const PagedStage& stage,
                     shaders::TraceCounters& counters)
    : config_(config),
      stage_(stage),
      trace_counters_(counters),
      reader_(stage.store->join()),
      chains_(config.slot_count, most_visits(config.slot_count)),
      recorded_(most_visits(config.batch)),
      ids_(config.batch),
      entries_(config.batch) {
    due_.reserve(config.batch);
    due_ids_.reserve(config.batch);
    waiting_.reserve(config.batch);
}

PagedRays::~PagedRays() {
    stage_.store->part(reader_);
}

bool PagedRays::is_allocated() const {
    return chains_.is_allocated() && recorded_.is_allocated();
}

bool PagedRays::is_page_key(fibre::Key key) {
    return key.tag >= kPage;
}

fibre::Fetch PagedRays::fetch(fibre::Key key) {
    // What has failed ends without its pages.
    pages::PageStore& store = *stage_.store;
    if (store.has_failed() || (key.tag != kPage && key.tag != kAgain)) {
        return fibre::Fetch::Near;
    }
    if (key.tag == kAgain) {
        const bool has_room = chains_.free_count() >= chains_.capacity() / 2;
        return has_room ? fibre::Fetch::Near : fibre::Fetch::Refused;
    }
    switch (store.fetch(key.value)) {
        case pages::Fetch::Near:
            return fibre::Fetch::Near;
        case pages::Fetch::Coming:
            return fibre::Fetch::Coming;
        default:
            return fibre::Fetch::Refused;
    }
}

void PagedRays::await_fetch() {
    // Beyond those of the last time: none is slept through that came after a look at its page.
    stage_.store->wait_beyond(seen_arrivals_);
    seen_arrivals_ = stage_.store->arrivals();
}

bool PagedRays::next_arrival(fibre::Key& key) {
    const pages::PageStore& store = *stage_.store;
    const u64 arrivals = store.arrivals();
    heard_arrivals_ =
        std::max(heard_arrivals_, arrivals - std::min(arrivals, pages::PageStore::kArrivalsKept));
    while (heard_arrivals_ < arrivals) {
        const u32 page = store.arrived_page(heard_arrivals_++);
        if (page != kNone && stage_.scene.bvh.page_states[page].load() != shaders::PageState::Far) {
            key = {page, kPage};
            return true;
        }
    }
    return false;
}

// Traverses from the root with the first rays, as many as the chains certainly hold. Returns their
// number; 0: the chains are too full.
std::size_t PagedRays::trace_some(std::span<const u32> ids, const Traverse& traverse) {
    waits_.items = recorded_.data();
    waits_.capacity = std::min(chains_.free_count(), static_cast<u32>(recorded_.size()));
    for (std::size_t count = ids.size(); count > 0; count /= 2) {
        waits_.count = 0;
        stage_.store->enter(reader_);
        traverse(stage_.scene.bvh.root, ids.first(count));
        stage_.store->leave(reader_);
        if (waits_.count <= waits_.capacity) {
            chains_.add(waits_);
            return count;
        }
        // Some were lost: half of the rays start again, without the tints of this time. A ray that
        // is blocked by now, or has a hit, keeps it.
        counted_.restarts += count;
        for (std::size_t k = 0; config_.is_any && k < count; ++k) {
            std::fill_n(stage_.scene.shadow_tints + std::size_t{3} * ids[k], 3, 0U);
        }
    }
    return 0;
}

void PagedRays::start(std::span<const u32> ids, const Traverse& traverse, fibre::Spawner& spawner) {
    while (!ids.empty()) {
        const std::size_t count = trace_some(ids, traverse);
        settle(ids.first(count), traverse, spawner);
        ids = ids.subspan(count);
        if (count == 0) {
            if (chains_.free_count() == chains_.capacity()) {
                stage_.store->fail({base::ErrorKind::Render,
                                    "a ray crosses more than " + std::to_string(waits_.capacity) +
                                        " parts of the tree that are not in memory; expected a "
                                        "larger --geometry-memory"});
                return;
            }
            waiting_.clear();
            for (const u32 slot : ids) {
                waiting_.push_back({0, slot, 0});
            }
            wait_for({0, kAgain}, waiting_, spawner);
            return;
        }
    }
}

void PagedRays::go_on(const fibre::Packet& packet,
                      const Traverse& traverse,
                      fibre::Spawner& spawner) {
    if (packet.key.tag == kAgain) {
        start(packet.elements, traverse, spawner);
        return;
    }
    if (packet.key.tag == kInOrder) {
        go_on_in_order(packet.elements, traverse);
    } else {
        // The page may be evicted from now on, even if all its rays have ended meanwhile.
        (void)shaders::enter_page(stage_.scene.bvh.page_states[packet.key.value]);
    }
    settle(packet.elements, traverse, spawner);
}

PagedRays::NextVisit PagedRays::next_of(u32 slot) {
    const PageVisit* const visit = chains_.nearest(slot, stage_.rays[slot].t);
    return visit == nullptr ? NextVisit{}
                            : NextVisit{stage_.scene.bvh.page_roots[visit->root].page, *visit};
}

// Visits page roots as long as their pages are near, and sends on the rays that wait.
void PagedRays::settle(std::span<const u32> ids,
                       const Traverse& traverse,
                       fibre::Spawner& spawner) {
    if (stage_.store->has_failed()) {
        for (const u32 slot : ids) {
            chains_.clear(slot);
        }
        return;
    }
    waiting_.clear();
    stage_.store->enter(reader_);
    find_due(ids);
    while (!due_.empty()) {
        visit_due(traverse);
        find_due(due_ids_);
    }
    stage_.store->leave(reader_);
    send_on(spawner);
}

// Collects rays whose nearest page root is near, and rays that wait.
void PagedRays::find_due(std::span<const u32> ids) {
    due_.clear();
    for (const u32 slot : ids) {
        const auto [page, visit] = next_of(slot);
        if (page == kNone) {
            continue;
        }
        if (shaders::enter_page(stage_.scene.bvh.page_states[page])) {
            chains_.drop_nearest(slot);
            due_.push_back({visit.placement, visit.root, slot});
        } else {
            waiting_.push_back({page, slot, visit.entry});
        }
    }
}

// Visits the page roots of due rays, those of one root and placement together.
void PagedRays::visit_due(const Traverse& traverse) {
    std::sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
        return a.placement != b.placement ? a.placement < b.placement
               : a.root != b.root         ? a.root < b.root
                                          : a.slot < b.slot;
    });
    due_ids_.clear();
    for (const Due& due : due_) {
        due_ids_.push_back(due.slot);
    }
    // Nothing is recorded: below a page root no other page lies.
    const auto placed =
        config_.is_any ? stage_.kernels->any_placed : stage_.kernels->closest_placed;
    for (std::size_t begin = 0, end = 0; begin < due_.size(); begin = end) {
        const Due& first = due_[begin];
        while (end < due_.size() && due_[end].placement == first.placement &&
               due_[end].root == first.root) {
            ++end;
        }
        const std::span<const u32> ids = std::span(due_ids_).subspan(begin, end - begin);
        const u32 ref = stage_.scene.bvh.page_roots[first.root].ref;
        if (first.placement == kNone) {
            traverse(ref, ids);
        } else {
            placed(stage_.scene,
                   first.placement,
                   ref,
                   stage_.rays,
                   ids.data(),
                   static_cast<u32>(ids.size()),
                   trace_counters_);
        }
        ++counted_.kernel_calls;
    }
    counted_.page_visits += due_.size();
}

// Lets the waiting rays go on with the keys of their pages.
void PagedRays::send_on(fibre::Spawner& spawner) {
    counted_.rays_waited += waiting_.size();
    if (!config_.is_keyed) {
        wait_for({0, kInOrder}, waiting_, spawner);
        return;
    }
    std::sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
        return a.page != b.page ? a.page < b.page : a.slot < b.slot;
    });
    for (std::size_t begin = 0, end = 0; begin < waiting_.size(); begin = end) {
        const u32 page = waiting_[begin].page;
        while (end < waiting_.size() && waiting_[end].page == page) {
            ++end;
        }
        wait_for({page, kPage}, std::span(waiting_).subspan(begin, end - begin), spawner);
    }
}

// Lets rays wait under a key.
void PagedRays::wait_for(fibre::Key key, std::span<const Waiting> rays, fibre::Spawner& spawner) {
    for (std::size_t k = 0; k < rays.size(); ++k) {
        ids_[k] = rays[k].slot;
        entries_[k] = rays[k].entry;
    }
    const std::span<const u32> ids(ids_.data(), rays.size());
    // The list memory holds every ray once, and a ray waits once.
    const bool is_kept = spawner.rekey(key, ids, {entries_.data(), rays.size()});
    ENSURE(is_kept, ==, true);
}

// The control: visits the pages of rays in order of arrival, one ray after the other, while those
// of the next `reads_ahead` rays are read.
void PagedRays::go_on_in_order(std::span<const u32> ids, const Traverse& traverse) {
    for (std::size_t k = 0; k < ids.size(); ++k) {
        const std::span<const u32> ahead =
            ids.subspan(k, std::min<std::size_t>(config_.reads_ahead, ids.size() - k));
        read_ahead(ahead);
        const auto [page, visit] = next_of(ids[k]);
        if (page == kNone) {
            continue;
        }
        come_to(page, ahead.subspan(1));
        stage_.store->enter(reader_);
        due_.clear();
        if (shaders::enter_page(stage_.scene.bvh.page_states[page])) {
            chains_.drop_nearest(ids[k]);
            due_.push_back({visit.placement, visit.root, ids[k]});
            visit_due(traverse);
        }
        stage_.store->leave(reader_);
    }
}

// Starts reads for rays in line, up to the first that is refused.
void PagedRays::read_ahead(std::span<const u32> ids) {
    for (const u32 slot : ids) {
        const u32 page = next_of(slot).page;
        if (page != kNone && stage_.store->fetch(page) == pages::Fetch::Refused) {
            return;
        }
    }
}

// Blocks until a page is near, or reading has failed. Where there is no room, pages that were read
// ahead for `ahead` may be evicted.
void PagedRays::come_to(u32 page, std::span<const u32> ahead) {
    for (;;) {
        const u64 arrivals = stage_.store->arrivals();
        const pages::Fetch answer = stage_.store->fetch(page);
        if (answer == pages::Fetch::Near || stage_.store->has_failed()) {
            return;
        }
        for (std::size_t k = 0; answer == pages::Fetch::Refused && k < ahead.size(); ++k) {
            const u32 other = next_of(ahead[k]).page;
            if (other != kNone) {
                (void)shaders::enter_page(stage_.scene.bvh.page_states[other]);
            }
        }
        stage_.store->wait_beyond(arrivals);
    }
}

}  // namespace weft::trace
