// shade_kernels.h — the table of shading kernels, one row per instruction set, chosen at run time.
//
// Each kernel runs the slots `ids[0 .. count)` in groups of lanes, in that order; slots must be
// distinct. The result of a slot depends on that slot and the scene alone: order, neighbours and
// lane count do not change a bit within one arithmetic class. Kernels touch no global, allocate
// nothing and may run on several threads over different PathViews.
#pragma once

#include <span>

#include "scheduler/base/ids.h"
#include "shaders/host/path_view.h"
#include "shaders/host/scene_view.h"

namespace weft::shaders {

// Instruction sets, in rising order. Avx2 and Avx512 are one arithmetic class ("fma"), Sse4 is its
// own.
enum class Isa : u32 { Sse4 = 0, Avx2 = 1, Avx512 = 2 };

struct ShadeKernels {
    Isa isa;
    u32 lane_count;
    // Starts paths: reads pixel and sample; writes every other field of the slot and `ray`, except
    // shadow and shadow_tint, which the shade kernel writes where it sets kPathShadow.
    void (*camera)(const CameraRecord& camera,
                   const RenderParams& params,
                   const PathView& paths,
                   const u32* ids,
                   u32 count,
                   ShadeCounters& counters);
    // A hit: adds emission (with its MIS weight) to radiance, draws a light sample (light, shadow,
    // kPathShadow) and the next direction (ray, throughput, kPathAlive). Reads the hit in `ray`.
    void (*shade)(const SceneView& scene,
                  const RenderParams& params,
                  const PathView& paths,
                  const u32* ids,
                  u32 count,
                  ShadeCounters& counters);
    // No hit: adds the environment (with its MIS weight), ends the path.
    void (*miss)(const SceneView& scene,
                 const RenderParams& params,
                 const PathView& paths,
                 const u32* ids,
                 u32 count,
                 ShadeCounters& counters);
};

// The kernels of one instruction set, or nullptr where this machine cannot run it.
const ShadeKernels* shade_kernels(Isa isa);

// The same kernels at 32 lanes, for the emulated device; they count branches and divergence.
// nullptr for Sse4, which is of another arithmetic class, and where this machine cannot run it.
const ShadeKernels* device_shade_kernels(Isa isa);

// The same kernels at one lane (F1): the sources are compiled with plain numbers for vectors. For
// debugging, since a debugger then shows one path's values, and where a renderer traces path by
// path. AVX-512 has AVX2's. nullptr where this machine cannot run it.
const ShadeKernels* single_shade_kernels(Isa isa);

// The best instruction set that this machine can run.
Isa best_isa();
bool is_supported(Isa isa);
const char* isa_name(Isa isa);  // "sse4", "avx2", "avx512"

}  // namespace weft::shaders
