#include "engine/trace/paged_rays.h"

#include <algorithm>
#include <string>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

// Visits that there is room for, per ray; a ray crosses some 20 pages of a tree of 2600 without any
// in memory. Few rays have room for as many as one ray may need.
constexpr u32 kVisitsOfRay = 32;
constexpr u32 kFewestVisits = 1U << 17;

u32 most_visits(u32 ray_count) {
    return std::max(ray_count * kVisitsOfRay, kFewestVisits);
}

}  // namespace

PagedRays::PagedRays(const PagedConfig& config,
                     const PagedStage& stage,
                     shaders::TraceCounters& counters)
    : config_(config),
      stage_(stage),
      trace_counters_(counters),
      reader_(stage.store->join()),
      keys_(*stage.store,
            {.is_keyed = config.is_keyed,
             .batch = config.batch,
             .reader = reader_,
             .reads_ahead = config.reads_ahead},
            [this](u32 slot) { return next_of(slot).page; }),
      chains_(config.slot_count, most_visits(config.slot_count)),
      recorded_(most_visits(config.batch)) {
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
    return key.tag >= kPageTag;
}

fibre::Fetch PagedRays::fetch(fibre::Key key) {
    if (key.tag == kAgainTag && !stage_.store->has_failed()) {
        const bool has_room = chains_.free_count() >= chains_.capacity() / 2;
        return has_room ? fibre::Fetch::Near : fibre::Fetch::Refused;
    }
    return keys_.fetch(key);
}

// Traverses from the root with the first rays, as many as the chains certainly hold. Returns their
// number; 0: the chains are too full.
std::size_t PagedRays::trace_some(std::span<const u32> ids, const Traverse& traverse) {
    waits_.items = recorded_.data();
    waits_.capacity = std::min(chains_.free_count(), static_cast<u32>(recorded_.size()));
    for (std::size_t count = ids.size(); count > 0; count /= 2) {
        waits_.count = 0;
        keys_.enter();
        traverse(stage_.scene.bvh.root, ids.first(count));
        keys_.leave();
        if (waits_.count <= waits_.capacity) {
            chains_.add(waits_, stage_.rays);
            return count;
        }
        // Some were lost: half of the rays start again, without the tints and boundaries of this
        // time. A ray that is blocked by now, or has a hit, keeps it.
        counted_.restarts += count;
        for (std::size_t k = 0; config_.is_any && k < count; ++k) {
            if (stage_.scene.shadow_tints != nullptr) {
                std::fill_n(stage_.scene.shadow_tints + std::size_t{3} * ids[k], 3, 0U);
            }
            if (stage_.scene.shadow_media != nullptr) {
                stage_.scene.shadow_media[ids[k]].count = 0;
            }
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
            keys_.wait_for({0, kAgainTag}, waiting_, spawner);
            return;
        }
    }
}

void PagedRays::go_on(const fibre::Packet& packet,
                      const Traverse& traverse,
                      fibre::Spawner& spawner) {
    if (packet.key.tag == kAgainTag) {
        start(packet.elements, traverse, spawner);
        return;
    }
    if (packet.key.tag == kInOrderTag) {
        go_on_in_order(packet.elements, traverse);
    }
    settle(packet.elements, traverse, spawner);
    // The page may be evicted from now on, even if all its rays had ended before.
    keys_.end_walk(packet.key);
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
    keys_.enter();
    find_due(ids);
    while (!due_.empty()) {
        visit_due(traverse);
        find_due(due_ids_);
    }
    keys_.leave();
    send_on(spawner);
}

// Collects rays whose nearest page root is near, and rays that wait.
void PagedRays::find_due(std::span<const u32> ids) {
    due_.clear();
    for (std::size_t k = 0; k < ids.size(); ++k) {
        if (k + 2 * kPrefetchAhead < ids.size()) {
            chains_.prefetch_first(ids[k + 2 * kPrefetchAhead]);
        }
        if (k + kPrefetchAhead < ids.size()) {
            chains_.prefetch_nearest(ids[k + kPrefetchAhead]);
            __builtin_prefetch(&stage_.rays[ids[k + kPrefetchAhead]].t);
        }
        const u32 slot = ids[k];
        const auto [page, visit] = next_of(slot);
        if (page == kNone) {
            continue;
        }
        if (keys_.use(page)) {
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
    keys_.send_on(waiting_, spawner);
}

// The control: visits the pages of rays in order of arrival, one ray after the other.
void PagedRays::go_on_in_order(std::span<const u32> ids, const Traverse& traverse) {
    keys_.visit_in_order(ids, [&](u32 slot) {
        const PageVisit visit = next_of(slot).visit;
        chains_.drop_nearest(slot);
        due_.assign(1, {visit.placement, visit.root, slot});
        visit_due(traverse);
    });
}

}  // namespace weft::trace
