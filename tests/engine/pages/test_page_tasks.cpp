// Tests of page_tasks.h: the order of loads, walks and evictions in the streams of pages.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/pages/page_tasks.h"

namespace weft::pages {

namespace {

using task::Figure;

// Pages whose streams share a queue (page_tasks.cpp).
constexpr u32 kStreams = 8 * 63;

// Tasks that note what they do, and no reading threads.
struct Stage {
    std::vector<std::string> log;
    bool is_slow = false;  // loads end by end_load()
    PageTasks tasks;

    explicit Stage(u32 walks = 4)
        : tasks({.page_count = 2 * kStreams,
                 .loads = 4,
                 .walks = walks,
                 .load =
                     [this](u32 page) {
                         log.push_back("load " + std::to_string(page));
                         return !is_slow;
                     },
                 .evict =
                     [this](u32 page, u32 turn) {
                         log.push_back("evict " + std::to_string(page) + " " +
                                       std::to_string(turn));
                     }}) {}

    void drain() {
        while (tasks.run_one()) {
        }
    }

    [[nodiscard]] u64 count(Figure figure) const { return tasks.figures()[figure]; }
};

using Log = std::vector<std::string>;

}  // namespace

TEST_SUITE("engine/pages/page_tasks") {
    TEST_CASE("N5 N8 an eviction waits for the walk and for its event and the next load for it") {
        Stage stage;
        CHECK(stage.tasks.launch_load(5));
        CHECK(stage.tasks.begin_walk(5));
        stage.drain();
        CHECK(stage.log == Log{"load 5"});
        task::EventId left;
        CHECK(stage.tasks.launch_evict(5, 3, left));
        CHECK(stage.tasks.launch_load(5));
        stage.drain();
        CHECK(stage.log == Log{"load 5"});
        stage.tasks.end_walk(5);
        stage.drain();
        CHECK(stage.log == Log{"load 5"});
        stage.tasks.end_wait(5, left);
        stage.drain();
        CHECK(stage.log == Log{"load 5", "evict 5 3", "load 5"});
    }

    TEST_CASE("N5 a page does not wait for another one with a stream of its own") {
        Stage stage;
        CHECK(stage.tasks.begin_walk(0));
        stage.drain();
        for (u32 page = 1; page < kStreams; ++page) {
            CHECK(stage.tasks.launch_load(page));
            stage.drain();
        }
        CHECK(stage.log.size() == kStreams - 1);
    }

    TEST_CASE("N8 pages beyond the queues share them and keep their order") {
        Stage stage;
        CHECK(stage.tasks.begin_walk(0));
        stage.drain();
        CHECK(stage.tasks.launch_load(kStreams));
        task::EventId left;
        CHECK(stage.tasks.launch_evict(0, 1, left));
        stage.tasks.end_wait(0, left);
        stage.drain();
        CHECK(stage.log.empty());
        stage.tasks.end_walk(0);
        stage.drain();
        CHECK(stage.log == Log{"load " + std::to_string(kStreams), "evict 0 1"});
    }

    TEST_CASE("N8 no wait for the readers of a page is refused whatever shares its queue") {
        Stage stage;
        std::vector<task::EventId> left(2 * kStreams);
        u32 launched = 0;
        while (launched < 2 * kStreams && stage.tasks.launch_evict(launched, 1, left[launched])) {
            ++launched;
        }
        CHECK(launched >= 128);
        CHECK(stage.count(Figure::RefusedWaits) == 0);
        stage.drain();
        CHECK(stage.log.empty());
        for (u32 page = launched; page-- > 0;) {
            stage.tasks.end_wait(page, left[page]);
        }
        stage.drain();
        CHECK(stage.log.size() == launched);
    }

    TEST_CASE("a walk that is over before its turn serves the next one that begins") {
        Stage stage;
        CHECK(stage.tasks.begin_walk(0));
        stage.drain();
        const u64 before = stage.count(Figure::Launched);
        // Behind the walk of the page that shares its queue.
        for (u32 k = 0; k < 5; ++k) {
            CHECK(stage.tasks.begin_walk(kStreams));
            stage.tasks.end_walk(kStreams);
        }
        CHECK(stage.count(Figure::Launched) == before + 1);
        CHECK(stage.tasks.begin_walk(kStreams));
        stage.tasks.end_walk(0);
        CHECK(stage.tasks.launch_load(kStreams));
        stage.drain();
        CHECK(stage.log.empty());
        stage.tasks.end_walk(kStreams);
        stage.drain();
        CHECK(stage.log.size() == 1);
        // Each walk in its turn is a task of its own.
        CHECK(stage.tasks.begin_walk(kStreams));
        CHECK(stage.count(Figure::Launched) == before + 3);
    }

    TEST_CASE("N5 a walk and the next load wait for a load that is under way") {
        Stage stage;
        stage.is_slow = true;
        CHECK(stage.tasks.launch_load(7));
        CHECK(stage.tasks.launch_load(8));
        CHECK(stage.tasks.launch_load(7));
        stage.drain();
        CHECK(stage.log == Log{"load 7", "load 8"});
        stage.tasks.end_load(8);
        stage.drain();
        CHECK(stage.log.size() == 2);
        stage.tasks.end_load(7);
        stage.drain();
        CHECK(stage.log == Log{"load 7", "load 8", "load 7"});
        stage.tasks.end_load(7);
    }

    TEST_CASE("a ring comes before anyone who read the number of rings looks for the task") {
        Stage stage;
        stage.drain();
        const u32 rings = stage.tasks.rings();
        CHECK(stage.tasks.launch_load(1));
        CHECK(stage.tasks.rings() != rings);
        stage.tasks.await(rings);
        CHECK(stage.tasks.run_one());
    }
}

}  // namespace weft::pages
