// far_places.h — the fetches of a script, answered as its test says.
//
// One Places exists at a time: a script gives the bodies of its routines as contexts, so that
// callbacks find the answers through Places::current.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/scheduler/fibre/script.h"

namespace weft::fibre {

// Where the data of each key are, as a test sets it.
struct Places {
    std::vector<Fetch> of_key = std::vector<Fetch>(64, Fetch::Coming);
    std::vector<u32> asked;     // keys, in order
    std::vector<u32> waited;    // how many had been asked at each await
    std::vector<u32> arriving;  // keys that the next awaits bring
    std::vector<u32> came;      // keys to be named: their data came for somebody else

    // The routine with these fetches.
    RoutineDesc far(RoutineDesc desc) {
        desc.policy = desc.policy == Policy::DepthFirst ? Policy::Fullest : desc.policy;
        desc.fetch = [](void*, Key key) {
            Places& places = *current;
            places.asked.push_back(key.value);
            return places.of_key[key.value];
        };
        desc.await_fetch = [](void*) {
            Places& places = *current;
            places.waited.push_back(static_cast<u32>(places.asked.size()));
            REQUIRE(places.waited.size() < 1000);
            if (!places.arriving.empty()) {
                places.of_key[places.arriving.front()] = Fetch::Near;
                places.arriving.erase(places.arriving.begin());
            }
        };
        desc.next_arrival = [](void*, Key& key) {
            Places& places = *current;
            if (places.came.empty()) {
                return false;
            }
            key = {places.came.back(), 0};
            places.came.pop_back();
            return true;
        };
        return desc;
    }

    [[nodiscard]] u64 asks_of(u32 key) const {
        return static_cast<u64>(std::count(asked.begin(), asked.end(), key));
    }

    static inline Places* current = nullptr;

    Places() { current = this; }

    ~Places() { current = nullptr; }

    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
};

// A parent whose launches spawn routine 1 with key 0.
inline void add_parent(Script& script) {
    script.add([](const Packet& packet, Spawner& spawner) {
        if (packet.is_initial_launch) {
            spawner.spawn(1, {.value = 0}, packet.elements);
        } else {
            spawner.release(packet.elements);
        }
    });
}

// Re-keys the elements of the running packet.
inline void go_to(Spawner& spawner, u32 key, std::span<const u32> elements) {
    const std::vector<float> payload(elements.size());
    REQUIRE(spawner.rekey({.value = key}, elements, payload));
}

}  // namespace weft::fibre
