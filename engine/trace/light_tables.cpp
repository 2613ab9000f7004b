#include "engine/trace/light_tables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/math/vector.h"
#include "engine/trace/alias_table.h"
#include "engine/trace/environment_tables.h"
#include "engine/trace/light_tree.h"
#include "scheduler/base/ensure.h"
#include "shaders/host/scalar_math.h"
#include "shaders/surface/texel_lookup.h"

namespace weft::trace {

namespace {

using shaders::kPi;
using shaders::LightKind;

constexpr u32 kFewestPoints = 16;  // on a textured triangle
constexpr u32 kMostPoints = 4096;
constexpr u64 kTrianglesOfThread = 128;      // textured ones are some 10 us each
constexpr double kPointBudget = 16777216.0;  // over all emissive triangles, beyond the fewest

// An emissive instance and its records.
struct Emitter {
    const shaders::SceneView& view;
    u32 instance;
    const shaders::InstanceRecord& placed;
    const shaders::MeshRecord& mesh;
    const shaders::MaterialRecord& material;

    Emitter(const SceneTables& tables, u32 index)
        : view(tables.view),
          instance(index),
          placed(tables.instances[index]),
          mesh(tables.meshes[placed.mesh]),
          material(tables.materials[placed.material]) {}

    [[nodiscard]] bool is_opaque() const {
        return material.alpha_mode == static_cast<u32>(shaders::AlphaMode::Opaque);
    }
};

using Corners = std::array<math::DVec3, 3>;

// The corners of a triangle in the world.
Corners corners_of(const Emitter& emitter, u32 primitive) {
    const u32* corner = emitter.view.indices + 3 * (u64{emitter.mesh.first_triangle} + primitive);
    Corners world{};
    for (u32 k = 0; k < 3; ++k) {
        const float* p =
            emitter.view.positions + 3 * (u64{emitter.mesh.first_position} + corner[k]);
        for (u32 row = 0; row < 3; ++row) {
            const float* m = emitter.placed.object_to_world + 4 * row;
            world[k][row] = static_cast<double>(m[3]);
            for (u32 axis = 0; axis < 3; ++axis) {
                world[k][row] += static_cast<double>(m[axis]) * static_cast<double>(p[axis]);
            }
        }
    }
    return world;
}

// World area of a triangle; 0 if a corner is out of reach, because no tree holds such a triangle.
double area_of(const Emitter& emitter, u32 primitive) {
    const Corners world = corners_of(emitter, primitive);
    for (const math::DVec3& corner : world) {
        for (u32 row = 0; row < 3; ++row) {
            if (!(std::fabs(corner[row]) <= static_cast<double>(scene::kReach_m))) {
                return 0;
            }
        }
    }
    return 0.5 * length(cross(world[1] - world[0], world[2] - world[0]));
}

// Luminance at barycentrics (u, v) times alpha.
double emission_at(const Emitter& emitter, u32 primitive, float u, float v) {
    // Look the emission up.
    const auto texel =
        lookup_hit(emitter.view, emitter.material.emissive_slot, emitter.mesh, primitive, u, v);
    float rgb[3];
    for (u32 k = 0; k < 3; ++k) {
        rgb[k] = emitter.material.emissive[k] * texel[k];
    }
    // Multiply its luminance by alpha.
    const float alpha =
        emitter.is_opaque() ? 1 : hit_alpha(emitter.view, emitter.instance, primitive, u, v);
    return luminance_of(rgb) * std::clamp(static_cast<double>(alpha), 0.0, 1.0);
}

// Texels of a slot's level 0 under a triangle; 0 without a texture.
double texels_under(const Emitter& emitter, u32 slot_index, u32 primitive) {
    if (slot_index == kNone) {
        return 0;
    }
    const shaders::TextureSlot& slot = emitter.view.slots[slot_index];
    const shaders::TextureRecord& texture = emitter.view.textures[slot.texture];
    // Compute twice the area in uv, and how the slot's transform scales it.
    const auto a = interpolate_uv(emitter.view, emitter.mesh, primitive, slot.uv_set, 0, 0);
    const auto b = interpolate_uv(emitter.view, emitter.mesh, primitive, slot.uv_set, 1, 0);
    const auto c = interpolate_uv(emitter.view, emitter.mesh, primitive, slot.uv_set, 0, 1);
    const float* m = slot.uv_transform;
    const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    const float scale = m[0] * m[4] - m[1] * m[3];
    return 0.5 * static_cast<double>(std::fabs(area * scale)) * texture.width * texture.height;
}

// Mean emission over points of the R2 sequence (a Weyl sequence that aligns with no texel grid),
// folded into the triangle; about one point per texel within the limits.
double mean_emission(const Emitter& emitter, u32 primitive, u32 most_points) {
    // Without textures every point emits the same.
    const bool is_plain = emitter.material.emissive_slot == kNone && emitter.is_opaque();
    if (is_plain) {
        return emission_at(emitter, primitive, 0.25f, 0.25f);
    }
    // Take about one point per texel of the finer texture.
    double texels = texels_under(emitter, emitter.material.emissive_slot, primitive);
    if (!emitter.is_opaque()) {
        texels =
            std::max(texels, texels_under(emitter, emitter.material.base_color_slot, primitive));
    }
    const u32 points =
        texels < most_points ? std::max(kFewestPoints, static_cast<u32>(texels)) : most_points;
    // Average over the points.
    double sum = 0;
    for (u32 k = 0; k < points; ++k) {
        // 2³² divided by the plastic number and by its square.
        const float x = static_cast<float>(((k + 1) * 3242174889u) >> 8) * 0x1p-24f;
        const float y = static_cast<float>(((k + 1) * 2447445414u) >> 8) * 0x1p-24f;
        const bool is_inside = x + y <= 1;
        sum += emission_at(emitter, primitive, is_inside ? x : 1 - x, is_inside ? y : 1 - y);
    }
    return sum / points;
}

double power_of(const scene::Light& light, double radius) {
    const double luminance = luminance_of(&light.intensity.x);
    switch (light.kind) {
        case LightKind::Point:
            return 4 * kPi * luminance;
        case LightKind::Spot: {
            const double cosines =
                static_cast<double>(light.cos_inner) + static_cast<double>(light.cos_outer);
            return 2 * kPi * (1 - 0.5 * cosines) * luminance;
        }
        default:
            return kPi * radius * radius * luminance;
    }
}

// LightRecord::size.
float size_of(const scene::Light& light) {
    if (light.kind != LightKind::Directional) {
        return light.radius_m;
    }
    // 1 − cos σ = 2 sin²(σ/2) is accurate for small angles; σ is half of the angle.
    const double sine = shaders::sin_of(static_cast<double>(light.angle_deg) * kPi / 720);
    return static_cast<float>(2 * sine * sine);
}

shaders::LightRecord punctual_record(const scene::Light& light) {
    shaders::LightRecord record{};
    record.kind = static_cast<u32>(light.kind);
    const math::Vec3 direction(math::normalize(math::DVec3(light.direction), {0, 0, -1}));
    for (u32 k = 0; k < 3; ++k) {
        record.position[k] = light.position[k];
        record.direction[k] = direction[k];
        record.intensity[k] = light.intensity[k];
    }
    record.spot_cos_inner = light.cos_inner;
    record.spot_cos_outer = light.cos_outer;
    record.size = size_of(light);
    record.instance = kNone;
    record.primitive = kNone;
    return record;
}

// Half the diagonal of the scene's box; 0 for an empty scene.
double radius_of(const math::Box& bounds) {
    return bounds.is_empty() ? 0 : 0.5 * length(math::DVec3(bounds.high) - math::DVec3(bounds.low));
}

// Visible emissive instances, sorted.
std::vector<u32> emitters_of(const TablesConfig& config, const SceneTables& tables) {
    std::vector<u32> emitters;
    for (u32 i = 0; i < tables.instances.size(); ++i) {
        const bool is_visible = config.is_visible.empty() || config.is_visible[i];
        const u32 flags = tables.materials[tables.instances[i].material].flags;
        if (is_visible && (flags & shaders::kMaterialEmissive) != 0) {
            emitters.push_back(i);
        }
    }
    return emitters;
}

// Makes the light of one triangle and returns its power. Both sides emit, as those of a lamp are
// counted, too. A triangle whose area is 0 as a float has no density and power 0.
double make_triangle(const Emitter& emitter,
                     u32 primitive,
                     u32 most_points,
                     shaders::LightRecord& record) {
    record.kind = static_cast<u32>(LightKind::Triangle);
    record.instance = emitter.instance;
    record.primitive = primitive;
    record.light_group = emitter.placed.light_group;
    record.area = static_cast<float>(area_of(emitter, primitive));
    const double area = static_cast<double>(record.area);
    return area > 0 ? 2 * kPi * area * mean_emission(emitter, primitive, most_points) : 0;
}

void add_triangles(const TablesConfig& config,
                   TableWork& work,
                   SceneTables& tables,
                   std::vector<double>& powers) {
    // Number the lights.
    const std::vector<u32> emitters = emitters_of(config, tables);
    const u64 first = tables.lights.size();
    std::vector<u64> begins;  // by emitter: its first light
    u64 end = first;
    for (const u32 i : emitters) {
        begins.push_back(end);
        end += tables.meshes[tables.instances[i].mesh].triangle_count;
    }
    // Leave room for the environment. Light indices have 31 bits.
    ENSURE(end + 1, <, u64{shaders::kLightLeaf});
    for (std::size_t k = 0; k < emitters.size(); ++k) {
        tables.instances[emitters[k]].first_light = static_cast<u32>(begins[k]);
    }
    tables.lights.reserve(end + 1);
    powers.reserve(end + 1);
    tables.lights.resize(end);
    powers.resize(end);
    // Share the budget of texture points.
    const double share = kPointBudget / static_cast<double>(std::max<u64>(end - first, 1));
    const u32 most_points = static_cast<u32>(
        std::clamp(share, static_cast<double>(kFewestPoints), static_cast<double>(kMostPoints)));
    // Make the lights in parallel.
    work.place(end - first, kTrianglesOfThread, [&](u64 from, u64 to) {
        for (u64 light = first + from; light < first + to; ++light) {
            const auto after = std::upper_bound(begins.begin(), begins.end(), light);
            const auto k = static_cast<std::size_t>(after - begins.begin()) - 1;
            powers[light] = make_triangle(Emitter(tables, emitters[k]),
                                          static_cast<u32>(light - begins[k]),
                                          most_points,
                                          tables.lights[light]);
        }
    });
}

// Power ignores visibility: a sun outside would take nearly all samples of a closed room. So half
// of the choice is by power, and half gives each family of lights (directional; point and spot;
// triangles; environment) the same share, by power within.
void share_between_kinds(const std::vector<shaders::LightRecord>& lights,
                         std::vector<double>& powers) {
    constexpr std::array<u32, 5> kFamily = {
        0, 0, 1, 2, 3};  // by LightKind: points and spots are one family
    // Add up the power of each family.
    std::array<double, 4> family_power{};
    double total = 0;
    for (std::size_t i = 0; i < powers.size(); ++i) {
        family_power[kFamily[lights[i].kind]] += powers[i];
        total += powers[i];
    }
    // A single family has all samples anyway.
    const double families = static_cast<double>(std::count_if(
        family_power.begin(), family_power.end(), [](double power) { return power > 0; }));
    if (!(total > 0) || families < 2) {
        return;
    }
    // Choose half by power, half by family.
    for (std::size_t i = 0; i < powers.size(); ++i) {
        const double family = family_power[kFamily[lights[i].kind]];
        if (family > 0) {
            powers[i] *= 0.5 / total + 0.5 / (families * family);
        }
    }
}

// Share of the choice that is by power in spite of a tree: where walls hide what the tree prefers,
// the mean square of a sample stays within eight times that of power alone. A power of two: the
// values of the sampler's numbers in this share are a grid again.
constexpr double kTableShare = 0.125;

// Two lights with a place, such as the triangles of a panel, gain less than the walk costs.
bool gains_by_tree(const std::vector<LightBounds>& bounds) {
    const auto far = std::count_if(bounds.begin(), bounds.end(), [](const LightBounds& light) {
        return light.place != LightPlace::Bounded;
    });
    return bounds.size() >= (far > 0 ? 2 : 3);
}

// Bounds of a punctual light with a place.
LightBounds bounds_of_punctual(const shaders::LightRecord& light) {
    LightBounds bounds;
    const math::Vec3 position(light.position[0], light.position[1], light.position[2]);
    bounds.low = position - math::Vec3(light.size);
    bounds.high = position + math::Vec3(light.size);
    bounds.axis = {light.direction[0], light.direction[1], light.direction[2]};
    if (light.kind == static_cast<u32>(LightKind::Spot)) {
        // The falloff begins at the inner cone and ends at the outer one.
        const auto inner = static_cast<double>(light.spot_cos_inner);
        const auto outer = static_cast<double>(light.spot_cos_outer);
        const double sines = (1 - inner * inner) * (1 - outer * outer);
        bounds.cos_spread = light.spot_cos_inner;
        bounds.cos_reach =
            static_cast<float>(std::max(inner * outer + std::sqrt(std::max(sines, 0.0)), 0.0));
    }
    bounds.intensity = luminance_of(light.intensity);
    return bounds;
}

// Bounds of an emissive triangle of a power, which shines to both sides with the cosine.
LightBounds bounds_of_triangle(const SceneTables& tables,
                               const shaders::LightRecord& light,
                               double power) {
    const Corners world = corners_of(Emitter(tables, light.instance), light.primitive);
    LightBounds bounds;
    bounds.low = math::Vec3(glm::min(world[0], glm::min(world[1], world[2])));
    bounds.high = math::Vec3(glm::max(world[0], glm::max(world[1], world[2])));
    bounds.axis =
        math::Vec3(math::normalize(cross(world[1] - world[0], world[2] - world[0]), {0, 0, 1}));
    bounds.cos_spread = 1;
    bounds.is_two_sided = true;
    bounds.intensity = power / (2 * kPi);
    return bounds;
}

// Bounds of a directional light: the directions of its disk.
LightBounds bounds_of_sun(const shaders::LightRecord& light) {
    LightBounds bounds;
    bounds.place = LightPlace::Sun;
    bounds.axis = {light.direction[0], light.direction[1], light.direction[2]};
    bounds.cos_spread = 1 - light.size;
    bounds.intensity = luminance_of(light.intensity);
    return bounds;
}

LightBounds bounds_of_environment(double mean_luminance) {
    LightBounds bounds;
    bounds.place = LightPlace::Sky;
    bounds.intensity = kPi * mean_luminance;
    return bounds;
}

// Bounds of the lights with a power.
std::vector<LightBounds> bounds_of_lights(const SceneTables& tables,
                                          const std::vector<double>& powers) {
    std::vector<LightBounds> bounds;
    for (std::size_t i = 0; i < powers.size(); ++i) {
        const shaders::LightRecord& light = tables.lights[i];
        if (!(powers[i] > 0) || !std::isfinite(powers[i])) {
            continue;
        }
        switch (static_cast<LightKind>(light.kind)) {
            case LightKind::Triangle:
                bounds.push_back(bounds_of_triangle(tables, light, powers[i]));
                break;
            case LightKind::Directional:
                bounds.push_back(bounds_of_sun(light));
                break;
            case LightKind::Environment:
                bounds.push_back(bounds_of_environment(tables.environment_moments.mean));
                break;
            default:
                bounds.push_back(bounds_of_punctual(light));
        }
        bounds.back().light = static_cast<u32>(i);
    }
    return bounds;
}

// Makes the tree over the lights with a power.
void add_tree(const std::vector<LightBounds>& bounds, SceneTables& tables) {
    LightTree tree = make_light_tree(bounds);
    if (tables.view.environment_light != kNone) {
        tables.view.sky = make_sky_light(tables.environment_moments,
                                         static_cast<double>(tables.view.environment_cos),
                                         static_cast<double>(tables.view.environment_sin),
                                         tree.unit);
    }
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        tables.lights[bounds[k].light].tree_path = tree.path[k];
    }
    tables.light_nodes = std::move(tree.nodes);
}

}  // namespace

void add_lights(const scene::Scene& scene,
                const TablesConfig& config,
                TableWork& work,
                SceneTables& tables) {
    // Add punctual lights.
    const double radius = radius_of(tables.boxes.whole);
    std::vector<double> powers;
    const GroupedLights& groups = config.light_groups;
    ENSURE(groups.of_light.empty() || groups.of_light.size() == scene.lights.size(), ==, true);
    for (const scene::Light& light : scene.lights) {
        shaders::LightRecord record = punctual_record(light);
        record.light_group = groups.of_light.empty() ? 0 : groups.of_light[tables.lights.size()];
        tables.lights.push_back(record);
        powers.push_back(power_of(light, radius));
    }
    // Add emissive triangles.
    add_triangles(config, work, tables, powers);
    // Add the environment, if it has cells to sample.
    tables.view.environment_light = kNone;
    if (!tables.environment_cells.empty()) {
        tables.view.environment_light = static_cast<u32>(tables.lights.size());
        shaders::LightRecord record{};
        record.kind = static_cast<u32>(LightKind::Environment);
        record.light_group = groups.of_environment;
        record.instance = kNone;
        record.primitive = kNone;
        tables.lights.push_back(record);
        powers.push_back(kPi * kPi * radius * radius * tables.environment_moments.mean);
    }
    // Share the samples between families of lights; the light tree takes most of them.
    std::vector<LightBounds> bounds;
    if (config.light_choice == LightChoice::Tree) {
        bounds = bounds_of_lights(tables, powers);
    }
    share_between_kinds(tables.lights, powers);
    const bool has_tree = gains_by_tree(bounds);
    if (has_tree) {
        add_tree(bounds, tables);
    }
    // Build the alias table, and store it in the records.
    const double share = has_tree ? kTableShare : 1;
    const AliasTable table = make_alias_table(powers, static_cast<u32>(share * 0x1p24));
    double total = 0;
    for (std::size_t i = 0; i < tables.lights.size(); ++i) {
        tables.lights[i].choice_pdf = static_cast<float>(share * table.pdf[i]);
        tables.lights[i].alias_threshold = table.threshold[i];
        tables.lights[i].alias = table.alias[i];
        total += table.pdf[i];
    }
    tables.view.lights = tables.lights.data();
    tables.view.light_nodes = has_tree ? tables.light_nodes.data() : nullptr;
    tables.view.tree_share = static_cast<float>(1 - share);
    tables.view.light_count = total > 0 ? static_cast<u32>(tables.lights.size()) : 0;
}

}  // namespace weft::trace
