// shared_runtime.h — the one runtime of this process (scheduler/compute), which all renderers
// share: its devices, its library of kernels, its queue (R3, R8, R9).
//
// It lives as long as someone holds it. Any thread may call.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/compute/runtime.h"

namespace weft::frame {

class SharedRuntime {
public:
    // The emulated GPU of one shape. Its last holder detaches it.
    struct EmulatedGpu {
        SharedRuntime& owner;
        compute::DeviceHandle handle;

        EmulatedGpu(SharedRuntime& owner_in, compute::DeviceHandle handle_in)
            : owner(owner_in), handle(handle_in) {}

        ~EmulatedGpu();
        EmulatedGpu(const EmulatedGpu&) = delete;
        EmulatedGpu& operator=(const EmulatedGpu&) = delete;
    };

    // The runtime that lives, or a new one.
    static std::shared_ptr<SharedRuntime> take();

    [[nodiscard]] compute::Runtime& runtime() { return runtime_; }

    // Attached once for each shape that is held. Null: the processor has nothing of class fma. The
    // runtime must be held longer.
    std::shared_ptr<const EmulatedGpu> emulated_gpu(const compute::EmulatedGpuShape& shape);

    // Emulated GPUs but for `own` (null: all): no frame uses one of another shape.
    std::vector<compute::DeviceHandle> others_than(const EmulatedGpu* own) const;

private:
    SharedRuntime();

    compute::Runtime runtime_;
    mutable std::mutex mutex_;  // guards gpus_
    std::vector<std::pair<compute::EmulatedGpuShape, std::weak_ptr<const EmulatedGpu>>> gpus_;
};

}  // namespace weft::frame
