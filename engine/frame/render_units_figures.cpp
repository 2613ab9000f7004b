// render_units_figures.cpp — what the units of a frame count, while they run and at the end.
#include "engine/frame/render_units.h"

namespace weft::frame {

void set_shares(std::vector<DeviceFigures>& devices) {
    u64 samples = 0;
    for (const DeviceFigures& device : devices) {
        samples += device.samples;
    }
    for (DeviceFigures& device : devices) {
        device.share =
            samples == 0 ? 0 : static_cast<double>(device.samples) / static_cast<double>(samples);
    }
}

// On the unit's worker.
void RenderUnits::note(u32 unit) {
    constexpr std::chrono::milliseconds kOld(50);
    const auto now = std::chrono::steady_clock::now();
    if (now - notes_[unit].noted_at < kOld) {  // written by this thread alone
        return;
    }
    const std::lock_guard lock(notes_mutex_);
    UnitNote& note = notes_[unit];
    note.noted_at = now;
    if (unit < cpu_unit_count_) {
        note.integrator = integrators_[unit]->counters();
        note.fibre = integrators_[unit]->fibre_counters();
        const u32 asked = heat_asked_.load(std::memory_order_relaxed);
        if (note.heat_asked != asked && integrators_[unit]->heat()) {
            note.heat_asked = asked;
            note.heat = {};
            integrators_[unit]->heat()->add_to(note.heat);
        }
    }
    note.unit = runner_->unit_figures(unit);
    note.worker = runner_->worker_figures(note.worker_index);
}

// Called when no unit works but lost ones, which keep what was noted before they were lost.
void RenderUnits::note_all() {
    const std::lock_guard lock(notes_mutex_);
    for (u32 k = 0; k < unit_count(); ++k) {
        UnitNote& note = notes_[k];
        if (runner_->unit_figures(k).is_lost) {
            note.unit = runner_->unit_figures(k);
            continue;
        }
        note.integrator = integrators_[k]->counters();
        note.fibre = integrators_[k]->fibre_counters();
        note.unit = runner_->unit_figures(k);
        note.worker = runner_->worker_figures(note.worker_index);
        if (integrators_[k]->heat()) {
            note.heat = {};
            integrators_[k]->heat()->add_to(note.heat);
        }
    }
}

trace::HeatFigures RenderUnits::late_heat() const {
    heat_asked_.fetch_add(1, std::memory_order_relaxed);
    trace::HeatFigures sum;
    const std::lock_guard lock(notes_mutex_);
    for (const UnitNote& note : notes_) {
        sum.add(note.heat);
    }
    return sum;
}

DeviceFigures RenderUnits::sum_units(u32 begin, u32 end) const {
    DeviceFigures sum;
    sum.isa = isa_;
    sum.units = end - begin;
    for (u32 k = begin; k < end; ++k) {
        sum.integrator.add(integrators_[k]->counters());
        sum.fibre.add(integrators_[k]->fibre_counters());
        sum.camera.add(integrators_[k]->camera_threads());
        sum.storage_bytes += integrators_[k]->storage_bytes();
        sum.samples += runner_->unit_figures(k).work;
        sum.lost_units += runner_->unit_figures(k).is_lost ? 1U : 0U;
    }
    return sum;
}

DeviceFigures RenderUnits::sum_notes(u32 begin, u32 end) const {
    DeviceFigures sum;
    sum.isa = isa_;
    sum.units = end - begin;
    for (u32 k = begin; k < end; ++k) {
        sum.integrator.add(notes_[k].integrator);
        sum.fibre.add(notes_[k].fibre);
        sum.samples += notes_[k].unit.work;
        sum.lost_units += notes_[k].unit.is_lost ? 1U : 0U;
    }
    return sum;
}

RunFigures RenderUnits::late_run_figures() const {
    const std::lock_guard lock(notes_mutex_);
    RunFigures figures;
    figures.workers.resize(worker_count_);
    for (const UnitNote& note : notes_) {
        figures.units.push_back(note.unit);
        figures.workers[note.worker_index] = note.worker;
    }
    return figures;
}

std::vector<DeviceFigures> RenderUnits::late_device_figures() const {
    const std::lock_guard lock(notes_mutex_);
    std::vector<DeviceFigures> devices;
    if (cpu_unit_count_ > 0) {
        devices.push_back(sum_notes(0, cpu_unit_count_));
        devices.back().name = "cpu";
        devices.back().lane_count = cpu_lanes_;
    }
    if (device_) {
        devices.push_back(sum_notes(cpu_unit_count_, unit_count()));
        devices.back().name = "egpu";
        devices.back().lane_count = device_lanes_;
    }
    set_shares(devices);
    return devices;
}

RunFigures RenderUnits::run_figures() const {
    RunFigures figures;
    for (u32 k = 0; k < unit_count(); ++k) {
        figures.units.push_back(runner_->unit_figures(k));
    }
    for (u32 k = 0; k < runner_->worker_count(); ++k) {
        figures.workers.push_back(runner_->worker_figures(k));
    }
    return figures;
}

std::vector<DeviceFigures> RenderUnits::device_figures() const {
    std::vector<DeviceFigures> devices;
    if (cpu_unit_count_ > 0) {
        devices.push_back(sum_units(0, cpu_unit_count_));
        devices.back().name = "cpu";
        devices.back().lane_count = cpu_lanes_;
    }
    if (device_) {
        devices.push_back(sum_units(cpu_unit_count_, unit_count()));
        DeviceFigures& device = devices.back();
        device.name = "egpu";
        device.lane_count = device_lanes_;
        device.fibre.add(packet_unit_->counters());
        const compute::MemoryPort& memory = device_objects_->device()->memory();
        device.memory_limit_bytes = memory.limit_bytes();
        device.memory_used_bytes = memory.used_bytes();
        device.copied_in_bytes = memory.copied_in_bytes() - copied_in_before_;
        device.copied_out_bytes = memory.copied_out_bytes() - copied_out_before_;
        device.bus_ms = unit::BusModel{}.modelled_ms(device.integrator.local.bus, device.units);
    }
    set_shares(devices);
    return devices;
}

}  // namespace weft::frame
