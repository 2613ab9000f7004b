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
// Techniques", 3rd edition, section 6.4), or until its pairs are used up. One that is clearly
// cheaper becomes the best. Any other challenger then waits until its trials are a small share of
// the time: the tuner tries an expensive strategy rarely, and one that nearly ties with the best
// often, and adds to the sums of its former trials. Where a pair alone has a challenger much
// dearer, the tuner asks no further: to be wrong costs little, since it tries again. The first
// batches use strategy 0 without trials, so that a small picture or a coarse live frame pays for
// none. Pure; one thread.
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
    // Batches before the first trial.
    static constexpr u32 kUntried = 8;
    // Pairs of trials of a challenger in a row: from which it may be decided, and at most.
    static constexpr u32 kLeastPairs = 3;
    static constexpr u32 kMostPairs = 10;
    // The share of the time that trials of all challengers may cost together.
    static constexpr double kTrialShare = 0.002;
    // Batches that a challenger waits between its trials at least.
    static constexpr u32 kLeastWait = 32;
    // A challenger that costs so many times as much after any pair waits.
    static constexpr double kMuchDearer = 1.2;
    // Weight of former trials in the sums: rays and the warmth of memory change.
    static constexpr double kRemembered = 0.5;

    // Candidates are 0 .. strategy_count − 1 (at most kMostStrategies); best() is 0 before the
    // first trial.
    explicit TraversalTuner(u32 strategy_count) : strategy_count_(strategy_count) {}

    // The plan of the next batch.
    BatchPlan next() {
        ++batch_;
        if (challenger_ == kNone) {
            begin_trials();
        }
        if (challenger_ == kNone) {
            return {best_, best_};
        }
        return is_half_pair_ ? BatchPlan{challenger_, best_} : BatchPlan{best_, challenger_};
    }

    // The time (in any unit, > 0) of the batch that next() planned last, which was no trial.
    void record(double batch_time) { time_ += batch_time; }

    // The same of a trial of so many rays: the time per ray of both halves.
    void record(const BatchPlan& plan, double first_cost, double second_cost, double rays) {
        // Bound what an interrupt or a page fault adds to one half.
        const double first = std::min(first_cost, kMostRatio * second_cost);
        const double second = std::min(second_cost, kMostRatio * first_cost);
        const Costs costs = plan.first == best_ ? Costs{first, second} : Costs{second, first};
        time_ += (costs.best + costs.other) / 2 * rays;
        lost_time_ += (costs.other - costs.best) / 2 * rays;
        is_half_pair_ = !is_half_pair_;
        if (is_half_pair_) {
            half_pair_ = costs;
            return;
        }
        challengers_[challenger_].sums.add(
            {half_pair_.best + costs.best, half_pair_.other + costs.other});
        ++pairs_;
        decide();
    }

    // The strategy used outside trials.
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
    static constexpr double kLead = 0.005;
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

        void add(const Costs& sample) {
            weight += 1;
            costs.best += sample.best;
            costs.other += sample.other;
            best_squared += sample.best * sample.best;
            both += sample.best * sample.other;
            other_squared += sample.other * sample.other;
        }

        void forget() {
            for (double* const sum :
                 {&weight, &costs.best, &costs.other, &best_squared, &both, &other_squared}) {
                *sum *= kRemembered;
            }
        }

        // The challenger has become the best.
        void exchange() {
            std::swap(costs.best, costs.other);
            std::swap(best_squared, other_squared);
        }

        // Cost of the challenger over that of the best.
        [[nodiscard]] double ratio() const { return costs.other / costs.best; }

        // Two standard errors of the ratio, and more where few samples say how large they are.
        [[nodiscard]] double margin() const {
            const double r = ratio();
            const double residue = other_squared - 2 * r * both + r * r * best_squared;
            const double freedom = std::max(weight - 1, 1.0);
            const double variance = std::max(residue, 0.0) / freedom;
            return (2 + 2 / freedom) * std::sqrt(variance * weight) / costs.best;
        }
    };

    struct Challenger {
        Sums sums;               // beside the best strategy
        u32 next_at = kUntried;  // tried after this batch,
        double next_time = 0;    // and not before this time
    };

    // Tries the challenger that has waited longest, if one has waited long enough.
    void begin_trials() {
        for (u32 strategy = 0; strategy < strategy_count_; ++strategy) {
            const u32 next_at = challengers_[strategy].next_at;
            const bool is_due =
                strategy != best_ && next_at < batch_ && challengers_[strategy].next_time <= time_;
            if (is_due && (challenger_ == kNone || next_at < challengers_[challenger_].next_at)) {
                challenger_ = strategy;
            }
        }
        if (challenger_ != kNone) {
            challengers_[challenger_].sums.forget();
            pairs_ = 0;
            lost_time_ = 0;
        }
    }

    void decide() {
        const Sums& sums = challengers_[challenger_].sums;
        const double least = sums.ratio() - sums.margin();
        const bool is_decidable = pairs_ >= kLeastPairs;
        if (is_decidable && sums.ratio() + sums.margin() < 1 - kLead) {
            crown();
        } else if ((is_decidable && least > 1) || sums.ratio() > kMuchDearer ||
                   pairs_ == kMostPairs) {
            wait(challenger_);
        }
    }

    // Makes the challenger the best. Sums beside the old best no longer count, but those of the
    // two; strategies that lost to the old best wait on.
    void crown() {
        Sums of_old_best = challengers_[challenger_].sums;
        of_old_best.exchange();
        for (Challenger& challenger : challengers_) {
            challenger.sums = {};
        }
        challengers_[best_].sums = of_old_best;
        const u32 old_best = std::exchange(best_, challenger_);
        wait(old_best);
    }

    // Ends the trials: `strategy` is tried again when they are a small share of the time.
    void wait(u32 strategy) {
        Challenger& waiting = challengers_[strategy];
        const double share = kTrialShare / (strategy_count_ - 1);
        waiting.next_at = batch_ + kLeastWait;
        waiting.next_time = time_ + std::max(lost_time_, 0.0) / share;
        challenger_ = kNone;
    }

    u32 strategy_count_;
    u32 best_ = 0;
    u32 batch_ = 0;              // batches so far
    double time_ = 0;            // that they took
    u32 challenger_ = kNone;     // that is being tried; kNone: none
    u32 pairs_ = 0;              // of these trials
    double lost_time_ = 0;       // that they took beyond what the best strategy had taken
    bool is_half_pair_ = false;  // the pair's first trial is recorded
    Costs half_pair_;
    std::array<Challenger, kMostStrategies> challengers_{};
};

}  // namespace weft::trace
