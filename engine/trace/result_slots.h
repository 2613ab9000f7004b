// result_slots.h — the private result slots of one share: one result per sample.
//
// The unit that runs a share writes the radiance of each finished path to the sample's slot. When
// the share is done, the worker that handed it out adds the slots to the film, once, in order.
// Nobody reads what a lost unit writes later. Slots in a device's memory are copied to the host
// first.
#pragma once

#include <functional>
#include <vector>

#include "engine/trace/guide.h"
#include "engine/trace/unit_memory.h"

namespace weft::trace {

inline constexpr u32 kAovFloats = 12;  // albedo 3, normal 3, position 3, depth, uv 2
inline constexpr u32 kSeenFloats = 9;  // seen albedo 3, seen normal 3, direct light 3

// Parts of the light by what the first surface did with it, in the order of film::Aov; light groups
// stand before them.
inline constexpr u32 kLobeParts = 4;

// The layers that paths fill in beside the beauty.
struct PathLayers {
    bool has_aovs = false;   // of the first surface
    bool has_seen = false;   // of the surface that mirrors and clear glass show; then has_aovs, too
    bool has_lobes = false;  // emission, diffuse, specular, transmission
    u32 light_groups = 0;
    bool has_boundaries = false;  // of media: paths keep those that their shadow rays pass
    bool has_tints = false;       // shadow rays pass walls: paths keep how these tint them
    bool has_light_tree = false;  // paths keep the highlight of the surface that scattered them
    bool is_regularized = false;  // paths keep the widest lobe that scattered them
    bool is_guided = false;       // paths keep the light expected where they began
    bool is_pilot = false;        // paths tell what light came from where

    // Parts of the light that are counted apart.
    [[nodiscard]] u32 split_count() const { return light_groups + (has_lobes ? kLobeParts : 0); }

    bool operator==(const PathLayers&) const = default;
};

struct ResultView {
    float* rgba = nullptr;    // 4 per slot: radiance and alpha
    float* aovs = nullptr;    // kAovFloats per slot; null without AOVs
    u32* instance = nullptr;  // 1 per slot; null without AOVs
    float* seen = nullptr;    // kSeenFloats per slot; null where they are not wanted
    // Quanta of the beauty's sums, R, G and B each (light_split.h): of all light that the path has
    // gathered, then of each part. 3 · (1 + split_count()) per slot; null where none is wanted.
    i64* split = nullptr;
    GuideRecord* guide = nullptr;  // kMostGuideVertices per slot; null: this is no pilot
};

// Words of ResultView::split per slot.
inline u32 split_words(PathLayers layers) {
    return layers.split_count() == 0 ? 0 : 3 * (1 + layers.split_count());
}

// Copies bytes from a device to the host. Any thread.
using CopyOut = std::function<void(void* host, const void* device, u64 bytes)>;

class ResultSlots {
public:
    // Slots for `capacity` samples in the unit's memory; for a device, also a copy on the host,
    // made by `copy_out`, which must outlive the slots. Null: the host reads the slots in place.
    ResultSlots(u32 capacity, PathLayers layers, UnitMemory& memory, const CopyOut* copy_out);

    // Of the unit's memory.
    static u64 needed_bytes(u32 capacity, PathLayers layers);

    // False if memory ran out.
    [[nodiscard]] bool is_allocated() const { return is_allocated_; }

    // For the unit that writes.
    [[nodiscard]] const ResultView& view() const { return view_; }

    // For the worker that publishes: the first `count` slots, in host memory.
    const ResultView& fetch(u32 count);

private:
    const CopyOut* copy_out_;
    PathLayers layers_;
    ResultView view_;
    ResultView host_;
    std::vector<u32> host_words_;
    bool is_allocated_ = false;
};

}  // namespace weft::trace
