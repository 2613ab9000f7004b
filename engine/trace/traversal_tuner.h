// traversal_tuner.h — finds by measuring which traversal strategy is fastest for a scene and a
// class of rays.
//
// Strategies differ in time only, never in a hit. Batches differ from each other more than
// strategies do, so a trial compares two strategies on the halves of one batch: the best one so
// far, and a challenger. The half that goes second finds warmer caches, so trials come in pairs of
// both orders, and a pair gives one sample: the mean of the logarithms of the ratios of the costs.
// A sequential test decides: a challenger is tried until its mean is clearly above or below zero,
// by the standard error of the samples, or until the round's pairs are used up. One that is
// clearly cheaper becomes the best. Between rounds all batches use the best strategy; pauses are
// many times as long as the rounds, so that trials cost about one percent. The first batches use
// strategy 0 without trials, so that a small picture or a coarse live frame pays for none. Pure;
// one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "scheduler/base/ids.h"

namespace weft::trace {

// What one batch does. Where the two differ it is a trial: half of the batch's rays traverse by
// `first`, then the others by `second`, and the caller records both costs.
struct BatchPlan {
    u32 first;
    u32 second;

    [[nodiscard]] bool is_trial() const { return first != second; }
};

class TraversalTuner {
public:
    static constexpr u32 kMostStrategies = 4;
    // Batches before the first round.
    static constexpr u32 kUntried = 8;
    // Pairs of trials of a challenger in one round: from which it may be decided, and at most.
    static constexpr u32 kLeastPairs = 3;
    static constexpr u32 kMostPairs = 10;
    // Length of a pause over that of the round before it: at first, and at most.
    static constexpr u32 kFirstPause = 8;
    static constexpr u32 kMostPause = 64;
    // Weight of earlier rounds in the means: the first rounds run on cold memory.
    static constexpr double kRemembered = 0.25;

    // Candidates are 0 .. strategy_count − 1 (at most kMostStrategies); best() is 0 before the
    // first trial.
    explicit TraversalTuner(u32 strategy_count) : strategy_count_(strategy_count) {}

    // The plan of the next batch.
    BatchPlan next() {
        if (pause_ != 0 || strategy_count_ == 1) {
            pause_ -= pause_ != 0 ? 1U : 0U;
            return {best_, best_};
        }
        ++spent_;
        return is_half_pair_ ? BatchPlan{challenger(), best_} : BatchPlan{best_, challenger()};
    }

    // The costs per ray (in one unit, > 0) of both halves of the trial that next() planned last.
    void record(const BatchPlan& plan, double first_cost, double second_cost) {
        const double ratio =
            plan.first == best_ ? second_cost / first_cost : first_cost / second_cost;
        const double log_ratio = std::clamp(std::log2(ratio), -1.0, 1.0);
        is_half_pair_ = !is_half_pair_;
        if (is_half_pair_) {
            first_log_ratio_ = log_ratio;
            return;
        }
        ratios_[challenger()].add((first_log_ratio_ + log_ratio) / 2);
        decide();
    }

    // The strategy used between rounds.
    [[nodiscard]] u32 best() const { return best_; }

private:
    // A challenger must lead by so much to replace the best one, in log2 of the cost: a percent.
    static constexpr double kLead = 0.014;
    // A challenger this far behind, in log2 of the cost, is decided by one pair.
    static constexpr double kFarBehind = 0.6;

    // Weighted mean and variance of log2(cost / cost of the best strategy).
    struct Ratios {
        double weight = 0;
        double sum = 0;
        double sum_of_squares = 0;
        u32 pairs = 0;  // of this round

        void add(double log_ratio) {
            weight += 1;
            sum += log_ratio;
            sum_of_squares += log_ratio * log_ratio;
            ++pairs;
        }

        void forget() {
            weight *= kRemembered;
            sum *= kRemembered;
            sum_of_squares *= kRemembered;
            pairs = 0;
        }

        [[nodiscard]] double mean() const { return sum / weight; }

        // Two standard errors of the mean.
        [[nodiscard]] double margin() const {
            const double variance = std::max(sum_of_squares / weight - mean() * mean(), 0.0);
            return 2 * std::sqrt(variance / std::max(weight - 1, 1.0));
        }
    };

    // The first strategy that this round has not decided; strategy_count_ if there is none.
    [[nodiscard]] u32 challenger() const {
        u32 strategy = 0;
        while (strategy < strategy_count_ && (strategy == best_ || is_decided_[strategy])) {
            ++strategy;
        }
        return strategy;
    }

    void decide() {
        const u32 strategy = challenger();
        const Ratios& ratios = ratios_[strategy];
        const double mean = ratios.mean();
        const double margin = ratios.margin();
        const bool is_decidable = ratios.pairs >= kLeastPairs;
        if (is_decidable && mean + margin < -kLead) {
            // It becomes the best. Means over the old best no longer count; what the old best beat
            // stays decided.
            is_decided_[best_] = true;
            best_ = strategy;
            ratios_ = {};
        } else if ((is_decidable && mean - margin > 0) || mean - margin > kFarBehind ||
                   ratios.pairs == kMostPairs) {
            is_decided_[strategy] = true;
        }
        if (challenger() == strategy_count_) {
            end_round();
        }
    }

    void end_round() {
        for (Ratios& ratios : ratios_) {
            ratios.forget();
        }
        is_decided_ = {};
        pause_ = pause_factor_ * spent_;
        pause_factor_ = std::min(2 * pause_factor_, kMostPause);
        spent_ = 0;
    }

    u32 strategy_count_;
    u32 best_ = 0;
    u32 spent_ = 0;         // trials of this round
    u32 pause_ = kUntried;  // batches until the next round
    u32 pause_factor_ = kFirstPause;
    bool is_half_pair_ = false;  // the pair's first trial is recorded
    double first_log_ratio_ = 0;
    std::array<bool, kMostStrategies> is_decided_{};  // in this round
    std::array<Ratios, kMostStrategies> ratios_{};    // over the best strategy
};

}  // namespace weft::trace
