// range_work.h — work for the tests of this room: ranges of numbers, each of which must be
// published exactly once, and a unit program that computes them in many different ways.
//
// The yield of a number depends on the number alone. A program writes yields into the private
// slots of its portion; publish() adds them up and counts each number.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "scheduler/unit/execution_unit.h"
#include "scheduler/unit/work.h"

namespace weft::unit {

// The yield of number `n`; never 0.
inline u64 yield_of(u64 n) {
    u64 mixed = (n + 1) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
    return mixed | 1;
}

// Begin and end of the part `part` of `count` of a range.
inline std::array<u64, 2> part_of(u64 begin, u64 end, u32 part, u32 count) {
    const u64 size = end - begin;
    return {begin + size * part / count, begin + size * (part + 1) / count};
}

struct RangeProgramConfig {
    // The parts taken in are worked off so many numbers per step(). 0: within begin_part().
    u64 numbers_per_step = 16;
    // Called for each part that ends; not 0: it ends with that error.
    std::function<u32(const PartTask&)> fail{};
};

// Private slots of one unit: for each portion as many yields as a share may have numbers.
class RangeProgram : public UnitProgram {
public:
    using Config = RangeProgramConfig;

    explicit RangeProgram(const UnitConfig& unit, Config config = {})
        : config_(std::move(config)), slots_(unit.portions) {
        for (auto& portion : slots_) {
            portion.resize(unit.most_work);
        }
    }

    void begin_part(const PartTask& task, ExecutionUnit& unit) override {
        const auto [begin, end] =
            part_of(task.share.word[0], task.share.word[1], task.part, task.part_count);
        open_.push_back({task, begin, end});
        ++parts_begun;
        if (config_.numbers_per_step == 0) {
            work(open_.back(), end - begin);
            end_part(open_.back(), unit);
            open_.pop_back();
        }
    }

    bool step(ExecutionUnit& unit) override {
        if (open_.empty()) {
            return false;
        }
        // A number of every open part in turn, as lane groups do.
        for (Open& open : open_) {
            work(open, std::max<u64>(1, config_.numbers_per_step / open_.size()));
        }
        for (std::size_t at = 0; at < open_.size();) {
            if (open_[at].next == open_[at].end) {
                const Open ended = open_[at];
                open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
                end_part(ended, unit);
            } else {
                ++at;
            }
        }
        return true;
    }

    // The worker's, once the doorbell has answered.
    [[nodiscard]] u64 take(u32 portion, u64 place) {
        return std::exchange(slots_[portion][place], 0);
    }

    u64 parts_begun = 0;

private:
    struct Open {
        PartTask task;
        u64 next = 0;
        u64 end = 0;
    };

    void work(Open& open, u64 count) {
        auto& slots = slots_[open.task.portion];
        for (; count > 0 && open.next < open.end; --count, ++open.next) {
            slots[open.next - open.task.share.word[0]] = yield_of(open.next);
        }
    }

    void end_part(const Open& open, ExecutionUnit& unit) {
        const u32 error_code = config_.fail ? config_.fail(open.task) : 0;
        unit.finish_part(open.task.portion, open.task.part, error_code);
    }

    Config config_;
    std::vector<std::vector<u64>> slots_;
    std::vector<Open> open_;
};

// Numbers [0, count), given out in roots of `root` numbers.
class RangeWork : public Work {
public:
    RangeWork(u64 count, u64 root, std::vector<RangeProgram*> programs)
        : count_(count), root_(root), programs_(std::move(programs)), published_(count) {}

    bool next(WorkItem& item) override {
        const u64 begin = next_.fetch_add(root_, std::memory_order_relaxed);
        if (begin >= count_) {
            return false;
        }
        item.word = {begin, std::min(count_, begin + root_), 0, 0};
        return true;
    }

    [[nodiscard]] bool is_dry() const override {
        return next_.load(std::memory_order_relaxed) >= count_;
    }

    [[nodiscard]] u64 size(const WorkItem& item) const override {
        return item.word[1] - item.word[0];
    }

    bool divide(WorkItem& item, double fraction, WorkItem& rest) const override {
        const u64 all = size(item);
        if (all < 2 || !may_divide) {
            return false;
        }
        const auto asked = static_cast<u64>(static_cast<double>(all) * fraction);
        const u64 kept = slices ? all - 1 : std::clamp<u64>(asked, 1, all - 1);
        rest = item;
        rest.word[0] = item.word[1] = item.word[0] + kept;
        return true;
    }

    void publish(const WorkItem& share, u32 unit, u32 portion) override {
        shares.fetch_add(1, std::memory_order_relaxed);
        for (u64 n = share.word[0]; n < share.word[1]; ++n) {
            published_[n].fetch_add(1, std::memory_order_relaxed);
            if (programs_[unit]->take(portion, n - share.word[0]) != yield_of(n)) {
                wrong_.fetch_add(1, std::memory_order_relaxed);
            }
        }
        if (on_publish) {
            on_publish(share);
        }
    }

    [[nodiscard]] u64 numbers_published() const {
        return static_cast<u64>(
            std::count_if(published_.begin(), published_.end(), [](const std::atomic<u32>& times) {
                return times.load() > 0;
            }));
    }

    // Every number was published once, with its own yield.
    [[nodiscard]] bool is_exact() const {
        return wrong_.load() == 0 &&
               std::all_of(published_.begin(), published_.end(), [](const std::atomic<u32>& times) {
                   return times.load() == 1;
               });
    }

    // No number was published twice, nor with a wrong yield.
    [[nodiscard]] bool is_sound() const {
        return wrong_.load() == 0 &&
               std::all_of(published_.begin(), published_.end(), [](const std::atomic<u32>& times) {
                   return times.load() <= 1;
               });
    }

    std::atomic<u64> shares{0};
    bool may_divide = true;
    bool slices = false;  // divide() cuts off one number, whatever it is asked for
    std::function<void(const WorkItem&)> on_publish;

private:
    u64 count_;
    u64 root_;
    std::vector<RangeProgram*> programs_;
    std::atomic<u64> next_{0};
    std::vector<std::atomic<u32>> published_;
    std::atomic<u64> wrong_{0};
};

}  // namespace weft::unit
