// test_no_allocation.cpp — nothing is allocated from the first admitted thread to the last released
// element (F9).
//
// A binary of its own, because it counts all calls of operator new.
#include <cstdlib>
#include <new>

#include <doctest/doctest.h>

#include "tests/scheduler/fibre/far_world.h"
#include "tests/scheduler/fibre/toy_world.h"

namespace {

weft::u64 allocation_count = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocation_count;
    void* const memory = std::malloc(size);
    if (!memory) {
        throw std::bad_alloc();
    }
    return memory;
}

[[gnu::noinline]] void* operator new[](std::size_t size) {
    return operator new(size);
}

// Not inlined: where only one of a pair is, GCC 12 takes free() for a mismatch.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete[](void* memory) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/no_allocation") {
    TEST_CASE("F9 nothing is allocated while fibres run whatever the policy and the sizes") {
        for (const Policy policy : {Policy::DepthFirst,
                                    Policy::Fullest,
                                    Policy::Oldest,
                                    Policy::Priority,
                                    Policy::Balanced}) {
            for (const u32 collections : {1u, 1024u}) {
                toy::Settings settings{.thread_count = 3000, .policy = policy};
                settings.cluster = {
                    .element_count = 512, .collection_count = collections, .list_capacity = 2000};
                const u64 at_start = allocation_count;
                toy::World world(settings);
                const u64 before = allocation_count;
                CHECK(before > at_start);
                world.run();
                CHECK(allocation_count == before);
                CHECK(world.results() == world.expected());
            }
        }
    }

    TEST_CASE("F9 nothing is allocated while fibres wait for far data either") {
        for (const u32 collections : {1u, 1024u}) {
            far::Settings settings{.puts_aside = true};
            settings.cluster = {
                .element_count = 256, .collection_count = collections, .list_capacity = 2000};
            settings.store.refused_of_ten = 3;
            far::World world(settings);
            const u64 before = allocation_count;
            const bool has_ended = world.run();
            CHECK(allocation_count == before);
            CHECK(has_ended);
            CHECK(world.is_complete());
        }
    }

    TEST_CASE("F9 nothing is allocated behind a shared packet unit either") {
        for (const Policy policy : {Policy::DepthFirst, Policy::Balanced}) {
            toy::Settings settings{.thread_count = 1000, .policy = policy};
            settings.cluster = {
                .element_count = 256, .collection_count = 16, .list_capacity = 2000};
            SharedPacketUnit unit(settings.cluster, 3);
            settings.shared = &unit;
            settings.index = 1;
            toy::World world(settings);
            const u64 before = allocation_count;
            world.run(100);
            CHECK(allocation_count == before);
            CHECK(world.results() == world.expected());
        }
    }
}

}  // namespace weft::fibre
