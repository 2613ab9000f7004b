// cluster.h — one SIMD compute unit: fibre storage, packet unit, input buffer, local controller.
//
// A thread — a logical parent computation, never an OS thread — is submitted with the number of
// elements that it needs; once admitted, its parent routine is launched on them (F17). Fibres
// spawned onto an element run on this cluster only, serially for that element, so storage needs no
// lock (F3, F4). Each element counts its fibres; at zero the parent is invoked on it again (F5).
// Fibres of equal (routine, key) gather in collections and leave as packets (F8..F13); the local
// controller fills lanes from the input buffer (F14, F15).
//
// Everything is sized by ClusterConfig before the first fibre; nothing is allocated while running.
// One OS thread at a time drives a cluster and makes every call but abandon(). Clusters of a device
// share a packet unit (shared_packet_unit.h), each driven by its own.
#pragma once

#include <memory>
#include <span>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/coarse_scheduler.h"
#include "scheduler/fibre/fibre_counters.h"
#include "scheduler/fibre/routine.h"
#include "scheduler/fibre/software_cache.h"

namespace weft::fibre {

class Cluster;
class SharedPacketUnit;

// What a routine may do while its packet runs. Valid during the call only.
class Spawner {
public:
    explicit Spawner(Cluster& cluster) : cluster_(cluster) {}

    // Records one fibre per element and returns at once (F2). Counts each element +1. `routine` may
    // be any but the parent, which only a count of zero invokes; elements are those of the running
    // packet (F3). At most 8 × element_count spawned fibres may wait at once: more is a program
    // error. Spawn runs of equal keys with one call: a call costs as much as ten fibres. Without a
    // priority the fibres inherit that of the running packet, at first their thread's (F7).
    void spawn(RoutineId routine, Key key, std::span<const u32> elements);
    void spawn(RoutineId routine, Key key, std::span<const u32> elements, float priority);

    // Spawns with the key that the routine derives from each element, or with its default key (F6).
    // Each key costs one spawn, in whatever order the elements are.
    void spawn(RoutineId routine, std::span<const u32> elements);

    // Moves running fibres to another key of the same routine (F8): one list, appended in bulk,
    // with one adjustment of the counts. An element may go on to several keys. Lists pushed later
    // run earlier (depth first). False, with nothing recorded, if the list memory is full or the
    // routine ignores keys: the caller then runs this subtree to its end at once.
    [[nodiscard]] bool rekey(Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload);

    // Parent routine only: gives elements back. They must have no fibre left.
    void release(std::span<const u32> elements);

    // Parent routine only, at a safe point (F15): whether a more urgent packet is ready. False once
    // the parent itself has waited for kAgeBound packets.
    [[nodiscard]] bool should_put_aside() const;

    // Parent routine only: puts elements of its packet aside. The parent is invoked on them again,
    // in a packet like this one, when nothing more urgent is ready. At an initial launch they must
    // be consecutive. The parent must keep at least one element, so that it makes progress.
    void put_aside(std::span<const u32> elements);

private:
    Cluster& cluster_;
};

class Cluster {
public:
    // With a packet unit of its own; nothing is locked.
    explicit Cluster(const ClusterConfig& config);
    // One of several clusters behind one packet unit, which must outlive it and was made for equal
    // configs; `index` must be free there.
    Cluster(const ClusterConfig& config, SharedPacketUnit& shared, u32 index);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    // False if allocation failed; nothing else may be called then.
    [[nodiscard]] bool is_allocated() const;

    // The first routine declared is the parent. At most 8 routines, before anything runs.
    RoutineId declare(const RoutineDesc& desc);

    // Called when a thread's last element was released, after the parent routine that did so has
    // returned. May submit.
    void set_finished(void (*done)(void* context, u64 user), void* context);

    // Offers a thread to the coarse scheduler (F17).
    [[nodiscard]] Admission submit(const ThreadDesc& desc);

    // Makes one decision of the local controller and runs its packet; false: nothing to do now.
    bool step();

    // Steps until nothing is left. Every element must then have been released.
    void run();

    // No thread waits or runs.
    [[nodiscard]] bool is_idle() const;

    // Moves the border between managed elements and cache (F16): `managed_elements` of
    // [1, element_count], and no fewer than a thread declares that waits or runs. Between steps.
    // Empties the cache. Elements beyond the border leave when they are released; after the last
    // one the cache grows, even within a frame. With adapts_split the cluster moves the border
    // itself, and takes all elements back for a thread that declares more than are managed.
    void set_split(u32 managed_elements);

    // Drops all cache entries. Only while idle.
    void empty_cache();

    // The cache part of local memory, for routines of this cluster.
    [[nodiscard]] SoftwareCache& cache();

    // Behind a shared packet unit only: the cluster is lost. The packet unit drops its waiting
    // fibres and ignores later calls of its OS thread; step() then finds nothing to do. Any OS
    // thread.
    void abandon();

    // Figures up to now, without those of a shared packet unit.
    [[nodiscard]] const FibreCounters& counters() const;

private:
    friend class Spawner;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft::fibre
