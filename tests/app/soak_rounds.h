// soak_rounds.h — how long a soak test goes on, and a line on what its process holds now and then.
//
// A few rounds, or, where WEFT_SOAK_MINUTES is set, as many as fit into that time.
#pragma once

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "scheduler/base/clock.h"
#include "scheduler/base/ids.h"
#include "tests/app/held_resources.h"

namespace weft::app::testing {

// Rounds before the first look at what is held.
inline constexpr u32 kWarmRounds = 3;

class SoakRounds {
public:
    // The test is one of `cases` of its program, which share the time.
    explicit SoakRounds(u32 cases) {
        const char* const minutes = std::getenv("WEFT_SOAK_MINUTES");
        limit_s_ = minutes == nullptr ? 0 : 60 * std::strtod(minutes, nullptr) / cases;
    }

    // Begins another round. False: the test has had enough.
    bool next() {
        const bool goes_on = count_ < kFewRounds || base::seconds_since(begin_) < limit_s_;
        count_ += goes_on ? 1U : 0U;
        return goes_on;
    }

    // Prints a line for each twentieth of the time.
    void note(const HeldResources& held) {
        const double now_s = base::seconds_since(begin_);
        if (limit_s_ > 0 && now_s >= next_note_s_) {
            MESSAGE("second " << static_cast<u64>(now_s) << ", round " << count_ << ": "
                              << text_of(held));
            next_note_s_ = now_s + limit_s_ / 20;
        }
    }

    [[nodiscard]] u32 count() const { return count_; }

private:
    static constexpr u32 kFewRounds = 3;

    base::Clock::time_point begin_ = base::Clock::now();
    double limit_s_ = 0;
    double next_note_s_ = 0;
    u32 count_ = 0;
};

}  // namespace weft::app::testing
