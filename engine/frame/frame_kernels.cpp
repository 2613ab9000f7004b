#include "engine/frame/frame_kernels.h"

#include <array>
#include <optional>
#include <string_view>

#include "engine/frame/scene_shade.h"
#include "engine/trace/device_scene.h"
#include "shaders/traverse/bvh_view.h"

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
    use("closest_wide", &TraceKernels::closest_wide);
    use("closest_visit", &TraceKernels::closest_visit);
    use("any_visit", &TraceKernels::any_visit);
    use("closest_walk", &TraceKernels::closest_walk);
    use("any_walk", &TraceKernels::any_walk);
    use("closest_placed", &TraceKernels::closest_placed);
    use("any_placed", &TraceKernels::any_placed);
}

// The flags that linked kernels were compiled with (CMakeLists.txt).
std::string linked_flags() {
    return "compiler " __VERSION__ ", " WEFT_KERNEL_FLAGS;
}

// Linked kernels are as old as the program.
std::string linked_time() {
    static const std::string time = compute::written_time("/proc/self/exe");
    return time;
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
    record.flags = linked_flags();
    record.build_time = linked_time();
    const base::Status added = library.add(compute::linked_executable(record, maybe_row->*field));
    ENSURE(added.is_ok(), ==, true);
}

compute::Parameter buffer_of(const char* name, u32 element_bytes, compute::Access access) {
    return {name, compute::ArgumentType::Buffer, element_bytes, access, 0};
}

// What a kernel reads and writes, as its buffers.
std::vector<compute::Parameter> parameters_of(std::string_view kernel) {
    const bool is_camera = kernel == "camera";
    const u32 reader = is_camera           ? 0
                       : kernel == "shade" ? trace::kReadByShade
                       : kernel == "miss"  ? trace::kReadByMiss
                                           : trace::kReadByTrace;
    std::vector<compute::Parameter> parameters = {
        buffer_of(kPathsParameter, 0, compute::Access::InOut)};
    if (is_camera) {
        parameters.push_back(buffer_of(kFilterParameter, sizeof(float), compute::Access::In));
    }
    for (const trace::SceneArray& array : trace::scene_arrays()) {
        if ((array.readers & reader) != 0) {
            parameters.push_back(buffer_of(array.name, array.element_bytes, compute::Access::In));
            parameters.back().type =
                array.is_image ? compute::ArgumentType::Image : compute::ArgumentType::Buffer;
        }
    }
    if (reader == trace::kReadByTrace) {
        parameters.push_back(buffer_of(kTreeParameter, 0, compute::Access::In));
        parameters.push_back(buffer_of(kTreePartsParameter, 0, compute::Access::In));
        parameters.push_back(
            buffer_of(kPlacementsParameter, sizeof(shaders::Placement), compute::Access::In));
        parameters.push_back(
            buffer_of(kPageNodesParameter, sizeof(shaders::BvhNode), compute::Access::In));
        parameters.push_back(
            buffer_of(kPageBlocksParameter, sizeof(shaders::LeafBlock), compute::Access::In));
    }
    if (reader == trace::kReadByShade) {
        parameters.push_back(buffer_of(kPageRecordsParameter, 1, compute::Access::In));
        parameters.push_back(
            buffer_of(kGuideSlotsParameter, sizeof(shaders::GuideSlot), compute::Access::In));
        parameters.push_back(
            buffer_of(kGuideTablesParameter, sizeof(shaders::GuideTable), compute::Access::In));
    }
    return parameters;
}

// Puts the executable of a kernel into its field of the table.
template <typename Row, typename Function, typename Find>
base::Status take(
    const Find& find, const char* name, Function* Row::*field, Row& row, DeviceKernels& kernels) {
    base::Result<compute::ExecutablePointer> found = find(name);
    WEFT_TRY(found);
    row.*field = found.value()->template as<Function>();
    kernels.held.push_back(found.value());
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
            library.declare({name, typeid(Function), parameters_of(name), std::move(source)});
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

std::vector<std::string> frame_kernel_names() {
    std::vector<std::string> names;
    const auto add = [&names](const char* name, auto) { names.emplace_back(name); };
    each_shade_kernel(add);
    each_trace_kernel(add);
    return names;
}

base::Result<DeviceKernels> frame_kernels(
    DeviceType type,
    const std::function<base::Result<compute::ExecutablePointer>(const char* kernel)>& find) {
    DeviceKernels kernels;
    base::Status status = base::Done{};
    each_shade_kernel([&](const char* name, auto field) {
        if (status.is_ok()) {
            status = take(find, name, field, kernels.shade, kernels);
        }
    });
    each_trace_kernel([&](const char* name, auto field) {
        if (status.is_ok()) {
            status = take(find, name, field, kernels.trace, kernels);
        }
    });
    WEFT_TRY(status);
    kernels.isa = isa_of(kernels.held.front()->record().instruction_set);
    kernels.shade.isa = kernels.isa;
    const ShadeKernels* const row = type == DeviceType::Cpu
                                        ? shaders::shade_kernels(kernels.isa)
                                        : shaders::device_shade_kernels(kernels.isa);
    kernels.shade.lane_count = row->lane_count;
    return kernels;
}

base::Result<DeviceKernels> load_frame_kernels(const KernelLibrary& library,
                                               const compute::Capability& device,
                                               const compute::Wish& wish) {
    return frame_kernels(
        device.type, [&](const char* name) -> base::Result<compute::ExecutablePointer> {
            const base::Result<compute::Loaded> loaded = library.choose(name, device, wish);
            WEFT_TRY(loaded);
            return loaded.value().executable;
        });
}

}  // namespace weft::frame
