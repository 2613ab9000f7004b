#include "engine/denoise/passes.h"

#include <new>
#include <utility>

#include <tbb/parallel_for.h>

namespace weft::denoise {

void run_on_tbb(u32 count, const std::function<void(u32)>& job) {
    tbb::parallel_for(u32{0}, count, job);
}

Passes::Passes(RunJobs run, std::function<bool()> should_stop)
    : run_(std::move(run)), should_stop_(std::move(should_stop)) {}

bool Passes::must_stop() const {
    if (!is_stopped() && should_stop_ && should_stop_()) {
        is_stopped_.store(true, std::memory_order_relaxed);
    }
    return is_stopped();
}

void Passes::run(u32 count, const std::function<void(u32)>& job) const {
    if (is_stopped()) {
        return;
    }
    run_(count, [&](u32 k) {
        if (must_stop()) {
            return;
        }
        try {
            job(k);
        } catch (const std::bad_alloc&) {
            lacked_memory_.store(true, std::memory_order_relaxed);
            is_stopped_.store(true, std::memory_order_relaxed);
        }
    });
}

}  // namespace weft::denoise
