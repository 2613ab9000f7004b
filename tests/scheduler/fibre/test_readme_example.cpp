// test_readme_example.cpp — the example of scheduler/fibre/README.md: compiled, run, and held
// against the page's text.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/cluster.h"

// README example begins
using namespace weft;
using namespace weft::fibre;

// The nearest of many points on a line. Node n of a tree has the children 2n and 2n + 1 and holds
// the points in [low[n], high[n]]; the second half of the nodes are the points themselves.
struct Search {
    std::vector<float> low, high;         // by node
    std::vector<float> question, answer;  // by thread
    std::vector<u32> thread;              // by element: which question it is about
    u32 asked = 0;
    RoutineId visit = 0;
};

u32 admit(void* context, std::span<const u32> free_elements) {
    Search& search = *static_cast<Search*>(context);
    u32 count = 0;
    for (; count < free_elements.size() && search.asked < search.question.size(); ++count) {
        search.thread[free_elements[count]] = search.asked++;
    }
    return count;
}

void parent(void* context, const Packet& packet, Spawner& spawner) {
    if (packet.is_initial_launch) {
        spawner.spawn(static_cast<Search*>(context)->visit, {.value = 1}, packet.elements);
    } else {
        spawner.release(packet.elements);  // its last fibre is done: the answer stands
    }
}

void visit(void* context, const Packet& packet, Spawner& spawner) {  // one node, many questions
    Search& search = *static_cast<Search*>(context);
    for (const u32 child : {2 * packet.key.value + 1, 2 * packet.key.value}) {
        std::vector<u32> going;
        std::vector<float> distances;
        for (const u32 element : packet.elements) {
            const float question = search.question[search.thread[element]];
            float& nearest = search.answer[search.thread[element]];
            const float distance =
                std::max({search.low[child] - question, question - search.high[child], 0.0f});
            if (child >= search.low.size() / 2) {
                nearest = std::min(nearest, distance);
            } else if (distance < nearest) {
                going.push_back(element);
                distances.push_back(distance);
            }
        }
        ENSURE(spawner.rekey({.value = child}, going, distances), ==, true);
    }
}

// README example ends

namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin);
    REQUIRE(from != std::string::npos);
    const std::size_t to = text.find(end, from + begin.size());
    REQUIRE(to != std::string::npos);
    return text.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

TEST_SUITE("scheduler/fibre/readme_example") {
    TEST_CASE("the example finds the nearest point of every query") {
        constexpr u32 kPoints = 1024;
        Search search;
        search.low.resize(2 * kPoints);
        for (u32 index = 0; index < kPoints; ++index) {
            search.low[kPoints + index] = static_cast<float>(index * index % 7919) / 16.0f;
        }
        std::sort(search.low.begin() + kPoints, search.low.end());
        search.high = search.low;
        for (u32 node = kPoints - 1; node > 0; --node) {
            search.low[node] = search.low[2 * node];
            search.high[node] = search.high[2 * node + 1];
        }
        for (u32 index = 0; index < 3000; ++index) {
            search.question.push_back(static_cast<float>(index * 7907 % 10007) / 20.0f - 3);
        }
        search.answer.assign(search.question.size(), 1e30f);
        search.thread.resize(512);
        Cluster cluster({.element_count = 512});
        cluster.declare({.name = "parent", .run = parent, .context = &search});
        search.visit = cluster.declare({.name = "visit", .run = visit, .context = &search});
        cluster.run({.admit = admit, .context = &search});
        CHECK(search.asked == 3000);
        CHECK(cluster.counters().routine[search.visit].rekeyed_lists > 0);
        for (std::size_t index = 0; index < search.question.size(); ++index) {
            float nearest = 1e30f;
            for (u32 point = kPoints; point < 2 * kPoints; ++point) {
                nearest = std::min(nearest, std::fabs(search.low[point] - search.question[index]));
            }
            REQUIRE(search.answer[index] == nearest);
        }
    }

    TEST_CASE("the example on the page is the one that is compiled here") {
        const std::string root = WEFT_SOURCE_DIR;
        const std::string page =
            between(text_of(root + "/scheduler/fibre/README.md"), "```cpp\n", "```");
        const std::string file = text_of(root + "/tests/scheduler/fibre/test_readme_example.cpp");
        CHECK(page == between(file, "// README example begins\n", "// README example ends"));
    }
}
