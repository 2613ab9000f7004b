// test_task_parts.cpp — the decisions of the room without threads: lists, table, pools, events.
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/task/event_table.h"
#include "scheduler/task/fixed_pool.h"
#include "scheduler/task/task_lists.h"
#include "scheduler/task/task_table.h"

namespace weft::task {

namespace {

std::vector<u32> popped(TaskLists& lists) {
    std::vector<u32> tasks;
    while (lists.highest() != kNone) {
        tasks.push_back(lists.pop(lists.highest()));
    }
    return tasks;
}

}  // namespace

TEST_SUITE("scheduler/task/task_lists") {
    TEST_CASE("N2 the highest priority comes first and equals in the order of acceptance") {
        TaskLists lists(10, 3);
        lists.accept(4, 0, Insertion::Tail);
        lists.accept(1, 2, Insertion::Tail);
        lists.accept(7, 0, Insertion::Tail);
        lists.accept(2, 1, Insertion::Tail);
        lists.accept(0, 2, Insertion::Tail);
        lists.collect();
        CHECK(lists.waiting_from(0) == 5);
        CHECK(lists.waiting_from(1) == 3);
        CHECK(popped(lists) == std::vector<u32>{1, 0, 2, 4, 7});
    }

    TEST_CASE("N1 N2 a task inserted at the head comes before its equals alone") {
        TaskLists lists(10, 2);
        lists.accept(1, 0, Insertion::Tail);
        lists.accept(2, 0, Insertion::Head);
        lists.accept(3, 1, Insertion::Tail);
        lists.accept(4, 0, Insertion::Head);
        lists.accept(5, 0, Insertion::Tail);
        lists.collect();
        CHECK(popped(lists) == std::vector<u32>{3, 4, 2, 1, 5});
    }

    TEST_CASE("N2 what is accepted is not scheduled before it is collected") {
        TaskLists lists(10, 2);
        lists.accept(1, 1, Insertion::Tail);
        CHECK(lists.highest() == kNone);
        CHECK(lists.has_accepted_above(0));
        CHECK(!lists.has_accepted_above(1));
        lists.collect();
        CHECK(lists.highest() == 1);
        CHECK(!lists.has_accepted_above(0));
    }
}

TEST_SUITE("scheduler/task/task_table") {
    TEST_CASE("N3 the victim has the lowest priority and of equals has run the shortest") {
        TaskTable table({.slots = 4, .urgent_slots = 0, .top_priority = 3});
        const u32 first = table.occupy(10, 1);
        const u32 second = table.occupy(11, 2);
        const u32 third = table.occupy(12, 1);
        const u32 fourth = table.occupy(13, 3);
        CHECK(table.room(3) == 0);
        CHECK(table.next_victim() == third);
        table.ask(third);
        CHECK(table.next_victim() == first);
        table.ask(first);
        CHECK(table.next_victim() == second);
        CHECK(table.asked() == 2);
        CHECK(table.vacate(third));
        CHECK(!table.vacate(fourth));
        CHECK(table.asked() == 1);
        CHECK(table.room(0) == 2);
        CHECK(table.task_in(table.occupy(14, 0)) == 14);
    }

    TEST_CASE("the last slots are for the highest priority alone") {
        TaskTable table({.slots = 3, .urgent_slots = 2, .top_priority = 5});
        CHECK(table.room(4) == 1);
        CHECK(table.room(5) == 3);
        CHECK(table.occupy(0, 4) != kNone);
        CHECK(table.room(4) == 0);
        CHECK(table.room(5) == 2);
    }
}

TEST_SUITE("scheduler/task/fixed_pool") {
    TEST_CASE("each level leaves a place for every deeper one") {
        FixedPool pool({.places = 4, .urgent_places = 0, .levels = 3});
        CHECK(pool.take({.level = 0}) != kNone);
        CHECK(pool.take({.level = 0}) != kNone);
        CHECK(pool.take({.level = 0}) == kNone);
        CHECK(pool.take({.level = 1}) != kNone);
        CHECK(pool.take({.level = 1}) == kNone);
        CHECK(!pool.has_room({.level = 1}));
        CHECK(pool.has_room({.level = 2}));
        const u32 last = pool.take({.level = 2});
        CHECK(last != kNone);
        CHECK(pool.take({.level = 2}) == kNone);
        CHECK(pool.free_places() == 0);
        pool.give(last);
        CHECK(pool.take({.level = 0}) == kNone);
        CHECK(pool.take({.level = 2}) == last);
    }

    TEST_CASE("the urgent reserve serves urgent tasks alone and its places return to it") {
        FixedPool pool({.places = 3, .urgent_places = 1, .levels = 1});
        const u32 urgent = pool.take({.is_urgent = true});
        CHECK(pool.take({}) != kNone);
        CHECK(pool.take({.is_urgent = true}) != kNone);
        CHECK(pool.take({.is_urgent = true}) == kNone);
        pool.give(urgent);
        CHECK(pool.take({}) == kNone);
        CHECK(pool.take({.is_urgent = true}) != kNone);
    }

    TEST_CASE("a pool hands out each place once") {
        FixedPool pool({.places = 100, .urgent_places = 10, .levels = 1});
        std::vector<bool> is_taken(100);
        for (u32 time = 0; time < 100; ++time) {
            const u32 place = pool.take({.is_urgent = time < 10});
            REQUIRE(place < 100);
            CHECK(!is_taken[place]);
            is_taken[place] = true;
        }
        CHECK(pool.free_places() == 0);
    }
}

TEST_SUITE("scheduler/task/event_table") {
    TEST_CASE("N8 a wait for an event of a later task in the own queue is refused") {
        EventTable events(8, 8);
        const EventId event = events.open(0, 0, 3, 0);
        CHECK(events.verdict(event, 0, 3) == Wait::Refused);
        CHECK(events.verdict(event, 0, 2) == Wait::Waits);
        events.bind(event);
        CHECK(events.verdict(event, 0, 3) == Wait::Over);
        CHECK(events.fire(event) == kNone);
        CHECK(events.verdict(event, 0, 2) == Wait::Over);
    }

    TEST_CASE("N8 a wait that comes round through other queues is refused") {
        EventTable events(8, 8);
        const EventId of_zero = events.open(0, 0, 0, 0);
        const EventId of_one = events.open(1, 0, 1, 1);
        const EventId of_two = events.open(2, 0, 2, 2);
        events.add_waiter(of_one, 3, 0);  // queue 0 waits for queue 1
        events.add_waiter(of_two, 4, 1);  // queue 1 waits for queue 2
        CHECK(events.verdict(of_zero, 0, 2) == Wait::Refused);
        CHECK(events.verdict(of_zero, 0, 3) == Wait::Waits);
        CHECK(events.fire(of_one) == 3);
        CHECK(events.verdict(of_zero, 0, 2) == Wait::Waits);
        CHECK(events.verdict(of_zero, 0, 0) == Wait::Refused);
    }

    TEST_CASE("N8 streams that wait for earlier tasks of each other are not refused") {
        EventTable events(8, 8);
        const EventId of_zero = events.open(0, 0, 0, 0);
        const EventId of_one = events.open(1, 0, 1, 1);
        events.bind(of_zero);
        events.bind(of_one);
        CHECK(events.verdict(of_one, 0, 0) == Wait::Waits);
        events.add_waiter(of_one, 2, 0);
        CHECK(events.verdict(of_zero, 0, 1) == Wait::Waits);
    }

    TEST_CASE(
        "N8 a wait for an earlier task is refused where that may stand behind one that waits "
        "for what comes after") {
        EventTable events(8, 8);
        const EventId later_of_one = events.open(0, 0, 1, 0);
        events.add_waiter(later_of_one, 2, 0);
        const EventId behind = events.open(1, 0, 0, 1);
        events.bind(behind);
        CHECK(events.verdict(behind, 0, 1) == Wait::Refused);
        CHECK(events.verdict(behind, 0, 2) == Wait::Waits);
    }
}

}  // namespace weft::task
