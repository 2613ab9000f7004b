// traversal_tuner.h — finds by measuring which traversal strategy is fastest for a scene and a
// class of rays.
//
// Strategies differ in time only, never in a hit. Batches differ from each other more than
// strategies do, so a trial compares two strategies on the halves of one batch: the best one so
// far, and a challenger. The half that goes second finds warmer caches, so trials come in pairs of
// both orders, and a pair gives one sample: what either strategy cost. What counts is the ratio of
// the sums of these costs: where most batches are cheap and miss the scene, the few that are dear
// make the time of the picture. A sequential test decides: a challenger is tried until it is
// clearly cheaper or dearer than the best, by the standard error of the ratio (Cochran, "Sampling
// Techniques", 3rd edition, section 6.4), or until the round's pairs are used up. One that is
// clearly cheaper becomes the best. Between rounds all batches use the best strategy; pauses are
// many times as long as the rounds, so that trials cost about one percent. The first batches use
// strategy 0 without trials, so that a small picture or a coarse live frame pays for none. Pure;
// one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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
    // Weight of earlier rounds in the sums: the first rounds run on cold memory.
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
        // Bound what an interrupt or a page fault adds to one half.
        const double first = std::min(first_cost, kMostRatio * second_cost);
        const double second = std::min(second_cost, kMostRatio * first_cost);
        const Costs costs = plan.first == best_ ? Costs{first, second} : Costs{second, first};
        is_half_pair_ = !is_half_pair_;
        if (is_half_pair_) {
            half_pair_ = costs;
            return;
        }
        sums_[challenger()].add({half_pair_.best + costs.best, half_pair_.other + costs.other});
        decide();
    }

    // The strategy used between rounds.
    [[nodiscard]] u32 best() const { return best_; }

    // Rays change: keeps the best strategy, forgets what the costs were, and tries the others after
    // as many batches as at the start. Not between next() and record().
    void begin_anew() {
        TraversalTuner anew(strategy_count_);
        anew.best_ = best_;
        *this = anew;
    }

private:
    // A challenger must lead by this share of the cost to replace the best one.
    static constexpr double kLead = 0.01;
    // A challenger that costs this much of the best is decided by so many pairs.
    static constexpr double kFarBehind = 1.5;
    static constexpr u32 kFarPairs = 2;
    // Most that one half of a trial may cost over the other half.
    static constexpr double kMostRatio = 8;

    // What one sample cost: the best strategy so far, and a challenger.
    struct Costs {
        double best = 0;
        double other = 0;
    };

    // Weighted sums over samples.
    struct Sums {
        double weight = 0;
        Costs costs;
        double best_squared = 0;
        double both = 0;  // best · other
        double other_squared = 0;
        u32 pairs = 0;  // of this round

        void add(const Costs& sample) {
            weight += 1;
            costs.best += sample.best;
            costs.other += sample.other;
            best_squared += sample.best * sample.best;
            both += sample.best * sample.other;
            other_squared += sample.other * sample.other;
            ++pairs;
        }

        void forget() {
            for (double* const sum :
                 {&weight, &costs.best, &costs.other, &best_squared, &both, &other_squared}) {
                *sum *= kRemembered;
            }
            pairs = 0;
        }

        // The challenger has become the best.
        void exchange() {
            std::swap(costs.best, costs.other);
            std::swap(best_squared, other_squared);
        }

        // Cost of the challenger over that of the best.
        [[nodiscard]] double ratio() const { return costs.other / costs.best; }

        // Two standard errors of the ratio.
        [[nodiscard]] double margin() const {
            const double r = ratio();
            const double residue = other_squared - 2 * r * both + r * r * best_squared;
            const double variance = std::max(residue, 0.0) / std::max(weight - 1, 1.0);
            return 2 * std::sqrt(variance * weight) / costs.best;
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
        const Sums& sums = sums_[strategy];
        const double least = sums.ratio() - sums.margin();
        const bool is_decidable = sums.pairs >= kLeastPairs;
        const bool is_far_behind = sums.pairs >= kFarPairs && least > kFarBehind;
        if (is_decidable && sums.ratio() + sums.margin() < 1 - kLead) {
            crown(strategy);
        } else if ((is_decidable && least > 1) || is_far_behind || sums.pairs == kMostPairs) {
            is_decided_[strategy] = true;
        }
        if (challenger() == strategy_count_) {
            end_round();
        }
    }

    // Makes a strategy the best. Sums over the old best no longer count, but those of the two; what
    // the old best beat stays decided.
    void crown(u32 strategy) {
        Sums of_old_best = sums_[strategy];
        of_old_best.exchange();
        sums_ = {};
        sums_[best_] = of_old_best;
        is_decided_[best_] = true;
        best_ = strategy;
    }

    void end_round() {
        for (Sums& sums : sums_) {
            sums.forget();
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
    Costs half_pair_;
    std::array<bool, kMostStrategies> is_decided_{};  // in this round
    std::array<Sums, kMostStrategies> sums_{};        // beside the best strategy
};

}  // namespace weft::trace
