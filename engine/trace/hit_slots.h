// hit_slots.h — the corners of hits by path: what the shade kernel reads of triangles where these
// lie in pages (engine/accel/surface_pages.h).
//
// A hit's three corners are copied to the place of its path. The kernel reads them through a view
// whose arrays hold the corners 3 · slot to 3 · slot + 2, as if each path had a triangle of its own
// with the path's number, in any mesh. The numbers are those of the scene, so the bits are.
//
// Integrators of one frame share the tables; each has its own slots, sized before the frame. One
// cluster's thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/accel/surface_pages.h"
#include "engine/trace/unit_memory.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

// What the views of all integrators have in common. Made for a number of paths.
struct HitTables {
    std::vector<shaders::MeshRecord> meshes;  // which parts they have, and where slots begin
    std::vector<u32> indices;                 // corner k is vertex k
    std::array<bool, accel::kSurfaceParts> has_part{};  // some mesh of the scene has it
};

HitTables make_hit_tables(std::span<const shaders::MeshRecord> meshes, u32 path_count);

class HitSlots {
public:
    // The scene's view, the tables and the memory outlive the slots.
    HitSlots(const shaders::SceneView& scene,
             const HitTables& tables,
             u32 path_count,
             UnitMemory& memory);

    // False if memory ran out.
    [[nodiscard]] bool is_allocated() const { return size_bytes_ > 0; }

    [[nodiscard]] u64 size_bytes() const { return size_bytes_; }

    // The scene with the slots' corners; `primitive` of a hit is its slot.
    [[nodiscard]] const shaders::SceneView& view() const { return view_; }

    // Copies a hit's corners out of its record, or out of the scene's arrays.
    void copy_record(u32 slot, u32 mesh, const char* record);
    void copy_from_scene(u32 slot, u32 mesh, u32 primitive);

    // Bytes of one path.
    static u32 bytes_per_path(const HitTables& tables);

private:
    const shaders::MeshRecord* meshes_;  // of the scene
    accel::SurfaceArrays arrays_;        // of the scene
    std::array<float*, accel::kSurfaceParts> corners_{};
    shaders::SceneView view_;
    u64 size_bytes_ = 0;
};

}  // namespace weft::trace
