// scheduler_history.h — figures of the running frame as rates: what happened since a moment ago.
//
// The renderer counts from the beginning of a frame; what an observer wants is now. This keeps a
// row of snapshots and tells the difference between the newest and one that is old enough, and the
// course of a few quantities for curves. Pure but for its memory of the last snapshots; one thread.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "engine/frame/renderer.h"

namespace weft::app {

// Lanes of one kernel.
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
    double mean_waiting = 0;  // fibres in the queue, seen whenever a packet begins
    fibre::AgeBins ages{};    // fibres of all routines by how long they waited
    std::vector<LaneShare> kernels;
    // Packets of each routine by fullness (fibres of a packet against the lanes that it takes).
    std::vector<std::string> routine_names;
    std::vector<fibre::RoutineCounters> routines;
};

class SchedulerHistory {
public:
    static constexpr std::size_t kCurve = 180;  // points of a curve
    static constexpr double kSpan_s = 1.0;      // that rates are taken over

    // A snapshot at a moment. One that counts less than the last belongs to another frame and
    // starts the curves again; one that counts the same is dropped.
    void add(double now_s, const frame::FrameFigures& figures);

    // Between the newest snapshot and the one about kSpan_s before it.
    [[nodiscard]] const SchedulerRates& rates() const { return rates_; }

    // Share of active lanes in all kernels, and Mrays/s, the newest last.
    [[nodiscard]] const std::vector<float>& occupancy_curve() const { return occupancy_; }

    [[nodiscard]] const std::vector<float>& rays_curve() const { return rays_; }

    // Fibres in the queue, seen whenever a packet began: the mean from snapshot to snapshot.
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
