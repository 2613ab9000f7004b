#include "app/view/models/scheduler_history.h"

#include <algorithm>

namespace weft::app {

namespace {

u64 rays_of(const trace::IntegratorCounters& counters) {
    return counters.camera_rays + counters.bounce_rays + counters.shadow_rays;
}

template <typename Counters>
LaneShare lanes_between(const char* name, const Counters& before, const Counters& now) {
    return {name, now.lanes_issued - before.lanes_issued, now.lanes_active - before.lanes_active};
}

fibre::RoutineCounters routine_between(const fibre::RoutineCounters& before,
                                       const fibre::RoutineCounters& now) {
    fibre::RoutineCounters difference;
    difference.packets = now.packets - before.packets;
    difference.fibres = now.fibres - before.fibres;
    difference.lanes_issued = now.lanes_issued - before.lanes_issued;
    difference.lanes_active = now.lanes_active - before.lanes_active;
    difference.distinct_keys = now.distinct_keys - before.distinct_keys;
    difference.mixed_packets = now.mixed_packets - before.mixed_packets;
    difference.rekeyed_lists = now.rekeyed_lists - before.rekeyed_lists;
    difference.rekeyed_fibres = now.rekeyed_fibres - before.rekeyed_fibres;
    for (std::size_t bin = 0; bin < difference.by_fullness.size(); ++bin) {
        difference.by_fullness[bin] = now.by_fullness[bin] - before.by_fullness[bin];
    }
    for (std::size_t bin = 0; bin < difference.by_age.size(); ++bin) {
        difference.by_age[bin] = now.by_age[bin] - before.by_age[bin];
    }
    for (std::size_t k = 0; k < difference.by_reason.size(); ++k) {
        difference.by_reason[k] = now.by_reason[k] - before.by_reason[k];
    }
    return difference;
}

double ratio(u64 part, u64 whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void append(std::vector<float>& curve, double value) {
    if (curve.size() == SchedulerHistory::kCurve) {
        curve.erase(curve.begin());
    }
    curve.push_back(static_cast<float>(value));
}

}  // namespace

void SchedulerHistory::add(double now_s, const frame::FrameFigures& figures) {
    Snapshot now{now_s, figures.integrator, figures.fibre, 0, 0};
    for (const unit::WorkerFigures& worker : figures.run.workers) {
        now.steals += worker.steals;
    }
    for (const unit::UnitFigures& unit : figures.run.units) {
        now.doorbells += unit.doorbells;
    }
    if (!snapshots_.empty()) {
        const u64 last = snapshots_.back().fibre.packets();
        if (now.fibre.packets() < last) {
            snapshots_.clear();
        } else if (now.fibre.packets() == last) {
            return;
        }
    }
    rates_.routine_names = figures.routine_names;
    const fibre::FibreCounters last =
        snapshots_.empty() ? fibre::FibreCounters{} : snapshots_.back().fibre;
    append(waiting_,
           ratio(now.fibre.waiting_fibres_sum - last.waiting_fibres_sum,
                 now.fibre.packets() - last.packets()));
    snapshots_.push_back(now);
    while (snapshots_.size() > 2 && snapshots_[1].at_s <= now_s - kSpan_s) {
        snapshots_.pop_front();
    }
    compare(snapshots_.size() > 1 ? snapshots_.front() : Snapshot{}, now);
}

void SchedulerHistory::compare(const Snapshot& before, const Snapshot& now) {
    const bool is_first = snapshots_.size() < 2;
    rates_.seconds = is_first ? 0 : now.at_s - before.at_s;
    const auto per_s = [&](u64 count) {
        return rates_.seconds > 0 ? static_cast<double>(count) / rates_.seconds : 0.0;
    };
    const u64 packets = now.fibre.packets() - before.fibre.packets();
    rates_.rays_per_s = per_s(rays_of(now.integrator) - rays_of(before.integrator));
    rates_.packets_per_s = per_s(packets);
    rates_.steals_per_s = per_s(now.steals - before.steals);
    rates_.doorbells_per_s = per_s(now.doorbells - before.doorbells);
    rates_.mean_waiting =
        ratio(now.fibre.waiting_fibres_sum - before.fibre.waiting_fibres_sum, packets);
    rates_.kernels = {lanes_between("camera", before.integrator.camera, now.integrator.camera),
                      lanes_between("closest", before.integrator.closest, now.integrator.closest),
                      lanes_between("shadow", before.integrator.shadow, now.integrator.shadow),
                      lanes_between("shade", before.integrator.shade, now.integrator.shade),
                      lanes_between("miss", before.integrator.miss, now.integrator.miss)};
    rates_.routines.clear();
    rates_.ages = {};
    u64 fibres = 0;
    for (std::size_t k = 0; k < rates_.routine_names.size(); ++k) {
        rates_.routines.push_back(routine_between(before.fibre.routine[k], now.fibre.routine[k]));
        fibres += rates_.routines.back().fibres;
        for (std::size_t bin = 0; bin < rates_.ages.size(); ++bin) {
            rates_.ages[bin] += rates_.routines.back().by_age[bin];
        }
    }
    rates_.fibres_per_packet = ratio(fibres, packets);
    u64 issued = 0;
    u64 active = 0;
    for (const LaneShare& kernel : rates_.kernels) {
        issued += kernel.issued;
        active += kernel.active;
    }
    append(occupancy_, ratio(active, issued));
    append(rays_, rates_.rays_per_s * 1e-6);
}

void SchedulerHistory::clear() {
    *this = {};
}

}  // namespace weft::app
