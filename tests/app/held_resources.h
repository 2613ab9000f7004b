// held_resources.h — threads, file descriptors and memory of a process, for tests that compare two
// moments of one that lives long.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "scheduler/base/ids.h"

namespace weft::app::testing {

// Rounds of a soak test after its warm-up: WEFT_SOAK_ROUNDS, else a few. 1000 take some 20 minutes
// on two cores, for all soak tests together.
inline u32 soak_rounds() {
    const char* const named = std::getenv("WEFT_SOAK_ROUNDS");
    return named == nullptr ? 3 : static_cast<u32>(std::max(1L, std::strtol(named, nullptr, 10)));
}

inline constexpr u32 kWarmRounds = 3;

struct HeldResources {
    u64 threads = 0;
    u64 descriptors = 0;
    u64 resident_bytes = 0;
};

// Of "self" or a process id. Zeros where the process has ended.
inline HeldResources held_by(const std::string& process) {
    const std::filesystem::path folder = "/proc/" + process;
    const auto entries = [&](const char* name) {
        std::error_code problem;
        std::filesystem::directory_iterator entry(folder / name, problem);
        return static_cast<u64>(std::distance(begin(entry), end(entry)));
    };
    HeldResources held{entries("task"), entries("fd"), 0};
    std::ifstream status(folder / "status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            held.resident_bytes = std::strtoull(line.c_str() + 6, nullptr, 10) << 10;
        }
    }
    return held;
}

inline HeldResources least_of(const HeldResources& a, const HeldResources& b) {
    return {std::min(a.threads, b.threads),
            std::min(a.descriptors, b.descriptors),
            std::min(a.resident_bytes, b.resident_bytes)};
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

// The allocator keeps some memory that was freed, the sanitizers much. A leak of each round exceeds
// this in a run of many rounds.
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
    MESSAGE(before.threads << " → " << after.threads << " threads, " << before.descriptors << " → "
                           << after.descriptors << " descriptors, " << (before.resident_bytes >> 20)
                           << " → " << (after.resident_bytes >> 20) << " MiB");
}

}  // namespace weft::app::testing
