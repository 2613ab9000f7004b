// parallel_rows.h — runs independent rows on the machine's threads, for work on whole pictures
// outside a frame.
//
// Call on any thread; returns when every row is done. Uses fewer threads where the system refuses
// some. `body(y)` runs once for each y < rows, in any order, and must touch nothing that another
// row touches. It must not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::film {

inline constexpr u32 kRowsPerTurn = 8;

template <typename Body>
void for_rows(u32 rows, const Body& body) {
    const u32 turns = (rows + kRowsPerTurn - 1) / kRowsPerTurn;
    const u32 threads = std::min(std::max(1u, std::thread::hardware_concurrency()), turns);
    std::atomic<u32> next{0};
    const auto work = [&] {
        // Relaxed: turns are independent, and joining orders their results before the return.
        for (u32 turn = next.fetch_add(1, std::memory_order_relaxed); turn < turns;
             turn = next.fetch_add(1, std::memory_order_relaxed)) {
            for (u32 y = turn * kRowsPerTurn; y < std::min(rows, (turn + 1) * kRowsPerTurn); ++y) {
                body(y);
            }
        }
    };
    std::vector<std::jthread> others;
    try {
        for (u32 i = 1; i < threads; ++i) {
            others.emplace_back(work);
        }
    } catch (const std::system_error&) {
        // The threads that did start do all rows.
    }
    work();
}

}  // namespace weft::film
