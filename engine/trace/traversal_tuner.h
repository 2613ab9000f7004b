// traversal_tuner.h — finds by measuring which traversal strategy is fastest for a scene and a
// class of rays.
//
// Strategies differ in time only, never in a hit. Batches differ from each other more than
// strategies do, so each comparison spans the picture: trials come in rounds of laps. A lap gives
// each candidate two batches; the first warms the caches, the second is timed. The lap records the
// logarithm of each time over that of the best strategy in the same lap. Clamp each lap to 2×, so
// that one expensive region cannot decide. A candidate that falls clearly behind leaves the round;
// "clearly" narrows as laps accumulate. Between rounds all batches use the strategy of least mean
// cost. The first batches use strategy 0 without trials, so that a small picture or a coarse live
// frame pays for none. Rounds and the pauses between them double in length: the first decision
// comes early, the next one checks it soon, and later ones average more laps. Pure; one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scheduler/base/ids.h"

namespace weft::trace {

class TraversalTuner {
public:
    static constexpr u32 kMostStrategies = 4;
    // Laps of the first round, and of the longest.
    static constexpr u32 kFirstLaps = 2;
    static constexpr u32 kMostLaps = 32;
    // Batches before the first round.
    static constexpr u32 kUntried = 8;
    // Length of a pause over the length of the round before it: at first, and at most.
    static constexpr u32 kFirstPause = 2;
    static constexpr u32 kMostPause = 16;
    // Weight of earlier rounds in the means: the first rounds run on cold memory.
    static constexpr double kRemembered = 0.25;

    // Candidates are 0 .. strategy_count − 1 (at most kMostStrategies); best() is 0 before the
    // first lap ends.
    explicit TraversalTuner(u32 strategy_count) : strategy_count_(strategy_count) {}

    // The strategy of the next batch. Where is_timed() holds after it, the caller records its time.
    u32 next() {
        is_timed_ = is_warm_;
        is_warm_ = false;
        if (is_timed_) {
            ++spent_;
            timed_strategy_ = strategy_;
            return strategy_;
        }
        if (strategy_count_ == 1) {
            return best_;
        }
        if (pause_ == 0) {
            go_to_next_strategy();
        }
        if (pause_ != 0) {
            --pause_;
            return best_;
        }
        is_warm_ = true;
        ++spent_;
        return strategy_;
    }

    [[nodiscard]] bool is_timed() const { return is_timed_; }

    // The cost of the last timed batch.
    void record(u32 rays, double ns) { lap_ns_[timed_strategy_] = ns / rays; }

    // The strategy used between rounds.
    [[nodiscard]] u32 best() const { return best_; }

    // Mean over the trials of log2(cost / cost of the best strategy in the same lap); earlier
    // rounds weigh less. Infinite before the first trial.
    [[nodiscard]] double relative_cost(u32 strategy) const {
        return trials_[strategy] > 0 ? costs_[strategy] / trials_[strategy]
                                     : std::numeric_limits<double>::infinity();
    }

private:
    static constexpr u32 kBeforeFirst = ~0U;

    // Cost over the best one's up to which a candidate stays in the round. Two batches of one
    // strategy can differ by half.
    static double margin_after(double trials) {
        return trials < 3 ? 1.5 : trials < 8 ? 1.25 : trials < 32 ? 1.1 : 1.05;
    }

    void go_to_next_strategy() {
        skip_dropped();
        if (turn_ == strategy_count_) {
            end_lap();
        }
    }

    void skip_dropped() {
        do {
            ++turn_;
            strategy_ = (turn_ + first_) % strategy_count_;
        } while (turn_ < strategy_count_ && is_dropped_[strategy_]);
    }

    // Adds the lap's relative costs to the means.
    void count_lap() {
        const double least = lap_ns_[best_];
        for (u32 strategy = 0; strategy < strategy_count_ && least > 0; ++strategy) {
            if (lap_ns_[strategy] > 0) {
                costs_[strategy] += std::clamp(std::log2(lap_ns_[strategy] / least), -1.0, 1.0);
                trials_[strategy] += 1;
            }
        }
        lap_ns_ = {};
    }

    // Drops candidates that are clearly behind; starts the next lap, or the pause between rounds.
    void end_lap() {
        count_lap();
        for (u32 strategy = 0; strategy < strategy_count_; ++strategy) {
            best_ = relative_cost(strategy) < relative_cost(best_) ? strategy : best_;
        }
        u32 left = 0;
        for (u32 strategy = 0; strategy < strategy_count_; ++strategy) {
            is_dropped_[strategy] =
                is_dropped_[strategy] || relative_cost(strategy) - relative_cost(best_) >
                                             std::log2(margin_after(trials_[strategy]));
            left += is_dropped_[strategy] ? 0U : 1U;
        }
        // Rotate the order, so that no strategy keeps step with a period of the picture.
        first_ = (first_ + 1) % strategy_count_;
        turn_ = kBeforeFirst;
        ++lap_;
        if (left > 1 && lap_ < laps_) {
            skip_dropped();
            return;
        }
        end_round();
    }

    void end_round() {
        for (u32 strategy = 0; strategy < strategy_count_; ++strategy) {
            costs_[strategy] *= kRemembered;
            trials_[strategy] *= kRemembered;
        }
        is_dropped_ = {};
        pause_ = pause_factor_ * spent_;
        pause_factor_ = pause_factor_ < kMostPause ? 2 * pause_factor_ : pause_factor_;
        spent_ = 0;
        lap_ = 0;
        laps_ = laps_ < kMostLaps ? 2 * laps_ : laps_;
    }

    u32 strategy_count_;
    u32 strategy_ = 0;         // of the next batch
    u32 turn_ = kBeforeFirst;  // position within the lap
    u32 first_ = 0;            // the strategy that begins the lap
    u32 timed_strategy_ = 0;
    u32 best_ = 0;
    u32 laps_ = kFirstLaps;  // length of this round
    u32 lap_ = 0;            // laps of this round that have ended
    u32 spent_ = 0;          // batches that this round has run
    u32 pause_ = kUntried;   // batches until the next round
    u32 pause_factor_ = kFirstPause;
    bool is_warm_ = false;  // the strategy's warming batch has run
    bool is_timed_ = false;
    std::array<bool, kMostStrategies> is_dropped_{};  // in this round
    std::array<double, kMostStrategies> trials_{};
    std::array<double, kMostStrategies> costs_{};   // sums of log2 of the relative costs
    std::array<double, kMostStrategies> lap_ns_{};  // per ray, in this lap; 0: not timed
};

}  // namespace weft::trace
