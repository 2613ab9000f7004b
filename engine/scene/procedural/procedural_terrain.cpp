// procedural_terrain.cpp — hills under a sky: one large heightfield with grazing primary rays and
// long shadow rays.
//
// A grid of square cells, filled row by row until the count is reached, so the count is exact and
// the far edge may be ragged. Coloured through a small texture over (height, slope). See
// procedural.h.
#include <algorithm>
#include <cmath>
#include <utility>

#include <tbb/parallel_for.h>

#include "engine/scene/model/sky.h"
#include "engine/scene/model/texture.h"
#include "engine/scene/procedural/procedural.h"
#include "engine/scene/procedural/procedural_noise.h"
#include "engine/scene/procedural/procedural_shapes.h"

namespace weft::scene {
namespace {

constexpr float kSide = 1000;  // metres
constexpr float kTop = 190;    // heights lie in [0, kTop]
constexpr u32 kSeed = 0x74657272u;
constexpr u32 kPalette = 64;  // texels along height and along slope

float terrain_height(float x, float z) {
    const float u = x * (1.0f / 260.0f);
    const float v = z * (1.0f / 260.0f);
    // Ridges: the fold of a noise, squared; weaker where the land is low, with finer layers on top.
    const float land = 0.5f + 0.25f * layered_noise(u * 0.6f, 0.5f, v * 0.6f, kSeed, 2);
    const float fold = 1.0f - std::fabs(layered_noise(u, 3.5f, v, kSeed ^ 0x51edu, 3) * 0.6f);
    const float detail = layered_noise(u * 7, 7.5f, v * 7, kSeed ^ 0xa11eu, 5);
    const float height = land * (0.35f + 0.65f * fold * fold) + 0.025f * detail * (0.3f + land);
    return kTop * std::fmin(std::fmax(height, 0.0f), 1.0f);
}

struct Grid {
    u64 columns = 1;  // cells
    u64 rows = 1;     // cells; the last row may be filled in part

    [[nodiscard]] u64 vertex_count() const { return (columns + 1) * (rows + 1); }

    [[nodiscard]] float cell() const { return kSide / static_cast<float>(columns); }
};

math::Vec3 normal_at(const Scene& scene, const Grid& grid, std::size_t first, u64 row, u64 column) {
    const auto height = [&](u64 r, u64 c) {
        return scene.positions[first + 3 * (r * (grid.columns + 1) + c) + 1];
    };
    const u64 left = column == 0 ? 0 : column - 1;
    const u64 right = std::min(column + 1, grid.columns);
    const u64 before = row == 0 ? 0 : row - 1;
    const u64 after = std::min(row + 1, grid.rows);
    const float dx =
        (height(row, right) - height(row, left)) / (static_cast<float>(right - left) * grid.cell());
    // Rows run towards −Z.
    const float dz = (height(before, column) - height(after, column)) /
                     (static_cast<float>(after - before) * grid.cell());
    const float scale = 1.0f / std::sqrt(dx * dx + dz * dz + 1.0f);
    return {-dx * scale, scale, -dz * scale};
}

// Makes rows in parallel, and none once the import is cancelled.
template <typename Make>
void for_each_row(const ImportConfig& config, u64 rows, const Make& make) {
    tbb::parallel_for(u64{0}, rows, [&](u64 row) {
        if (!is_given_up(config)) {
            make(row);
        }
    });
}

void write_heights(const ImportConfig& config, Scene& scene, const Grid& grid, std::size_t first) {
    float* const positions = scene.positions.data();
    for_each_row(config, grid.rows + 1, [&](u64 row) {
        for (u64 column = 0; column <= grid.columns; ++column) {
            const float x = static_cast<float>(column) * grid.cell() - kSide / 2;
            const float z = kSide / 2 - static_cast<float>(row) * grid.cell();
            const std::size_t at = first + 3 * (row * (grid.columns + 1) + column);
            positions[at] = x;
            positions[at + 1] = terrain_height(x, z);
            positions[at + 2] = z;
        }
    });
}

void write_normals(const ImportConfig& config,
                   Scene& scene,
                   const Grid& grid,
                   std::size_t first,
                   std::size_t first_normal,
                   std::size_t first_uv) {
    const float* const positions = std::as_const(scene).positions.data();
    float* const normals = scene.normals.data();
    float* const uvs = scene.uvs.data();
    for_each_row(config, grid.rows + 1, [&](u64 row) {
        for (u64 column = 0; column <= grid.columns; ++column) {
            const u64 vertex = row * (grid.columns + 1) + column;
            const math::Vec3 normal = normal_at(scene, grid, first, row, column);
            std::copy_n(&normal.x, 3, normals + first_normal + 3 * vertex);
            uvs[first_uv + 2 * vertex] = positions[first + 3 * vertex + 1] / kTop;
            uvs[first_uv + 2 * vertex + 1] = 1 - normal[1];
        }
    });
}

void write_cells(const ImportConfig& config,
                 Scene& scene,
                 const Grid& grid,
                 std::size_t first_index,
                 u64 triangles) {
    u32* const indices = scene.indices.data();
    for_each_row(config, grid.rows, [&](u64 row) {
        const u64 stop = std::min(triangles, 2 * grid.columns * (row + 1));
        for (u64 triangle = 2 * grid.columns * row; triangle < stop; ++triangle) {
            const u64 near = row * (grid.columns + 1) + (triangle / 2 - row * grid.columns);
            const u64 far = near + grid.columns + 1;
            const bool is_second = triangle % 2 == 1;
            const std::size_t at = first_index + 3 * triangle;
            indices[at] = static_cast<u32>(is_second ? near + 1 : near);
            indices[at + 1] = static_cast<u32>(is_second ? far + 1 : near + 1);
            indices[at + 2] = static_cast<u32>(far);
        }
    });
}

// Columns: height from shore to peak. Rows: slope from flat to steep.
base::Result<u32> append_palette(Scene& scene) {
    struct Stop {
        float height;
        math::Vec3 color{};
    };

    static constexpr std::array<Stop, 5> kFlat = {{{0.0f, {176, 160, 118}},
                                                   {0.18f, {92, 112, 56}},
                                                   {0.45f, {60, 84, 44}},
                                                   {0.62f, {112, 104, 92}},
                                                   {0.78f, {236, 240, 246}}}};
    static constexpr math::Vec3 kRock = {104, 94, 84};
    DecodedImage image;
    image.width = image.height = kPalette;
    for (u32 row = 0; row < kPalette; ++row) {
        const float slope = static_cast<float>(row) / (kPalette - 1);
        const float rock = std::fmin(std::fmax((slope - 0.12f) * 8, 0.0f), 1.0f);
        for (u32 column = 0; column < kPalette; ++column) {
            const float height = static_cast<float>(column) / (kPalette - 1);
            std::size_t next = 1;
            while (next + 1 < kFlat.size() && kFlat[next].height < height) {
                ++next;
            }
            const Stop& low = kFlat[next - 1];
            const Stop& high = kFlat[next];
            const float t = std::fmin((height - low.height) / (high.height - low.height), 1.0f);
            for (std::size_t channel = 0; channel < 3; ++channel) {
                const float flat =
                    low.color[channel] + (high.color[channel] - low.color[channel]) * t;
                image.bytes.push_back(
                    static_cast<u8>(flat + (kRock[channel] - flat) * rock + 0.5f));
            }
            image.bytes.push_back(255);
        }
    }
    const base::Result<u32> texture =
        append_texture(scene, image, TexelMeaning::Color, "terrain palette");
    WEFT_TRY(texture);
    shaders::TextureSlot slot{};
    slot.texture = texture.value();
    slot.uv_transform[0] = slot.uv_transform[4] = 1;
    slot.wrap_u = slot.wrap_v = static_cast<u32>(shaders::Wrap::Clamp);
    scene.slots.push_back(slot);
    return static_cast<u32>(scene.slots.size() - 1);
}

}  // namespace

base::Status append_terrain(u64 triangles, const ImportConfig& config, Scene& scene) {
    // Choose a grid with as many triangles.
    Grid grid;
    grid.columns =
        std::max<u64>(1, static_cast<u64>(std::sqrt(static_cast<double>(triangles) / 2)));
    grid.rows = (triangles + 2 * grid.columns - 1) / (2 * grid.columns);
    // Make room, and write it.
    const std::size_t first_index = scene.indices.size();
    const std::size_t first_position = scene.positions.size();
    const std::size_t first_normal = scene.normals.size();
    const std::size_t first_uv = scene.uvs.size();
    scene.indices.resize(first_index + 3 * triangles);
    scene.positions.resize(first_position + 3 * grid.vertex_count());
    scene.normals.resize(first_normal + 3 * grid.vertex_count());
    scene.uvs.resize(first_uv + 2 * grid.vertex_count());
    write_heights(config, scene, grid, first_position);
    write_normals(config, scene, grid, first_position, first_normal, first_uv);
    write_cells(config, scene, grid, first_index, triangles);
    // Add material, mesh and instance.
    const u32 material = append_material(scene, "terrain", {1, 1, 1}, 0, 0.95f);
    const base::Result<u32> palette = append_palette(scene);
    WEFT_TRY(palette);
    scene.materials[material].record.base_color_slot = palette.value();
    shaders::MeshRecord record{};
    record.first_triangle = static_cast<u32>(first_index / 3);
    record.triangle_count = static_cast<u32>(triangles);
    record.first_position = static_cast<u32>(first_position / 3);
    record.first_normal = static_cast<u32>(first_normal / 3);
    record.first_uv0 = static_cast<u32>(first_uv / 2);
    record.first_tangent = record.first_uv1 = record.first_color = kNone;
    scene.meshes.push_back({"terrain", record, material});
    scene.instances.push_back(
        {static_cast<u32>(scene.meshes.size() - 1), material, math::kIdentity, "terrain"});
    // Add sky, sun and camera.
    if (scene.environment.width == 0) {
        scene.environment = clear_sky();
    }
    Light sun;
    sun.name = "sun";
    sun.kind = shaders::LightKind::Directional;
    sun.direction = {0.64f, -0.48f, -0.6f};
    sun.intensity = {7.5f, 6.6f, 5.2f};
    scene.lights.push_back(sun);
    Camera camera;
    camera.name = "terrain";
    const math::Vec3 eye = {-60, terrain_height(-60, 440) + 55, 440};
    camera.to_world = look_at(eye, {20, 70, 0});
    camera.yfov_rad = 0.7f;
    camera.focus_m = 450;
    scene.cameras.push_back(camera);
    return base::Done{};
}

}  // namespace weft::scene
