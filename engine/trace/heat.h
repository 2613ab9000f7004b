// heat.h — the cost of a frame by tree key and by object.
//
// Counted only with FrameScene::heat: each packet of the closest, shadow and shade routines then
// charges its cost to its key, once. Rays go as keyed lists, one node visit at a time while a node
// has several objects below it (ray_fibre.h), so that the cost of a subtree that holds one object
// is charged to that object alone; hits keep their bits. Shading is charged to the objects of the
// packet's hits in proportion to their fibres. Sums over keys and over objects equal the ordinary
// counters of routines and kernels.
//
// A HeatTable belongs to one integrator and its thread. Sized before the frame: keys beyond
// kMostKeys share one record; objects always fit.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/trace/heat_map.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

struct Heat {
    u64 packets = 0;
    u64 fibres = 0;        // fibres run under the key
    u64 visits = 0;        // nodes fetched
    u64 lanes_issued = 0;  // by kernels
    u64 lanes_active = 0;
    u64 time_ns = 0;  // wall time of the unit's thread

    void add(const Heat& other);

    [[nodiscard]] u64 lanes_wasted() const { return lanes_issued - lanes_active; }

    friend bool operator==(const Heat&, const Heat&) = default;
};

enum class HeatKind : u32 { Closest, Shadow, Shade };

inline constexpr u32 kHeatKinds = 3;

using HeatByKind = std::array<Heat, kHeatKinds>;

// Sum over all kinds.
Heat sum_of(const HeatByKind& kinds);

struct KeyHeat {
    u32 ref = 0;  // into the TLAS
    Heat heat;
};

// The heat of a frame, summed over its units.
struct HeatFigures {
    std::vector<KeyHeat> keys;        // closest and shadow rays; sorted by reference
    Heat other_keys;                  // of keys that did not fit
    std::vector<HeatByKind> objects;  // as HeatMap::objects; last: keys above several objects

    [[nodiscard]] bool is_empty() const { return objects.empty(); }

    void add(const HeatFigures& other);

    // The heat of a key; zeros if nothing was counted.
    [[nodiscard]] Heat of_key(u32 ref) const;
};

class HeatTable {
public:
    static constexpr u32 kMostKeys = 1U << 16;

    explicit HeatTable(const HeatMap& map);

    // Adds a packet of rays under a key.
    void add_rays(HeatKind kind, u32 ref, const Heat& heat);

    // Adds a packet of shading; `objects` are those of its fibres, in order.
    void add_shading(std::span<const u32> objects, const Heat& heat);

    [[nodiscard]] const HeatMap& map() const { return map_; }

    void add_to(HeatFigures& figures) const;

private:
    static constexpr u32 kPlaces = 2 * kMostKeys;  // of the hash table

    const HeatMap& map_;
    std::vector<u32> place_of_;  // by hash: index into keys_; kNone: free
    std::vector<KeyHeat> keys_;
    Heat other_keys_;
    std::vector<HeatByKind> objects_;
};

// The counts of a kernel since `before`, as heat.
Heat heat_between(const shaders::TraceCounters& before, const shaders::TraceCounters& now);

}  // namespace weft::trace
