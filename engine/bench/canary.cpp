#include "engine/bench/canary.h"

#include <numeric>
#include <utility>
#include <vector>

#include "scheduler/base/clock.h"

namespace weft::bench {

namespace {

constexpr u32 kLine = 64 / sizeof(u32);
constexpr u32 kLines = (64U << 20) / 64;
constexpr u32 kLoads = 200000;

}  // namespace

// Sattolo's shuffle: a permutation of the lines that is one cycle.
Canary::Canary() : next_(std::size_t{kLines} * kLine) {
    std::vector<u32> order(kLines);
    std::iota(order.begin(), order.end(), 0U);
    u64 state = 0x9e3779b97f4a7c15U;
    for (u32 k = kLines - 1; k > 0; --k) {
        state = state * 0x5851f42d4c957f2dU + 1;
        std::swap(order[k], order[(state >> 32) % k]);
    }
    for (u32 k = 0; k < kLines && next_.is_allocated(); ++k) {
        next_[std::size_t{k} * kLine] = order[k] * kLine;
    }
}

double Canary::ns_per_load() {
    if (!next_.is_allocated()) {
        return 0;
    }
    const u64 begin = base::now_ns();
    for (u32 k = 0; k < kLoads; ++k) {
        at_ = next_[at_];
    }
    return static_cast<double>(base::now_ns() - begin) / kLoads;
}

}  // namespace weft::bench
