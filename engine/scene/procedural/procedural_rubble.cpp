// procedural_rubble.cpp — a closed room full of bumpy blobs, the scene with the most incoherent
// diffuse rays.
//
// The blobs lie in a heap that leaves room around the camera. Floor triangles make up the
// remainder, so the count is exact. See procedural.h.
#include <algorithm>
#include <cmath>

#include "engine/scene/procedural/procedural.h"
#include "engine/scene/procedural/procedural_noise.h"
#include "engine/scene/procedural/procedural_shapes.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {
namespace {

constexpr float kHalfWidth = 6;
constexpr float kHeight = 5;
constexpr math::Vec3 kEye = {-5.2f, 2.6f, 5.2f};
constexpr u64 kFixedTriangles = 12;  // four walls, ceiling, light
constexpr u64 kFloorTriangles = 2;   // at least
constexpr u32 kSeed = 0x72756262u;

// Meshes, in the order of append_shapes' groups.
enum Group : u32 { kFloor, kWalls, kLeftWall, kRightWall, kLight, kFirstBlobs };

constexpr u32 kBlobMaterials = 6;

Shape patch(u32 group,
            const math::Vec3& origin,
            const math::Vec3& edge_u,
            const math::Vec3& edge_v,
            u64 triangles) {
    Shape shape;
    shape.kind = Shape::Kind::Patch;
    shape.group = group;
    shape.origin = origin;
    shape.edge_u = edge_u;
    shape.edge_v = edge_v;
    shape.triangles = triangles;
    return shape;
}

// Floor, walls, ceiling and light, all facing inwards.
std::vector<Shape> make_room(u64 floor_triangles, bool is_closed) {
    constexpr float w = kHalfWidth;
    constexpr float h = kHeight;
    std::vector<Shape> shapes;
    shapes.push_back(patch(kFloor, {-w, 0, w}, {2 * w, 0, 0}, {0, 0, -2 * w}, floor_triangles));
    if (is_closed) {
        shapes.push_back(patch(kWalls, {-w, h, -w}, {2 * w, 0, 0}, {0, 0, 2 * w}, 2));
        shapes.push_back(patch(kWalls, {-w, 0, -w}, {2 * w, 0, 0}, {0, h, 0}, 2));
        shapes.push_back(patch(kWalls, {w, 0, w}, {-2 * w, 0, 0}, {0, h, 0}, 2));
        shapes.push_back(patch(kLeftWall, {-w, 0, w}, {0, 0, -2 * w}, {0, h, 0}, 2));
        shapes.push_back(patch(kRightWall, {w, 0, -w}, {0, 0, 2 * w}, {0, h, 0}, 2));
        shapes.push_back(patch(kLight, {-2, h - 0.02f, -2}, {4, 0, 0}, {0, 0, 4}, 2));
    }
    return shapes;
}

bool is_clear_of_camera(const math::Vec3& centre, float reach) {
    const math::Vec3 away = centre - kEye;
    return dot(away, away) > (reach + 0.8f) * (reach + 0.8f);
}

// A blob of the heap: near the floor more often than high up, never around the camera.
// `mean_radius` is the mean over all blobs.
Shape make_blob(u32 index, float mean_radius) {
    Shape blob;
    blob.seed = mix_bits(kSeed, index);
    blob.bumpiness = 0.22f;
    blob.group = kFirstBlobs + mix_bits(blob.seed, 77) % kBlobMaterials;
    blob.radius = mean_radius * (0.6f + 0.8f * random_unit(blob.seed, 0, 0));
    const float reach = blob.radius * 1.45f;  // bumps included
    for (u32 attempt = 1;; ++attempt) {
        const float across = 2 * (kHalfWidth - reach);
        blob.origin[0] = (random_unit(blob.seed, attempt, 0) - 0.5f) * across;
        blob.origin[2] = (random_unit(blob.seed, attempt, 1) - 0.5f) * across;
        const float layer = random_unit(blob.seed, attempt, 2);
        blob.origin[1] =
            std::fmin(0.7f * blob.radius + layer * layer * 3.2f, kHeight - 0.1f - reach);
        if (is_clear_of_camera(blob.origin, reach)) {
            return blob;
        }
        if (attempt == 16) {
            blob.origin = {kHalfWidth - reach, blob.origin[1], reach - kHalfWidth};
            return blob;
        }
    }
}

std::vector<ShapeGroup> make_groups(Scene& scene) {
    std::vector<ShapeGroup> groups;
    const auto add =
        [&](const char* name, const math::Vec3& color, float metallic, float roughness) {
            groups.push_back({name, append_material(scene, name, color, metallic, roughness)});
            return &scene.materials.back().record;
        };
    add("floor", {0.42f, 0.40f, 0.38f}, 0, 0.6f);
    add("walls", {0.72f, 0.70f, 0.66f}, 0, 0.9f);
    add("left wall", {0.66f, 0.30f, 0.20f}, 0, 0.9f);
    add("right wall", {0.22f, 0.42f, 0.56f}, 0, 0.9f);
    shaders::MaterialRecord* light = add("light", {0.8f, 0.8f, 0.8f}, 0, 1);
    light->emissive[0] = 14;
    light->emissive[1] = 12.5f;
    light->emissive[2] = 10;
    add("terracotta", {0.60f, 0.27f, 0.16f}, 0, 0.8f);
    add("stone", {0.45f, 0.44f, 0.42f}, 0, 0.7f);
    add("brass", {0.85f, 0.62f, 0.28f}, 1, 0.3f);
    add("jade", {0.16f, 0.45f, 0.28f}, 0, 0.2f);
    shaders::MaterialRecord* lacquer = add("lacquer", {0.10f, 0.14f, 0.50f}, 0, 0.5f);
    lacquer->coat = 1;
    lacquer->coat_roughness = 0.05f;
    add("plaster", {0.80f, 0.76f, 0.70f}, 0, 1);
    return groups;
}

}  // namespace

void append_rubble(u64 triangles, const ImportConfig& config, Scene& scene) {
    const bool is_closed = triangles >= kFixedTriangles + kFloorTriangles;
    u64 left = is_closed ? triangles - kFixedTriangles : triangles;
    std::vector<Shape> blobs;
    if (is_closed) {
        // More triangles make both more blobs and finer ones: about √N / 4 blobs, at most 1024.
        const u64 wanted =
            std::clamp<u64>(static_cast<u64>(std::sqrt(static_cast<double>(left)) / 4), 1, 1024);
        const double heap_volume = 60;  // m³ of blobs in the room
        const double ball_volume = heap_volume / static_cast<double>(wanted);
        const double radius = shaders::pow_of(ball_volume * 3 / (4 * shaders::kPi), 1.0 / 3);
        for (u64 i = 0; i < wanted; ++i) {
            const u32 frequency = blob_frequency((left - kFloorTriangles) / (wanted - i));
            if (frequency == 0) {
                break;
            }
            Shape blob =
                make_blob(static_cast<u32>(i), std::fmin(static_cast<float>(radius), 1.1f));
            blob.frequency = frequency;
            left -= triangle_count(blob);
            blobs.push_back(blob);
        }
    }
    std::vector<Shape> shapes = make_room(left, is_closed);
    shapes.insert(shapes.end(), blobs.begin(), blobs.end());
    append_shapes(config, scene, make_groups(scene), shapes);

    Camera camera;
    camera.name = "rubble";
    camera.to_world = look_at(kEye, {0.6f, 1.3f, -0.6f});
    camera.yfov_rad = 0.95f;
    camera.focus_m = 8;
    scene.cameras.push_back(camera);
}

}  // namespace weft::scene
