#include "engine/trace/ray_fibre.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "scheduler/base/clock.h"
#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

// Tag of a key: kBatch (and kCoherent) for a batch at the root, else the octant of a list.
constexpr u32 kOctant = 7;
constexpr u32 kBatch = 8;
constexpr u32 kCoherent = 16;

// While heat is counted, a list of at most so many rays finishes its subtree even above several
// objects. A frame of a million triangles took 2.2 times as long as without heat at 1, and 1.4
// times at 8; the time above several objects was 56 % at 1 and 48 % at 8.
constexpr u32 kFewBetweenObjects = 4;

// Rays of a batch that are fetched before their turn: slots are in no order.
constexpr std::size_t kRaysAhead = 16;

// Rays of a batch from which it may be a trial, and those of a run that stays together.
constexpr u32 kLeastTrialRays = 256;
constexpr u32 kTrialRun = 64;

StrategyChoices choices_of(const RayConfig& config) {
    return {config.mode, config.traversal, config.is_adaptive, config.kind == RayKind::Shadow};
}

TraversalTuner make_tuner(const RayConfig& config, RayClass ray_class) {
    return TraversalTuner(static_cast<u32>(strategies_of(choices_of(config), ray_class).size()));
}

// CPU time of this thread: preemption by other processes must not decide. It takes a call of the
// system, so what merely adds up batches reads base::now_ns().
double thread_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

u32 octant_of(const shaders::TraceRay& ray) {
    return (ray.direction[0] < 0 ? 1U : 0U) | (ray.direction[1] < 0 ? 2U : 0U) |
           (ray.direction[2] < 0 ? 4U : 0U);
}

}  // namespace

RayFibre::RayFibre(const RayConfig& config, const RayStage& stage)
    : config_(config),
      stage_(stage),
      tuners_{make_tuner(config, RayClass::Scattered), make_tuner(config, RayClass::Coherent)},
      row_(std::size_t{config.batch} + shaders::kListSlack),
      ids_(config.batch),
      child_ids_(row_ * 8),
      child_entries_(row_ * 8) {
    aim(stage);
}

void RayFibre::aim(const RayStage& stage) {
    stage_ = stage;
    memory_.forget();
    paged_.reset();
    local_.reset();
    if (stage.treelets.count > 0) {
        LocalConfig local;
        local.is_any = config_.kind == RayKind::Shadow;
        local.is_keyed = config_.mode == SchedulerMode::Keyed;
        local.slot_count = config_.slot_count;
        local.batch = config_.batch;
        local.most_visits = config_.most_visits;
        local.reads_ahead = config_.reads_ahead;
        local.desk = stage.desk;
        local.cluster = stage.cluster;
        local_ = std::make_unique<LocalRays>(
            local,
            LocalStage{stage.scene, stage.kernels, stage.rays, stage.treelets, stage.store},
            counters_);
    }
    if (stage.store == nullptr) {
        return;
    }
    ENSURE(config_.mode != SchedulerMode::Embree && stage.heat == nullptr, ==, true);
    if (local_) {
        return;
    }
    PagedConfig paged;
    paged.is_any = config_.kind == RayKind::Shadow;
    paged.is_keyed = config_.mode == SchedulerMode::Keyed;
    paged.slot_count = config_.slot_count;
    paged.batch = config_.batch;
    paged.reads_ahead = config_.reads_ahead;
    paged_ = std::make_unique<PagedRays>(
        paged, PagedStage{stage.scene, stage.kernels, stage.rays, stage.store}, counters_);
    stage_.scene.waits = paged_->waits();
}

fibre::RoutineId RayFibre::declare(fibre::Cluster& cluster, fibre::Policy policy) {
    cluster_ = &cluster;
    fibre::RoutineDesc desc;
    desc.name = config_.kind == RayKind::Closest ? "closest" : "shadow";
    desc.run = routine;
    desc.context = this;
    desc.packet_fill = config_.batch;
    desc.packet_max = config_.batch;
    desc.may_mix_keys = false;
    desc.policy = policy;
    desc.prefetch = prefetch;
    desc.default_key = root_key(RayClass::Scattered);
    if (paged_ && config_.mode == SchedulerMode::Keyed) {
        desc.policy = fibre::Policy::Fullest;
        declare_far<RayFibre, &RayFibre::far_pages>(desc);
    } else if (paged_) {
        desc.policy = fibre::Policy::Oldest;
    }
    if (local_) {
        local_->join(cluster.cache());
        // Depth first would keep each cluster's lists to itself.
        desc.policy = policy == fibre::Policy::DepthFirst ? fibre::Policy::Fullest : policy;
        if (local_->has_pages() && config_.mode == SchedulerMode::Keyed) {
            declare_far<RayFibre, &RayFibre::far_parts>(desc);
        }
    }
    return cluster.declare(desc);
}

fibre::Key RayFibre::root_key(RayClass ray_class) const {
    return {stage_.scene.bvh.root, ray_class == RayClass::Coherent ? kBatch | kCoherent : kBatch};
}

TraversalStrategy RayFibre::strategy_of(RayClass ray_class) const {
    return strategies_of(choices_of(config_),
                         ray_class)[tuners_[static_cast<u32>(ray_class)].best()];
}

void RayFibre::routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    RayFibre& fibre = *static_cast<RayFibre*>(context);
    if (packet.key.value == shaders::kRefEmpty) {
        return;
    }
    if (fibre.paged_) {
        fibre.run_paged(packet, spawner);
    } else if (fibre.stage_.heat) {
        fibre.run_counted(packet, spawner);
    } else {
        fibre.run(packet, spawner);
    }
}

// Prefetches a node, a leaf block or a placement (F12).
void RayFibre::prefetch(void* context, fibre::Key key) {
    const RayFibre& fibre = *static_cast<const RayFibre*>(context);
    if (fibre.local_) {
        fibre.local_->prefetch(key);
        return;
    }
    if (fibre.paged_) {
        return;  // fetch() reads pages
    }
    const shaders::BvhView& bvh = fibre.stage_.scene.bvh;
    // Find where the key's memory lies.
    const u32 index = key.value & shaders::kRefIndex;
    const void* data = nullptr;
    switch (key.value & shaders::kRefKind) {
        case shaders::kRefNode:
            data = &bvh.nodes[index];
            break;
        case shaders::kRefLeaf:
            data = &bvh.blocks[index];
            break;
        case shaders::kRefInstance:
            data = &bvh.placements[index];
            break;
        default:
            return;
    }
    // Fetch its first lines.
    for (u32 line = 0; line < 3; ++line) {
        __builtin_prefetch(static_cast<const char*>(data) + 64 * line);
    }
}

void RayFibre::run(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (local_) {
        run_local(packet, spawner);
        return;
    }
    if ((packet.key.tag & kBatch) != 0) {
        run_batch(packet, spawner);
    } else {
        --open_lists_;
        run_list(packet, spawner);
    }
    // A batch ends with its last list.
    if (timed_.tuner && open_lists_ == 0) {
        end_timed_batch();
    }
}

void RayFibre::end_timed_batch() {
    if (timed_.plan.is_trial()) {
        const double second_ns = (thread_ns() - timed_.begin_ns) / timed_.rays;
        timed_.tuner->record(timed_.plan, timed_.first_ns, second_ns, 2.0 * timed_.rays);
    } else {
        timed_.tuner->record(static_cast<double>(base::now_ns()) - timed_.begin_ns);
    }
    timed_.tuner = nullptr;
}

// Rays through a tree with pages. The tuner compares strategies by batches that end at once, and so
// chooses none here: camera rays go as packets, others as the mode's first choice in memory.
void RayFibre::run_paged(const fibre::Packet& packet, fibre::Spawner& spawner) {
    const bool is_start = !PagedRays::is_page_key(packet.key);
    const bool is_coherent = is_start && (packet.key.tag & kCoherent) != 0;
    const PagedRays::Traverse traverse = [&](u32 ref, std::span<const u32> ids) {
        if (is_coherent) {
            run_whole(ref, ids, TraversalStrategy::WidePackets);
        } else if (config_.mode == SchedulerMode::Keyed) {
            run_sets(ref, ids);
        } else {
            run_whole(ref, ids, TraversalStrategy::Groups);
        }
    };
    if (is_start) {
        paged_->start(packet.elements, traverse, spawner);
    } else {
        paged_->go_on(packet, traverse, spawner);
    }
}

void RayFibre::run_local(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (LocalRays::is_local_key(packet.key)) {
        local_->go_on(packet, spawner);
    } else {
        local_->start(packet.elements, spawner);
    }
}

LocalCounters RayFibre::local_counters() const {
    return local_ ? local_->counters() : LocalCounters{};
}

PagedCounters RayFibre::paged_counters() const {
    return paged_ ? paged_->counters() : local_ ? local_->paged_counters() : PagedCounters{};
}

// Runs a packet and charges its cost to its key.
void RayFibre::run_counted(const fibre::Packet& packet, fibre::Spawner& spawner) {
    // Run the packet. Its key names a reference, or a treelet by its root.
    const u32 ref =
        LocalRays::is_treelet_key(packet.key) ? local_->source_of(packet.key) : packet.key.value;
    const shaders::TraceCounters before = counters_;
    const u64 begin_ns = base::now_ns();
    run(packet, spawner);
    // Charge what the counters and the clock advanced by.
    Heat heat = heat_between(before, counters_);
    heat.fibres = packet.elements.size();
    heat.time_ns = base::now_ns() - begin_ns;
    stage_.heat->add_rays(
        config_.kind == RayKind::Shadow ? HeatKind::Shadow : HeatKind::Closest, ref, heat);
}

// Length up to which a list finishes its subtree in one kernel call.
u32 RayFibre::most_to_run_whole(u32 ref) const {
    if (!stage_.heat) {
        return config_.group_limit;
    }
    const HeatMap& map = stage_.heat->map();
    return map.object_of(ref) == map.many_objects()
               ? std::min(kFewBetweenObjects, config_.group_limit)
               : config_.group_limit;
}

void RayFibre::run_batch(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (config_.mode == SchedulerMode::Embree) {
        run_embree(packet.elements);
        return;
    }
    const RayClass ray_class =
        (packet.key.tag & kCoherent) != 0 ? RayClass::Coherent : RayClass::Scattered;
    TraversalTuner& tuner = tuners_[static_cast<u32>(ray_class)];
    // Halves of a short batch would say little.
    const bool is_long = packet.elements.size() >= kLeastTrialRays;
    const BatchPlan plan = is_long ? tuner.next() : BatchPlan{tuner.best(), tuner.best()};
    if (plan.is_trial()) {
        run_trial(packet, ray_class, plan, spawner);
        return;
    }
    if (is_long) {
        const auto begin_ns = static_cast<double>(base::now_ns());
        timed_ = {.tuner = &tuner, .plan = plan, .begin_ns = begin_ns};
    }
    traverse(packet.key,
             packet.elements,
             strategies_of(choices_of(config_), ray_class)[plan.first],
             spawner);
}

// Traverses half of a batch by either strategy of the plan, and times both.
void RayFibre::run_trial(const fibre::Packet& packet,
                         RayClass ray_class,
                         BatchPlan plan,
                         fibre::Spawner& spawner) {
    const std::span<const TraversalStrategy> strategies =
        strategies_of(choices_of(config_), ray_class);
    // Lists of a stream are traversed after this call, so a stream goes second.
    if (strategies[plan.first] == TraversalStrategy::Stream) {
        std::swap(plan.first, plan.second);
    }
    // Give alternate runs of rays to either half: the halves are alike, and neighbours stay
    // together.
    const std::span<const u32> ids = packet.elements;
    const std::size_t rest = ids.size() % (2 * kTrialRun);
    const std::size_t first_size = (ids.size() - rest) / 2 + std::min<std::size_t>(rest, kTrialRun);
    std::array<std::size_t, 2> next = {0, first_size};
    for (std::size_t k = 0; k < ids.size(); ++k) {
        ids_[next[k / kTrialRun % 2]++] = ids[k];
    }
    const std::span<const u32> first(ids_.data(), first_size);
    const std::span<const u32> second(ids_.data() + first_size, ids.size() - first_size);
    // Time the first half here; run() ends the second.
    const double begin_ns = thread_ns();
    traverse(packet.key, first, strategies[plan.first], spawner);
    const double middle_ns = thread_ns();
    timed_ = {&tuners_[static_cast<u32>(ray_class)],
              plan,
              (middle_ns - begin_ns) / static_cast<double>(first.size()),
              static_cast<u32>(second.size()),
              middle_ns};
    traverse(packet.key, second, strategies[plan.second], spawner);
}

void RayFibre::traverse(fibre::Key root,
                        std::span<const u32> ids,
                        TraversalStrategy strategy,
                        fibre::Spawner& spawner) {
    // A short stream needs no lists.
    if (strategy == TraversalStrategy::Stream && ids.size() > most_to_run_whole(root.value)) {
        run_stream(root, ids, spawner);
    } else if (strategy == TraversalStrategy::Stream || strategy == TraversalStrategy::Sets) {
        run_sets(root.value, ids);
    } else {
        run_whole(root.value, ids, strategy);
    }
}

void RayFibre::run_embree(std::span<const u32> ids) {
    const auto count = static_cast<u32>(ids.size());
    if (config_.kind == RayKind::Shadow) {
        stage_.embree->any(stage_.scene, stage_.rays, ids.data(), count);
    } else {
        stage_.embree->closest(stage_.scene, stage_.rays, ids.data(), count);
    }
}

// Rays of one octant share one order of a node's children. Moves those of octant k to row k of the
// child lists.
void RayFibre::split_by_octant(std::span<const u32> ids, std::array<u32, 8>& count) {
    count = {};
    for (std::size_t k = 0; k < ids.size(); ++k) {
        __builtin_prefetch(&stage_.rays[ids[std::min(k + kRaysAhead, ids.size() - 1)]]);
        const u32 octant = octant_of(stage_.rays[ids[k]]);
        child_ids_[octant * row_ + count[octant]++] = ids[k];
    }
}

void RayFibre::run_sets(u32 ref, std::span<const u32> ids) {
    // Split the rays by octant, and traverse with each.
    std::array<u32, 8> count{};
    split_by_octant(ids, count);
    for (u32 octant = 0; octant < 8; ++octant) {
        if (count[octant] != 0) {
            run_short(ref, octant, {&child_ids_[octant * row_], count[octant]});
        }
    }
}

void RayFibre::run_stream(fibre::Key root, std::span<const u32> rays, fibre::Spawner& spawner) {
    // Split the rays by octant, and push a list of each at the root.
    std::array<u32, 8> count{};
    split_by_octant(rays, count);
    std::fill_n(child_entries_.begin(), rays.size(), 0.0F);
    for (u32 octant = 0; octant < 8; ++octant) {
        const std::span<const u32> ids(&child_ids_[octant * row_], count[octant]);
        go_on({root.value, octant}, ids, {child_entries_.data(), ids.size()}, spawner);
    }
}

// Pushes a list for the scheduler; where the list stack is full, traverses it at once.
void RayFibre::go_on(fibre::Key key,
                     std::span<const u32> ids,
                     std::span<const float> entries,
                     fibre::Spawner& spawner) {
    if (ids.empty()) {
        return;
    }
    if (spawner.rekey(key, ids, entries)) {
        ++open_lists_;
    } else {
        run_short(key.value, key.tag & kOctant, ids);
    }
}

void RayFibre::run_list(const fibre::Packet& packet, fibre::Spawner& spawner) {
    // Drop rays whose closest hit lies before this subtree, and shadow rays already blocked.
    u32 count = 0;
    for (std::size_t k = 0; k < packet.elements.size(); ++k) {
        const u32 slot = packet.elements[k];
        ids_[count] = slot;
        count += packet.payload[k] <= stage_.rays[slot].t ? 1U : 0U;
    }
    if (count == 0) {
        return;
    }
    // Visit the node with a long list; finish the subtree with a short one.
    const std::span<const u32> ids(ids_.data(), count);
    const bool is_node = (packet.key.value & shaders::kRefKind) == shaders::kRefNode;
    const u32 octant = packet.key.tag & kOctant;
    if (!is_node || count <= most_to_run_whole(packet.key.value)) {
        run_short(packet.key.value, octant, ids);
    } else {
        visit_node(packet.key.value, octant, ids, spawner);
    }
}

// Decodes the node, or takes it from the cluster's software cache (F16).
const shaders::DecodedNode& RayFibre::decoded_node(u32 ref, u32 octant) {
    fibre::SoftwareCache& cache = cluster_->cache();
    const bool is_any = config_.kind == RayKind::Shadow;
    const u64 key = u64{is_any ? octant + 8 : octant} << 32 | ref;
    if (const void* const found = cache.find(key)) {
        return *static_cast<const shaders::DecodedNode*>(found);
    }
    // Decode it into the cache, or aside where the cache has no room.
    auto* node = static_cast<shaders::DecodedNode*>(cache.insert(key));
    node = node ? node : &spare_node_;
    shaders::decode_node(stage_.scene.bvh.nodes[ref & shaders::kRefIndex], octant, is_any, *node);
    return *node;
}

void RayFibre::visit_node(u32 ref, u32 octant, std::span<const u32> ids, fibre::Spawner& spawner) {
    shaders::ChildLists children{};
    for (u32 c = 0; c < 8; ++c) {
        children.ids[c] = &child_ids_[c * row_];
        children.entry[c] = &child_entries_[c * row_];
    }
    // The reference stays valid: no other node is decoded during the visit.
    const shaders::DecodedNode& node = decoded_node(ref, octant);
    // Test its children against all rays.
    const auto visit =
        config_.kind == RayKind::Shadow ? stage_.kernels->any_visit : stage_.kernels->closest_visit;
    visit(stage_.scene,
          node,
          stage_.rays,
          ids.data(),
          static_cast<u32>(ids.size()),
          children,
          counters_);
    // Push a list for each child that rays hit.
    for (u32 c = 0; c < node.child_count; ++c) {
        const u32 count = children.count[c];
        go_on(
            {node.child[c], octant}, {children.ids[c], count}, {children.entry[c], count}, spawner);
    }
}

// Traverses the whole subtree with ray sets.
void RayFibre::run_short(u32 ref, u32 octant, std::span<const u32> ids) {
    const auto walk =
        config_.kind == RayKind::Shadow ? stage_.kernels->any_walk : stage_.kernels->closest_walk;
    const auto count = static_cast<u32>(ids.size());
    walk(stage_.scene, ref, octant, stage_.rays, ids.data(), count, counters_);
}

// Traverses the whole subtree with packets or groups.
void RayFibre::run_whole(u32 ref, std::span<const u32> ids, TraversalStrategy strategy) {
    const shaders::TraceKernels& kernels = *stage_.kernels;
    const bool is_shadow = config_.kind == RayKind::Shadow;
    auto group = is_shadow ? kernels.any_group : kernels.closest_group;
    if (strategy == TraversalStrategy::WidePackets && !is_shadow) {
        group = kernels.closest_wide;
    } else if (strategy != TraversalStrategy::Groups) {
        group = is_shadow ? kernels.any_packet : kernels.closest_packet;
    }
    group(stage_.scene, ref, stage_.rays, ids.data(), static_cast<u32>(ids.size()), counters_);
}

}  // namespace weft::trace
