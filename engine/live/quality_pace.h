// quality_pace.h — after how many samples a picture that rests is worth the quality filter again.
//
// A picture of half as many samples more is visibly cleaner; one of fewer is not worth seconds of
// all processors. All its pictures of a frame together take a bounded share of its time.
//
// Reads no clock. One thread at a time.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::live {

class QualityPace {
public:
    // Whether a picture in which each pixel has so many samples is due, if it takes `expected_s`
    // and the frame began `age_s` ago. `has_news`: some pixels have got more than the others.
    [[nodiscard]] bool is_due(u32 samples, bool has_news, double expected_s, double age_s) const {
        const bool has_grown =
            samples_ == 0 ? samples >= kFirst : has_news || 2 * samples >= 3 * samples_;
        return has_grown && spent_s_ + expected_s <= kShare * age_s;
    }

    // The filter has run so long, also in vain.
    void spend(double seconds) { spent_s_ += seconds; }

    // Its picture is there.
    void show(u32 samples) { samples_ = samples; }

    // There is none any more.
    void lose() { samples_ = 0; }

    // Of the picture that is there; 0: none.
    [[nodiscard]] u32 samples() const { return samples_; }

private:
    static constexpr u32 kFirst = 16;
    static constexpr double kShare = 0.15;

    double spent_s_ = 0;
    u32 samples_ = 0;
};

}  // namespace weft::live
