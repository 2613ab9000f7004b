// kernel_table.cpp — the table of shading kernels, and the check which rows this machine can run.
// See shade_kernels.h.
#include <array>

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "shaders/host/shade_kernels.h"
#include "shaders/kernels/bsdf_probe.h"
#include "shaders/kernels/kernel_rows.h"

namespace weft::shaders {

namespace {

constexpr u32 kIsaCount = 3;

using Rows = std::array<ShadeKernels, kIsaCount>;

// The kernels of one width.
Rows make_rows(CameraRow (*camera)(Isa), ShadeKernel (*shade)(Isa), MissKernel (*miss)(Isa)) {
    Rows rows{};
    for (u32 i = 0; i < kIsaCount; ++i) {
        const Isa isa = static_cast<Isa>(i);
        const CameraRow row = camera(isa);
        rows[i] = {isa, row.lane_count, row.kernel, shade(isa), miss(isa)};
    }
    return rows;
}

const ShadeKernels* runnable_row(const Rows& rows, Isa isa) {
    const ShadeKernels& row = rows[static_cast<u32>(isa)];
    return is_supported(isa) && row.shade != nullptr ? &row : nullptr;
}

}  // namespace

bool is_supported(Isa isa) {
    // Read cpuid once: it is slow under a hypervisor.
    static const auto kTargets = hwy::SupportedTargets();
    switch (isa) {
        case Isa::Sse4:
            return (kTargets & HWY_SSE4) != 0;
        case Isa::Avx2:
            return (kTargets & HWY_AVX2) != 0;
        case Isa::Avx512:
            return (kTargets & HWY_AVX3) != 0;
    }
    return false;
}

Isa best_isa() {
    if (is_supported(Isa::Avx512)) {
        return Isa::Avx512;
    }
    return is_supported(Isa::Avx2) ? Isa::Avx2 : Isa::Sse4;
}

const ShadeKernels* shade_kernels(Isa isa) {
    static const Rows kRows =
        make_rows(narrow::camera_row, narrow::shade_kernel, narrow::miss_kernel);
    return runnable_row(kRows, isa);
}

const ShadeKernels* device_shade_kernels(Isa isa) {
    static const Rows kRows = make_rows(wide::camera_row, wide::shade_kernel, wide::miss_kernel);
    return runnable_row(kRows, isa);
}

const ShadeKernels* single_shade_kernels(Isa isa) {
    static const Rows kRows =
        make_rows(single::camera_row, single::shade_kernel, single::miss_kernel);
    return runnable_row(kRows, isa);
}

const BsdfProbe* bsdf_probe(Isa isa) {
    return is_supported(isa) ? probe_row(isa) : nullptr;
}

}  // namespace weft::shaders
