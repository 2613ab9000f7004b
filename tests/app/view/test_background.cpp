// test_background.cpp — background tasks: the newest wins, and none outlives its owner.
#include <atomic>
#include <future>
#include <memory>
#include <stop_token>

#include <doctest/doctest.h>

#include "app/view/background/background.h"
#include "tests/rest.h"

namespace weft::app {
namespace {

// Runs until its stop token is set.
int endless(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        tests::rest();
    }
    return -1;
}

}  // namespace

TEST_SUITE("app/view/background") {
    TEST_CASE("a result comes once and only after the task has ended") {
        std::promise<int> gate;
        Background<int> task;
        CHECK_FALSE(task.poll());
        CHECK_FALSE(task.wait());
        task.start([&] { return gate.get_future().get(); });
        CHECK(task.is_running());
        CHECK_FALSE(task.poll());
        gate.set_value(7);
        CHECK(task.wait() == 7);
        CHECK_FALSE(task.is_running());
        CHECK_FALSE(task.poll());
    }

    TEST_CASE("starting a task stops the previous one and drops its result") {
        Background<int> task;
        task.start(endless);
        task.start([] { return 2; });
        CHECK(task.is_ending());
        CHECK(task.wait() == 2);
        while (task.is_ending()) {
            CHECK_FALSE(task.poll());
            tests::rest();
        }
    }

    TEST_CASE("a cancelled task gives no result") {
        Background<int> task;
        task.start(endless);
        task.cancel();
        CHECK_FALSE(task.is_running());
        CHECK_FALSE(task.wait());
    }

    TEST_CASE("the destructor stops and joins all tasks") {
        std::atomic<int> ended{0};
        {
            Background<int> task;
            for (int k = 0; k < 3; ++k) {
                task.start([&ended](const std::stop_token& stop) {
                    const int result = endless(stop);
                    ended.fetch_add(1);
                    return result;
                });
            }
        }
        CHECK(ended.load() == 3);
    }

    TEST_CASE("a move-only result arrives") {
        Background<std::unique_ptr<int>> task;
        task.start([] { return std::make_unique<int>(5); });
        const auto result = task.wait();
        REQUIRE(result);
        CHECK(**result == 5);
    }
}

}  // namespace weft::app
