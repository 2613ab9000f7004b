// script.h — a cluster whose routines are lambdas, for tests that need a few fibres of a certain
// shape.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "scheduler/fibre/cluster.h"

namespace weft::fibre {

using Body = std::function<void(const Packet&, Spawner&)>;

class Script {
public:
    explicit Script(const ClusterConfig& config = {.element_count = 256, .collection_count = 64})
        : cluster_(config) {}

    // One of several clusters behind a packet unit.
    Script(const ClusterConfig& config, SharedPacketUnit& unit, u32 index)
        : cluster_(config, unit, index) {}

    // Declares a routine that calls `body`; the first one is the parent.
    RoutineId add(Body body, RoutineDesc desc = {}) {
        bodies_.push_back(std::move(body));
        desc.run = [](void* context, const Packet& packet, Spawner& spawner) {
            (*static_cast<Body*>(context))(packet, spawner);
        };
        desc.context = &bodies_.back();
        return cluster_.declare(desc);
    }

    // Runs one thread that is launched `launch_count` times, on the elements of those numbers where
    // there are as many elements.
    void run(u32 launch_count) {
        REQUIRE(submit({.launch_count = launch_count}) == Admission::Taken);
        cluster_.run();
    }

    Admission submit(const ThreadDesc& desc) { return cluster_.submit(desc); }

    [[nodiscard]] Cluster& cluster() { return cluster_; }

    [[nodiscard]] const FibreCounters& counters() const { return cluster_.counters(); }

private:
    std::deque<Body> bodies_;  // never moved: routines point at them
    Cluster cluster_;
};

}  // namespace weft::fibre
