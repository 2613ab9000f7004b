// test_fibre_checks.cpp — a program that breaks a rule of storage ends with a message that names
// it.
//
// The scheduler's sources are compiled into this binary with their debug checks on, whatever the
// build type. Each wrong program runs in a child process, whose last words are read through a pipe.
#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/element_watch.h"
#include "scheduler/fibre/fibre_storage.h"
#include "scheduler/fibre/shared_packet_unit.h"
#include "tests/scheduler/fibre/script.h"

namespace weft::fibre {

namespace {

// The child's message before it aborted; empty if it did not abort.
std::string last_words(const std::function<void()>& wrong_program) {
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        std::signal(SIGABRT, SIG_DFL);
        wrong_program();
        _exit(0);
    }
    close(ends[1]);
    std::string words;
    std::array<char, 512> part{};
    for (ssize_t count = read(ends[0], part.data(), part.size()); count > 0;
         count = read(ends[0], part.data(), part.size())) {
        words.append(part.data(), static_cast<std::size_t>(count));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    const bool is_aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    return is_aborted ? words : std::string();
}

bool says(const std::string& words, const char* part) {
    CAPTURE(words);
    const bool is_said = words.find(part) != std::string::npos;
    CHECK(is_said);
    return is_said;
}

// A cluster of 8 elements with one fibre routine, whose bodies are given.
void run_script(const Body& parent, const Body& work, u32 threads = 8) {
    Script script({.element_count = 8, .collection_count = 4, .list_capacity = 64});
    script.add(parent, {.name = "parent"});
    script.add(work, {.name = "work"});
    script.run(threads);
}

constexpr RoutineId kWork = 1;

void spawn_then_release(const Packet& packet, Spawner& spawner) {
    if (packet.is_initial_launch) {
        spawner.spawn(kWork, {}, packet.elements);
    } else {
        spawner.release(packet.elements);
    }
}

void do_nothing(const Packet&, Spawner&) {}

}  // namespace

TEST_SUITE("scheduler/fibre/checks") {
    TEST_CASE("a program that keeps the rules is not stopped") {
        CHECK(last_words([] { run_script(spawn_then_release, do_nothing); }).empty());
    }

    TEST_CASE("an element released twice stops the program") {
        const std::string words = last_words([] {
            FibreStorage storage(4);
            static_cast<void>(storage.admit(4, 0));
            const u32 element = 2;
            storage.release({&element, 1});
            storage.release({&element, 1});
        });
        CHECK(says(words, "an element is released once"));
        CHECK(says(words, "(element 2 is free)"));
    }

    TEST_CASE("an element released with a fibre on its way stops the program") {
        const std::string words = last_words([] {
            run_script(
                [](const Packet& packet, Spawner& spawner) {
                    spawner.spawn(kWork, {}, packet.elements);
                    spawner.release(packet.elements);
                },
                do_nothing);
        });
        CHECK(says(words, "with no fibre on its way (element 0 has 1 fibres)"));
    }

    TEST_CASE("a spawn onto a free element stops the program") {
        const std::string words = last_words([] {
            run_script(
                [](const Packet& packet, Spawner& spawner) {
                    spawner.release(packet.elements);
                    spawner.spawn(kWork, {}, packet.elements);
                },
                do_nothing);
        });
        CHECK(says(words, "an element that is held (element 0 is free)"));
    }

    TEST_CASE(
        "F4 a fibre that touches an element of another packet stops the program with both fibres "
        "named") {
        const std::string words = last_words([] {
            u32 first_packet = 0;
            Script script({.element_count = 8, .collection_count = 4, .list_capacity = 64});
            // Two packets of four elements, both ready at once.
            script.add([](const Packet& packet, Spawner& spawner) {
                spawner.spawn(kWork, {.value = 0}, packet.elements.first(4));
                spawner.spawn(kWork, {.value = 1}, packet.elements.subspan(4));
            });
            script.add(
                [&](const Packet& packet, Spawner& spawner) {
                    if (first_packet == 0) {
                        first_packet = packet.packet_id;
                        return;
                    }
                    std::fprintf(stderr,
                                 "expected packet %u (work, key %u/0) spawns onto element %u, last "
                                 "in packet %u (work, key %u/0);",
                                 packet.packet_id,
                                 packet.key.value,
                                 packet.elements[0] < 4 ? 7u : 0u,
                                 first_packet,
                                 1 - packet.key.value);
                    const u32 other = packet.elements[0] < 4 ? 7 : 0;
                    spawner.spawn(kWork, {}, {&other, 1});
                },
                {.name = "work", .packet_fill = 4, .may_mix_keys = false});
            script.run(8);
        });
        REQUIRE(says(words, "expected "));
        const std::size_t begin = words.find("expected ") + 9;
        const std::string both = words.substr(begin, words.find(';') - begin);
        CHECK(says(words, ("(" + both + ")").c_str()));
    }

    TEST_CASE("an element twice in one packet stops the program") {
        const std::string words = last_words([] {
            run_script(spawn_then_release, [](const Packet& packet, Spawner& spawner) {
                const std::array<u32, 2> twice{packet.elements[0], packet.elements[0]};
                const std::array<float, 2> numbers{};
                if (packet.payload.empty()) {
                    static_cast<void>(spawner.rekey({.value = 5}, twice, numbers));
                }
            });
        });
        CHECK(says(words, "an element is once in a packet"));
        CHECK(says(words, "(work, key 5/0) vs element 0, last in packet"));
    }

    TEST_CASE("F4 two packets on one element at once stop the program with both fibres named") {
        const std::string words = last_words([] {
            const std::string closest = "closest";
            const std::string shade = "shade";
            const u32 elements[] = {1, 3};
            ElementWatch watch(4);
            watch.begin({.packet_id = 7, .routine = 1, .key = {11, 2}, .elements = {elements, 1}},
                        closest);
            watch.begin({.packet_id = 8, .routine = 2, .key = {5, 0}, .elements = elements}, shade);
        });
        CHECK(says(words, "fibres of one element run one after the other"));
        CHECK(says(words,
                   "(packet 8 (shade, key 5/0) vs element 1, last in packet 7 (closest, key "
                   "11/2))"));
    }

    TEST_CASE("F4 packets of one element one after the other are left alone") {
        CHECK(last_words([] {
                  const std::string name = "closest";
                  const u32 element = 2;
                  ElementWatch watch(4);
                  for (u32 id = 1; id < 4; ++id) {
                      const Packet packet{.packet_id = id, .key = {}, .elements = {&element, 1}};
                      watch.begin(packet, name);
                      watch.touch(packet, name, "spawns onto", packet.elements);
                      watch.end(packet);
                  }
              }).empty());
    }

    TEST_CASE("a routine that steps its own cluster stops the program") {
        const std::string words = last_words([] {
            Script script({.element_count = 8, .collection_count = 4, .list_capacity = 64});
            script.add([&](const Packet&, Spawner&) { script.cluster().step(); });
            script.run(8);
        });
        CHECK(says(words, "state.running == nullptr"));
    }

    TEST_CASE("F4 a fibre that touches an element which is none of the cluster's is named") {
        const std::string words = last_words([] {
            run_script(
                [](const Packet& packet, Spawner& spawner) {
                    const u32 foreign = 8 + packet.elements[0];
                    spawner.spawn(kWork, {}, {&foreign, 1});
                },
                do_nothing);
        });
        CHECK(says(words, "(packet 1 (parent, key 0/0) spawns onto element 8)"));
    }

    TEST_CASE("F15 a parent that puts everything aside stops the program") {
        const std::string words = last_words([] {
            run_script(
                [](const Packet& packet, Spawner& spawner) { spawner.put_aside(packet.elements); },
                do_nothing);
        });
        CHECK(says(words, "state.aside_count < packet.elements.size()"));
    }

    TEST_CASE("F15 a parent that puts aside what it spawned onto stops the program") {
        const std::string words = last_words([] {
            run_script(
                [](const Packet& packet, Spawner& spawner) {
                    spawner.spawn(kWork, {}, packet.elements);
                    spawner.put_aside(packet.elements.subspan(1));
                },
                do_nothing);
        });
        CHECK(says(words, "a parent spawns onto each element or releases it or puts it aside"));
    }

    TEST_CASE("F18 threads of two clusters that write one number stop the program") {
        const std::string words = last_words([] {
            const ClusterConfig config{.element_count = 8, .list_capacity = 64};
            SharedPacketUnit unit(config, 2);
            Cluster first(config, unit, 0);
            Cluster second(config, unit, 1);
            static_cast<void>(first.submit({.launch_count = 1, .range = {10, 20}}));
            static_cast<void>(first.submit({.launch_count = 1, .range = {15, 30}}));
            static_cast<void>(second.submit({.launch_count = 1, .range = {30, 40}}));
            std::fprintf(stderr, "so far so good;");
            static_cast<void>(second.submit({.launch_count = 1, .range = {29, 31}}));
        });
        CHECK(says(words, "so far so good;"));
        CHECK(says(words, "(cluster 1 [29, 31) vs cluster 0 [15, 30))"));
    }

    TEST_CASE("F5 a parent that neither spawns nor releases stops the program") {
        const std::string words = last_words([] { run_script(do_nothing, do_nothing); });
        CHECK(says(words, "a parent spawns onto each element or releases it or puts it aside"));
        CHECK(says(words, "packet 1 (parent, key 0/0) vs element 0, last in packet 1 (parent"));
    }

    TEST_CASE("F3 a fibre that spawns its parent stops the program") {
        const std::string words = last_words([] {
            run_script(spawn_then_release, [](const Packet& packet, Spawner& spawner) {
                spawner.spawn(0, {}, packet.elements);
            });
        });
        CHECK(says(words, "routine != kParent"));
    }

    TEST_CASE("a fibre that releases an element stops the program") {
        const std::string words = last_words([] {
            run_script(spawn_then_release, [](const Packet& packet, Spawner& spawner) {
                spawner.release(packet.elements);
            });
        });
        CHECK(says(words, "routine == kParent"));
    }

    TEST_CASE("F12 a routine that fetches far data without what that needs stops the program") {
        const ClusterConfig config{.element_count = 8, .list_capacity = 64};
        const RoutineDesc far{.name = "far",
                              .policy = Policy::Fullest,
                              .fetch = [](void*, Key) { return Fetch::Near; },
                              .await_fetch = [](void*) {}};
        const auto declare = [&](auto&& change) {
            return last_words([&] {
                RoutineDesc wrong = far;
                change(wrong);
                Script script(config);
                script.add(do_nothing, wrong);
            });
        };
        CHECK(declare([](RoutineDesc&) {}).empty());
        CHECK(says(declare([](RoutineDesc& desc) { desc.policy = Policy::DepthFirst; }),
                   "desc.policy != Policy::DepthFirst"));
        CHECK(says(declare([](RoutineDesc& desc) { desc.await_fetch = nullptr; }),
                   "desc.await_fetch != nullptr"));
        CHECK(says(declare([](RoutineDesc& desc) { desc.fetches_ahead = 0; }),
                   "desc.fetches_ahead > 0u"));
        const std::string shared = last_words([&] {
            SharedPacketUnit unit(config, 2);
            Script script(config, unit, 0);
            script.add(do_nothing, far);
        });
        CHECK(says(shared, "desc.fetch == nullptr"));
    }

    TEST_CASE("more waiting fibres than eight per element stop the program") {
        const std::string words = last_words([] {
            run_script(
                [](const Packet& packet, Spawner& spawner) {
                    for (u32 fibre = 0; fibre < 9; ++fibre) {
                        spawner.spawn(kWork, {}, packet.elements);
                    }
                },
                do_nothing);
        });
        CHECK(says(words, "spawned_waiting_ <= config_.spawned_capacity"));
    }
}

}  // namespace weft::fibre
