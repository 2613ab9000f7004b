// test_readme_example.cpp — the example of scheduler/fibre/README.md: compiled, run with one lane,
// eight, sixteen and thirty-two, and compared with the page's text.
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/seeded.h"

// README example begins
#include "scheduler/base/ensure.h"
#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/lanes.h"
using namespace weft;
using namespace weft::fibre;

template <u32 N>
struct Search {  // for the nearest of many points in the plane, by a kd-tree
    std::vector<std::array<float, 2>> tree;          // node n, cut by x or y into 2n and 2n + 1
    std::vector<float> x, y, nearest;                // by question; the answers are squared
    std::vector<u32> asker = std::vector<u32>(512);  // by element of storage: its question
    RoutineId visit = 0;

    void ask(const Packet& packet, Spawner& spawner) {  // the parent routine
        for (u32 k = 0; packet.is_initial_launch && k < packet.elements.size(); ++k) {
            asker[packet.elements[k]] = static_cast<u32>(packet.first_launch) + k;
        }
        packet.is_initial_launch ? spawner.spawn(visit, packet.elements)
                                 : spawner.release(packet.elements);
    }

    void descend(const Packet& packet, Spawner& spawner) {  // one node, many questions
        const u32 node = packet.key.value, axis = packet.key.tag;
        std::vector<u32> going[2];
        std::vector<float> away[2];  // on to each half, and what it is away at least
        for (u32 first = 0; first < packet.elements.size(); first += N) {
            const Lanes<N> lanes = lanes_at<N>(packet.elements, first);
            for (u32 k = 0; k < N; ++k) {  // in lockstep; spare lanes repeat lane 0
                const u32 question = asker[lanes.element[k]],
                          at = first + (k < lanes.count ? k : 0);
                const float dx = x[question] - tree[node][0], dy = y[question] - tree[node][1];
                const float best = nearest[question] =
                    std::min(nearest[question], dx * dx + dy * dy);
                const float past = axis == 0 ? dx : dy,
                            entry = packet.payload.empty() ? 0 : packet.payload[at];
                for (u32 half = 0; half < 2 && entry < best && (lanes.mask >> k & 1) != 0; ++half) {
                    going[half].push_back(lanes.element[k]);
                    away[half].push_back((past < 0) == (half == 0) ? entry
                                                                   : std::max(entry, past * past));
                }
            }
        }
        for (u32 half = 0; half < 2 && 2 * node + half < tree.size(); ++half) {
            ENSURE(spawner.rekey({2 * node + half, 1 - axis}, going[half], away[half]), ==, true);
        }
    }

    void run() {
        Cluster cluster({.element_count = 512, .lane_count = N});
        cluster.declare({.name = "ask", .run = run_member<Search, &Search::ask>, .context = this});
        visit = cluster.declare({.name = "visit",
                                 .run = run_member<Search, &Search::descend>,
                                 .context = this,
                                 .default_key = {1, 0}});
        if (cluster.submit({.launch_count = x.size()}) == Admission::Taken) {
            cluster.run();
        }
    }
};

// README example ends

namespace {

constexpr u32 kQuestions = 3000;

// Puts points [begin, end) under a node: the middle one into it, the others into its halves.
void build(std::vector<std::array<float, 2>>& tree,
           std::vector<std::array<float, 2>>& points,
           u32 node,
           u32 begin,
           u32 end,
           u32 axis) {
    if (begin == end) {
        return;
    }
    const u32 middle = (begin + end) / 2;
    const auto from = points.begin();
    std::nth_element(from + begin, from + middle, from + end, [axis](auto& left, auto& right) {
        return left[axis] < right[axis];
    });
    tree[node] = points[middle];
    build(tree, points, 2 * node, begin, middle, 1 - axis);
    build(tree, points, 2 * node + 1, middle + 1, end, 1 - axis);
}

// 1023 points and 3000 questions; some of either coincide.
template <u32 N>
Search<N> seeded_search() {
    Seeded random(11);
    const auto number = [&] { return static_cast<float>(random() % 1000) / 8; };
    std::vector<std::array<float, 2>> points(1023);
    for (auto& point : points) {
        point = {number(), number()};
    }
    Search<N> search{
        .tree = std::vector<std::array<float, 2>>(1024), .x = {}, .y = {}, .nearest = {}};
    build(search.tree, points, 1, 0, 1023, 0);
    for (u32 question = 0; question < kQuestions; ++question) {
        search.x.push_back(number());
        search.y.push_back(number());
    }
    search.nearest.assign(kQuestions, 1e30f);
    return search;
}

template <u32 N>
std::vector<float> answers() {
    Search<N> search = seeded_search<N>();
    search.run();
    return search.nearest;
}

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

std::string without_blanks(std::string text) {
    std::erase_if(text, [](char letter) { return std::isspace(static_cast<u8>(letter)) != 0; });
    return text;
}

}  // namespace

TEST_SUITE("scheduler/fibre/readme_example") {
    TEST_CASE("F1 the example finds the nearest point of every question") {
        const Search<8> search = seeded_search<8>();
        const std::vector<float> found = answers<8>();
        REQUIRE(found.size() == kQuestions);
        for (u32 question = 0; question < kQuestions; ++question) {
            float nearest = 1e30f;
            for (u32 node = 1; node < search.tree.size(); ++node) {
                const float dx = search.x[question] - search.tree[node][0];
                const float dy = search.y[question] - search.tree[node][1];
                nearest = std::min(nearest, dx * dx + dy * dy);
            }
            REQUIRE(found[question] == nearest);
        }
    }

    TEST_CASE("F1 the example gives the same bits with 1 and 8 and 16 and 32 lanes") {
        const std::vector<float> found = answers<1>();
        CHECK(found == answers<8>());
        CHECK(found == answers<16>());
        CHECK(found == answers<32>());
    }

    TEST_CASE("the example on the page is the one that is compiled here") {
        const std::string root = WEFT_SOURCE_DIR;
        const std::string page =
            between(text_of(root + "/scheduler/fibre/README.md"), "```cpp\n", "```");
        const std::string file = text_of(root + "/tests/scheduler/fibre/test_readme_example.cpp");
        CHECK(
            without_blanks(page) ==
            without_blanks(between(file, "// README example begins\n", "// README example ends")));
        CHECK(std::count(page.begin(), page.end(), '\n') <= 40);
    }
}
