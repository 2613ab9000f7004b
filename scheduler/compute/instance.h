// instance.h — one execution of a kernel or a program, from its enqueueing to its end. Internal to
// the queue.
//
// It holds everything that it needs (code, arguments, buffers, devices), so that releases by its
// user take effect after its end (R12). The queue's lock guards all fields, except those that
// running parts read, which do not change while parts run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/compute/dispatch.h"
#include "scheduler/compute/event.h"
#include "scheduler/compute/executable.h"
#include "scheduler/compute/kernel.h"

namespace weft::compute {

// Work that divides itself over its devices, such as a frame. Runs on a thread of the queue, and
// may take long.
using Program = std::function<base::Status(std::span<const DevicePointer> devices)>;

// A device that an instance may run on, and with which code.
struct Place {
    DevicePointer device;
    ExecutablePointer executable;  // nullptr: none, or a program
    bool is_own = true;            // of its context
};

// The arguments as a device sees them: buffers are copied there. Error: its memory is too small.
base::Result<std::vector<void*>> places_on(const KernelArguments& arguments,
                                           const DevicePointer& device);

struct Instance {
    u64 number = 0;  // in the order of enqueueing
    i32 priority = 0;
    std::string name;
    std::optional<KernelArguments> arguments;  // none: a program
    Program program;
    std::vector<std::shared_ptr<const void>> calls;  // kernel objects of a program
    DispatchNeed need;
    std::vector<Place> places;

    std::shared_ptr<Event> event;
    u32 open_dependencies = 0;
    std::vector<std::shared_ptr<Instance>> dependants;

    // While it runs.
    std::vector<Share> shares;
    std::vector<std::vector<void*>> part_arguments;  // by share, as its device sees them
    u32 parts_begun = 0;
    u32 parts_ended = 0;
    std::optional<base::Error> error;  // of the first part that failed

    [[nodiscard]] bool is_program() const { return static_cast<bool>(program); }

    // Copies the arguments to the devices of its shares. No lock.
    base::Status bring_arguments();
    // Runs one part. No lock; several parts at once.
    base::Status run_part(u32 part);
    // Reports the written ranges to the buffers. No lock.
    void publish_written();

private:
    [[nodiscard]] base::Error failed(const std::string& what) const;
};

using InstancePointer = std::shared_ptr<Instance>;

}  // namespace weft::compute
