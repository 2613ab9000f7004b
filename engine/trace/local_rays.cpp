#include "engine/trace/local_rays.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <tuple>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

// Tag of keys, beside those of page_keys.h: the value is a treelet's number. They are always near.
constexpr u32 kTreelet = 30;
static_assert(kTreelet < kPageTag);

constexpr u32 kRoot = 0;  // the treelet that holds the root

// Visits that chains have room for: so many per ray, and for few rays more.
constexpr u32 kVisitsOfTracedRay = 32;
constexpr u32 kFewestTreeletVisits = 1U << 17;

u32 listed_roots(const TreeletView& treelets) {
    return treelets.count + (treelets.pages ? treelets.pages->root_count() : 0);
}

u32 visits_of(const LocalConfig& config) {
    return config.most_visits != 0
               ? config.most_visits
               : std::max(config.slot_count * kVisitsOfTracedRay, kFewestTreeletVisits);
}

// What one kernel call may record: all ways out of a treelet at least.
u32 records_of_call(const LocalConfig& config, const TreeletView& treelets) {
    return std::max(
        {std::min(visits_of(config), kFewestTreeletVisits), treelets.most_ways_out, 1U});
}

}  // namespace

void LocalCounters::add(const LocalCounters& other) {
    ray_visits += other.ray_visits;
    kernel_calls += other.kernel_calls;
    singly += other.singly;
    bus.add(other.bus);
}

LocalRays::LocalRays(const LocalConfig& config,
                     const LocalStage& stage,
                     shaders::TraceCounters& trace_counters)
    : config_(config),
      stage_(stage),
      trace_counters_(trace_counters),
      tree_(stage.treelets),
      chains_(config.slot_count, visits_of(config), listed_roots(stage.treelets)),
      recorded_(records_of_call(config, stage.treelets)),
      ids_(config.batch),
      entries_(config.batch) {
    due_.reserve(config.batch);
    due_ids_.reserve(config.batch);
    taken_.reserve(config.batch);
    waiting_.reserve(config.batch);
    // A ray alone goes depth first: each level leaves the ways out of one treelet at most.
    stack_.reserve(std::size_t{shaders::kMaxTreeLevels} *
                   std::max(stage.treelets.most_ways_out, 1U));
    stage_.scene.waits = &waits_;
    if (stage.store) {
        reader_ = stage.store->join();
        keys_ = std::make_unique<PageKeys>(
            *stage.store,
            PageKeysConfig{.is_keyed = config.is_keyed,
                           .batch = config.batch,
                           .reader = reader_,
                           .reads_ahead = config.reads_ahead,
                           .desk = config.desk,
                           .user = user(),
                           .cluster = config.cluster},
            [this](u32 slot) {
                const PageVisit* const nearest = chains_.nearest(slot, stage_.rays[slot].t);
                return nearest && is_page_root(nearest->root) ? page_of(nearest->root) : kNone;
            });
        starts_again_.resize(config.slot_count);
        far_.reserve(config.batch);
    }
}

LocalRays::~LocalRays() {
    if (stage_.store) {
        stage_.store->part(reader_);
    }
}

bool LocalRays::is_allocated() const {
    return tree_.is_allocated() && chains_.is_allocated() && recorded_.is_allocated();
}

bool LocalRays::is_treelet_key(fibre::Key key) {
    return key.tag == kTreelet;
}

bool LocalRays::is_local_key(fibre::Key key) {
    return key.tag >= kTreelet;
}

fibre::Fetch LocalRays::fetch(fibre::Key key) const {
    if (key.tag != kAgainTag || has_failed()) {
        return keys_->fetch(key);
    }
    // Behind a shared packet unit any cluster asks.
    const bool is_room = config_.desk ? config_.desk->has_room(user()) : has_room();
    return is_room ? fibre::Fetch::Near : fibre::Fetch::Refused;
}

u32 LocalRays::page_of(u32 treelet) const {
    return stage_.treelets.pages->page_of(treelet - stage_.treelets.count);
}

fibre::Key LocalRays::key_of(u32 treelet) const {
    return is_page_root(treelet) ? fibre::Key{page_of(treelet), kPageTag}
                                 : fibre::Key{treelet, kTreelet};
}

void LocalRays::prefetch(fibre::Key key) {
    // The control copies when a group comes to a treelet; of a page a part is copied, when it is
    // visited.
    if (config_.is_keyed && key.tag < kPageTag) {
        static_cast<void>(tree_.bring(is_treelet_key(key) ? key.value : kRoot));
    }
}

u32 LocalRays::source_of(fibre::Key key) {
    return tree_.at(key.value).header->source;
}

LocalCounters LocalRays::counters() const {
    LocalCounters counters = counted_;
    counters.bus = tree_.counters();
    return counters;
}

void LocalRays::start(std::span<const u32> ids, fibre::Spawner& spawner) {
    if (config_.is_keyed) {
        visit(kRoot, kNone, ids);
        send_on(ids, spawner);
        return;
    }
    for (; !ids.empty(); ids = ids.subspan(std::min<std::size_t>(config_.group, ids.size()))) {
        const auto group = ids.first(std::min<std::size_t>(config_.group, ids.size()));
        start_in_order(group);
        // A ray that found no room has it alone, or never.
        for (std::size_t k = 0; stage_.store && k < group.size(); ++k) {
            while (starts_again_[group[k]] != 0) {
                forget(group.subspan(k, 1));
                start_in_order(group.subspan(k, 1));
            }
        }
        favoured_ = kNone;
    }
}

void LocalRays::start_in_order(std::span<const u32> ids) {
    static_cast<void>(tree_.bring(kRoot));
    visit(kRoot, kNone, ids);
    finish(ids);
}

void LocalRays::go_on(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (packet.key.tag == kAgainTag) {
        forget(packet.elements);
        start(packet.elements, spawner);
        return;
    }
    if (packet.key.tag == kPageTag) {
        visit_with_page(packet.key.value);
    } else {
        visit_with_treelet(packet.key.value);
    }
    send_on(packet.elements, spawner);
    // The page may be evicted from now on, as far as this slice is concerned.
    if (packet.key.tag == kPageTag) {
        keys_->end_walk(packet.key);
    }
}

// Visits all subtrees of a page that rays of this cluster have in their chains. A page that is far
// again was given up for a lost cluster, or while the frame was held: the rays wait on.
void LocalRays::visit_with_page(u32 page) {
    const RootRange roots = stage_.treelets.pages->roots_of(page);
    keys_->enter();
    if (keys_->use(page)) {
        for (u32 root = roots.begin; root < roots.end; ++root) {
            if (stage_.treelets.pages->page_of(root) == page &&
                chains_.has_root(stage_.treelets.count + root)) {
                visit_with_treelet(stage_.treelets.count + root);
            }
        }
    }
    keys_->leave();
}

// A treelet that was copied serves every ray that has it in its chain, not only those that wait for
// it.
void LocalRays::visit_with_treelet(u32 treelet) {
    while (true) {
        taken_.clear();
        chains_.take_of_root(treelet, config_.batch, taken_);
        if (taken_.empty()) {
            return;
        }
        due_.clear();
        for (const auto& [visit, slot] : taken_) {
            if (visit.entry <= stage_.rays[slot].t) {
                due_.push_back({visit.root, visit.placement, slot});
            }
        }
        visit_due();
    }
}

// Visits treelets until no ray has one left.
void LocalRays::finish(std::span<const u32> ids) {
    while (find_due(ids)) {
        visit_due();
        visit_in_order();
    }
}

// Collects the rays that have a visit left, with their nearest; those that come to a page apart.
// False: there are none.
bool LocalRays::find_due(std::span<const u32> ids) {
    due_.clear();
    far_.clear();
    for (const u32 slot : ids) {
        const PageVisit* const nearest = chains_.nearest(slot, stage_.rays[slot].t);
        if (nearest && is_page_root(nearest->root)) {
            far_.push_back(slot);
        } else if (nearest) {
            due_.push_back({nearest->root, nearest->placement, slot});
            chains_.drop_nearest(slot);
        }
    }
    return !due_.empty() || !far_.empty();
}

// The control: visits the pages of rays in order of arrival, one ray after the other.
void LocalRays::visit_in_order() {
    if (far_.empty() || has_failed()) {
        forget(far_);
        return;
    }
    paged_.rays_waited += far_.size();
    keys_->visit_in_order(far_, [this](u32 slot) {
        const PageVisit nearest = *chains_.nearest(slot, stage_.rays[slot].t);
        chains_.drop_nearest(slot);
        due_.assign(1, {nearest.root, nearest.placement, slot});
        visit_due();
    });
}

// Forgets all that rays have to visit, and what they have seen of tints and boundaries. They keep
// their hits.
void LocalRays::forget(std::span<const u32> ids) {
    for (const u32 slot : ids) {
        chains_.clear(slot);
        starts_again_[slot] = 0;
        if (config_.is_any) {
            if (stage_.scene.shadow_tints != nullptr) {
                std::fill_n(stage_.scene.shadow_tints + std::size_t{3} * slot, 3, 0U);
            }
            if (stage_.scene.shadow_media != nullptr) {
                stage_.scene.shadow_media[slot].count = 0;
            }
        }
    }
}

// Who starts again where a ray finds no room: that ray. One of those that started again is favoured
// until it ends, and others lose in its place: so rays never give way to each other for ever.
u32 LocalRays::loser_for(u32 slot) {
    if (favoured_ == kNone) {
        favoured_ = slot;
        return slot;
    }
    if (slot != favoured_ || starts_again_[slot] != 0) {
        return slot;
    }
    const u32 other = chains_.other_with_visits(slot);
    return other == kNone ? slot : other;
}

// A ray loses its visits for want of room. Until it starts again it may get others.
void LocalRays::start_again(u32 slot) {
    chains_.clear(slot);
    ++paged_.restarts;
    starts_again_[slot] = 1;
    if (chains_.free_count() == chains_.capacity()) {
        starts_again_[slot] = 0;
        stage_.store->fail(
            {base::ErrorKind::Render,
             "a ray crosses more than " + std::to_string(chains_.capacity()) +
                 " parts of the tree that are not in local memory; expected no --geometry-memory"});
    }
}

// Visits the treelets of due rays, those of one treelet and placement together.
void LocalRays::visit_due() {
    std::sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
        return std::tie(a.treelet, a.placement, a.slot) < std::tie(b.treelet, b.placement, b.slot);
    });
    due_ids_.clear();
    for (const Due& due : due_) {
        due_ids_.push_back(due.slot);
        paged_.page_visits += is_page_root(due.treelet) ? 1U : 0U;
    }
    for (std::size_t begin = 0, end = 0; begin < due_.size(); begin = end) {
        const Due& first = due_[begin];
        while (end < due_.size() && due_[end].treelet == first.treelet &&
               due_[end].placement == first.placement) {
            ++end;
        }
        // The prefetch counted a packet's treelet; the control has none, nor has a page.
        if ((!config_.is_keyed || is_page_root(first.treelet)) &&
            (begin == 0 || due_[begin - 1].treelet != first.treelet)) {
            static_cast<void>(tree_.bring(first.treelet));
        }
        visit(first.treelet, first.placement, std::span(due_ids_).subspan(begin, end - begin));
    }
}

// Traverses a treelet with rays, and adds what lies behind its exits to their chains.
void LocalRays::visit(u32 treelet, u32 placement, std::span<const u32> ids) {
    while (!ids.empty()) {
        // As many rays as chains and records certainly have room for.
        const TreeletParts parts = tree_.at(treelet);
        const u32 ways_out = parts.header->ways_out;
        const std::size_t room = std::min<std::size_t>(chains_.free_count(), recorded_.size());
        const std::size_t count =
            ways_out == 0 ? ids.size() : std::min(room / ways_out, ids.size());
        if (count == 0 && stage_.store) {
            // What the loser had is room for the others.
            const u32 loser = loser_for(ids.front());
            start_again(loser);
            ids = loser == ids.front() ? ids.subspan(1) : ids;
            continue;
        }
        if (count == 0) {
            visit_alone(treelet, placement, ids.front());
            ids = ids.subspan(1);
            continue;
        }
        traverse(parts, placement, ids.first(count));
        chains_.add(waits_, stage_.rays);
        ids = ids.subspan(count);
    }
}

// Traverses a treelet and all behind its exits with one ray, depth first.
void LocalRays::visit_alone(u32 treelet, u32 placement, u32 slot) {
    ++counted_.singly;
    stack_.assign(1, {treelet, placement, 0});
    while (!stack_.empty()) {
        const Pending at = stack_.back();
        stack_.pop_back();
        if (at.entry > stage_.rays[slot].t) {
            continue;
        }
        traverse(tree_.at(at.treelet), at.placement, {&slot, 1});
        // The nearest one is on top.
        const auto found = std::span(recorded_.data(), waits_.count);
        std::sort(
            found.begin(), found.end(), [](const shaders::PageWait& a, const shaders::PageWait& b) {
                return a.entry > b.entry;
            });
        for (const shaders::PageWait& wait : found) {
            stack_.push_back({wait.root, wait.placement, wait.entry});
        }
    }
}

// Runs the kernel over a treelet in local memory. It records each exit that a ray reaches; the
// records then name treelets and placements as the device does.
void LocalRays::traverse(const TreeletParts& parts, u32 placement, std::span<const u32> ids) {
    static std::atomic<shaders::PageState> far{shaders::PageState::Far};
    waits_ = {recorded_.data(), 0, static_cast<u32>(recorded_.size())};
    if (parts.header->root == shaders::kRefEmpty) {
        stage_.store->fail(
            {base::ErrorKind::Render, "a page of the tree is damaged: its subtrees are too large"});
        return;
    }
    shaders::TraceScene scene = stage_.scene;
    scene.bvh = {
        parts.nodes, parts.blocks, parts.placements, parts.header->root, parts.exits, &far};
    const auto count = static_cast<u32>(ids.size());
    const shaders::TraceKernels& kernels = *stage_.kernels;
    if (placement == kNone) {
        const auto packets = config_.is_any ? kernels.any_packet : kernels.closest_packet;
        packets(scene, scene.bvh.root, stage_.rays, ids.data(), count, trace_counters_);
    } else {
        scene.bvh.placements = tree_.bring_placement(placement);
        const auto placed = config_.is_any ? kernels.any_placed : kernels.closest_placed;
        placed(scene, 0, scene.bvh.root, stage_.rays, ids.data(), count, trace_counters_);
    }
    ENSURE(waits_.count, <=, waits_.capacity);
    for (shaders::PageWait& wait : std::span(recorded_.data(), waits_.count)) {
        wait.root = parts.exits[wait.root].ref;
        wait.placement = placement != kNone        ? placement
                         : wait.placement == kNone ? kNone
                                                   : parts.placements[wait.placement].reserved[0];
    }
    ++counted_.kernel_calls;
    counted_.ray_visits += count;
    paged_.kernel_calls += parts.header->source == kNone ? 1U : 0U;
}

// Lets the rays go on with the keys of their nearest treelets or pages.
void LocalRays::send_on(std::span<const u32> ids, fibre::Spawner& spawner) {
    if (has_failed()) {
        forget(ids);
        return;
    }
    waiting_.clear();
    for (const u32 slot : ids) {
        if (stage_.store && starts_again_[slot] != 0) {
            // Visits that it got since would take the room that it waits for.
            chains_.clear(slot);
            waiting_.push_back({{0, kAgainTag}, slot, 0});
        } else if (const PageVisit* const nearest = chains_.nearest(slot, stage_.rays[slot].t)) {
            waiting_.push_back({key_of(nearest->root), slot, nearest->entry});
        } else if (slot == favoured_) {
            favoured_ = kNone;
        }
    }
    std::sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
        return std::tie(a.key.tag, a.key.value, a.slot) < std::tie(b.key.tag, b.key.value, b.slot);
    });
    for (std::size_t begin = 0, end = 0; begin < waiting_.size(); begin = end) {
        const fibre::Key key = waiting_[begin].key;
        while (end < waiting_.size() && waiting_[end].key == key) {
            ++end;
        }
        wait_for(key, std::span(waiting_).subspan(begin, end - begin), spawner);
    }
    if (config_.desk) {
        config_.desk->set_room(user(), config_.cluster, has_room());
    }
}

void LocalRays::wait_for(fibre::Key key,
                         std::span<const Waiting> waiting,
                         fibre::Spawner& spawner) {
    for (std::size_t k = 0; k < waiting.size(); ++k) {
        ids_[k] = waiting[k].slot;
        entries_[k] = waiting[k].entry;
    }
    paged_.rays_waited += key.tag == kPageTag ? waiting.size() : 0;
    const std::span<const u32> same(ids_.data(), waiting.size());
    if (spawner.rekey(key, same, {entries_.data(), same.size()})) {
        return;
    }
    // Of a tree with pages the list memory holds every ray, and only a lost cluster is refused.
    if (stage_.store) {
        forget(same);
    } else {
        finish(same);
    }
}

}  // namespace weft::trace
