#include "engine/trace/surface_fibre.h"

namespace weft::trace {

namespace {

constexpr u32 kCacheLine = 64;

// What it costs to read a page of records, relative to one of the tree: bytes.
double relative_cost(const pages::PageFigures& pages) {
    const u64 tree_bytes = pages.bytes - pages.record_bytes;
    const u64 tree_count = pages.count - pages.record_count;
    if (tree_bytes == 0 || pages.record_bytes == 0) {
        return 1;
    }
    return static_cast<double>(pages.record_bytes) / static_cast<double>(pages.record_count) *
           static_cast<double>(tree_count) / static_cast<double>(tree_bytes);
}

}  // namespace

SurfaceFibre::SurfaceFibre(const SurfaceConfig& config,
                           const SurfaceStage& stage,
                           UnitMemory& memory)
    : config_(config),
      stage_(stage),
      slots_(*stage.scene, *stage.tables, config.path_count, memory),
      keys_(*stage.store,
            {.is_keyed = config.is_keyed,
             .batch = config.path_count,
             .reader = config.reader,
             .reads_ahead = config.reads_ahead,
             .desk = config.desk,
             .user = PageUser::Hits,
             .cluster = config.cluster},
            [this](u32 slot) { return page_of(slot); }) {
    waiting_.reserve(config.path_count);
    ready_.reserve(config.path_count);
}

fibre::RoutineId SurfaceFibre::declare(fibre::Cluster& cluster, fibre::RoutineId shade) {
    shade_ = shade;
    fibre::RoutineDesc desc;
    desc.name = "gather";
    desc.run = [](void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
        static_cast<SurfaceFibre*>(context)->run(packet, spawner);
    };
    desc.context = this;
    desc.packet_fill = config_.packet_fill;
    desc.packet_max = config_.path_count;
    desc.may_mix_keys = false;
    desc.policy = config_.is_keyed ? fibre::Policy::Fullest : fibre::Policy::Oldest;
    if (config_.is_keyed) {
        declare_far<SurfaceFibre, &SurfaceFibre::keys>(desc);
        desc.fetch_cost = relative_cost(stage_.store->figures());
    }
    return cluster.declare(desc);
}

u32 SurfaceFibre::mesh_of(u32 slot) const {
    return stage_.scene->instances[stage_.paths.ray[slot].instance].mesh;
}

u32 SurfaceFibre::page_of(u32 slot) const {
    return stage_.records.page_of(mesh_of(slot), stage_.paths.ray[slot].primitive);
}

void SurfaceFibre::run(const fibre::Packet& packet, fibre::Spawner& spawner) {
    ready_.clear();
    waiting_.clear();
    if (packet.key.tag == kInOrderTag) {
        keys_.visit_in_order(packet.elements, [this](u32 slot) { copy(slot, page_of(slot)); });
    }
    copy_near(packet.elements);
    keys_.end_walk(packet.key);
    if (stage_.store->has_failed()) {
        end(packet.elements);
        return;
    }
    // Shade what is there, and send the others on.
    hits_waited_ += waiting_.size();
    keys_.send_on(waiting_, spawner);
    if (!ready_.empty()) {
        spawner.spawn(shade_, ready_);
    }
}

// Copies the corners of hits whose page is near, and collects the others.
void SurfaceFibre::copy_near(std::span<const u32> slots) {
    // In order of arrival, hits had their turn already: a run of them is ready.
    const std::size_t copied = ready_.size();
    std::size_t next = 0;
    keys_.enter();
    for (std::size_t k = 0; k < slots.size(); ++k) {
        prefetch(slots, k);
        const u32 slot = slots[k];
        if (next < copied && ready_[next] == slot) {
            ++next;
            continue;
        }
        const u32 page = page_of(slot);
        if (page == kNone || keys_.use(page)) {
            copy(slot, page);
        } else {
            waiting_.push_back({page, slot, 0});
        }
    }
    keys_.leave();
}

// Fetches what hits further on need into the cache: first the hit, some hits later its record.
void SurfaceFibre::prefetch(std::span<const u32> slots, std::size_t at) const {
    if (at + 2 * kPrefetchAhead < slots.size()) {
        __builtin_prefetch(&stage_.paths.ray[slots[at + 2 * kPrefetchAhead]].primitive);
    }
    if (at + kPrefetchAhead >= slots.size()) {
        return;
    }
    const u32 slot = slots[at + kPrefetchAhead];
    const u32 page = page_of(slot);
    if (page != kNone && keys_.is_near(page)) {
        const char* const record =
            stage_.records.record_of(mesh_of(slot), stage_.paths.ray[slot].primitive);
        __builtin_prefetch(record);
        __builtin_prefetch(record + kCacheLine);
    }
}

// The page has been entered.
void SurfaceFibre::copy(u32 slot, u32 page) {
    const u32 mesh = mesh_of(slot);
    const u32 primitive = stage_.paths.ray[slot].primitive;
    if (page == kNone) {
        slots_.copy_from_scene(slot, mesh, primitive);
    } else {
        slots_.copy_record(slot, mesh, stage_.records.record_of(mesh, primitive));
        if (config_.desk != nullptr) {
            bus_.add({1, stage_.records.tables[mesh].record_bytes});
        }
    }
    ready_.push_back(slot);
}

void SurfaceFibre::end(std::span<const u32> slots) const {
    for (const u32 slot : slots) {
        stage_.paths.gain[slot].flags &= ~shaders::kPathAlive;
    }
}

}  // namespace weft::trace
