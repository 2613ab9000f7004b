// paged_stage.h — a tree whose pages have not been read, and every kernel that traverses it from
// the root, for tests of paged traversal.
//
// A page that counts as far has really not been read, so a kernel that enters one finds rows of
// zeros. Used by the tests of this folder only; one thread.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/accel/paged_tree.h"
#include "tests/engine/accel/test_stage.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::accel {

// A paged tree with room for all of its pages, none of them read. One reader.
class FarTree {
public:
    FarTree(const Stage& stage, const pages::testing::TestFolder& folder) {
        auto made = page_acceleration(
            stage.scene(),
            {},
            {.folder = folder.file("pages"), .budget_bytes = 1 << 30, .page_bytes = u64{16} << 10});
        REQUIRE_MESSAGE(made.is_ok(), made.error().sentence);
        tree_ = std::move(made.value());
        reader_ = tree_.store->join();
    }

    [[nodiscard]] const Acceleration& tree() const { return tree_; }

    [[nodiscard]] u32 page_count() const { return static_cast<u32>(tree_.store->figures().count); }

    // Without those of surfaces.
    [[nodiscard]] u64 tree_page_count() const {
        return tree_.store->figures().count - tree_.store->figures().record_count;
    }

    [[nodiscard]] u32 page_of(const shaders::PageWait& wait) const {
        return tree_.view().page_roots[wait.root].page;
    }

    // Reads a page, and waits for it.
    void bring(u32 page) const {
        for (u64 arrivals = tree_.store->arrivals();
             tree_.store->fetch(reader_, page) != pages::Fetch::Near && !tree_.store->has_failed();
             arrivals = tree_.store->arrivals()) {
            tree_.store->wait_beyond(arrivals);
        }
        tree_.store->end_walk(reader_, page);
        REQUIRE(!tree_.store->has_failed());
    }

    // Reads each page with a probability. Returns the number of those that stay far.
    u32 bring_some(float probability, u64 seed) const {
        Dice dice(seed);
        u32 left = 0;
        for (u32 page = 0; page < page_count(); ++page) {
            if (dice.unit() < probability) {
                bring(page);
            } else {
                ++left;
            }
        }
        return left;
    }

    template <typename Call>
    void inside(const Call& call) const {
        tree_.store->enter(reader_);
        call();
        tree_.store->leave(reader_);
    }

private:
    Acceleration tree_;
    u32 reader_ = 0;
};

// One kernel from the root, for closest hits or for any.
struct Variant {
    enum class Way : u8 { Group, Packet, Walk };

    const shaders::TraceKernels* row;
    Way way;
    bool is_any;
    std::string name;

    void trace(const shaders::TraceScene& scene,
               u32 ref,
               Rays& rays,
               const std::vector<u32>& ids) const {
        shaders::TraceCounters counters;
        const auto count = static_cast<u32>(ids.size());
        if (way != Way::Walk) {
            const auto kernel = way == Way::Group ? (is_any ? row->any_group : row->closest_group)
                                                  : (is_any ? row->any_packet : row->closest_wide);
            kernel(scene, ref, rays.rays.data(), ids.data(), count, counters);
            return;
        }
        // A walk has rays of one octant.
        std::array<std::vector<u32>, 8> octants;
        for (const u32 id : ids) {
            const float* const d = rays.rays[id].direction;
            octants[(d[0] < 0 ? 1u : 0u) | (d[1] < 0 ? 2u : 0u) | (d[2] < 0 ? 4u : 0u)].push_back(
                id);
        }
        for (u32 octant = 0; octant < 8; ++octant) {
            const std::vector<u32>& list = octants[octant];
            (is_any ? row->any_walk : row->closest_walk)(scene,
                                                         ref,
                                                         octant,
                                                         rays.rays.data(),
                                                         list.data(),
                                                         static_cast<u32>(list.size()),
                                                         counters);
        }
    }
};

inline std::vector<Variant> all_variants(bool is_any) {
    std::vector<Variant> variants;
    for (const shaders::Isa isa : runnable_isas()) {
        for (const bool is_device : {false, true}) {
            const shaders::TraceKernels* const row =
                is_device ? shaders::device_trace_kernels(isa) : shaders::trace_kernels(isa);
            for (u32 way = 0; row != nullptr && way < 3; ++way) {
                const std::string name = (is_device ? "device isa " : "isa ") +
                                         std::to_string(static_cast<u32>(isa)) + " way " +
                                         std::to_string(way);
                variants.push_back({row, static_cast<Variant::Way>(way), is_any, name});
            }
        }
    }
    return variants;
}

}  // namespace weft::accel
