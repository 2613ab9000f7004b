#include "engine/trace/integrator.h"

#include <algorithm>
#include <bit>

#include "engine/trace/integrator_state.h"
#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

void add_divergence(shaders::DivergenceCounters& sum, const shaders::DivergenceCounters& other) {
    sum.branches += other.branches;
    sum.divergent += other.divergent;
    sum.lanes_live += other.lanes_live;
}

void add_trace(shaders::TraceCounters& sum, const shaders::TraceCounters& other) {
    sum.node_visits += other.node_visits;
    sum.node_tests += other.node_tests;
    sum.leaf_tests += other.leaf_tests;
    sum.rays_in_lists += other.rays_in_lists;
    sum.lanes_issued += other.lanes_issued;
    sum.lanes_active += other.lanes_active;
    add_divergence(sum.divergence, other.divergence);
}

void add_shade(shaders::ShadeCounters& sum, const shaders::ShadeCounters& other) {
    sum.lanes_issued += other.lanes_issued;
    sum.lanes_active += other.lanes_active;
    sum.medium_overflows += other.medium_overflows;
    add_divergence(sum.divergence, other.divergence);
}

// First sample of part `part` of `part_count`.
u32 begin_of_part(u32 size, u32 part, u32 part_count) {
    return static_cast<u32>(u64{size} * part / part_count);
}

RayConfig ray_config(const IntegratorConfig& config, const FrameScene& frame, RayKind kind) {
    RayConfig rays;
    rays.mode = config.mode;
    rays.kind = kind;
    rays.slot_count = config.path_count;
    rays.batch = config.trace_batch;
    rays.group_limit = config.group_limit;
    rays.traversal = config.traversal;
    rays.reads_ahead = config.reads_ahead;
    // Other policies than DepthFirst are for comparison: all rays go through the scheduler then.
    const fibre::Policy policy =
        kind == RayKind::Shadow ? config.policies.shadow : config.policies.closest;
    rays.is_adaptive = config.is_adaptive && policy == fibre::Policy::DepthFirst;
    // Heat needs node keys, which only streams have.
    rays.is_adaptive = rays.is_adaptive && !(frame.heat && config.mode == SchedulerMode::Keyed);
    return rays;
}

// Treelets that collections of rays wait for at once; more are evicted early (F10).
constexpr u32 kMostOpenTreelets = 1U << 17;

using State = Integrator::State;

// The shading key is the material, read from the hit (F6).
fibre::Key material_of(void* context, u32 slot) {
    const State& state = *static_cast<const State*>(context);
    const u32 instance = state.slots.view().ray[slot].instance;
    return {state.frame.view.instances[instance].material, 0};
}

void thread_finished(void* context, u64 user) {
    static_cast<State*>(context)->end_thread(user);
}

}  // namespace

bool is_made_alike(const IntegratorConfig& a, const IntegratorConfig& b) {
    return !a.fault && !b.fault && a.mode == b.mode && a.policies == b.policies &&
           a.path_count == b.path_count && a.trace_batch == b.trace_batch &&
           a.group_limit == b.group_limit && a.is_adaptive == b.is_adaptive &&
           a.traversal == b.traversal && a.shade_batch == b.shade_batch &&
           a.device_shade_batch == b.device_shade_batch && a.cache_bytes == b.cache_bytes &&
           a.adapts_split == b.adapts_split && a.treelet_bytes == b.treelet_bytes &&
           a.device_cache_bytes == b.device_cache_bytes && a.texels == b.texels &&
           a.open_pages == b.open_pages && a.reads_ahead == b.reads_ahead &&
           a.portions == b.portions && a.lane_groups == b.lane_groups &&
           a.share_samples == b.share_samples;
}

// Sizes of the cluster: storage for paths, collections for nodes and materials.
fibre::ClusterConfig cluster_config(const IntegratorConfig& config, const FrameScene& frame) {
    fibre::ClusterConfig cluster;
    cluster.element_count = config.path_count;
    cluster.collection_count = 4096;
    // A list is at most as long as the batch, and a visit pushes at most eight. When the list stack
    // is full, the fibre traverses the subtree in one kernel call.
    cluster.list_capacity = config.trace_batch * 48;
    bool has_evictions = false;  // of collections that wait for pages
    if (frame.store != nullptr) {
        // A closest-hit ray and a shadow ray of each path may wait for a page, and collections of
        // many pages are open at once.
        const auto pages = static_cast<u32>(frame.store->figures().count);
        const u32 open = std::min(pages, config.open_pages);
        has_evictions = open < pages;
        cluster.collection_count =
            has_evictions ? 2 * open : std::max(cluster.collection_count, 2 * pages);
        // Evicted collections may hold a fibre each, of three that a path may have.
        const u32 fibres = (has_evictions ? 12 : 4) * config.path_count;
        cluster.list_capacity = std::max(cluster.list_capacity, fibres + 64 * open);
    }
    cluster.admit_batch = 1024;
    cluster.lane_count = frame.shade->lane_count;
    cluster.element_bytes = PathSlots::bytes_per_path(frame.layers) +
                            (frame.hits ? HitSlots::bytes_per_path(*frame.hits) : 0);
    cluster.cache_bytes = config.cache_bytes;
    cluster.cache_entry_bytes = sizeof(shaders::DecodedNode);
    cluster.adapts_split = config.adapts_split;
    if (frame.treelets.count > 0) {
        // The same on a device, where both kinds of rays wait for treelets, and the cache holds
        // these.
        const u32 open = std::min(frame.treelets.count, kMostOpenTreelets);
        cluster.collection_count = frame.store ? cluster.collection_count + 2 * open
                                               : std::max(cluster.collection_count, 2 * open);
        // Of a tree with pages no list may be refused, and fibres may leave a chunk of entries half
        // empty in each collection.
        const u32 lists = frame.store ? cluster.collection_count : open;
        const u32 evicted = has_evictions ? 2 * config.path_count : 0;
        cluster.list_capacity =
            std::max(cluster.list_capacity,
                     4 * config.path_count + 64 * std::min(lists + evicted, 2 * config.path_count));
        cluster.cache_bytes = config.device_cache_bytes;
        cluster.cache_entry_bytes = most_bytes(frame.treelets);
        cluster.adapts_split = false;
    }
    cluster.thread_capacity = config.portions * config.lane_groups;
    return cluster;
}

UnitBytes unit_bytes(const IntegratorConfig& config, const FrameScene& frame) {
    const auto of_paths = [&](u32 bytes) {
        return UnitMemory::rounded(u64{config.path_count} * bytes);
    };
    return {of_paths(PathSlots::bytes_per_path(frame.layers)) +
                (frame.hits ? of_paths(HitSlots::bytes_per_path(*frame.hits)) : 0),
            config.portions * ResultSlots::needed_bytes(config.share_samples, frame.layers)};
}

void IntegratorCounters::add(const IntegratorCounters& other) {
    samples += other.samples;
    camera_rays += other.camera_rays;
    bounce_rays += other.bounce_rays;
    shadow_rays += other.shadow_rays;
    add_shade(camera, other.camera);
    add_shade(shade, other.shade);
    add_shade(miss, other.miss);
    add_trace(closest, other.closest);
    add_trace(shadow, other.shadow);
    paged.add(other.paged);
    local.add(other.local);
    texels.reads += other.texels.reads;
    texels.copied.add(other.texels.copied);
}

// Null where surfaces are in memory.
std::unique_ptr<SurfaceFibre> make_surface(Integrator::State& state) {
    const IntegratorConfig& config = state.config;
    if (!state.frame.hits) {
        return nullptr;
    }
    return std::make_unique<SurfaceFibre>(
        SurfaceConfig{.is_keyed = config.mode == SchedulerMode::Keyed,
                      .path_count = config.path_count,
                      .packet_fill = config.shade_batch,
                      .reader = state.closest_rays.page_reader(),
                      .reads_ahead = config.reads_ahead,
                      .desk = state.frame.desk,
                      .cluster = state.cluster_index},
        SurfaceStage{&state.frame.view,
                     state.frame.hits,
                     state.frame.store,
                     state.frame.records,
                     state.slots.view()},
        state.memory);
}

RayStage Integrator::State::ray_stage(RayKind kind) const {
    const shaders::PathView& paths = slots.view();
    RayStage stage;
    stage.scene = {frame.bvh, &frame.view, shaders::AlphaKeys(paths.record), paths.shadow_tint};
    stage.scene.shadow_media = paths.shadow_media;
    stage.kernels = frame.trace;
    stage.embree = frame.embree;
    stage.rays = kind == RayKind::Shadow ? paths.shadow : paths.ray;
    stage.heat = heat.get();
    stage.store = frame.store;
    stage.treelets = frame.treelets;
    stage.desk = frame.desk;
    stage.cluster = cluster_index;
    return stage;
}

Integrator::State::State(const IntegratorConfig& config_in,
                         const FrameScene& frame_in,
                         const IntegratorPlace& place)
    : config(config_in),
      frame(frame_in),
      cluster_index(place.cluster),
      copy_out(place.copy_out),
      memory(place.paths),
      result_memory(place.results),
      slots(config.path_count, frame.layers, memory),
      cluster(place.packet_unit
                  ? fibre::Cluster(cluster_config(config, frame), *place.packet_unit, place.cluster)
                  : fibre::Cluster(cluster_config(config, frame))),
      heat(frame.heat ? std::make_unique<HeatTable>(*frame.heat) : nullptr),
      closest_rays(ray_config(config, frame, RayKind::Closest), ray_stage(RayKind::Closest)),
      shadow_rays(ray_config(config, frame, RayKind::Shadow), ray_stage(RayKind::Shadow)),
      first_portion(u64{place.cluster} * config.portions),
      camera(fibre::DataKind::Camera, config.portions * config.lane_groups, 1),
      result_place(config.path_count) {
    // Take result slots for every share.
    shares.reserve(config.portions);
    for (u32 portion = 0; portion < config.portions; ++portion) {
        shares.push_back({{},
                          0,
                          0,
                          {},
                          ResultSlots(config.share_samples,
                                      frame.layers,
                                      result_memory,
                                      copy_out ? &copy_out : nullptr)});
        is_results_allocated = is_results_allocated && shares.back().results.is_allocated();
    }
    // Take lists of slots, as long as there can be paths.
    first_ids.resize(config.path_count);
    second_ids.resize(config.path_count);
    third_ids.resize(config.path_count);
    if (frame.treelets.count > 0) {
        // Kernels of a device reach its texels through local memory alone.
        texels =
            std::make_unique<TexelCache>(config.texels, far_texels(frame.view, frame.texel_words));
        texels->show(frame.view);
        if (config.mode == SchedulerMode::Keyed && frame.texel_words > 0) {
            texel_order = std::make_unique<TexelOrder>(config.path_count);
        }
    }
    surface = make_surface(*this);  // copies the view
    if (cluster.is_allocated()) {
        declare_routines();
        cluster.set_finished(thread_finished, this);
    }
}

void Integrator::State::declare_routines() {
    const bool is_unkeyed = config.mode == SchedulerMode::Unkeyed;
    // The path, the parent of all other fibres.
    fibre::RoutineDesc desc;
    desc.context = this;
    desc.name = "path";
    desc.run = fibre::run_member<State, &State::run_path>;
    desc.packet_fill = 256;
    desc.packet_max = config.path_count;
    desc.policy = config.policies.path;
    path = cluster.declare(desc);

    // Closest hits and shadow rays.
    closest = closest_rays.declare(cluster, config.policies.closest);
    shadow = shadow_rays.declare(cluster, config.policies.shadow);

    // Shading, by material.
    desc.name = "shade";
    desc.run = fibre::run_member<State, &State::run_shade>;
    desc.packet_fill =
        texels ? std::min(config.device_shade_batch, config.path_count) : config.shade_batch;
    desc.packet_max = desc.packet_fill;
    desc.may_mix_keys = true;
    desc.ignores_key = is_unkeyed;
    desc.policy = config.policies.shade;
    desc.derive_key = material_of;
    shade = cluster.declare(desc);
    // Misses, without a key.
    desc.name = "miss";
    desc.run = fibre::run_member<State, &State::run_miss>;
    desc.policy = config.policies.miss;
    desc.derive_key = nullptr;
    miss = cluster.declare(desc);
    // Hits on surfaces in pages, by page.
    if (surface) {
        gather = surface->declare(cluster, shade);
    }
}

// A part of a share is a range of samples; the camera's data manager makes a thread of it.
void Integrator::State::begin_part(const unit::PartTask& task) {
    // Take the fault that a test asks for, and new shading kernels.
    const u32 fault = config.fault ? config.fault(task) : 0;
    const u32 error = is_abandoned.load(std::memory_order_relaxed) ? kAbandoned : fault;
    if (const shaders::ShadeKernels* const next = next_shade.load(std::memory_order_acquire)) {
        frame.shade = next;
    }
    // Find the part's range of samples.
    Share& share = shares[task.portion];
    share.block = to_block(task.share);
    const u32 begin = begin_of_part(share.block.size(), task.part, task.part_count);
    const u32 end = begin_of_part(share.block.size(), task.part + 1, task.part_count);
    share.part_count = task.part_count;
    share.part_begin[task.part] = begin;
    // A failed or empty part ends at once.
    if (error != 0 || begin == end) {
        unit->finish_part(task.portion, task.part, error);
        return;
    }
    // Give the range to the camera.
    share.open_parts |= 1U << task.part;
    const u64 first_number = (first_portion + task.portion) * config.share_samples;
    const bool is_given = camera.give(
        {.begin = first_number + begin,
         .end = first_number + end,
         .grain = end - begin,
         .elements_at_once = std::min({end - begin, config.path_count, frame.shade->lane_count}),
         .priority = static_cast<float>(share.block.urgency)});
    // The queue holds every part of every portion.
    ENSURE(is_given, ==, true);
}

bool Integrator::State::step() {
    if (is_abandoned.load(std::memory_order_relaxed)) {
        return end_abandoned_parts();
    }
    camera.feed(cluster, config.portions * config.lane_groups);
    return cluster.step();
}

// A lost unit that responds again ends all its parts, so that it can be released.
bool Integrator::State::end_abandoned_parts() {
    bool has_ended = false;
    for (u32 portion = 0; portion < config.portions; ++portion) {
        for (u32& open = shares[portion].open_parts; open != 0; has_ended = true) {
            const auto part = static_cast<u32>(std::countr_zero(open));
            open &= open - 1;
            unit->finish_part(portion, part, kAbandoned);
        }
    }
    return has_ended;
}

void Integrator::State::end_thread(u64 user) {
    // Find the share and the first sample of the thread.
    const u64 number = fibre::Piece::of(user).begin;
    const auto portion = static_cast<u32>(number / config.share_samples - first_portion);
    const auto begin = static_cast<u32>(number % config.share_samples);
    // Of parts with the same first sample all but the last are empty.
    Share& share = shares[portion];
    u32 part = share.part_count - 1;
    while (share.part_begin[part] != begin) {
        --part;
    }
    // Close the part and report it.
    share.open_parts &= ~(1U << part);
    camera.finished();
    const bool is_page_lost = frame.store != nullptr && frame.store->has_failed();
    unit->finish_part(portion, part, is_page_lost ? kPageLost : 0);
}

Integrator::Integrator(const IntegratorConfig& config,
                       const FrameScene& frame,
                       const IntegratorPlace& place)
    : state_(std::make_unique<State>(config, frame, place)) {}

Integrator::~Integrator() = default;

bool Integrator::is_allocated() const {
    return state_->slots.is_allocated() && state_->cluster.is_allocated() &&
           state_->closest_rays.is_allocated() && state_->shadow_rays.is_allocated() &&
           state_->is_results_allocated && (!state_->surface || state_->surface->is_allocated()) &&
           (!state_->texels || state_->texels->is_allocated());
}

void Integrator::change_shade(const shaders::ShadeKernels* row) {
    state_->next_shade.store(row, std::memory_order_release);
}

void Integrator::rest() {
    if (state_->frame.store != nullptr && state_->frame.desk == nullptr) {
        state_->frame.store->end_walks(state_->closest_rays.page_reader());
        state_->frame.store->end_walks(state_->shadow_rays.page_reader());
    }
}

void Integrator::aim(const FrameScene& frame) {
    State& state = *state_;
    ENSURE(!state.copy_out && !state.heat && !frame.heat, ==, true);
    ENSURE(!state.surface && !frame.hits, ==, true);
    state.cluster.empty_cache();  // of decoded nodes
    state.frame = frame;
    state.closest_rays.aim(state.ray_stage(RayKind::Closest));
    state.shadow_rays.aim(state.ray_stage(RayKind::Shadow));
}

void Integrator::set_view(const shaders::CameraRecord& camera, bool has_aovs) {
    state_->frame.camera = camera;
    state_->frame.layers.has_aovs = has_aovs;
    state_->closest_rays.look(camera);
    state_->shadow_rays.look(camera);
}

void Integrator::abandon() {
    state_->cluster.abandon();
    if (state_->frame.desk != nullptr) {
        state_->frame.desk->forget(state_->cluster_index);
    }
    state_->is_abandoned.store(true, std::memory_order_relaxed);
}

void Integrator::begin_part(const unit::PartTask& task, unit::ExecutionUnit& unit) {
    state_->unit = &unit;
    state_->begin_part(task);
}

bool Integrator::step(unit::ExecutionUnit& unit) {
    state_->unit = &unit;
    return state_->step();
}

bool Integrator::can_return() const {
    return !state_->is_abandoned.load(std::memory_order_relaxed);
}

const ResultView& Integrator::results(u32 portion, u32 count) {
    return state_->shares[portion].results.fetch(count);
}

IntegratorCounters Integrator::counters() const {
    IntegratorCounters counters = state_->counters;
    counters.closest = state_->closest_rays.counters();
    counters.shadow = state_->shadow_rays.counters();
    counters.paged = state_->closest_rays.paged_counters();
    counters.paged.add(state_->shadow_rays.paged_counters());
    counters.paged.hits_waited = state_->surface ? state_->surface->hits_waited() : 0;
    counters.local = state_->closest_rays.local_counters();
    counters.local.add(state_->shadow_rays.local_counters());
    if (state_->texels) {
        counters.texels = {state_->texels->reads(), state_->texels->copied()};
        counters.local.bus.add(counters.texels.copied);
    }
    if (state_->surface) {
        counters.local.bus.add(state_->surface->bus());
    }
    return counters;
}

const fibre::FibreCounters& Integrator::fibre_counters() const {
    return state_->cluster.counters();
}

fibre::DataCounters Integrator::camera_threads() const {
    return state_->camera.counters();
}

const HeatTable* Integrator::heat() const {
    return state_->heat.get();
}

u64 Integrator::storage_bytes() const {
    const u64 hit_bytes = state_->surface ? state_->surface->slots().size_bytes() : 0;
    return state_->slots.size_bytes() + hit_bytes +
           state_->cluster.counters().storage_high_water_bytes;
}

}  // namespace weft::trace
