#include "engine/frame/render_units.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/frame/film_adder.h"

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

// Tables of surfaces in pages, for units with so many paths; null where there are none.
std::unique_ptr<trace::HitTables> hit_tables(const UnitScene& scene, u32 path_count) {
    const pages::PageStore* const store = scene.acceleration->store.get();
    if (store == nullptr || store->figures().record_bytes == 0) {
        return nullptr;
    }
    return std::make_unique<trace::HitTables>(
        trace::make_hit_tables(scene.tables->meshes, path_count));
}

// What paths keep for a scene.
trace::PathLayers layers_of(const trace::SceneTables& tables, const RenderSettings& settings) {
    trace::PathLayers layers = path_layers(settings.aovs);
    layers.has_boundaries = tables.has_boundaries();
    layers.has_tints = tables.has_tints();
    layers.has_light_tree = tables.has_light_tree();
    layers.is_regularized = is_regularized(settings);
    layers.is_guided = settings.guide != nullptr;
    layers.is_pilot = settings.maybe_guide_log != nullptr;
    return layers;
}

// What units of a device read, as its kernel objects brought it.
trace::FrameScene brought_scene(const UnitScene& scene,
                                const RenderSettings& settings,
                                const BroughtFrame& brought) {
    trace::FrameScene frame;
    frame.view = brought.view;
    frame.bvh = brought.bvh;
    frame.treelets = brought.treelets;
    frame.records = brought.records;
    frame.store = scene.acceleration->store.get();
    frame.embree = scene.embree;
    frame.heat = scene.heat;
    frame.shade = &brought.kernels.shade;
    frame.trace = &brought.kernels.trace;
    frame.params = scene.params;
    frame.media = scene.media;
    frame.params.filter_table = brought.filter_table;
    frame.layers = layers_of(*scene.tables, settings);
    return frame;
}

base::Error no_room_for_paths(const trace::IntegratorConfig& config, bool is_device) {
    return {base::ErrorKind::TooLarge,
            fmt::format("out of memory: {} paths of a unit{} do not fit",
                        config.path_count,
                        is_device ? " in --egpu-memory" : "")};
}

// Binds a scene to the kernel objects of a device, with memory for its units.
base::Status bring_scene(FrameObjects& objects,
                         const UnitScene& scene,
                         const RenderSettings& settings) {
    WEFT_TRY(objects.lend_scene(scene, settings.integrator.treelet_bytes));
    return objects.bring(scene);
}

// What a unit takes for parts of the light (engine/trace/light_split.h) and for what paths of a
// pilot tell.
u64 told_bytes(const trace::IntegratorConfig& config, trace::PathLayers layers) {
    const trace::PathLayers told{.has_lobes = layers.has_lobes,
                                 .light_groups = layers.light_groups,
                                 .is_pilot = layers.is_pilot};
    const u32 slot_bytes =
        trace::PathSlots::bytes_per_path(told) - trace::PathSlots::bytes_per_path({});
    const u64 result_bytes = trace::ResultSlots::needed_bytes(config.share_samples, told) -
                             trace::ResultSlots::needed_bytes(config.share_samples, {});
    return config.portions * result_bytes + u64{config.path_count} * slot_bytes;
}

}  // namespace

RenderUnits::~RenderUnits() {
    // The runner waits for lost units, which need the device's threads to finish, and these need to
    // hear of pages.
    runner_.reset();
    if (told_store_) {
        told_store_->stop_telling(listener_);
    }
    device_.reset();
    // Paths of a held frame leave the packet unit while all clusters, which their packets may
    // concern, are there. Nobody is left to wake.
    if (packet_unit_) {
        packet_unit_->set_delivered(nullptr, nullptr);
        for (const auto& integrator : integrators_) {
            integrator->abandon();
        }
    }
}

u64 RenderUnits::needed_bytes(const trace::SceneTables& tables, const RenderSettings& settings) {
    const u64 cpu_paths =
        settings.has_cpu ? u64{settings.thread_count} * settings.integrator.path_count : 0;
    const u64 device_paths =
        settings.has_egpu ? u64{settings.egpu_units} * device_path_count(settings) : 0;
    const bool has_pages = settings.geometry_memory_bytes != 0;
    const bool has_many = device_path_count(settings) > settings.integrator.path_count;
    const trace::PathLayers layers = layers_of(tables, settings);
    const u64 cpu_told =
        settings.has_cpu ? settings.thread_count * told_bytes(unit_config(settings), layers) : 0;
    const u64 device_told =
        settings.has_egpu ? settings.egpu_units * told_bytes(device_config(settings), layers) : 0;
    const u64 media_bytes = tables.has_boundaries() ? sizeof(shaders::ShadowMedia) : 0;
    return (cpu_paths + device_paths) * media_bytes +
           cpu_paths * (has_pages ? kBytesOfManyPaths : kBytesOfPath) +
           device_paths * (has_many ? kBytesOfManyPaths : kBytesOfPath) + cpu_told + device_told;
}

base::Result<std::unique_ptr<RenderUnits>> RenderUnits::make(const UnitScene& scene,
                                                             const RenderSettings& settings,
                                                             const FrameRuntime& runtime) {
    auto units = std::unique_ptr<RenderUnits>(new RenderUnits());
    units->has_boundaries_ = scene.tables->has_boundaries();
    units->has_tints_ = scene.tables->has_tints();
    units->has_light_tree_ = scene.tables->has_light_tree();
    if (const DeviceKernels* const kernels = runtime.kernels(compute::DeviceType::Cpu)) {
        units->isa_ = kernels->isa;
        units->cpu_lanes_ = kernels->shade.lane_count;
        WEFT_TRY(units->add_cpu(scene, settings, runtime));
    }
    if (const DeviceKernels* const kernels = runtime.kernels(compute::DeviceType::Gpu)) {
        units->isa_ = kernels->isa;
        units->device_lanes_ = kernels->shade.lane_count;
        WEFT_TRY(units->add_device(scene, settings, runtime));
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
           made.isa == wanted.isa && path_layers(made.aovs) == path_layers(wanted.aovs) &&
           is_regularized(made) == is_regularized(wanted) &&
           (made.guide != nullptr) == (wanted.guide != nullptr) &&
           trace::is_made_alike(unit_config(made), unit_config(wanted));
}

bool RenderUnits::fits(const trace::SceneTables& tables) const {
    return has_boundaries_ == tables.has_boundaries() && has_tints_ == tables.has_tints() &&
           has_light_tree_ == tables.has_light_tree();
}

base::Status RenderUnits::aim(const UnitScene& scene, const RenderSettings& settings) {
    ENSURE(cpu_objects_ && !device_, ==, true);
    WEFT_TRY(bring_scene(*cpu_objects_, scene, settings));
    for (const auto& integrator : integrators_) {
        integrator->aim(brought_scene(scene, settings, cpu_objects_->frame()));
    }
    runner_->set_share_work(settings.share_samples);
    return base::Done{};
}

std::vector<compute::KernelHandle> RenderUnits::kernel_objects() const {
    std::vector<compute::KernelHandle> all;
    for (const auto& objects : {cpu_objects_.get(), device_objects_.get()}) {
        if (objects) {
            all.insert(all.end(), objects->kernels().begin(), objects->kernels().end());
        }
    }
    return all;
}

base::Status RenderUnits::add_integrator(const trace::IntegratorConfig& config,
                                         const trace::FrameScene& frame,
                                         const trace::IntegratorPlace& place) {
    integrators_.push_back(std::make_unique<trace::Integrator>(config, frame, place));
    path_count_ += config.path_count;
    if (integrators_.back()->is_allocated()) {
        return base::Done{};
    }
    return no_room_for_paths(config, place.packet_unit != nullptr);
}

base::Status RenderUnits::add_cpu(const UnitScene& scene,
                                  const RenderSettings& settings,
                                  const FrameRuntime& runtime) {
    auto objects = FrameObjects::make(runtime.runtime(),
                                      runtime.context(),
                                      runtime.device(compute::DeviceType::Cpu),
                                      runtime.wish());
    WEFT_TRY(objects);
    cpu_objects_ = std::move(objects.value());
    worker_count_ = settings.has_egpu
                        ? std::max(1U,
                                   settings.thread_count -
                                       std::min(settings.thread_count, device_threads(settings)))
                        : settings.thread_count;
    cpu_unit_count_ = worker_count_;
    const trace::IntegratorConfig config = unit_config(settings);
    hit_tables_ = hit_tables(scene, config.path_count);
    trace::FrameScene sizes;
    sizes.layers = layers_of(*scene.tables, settings);
    sizes.hits = hit_tables_.get();
    const trace::UnitBytes bytes = trace::unit_bytes(config, sizes);
    if (!cpu_objects_->take_units(cpu_unit_count_, bytes.paths, bytes.results).is_ok()) {
        return no_room_for_paths(config, false);
    }
    WEFT_TRY(bring_scene(*cpu_objects_, scene, settings));
    trace::FrameScene frame = brought_scene(scene, settings, cpu_objects_->frame());
    frame.hits = hit_tables_.get();
    for (u32 k = 0; k < cpu_unit_count_; ++k) {
        trace::IntegratorPlace place;
        place.paths = cpu_objects_->paths(k);
        place.results = cpu_objects_->results(k);
        WEFT_TRY(add_integrator(config, frame, place));
        cpu_units_.push_back(std::make_unique<unit::ExecutionUnit>(
            k, *integrators_.back(), execution_config(settings, config)));
    }
    return base::Done{};
}

base::Status RenderUnits::add_device(const UnitScene& scene,
                                     const RenderSettings& settings,
                                     const FrameRuntime& runtime) {
    auto objects = FrameObjects::make(runtime.runtime(),
                                      runtime.context(),
                                      runtime.device(compute::DeviceType::Gpu),
                                      runtime.wish());
    WEFT_TRY(objects);
    device_objects_ = std::move(objects.value());
    const compute::MemoryPort& memory = device_objects_->device()->memory();
    copied_in_before_ = memory.copied_in_bytes();
    copied_out_before_ = memory.copied_out_bytes();
    // Copy the scene.
    base::Status lent = device_objects_->lend_scene(scene, settings.integrator.treelet_bytes);
    if (!lent.is_ok()) {
        base::Error error = lent.error();
        if (memory.limit_bytes() < settings.egpu_memory_bytes) {
            error.sentence += fmt::format(" (the machine gave no more of the {} MiB)",
                                          settings.egpu_memory_bytes >> 20);
        }
        return error;
    }
    // Take the memory of paths and results, and bind all of it.
    const trace::IntegratorConfig config = device_config(settings);
    device_hit_tables_ = hit_tables(scene, config.path_count);
    trace::FrameScene sizes;
    sizes.layers = layers_of(*scene.tables, settings);
    sizes.hits = device_hit_tables_.get();
    const trace::UnitBytes bytes = trace::unit_bytes(config, sizes);
    if (!device_objects_->take_units(settings.egpu_units, bytes.paths, bytes.results).is_ok()) {
        return no_room_for_paths(config, true);
    }
    WEFT_TRY(device_objects_->bring(scene));
    trace::FrameScene frame = brought_scene(scene, settings, device_objects_->frame());
    frame.embree = nullptr;
    frame.texel_words = scene.scene->texels.size();
    frame.hits = device_hit_tables_.get();
    if (frame.store != nullptr) {
        desk_ = std::make_unique<trace::PageDesk>(*frame.store, settings.egpu_units);
        frame.desk = desk_.get();
    }
    WEFT_TRY(add_device_units(settings, frame));
    tell_device_of_pages(scene);
    return base::Done{};
}

// Units of the device that wait for a page sleep until the store has news.
void RenderUnits::tell_device_of_pages(const UnitScene& scene) {
    if (!scene.acceleration->store) {
        return;
    }
    told_store_ = scene.acceleration->store;
    listener_ = told_store_->tell_of_changes([device = device_.get()] {
        for (u32 k = 0; k < device->unit_count(); ++k) {
            device->wake(k);
        }
    });
}

base::Status RenderUnits::add_device_units(const RenderSettings& settings,
                                           const trace::FrameScene& frame) {
    const trace::IntegratorConfig config = device_config(settings);
    packet_unit_ = std::make_unique<fibre::SharedPacketUnit>(trace::cluster_config(config, frame),
                                                             settings.egpu_units);
    if (!packet_unit_->is_allocated()) {
        return base::Error{base::ErrorKind::TooLarge,
                           "out of memory: the packet unit of the emulated GPU"};
    }
    std::vector<unit::UnitProgram*> programs;
    for (u32 k = 0; k < settings.egpu_units; ++k) {
        const trace::IntegratorPlace place{
            device_objects_->paths(k),
            device_objects_->results(k),
            [objects = device_objects_.get()](void* host, const void* device, u64 bytes) {
                objects->copy_out(host, device, bytes);
            },
            packet_unit_.get(),
            k};
        WEFT_TRY(add_integrator(config, frame, place));
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
    for (const auto& integrator : integrators_) {
        integrator->rest();
    }
    if (desk_) {
        desk_->rest();
    }
    return status;
}

void RenderUnits::change_cpu_shade(const shaders::ShadeKernels* row) {
    for (u32 k = 0; k < cpu_unit_count_; ++k) {
        integrators_[k]->change_shade(row);
    }
}

}  // namespace weft::frame
