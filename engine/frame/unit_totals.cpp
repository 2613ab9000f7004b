#include "engine/frame/unit_totals.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::frame {

namespace {

void add(DeviceFigures& device, const DeviceFigures& former) {
    device.lost_units += former.lost_units;
    device.samples += former.samples;
    device.memory_used_bytes = std::max(device.memory_used_bytes, former.memory_used_bytes);
    device.copied_in_bytes += former.copied_in_bytes;
    device.copied_out_bytes += former.copied_out_bytes;
    device.bus_ms += former.bus_ms;
    device.integrator.add(former.integrator);
    device.fibre.add(former.fibre);
    device.camera.add(former.camera);
}

void add(unit::UnitFigures& unit, const unit::UnitFigures& former) {
    // The round trips' mean counts each share once.
    const auto shares = static_cast<double>(unit.shares + former.shares);
    if (shares > 0) {
        unit.round_trip_ns = (unit.round_trip_ns * static_cast<double>(unit.shares) +
                              former.round_trip_ns * static_cast<double>(former.shares)) /
                             shares;
    }
    unit.shares += former.shares;
    unit.work += former.work;
    unit.busy_ns += former.busy_ns;
    unit.doorbells += former.doorbells;
    unit.parts_retried += former.parts_retried;
    unit.shares_taken_back += former.shares_taken_back;
}

void add(unit::WorkerFigures& worker, const unit::WorkerFigures& former) {
    worker.roots += former.roots;
    worker.shares += former.shares;
    worker.divisions += former.divisions;
    worker.steals += former.steals;
    worker.steal_attempts += former.steal_attempts;
    worker.parks += former.parks;
}

// Units of one frame are made alike, so that entries of one index are of one device, unit or
// worker. There are no former ones before the first change, and none while the units of the frame
// were let go of.
template <typename Figures>
void add_all(std::vector<Figures>& figures, const std::vector<Figures>& former) {
    if (figures.empty()) {
        figures = former;
        return;
    }
    ENSURE(former.empty() || former.size() == figures.size(), ==, true);
    for (std::size_t k = 0; k < former.size(); ++k) {
        add(figures[k], former[k]);
    }
}

}  // namespace

void add_up_units(FrameFigures& figures, const FrameFigures& former) {
    add_all(figures.devices, former.devices);
    add_all(figures.run.units, former.run.units);
    add_all(figures.run.workers, former.run.workers);
    set_shares(figures.devices);
    figures.integrator = {};
    figures.fibre = {};
    figures.storage_bytes = 0;
    for (const DeviceFigures& device : figures.devices) {
        figures.integrator.add(device.integrator);
        figures.fibre.add(device.fibre);
        figures.storage_bytes += device.storage_bytes;
    }
}

}  // namespace weft::frame
