#include "engine/frame/render_units.h"

#include <algorithm>
#include <fmt/format.h>

namespace weft::frame {

namespace {

// Where paths wait for pages: shares of a unit at once, and how many of them fill its paths. The
// last paths of a share wait long, so that others must be there, or pages are read for few rays.
constexpr u32 kPagedPortions = 16;
constexpr u32 kSharesOfPaths = 8;

// The settings of each unit's integrator, with room for the largest share.
trace::IntegratorConfig unit_config(const RenderSettings& settings) {
    trace::IntegratorConfig config = settings.integrator;
    u32 share_samples = config.path_count;
    if (settings.geometry_memory_bytes != 0) {
        config.portions = kPagedPortions;
        share_samples = std::max(config.path_count / kSharesOfPaths, 1U);
    }
    config.share_samples = std::max({config.share_samples, settings.share_samples, share_samples});
    return config;
}

// Shares of a device's unit at once where it has more paths than a unit of the processor: these are
// as large as there, and fill its paths twice.
constexpr u32 kSharesOfDevicePaths = 2;

// The same for units of the emulated GPU.
trace::IntegratorConfig device_config(const RenderSettings& settings) {
    trace::IntegratorConfig config = unit_config(settings);
    const u32 paths = device_path_count(settings);
    config.portions =
        std::max(config.portions, kSharesOfDevicePaths * paths / std::max(config.path_count, 1U));
    config.portions = std::min(config.portions, kPagedPortions);
    config.path_count = paths;
    return config;
}

unit::UnitConfig execution_config(const RenderSettings& settings,
                                  const trace::IntegratorConfig& config) {
    unit::UnitConfig unit;
    unit.lane_groups = config.lane_groups;
    unit.portions = config.portions;
    unit.most_work = config.share_samples;
    // Measured: shares of as many samples as a unit has paths are 3 to 6 % faster than half of
    // that, and larger ones no faster.
    const u32 paths = settings.integrator.path_count;
    unit.least_work =
        settings.geometry_memory_bytes == 0 ? paths : std::max(paths / kSharesOfPaths, 1U);
    return unit;
}

// Beside the processor a unit of the emulated GPU takes small shares, so that the frame does not
// wait for its last ones: the unit is slower, because its rays wait for each other.
constexpr u32 kDeviceSharesOfPaths = 8;

unit::UnitConfig device_execution_config(const RenderSettings& settings,
                                         const trace::IntegratorConfig& config) {
    unit::UnitConfig unit = execution_config(settings, config);
    if (settings.has_cpu) {
        unit.least_work = std::max<u64>(unit.least_work / kDeviceSharesOfPaths, 1);
    }
    return unit;
}

// Memory of a unit per path, with lists, collections and results. Measured
// (tests/bench/notebook/scenes.md, 2026-11-22).
constexpr u64 kBytesOfPath = 3072;
// The same where so many paths wait for pages or treelets that lists and collections hardly count.
constexpr u64 kBytesOfManyPaths = 1280;

// How many of the computing threads run the emulated GPU's units.
u32 device_threads(const RenderSettings& settings) {
    const u32 threads = settings.has_cpu ? settings.thread_count / 2 : settings.thread_count;
    return std::clamp(threads, 1U, settings.egpu_units);
}

// The scene in host memory, for CPU units.
trace::FrameScene host_frame(const UnitScene& scene,
                             const RenderSettings& settings,
                             const DeviceKernels& kernels) {
    trace::FrameScene frame;
    frame.view = scene.tables->view;
    frame.bvh = scene.acceleration->view();
    frame.store = scene.acceleration->store.get();
    frame.embree = scene.embree;
    frame.heat = scene.heat;
    frame.shade = &kernels.shade;
    frame.trace = &kernels.trace;
    frame.params = scene.params;
    frame.has_aovs = film::has_surface_aov(settings.aovs);
    return frame;
}

}  // namespace

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

RenderUnits::~RenderUnits() {
    // The runner waits for lost units, which need the device's threads to finish.
    runner_.reset();
    device_.reset();
}

u64 RenderUnits::needed_bytes(const RenderSettings& settings) {
    const u64 cpu_paths =
        settings.has_cpu ? u64{settings.thread_count} * settings.integrator.path_count : 0;
    const u64 device_paths =
        settings.has_egpu ? u64{settings.egpu_units} * device_path_count(settings) : 0;
    const bool has_pages = settings.geometry_memory_bytes != 0;
    const bool has_many = device_path_count(settings) > settings.integrator.path_count;
    return cpu_paths * (has_pages ? kBytesOfManyPaths : kBytesOfPath) +
           device_paths * (has_many ? kBytesOfManyPaths : kBytesOfPath);
}

base::Result<std::unique_ptr<RenderUnits>> RenderUnits::make(const UnitScene& scene,
                                                             const RenderSettings& settings,
                                                             const FrameRuntime& runtime) {
    auto units = std::unique_ptr<RenderUnits>(new RenderUnits());
    if (const DeviceKernels* const kernels = runtime.kernels(compute::DeviceType::Cpu)) {
        units->isa_ = kernels->isa;
        units->cpu_lanes_ = kernels->shade.lane_count;
        WEFT_TRY(units->add_cpu(scene, settings, *kernels));
    }
    if (const DeviceKernels* const kernels = runtime.kernels(compute::DeviceType::Gpu)) {
        units->isa_ = kernels->isa;
        units->device_lanes_ = kernels->shade.lane_count;
        WEFT_TRY(units->add_device(scene, settings, *kernels));
    }
    units->map_workers(settings);
    return units;
}

bool RenderUnits::can_serve(const RenderSettings& made, const RenderSettings& wanted) {
    const auto is_plain = [](const RenderSettings& settings) {
        return settings.has_cpu && !settings.has_egpu && !settings.has_heat &&
               !settings.has_scene_kernels &&
               // Rays point to the pages of their scene, which another scene replaces.
               settings.geometry_memory_bytes == 0;
    };
    return is_plain(made) && is_plain(wanted) && made.thread_count == wanted.thread_count &&
           made.isa == wanted.isa &&
           film::has_surface_aov(made.aovs) == film::has_surface_aov(wanted.aovs) &&
           trace::is_made_alike(unit_config(made), unit_config(wanted));
}

void RenderUnits::aim(const UnitScene& scene,
                      const RenderSettings& settings,
                      const FrameRuntime& runtime) {
    const DeviceKernels* const kernels = runtime.kernels(compute::DeviceType::Cpu);
    ENSURE(kernels != nullptr && !device_, ==, true);
    for (const auto& integrator : integrators_) {
        integrator->aim(host_frame(scene, settings, *kernels));
    }
    runner_->set_share_work(settings.share_samples);
}

base::Status RenderUnits::add_integrator(const trace::IntegratorConfig& config,
                                         const trace::FrameScene& frame,
                                         const trace::IntegratorPlace& place) {
    integrators_.push_back(std::make_unique<trace::Integrator>(config, frame, place));
    path_count_ += config.path_count;
    if (integrators_.back()->is_allocated()) {
        return base::Done{};
    }
    return base::Error{base::ErrorKind::TooLarge,
                       fmt::format("out of memory: {} paths of a unit{} do not fit",
                                   config.path_count,
                                   place.memory ? " in --egpu-memory" : "")};
}

base::Status RenderUnits::add_cpu(const UnitScene& scene,
                                  const RenderSettings& settings,
                                  const DeviceKernels& kernels) {
    trace::FrameScene frame = host_frame(scene, settings, kernels);
    if (frame.store != nullptr && frame.store->figures().record_bytes > 0) {
        hit_tables_ = std::make_unique<trace::HitTables>(
            trace::make_hit_tables(scene.tables->meshes, settings.integrator.path_count));
        frame.hits = hit_tables_.get();
    }
    worker_count_ = settings.has_egpu
                        ? std::max(1U,
                                   settings.thread_count -
                                       std::min(settings.thread_count, device_threads(settings)))
                        : settings.thread_count;
    cpu_unit_count_ = worker_count_;
    const trace::IntegratorConfig config = unit_config(settings);
    for (u32 k = 0; k < cpu_unit_count_; ++k) {
        WEFT_TRY(add_integrator(config, frame, {}));
        cpu_units_.push_back(std::make_unique<unit::ExecutionUnit>(
            k, *integrators_.back(), execution_config(settings, config)));
    }
    return base::Done{};
}

base::Status RenderUnits::add_device(const UnitScene& scene,
                                     const RenderSettings& settings,
                                     const DeviceKernels& kernels) {
    memory_ = std::make_unique<unit::DeviceMemory>(settings.egpu_memory_bytes);
    auto copied = trace::copy_to_device(*scene.scene,
                                        *scene.tables,
                                        *scene.acceleration,
                                        *scene.filter_table,
                                        settings.integrator.treelet_bytes,
                                        *memory_);
    if (!copied.is_ok()) {
        base::Error error = copied.error();
        if (memory_->limit_bytes() < settings.egpu_memory_bytes) {
            error.sentence += fmt::format(" (the machine gave no more of the {} MiB)",
                                          settings.egpu_memory_bytes >> 20);
        }
        return error;
    }
    trace::FrameScene frame;
    frame.view = copied.value().view;
    frame.bvh.root = scene.acceleration->root;  // its nodes are read in local memory alone
    frame.treelets = copied.value().treelets;
    frame.shade = &kernels.shade;
    frame.trace = &kernels.trace;
    frame.params = scene.params;
    frame.params.filter_table = copied.value().filter_table;
    frame.heat = scene.heat;
    frame.has_aovs = film::has_surface_aov(settings.aovs);
    const trace::IntegratorConfig config = device_config(settings);
    packet_unit_ = std::make_unique<fibre::SharedPacketUnit>(trace::cluster_config(config, frame),
                                                             settings.egpu_units);
    if (!packet_unit_->is_allocated()) {
        return base::Error{base::ErrorKind::TooLarge,
                           "out of memory: the packet unit of the emulated GPU"};
    }
    std::vector<unit::UnitProgram*> programs;
    for (u32 k = 0; k < settings.egpu_units; ++k) {
        WEFT_TRY(add_integrator(config, frame, {memory_.get(), packet_unit_.get(), k}));
        programs.push_back(integrators_.back().get());
    }
    device_ = std::make_unique<unit::EmulatedGpu>(
        unit::EmulatedGpuConfig{.unit_count = settings.egpu_units,
                                .thread_count = device_threads(settings)},
        programs,
        device_execution_config(settings, config));
    if (settings.egpu_hook) {
        device_->set_hook(settings.egpu_hook);
    }
    // A packet that is delivered to a cluster wakes its unit.
    packet_unit_->set_delivered(
        [](void* device, u32 cluster) { static_cast<unit::EmulatedGpu*>(device)->wake(cluster); },
        device_.get());
    // The device's threads sleep until a doorbell rings, and run until no unit holds anything.
    device_->start();
    return base::Done{};
}

// Each worker gets one CPU unit; the device's units are dealt to the workers in turn.
void RenderUnits::map_workers(const RenderSettings& settings) {
    worker_count_ = std::max(worker_count_, 1U);
    unit::RunnerConfig config;
    config.units_of_worker.resize(worker_count_);
    std::vector<unit::ExecutionUnit*> units;
    for (u32 k = 0; k < cpu_unit_count_; ++k) {
        units.push_back(cpu_units_[k].get());
        config.units_of_worker[k].push_back(k);
    }
    for (u32 k = 0; device_ && k < settings.egpu_units; ++k) {
        units.push_back(&device_->unit(k));
        config.units_of_worker[k % worker_count_].push_back(cpu_unit_count_ + k);
    }
    config.share_work = settings.share_samples;
    config.patience = std::chrono::nanoseconds(static_cast<i64>(settings.patience_s * 1e9));
    config.on_lost = [this, hook = settings.lost_hook](u32 unit) {
        integrators_[unit]->abandon();
        if (hook) {
            hook();
        }
    };
    notes_.resize(units.size());
    for (u32 k = 0; k < notes_.size(); ++k) {
        notes_[k].worker_index = k < cpu_unit_count_ ? k : (k - cpu_unit_count_) % worker_count_;
    }
    runner_ = std::make_unique<unit::WorkRunner>(units, config);
}

const trace::ResultView& RenderUnits::results(u32 unit, u32 portion, u32 sample_count) {
    note(unit);
    return integrators_[unit]->results(portion, sample_count);
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

void RenderUnits::set_view(const shaders::CameraRecord& camera, bool has_aovs) {
    for (const auto& integrator : integrators_) {
        integrator->set_view(camera, has_aovs);
    }
}

base::Status RenderUnits::run(unit::Work& work, bool has_cpu, bool has_gpu) {
    const bool has_free_cpu = has_cpu && cpu_unit_count_ > 0;
    const bool has_free_gpu = has_gpu && cpu_unit_count_ < unit_count();
    std::vector<u32> left_out;
    for (u32 k = 0; k < unit_count() && (has_free_cpu || has_free_gpu); ++k) {
        const bool is_free = k < cpu_unit_count_ ? has_free_cpu : has_free_gpu;
        if (!is_free && runner_->detach(k)) {
            left_out.push_back(k);
        }
    }
    base::Status status = runner_->run(work);
    for (const u32 k : left_out) {
        runner_->attach(k);
    }
    note_all();
    return status;
}

// Called when no unit works, so that the notes are complete.
void RenderUnits::note_all() {
    const std::lock_guard lock(notes_mutex_);
    for (u32 k = 0; k < unit_count(); ++k) {
        UnitNote& note = notes_[k];
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

void RenderUnits::change_cpu_shade(const shaders::ShadeKernels* row) {
    for (u32 k = 0; k < cpu_unit_count_; ++k) {
        integrators_[k]->change_shade(row);
    }
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
        device.memory_limit_bytes = memory_->limit_bytes();
        device.memory_used_bytes = memory_->used_bytes();
        device.copied_in_bytes = memory_->copied_in_bytes();
        device.copied_out_bytes = memory_->copied_out_bytes();
        device.bus_ms = unit::BusModel{}.modelled_ms(device.integrator.local.bus, device.units);
    }
    set_shares(devices);
    return devices;
}

}  // namespace weft::frame
