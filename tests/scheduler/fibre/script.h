// script.h — a cluster whose routines are lambdas, for tests that need a few fibres of a certain
// shape.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "scheduler/fibre/cluster.h"

namespace weft::fibre {

using Body = std::function<void(const Packet&, Spawner&)>;

class Script {
public:
    explicit Script(const ClusterConfig& config = {.element_count = 256, .collection_count = 64})
        : cluster_(config) {}

    // Declares a routine that calls `body`; the first one is the parent.
    RoutineId add(Body body, RoutineDesc desc = {}) {
        bodies_.push_back(std::move(body));
        desc.run = [](void* context, const Packet& packet, Spawner& spawner) {
            (*static_cast<Body*>(context))(packet, spawner);
        };
        desc.context = &bodies_.back();
        return cluster_.declare(desc);
    }

    // Runs `thread_count` threads, whose elements are their numbers where there are as many
    // elements.
    void run(u32 thread_count) {
        left_ = thread_count;
        cluster_.run({.admit =
                          [](void* context, std::span<const u32> elements) {
                              u32& left = *static_cast<u32*>(context);
                              const u32 count = std::min(left, static_cast<u32>(elements.size()));
                              left -= count;
                              return count;
                          },
                      .context = &left_});
    }

    [[nodiscard]] const FibreCounters& counters() const { return cluster_.counters(); }

private:
    std::deque<Body> bodies_;  // never moved: routines point at them
    Cluster cluster_;
    u32 left_ = 0;
};

}  // namespace weft::fibre
