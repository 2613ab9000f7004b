#include "engine/trace/device_scene.h"

#include <algorithm>
#include <string>

#include "scheduler/base/memory_limit.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/spectrum.h"

namespace weft::trace {

namespace {

// Copies arrays one after the other and counts their bytes, whether they fit or not. Without a
// memory it only counts.
class Copier {
public:
    explicit Copier(unit::DeviceMemory* maybe_memory) : maybe_memory_(maybe_memory) {}

    template <typename T>
    const T* copy(const T* from, std::size_t count) {
        // Empty arrays get an address as well: no pointer on the device is null.
        const u64 bytes = std::max<u64>(count * sizeof(T), 64);
        needed_bytes_ += (bytes + 63) / 64 * 64;
        void* const place = maybe_memory_ ? maybe_memory_->allocate(bytes) : nullptr;
        is_complete_ = is_complete_ && place != nullptr;
        if (place && count > 0) {
            maybe_memory_->copy_in(place, from, count * sizeof(T));
        }
        return static_cast<const T*>(place);
    }

    template <typename Array>
    const typename Array::value_type* copy(const Array& from) {
        return copy(from.data(), from.size());
    }

    // Copies the images of treelets, one by one through a place on the host.
    const std::byte* copy_images(TreeletCut& cut) {
        const u64 bytes = std::max<u64>(cut.size_bytes(), 64);
        needed_bytes_ += bytes;
        void* const place = maybe_memory_ ? maybe_memory_->allocate(bytes) : nullptr;
        is_complete_ = is_complete_ && place != nullptr;
        auto* const images = static_cast<std::byte*>(place);
        std::vector<std::byte> image(cut.most_bytes());
        for (u32 treelet = 0; images && treelet < cut.count(); ++treelet) {
            const u64 begin = cut.places()[treelet];
            cut.write(treelet, image.data());
            maybe_memory_->copy_in(images + begin, image.data(), cut.places()[treelet + 1] - begin);
        }
        return images;
    }

    [[nodiscard]] bool is_complete() const { return is_complete_; }

    [[nodiscard]] u64 needed_bytes() const { return needed_bytes_; }

private:
    unit::DeviceMemory* maybe_memory_;
    u64 needed_bytes_ = 0;
    bool is_complete_ = true;
};

constexpr std::size_t kSrgbEntries = 256;

DeviceScene copy_all(const scene::Scene& scene,
                     const SceneTables& tables,
                     const accel::Acceleration& acceleration,
                     const std::vector<float>& filter_table,
                     TreeletCut& cut,
                     Copier& copier) {
    DeviceScene device;
    shaders::SceneView& view = device.view;
    view = tables.view;
    // Copy the scene's arrays.
    view.indices = copier.copy(scene.indices);
    view.positions = copier.copy(scene.positions);
    view.normals = copier.copy(scene.normals);
    view.tangents = copier.copy(scene.tangents);
    view.uvs = copier.copy(scene.uvs);
    view.colors = copier.copy(scene.colors);
    view.texels = copier.copy(scene.texels);
    // Copy the tables.
    view.slots = copier.copy(tables.slots);
    view.srgb_to_linear = copier.copy(tables.view.srgb_to_linear, kSrgbEntries);
    view.meshes = copier.copy(tables.meshes);
    view.instances = copier.copy(tables.instances);
    view.clip_planes = copier.copy(tables.clip_planes);
    view.materials = copier.copy(tables.materials);
    view.textures = copier.copy(tables.textures);
    view.lights = copier.copy(tables.lights);
    if (view.light_nodes != nullptr) {
        view.light_nodes = copier.copy(tables.light_nodes);
    }
    view.environment = copier.copy(scene.environment.pixels);
    view.environment_cells = copier.copy(tables.environment_cells);
    view.ggx_albedo_a = copier.copy(tables.ggx_albedo_a);
    view.ggx_albedo_b = copier.copy(tables.ggx_albedo_b);
    view.sheen_albedo = copier.copy(tables.sheen_albedo);
    // Copy the tables that only some scenes need.
    if (view.glass_loss != nullptr) {
        view.glass_loss = copier.copy(shaders::glass_losses().loss);
        view.glass_mean_loss = copier.copy(shaders::glass_losses().mean);
    }
    if (view.glass_anisotropy != nullptr) {
        view.glass_anisotropy = copier.copy(shaders::glass_anisotropy());
    }
    if (view.anisotropic_albedo != nullptr) {
        view.anisotropic_albedo = copier.copy(shaders::anisotropic_albedo());
    }
    if (view.spectrum != nullptr) {
        view.spectrum = copier.copy(shaders::spectrum_table());
    }
    // Copy the tree and the filter.
    device.treelets.images = copier.copy_images(cut);
    device.treelets.places = copier.copy(cut.places());
    device.treelets.placements =
        copier.copy(acceleration.placements.data(), acceleration.placements.size());
    device.treelets.count = cut.count();
    device.treelets.most_bytes = cut.most_bytes();
    device.treelets.most_ways_out = cut.most_ways_out();
    device.filter_table = copier.copy(filter_table);
    return device;
}

u64 mebibytes(u64 bytes) {
    constexpr u64 kMebibyte = u64{1} << 20;
    return (bytes + kMebibyte - 1) / kMebibyte;
}

base::Error too_small(u64 needed_bytes, const unit::DeviceMemory& memory) {
    return {base::ErrorKind::TooLarge,
            "--egpu-memory: the scene needs " + std::to_string(mebibytes(needed_bytes)) +
                " MiB on the device, which has " + std::to_string(memory.limit_bytes() >> 20) +
                " MiB"};
}

}  // namespace

base::Result<DeviceScene> copy_to_device(const scene::Scene& scene,
                                         const SceneTables& tables,
                                         const accel::Acceleration& acceleration,
                                         const std::vector<float>& filter_table,
                                         u32 treelet_bytes,
                                         unit::DeviceMemory& memory) {
    TreeletCut cut(acceleration.view(), acceleration.nodes.size(), treelet_bytes);
    Copier counter(nullptr);
    static_cast<void>(copy_all(scene, tables, acceleration, filter_table, cut, counter));
    if (counter.needed_bytes() > memory.limit_bytes()) {
        return too_small(counter.needed_bytes(), memory);
    }
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(counter.needed_bytes(), "the emulated device's copy of the scene");
    WEFT_TRY(claim);
    Copier copier(&memory);
    const DeviceScene device = copy_all(scene, tables, acceleration, filter_table, cut, copier);
    return copier.is_complete() ? base::Result<DeviceScene>(device)
                                : too_small(counter.needed_bytes(), memory);
}

}  // namespace weft::trace
