// small_frame.h — settings of a small frame that every kind of unit can render in a moment, for the
// tests of devices and faults.
#pragma once

#include "engine/frame/render_settings.h"
#include "shaders/host/shade_kernels.h"
#include "tests/skipped.h"

namespace weft::tests {

// Whether this machine runs the kernels of the emulated GPU; else the running test is skipped.
inline bool has_device() {
    return is_there_or_skipped(shaders::device_shade_kernels(shaders::best_isa()) != nullptr,
                               "processor that runs the kernels of the emulated GPU",
                               Source::DevTest);
}

// `paths` in flight per unit; shares are somewhat larger, so that none fits evenly.
inline frame::RenderSettings small_frame(u32 samples_per_pixel, u32 paths) {
    frame::RenderSettings settings;
    settings.width = 72;
    settings.height = 50;
    settings.samples_per_pixel = samples_per_pixel;
    settings.thread_count = 2;
    settings.integrator.path_count = paths;
    settings.integrator.trace_batch = paths;
    settings.share_samples = paths + paths / 6;
    settings.egpu_memory_bytes = u64{256} << 20;
    return settings;
}

}  // namespace weft::tests
