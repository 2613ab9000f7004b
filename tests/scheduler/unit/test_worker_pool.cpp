// test_worker_pool.cpp — every worker runs the work once, and exceptions become one sentence.
#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>
#include <xmmintrin.h>

#include <doctest/doctest.h>

#include "scheduler/base/trace_log.h"
#include "scheduler/unit/float_state.h"
#include "scheduler/unit/worker_pool.h"

namespace weft::unit {

namespace {

u32 number_of(WorkerIndex index) {
    return static_cast<u32>(index);
}

}  // namespace

TEST_SUITE("scheduler/unit/worker_pool") {
    TEST_CASE("each worker runs the work once per run whatever their number") {
        for (const u32 count : {0u, 1u, 2u, 4u, 33u}) {
            WorkerPool pool(count);
            CHECK(pool.worker_count() == count);
            std::vector<u32> calls(count + 1);  // plain: run() makes what the workers wrote visible
            for (u32 round = 1; round <= 20; ++round) {
                REQUIRE(
                    pool.run([&](WorkerIndex index, std::stop_token) { ++calls[number_of(index)]; })
                        .is_ok());
                const u32 expected_workers = count == 0 ? 1 : count;
                for (u32 index = 0; index < expected_workers; ++index) {
                    REQUIRE(calls[index] == round);
                }
            }
        }
    }

    TEST_CASE("threads of a pool carry its role and their number in traces") {
        base::start_trace();
        for (const char* role : {"worker", "weaver"}) {
            WorkerPool pool(2, role);
            REQUIRE(pool.run([](WorkerIndex, std::stop_token) { base::TraceMark mark("knot"); })
                        .is_ok());
        }
        base::stop_trace();
        const std::string json = base::trace_json();
        for (const char* name : {"worker 0", "worker 1", "weaver 0", "weaver 1"}) {
            CHECK(json.find('"' + std::string(name) + '"') != std::string::npos);
        }
        CHECK(json.find("worker 2") == std::string::npos);
    }

    TEST_CASE("a pool that never ran comes to an end") {
        WorkerPool pool(8);
        CHECK(pool.worker_count() == 8);
    }

    TEST_CASE("what the work throws comes back as a sentence and the pool goes on") {
        for (const u32 count : {0u, 3u}) {
            WorkerPool pool(count);
            std::atomic<u32> ran = 0;
            const base::Status status = pool.run([&](WorkerIndex, std::stop_token) {
                ++ran;
                throw std::runtime_error("no more ink");
            });
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().kind == base::ErrorKind::Render);
            CHECK(status.error().sentence.find("failed: no more ink") != std::string::npos);
            CHECK(ran == std::max(1u, count));
            const base::Status odd = pool.run([](WorkerIndex, std::stop_token) { throw 7; });
            CHECK(odd.error().sentence.find("no std::exception") != std::string::npos);
            CHECK(pool.run([](WorkerIndex, std::stop_token) {}).is_ok());
        }
    }

    TEST_CASE("a stop asked for while work runs reaches every worker") {
        for (const u32 count : {1u, 4u}) {
            WorkerPool pool(count);
            std::atomic<u32> stopped = 0;
            std::atomic<bool> is_begun = false;
            std::jthread other([&] {
                is_begun.wait(false);
                pool.request_stop();
            });
            const base::Status status = pool.run([&](WorkerIndex, std::stop_token stop) {
                is_begun = true;
                is_begun.notify_all();
                while (!stop.stop_requested()) {
                    std::this_thread::yield();
                }
                ++stopped;
            });
            CHECK(status.is_ok());
            CHECK(stopped == count);
        }
    }

    TEST_CASE("workers compute in the right float state whatever that of their maker was") {
        const unsigned before = _mm_getcsr();
        _mm_setcsr(before | 0x8040u);  // flush to zero, denormals are zero
        CHECK_FALSE(is_float_state_right());
        std::atomic<u32> right = 0;
        {
            WorkerPool pool(2);
            const base::Status status = pool.run([&](WorkerIndex, std::stop_token) {
                volatile float tiny = std::numeric_limits<float>::min();
                tiny = tiny / 2;
                right += is_float_state_right() && tiny > 0 ? 1u : 0u;
            });
            CHECK(status.is_ok());
        }
        _mm_setcsr(before);
        CHECK(right == 2);
        for (const unsigned wrong : {0x8000u, 0x0040u, 0x2000u, 0x4000u, 0x6000u}) {
            _mm_setcsr(before | wrong);
            const bool is_right = is_float_state_right();
            set_float_state();
            const bool is_right_again = is_float_state_right();
            _mm_setcsr(before);
            CHECK_FALSE(is_right);
            CHECK(is_right_again);
        }
    }

    TEST_CASE("workers that share a counter do each item once") {
        std::atomic<u32> next = 0;
        std::vector<u32> squares(100);
        WorkerPool pool(4);
        const base::Status status = pool.run([&](WorkerIndex, std::stop_token stop) {
            for (u32 item = next++; item < squares.size() && !stop.stop_requested();
                 item = next++) {
                squares[item] = item * item;
            }
        });
        CHECK(status.is_ok());
        for (u32 item = 0; item < squares.size(); ++item) {
            CHECK(squares[item] == item * item);
        }
    }
}

}  // namespace weft::unit
