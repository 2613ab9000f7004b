// bench_portions.cpp — why a unit has two doorbells: how full its lanes are with one portion of
// shared memory, two and four, for shares of the size of its local memory and larger.
//
// A unit has storage for 4096 elements and takes new ones from its shares as others end, as a
// cluster admits paths. Each lives for a few rounds (seven in eight go on, 64 at most), and in each
// it waits at one of 32 keys, as paths wait at materials. A step runs the fullest key, 16 lanes to
// a row. No clock: the figures are the same on every machine. Prints a table.
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "scheduler/unit/execution_unit.h"

namespace {

using weft::u32;
using weft::u64;
using namespace weft::unit;

constexpr u32 kKeys = 32;
constexpr u32 kLanes = 16;
constexpr u32 kMostRounds = 64;
constexpr u64 kStorage = 4096;
constexpr u64 kElements = u64{1} << 19;

struct Element {
    u32 portion = 0;
    u32 round = 0;
    u64 random = 0;
};

class KeyedProgram : public UnitProgram {
public:
    u64 rows = 0;
    u64 lanes_used = 0;

    void begin_part(const PartTask& task, ExecutionUnit& /*unit*/) override {
        shares_[task.portion] = {
            task.share.word[0], task.share.word[0] + task.share.word[1], task.share.word[1]};
    }

    bool step(ExecutionUnit& unit) override {
        for (u32 portion = 0; portion < shares_.size(); ++portion) {
            admit(portion);
        }
        auto& fullest = *std::max_element(
            waiting_.begin(), waiting_.end(), [](const auto& left, const auto& right) {
                return left.size() < right.size();
            });
        if (fullest.empty()) {
            return false;
        }
        const std::vector<Element> packet = std::move(fullest);
        fullest.clear();
        rows += (packet.size() + kLanes - 1) / kLanes;
        lanes_used += packet.size();
        for (Element element : packet) {
            element.random = mixed(element.random);
            if (element.random % 8 != 0 && ++element.round < kMostRounds) {
                wait(element);
                continue;
            }
            --in_storage_;
            if (--shares_[element.portion].left == 0) {
                unit.finish_part(element.portion, 0, 0);
            }
        }
        return true;
    }

private:
    struct Share {
        u64 next = 0;
        u64 end = 0;
        u64 left = 0;  // not ended
    };

    static u64 mixed(u64 value) {
        value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15u;
        return value ^ (value >> 29);
    }

    // The oldest share's elements are not preferred: whichever share is first in order fills up.
    void admit(u32 portion) {
        Share& share = shares_[portion];
        for (; in_storage_ < kStorage && share.next < share.end; ++share.next, ++in_storage_) {
            wait({portion, 0, mixed(share.next + 1)});
        }
    }

    void wait(const Element& element) {
        waiting_[(element.random >> 40) % kKeys].push_back(element);
    }

    std::array<std::vector<Element>, kKeys> waiting_;
    std::array<Share, 8> shares_{};
    u64 in_storage_ = 0;
};

void measure(u32 portions, u64 share_work) {
    KeyedProgram program;
    ExecutionUnit unit(0, program, {.lane_groups = 1, .portions = portions});
    u64 given = 0;
    while (given < kElements || unit.is_busy()) {
        for (u32 portion = 0; portion < portions && given < kElements; ++portion) {
            if (!unit.is_ringing(portion)) {
                TaskRegisters task;
                task.operation = Operation::Run;
                task.part_count = 1;
                task.share.word = {given, share_work, 0, 0};
                given += share_work;
                unit.ring(portion, task);
            }
        }
        unit.step();
    }
    std::printf("| %lu | %u | %.1f %% | %.0f |\n",
                share_work,
                portions,
                100.0 * static_cast<double>(program.lanes_used) /
                    static_cast<double>(program.rows * kLanes),
                static_cast<double>(program.rows) * 1000 / static_cast<double>(kElements));
}

}  // namespace

int main() {
    std::printf("| elements of a share | portions | lanes used | rows per 1000 elements |\n");
    std::printf("|---|---|---|---|\n");
    for (const u64 share_work : {kStorage / 2, kStorage, 4 * kStorage, 16 * kStorage}) {
        for (const u32 portions : {1u, 2u, 4u}) {
            measure(portions, share_work);
        }
    }
    return 0;
}
