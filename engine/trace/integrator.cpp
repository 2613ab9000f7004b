#include "engine/trace/integrator.h"

#include <algorithm>
#include <string_view>

#include "engine/trace/integrator_state.h"

namespace weft::trace {

namespace {

void add_trace(shaders::TraceCounters& sum, const shaders::TraceCounters& other) {
    sum.node_visits += other.node_visits;
    sum.node_tests += other.node_tests;
    sum.leaf_tests += other.leaf_tests;
    sum.rays_in_lists += other.rays_in_lists;
    sum.lanes_issued += other.lanes_issued;
    sum.lanes_active += other.lanes_active;
}

// The renderer's fibre engine: storage for the paths, collections for nodes and materials.
fibre::ClusterConfig cluster_config(const IntegratorConfig& config, u32 lane_count) {
    fibre::ClusterConfig cluster;
    cluster.element_count = config.path_count;
    cluster.collection_count = 4096;
    // A list on the stack is at most as long as the batch, and a node leaves at most eight of them
    // behind; deeper than this the engine refuses and the subtree runs as a group.
    cluster.list_capacity = config.trace_batch * 48;
    cluster.admit_batch = 1024;
    cluster.lane_count = lane_count;
    cluster.thread_capacity = kSampleBatches;
    return cluster;
}

// Starts the fetch of a node or leaf (F12); instances are one line.
void prefetch_ref(void* context, fibre::Key key) {
    const auto& bvh = static_cast<const Integrator::State*>(context)->frame.bvh;
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
    for (u32 line = 0; line < 3; ++line) {
        __builtin_prefetch(static_cast<const char*>(data) + 64 * line);
    }
}

using State = Integrator::State;

void path_routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    static_cast<State*>(context)->run_path(packet, spawner);
}

void closest_routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    static_cast<State*>(context)->run_rays(packet, spawner, false);
}

void shadow_routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    static_cast<State*>(context)->run_rays(packet, spawner, true);
}

void shade_routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    static_cast<State*>(context)->run_shade(packet, spawner);
}

void miss_routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    static_cast<State*>(context)->run_miss(packet, spawner);
}

void thread_finished(void* context, u64 batch) {
    static_cast<State*>(context)->batch_is_free[batch] = true;
}

}  // namespace

void IntegratorCounters::add(const IntegratorCounters& other) {
    samples += other.samples;
    camera_rays += other.camera_rays;
    bounce_rays += other.bounce_rays;
    shadow_rays += other.shadow_rays;
    dropped_samples += other.dropped_samples;
    shade.lanes_issued += other.shade.lanes_issued;
    shade.lanes_active += other.shade.lanes_active;
    shade.medium_overflows += other.shade.medium_overflows;
    add_trace(closest, other.closest);
    add_trace(shadow, other.shadow);
}

Integrator::State::State(const IntegratorConfig& config_in, const FrameScene& frame_in)
    : config(config_in),
      frame(frame_in),
      slots(config.path_count, frame.has_aovs),
      cluster(cluster_config(config, frame.shade->lane_count)) {
    first_ids.resize(config.path_count);
    second_ids.resize(config.path_count);
    child_ids.resize(std::size_t{config.path_count} * 8);
    child_entries.resize(std::size_t{config.path_count} * 8);
    const auto layer_named = [&](std::string_view name) {
        const std::vector<film::FilmLayer>& aovs = frame.film->aovs();
        const auto found = std::find_if(
            aovs.begin(), aovs.end(), [&](const film::FilmLayer& aov) { return aov.name == name; });
        return found == aovs.end() ? kNone : static_cast<u32>(found - aovs.begin());
    };
    albedo_layer = layer_named("albedo");
    normal_layer = layer_named("normal");
    position_layer = layer_named("position");
    depth_layer = layer_named("depth");
    has_instance_layer = layer_named("instance") != kNone;
    if (!cluster.is_allocated()) {
        return;
    }
    requests.resize(std::size_t{kSampleBatches} * kBatchSamples);
    batch_is_free.fill(true);
    cluster.set_finished(thread_finished, this);
    const bool is_unkeyed = config.mode == SchedulerMode::Unkeyed;
    fibre::RoutineDesc desc;
    desc.context = this;
    desc.name = "path";
    desc.run = path_routine;
    desc.packet_fill = 256;
    desc.packet_max = config.path_count;
    desc.policy = fibre::Policy::Fullest;
    path = cluster.declare(desc);

    desc.name = "closest";
    desc.run = closest_routine;
    desc.packet_fill = config.trace_batch;
    desc.packet_max = config.trace_batch;
    desc.may_mix_keys = false;
    desc.policy = config.policy;
    desc.prefetch = prefetch_ref;
    closest = cluster.declare(desc);
    desc.name = "shadow";
    desc.run = shadow_routine;
    shadow = cluster.declare(desc);

    desc.name = "shade";
    desc.run = shade_routine;
    desc.packet_fill = config.shade_batch;
    desc.packet_max = config.shade_batch;
    desc.may_mix_keys = true;
    desc.ignores_key = is_unkeyed;
    desc.policy = fibre::Policy::Fullest;
    desc.prefetch = nullptr;
    shade = cluster.declare(desc);
    desc.name = "miss";
    desc.run = miss_routine;
    miss = cluster.declare(desc);
}

Integrator::Integrator(const IntegratorConfig& config, const FrameScene& frame)
    : state_(std::make_unique<State>(config, frame)) {}

Integrator::~Integrator() = default;

bool Integrator::is_allocated() const {
    return state_->slots.is_allocated() && state_->cluster.is_allocated();
}

void Integrator::run(SampleSource& source) {
    state_->source = &source;
    state_->is_source_dry = false;
    state_->submit_samples();
    while (state_->cluster.step() || state_->submit_samples()) {
        state_->submit_samples();
    }
    state_->source = nullptr;
}

const IntegratorCounters& Integrator::counters() const {
    return state_->counters;
}

const fibre::FibreCounters& Integrator::fibre_counters() const {
    return state_->cluster.counters();
}

const std::vector<DroppedSample>& Integrator::dropped() const {
    return state_->dropped;
}

u64 Integrator::storage_bytes() const {
    return state_->slots.size_bytes() + state_->cluster.counters().storage_high_water_bytes;
}

}  // namespace weft::trace
