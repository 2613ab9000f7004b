// test_tree_builder.cpp — trees that are built beside first pictures: the very tree of a build by
// the caller, one that is given up, and what its threads do then.
#include <algorithm>
#include <cstring>
#include <future>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include <doctest/doctest.h>

#include "engine/live/tree_builder.h"
#include "engine/scene/import.h"

namespace {

using namespace weft;
using frame::PreparedScene;
using live::TreeBuilder;
using live::TreeOrder;

// Large enough to be given up while it is built. Under the thread sanitizer a build takes minutes.
#ifdef __SANITIZE_THREAD__
constexpr const char* kSlow = "procedural:rubble:10K";
#else
constexpr const char* kSlow = "procedural:rubble:300K";
#endif

// A fast tree, of which a fine one is ordered.
TreeOrder order_of(const char* name, u32 threads) {
    auto imported = scene::import_scene({name}, {});
    REQUIRE(imported.is_ok());
    scene::complete_scene(imported.value());
    TreeOrder order;
    order.settings.thread_count = threads;
    order.settings.has_fine_tree = false;
    auto made = frame::prepare_scene(
        {.scene = std::make_shared<const scene::Scene>(std::move(imported.value())),
         .settings = &order.settings,
         .hidden = {}});
    REQUIRE(made.is_ok());
    order.former = std::move(made.value());
    order.settings.has_fine_tree = true;
    return order;
}

// The niceness of a building thread at the end of the build.
struct Ended {
    std::promise<int> nice;
    std::future<int> at_end = nice.get_future();

    std::function<void()> tell() {
        return [this] { nice.set_value(getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()))); };
    }
};

bool has_same_bytes(const PreparedScene& a, const PreparedScene& b) {
    const accel::Acceleration& left = *a.acceleration;
    const accel::Acceleration& right = *b.acceleration;
    return left.nodes.size() == right.nodes.size() && left.blocks.size() == right.blocks.size() &&
           left.root == right.root &&
           std::memcmp(left.nodes.data(), right.nodes.data(), left.nodes.size_bytes()) == 0 &&
           std::memcmp(left.blocks.data(), right.blocks.data(), left.blocks.size_bytes()) == 0;
}

}  // namespace

TEST_SUITE("engine/live/tree_builder") {
    TEST_CASE("a tree built by any number of threads of its own is the caller's") {
        for (const u32 threads : {1U, 2U, 5U}) {
            const TreeOrder order = order_of("procedural:rubble:3K", threads);
            TreeBuilder builder;
            CHECK(!builder.is_busy());
            Ended ended;
            builder.begin(order, ended.tell());
            CHECK(ended.at_end.get() == getpriority(PRIO_PROCESS, 0));
            CHECK(!builder.is_busy());
            const auto made = builder.take();
            REQUIRE(made.is_ok());
            const auto expected = frame::prepare_scene({.scene = order.former.scene,
                                                        .settings = &order.settings,
                                                        .hidden = {},
                                                        .maybe_former = &order.former,
                                                        .effect = scene::kEffectNone});
            REQUIRE(expected.is_ok());
            CHECK(made.value().has_fine_tree);
            CHECK(has_same_bytes(made.value(), expected.value()));
            CHECK(!has_same_bytes(made.value(), order.former));
        }
    }

    TEST_CASE("a build that is given up gives way and ends without a tree and the next is whole") {
        const TreeOrder order = order_of(kSlow, 2);
        TreeBuilder builder;
        bool is_given_up = false;
        while (!is_given_up) {
            Ended ended;
            builder.begin(order, ended.tell());
            builder.give_up();
            const int nice = ended.at_end.get();
            // One that has ended by then has nothing to give up: once more.
            is_given_up = !builder.take().is_ok();
            if (is_given_up) {
                CHECK(nice == std::min(getpriority(PRIO_PROCESS, 0) + 10, 19));
            }
        }
        Ended ended;
        builder.begin(order, ended.tell());
        CHECK(ended.at_end.get() == getpriority(PRIO_PROCESS, 0));
        CHECK(builder.take().is_ok());
    }

    TEST_CASE("a builder that goes while it builds waits for its threads") {
        const TreeOrder order = order_of(kSlow, 2);
        bool has_ended = false;
        {
            TreeBuilder builder;
            builder.begin(order, [&has_ended] { has_ended = true; });
        }
        CHECK(has_ended);
    }
}
