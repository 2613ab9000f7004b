#include "engine/frame/frame_runtime.h"

#include <fmt/format.h>
#include <type_traits>

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

compute::Wish frame_wish(const RenderSettings& settings, const std::string& arithmetic_class) {
    compute::Wish wish;
    wish.arithmetic_class = arithmetic_class;
    wish.instruction_set = settings.isa ? shaders::isa_name(*settings.isa) : "";
    return wish;
}

std::string mebibytes(u64 bytes) {
    return fmt::format("{} MiB", bytes >> 20);
}

// The record of a device, a line per property.
std::string record_text(const Capability& device) {
    std::string sets;
    for (const compute::InstructionSet& set : device.instruction_sets) {
        sets += fmt::format("{}{} ({} bits, {} lanes, class {})",
                            sets.empty() ? "" : ", ",
                            set.name,
                            set.simd_bits,
                            set.lanes,
                            set.arithmetic_class);
    }
    std::string extensions;
    for (const std::string& extension : device.extensions) {
        extensions += (extensions.empty() ? "" : ", ") + extension;
    }
    return fmt::format(
        "device {}\n"
        "  type              {}{}\n"
        "  vendor            {}\n"
        "  version           {}\n"
        "  units             {}\n"
        "  instruction sets  {}\n"
        "  memory            {}, {} KiB local to a unit, cache {}\n"
        "  has               {}{}\n"
        "  extensions        {}\n",
        device.name,
        compute::type_name(device.type),
        device.is_emulated ? ", emulated" : "",
        device.vendor,
        device.version,
        device.units,
        sets,
        mebibytes(device.memory_bytes),
        device.local_memory_bytes >> 10,
        compute::cache_name(device.cache),
        device.has_double ? "double precision" : "single precision only",
        device.has_images ? ", images" : "",
        extensions);
}

}  // namespace

compute::Requirements frame_requirements(const RenderSettings& settings) {
    compute::Requirements needs;
    if (settings.has_cpu) {
        needs.names.emplace_back("cpu");
    }
    if (settings.has_egpu) {
        needs.names.emplace_back("egpu");
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
    // One thread is enough, because a frame is all that runs.
    : runtime_([&settings] {
          compute::RuntimeConfig config;
          config.queue.thread_count = 1;
          config.log = settings.on_note;
          return config;
      }()) {
    add_frame_kernels(runtime_.library());
    Capability cpu = compute::cpu_capability();
    if (settings.thread_count != 0) {
        cpu.units = settings.thread_count;
    }
    const Capability gpu = compute::emulated_gpu_capability(
        {settings.egpu_units, settings.egpu_memory_bytes, cpu.local_memory_bytes});
    for (const Capability& device : {cpu, gpu}) {
        if (!device.instruction_sets.empty()) {
            const auto attached = runtime_.attach(std::make_shared<compute::Device>(device));
            ENSURE(attached.is_ok(), ==, true);
        }
    }
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
    const auto matched = runtime_.match(frame_requirements(settings));
    if (!matched.is_ok()) {
        return refusal(settings, matched.error());
    }
    const compute::MatchedDevice& best = matched.value().front();
    const auto context = runtime_.create_context(best.handle);
    WEFT_TRY(context);
    context_ = context.value();
    const auto devices = runtime_.context_devices(context_);
    WEFT_TRY(devices);
    chosen_.clear();
    for (const compute::DevicePointer& device : devices.value()) {
        auto loaded = load_frame_kernels(
            runtime_.library(), device->capability(), frame_wish(settings, best.arithmetic_class));
        if (!loaded.is_ok()) {
            return refusal(settings, loaded.error());
        }
        chosen_.push_back({device, std::move(loaded.value())});
    }
    return base::Done{};
}

const DeviceKernels* FrameRuntime::kernels(DeviceType type) const {
    for (const Chosen& chosen : chosen_) {
        if (chosen.device->capability().type == type) {
            return &chosen.kernels;
        }
    }
    return nullptr;
}

void FrameRuntime::set_drawing(bool is_drawing) {
    for (const compute::ListedDevice& device : runtime_.devices()) {
        if (device.capability.type == DeviceType::Gpu) {
            const base::Status told = runtime_.set_drawing(device.handle, is_drawing);
            ENSURE(told.is_ok(), ==, true);
        }
    }
}

void FrameRuntime::specialise(const trace::SceneTables& tables) {
    for (const Chosen& chosen : chosen_) {
        if (chosen.device->capability().type == DeviceType::Cpu) {
            compute::Wish wish;
            wish.instruction_set = shaders::isa_name(chosen.kernels.isa);
            wish.options = scene_shade_options(tables);
            later_ = runtime_.library().load_later("shade", chosen.device->capability(), wish);
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

base::Status FrameRuntime::start(std::function<base::Status(bool has_cpu, bool has_gpu)> work) {
    auto program = [work = std::move(work)](std::span<const compute::DevicePointer> devices) {
        bool has_cpu = false;
        bool has_gpu = false;
        for (const compute::DevicePointer& device : devices) {
            (device->capability().type == DeviceType::Cpu ? has_cpu : has_gpu) = true;
        }
        return work(has_cpu, has_gpu);
    };
    const auto frame = runtime_.enqueue_program(context_, "frame", std::move(program), {});
    WEFT_TRY(frame);
    frame_ = frame.value();
    return base::Done{};
}

bool FrameRuntime::has_ended() const {
    const auto event = runtime_.look(frame_);
    return !event.is_ok() || event.value().has_ended();
}

base::Status FrameRuntime::wait() {
    base::Status status = runtime_.wait(frame_);
    static_cast<void>(runtime_.release(frame_).is_ok());
    return status;
}

std::string FrameRuntime::report(const RenderSettings& settings) {
    const compute::Requirements needs = frame_requirements(settings);
    compute::Requirements alone = needs;
    alone.names.clear();
    const compute::Wish wish = frame_wish(settings, needs.arithmetic_class);
    std::string text;
    for (const compute::ListedDevice& device : runtime_.devices()) {
        const compute::Verdict verdict = compute::judge(alone, device.capability);
        text += record_text(device.capability);
        text += fmt::format("  frame             {}: {}\n",
                            verdict.is_match ? fmt::format("score {:.4g}", verdict.score) : "no",
                            verdict.reason);
        for (const std::string& kernel : runtime_.library().kernel_names()) {
            const auto loaded = runtime_.library().choose(kernel, device.capability, wish);
            text +=
                loaded.is_ok()
                    ? fmt::format("  kernel {:<16} {} ({}): {}\n",
                                  kernel,
                                  loaded.value().executable->record().instruction_set,
                                  compute::origin_name(loaded.value().executable->record().origin),
                                  loaded.value().reason)
                    : fmt::format("  kernel {:<16} none: {}\n", kernel, loaded.error().sentence);
        }
        text += "\n";
    }
    const auto matched = runtime_.match(alone);
    if (!matched.is_ok()) {
        return text + "frames cannot run: " + refusal(settings, matched.error()).sentence + "\n";
    }
    text += "frames run on, best first:\n";
    for (const compute::MatchedDevice& match : matched.value()) {
        std::string names;
        for (const std::string& name : match.names) {
            names += (names.empty() ? "" : "+") + name;
        }
        text += fmt::format("  {:<10} score {:.4g}, class {}: {}\n",
                            names,
                            match.score,
                            match.arithmetic_class,
                            match.reason);
    }
    return text;
}

}  // namespace weft::frame
