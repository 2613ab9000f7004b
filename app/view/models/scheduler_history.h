// scheduler_history.h — the counters of the running frame as rates over the last second.
//
// The renderer counts from the start of a frame; an observer wants current rates. This keeps recent
// snapshots and computes the difference between the newest and one that is old enough, and curves
// of a few quantities. Reads no clock; one thread.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "engine/frame/renderer.h"

namespace weft::app {

// Lane occupancy of one kernel.
struct LaneShare {
    std::string name;
    u64 issued = 0;
    u64 active = 0;

    [[nodiscard]] double occupancy() const {
        return issued == 0 ? 0 : static_cast<double>(active) / static_cast<double>(issued);
    }
};

// What happened between two snapshots.
struct SchedulerRates {
    double seconds = 0;
    double rays_per_s = 0;
    double packets_per_s = 0;
    double fibres_per_packet = 0;
    double steals_per_s = 0;
    double doorbells_per_s = 0;
    double mean_waiting = 0;  // fibres in the queue, sampled whenever a packet begins
    fibre::AgeBins ages{};    // fibres of all routines, by waiting time
    std::vector<LaneShare> kernels;
    // Packets of each routine by fullness (fibres against the packet's lanes).
    std::vector<std::string> routine_names;
    std::vector<fibre::RoutineCounters> routines;
};

class SchedulerHistory {
public:
    static constexpr std::size_t kCurve = 180;  // points per curve
    static constexpr double kSpan_s = 1.0;      // interval of the rates

    // Adds a snapshot. One that counts less than the last belongs to another frame and restarts the
    // curves; one that counts the same is dropped.
    void add(double now_s, const frame::FrameFigures& figures);

    // Rates between the newest snapshot and the one about kSpan_s earlier.
    [[nodiscard]] const SchedulerRates& rates() const { return rates_; }

    // Share of active lanes over all kernels, and Mrays/s; the newest is last.
    [[nodiscard]] const std::vector<float>& occupancy_curve() const { return occupancy_; }

    [[nodiscard]] const std::vector<float>& rays_curve() const { return rays_; }

    // Fibres in the queue, sampled whenever a packet begins: the mean between two snapshots.
    [[nodiscard]] const std::vector<float>& waiting_curve() const { return waiting_; }

    void clear();

private:
    struct Snapshot {
        double at_s = 0;
        trace::IntegratorCounters integrator;
        fibre::FibreCounters fibre;
        u64 steals = 0;
        u64 doorbells = 0;
    };

    void compare(const Snapshot& before, const Snapshot& now);

    std::deque<Snapshot> snapshots_;
    SchedulerRates rates_;
    std::vector<float> occupancy_;
    std::vector<float> rays_;
    std::vector<float> waiting_;
};

}  // namespace weft::app
