#include "engine/frame/frame_runtime.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "engine/frame/film_origin.h"
#include "engine/frame/scene_shade.h"

namespace weft::frame {

namespace {

using compute::Capability;
using compute::DeviceType;

// The fibre engine's groups are at least as wide as the narrowest supported registers.
constexpr u32 kLeastLanes = 4;
// The least memory of a path: state, results and fibre storage.
constexpr u64 kBytesPerPath = 512;

// Of programs beside frames: any frame goes first.
constexpr i32 kBesidePriority = -1;

}  // namespace

compute::Wish frame_wish(const RenderSettings& settings, const std::string& arithmetic_class) {
    compute::Wish wish;
    wish.arithmetic_class = arithmetic_class;
    wish.instruction_set = settings.isa ? shaders::isa_name(*settings.isa) : "";
    return wish;
}

compute::Requirements frame_requirements(const RenderSettings& settings) {
    compute::Requirements needs;
    if (settings.has_cpu && !settings.chooses_device) {
        needs.names.emplace_back("cpu");
    }
    if (settings.has_egpu && !settings.chooses_device) {
        needs.names.emplace_back("egpu");
    }
    // Embree is the host's alone, and with pages the host needs the smallest budget.
    if (settings.chooses_device && (settings.integrator.mode == trace::SchedulerMode::Embree ||
                                    settings.geometry_memory_bytes != 0)) {
        needs.type = DeviceType::Cpu;
    }
    // The arithmetic class decides the bits: the best that the processor has, unless it is forced.
    const shaders::Isa isa = settings.isa.value_or(shaders::best_isa());
    needs.arithmetic_class = arithmetic_class(isa);
    needs.instruction_set = settings.isa ? shaders::isa_name(isa) : "";
    needs.least_lanes = kLeastLanes;
    needs.least_memory_bytes =
        u64{settings.has_egpu ? device_path_count(settings) : settings.integrator.path_count} *
        kBytesPerPath;
    needs.may_split = true;
    return needs;
}

FrameRuntime::FrameRuntime(const RenderSettings& settings)
    : shared_(SharedRuntime::take()),
      gpu_(shared_->emulated_gpu({settings.egpu_units,
                                  settings.egpu_memory_bytes,
                                  compute::cpu_capability().local_memory_bytes})),
      urgency_(settings.urgency),
      notes_(std::make_shared<Notes>()) {
    notes_->tell = settings.on_note;
}

// Handles that name nothing are refused, and nothing happens.
FrameRuntime::~FrameRuntime() {
    const std::lock_guard lock(notes_->mutex);
    notes_->tell = {};
    static_cast<void>(runtime().release(former_).is_ok());
    static_cast<void>(runtime().release(context_).is_ok());
}

BesideProgram::~BesideProgram() {
    static_cast<void>(shared_->runtime().wait(event_).is_ok());
    static_cast<void>(shared_->runtime().release(event_).is_ok());
}

// The runtime's sentence, with the option that it came from.
base::Error FrameRuntime::refusal(const RenderSettings& settings, const base::Error& why) const {
    const shaders::Isa isa = settings.isa.value_or(shaders::best_isa());
    if (settings.isa && !shaders::is_supported(isa)) {
        return {base::ErrorKind::Usage,
                fmt::format("--isa {}: this processor does not have it; the best it has is {}",
                            shaders::isa_name(isa),
                            shaders::isa_name(shaders::best_isa()))};
    }
    if (settings.has_egpu && isa == shaders::Isa::Sse4) {
        return {base::ErrorKind::Usage,
                fmt::format("--device egpu: the emulated GPU computes in the class fma, expected "
                            "--isa avx2 or avx512, found {}",
                            shaders::isa_name(isa))};
    }
    const u64 least = frame_requirements(settings).least_memory_bytes;
    if (settings.has_egpu && settings.egpu_memory_bytes < least) {
        return {base::ErrorKind::TooLarge,
                fmt::format("--egpu-memory: the paths of one unit need {} KiB on the device, "
                            "which has {} KiB",
                            least >> 10,
                            settings.egpu_memory_bytes >> 10)};
    }
    return {base::ErrorKind::Usage, "--device: " + why.sentence};
}

base::Status FrameRuntime::choose(const RenderSettings& settings) {
    if (settings.has_egpu && settings.integrator.mode == trace::SchedulerMode::Embree) {
        return base::Error{
            base::ErrorKind::Usage,
            "--scheduler embree: Embree runs on the CPU only, expected --device cpu"};
    }
    const auto best = match(settings);
    WEFT_TRY(best);
    const auto context = runtime().create_context(best.value().handle);
    WEFT_TRY(context);
    static_cast<void>(runtime().release(context_).is_ok());
    context_ = context.value();
    wish_ = frame_wish(settings, best.value().arithmetic_class);
    const auto devices = runtime().context_devices(context_);
    WEFT_TRY(devices);
    chosen_.clear();
    for (const compute::DevicePointer& device : devices.value()) {
        auto loaded = load_frame_kernels(runtime().library(), device->capability(), wish_);
        if (!loaded.is_ok()) {
            return refusal(settings, loaded.error());
        }
        chosen_.push_back({device, std::move(loaded.value())});
    }
    return base::Done{};
}

// The best group: a single device where the settings name none.
base::Result<compute::MatchedDevice> FrameRuntime::match(const RenderSettings& settings) {
    const auto matched =
        runtime().match(frame_requirements(settings), shared_->others_than(gpu_.get()));
    if (!matched.is_ok()) {
        return refusal(settings, matched.error());
    }
    for (const compute::MatchedDevice& group : matched.value()) {
        if (group.names.size() == 1 || !settings.chooses_device) {
            return group;
        }
    }
    return matched.value().front();
}

const DeviceKernels* FrameRuntime::kernels(DeviceType type) const {
    for (const Chosen& chosen : chosen_) {
        if (chosen.device->capability().type == type) {
            return &chosen.kernels;
        }
    }
    return nullptr;
}

const compute::DevicePointer& FrameRuntime::device(DeviceType type) const {
    const auto found = std::find_if(chosen_.begin(), chosen_.end(), [&](const Chosen& chosen) {
        return chosen.device->capability().type == type;
    });
    ENSURE((found != chosen_.end()), ==, true);
    return found->device;
}

void FrameRuntime::set_drawing(bool is_drawing) {
    for (const compute::ListedDevice& device : runtime().devices()) {
        if (device.capability.type == DeviceType::Gpu) {
            // Another renderer may have detached it meanwhile.
            static_cast<void>(runtime().set_drawing(device.handle, is_drawing).is_ok());
        }
    }
}

void FrameRuntime::specialise(const trace::SceneTables& tables) {
    for (const Chosen& chosen : chosen_) {
        if (chosen.device->capability().type == DeviceType::Cpu) {
            compute::Wish wish;
            wish.instruction_set = shaders::isa_name(chosen.kernels.isa);
            wish.options = scene_shade_options(tables);
            later_ = runtime().library().load_later(
                "shade", chosen.device->capability(), wish, [notes = notes_](const auto& line) {
                    const std::lock_guard lock(notes->mutex);
                    if (notes->tell) {
                        notes->tell(line);
                    }
                });
        }
    }
}

const shaders::ShadeKernels* FrameRuntime::take_specialised() {
    if (!later_ || !later_->is_done() || is_taken_.exchange(true, std::memory_order_relaxed)) {
        return nullptr;
    }
    const base::Result<compute::Loaded>& loaded = later_->result();
    if (!loaded.is_ok() || !loaded.value().is_optimal) {
        return nullptr;
    }
    using Shade = std::remove_pointer_t<decltype(shaders::ShadeKernels::shade)>;
    const DeviceKernels* const generic = kernels(DeviceType::Cpu);
    if (!generic) {
        return nullptr;
    }
    specialised_ = generic->shade;
    specialised_.shade = loaded.value().executable->as<Shade>();
    is_specialised_.store(true, std::memory_order_release);  // pairs with shade_story
    return &specialised_;
}

std::string FrameRuntime::shade_story() const {
    if (!is_specialised_.load(std::memory_order_acquire)) {
        return "generic";
    }
    const compute::ExecutableRecord& record = later_->result().value().executable->record();
    return fmt::format("{} {}", compute::origin_name(record.origin), record.options);
}

compute::LaunchConfig FrameRuntime::launch() const {
    compute::LaunchConfig launch;
    launch.priority = urgency_;
    if (!(former_ == compute::EventHandle{})) {
        launch.follows.push_back(former_);
    }
    return launch;
}

// The next program follows this one, unless it failed.
void FrameRuntime::end_with(const base::Status& status) {
    static_cast<void>(runtime().release(former_).is_ok());
    former_ = std::exchange(frame_, {});
    if (!status.is_ok()) {
        static_cast<void>(runtime().release(std::exchange(former_, {})).is_ok());
    }
}

base::Status FrameRuntime::make_ready(const std::function<base::Status()>& make) {
    // What the host cannot give arrives here as it was thrown.
    std::exception_ptr thrown;
    const auto program = [&](std::span<const compute::DevicePointer>) -> base::Status {
        try {
            return make();
        } catch (...) {
            thrown = std::current_exception();
            return base::Error{base::ErrorKind::Render, "the units could not be made"};
        }
    };
    compute::LaunchConfig on_host = launch();
    on_host.needs_device = false;
    const auto event = runtime().enqueue_program(context_, "units", program, on_host);
    WEFT_TRY(event);
    frame_ = event.value();
    base::Status status = runtime().wait(frame_);
    end_with(status);
    if (thrown) {
        std::rethrow_exception(thrown);
    }
    return status;
}

base::Status FrameRuntime::start(std::function<base::Status(bool has_cpu, bool has_gpu)> work,
                                 const std::vector<compute::KernelHandle>& calls) {
    auto program = [work = std::move(work)](std::span<const compute::DevicePointer> devices) {
        bool has_cpu = false;
        bool has_gpu = false;
        for (const compute::DevicePointer& device : devices) {
            (device->capability().type == DeviceType::Cpu ? has_cpu : has_gpu) = true;
        }
        return work(has_cpu, has_gpu);
    };
    compute::LaunchConfig launched = launch();
    launched.calls = calls;
    const auto frame = runtime().enqueue_program(context_, "frame", std::move(program), launched);
    WEFT_TRY(frame);
    frame_ = frame.value();
    return base::Done{};
}

bool FrameRuntime::has_ended() const {
    const auto event = runtime().look(frame_);
    return !event.is_ok() || event.value().has_ended();
}

base::Status FrameRuntime::wait() {
    base::Status status = runtime().wait(frame_);
    end_with(status);
    return status;
}

std::shared_ptr<const BesideProgram> FrameRuntime::run_beside(
    const std::string& name, const std::function<void()>& work) const {
    compute::LaunchConfig on_host = launch();
    on_host.priority = kBesidePriority;
    on_host.needs_device = false;
    const auto program = [work](std::span<const compute::DevicePointer>) -> base::Status {
        work();
        return base::Done{};
    };
    const auto event = runtime().enqueue_program(context_, name, program, on_host);
    if (!event.is_ok()) {
        work();
        return nullptr;
    }
    return std::make_shared<const BesideProgram>(shared_, event.value());
}

}  // namespace weft::frame
