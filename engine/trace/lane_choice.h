// lane_choice.h — which way to traverse is fastest for this scene and class of rays, found by
// measuring while it runs.
//
// Ways differ in time only, never in a hit. Batches are taken in rounds: a trial of each way, a few
// batches long and the first of them untimed so that its nodes are warm, then many batches the way
// whose mean time per ray is lowest. Trials and rounds double, so that the first choice comes early
// and later ones are sure. Pure; one thread.
#pragma once

#include <array>

#include "scheduler/base/ids.h"

namespace weft::trace {

class LaneChoice {
public:
    static constexpr u32 kMostWays = 4;
    // Batches of a way in the first trial and in the longest.
    static constexpr u32 kFirstTrial = 4;
    static constexpr u32 kLongestTrial = 64;
    // Batches between trials, for each batch of trials.
    static constexpr u32 kRest = 16;

    // Among `way_count` ways, 1 .. kMostWays.
    explicit LaneChoice(u32 way_count) : way_count_(way_count) {}

    // The way of the next batch; is_timed() then says whether its time is wanted.
    u32 next() {
        is_timed_ = false;
        if (way_count_ == 1) {
            return 0;
        }
        const u32 trials = way_count_ * trial_;
        const u32 turn = turn_++;
        if (turn < trials) {
            way_ = turn / trial_;
            is_timed_ = turn % trial_ != 0;
            return way_;
        }
        if (turn == trials) {
            take_best();
        }
        if (turn_ == trials * (1 + kRest)) {
            turn_ = 0;
            trial_ = trial_ < kLongestTrial ? 2 * trial_ : trial_;
        }
        way_ = best_;
        return way_;
    }

    [[nodiscard]] bool is_timed() const { return is_timed_; }

    // What the batch asked for last has cost.
    void record(u32 rays, double ns) {
        rays_[way_] += rays;
        ns_[way_] += ns;
    }

    // The way that is taken between trials.
    [[nodiscard]] u32 best() const { return best_; }

    // Mean of all trials; 0 where there were none.
    [[nodiscard]] double ns_per_ray(u32 way) const {
        return rays_[way] > 0 ? ns_[way] / rays_[way] : 0;
    }

private:
    void take_best() {
        for (u32 way = 0; way < way_count_; ++way) {
            const double known = ns_per_ray(best_);
            const double its = ns_per_ray(way);
            best_ = its > 0 && (known == 0 || its < known) ? way : best_;
        }
    }

    u32 way_count_;
    u32 trial_ = kFirstTrial;
    u32 turn_ = 0;
    u32 way_ = 0;
    u32 best_ = 0;
    bool is_timed_ = false;
    std::array<double, kMostWays> rays_{};
    std::array<double, kMostWays> ns_{};
};

}  // namespace weft::trace
