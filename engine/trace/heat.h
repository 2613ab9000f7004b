// heat.h — where the work of a frame goes: by key of the tree, and by object.
//
// Counted only where a frame asks for it (FrameScene::heat): then each packet of the closest,
// shadow and shade routines adds what it cost to its key, once. Rays go down as keyed lists, node
// by node wherever a node has several objects below it (ray_fibre.h), so that what lies below an
// object is charged to that object alone; hits are the same bits. Shading is charged to the objects
// of the packet's hits, by their number of fibres. Sums over keys and over objects equal the
// ordinary counters of the routines and kernels.
//
// A HeatTable belongs to one integrator and its thread. Sized before the frame: keys beyond
// kMostKeys are charged to one record of their own, objects always fit.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/trace/heat_map.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

struct Heat {
    u64 packets = 0;
    u64 fibres = 0;        // that were queued under the key, and run
    u64 visits = 0;        // nodes fetched
    u64 lanes_issued = 0;  // by kernels
    u64 lanes_active = 0;
    u64 time_ns = 0;  // of the unit's thread, others that had the core meanwhile included

    void add(const Heat& other);

    [[nodiscard]] u64 lanes_wasted() const { return lanes_issued - lanes_active; }

    friend bool operator==(const Heat&, const Heat&) = default;
};

enum class HeatKind : u32 { Closest, Shadow, Shade };

inline constexpr u32 kHeatKinds = 3;

using HeatByKind = std::array<Heat, kHeatKinds>;

// All kinds together.
Heat sum_of(const HeatByKind& kinds);

struct KeyHeat {
    u32 ref = 0;  // of the world tree
    Heat heat;
};

// What a frame's units counted, added up.
struct HeatFigures {
    std::vector<KeyHeat> keys;        // closest and shadow rays; by rising reference
    Heat other_keys;                  // of those that found no place
    std::vector<HeatByKind> objects;  // as HeatMap::objects, and one more: what has several below

    [[nodiscard]] bool is_empty() const { return objects.empty(); }

    void add(const HeatFigures& other);

    // The key's; zeros where nothing was counted.
    [[nodiscard]] Heat of_key(u32 ref) const;
};

class HeatTable {
public:
    static constexpr u32 kMostKeys = 1U << 16;

    explicit HeatTable(const HeatMap& map);

    // A packet of rays under a key.
    void add_rays(HeatKind kind, u32 ref, const Heat& heat);

    // A packet of shading: heat.fibres of them, of these objects in this order.
    void add_shading(std::span<const u32> objects, const Heat& heat);

    [[nodiscard]] const HeatMap& map() const { return map_; }

    void add_to(HeatFigures& figures) const;

private:
    static constexpr u32 kPlaces = 2 * kMostKeys;  // of the hash table

    const HeatMap& map_;
    std::vector<u32> place_of_;  // by hash: which of keys_; kNone: free
    std::vector<KeyHeat> keys_;
    Heat other_keys_;
    std::vector<HeatByKind> objects_;
};

// What a kernel has counted since `before`.
Heat heat_between(const shaders::TraceCounters& before, const shaders::TraceCounters& now);

}  // namespace weft::trace
