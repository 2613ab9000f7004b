// held_resources.h — threads, file descriptors and memory of a process, for tests that compare two
// moments of one that lives long.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "scheduler/base/ids.h"

namespace weft::app::testing {

struct HeldResources {
    u64 threads = 0;
    u64 descriptors = 0;
    u64 resident_bytes = 0;
    u64 heap_bytes = 0;  // allocated and not freed; of this process only, 0 under sanitizers
};

// Of "self" or a process id. Zeros where the process has ended.
inline HeldResources held_by(const std::string& process) {
    const std::filesystem::path folder = "/proc/" + process;
    const auto entries = [&](const char* name) {
        std::error_code problem;
        std::filesystem::directory_iterator entry(folder / name, problem);
        return static_cast<u64>(std::distance(begin(entry), end(entry)));
    };
    HeldResources held{.threads = entries("task"), .descriptors = entries("fd")};
    std::ifstream status(folder / "status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            held.resident_bytes = std::stoull(line.substr(6)) << 10;
        }
    }
    if (process == "self") {
        const struct mallinfo2 heap = ::mallinfo2();
        held.heap_bytes = heap.uordblks + heap.hblkhd;
    }
    return held;
}

inline HeldResources least_of(const HeldResources& a, const HeldResources& b) {
    return {std::min(a.threads, b.threads),
            std::min(a.descriptors, b.descriptors),
            std::min(a.resident_bytes, b.resident_bytes),
            std::min(a.heap_bytes, b.heap_bytes)};
}

// What the process holds beside threads and files that come and go.
inline HeldResources steadily_held_by(const std::string& process) {
    constexpr u32 kLooks = 50;
    HeldResources held = held_by(process);
    for (u32 k = 0; k < kLooks; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        held = least_of(held, held_by(process));
    }
    return held;
}

inline std::string text_of(const HeldResources& held) {
    return std::to_string(held.threads) + " threads, " + std::to_string(held.descriptors) +
           " descriptors, " + std::to_string(held.resident_bytes >> 20) + " MiB resident, " +
           std::to_string(held.heap_bytes >> 10) + " KiB in use";
}

// The allocator keeps some memory that was freed, in an arena for each thread, and gives back none
// of what lies below a block in use; the sanitizers keep much. What is in use shows a leak of a few
// bytes in each round of a long run.
inline constexpr u64 kMostHeapGrowthBytes = u64{1} << 20;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr u64 kMostGrowthBytes = u64{1} << 30;
#else
inline constexpr u64 kMostGrowthBytes = u64{64} << 20;
#endif

inline void check_no_growth(const HeldResources& before, const HeldResources& after) {
    CHECK(before.threads > 0);
    CHECK(after.threads <= before.threads);
    CHECK(after.descriptors <= before.descriptors);
    CHECK(after.resident_bytes < before.resident_bytes + kMostGrowthBytes);
    CHECK(after.heap_bytes < before.heap_bytes + kMostHeapGrowthBytes);
    MESSAGE("before: " << text_of(before) << "; after: " << text_of(after));
}

}  // namespace weft::app::testing
