// test_trace_log.cpp — marks of many threads become nested JSON, the latest are kept, and without a
// trace nothing is recorded.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/base/clock.h"
#include "scheduler/base/trace_log.h"

namespace weft::base {

namespace {

using Json = nlohmann::json;

// The marks of the trace ("X" events), in the order of the file.
std::vector<Json> events(const std::string& phase = "X") {
    std::vector<Json> found;
    const Json json = Json::parse(trace_json());
    for (const Json& event : json.at("traceEvents")) {
        if (event.at("ph") == phase) {
            found.push_back(event);
        }
    }
    return found;
}

void spin_ns(u64 duration_ns) {
    const u64 until = now_ns() + duration_ns;
    while (now_ns() < until) {
    }
}

// Runs on a new thread, so that rings of other tests do not matter.
template <typename Body>
void on_new_thread(const Body& body) {
    std::thread(body).join();
}

}  // namespace

TEST_SUITE("scheduler/base/trace_log") {
    TEST_CASE("the clock never goes back") {
        u64 last = now_ns();
        for (u32 step = 0; step < 1000; ++step) {
            const u64 now = now_ns();
            CHECK(now >= last);
            last = now;
        }
    }

    TEST_CASE("without a trace marks make no ring and record nothing") {
        start_trace();
        stop_trace();
        on_new_thread([] {
            for (u32 step = 0; step < 1000; ++step) {
                TraceMark mark("unseen", "step", step);
            }
        });
        CHECK(trace_figures().threads == 0);
        CHECK(trace_figures().marks == 0);
        CHECK(events().empty());
    }

    TEST_CASE("F19 a mark carries its name and its numbers and the name of its thread") {
        start_trace();
        on_new_thread([] {
            name_traced_thread("worker \"7\"");
            const std::string built = std::string("close") + "st";
            TraceMark plain("plain");
            TraceMark one(trace_name(built), "fibres", 64);
            TraceMark two("two", "fibres", 3, "lanes", ~u64{0});
            TraceMark later("later");
            later.note("first", 1);
            later.note("second", 2);
        });
        stop_trace();
        std::map<std::string, Json> by_name;
        for (const Json& event : events()) {
            by_name[event.at("name")] = event;
        }
        REQUIRE(by_name.size() == 4);
        CHECK(by_name["plain"]["args"] == Json::object());
        CHECK(by_name["closest"]["args"] == Json{{"fibres", 64}});
        CHECK(by_name["two"]["args"] == Json{{"fibres", 3}, {"lanes", ~u64{0}}});
        CHECK(by_name["later"]["args"] == Json{{"first", 1}, {"second", 2}});
        bool is_named = false;
        for (const Json& event : events("M")) {
            is_named |= event.at("args").at("name") == "worker \"7\"" &&
                        event.at("tid") == by_name["two"]["tid"];
        }
        CHECK(is_named);
    }

    TEST_CASE("F19 marks of a thread nest as their scopes did") {
        start_trace();
        on_new_thread([] {
            TraceMark outer("outer");
            spin_ns(20000);
            for (u32 step = 0; step < 3; ++step) {
                TraceMark inner("inner", "step", step);
                spin_ns(20000);
            }
        });
        stop_trace();
        const std::vector<Json> marks = events();
        REQUIRE(marks.size() == 4);
        CHECK(marks[0].at("name") == "outer");
        const double begin = marks[0].at("ts");
        const double end = begin + marks[0].at("dur").get<double>();
        double last_end = begin + 20;
        for (u32 step = 0; step < 3; ++step) {
            const Json& inner = marks[step + 1];
            CHECK(inner.at("args").at("step") == step);
            CHECK(inner.at("ts").get<double>() >= last_end - 0.001);
            CHECK(inner.at("dur").get<double>() >= 20);
            last_end = inner.at("ts").get<double>() + inner.at("dur").get<double>();
        }
        CHECK(end >= last_end - 0.001);
    }

    TEST_CASE("F19 a full ring keeps the latest marks and counts the lost ones") {
        start_trace(16);
        on_new_thread([] {
            for (u32 step = 0; step < 100; ++step) {
                TraceMark mark("step", "number", step);
            }
        });
        stop_trace();
        const TraceFigures figures = trace_figures();
        CHECK(figures.threads == 1);
        CHECK(figures.marks == 16);
        CHECK(figures.lost == 84);
        const std::vector<Json> marks = events();
        REQUIRE(marks.size() == 16);
        for (u32 index = 0; index < 16; ++index) {
            CHECK(marks[index].at("args").at("number") == 84 + index);
        }
        CHECK(Json::parse(trace_json()).at("otherData").at("lost_marks") == "84");
    }

    TEST_CASE("F19 every thread has its own ring and loses nothing to others") {
        for (const u32 thread_count : {1u, 2u, 4u, 8u}) {
            start_trace();
            std::vector<std::thread> threads;
            for (u32 thread = 0; thread < thread_count; ++thread) {
                threads.emplace_back([thread] {
                    for (u32 step = 0; step < 1000; ++step) {
                        TraceMark mark("work", "thread", thread, "step", step);
                    }
                });
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
            stop_trace();
            CHECK(trace_figures().threads == thread_count);
            std::map<u32, std::map<u32, u32>> steps;  // by file's thread, then ours
            for (const Json& event : events()) {
                ++steps[event.at("tid")][event.at("args").at("thread")];
            }
            REQUIRE(steps.size() == thread_count);
            for (const auto& [tid, by_thread] : steps) {
                REQUIRE(by_thread.size() == 1);
                CHECK(by_thread.begin()->second == 1000);
            }
        }
    }

    TEST_CASE("reading while a thread makes marks shows whole marks only") {
        start_trace(64);
        std::atomic<bool> is_over{false};
        std::thread writer([&] {
            for (u64 step = 0; !is_over.load(std::memory_order_relaxed); ++step) {
                TraceMark mark("pair", "value", step, "twice", 2 * step);
            }
        });
        u64 read = 0;
        u64 torn = 0;
        for (u32 round = 0; round < 100 || read == 0; ++round) {
            for (const Json& event : events()) {
                ++read;
                const u64 value = event.at("args").at("value");
                torn += event.at("args").at("twice").get<u64>() == 2 * value ? 0u : 1u;
            }
        }
        is_over.store(true, std::memory_order_relaxed);
        writer.join();
        stop_trace();
        CHECK(read > 0);
        CHECK(torn == 0);
    }

    TEST_CASE("threads of one name one after the other share a ring and keep all marks") {
        start_trace(64);
        const auto work = [](const char* name) {
            name_traced_thread(name);
            TraceMark mark("work");
        };
        for (u32 frame = 0; frame < 20; ++frame) {
            on_new_thread([&] { work("worker 0"); });
            on_new_thread([&] { work("worker 1"); });
        }
        CHECK(trace_figures().threads == 2);
        CHECK(trace_figures().marks == 40);
        CHECK(trace_figures().lost == 0);
        on_new_thread([&] {
            work("worker 0");
            on_new_thread([&] { work("worker 0"); });  // while the other still runs
            const std::vector<TracedThread> threads = read_trace(0);
            REQUIRE(threads.size() == 3);
            CHECK(threads[0].marks.size() == 21);
            CHECK(threads[2].marks.size() == 1);
        });
        stop_trace();
    }

    TEST_CASE("a second trace starts empty also on a thread that took part in the first") {
        on_new_thread([] {
            start_trace(8);
            { TraceMark mark("old"); }
            start_trace(32);
            CHECK(events().empty());
            for (u32 step = 0; step < 20; ++step) {
                TraceMark mark("new");
            }
            stop_trace();
            CHECK(events().size() == 20);
            for (const Json& event : events()) {
                CHECK(event.at("name") == "new");
            }
        });
    }

    TEST_CASE("a scope that was open when another trace began is in neither") {
        on_new_thread([] {
            start_trace();
            {
                TraceMark open("open");
                start_trace();
                TraceMark inner("inner");
            }
            stop_trace();
            REQUIRE(events().size() == 1);
            CHECK(events()[0].at("name") == "inner");
        });
    }

    TEST_CASE("marks are read from a moment on and the enclosing one comes first") {
        on_new_thread([] {
            start_trace();
            name_traced_thread("reader");
            { TraceMark mark("early"); }
            spin_ns(1000);
            const u64 moment = trace_age_ns();
            {
                TraceMark outer("outer", "lanes", 5);
                TraceMark inner("inner");
            }
            stop_trace();
            const auto all = read_trace(0);
            REQUIRE(all.size() == 1);
            CHECK(all[0].name == "reader");
            REQUIRE(all[0].marks.size() == 3);
            CHECK(std::string(all[0].marks[0].name) == "early");
            const auto late = read_trace(moment)[0].marks;
            REQUIRE(late.size() == 2);
            CHECK(std::string(late[0].name) == "outer");
            CHECK(late[0].numbers[0].value == 5);
            CHECK(late[0].begin_ns >= moment);
            CHECK(std::string(late[1].name) == "inner");
        });
    }
}

}  // namespace weft::base
