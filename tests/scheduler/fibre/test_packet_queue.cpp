// test_packet_queue.cpp — complete packets leave by urgency and lose no fibre.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/packet_queue.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

void put(PacketQueue& queue, const QueuedPacket& packet, const std::vector<u32>& elements) {
    queue.open(packet);
    for (const u32 element : elements) {
        queue.add(element, static_cast<float>(element) / 2);
    }
    queue.close();
}

}  // namespace

TEST_SUITE("scheduler/fibre/packet_queue") {
    TEST_CASE("F14 the more urgent packet leaves first and waiting outweighs any priority") {
        PacketQueue queue(16);
        put(queue, {.packet_id = 1, .priority = 0, .arrival = 0}, {1});
        put(queue, {.packet_id = 2, .priority = 5, .arrival = 0}, {2});
        put(queue, {.packet_id = 3, .priority = 1.0e30f, .arrival = 513}, {3});
        put(queue, {.packet_id = 4, .priority = -1.0e30f, .arrival = 0}, {4});
        std::vector<u32> order;
        u32 element = 0;
        while (!queue.is_empty()) {
            CHECK(queue.pop(&element, nullptr) == 1);
            order.push_back(element);
        }
        CHECK(order == std::vector<u32>{2, 1, 4, 3});
    }

    TEST_CASE("packets leave as they came with their numbers and in the order of a sorted twin") {
        Seeded random(3);
        PacketQueue queue(1000);

        struct Twin {
            double urgency;
            u32 packet_id;
            std::vector<u32> elements;
        };

        std::vector<Twin> twins;
        std::vector<u32> elements(1000);
        std::vector<float> numbers(1000);
        u32 popped = 0;
        for (u32 round = 1; round < 5000; ++round) {
            std::vector<u32> fibres(1 + random() % 60);
            for (u32& fibre : fibres) {
                fibre = random() % 500;
            }
            if (queue.fibre_count() + fibres.size() <= 1000 && random() % 2) {
                const QueuedPacket packet{.packet_id = round,
                                          .has_payload = round % 2 == 0,
                                          .priority = static_cast<float>(random() % 4),
                                          .arrival = round / 16};
                put(queue, packet, fibres);
                twins.push_back({urgency(packet.priority, packet.arrival), round, fibres});
            } else if (!twins.empty()) {
                const auto best =
                    std::max_element(twins.begin(), twins.end(), [](const Twin& a, const Twin& b) {
                        return a.urgency < b.urgency ||
                               (!(b.urgency < a.urgency) && a.packet_id > b.packet_id);
                    });
                REQUIRE(queue.top().packet_id == best->packet_id);
                const bool has_payload = queue.top().has_payload;
                const u32 count = queue.pop(elements.data(), numbers.data());
                REQUIRE(std::vector<u32>(elements.begin(), elements.begin() + count) ==
                        best->elements);
                for (u32 at = 0; has_payload && at < count; ++at) {
                    REQUIRE(numbers[at] == static_cast<float>(elements[at]) / 2);
                }
                twins.erase(best);
                ++popped;
            }
            REQUIRE(queue.packet_count() == twins.size());
        }
        CHECK(popped > 1000);
    }

    TEST_CASE("as many packets as fibres fit and a cleared queue is as new") {
        PacketQueue queue(8);
        for (u32 round = 0; round < 3; ++round) {
            for (u32 element = 0; element < 8; ++element) {
                put(queue, {.packet_id = element + 1}, {element});
            }
            CHECK(queue.fibre_count() == 8);
            queue.clear();
            CHECK(queue.is_empty());
            CHECK(queue.fibre_count() == 0);
        }
    }

    TEST_CASE("a queue of no capacity is allocated") {
        CHECK(PacketQueue(0).is_allocated());
    }
}

}  // namespace weft::fibre
