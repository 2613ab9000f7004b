// plain_tracer.h — the renderer's samples without its scheduler: the same kernels, called bounce by
// bounce over a fixed set of paths.
//
// It has two users. ray_record.h copies its rays: its pictures have the renderer's bits, so the
// rays are those of a real render. image_bench.h runs it with one path at a time, as a conventional
// renderer works: nothing is gathered or sorted. One PlainTracer per thread; the scene is shared
// and read-only.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/bench/bench_scene.h"
#include "engine/film/film.h"
#include "engine/trace/path_slots.h"
#include "engine/trace/sample_block.h"

namespace weft::bench {

class PlainTracer {
public:
    // Finds hits; the contracts of TraceKernels::closest_group and any_group.
    using Trace = std::function<void(
        const shaders::TraceScene& scene, shaders::TraceRay* rays, std::span<const u32> ids)>;
    // Sees rays before they are traced; ids are slots of the view.
    using Watch = std::function<void(const shaders::PathView& paths, std::span<const u32> ids)>;

    struct Config {
        u32 path_count = 1;  // paths that bounce together
        const shaders::ShadeKernels* shade = nullptr;
        Trace closest;
        Trace any;
        Watch on_closest;  // may be empty
        Watch on_any;      // may be empty
    };

    PlainTracer(const BenchScene& scene, const Config& config);

    // False where memory ran out: then call nothing else.
    [[nodiscard]] bool is_allocated() const { return slots_.is_allocated(); }

    // Traces all samples of a block, pixel by pixel within a sample, as the integrator starts them.
    // Only the caller may use the block's pixels meanwhile.
    void trace(const trace::SampleBlock& block, film::Film& film);

    [[nodiscard]] u64 ray_count() const { return ray_count_; }

private:
    void start(const trace::SampleBlock& block, u32 first, u32 count);
    void bounce(film::Film& film);
    void settle(film::Film& film);
    void finish(u32 slot, film::Film& film);

    const BenchScene& scene_;
    Config config_;
    trace::UnitMemory memory_;
    trace::PathSlots slots_;
    shaders::TraceScene trace_scene_;
    shaders::ShadeCounters counters_;
    u64 ray_count_ = 0;
    std::vector<u32> pixels_;  // y · width + x, by slot
    std::vector<u32> live_;    // slots with a ray to trace
    std::vector<u32> shadow_;  // slots with a shadow ray to trace
    std::vector<u32> hit_;
    std::vector<u32> missed_;
};

// Traces with our own kernels, in groups in order of arrival. The row must outlive the function.
PlainTracer::Trace own_trace(const shaders::TraceKernels& row, bool is_any);

}  // namespace weft::bench
