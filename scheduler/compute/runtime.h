// runtime.h — the front of the room: devices, contexts, buffers, kernels and the queue behind
// counted handles (mechanism R).
//
//     attach devices ──> match requirements ──> context ──> buffers, kernels ──> enqueue ──> event
//
// Any thread may call anything, except that only one thread at a time binds arguments of a kernel
// object. Stale handles, wrong arguments and detached devices are refused with a sentence. The
// destructor waits for running instances.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "scheduler/compute/device_match.h"
#include "scheduler/compute/execution_queue.h"
#include "scheduler/compute/handle_table.h"
#include "scheduler/compute/kernel_library.h"

namespace weft::compute {

// A group of physical devices that work as one; made by matching.
struct LogicalDevice {
    std::vector<DevicePointer> members;
    std::string arithmetic_class;
};

struct Context {
    std::shared_ptr<LogicalDevice> device;
};

// A kernel object of a context: its arguments, and what each device of the context runs (R5).
struct Kernel {
    std::shared_ptr<Context> context;
    KernelArguments arguments;
    std::vector<Place> places;
};

using DeviceHandle = Handle<Device>;
using LogicalHandle = Handle<LogicalDevice>;
using ContextHandle = Handle<Context>;
using BufferHandle = Handle<Buffer>;
using KernelHandle = Handle<Kernel>;

// A kernel object's code and arguments on one device. It holds both, so that work that calls the
// code goes on after the kernel object and the buffers were released (R12).
struct BroughtKernel {
    ExecutablePointer executable;
    std::shared_ptr<const KernelArguments> arguments;
    std::vector<void*> places;  // by parameter: a buffer's memory on the device, or the value

    // Program error: the kernel has no such parameter.
    [[nodiscard]] void* at(std::string_view parameter) const;
};

// A device in the list.
struct ListedDevice {
    DeviceHandle handle;
    Capability capability;
    DeviceState state;
};

// A match of requirements.
struct MatchedDevice {
    LogicalHandle handle;
    std::vector<std::string> names;  // of its members
    double score = 0;
    std::string arithmetic_class;
    std::string reason;
};

struct LaunchConfig {
    ItemRange items;
    i32 priority = 0;  // higher goes first
    std::vector<EventHandle> follows;
    std::vector<KernelHandle> calls;  // of a program: kernel objects that it holds until it ends
    bool needs_device = true;         // of a program: false: it works on the host alone
    bool may_split = false;
    u64 least_items = 1;  // of a share
};

// Objects since the runtime was made.
struct ObjectFigures {
    HandleCounts contexts;
    HandleCounts buffers;  // images included
    HandleCounts kernels;
    u64 lent = 0;    // buffers that are the host's memory; devices may copy them
    u64 mapped = 0;  // buffers that are the host's memory; no device copies them
    u64 images = 0;  // lent ones included
    u64 bound = 0;   // buffers bound to parameters
};

struct RuntimeConfig {
    QueueConfig queue;
    u32 most_devices = 64;
    u32 most_contexts = 256;
    u32 most_buffers = 16384;
    u32 most_kernels = 4096;
    std::filesystem::path cache_folder;  // empty: kernel_cache.h's
    KernelLibrary::Log log;              // lines for the user; empty: none
};

class Runtime {
public:
    explicit Runtime(const RuntimeConfig& config);

    // ── R1: devices ──
    base::Result<DeviceHandle> attach(std::shared_ptr<Device> device);
    // The device gets no new work, and handles of its groups are stale; running parts go on.
    base::Status detach(DeviceHandle handle);
    [[nodiscard]] std::vector<ListedDevice> devices() const;
    // Rises with every attach and detach.
    [[nodiscard]] u64 device_revision() const;
    // Whether the display uses this device now (R10).
    base::Status set_drawing(DeviceHandle handle, bool is_drawing);

    // ── R2: matching. Error: no match, with the reason for each device ──
    // Devices `left_out` count as not attached.
    base::Result<std::vector<MatchedDevice>> match(const Requirements& requirements,
                                                   const std::vector<DeviceHandle>& left_out = {});

    // ── R3: contexts; released with release() ──
    base::Result<ContextHandle> create_context(LogicalHandle device);
    base::Result<std::vector<DevicePointer>> context_devices(ContextHandle context) const;

    // ── R4: buffers and images ──
    base::Result<BufferHandle> create_buffer(ContextHandle context, u64 size_bytes);
    base::Result<BufferHandle> create_image(ContextHandle context, const ImageShape& shape);
    // The host lends its memory, which must outlive the buffer's uses; an image with a shape.
    base::Result<BufferHandle> lend_buffer(ContextHandle context,
                                           std::span<const std::byte> bytes,
                                           const std::optional<ImageShape>& shape = {});
    // The same, but no device makes a copy: all read the host's memory in place, over their buses.
    base::Result<BufferHandle> map_buffer(ContextHandle context, std::span<const std::byte> bytes);
    base::Status write(BufferHandle buffer, u64 offset, std::span<const std::byte> bytes);
    base::Status read(BufferHandle buffer, u64 offset, std::span<std::byte> bytes) const;
    // Its memory on a device, which stays until the buffer's last use has ended.
    base::Result<void*> bring(BufferHandle buffer, const DevicePointer& device);

    // ── R5 to R7: kernels; an executable is loaded for each device of the context ──
    [[nodiscard]] KernelLibrary& library() { return library_; }

    base::Result<KernelHandle> create_kernel(ContextHandle context,
                                             const std::string& name,
                                             const Wish& wish = {});

    template <typename T>
    base::Status bind(KernelHandle kernel, KernelArguments::Which which, const T& value) {
        auto found = kernels_.find(kernel);
        return found.is_ok() ? found.value()->arguments.bind(which, value)
                             : base::Status(found.error());
    }

    base::Status bind(KernelHandle kernel, KernelArguments::Which which, BufferHandle buffer);

    // What a program on this device calls. Error: something is not bound, the device is not of the
    // context or has too little memory.
    base::Result<BroughtKernel> bring(KernelHandle kernel, const DevicePointer& device);

    // ── R8 to R12: the queue ──
    base::Result<EventHandle> enqueue(KernelHandle kernel, const LaunchConfig& launch);
    // Work that divides itself over the free devices of a context; over processors if these devices
    // draw.
    base::Result<EventHandle> enqueue_program(ContextHandle context,
                                              const std::string& name,
                                              Program program,
                                              const LaunchConfig& launch);
    base::Result<Event> look(EventHandle event) const;
    base::Status wait(EventHandle event);

    [[nodiscard]] QueueFigures queue_figures() const { return queue_.figures(); }

    [[nodiscard]] ObjectFigures object_figures() const;

    // ── counting; running work keeps its objects after their last release (R12) ──
    base::Status retain(ContextHandle handle) { return contexts_.retain(handle); }

    base::Status release(ContextHandle handle) { return contexts_.release(handle); }

    base::Status retain(BufferHandle handle) { return buffers_.retain(handle); }

    base::Status release(BufferHandle handle) { return buffers_.release(handle); }

    base::Status retain(KernelHandle handle) { return kernels_.retain(handle); }

    base::Status release(KernelHandle handle) { return kernels_.release(handle); }

    base::Status retain(EventHandle handle) { return events_.retain(handle); }

    base::Status release(EventHandle handle) { return events_.release(handle); }

    [[nodiscard]] u32 count(ContextHandle handle) const { return contexts_.count(handle); }

private:
    base::Result<BufferHandle> add_buffer(ContextHandle context, std::shared_ptr<Buffer> buffer);
    base::Status check_images(ContextHandle context) const;
    LogicalHandle intern(const MatchGroup& group, const std::vector<DevicePointer>& listed);
    [[nodiscard]] std::vector<DevicePointer> stand_ins(
        const std::vector<DevicePointer>& members) const;
    base::Result<EventHandle> put(InstancePointer instance, const LaunchConfig& launch);

    HandleTable<Device> devices_;
    HandleTable<LogicalDevice> logical_devices_;
    HandleTable<Context> contexts_;
    HandleTable<Buffer> buffers_;
    HandleTable<Kernel> kernels_;
    HandleTable<Event> events_;
    std::mutex matching_;           // interning of logical devices
    std::atomic<u64> revision_{0};  // relaxed, like the figures: only compared with itself
    std::atomic<u64> lent_{0};
    std::atomic<u64> mapped_{0};
    std::atomic<u64> images_{0};
    std::atomic<u64> bound_{0};
    KernelLibrary library_;
    ExecutionQueue queue_;
};

}  // namespace weft::compute
