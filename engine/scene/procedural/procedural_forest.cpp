// procedural_forest.cpp — a wood of many placements of few meshes, as production scenes have them.
//
// Fifty kinds of trees, each of a crown and a stem: a hundred meshes, which share no triangle. A
// tree stands in each cell of a square grid, off its centre, turned and scaled. The ground is one
// more instance. See procedural.h.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/model/sky.h"
#include "engine/scene/procedural/procedural.h"
#include "engine/scene/procedural/procedural_noise.h"
#include "engine/scene/procedural/procedural_shapes.h"

namespace weft::scene {
namespace {

constexpr u32 kKinds = 50;
constexpr u32 kPartsOfTree = 2;
constexpr u32 kCrownBlobs = 5;
constexpr u32 kStemBlobs = 6;
constexpr float kCell = 3.4f;  // metres from tree to tree
constexpr u32 kSeed = 0x666f7265u;

Shape ball(u32 group, const math::Vec3& centre, float radius, u32 frequency, float bumpiness) {
    Shape shape;
    shape.group = group;
    shape.origin = centre;
    shape.radius = radius;
    shape.frequency = frequency;
    shape.bumpiness = bumpiness;
    return shape;
}

// Crown and stem of a kind, standing at the origin: 10,240 and 432 triangles.
void append_kind(u32 kind, std::vector<Shape>& shapes) {
    const u32 seed = mix_bits(kSeed, kind);
    const u32 crown = kPartsOfTree * kind;
    const float height = 3.2f + 2.2f * random_unit(seed, 0, 0);
    for (u32 k = 0; k < kCrownBlobs; ++k) {
        const float up = static_cast<float>(k) / (kCrownBlobs - 1);
        const float reach = (0.9f - 0.6f * up) * (random_unit(seed, 1, k) - 0.5f);
        const float aside = (0.9f - 0.6f * up) * (random_unit(seed, 2, k) - 0.5f);
        Shape blob = ball(crown,
                          {reach, height * (0.42f + 0.5f * up), aside},
                          (1.25f - 0.7f * up) * (0.8f + 0.3f * random_unit(seed, 3, k)),
                          16,
                          0.35f);
        blob.seed = mix_bits(seed, k);
        shapes.push_back(blob);
    }
    for (u32 k = 0; k < kStemBlobs; ++k) {
        const float up = static_cast<float>(k) / (kStemBlobs - 1);
        shapes.push_back(
            ball(crown + 1, {0, 0.06f + height * 0.4f * up, 0}, 0.26f - 0.1f * up, 3, 0));
    }
}

// Where the tree of a cell stands.
math::Affine standing(u32 tree, u64 column, u64 row) {
    const auto draw = [tree](u32 number) { return random_unit(kSeed, tree + 1, number); };
    // A turn without libm: the half angle's tangent gives sine and cosine.
    const float t = 2 * draw(0) - 1;
    const float scale = 0.7f + 0.6f * draw(1);
    const float cosine = (1 - t * t) / (1 + t * t) * scale;
    const float sine = 2 * t / (1 + t * t) * scale;
    const float x = (static_cast<float>(column) + 0.15f + 0.7f * draw(2)) * kCell;
    const float z = (static_cast<float>(row) + 0.15f + 0.7f * draw(3)) * kCell;
    return {cosine, 0, sine, x, 0, scale, 0, 0, -sine, 0, cosine, -z};
}

std::vector<ShapeGroup> make_groups(Scene& scene) {
    std::vector<ShapeGroup> groups;
    const u32 bark = append_material(scene, "bark", {0.16f, 0.11f, 0.08f}, 0, 0.9f);
    std::array<u32, 5> leaves{};
    for (u32 k = 0; k < leaves.size(); ++k) {
        const float hue = 0.20f + 0.035f * static_cast<float>(k);
        leaves[k] = append_material(
            scene, "leaves " + std::to_string(k + 1), hue_color(hue, 0.7f, 0.30f), 0, 0.8f);
    }
    for (u32 kind = 0; kind < kKinds; ++kind) {
        const std::string number = std::to_string(kind + 1);
        groups.push_back({"crown " + number, leaves[kind % leaves.size()]});
        groups.push_back({"stem " + number, bark});
    }
    groups.push_back({"ground", append_material(scene, "ground", {0.20f, 0.17f, 0.11f}, 0, 0.95f)});
    return groups;
}

void append_view(float side, Scene& scene) {
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
    camera.name = "forest";
    camera.to_world = look_at({0.5f * side, 9, 6}, {0.5f * side + 3, 1.5f, -26});
    camera.yfov_rad = 0.8f;
    camera.focus_m = 20;
    scene.cameras.push_back(camera);
}

}  // namespace

void append_forest(u64 placements, const ImportConfig& config, Scene& scene) {
    // Make each mesh once, and the ground.
    const u64 trees = (placements + kPartsOfTree - 1) / kPartsOfTree;
    const auto columns = static_cast<u64>(std::ceil(std::sqrt(static_cast<double>(trees))));
    const float side = static_cast<float>(columns) * kCell;
    const u32 kinds = static_cast<u32>(std::min<u64>(kKinds, trees));
    std::vector<Shape> shapes;
    for (u32 kind = 0; kind < kinds; ++kind) {
        append_kind(kind, shapes);
    }
    Shape ground;
    ground.kind = Shape::Kind::Patch;
    ground.group = kPartsOfTree * kKinds;
    ground.origin = {-2 * side, 0, side};
    ground.edge_u = {5 * side, 0, 0};
    ground.edge_v = {0, 0, -4 * side};
    shapes.push_back(ground);
    const std::size_t first = scene.instances.size();
    append_shapes(config, scene, make_groups(scene), shapes);
    if (is_given_up(config)) {
        return;
    }
    // Place them.
    const std::vector<Instance> parts(scene.instances.begin() + static_cast<std::ptrdiff_t>(first),
                                      scene.instances.end() - 1);
    const Instance floor = scene.instances.back();
    scene.instances.resize(first);
    scene.instances.reserve(first + placements + 1);
    for (u64 k = 0; k < placements; ++k) {
        const u64 tree = k / kPartsOfTree;
        const auto number = static_cast<u32>(tree);
        const u64 kind = tree < kinds ? tree : mix_bits(kSeed, number) % kinds;
        Instance placed = parts[kPartsOfTree * kind + k % kPartsOfTree];
        placed.object_to_world = standing(number, tree % columns, tree / columns);
        placed.place = number;
        scene.instances.push_back(placed);
    }
    scene.instances.push_back(floor);
    append_view(side, scene);
}

}  // namespace weft::scene
