// test_tree_builder.cpp — trees built beside first pictures: they equal trees that the caller
// builds; a cancelled build lowers the priority of its threads.
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

// Large enough to be cancelled during the build. Under the thread sanitizer a build takes minutes.
#ifdef __SANITIZE_THREAD__
constexpr const char* kSlow = "procedural:rubble:10K";
#else
constexpr const char* kSlow = "procedural:rubble:300K";
#endif

// Prepares a fast tree, and orders a fine one.
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
    TEST_CASE("a tree built by any number of threads equals one that the caller builds") {
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

    TEST_CASE("a cancelled build lowers its priority and gives no tree and the next one is whole") {
        const TreeOrder order = order_of(kSlow, 2);
        TreeBuilder builder;
        bool is_given_up = false;
        while (!is_given_up) {
            Ended ended;
            builder.begin(order, ended.tell());
            builder.give_up();
            const int nice = ended.at_end.get();
            // Repeat where the build ended before it was cancelled.
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

    TEST_CASE("destroying a builder during a build waits for its threads") {
        const TreeOrder order = order_of(kSlow, 2);
        bool has_ended = false;
        {
            TreeBuilder builder;
            builder.begin(order, [&has_ended] { has_ended = true; });
        }
        CHECK(has_ended);
    }
}
