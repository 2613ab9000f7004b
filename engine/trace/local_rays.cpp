#include "engine/trace/local_rays.h"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

constexpr u32 kTreelet = 40;  // tag of keys whose value is a treelet's number
constexpr u32 kRoot = 0;      // the treelet that holds the root

// Visits that chains have room for: so many per ray, and for few rays more.
constexpr u32 kVisitsOfTracedRay = 32;
constexpr u32 kFewestTreeletVisits = 1U << 17;

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
      chains_(config.slot_count, visits_of(config), stage.treelets.count),
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
}

bool LocalRays::is_allocated() const {
    return tree_.is_allocated() && chains_.is_allocated() && recorded_.is_allocated();
}

bool LocalRays::is_treelet_key(fibre::Key key) {
    return key.tag == kTreelet;
}

void LocalRays::prefetch(fibre::Key key) {
    // The control copies when a group comes to a treelet.
    if (config_.is_keyed) {
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
        static_cast<void>(tree_.bring(kRoot));
        visit(kRoot, kNone, group);
        finish(group);
    }
}

void LocalRays::go_on(const fibre::Packet& packet, fibre::Spawner& spawner) {
    visit_with_treelet(packet.key.value);
    send_on(packet.elements, spawner);
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
    }
}

// Collects the rays that have a visit left, with their nearest. False: there are none.
bool LocalRays::find_due(std::span<const u32> ids) {
    due_.clear();
    for (const u32 slot : ids) {
        const PageVisit* const nearest = chains_.nearest(slot, stage_.rays[slot].t);
        if (nearest) {
            due_.push_back({nearest->root, nearest->placement, slot});
            chains_.drop_nearest(slot);
        }
    }
    return !due_.empty();
}

// Visits the treelets of due rays, those of one treelet and placement together.
void LocalRays::visit_due() {
    std::sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
        return std::tie(a.treelet, a.placement, a.slot) < std::tie(b.treelet, b.placement, b.slot);
    });
    due_ids_.clear();
    for (const Due& due : due_) {
        due_ids_.push_back(due.slot);
    }
    for (std::size_t begin = 0, end = 0; begin < due_.size(); begin = end) {
        const Due& first = due_[begin];
        while (end < due_.size() && due_[end].treelet == first.treelet &&
               due_[end].placement == first.placement) {
            ++end;
        }
        // The prefetch counted a packet's treelet; the control has none.
        if (!config_.is_keyed && (begin == 0 || due_[begin - 1].treelet != first.treelet)) {
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
        const std::size_t room = std::min<std::size_t>(chains_.free_count(), recorded_.size()) /
                                 std::max(parts.header->ways_out, 1U);
        const std::size_t count = std::min(room, ids.size());
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
}

// Lets the rays go on with the keys of their nearest treelets.
void LocalRays::send_on(std::span<const u32> ids, fibre::Spawner& spawner) {
    waiting_.clear();
    for (const u32 slot : ids) {
        if (const PageVisit* const nearest = chains_.nearest(slot, stage_.rays[slot].t)) {
            waiting_.push_back({nearest->root, slot, nearest->entry});
        }
    }
    std::sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
        return std::tie(a.treelet, a.slot) < std::tie(b.treelet, b.slot);
    });
    for (std::size_t begin = 0, end = 0; begin < waiting_.size(); begin = end) {
        const u32 treelet = waiting_[begin].treelet;
        for (; end < waiting_.size() && waiting_[end].treelet == treelet; ++end) {
            ids_[end - begin] = waiting_[end].slot;
            entries_[end - begin] = waiting_[end].entry;
        }
        const std::span<const u32> same(ids_.data(), end - begin);
        if (!spawner.rekey({treelet, kTreelet}, same, {entries_.data(), same.size()})) {
            finish(same);
        }
    }
}

}  // namespace weft::trace
