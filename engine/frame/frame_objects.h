// frame_objects.h — a frame's objects on one device: buffers of the scene, of paths and of results,
// and a kernel object for each kernel, to which they are bound by name (R4, R5).
//
//     lend_scene, take_units ──> buffers ──bind──> kernel objects ──bring──> code and addresses,
//                                                                            once for all packets
//
// The units of the frame call what bring() left in frame(). The host's arrays are lent: they must
// outlive the calls. The destructor releases all objects; a program that was enqueued with
// kernels() keeps them until it ends (R12). One thread; any may call copy_out().
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/frame/frame_kernels.h"
#include "engine/scene/model/scene.h"
#include "engine/trace/guide.h"
#include "engine/trace/heat.h"
#include "engine/trace/packed_surfaces.h"
#include "engine/trace/page_treelets.h"
#include "engine/trace/scene_tables.h"
#include "engine/trace/start_media.h"
#include "scheduler/compute/runtime.h"

namespace weft::trace {

struct SceneArray;

}  // namespace weft::trace

namespace weft::frame {

// The scene and tables that all units of a frame read.
struct UnitScene {
    const scene::Scene* scene = nullptr;
    const trace::SceneTables* tables = nullptr;
    const accel::Acceleration* acceleration = nullptr;
    const accel::EmbreeReference* embree = nullptr;
    const std::vector<float>* filter_table = nullptr;
    const trace::HeatMap* heat = nullptr;  // where heat is counted
    shaders::RenderParams params{};
    trace::StartMedia media = trace::kEmptySpace;  // around the camera
    const trace::Guide* guide = nullptr;           // null: paths are not guided
};

// What the kernel objects brought to the device.
struct BroughtFrame {
    DeviceKernels kernels;
    shaders::SceneView view{};
    shaders::BvhView bvh{};         // of the host; on other devices the root alone
    trace::TreeletView treelets{};  // on devices with memory of their own
    pages::RecordView records{};    // of surfaces in pages
    const float* filter_table = nullptr;
    std::vector<compute::BroughtKernel> held;
};

class FrameObjects {
public:
    // Kernel objects in a context that has the device. Error: a kernel has no executable for it.
    static base::Result<std::unique_ptr<FrameObjects>> make(compute::Runtime& runtime,
                                                            compute::ContextHandle context,
                                                            compute::DevicePointer device,
                                                            const compute::Wish& wish);
    ~FrameObjects();
    FrameObjects(const FrameObjects&) = delete;
    FrameObjects& operator=(const FrameObjects&) = delete;

    // Buffers of a scene, in place of those before. A device with memory of its own gets copies,
    // the tree as treelets of at most so many bytes; kind TooLarge: they do not fit. Pages stay
    // where the store has them, and every device reads them there.
    base::Status lend_scene(const UnitScene& scene, u32 treelet_bytes);
    // Memory of all units: zero, in equal pieces. Error: it does not fit.
    base::Status take_units(u32 count, u64 path_bytes, u64 result_bytes);
    // Binds all buffers to the kernel objects and brings these to the device: once per scene.
    base::Status bring(const UnitScene& scene);

    [[nodiscard]] const BroughtFrame& frame() const { return frame_; }

    // The pieces of a unit.
    [[nodiscard]] std::span<std::byte> paths(u32 unit) const;
    [[nodiscard]] std::span<std::byte> results(u32 unit) const;

    // From the results of a unit to the host.
    void copy_out(void* host, const void* device, u64 bytes) const;

    // In the order of frame_kernel_names().
    [[nodiscard]] const std::vector<compute::KernelHandle>& kernels() const { return kernels_; }

    [[nodiscard]] const compute::DevicePointer& device() const { return device_; }

private:
    using Brought = std::map<std::string, compute::BroughtKernel>;  // by kernel

    FrameObjects(compute::Runtime& runtime,
                 compute::ContextHandle context,
                 compute::DevicePointer device);
    base::Status lend(const char* name, std::span<const std::byte> bytes);
    base::Status lend_arrays(const UnitScene& scene);
    base::Status map(const char* name, std::span<const std::byte> bytes);
    base::Status map_pages(const accel::Acceleration& tree);
    base::Status copy_treelets(const UnitScene& scene, u32 treelet_bytes);
    base::Status check_room(const UnitScene& scene, u64 tree_bytes);
    [[nodiscard]] std::span<const std::byte> array_bytes(const trace::SceneArray& array,
                                                         const UnitScene& scene) const;
    base::Result<void*> take(const char* name, u64 bytes);
    base::Result<Brought> bring_kernels();
    void place_tree(const UnitScene& scene,
                    const compute::BroughtKernel& walk,
                    BroughtFrame& frame) const;
    void release_scene();
    [[nodiscard]] base::Error too_small(u64 needed_bytes) const;

    compute::Runtime& runtime_;
    compute::ContextHandle context_;
    compute::DevicePointer device_;
    std::vector<compute::KernelHandle> kernels_;
    std::map<std::string, compute::BufferHandle> scene_buffers_;  // by parameter
    std::map<std::string, compute::BufferHandle> unit_buffers_;
    BroughtFrame frame_;
    std::byte* paths_ = nullptr;  // on the device
    std::byte* results_ = nullptr;
    u64 path_bytes_ = 0;  // of a unit
    u64 result_bytes_ = 0;
    compute::BufferHandle result_buffer_;
    trace::TreeletView treelets_{};  // of the scene; pointers are set by bring()
    std::unique_ptr<trace::PageTreelets> page_treelets_;      // of a tree with pages; else null
    std::unique_ptr<trace::PackedSurfaces> packed_surfaces_;  // the same
};

}  // namespace weft::frame
