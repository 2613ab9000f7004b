#include "engine/frame/frame_objects.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/trace/device_scene.h"
#include "scheduler/base/memory_limit.h"

namespace weft::frame {

namespace {

constexpr const char* kResults = "results";
// Pieces of units begin at pages of the system.
constexpr u64 kPieceAlignment = 4096;
constexpr u64 kBufferAlignment = 64;
constexpr u64 kMebibyte = u64{1} << 20;

u64 rounded_to(u64 bytes, u64 alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

// What a buffer takes of a device; an empty one has a place as well.
u64 place_bytes(u64 bytes) {
    return rounded_to(std::max<u64>(bytes, 1), kBufferAlignment);
}

template <typename T>
std::span<const std::byte> bytes_from(const T* begin, std::size_t count) {
    return {reinterpret_cast<const std::byte*>(begin), count * sizeof(T)};
}

u64 guide_bytes(const trace::Guide* maybe_guide) {
    if (maybe_guide == nullptr) {
        return 2 * place_bytes(0);
    }
    return place_bytes(maybe_guide->slots.size() * sizeof(shaders::GuideSlot)) +
           place_bytes(maybe_guide->tables.size() * sizeof(shaders::GuideTable));
}

std::span<const std::byte> placements_of(const accel::Acceleration& tree) {
    if (tree.store) {
        const std::span<const shaders::Placement> placements = tree.store->resident().placements;
        return bytes_from(placements.data(), placements.size());
    }
    return bytes_from(tree.placements.data(), tree.placements.size());
}

}  // namespace

FrameObjects::FrameObjects(compute::Runtime& runtime,
                           compute::ContextHandle context,
                           compute::DevicePointer device)
    : runtime_(runtime), context_(context), device_(std::move(device)) {}

base::Result<std::unique_ptr<FrameObjects>> FrameObjects::make(compute::Runtime& runtime,
                                                               compute::ContextHandle context,
                                                               compute::DevicePointer device,
                                                               const compute::Wish& wish) {
    auto objects =
        std::unique_ptr<FrameObjects>(new FrameObjects(runtime, context, std::move(device)));
    WEFT_TRY(runtime.retain(context));
    for (const std::string& name : frame_kernel_names()) {
        const auto kernel = runtime.create_kernel(context, name, wish);
        WEFT_TRY(kernel);
        objects->kernels_.push_back(kernel.value());
    }
    return objects;
}

FrameObjects::~FrameObjects() {
    release_scene();
    for (const auto& [name, buffer] : unit_buffers_) {
        static_cast<void>(runtime_.release(buffer).is_ok());
    }
    for (const compute::KernelHandle kernel : kernels_) {
        static_cast<void>(runtime_.release(kernel).is_ok());
    }
    static_cast<void>(runtime_.release(context_).is_ok());
}

void FrameObjects::release_scene() {
    for (const auto& [name, buffer] : scene_buffers_) {
        static_cast<void>(runtime_.release(buffer).is_ok());
    }
    scene_buffers_.clear();
}

base::Status FrameObjects::lend(const char* name, std::span<const std::byte> bytes) {
    const auto buffer = runtime_.lend_buffer(context_, bytes);
    WEFT_TRY(buffer);
    scene_buffers_[name] = buffer.value();
    return base::Done{};
}

base::Status FrameObjects::map(const char* name, std::span<const std::byte> bytes) {
    const auto buffer = runtime_.map_buffer(context_, bytes);
    WEFT_TRY(buffer);
    scene_buffers_[name] = buffer.value();
    return base::Done{};
}

// The store fills and empties rows while kernels read others.
base::Status FrameObjects::map_pages(const accel::Acceleration& tree) {
    const pages::PageRows rows = tree.store ? tree.store->rows() : pages::PageRows{};
    WEFT_TRY(map(kPageNodesParameter, std::as_bytes(rows.nodes)));
    WEFT_TRY(map(kPageBlocksParameter, std::as_bytes(rows.blocks)));
    return map(kPageRecordsParameter, std::as_bytes(rows.sheets));
}

// What the device gets of an array: of surfaces in pages it gets no vertices.
std::span<const std::byte> FrameObjects::array_bytes(const trace::SceneArray& array,
                                                     const UnitScene& scene) const {
    if (packed_surfaces_) {
        if (const auto packed = packed_surfaces_->bytes_of(array.name)) {
            return *packed;
        }
    }
    return trace::bytes_of(array, *scene.scene, *scene.tables);
}

base::Status FrameObjects::lend_arrays(const UnitScene& scene) {
    for (const trace::SceneArray& array : trace::scene_arrays()) {
        const std::span<const std::byte> bytes = array_bytes(array, scene);
        if (!array.is_image) {
            WEFT_TRY(lend(array.name, bytes));
            continue;
        }
        const scene::Environment& environment = scene.scene->environment;
        const compute::ImageShape shape{
            environment.width, environment.height, compute::PixelFormat::Rgb32F};
        const auto image = runtime_.lend_buffer(context_, bytes, shape);
        WEFT_TRY(image);
        scene_buffers_[array.name] = image.value();
    }
    const trace::Guide none;
    const trace::Guide& guide = scene.guide != nullptr ? *scene.guide : none;
    WEFT_TRY(lend(kGuideSlotsParameter, bytes_from(guide.slots.data(), guide.slots.size())));
    WEFT_TRY(lend(kGuideTablesParameter, bytes_from(guide.tables.data(), guide.tables.size())));
    return lend(kFilterParameter,
                bytes_from(scene.filter_table->data(), scene.filter_table->size()));
}

base::Status FrameObjects::lend_scene(const UnitScene& scene, u32 treelet_bytes) {
    release_scene();
    const accel::Acceleration& tree = *scene.acceleration;
    WEFT_TRY(map_pages(tree));
    if (!device_->memory().is_host()) {
        return copy_treelets(scene, treelet_bytes);
    }
    WEFT_TRY(lend(kTreeParameter, bytes_from(tree.nodes.data(), tree.nodes.size())));
    WEFT_TRY(lend(kTreePartsParameter, bytes_from(tree.blocks.data(), tree.blocks.size())));
    WEFT_TRY(lend(kPlacementsParameter, placements_of(tree)));
    return lend_arrays(scene);
}

base::Error FrameObjects::too_small(u64 needed_bytes) const {
    return {base::ErrorKind::TooLarge,
            fmt::format("--egpu-memory: the scene needs {} MiB on the device, which has {} MiB",
                        (needed_bytes + kMebibyte - 1) / kMebibyte,
                        device_->memory().limit_bytes() / kMebibyte)};
}

// Whether a device with memory of its own and the host's limit allow the copies.
base::Status FrameObjects::check_room(const UnitScene& scene, u64 tree_bytes) {
    u64 needed = tree_bytes + place_bytes(scene.filter_table->size() * sizeof(float)) +
                 guide_bytes(scene.guide) + place_bytes(placements_of(*scene.acceleration).size());
    for (const trace::SceneArray& array : trace::scene_arrays()) {
        needed += place_bytes(array_bytes(array, scene).size());
    }
    if (needed > device_->memory().limit_bytes()) {
        return too_small(needed);
    }
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(needed, "the emulated device's copy of the scene");
    WEFT_TRY(claim);
    // Copy the arrays now, so that the error names the whole scene.
    WEFT_TRY(lend(kPlacementsParameter, placements_of(*scene.acceleration)));
    WEFT_TRY(lend_arrays(scene));
    for (const auto& [name, buffer] : scene_buffers_) {
        if (!runtime_.bring(buffer, device_).is_ok()) {
            return too_small(needed);
        }
    }
    return base::Done{};
}

// The images of treelets, of all that is in memory of the tree, are written one by one through a
// place on the host.
base::Status FrameObjects::copy_treelets(const UnitScene& scene, u32 treelet_bytes) {
    const accel::Acceleration& tree = *scene.acceleration;
    page_treelets_.reset();
    packed_surfaces_.reset();
    pages::ResidentRows rows;
    rows.node_count = static_cast<u32>(tree.nodes.size());
    if (tree.store) {
        rows = tree.store->resident();
        base::Result<trace::PageTreelets> pages =
            trace::PageTreelets::make(*tree.store, treelet_bytes);
        WEFT_TRY(pages);
        page_treelets_ = std::make_unique<trace::PageTreelets>(std::move(pages.value()));
        packed_surfaces_ = std::make_unique<trace::PackedSurfaces>(
            scene.tables->view, scene.tables->meshes, tree.store->records());
    }
    trace::TreeletCut cut(tree.view(), rows.first_node, rows.node_count, treelet_bytes);
    const u64 place_count = cut.places().size();
    WEFT_TRY(
        check_room(scene, place_bytes(cut.size_bytes()) + place_bytes(place_count * sizeof(u64))));
    const auto images = runtime_.create_buffer(context_, std::max<u64>(cut.size_bytes(), 1));
    WEFT_TRY(images);
    scene_buffers_[kTreeParameter] = images.value();
    const auto places = runtime_.create_buffer(context_, place_count * sizeof(u64));
    WEFT_TRY(places);
    scene_buffers_[kTreePartsParameter] = places.value();
    for (const compute::BufferHandle buffer : {images.value(), places.value()}) {
        if (!runtime_.bring(buffer, device_).is_ok()) {
            return too_small(cut.size_bytes());
        }
    }
    std::vector<std::byte> image(cut.most_bytes());
    for (u32 treelet = 0; treelet < cut.count(); ++treelet) {
        const u64 begin = cut.places()[treelet];
        cut.write(treelet, image.data());
        WEFT_TRY(runtime_.write(
            images.value(), begin, {image.data(), cut.places()[treelet + 1] - begin}));
    }
    WEFT_TRY(runtime_.write(places.value(), 0, bytes_from(cut.places().data(), place_count)));
    treelets_ = {.pages = page_treelets_.get(),
                 .count = cut.count(),
                 .most_bytes = cut.most_bytes(),
                 .most_ways_out = cut.most_ways_out()};
    return base::Done{};
}

base::Result<void*> FrameObjects::take(const char* name, u64 bytes) {
    const auto buffer = runtime_.create_buffer(context_, bytes);
    WEFT_TRY(buffer);
    unit_buffers_[name] = buffer.value();
    return runtime_.bring(buffer.value(), device_);
}

base::Status FrameObjects::take_units(u32 count, u64 path_bytes, u64 result_bytes) {
    path_bytes_ = rounded_to(path_bytes, kPieceAlignment);
    result_bytes_ = rounded_to(result_bytes, kPieceAlignment);
    const auto paths = take(kPathsParameter, count * path_bytes_);
    WEFT_TRY(paths);
    const auto results = take(kResults, count * result_bytes_);
    WEFT_TRY(results);
    paths_ = static_cast<std::byte*>(paths.value());
    results_ = static_cast<std::byte*>(results.value());
    result_buffer_ = unit_buffers_[kResults];
    return base::Done{};
}

std::span<std::byte> FrameObjects::paths(u32 unit) const {
    return {paths_ + unit * path_bytes_, path_bytes_};
}

std::span<std::byte> FrameObjects::results(u32 unit) const {
    return {results_ + unit * result_bytes_, result_bytes_};
}

void FrameObjects::copy_out(void* host, const void* device, u64 bytes) const {
    const auto begin = static_cast<u64>(static_cast<const std::byte*>(device) - results_);
    const base::Status read =
        runtime_.read(result_buffer_, begin, {static_cast<std::byte*>(host), bytes});
    ENSURE(read.is_ok(), ==, true);
}

// Binds every parameter of every kernel object by name, and brings these to the device.
base::Result<FrameObjects::Brought> FrameObjects::bring_kernels() {
    Brought brought;
    const std::vector<std::string> names = frame_kernel_names();
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto parameters = runtime_.library().parameters(names[k]);
        WEFT_TRY(parameters);
        for (const compute::Parameter& parameter : parameters.value()) {
            const auto& buffers =
                unit_buffers_.contains(parameter.name) ? unit_buffers_ : scene_buffers_;
            const auto buffer = buffers.find(parameter.name);
            if (buffer != buffers.end()) {
                WEFT_TRY(runtime_.bind(kernels_[k], parameter.name, buffer->second));
            }
        }
        auto kernel = runtime_.bring(kernels_[k], device_);
        WEFT_TRY(kernel);
        brought[names[k]] = std::move(kernel.value());
    }
    return brought;
}

// The addresses of the tree, which each traversal kernel reads.
void FrameObjects::place_tree(const UnitScene& scene,
                              const compute::BroughtKernel& walk,
                              BroughtFrame& frame) const {
    const bool has_pages = scene.acceleration->store != nullptr;
    const auto* const placements =
        static_cast<const shaders::Placement*>(walk.at(kPlacementsParameter));
    if (device_->memory().is_host()) {
        frame.bvh = scene.acceleration->view();
        frame.bvh.nodes = static_cast<const shaders::BvhNode*>(
            walk.at(has_pages ? kPageNodesParameter : kTreeParameter));
        frame.bvh.blocks = static_cast<const shaders::LeafBlock*>(
            walk.at(has_pages ? kPageBlocksParameter : kTreePartsParameter));
        frame.bvh.placements = placements;
        return;
    }
    frame.bvh.root = scene.acceleration->root;  // its nodes are read in local memory alone
    frame.treelets = treelets_;
    frame.treelets.images = static_cast<const std::byte*>(walk.at(kTreeParameter));
    frame.treelets.places = static_cast<const u64*>(walk.at(kTreePartsParameter));
    frame.treelets.placements = placements;
    frame.treelets.page_nodes = static_cast<const shaders::BvhNode*>(walk.at(kPageNodesParameter));
    frame.treelets.page_blocks =
        static_cast<const shaders::LeafBlock*>(walk.at(kPageBlocksParameter));
}

base::Status FrameObjects::bring(const UnitScene& scene) {
    auto kernels = bring_kernels();
    WEFT_TRY(kernels);
    Brought& brought = kernels.value();
    // Take the code.
    BroughtFrame frame;
    auto code = frame_kernels(device_->capability().type,
                              [&](const char* name) -> base::Result<compute::ExecutablePointer> {
                                  return brought.at(name).executable;
                              });
    WEFT_TRY(code);
    frame.kernels = std::move(code.value());
    // Take the addresses: the shading kernel reads every array.
    const compute::BroughtKernel& shade = brought.at("shade");
    frame.view = scene.tables->view;
    for (const trace::SceneArray& array : trace::scene_arrays()) {
        if (!array.may_be_null || array.get(scene.tables->view) != nullptr) {
            array.set(frame.view, shade.at(array.name));
        }
    }
    if (scene.guide != nullptr) {
        trace::point_at(*scene.guide,
                        static_cast<const shaders::GuideSlot*>(shade.at(kGuideSlotsParameter)),
                        static_cast<const shaders::GuideTable*>(shade.at(kGuideTablesParameter)),
                        frame.view);
    }
    frame.filter_table = static_cast<const float*>(brought.at("camera").at(kFilterParameter));
    place_tree(scene, brought.at("closest_walk"), frame);
    if (scene.acceleration->store) {
        frame.records = scene.acceleration->store->records();
        frame.records.sheets = static_cast<const char*>(shade.at(kPageRecordsParameter));
    }
    for (auto& [name, kernel] : brought) {
        frame.held.push_back(std::move(kernel));
    }
    frame_ = std::move(frame);
    return base::Done{};
}

}  // namespace weft::frame
