// surface_fibre.h — the routine `gather`: hits wait for the page that holds what shading reads of
// their triangles.
//
// A hit's key is the page of its surface record (F6), which follows from mesh and primitive: hits
// of one page gather in one collection and choosing it starts the read (F8, F12), or they wait in
// order of arrival (page_keys.h). When the page is there, the routine copies the corners to the
// path's place (hit_slots.h) and spawns the shading of the hit. Hits whose page is near, and those
// on meshes that lie in no page, go on at once.
//
//     path ──> gather ──┬─ near ───────────────────────> corners copied ──> shade
//                       └─ far ──> collection of its page ──────^
//
// Where a page cannot be read the path ends; the frame fails then. One per cluster, on its thread.
#pragma once

#include <span>
#include <vector>

#include "engine/trace/hit_slots.h"
#include "engine/trace/page_keys.h"
#include "scheduler/unit/bus_model.h"
#include "shaders/host/path_view.h"

namespace weft::trace {

struct SurfaceConfig {
    bool is_keyed = true;   // false: in order of arrival
    u32 path_count = 4096;  // slots, and most hits of a packet
    u32 packet_fill = 256;  // hits that leave together when nothing else is more urgent
    u32 reader = 0;         // of the store, which the cluster's rays use too
    u32 reads_ahead = 16;   // unkeyed (page_keys.h)
    // On a device, over whose bus records are copied; else null.
    PageDesk* desk = nullptr;
    u32 cluster = 0;  // among the device's
};

// Pointers outlive the fibre.
struct SurfaceStage {
    const shaders::SceneView* scene = nullptr;
    const HitTables* tables = nullptr;
    pages::PageStore* store = nullptr;
    pages::RecordView records{};  // of the store
    shaders::PathView paths{};
};

class SurfaceFibre {
public:
    SurfaceFibre(const SurfaceConfig& config, const SurfaceStage& stage, UnitMemory& memory);
    SurfaceFibre(const SurfaceFibre&) = delete;
    SurfaceFibre& operator=(const SurfaceFibre&) = delete;

    // Declares the routine, which spawns `shade`.
    fibre::RoutineId declare(fibre::Cluster& cluster, fibre::RoutineId shade);

    [[nodiscard]] bool is_allocated() const { return slots_.is_allocated(); }

    // For the shade kernel: the corners of hits, by path.
    [[nodiscard]] const HitSlots& slots() const { return slots_; }

    // Times that a hit waited for a page.
    [[nodiscard]] u64 hits_waited() const { return hits_waited_; }

    // Records copied over the bus of a device.
    [[nodiscard]] const unit::BusCounters& bus() const { return bus_; }

private:
    void run(const fibre::Packet& packet, fibre::Spawner& spawner);
    [[nodiscard]] u32 mesh_of(u32 slot) const;
    [[nodiscard]] u32 page_of(u32 slot) const;
    void copy_near(std::span<const u32> slots);
    void prefetch(std::span<const u32> slots, std::size_t at) const;
    void copy(u32 slot, u32 page);
    void end(std::span<const u32> slots) const;

    PageKeys& keys() { return keys_; }

    SurfaceConfig config_;
    SurfaceStage stage_;
    HitSlots slots_;
    PageKeys keys_;
    fibre::RoutineId shade_ = 0;
    u64 hits_waited_ = 0;
    unit::BusCounters bus_;
    // Scratch, sized once.
    std::vector<PageWaiter> waiting_;
    std::vector<u32> ready_;
};

}  // namespace weft::trace
