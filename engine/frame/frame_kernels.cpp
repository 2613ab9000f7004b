#include "engine/frame/frame_kernels.h"

#include <array>
#include <optional>
#include <string_view>

#include "engine/frame/scene_shade.h"

namespace weft::frame {

namespace {

using compute::DeviceType;
using compute::KernelLibrary;
using shaders::Isa;
using shaders::ShadeKernels;
using shaders::TraceKernels;

// The kernel that can be compiled for one scene.
constexpr std::string_view kSceneKernel = "shade";

constexpr std::array<Isa, 3> kIsas = {Isa::Sse4, Isa::Avx2, Isa::Avx512};

// Calls `use` with each kernel of ShadeKernels and of TraceKernels.
template <typename Use>
void each_shade_kernel(const Use& use) {
    use("camera", &ShadeKernels::camera);
    use("shade", &ShadeKernels::shade);
    use("miss", &ShadeKernels::miss);
}

template <typename Use>
void each_trace_kernel(const Use& use) {
    use("closest_group", &TraceKernels::closest_group);
    use("any_group", &TraceKernels::any_group);
    use("closest_packet", &TraceKernels::closest_packet);
    use("any_packet", &TraceKernels::any_packet);
    use("closest_visit", &TraceKernels::closest_visit);
    use("any_visit", &TraceKernels::any_visit);
    use("closest_walk", &TraceKernels::closest_walk);
    use("any_walk", &TraceKernels::any_walk);
    use("closest_placed", &TraceKernels::closest_placed);
    use("any_placed", &TraceKernels::any_placed);
}

template <typename Row, typename Function>
void add_linked(KernelLibrary& library,
                const char* name,
                Function* Row::*field,
                DeviceType type,
                Isa isa,
                const Row* maybe_row) {
    if (!maybe_row || !(maybe_row->*field)) {
        return;
    }
    compute::ExecutableRecord record;
    record.kernel = name;
    record.type = type;
    record.instruction_set = shaders::isa_name(isa);
    const base::Status added = library.add(compute::linked_executable(record, maybe_row->*field));
    ENSURE(added.is_ok(), ==, true);
}

// Puts the best executable of a kernel into its field of the table.
template <typename Row, typename Function>
base::Status take(const KernelLibrary& library,
                  const compute::Capability& device,
                  const compute::Wish& wish,
                  const char* name,
                  Function* Row::*field,
                  Row& row,
                  DeviceKernels& kernels) {
    base::Result<compute::Loaded> loaded = library.choose(name, device, wish);
    WEFT_TRY(loaded);
    row.*field = loaded.value().executable->template as<Function>();
    kernels.held.push_back(loaded.value().executable);
    return base::Done{};
}

Isa isa_of(const std::string& name) {
    for (const Isa isa : kIsas) {
        if (name == shaders::isa_name(isa)) {
            return isa;
        }
    }
    UNREACHABLE("an executable of an instruction set that shaders does not have");
}

}  // namespace

void add_frame_kernels(KernelLibrary& library) {
    const auto declare = [&]<typename Row, typename Function>(const char* name, Function* Row::*) {
        std::optional<compute::KernelSource> source;
        if (name == kSceneKernel) {
            source = scene_shade_source();
        }
        const base::Status declared =
            library.declare({name, typeid(Function), {}, std::move(source)});
        ENSURE(declared.is_ok(), ==, true);
    };
    each_shade_kernel(declare);
    each_trace_kernel(declare);
    for (const Isa isa : kIsas) {
        each_shade_kernel([&](const char* name, auto field) {
            add_linked(library, name, field, DeviceType::Cpu, isa, shaders::shade_kernels(isa));
            add_linked(
                library, name, field, DeviceType::Gpu, isa, shaders::device_shade_kernels(isa));
        });
        each_trace_kernel([&](const char* name, auto field) {
            add_linked(library, name, field, DeviceType::Cpu, isa, shaders::trace_kernels(isa));
            add_linked(
                library, name, field, DeviceType::Gpu, isa, shaders::device_trace_kernels(isa));
        });
    }
}

base::Result<DeviceKernels> load_frame_kernels(const KernelLibrary& library,
                                               const compute::Capability& device,
                                               const compute::Wish& wish) {
    DeviceKernels kernels;
    base::Status status = base::Done{};
    each_shade_kernel([&](const char* name, auto field) {
        if (status.is_ok()) {
            status = take(library, device, wish, name, field, kernels.shade, kernels);
        }
    });
    each_trace_kernel([&](const char* name, auto field) {
        if (status.is_ok()) {
            status = take(library, device, wish, name, field, kernels.trace, kernels);
        }
    });
    WEFT_TRY(status);
    kernels.isa = isa_of(kernels.held.front()->record().instruction_set);
    kernels.shade.isa = kernels.isa;
    const ShadeKernels* const row = device.type == DeviceType::Cpu
                                        ? shaders::shade_kernels(kernels.isa)
                                        : shaders::device_shade_kernels(kernels.isa);
    kernels.shade.lane_count = row->lane_count;
    return kernels;
}

}  // namespace weft::frame
