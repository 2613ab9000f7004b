// device_report.cpp — the text of `weft info --devices` (frame_runtime.h).
#include <fmt/format.h>
#include <map>

#include "engine/frame/frame_runtime.h"

namespace weft::frame {

namespace {

using compute::Capability;

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

std::string kernel_text(const std::string& kernel, const compute::Loaded& loaded) {
    const compute::ExecutableRecord& record = loaded.executable->record();
    return fmt::format("  kernel {:<16} {} ({}): {}\n",
                       kernel,
                       record.instruction_set,
                       compute::origin_name(record.origin),
                       loaded.reason);
}

// How and when the device's kernels were built, each way once.
std::string builds_text(const compute::KernelLibrary& library,
                        const Capability& device,
                        const compute::Wish& wish) {
    std::map<std::string, u32> builds;
    for (const std::string& kernel : library.kernel_names()) {
        const auto loaded = library.choose(kernel, device, wish);
        if (loaded.is_ok()) {
            const compute::ExecutableRecord& record = loaded.value().executable->record();
            ++builds[fmt::format("{} UTC, {}{}{}",
                                 record.build_time,
                                 record.flags,
                                 record.options.empty() ? "" : ", options ",
                                 record.options)];
        }
    }
    std::string text;
    for (const auto& [build, count] : builds) {
        text += fmt::format("  built             {} kernels {}\n", count, build);
    }
    return text;
}

}  // namespace

std::string FrameRuntime::report(const RenderSettings& settings) {
    const compute::Requirements needs = frame_requirements(settings);
    compute::Requirements alone = needs;
    alone.names.clear();
    const compute::Wish wish = frame_wish(settings, needs.arithmetic_class);
    std::string text;
    for (const compute::ListedDevice& device : runtime().devices()) {
        const compute::Verdict verdict = compute::judge(alone, device.capability);
        text += record_text(device.capability);
        text += fmt::format("  frame             {}: {}\n",
                            verdict.is_match ? fmt::format("score {:.4g}", verdict.score) : "no",
                            verdict.reason);
        for (const std::string& kernel : runtime().library().kernel_names()) {
            const auto loaded = runtime().library().choose(kernel, device.capability, wish);
            text +=
                loaded.is_ok()
                    ? kernel_text(kernel, loaded.value())
                    : fmt::format("  kernel {:<16} none: {}\n", kernel, loaded.error().sentence);
        }
        text += builds_text(runtime().library(), device.capability, wish);
        text += "\n";
    }
    const auto matched = runtime().match(alone, shared_->others_than(gpu_.get()));
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
