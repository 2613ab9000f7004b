// lane_choice.h — which way to traverse is fastest for this scene and class of rays, found by
// measuring while it runs.
//
// Ways differ in time only, never in a hit. Batches differ more than ways do, so ways take turns
// all over the picture: a lap gives each way that is still in question two batches, the first of
// them untimed so that its nodes are warm, and counts what each cost beside the best one in that
// same lap, within a factor of two: a lap that straddles the edge of something dear turns no
// choice, and neither does a dear part of the picture. Who lies clearly behind the best drops out
// of the round; the more laps, the less is clearly. Then many batches go the way whose mean cost is
// lowest, until the next round. The first batches go the first way, so that a small picture or a
// coarse one of the viewer pays for no trial. Rounds and rests double in length, so that the first
// choice comes early, is soon looked at again, and later ones are sure. Pure; one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scheduler/base/ids.h"

namespace weft::trace {

class LaneChoice {
public:
    static constexpr u32 kMostWays = 4;
    // Laps of the first round and of the longest.
    static constexpr u32 kFirstLaps = 2;
    static constexpr u32 kMostLaps = 32;
    // Batches before the first round.
    static constexpr u32 kUntried = 8;
    // Batches between rounds, for each batch of a round: at first and at most.
    static constexpr u32 kFirstRest = 2;
    static constexpr u32 kMostRest = 16;
    // What is left of what a round has learned when the next one ends: memory is cold at first.
    static constexpr double kRemembered = 0.25;

    // Among `way_count` ways, 1 .. kMostWays; best() is the first of them until something is known.
    explicit LaneChoice(u32 way_count) : way_count_(way_count) {}

    // The way of the next batch; is_timed() then says whether its time is wanted.
    u32 next() {
        is_timed_ = is_warm_;
        is_warm_ = false;
        if (is_timed_) {
            ++spent_;
            timed_way_ = way_;
            return way_;
        }
        if (way_count_ == 1) {
            return best_;
        }
        if (rest_ == 0) {
            go_to_next_way();
        }
        if (rest_ != 0) {
            --rest_;
            return best_;
        }
        is_warm_ = true;
        ++spent_;
        return way_;
    }

    [[nodiscard]] bool is_timed() const { return is_timed_; }

    // What the last batch that was timed has cost.
    void record(u32 rays, double ns) { lap_ns_[timed_way_] = ns / rays; }

    // The way that is taken between rounds.
    [[nodiscard]] u32 best() const { return best_; }

    // Doublings beside the best way of the same lap, mean of the trials, earlier rounds counted
    // less; infinite where there were none.
    [[nodiscard]] double relative_cost(u32 way) const {
        return trials_[way] > 0 ? costs_[way] / trials_[way]
                                : std::numeric_limits<double>::infinity();
    }

private:
    static constexpr u32 kBeforeFirst = ~0U;

    // How far behind the best a way may lie to stay in question. A single batch of the same way can
    // cost half as much again as another one.
    static double margin_after(double trials) {
        return trials < 3 ? 1.5 : trials < 8 ? 1.25 : trials < 32 ? 1.1 : 1.05;
    }

    void go_to_next_way() {
        skip_dropped();
        if (turn_ == way_count_) {
            end_lap();
        }
    }

    void skip_dropped() {
        do {
            ++turn_;
            way_ = (turn_ + first_) % way_count_;
        } while (turn_ < way_count_ && is_dropped_[way_]);
    }

    // Adds what the lap has shown.
    void count_lap() {
        const double least = lap_ns_[best_];
        for (u32 way = 0; way < way_count_ && least > 0; ++way) {
            if (lap_ns_[way] > 0) {
                costs_[way] += std::clamp(std::log2(lap_ns_[way] / least), -1.0, 1.0);
                trials_[way] += 1;
            }
        }
        lap_ns_ = {};
    }

    // Starts the next lap of the round, or the rest between rounds.
    void end_lap() {
        count_lap();
        for (u32 way = 0; way < way_count_; ++way) {
            best_ = relative_cost(way) < relative_cost(best_) ? way : best_;
        }
        u32 left = 0;
        for (u32 way = 0; way < way_count_; ++way) {
            is_dropped_[way] = is_dropped_[way] || relative_cost(way) - relative_cost(best_) >
                                                       std::log2(margin_after(trials_[way]));
            left += is_dropped_[way] ? 0U : 1U;
        }
        // Each lap begins with another way: none is bound to what repeats itself.
        first_ = (first_ + 1) % way_count_;
        turn_ = kBeforeFirst;
        ++lap_;
        if (left > 1 && lap_ < laps_) {
            skip_dropped();
            return;
        }
        end_round();
    }

    void end_round() {
        for (u32 way = 0; way < way_count_; ++way) {
            costs_[way] *= kRemembered;
            trials_[way] *= kRemembered;
        }
        is_dropped_ = {};
        rest_ = rest_factor_ * spent_;
        rest_factor_ = rest_factor_ < kMostRest ? 2 * rest_factor_ : rest_factor_;
        spent_ = 0;
        lap_ = 0;
        laps_ = laps_ < kMostLaps ? 2 * laps_ : laps_;
    }

    u32 way_count_;
    u32 way_ = 0;              // whose turn it is
    u32 turn_ = kBeforeFirst;  // of the lap
    u32 first_ = 0;            // who begins the lap
    u32 timed_way_ = 0;
    u32 best_ = 0;
    u32 laps_ = kFirstLaps;  // of this round
    u32 lap_ = 0;            // that are done
    u32 spent_ = 0;          // batches of this round
    u32 rest_ = kUntried;    // batches until the next round
    u32 rest_factor_ = kFirstRest;
    bool is_warm_ = false;  // the way's first batch of this lap has run
    bool is_timed_ = false;
    std::array<bool, kMostWays> is_dropped_{};  // from this round
    std::array<double, kMostWays> trials_{};
    std::array<double, kMostWays> costs_{};   // sums of what relative_cost is the mean of
    std::array<double, kMostWays> lap_ns_{};  // per ray, of this lap; 0: not tried
};

}  // namespace weft::trace
