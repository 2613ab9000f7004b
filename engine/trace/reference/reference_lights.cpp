// reference_lights.cpp — see reference_lights.h.
#include "engine/trace/reference/reference_lights.h"

#include "engine/trace/reference/reference_material.h"

namespace weft::trace::reference {

namespace {

using shaders::LightKind;
using shaders::LightRecord;
using shaders::SceneView;

// Draws an entry of the lights' alias table; rescales the rest of the fraction to [0, 1).
u32 take_alias(const LightRecord* table, u32 count, double u, double& fraction) {
    const u32 i = std::min(static_cast<u32>(std::floor(u * count)), count - 1);
    const double threshold = table[i].alias_threshold;
    if (fraction < threshold) {
        fraction = fraction / threshold;
        return i;
    }
    fraction = (fraction - threshold) / (1 - threshold);
    return table[i].alias;
}

// Octahedral coordinates in 12 bits each, and back.
Vec rounded_direction(Vec n) {
    const double sum = std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z);
    double x = n.x / sum;
    double y = n.y / sum;
    if (n.z < 0) {
        const double folded_x = std::copysign(1 - std::fabs(y), x);
        y = std::copysign(1 - std::fabs(x), y);
        x = folded_x;
    }
    const auto rounded = [](double a) {
        return std::floor(saturate(a / 2 + 0.5) * 4095 + 0.5) * 2 / 4095 - 1;
    };
    x = rounded(x);
    y = rounded(y);
    const double z = 1 - std::fabs(x) - std::fabs(y);
    const double over = std::max(-z, 0.0);
    return normalize({x - std::copysign(over, x), y - std::copysign(over, y), z});
}

// Roughness and share are squares of fifteenths.
Highlight rounded_highlight(const Highlight& h) {
    const auto rounded = [](double a) { return std::floor(saturate(a) * 15 + 0.5); };
    const double share = square(rounded(std::sqrt(h.share)) / 15);
    if (h.alpha2 >= 0.25 || share <= 0) {
        return {};
    }
    const double root = std::max(rounded(std::sqrt(std::sqrt(h.alpha2))), 0.5) / 15;
    return {rounded_direction(h.middle), square(square(root)), share};
}

Vec rotate_about_y(Vec v, double cosine, double sine) {
    return {v.x * cosine + v.z * sine, v.y, v.z * cosine - v.x * sine};
}

// (u, v) in the environment's picture, [0, 1]².
Vec environment_point(const SceneView& scene, Vec direction) {
    const double cosine = scene.environment_cos;
    const double sine = scene.environment_sin;
    const Vec local = rotate_about_y(direction, cosine, -sine);
    return {0.5 + std::atan2(local.z, local.x) / (2 * kPi),
            0.5 - std::asin(std::clamp(local.y, -1.0, 1.0)) / kPi,
            0};
}

// Random numbers for a direction to a punctual light: the strategy (lobe or cone), and the point.
struct DirectionNumbers {
    double strategy = 0;
    Pair point;
};

// A direction that a BSDF or a phase function draws to a light; empty where it scatters nothing.
std::optional<Vec> drawn_direction(const Bsdf& bsdf, double choice, Pair u) {
    const BsdfSample lobe = bsdf.sample(choice, u);
    if (lobe.is_straight || !(largest(lobe.weight) > 0)) {
        return std::nullopt;
    }
    return lobe.direction;
}

std::optional<Vec> drawn_direction(const Phase& phase, double /*choice*/, Pair u) {
    return phase.sample(u);
}

// Samples a direction in a cone of radiance 1 about `axis`, by the cone or by what scatters there;
// `spread` is 1 − cosine of the half angle. Empty if a direction drawn otherwise misses the cone.
template <typename Scatterer>
std::optional<LightSample> sample_cone(const Scatterer& scatterer,
                                       Vec axis,
                                       double spread,
                                       DirectionNumbers u) {
    LightSample sample;
    const double share = scatterer.lobe_share(axis, spread);
    if (u.strategy < share) {
        const std::optional<Vec> drawn = drawn_direction(scatterer, u.strategy / share, u.point);
        if (!drawn || dot(*drawn - axis, *drawn - axis) / 2 > spread) {
            return std::nullopt;
        }
        sample.direction = *drawn;
    } else {
        const Vec disk = sample_disk(u.point);
        const double depth = spread * (square(disk.x) + square(disk.y));
        const double stretch = std::sqrt(spread * (2 - depth));
        sample.direction =
            normalize(frame_around(axis).to_world({disk.x * stretch, disk.y * stretch, 1 - depth}));
    }
    sample.radiance = gray(1);
    sample.pdf = (1 - share) / (2 * kPi * spread);
    if (share > 0) {
        sample.pdf += share * scatterer.pdf(sample.direction);
    }
    return sample;
}

// Samples a ball of radius light.size about the light's position.
template <typename Scatterer>
std::optional<LightSample> sample_ball(const Scatterer& scatterer,
                                       const LightRecord& light,
                                       Vec position,
                                       DirectionNumbers u) {
    const double radius = light.size;
    const Vec to_middle = vec_of(light.position) - position;
    const double distance2 = dot(to_middle, to_middle);
    const bool is_inside = distance2 < square(radius);
    const double sine2 = is_inside ? 0 : square(radius) / distance2;
    const double spread = is_inside ? 2 : sine2 / (1 + std::sqrt(1 - sine2));
    const Vec axis = distance2 > 0 ? normalize(to_middle) : Vec{0, 0, 1};
    std::optional<LightSample> sample = sample_cone(scatterer, axis, spread, u);
    if (!sample) {
        return std::nullopt;
    }
    sample->radiance = vec_of(light.intensity) / (kPi * square(radius));
    // Intersect the ball: in front of its centre, or behind it from inside.
    const double along = dot(to_middle, sample->direction);
    const double under_root = square(along) - distance2 + square(radius);
    const double half_chord = std::sqrt(std::max(0.0, under_root));
    sample->distance_m = std::max(0.0, is_inside ? along + half_chord : along - half_chord);
    return sample;
}

template <typename Scatterer>
std::optional<LightSample> sample_point(const Scatterer& scatterer,
                                        const LightRecord& light,
                                        Vec position,
                                        DirectionNumbers u) {
    LightSample sample;
    if (light.size > 0) {
        const std::optional<LightSample> ball = sample_ball(scatterer, light, position, u);
        if (!ball) {
            return std::nullopt;
        }
        sample = *ball;
    } else {
        const Vec to_light = vec_of(light.position) - position;
        sample.distance_m = length(to_light);
        if (sample.distance_m <= 0) {
            return std::nullopt;
        }
        sample.direction = to_light / sample.distance_m;
        sample.radiance = vec_of(light.intensity) / square(sample.distance_m);
        sample.pdf = 1;
    }
    if (light.kind == static_cast<u32>(LightKind::Spot)) {
        const double outer = light.spot_cos_outer;
        const double inner = light.spot_cos_inner;
        const double cosine = -dot(sample.direction, vec_of(light.direction));
        sample.radiance =
            sample.radiance * square(saturate((cosine - outer) / std::max(0.001, inner - outer)));
    }
    return sample;
}

template <typename Scatterer>
std::optional<LightSample> sample_directional(const Scatterer& scatterer,
                                              const LightRecord& light,
                                              DirectionNumbers u) {
    const double spread = light.size;
    if (spread > 0) {
        std::optional<LightSample> sample =
            sample_cone(scatterer, -vec_of(light.direction), spread, u);
        if (sample) {
            // sin² = (1 − cos)(1 + cos) of half its angle.
            sample->radiance = vec_of(light.intensity) / (kPi * spread * (2 - spread));
        }
        return sample;
    }
    LightSample sample;
    sample.direction = -vec_of(light.direction);
    sample.radiance = vec_of(light.intensity);
    sample.pdf = 1;
    return sample;
}

std::optional<LightSample> sample_triangle(const SceneView& scene,
                                           const LightRecord& light,
                                           Vec position,
                                           Pair u) {
    const TriangleName name = {light.instance, light.primitive};
    const Corners corners = world_corners(scene, name);
    const double root = std::sqrt(u.u0);
    const double b1 = 1 - root;
    const double b2 = u.u1 * root;
    const Vec point = corners.a * (1 - b1 - b2) + corners.b * b1 + corners.c * b2;
    const Vec to_light = point - position;
    LightSample sample;
    sample.distance_m = length(to_light);
    sample.direction = normalize(to_light);
    const double slope = dot(normalize(outward_cross(scene, name, corners)), sample.direction);
    const double cosine = std::fabs(slope);
    const u32 flags = scene.materials[scene.instances[name.instance].material].flags;
    const bool is_dark_back = (flags & shaders::kMaterialFrontEmission) != 0 && slope > 0;
    if (cosine <= 0 || sample.distance_m <= 0 || is_dark_back ||
        is_cut_away(scene, name.instance, point)) {
        return std::nullopt;
    }
    sample.pdf = square(sample.distance_m) / (static_cast<double>(light.area) * cosine);
    const TexturePoint textures = texture_point(scene, name.instance, name.primitive, b1, b2);
    sample.radiance = read_emission(scene, name, textures) *
                      read_alpha(scene, name.instance, name.primitive, b1, b2);
    sample.can_be_hit = true;
    sample.end = name;
    return sample;
}

// Draws one of `count` cells, and a place in it: the sum of both. `fine` has the bits below `u`.
double draw_cell(const shaders::EnvironmentCell* cells, u32 count, double u, double fine) {
    const double n = u * 0x1p24;
    const auto* const behind =
        std::upper_bound(cells, cells + count, n, [](double number, const auto& cell) {
            return number < static_cast<double>(cell.begin);
        });
    const auto& cell = *(behind - 1);
    const double steps = cell.steps;
    const double place = steps > 0 ? (n - static_cast<double>(cell.begin) + fine) / steps : 0;
    return static_cast<double>(&cell - cells) + place;
}

LightSample sample_environment(const SceneView& scene, Pair u, double fine) {
    const u32 width = scene.environment_width;
    const u32 height = scene.environment_height;
    // The coarser half of the finer bits is across, the other one down.
    const double across = std::floor(fine * 4096) / 4096;
    const double down = fine * 4096 - std::floor(fine * 4096);
    const shaders::EnvironmentCell* const cells = scene.environment_cells;
    const double row = draw_cell(cells + u64{width} * height, height, u.u1, down);
    const u64 first = u64{width} * static_cast<u32>(row);
    const double column = draw_cell(cells + first, width, u.u0, across);
    const double longitude = (column / width - 0.5) * 2 * kPi;
    const double latitude = (0.5 - row / height) * kPi;
    const Vec local = {std::cos(latitude) * std::cos(longitude),
                       std::sin(latitude),
                       std::cos(latitude) * std::sin(longitude)};
    LightSample sample;
    sample.direction = rotate_about_y(local,
                                      static_cast<double>(scene.environment_cos),
                                      static_cast<double>(scene.environment_sin));
    sample.radiance = environment_radiance(scene, sample.direction);
    const double cell_pdf = cells[first + static_cast<u32>(column)].pdf;
    sample.pdf =
        cell_pdf * width * height / (2 * square(kPi) * std::max(std::cos(latitude), 1e-12));
    sample.can_be_hit = true;
    return sample;
}

}  // namespace

double choice_pdf(const SceneView& scene, const LightRecord& light, const LitPoint& lit) {
    const double by_table = light.choice_pdf;
    if (scene.light_nodes == nullptr || by_table <= 0) {
        return by_table;
    }
    return by_table + static_cast<double>(scene.tree_share) * tree_pdf(scene, lit, light.tree_path);
}

LitPoint lit_point(const Surface& surface, const Bsdf& bsdf) {
    return {surface.position,
            rounded_direction(surface.frame.z),
            bsdf.is_lit_through(),
            false,
            rounded_highlight(bsdf.highlight())};
}

namespace {

// `scatterer`: a Bsdf or a Phase.
template <typename Scatterer>
std::optional<LightSample> sample_any_light(const SceneView& scene,
                                            const Scatterer& scatterer,
                                            const LitPoint& lit,
                                            LightNumbers numbers) {
    if (scene.light_count == 0) {
        return std::nullopt;
    }
    // Choose a light by the tree, or by the alias table; without a tree the numbers change places.
    const bool has_tree = scene.light_nodes != nullptr;
    const double tree_share = scene.tree_share;
    double fraction = has_tree ? numbers.choice : numbers.fraction;
    u32 index = kNone;
    if (has_tree && numbers.fraction < tree_share) {
        const double place = numbers.fraction / tree_share;
        const TreeDraw draw = draw_from_tree(scene, lit, place, numbers.fine);
        if (draw.light == kNone || !(scene.lights[draw.light].choice_pdf > 0)) {
            return std::nullopt;
        }
        index = draw.light;
        fraction = draw.rest;
    } else {
        const double rest =
            has_tree ? (numbers.fraction - tree_share) / (1 - tree_share) : numbers.choice;
        index = take_alias(scene.lights, scene.light_count, rest, fraction);
    }
    const LightRecord& light = scene.lights[index];
    const Vec position = lit.position;
    // Sample it by kind.
    std::optional<LightSample> sample;
    switch (static_cast<LightKind>(light.kind)) {
        case LightKind::Point:
        case LightKind::Spot:
            sample = sample_point(scatterer, light, position, {fraction, numbers.point});
            break;
        case LightKind::Directional:
            sample = sample_directional(scatterer, light, {fraction, numbers.point});
            break;
        case LightKind::Triangle:
            sample = sample_triangle(scene, light, position, numbers.point);
            break;
        case LightKind::Environment:
            sample = sample_environment(scene, numbers.point, numbers.fine);
            break;
    }
    // Multiply by the choice probability.
    if (sample) {
        sample->light = index;
        sample->pdf *= choice_pdf(scene, light, lit);
        if (!(sample->pdf > 0)) {
            sample.reset();
        }
    }
    return sample;
}

}  // namespace

LightNumbers light_numbers_of(u32 pixel, u32 sample, u32 depth) {
    const auto [point, choice] = sample_tuple(pixel, sample, light_tuple(depth));
    return {choice.u0, choice.u1, fine_number(pixel, sample, depth), point};
}

std::optional<LightSample> sample_light(const SceneView& scene,
                                        const Bsdf& bsdf,
                                        const LitPoint& lit,
                                        LightNumbers numbers) {
    return sample_any_light(scene, bsdf, lit, numbers);
}

std::optional<LightSample> sample_light(const SceneView& scene,
                                        const Phase& phase,
                                        const LitPoint& lit,
                                        LightNumbers numbers) {
    return sample_any_light(scene, phase, lit, numbers);
}

double triangle_pdf(const SceneView& scene,
                    const LitPoint& lit,
                    const Surface& surface,
                    double distance_m) {
    const u32 first = scene.instances[surface.name.instance].first_light;
    const double cosine = std::fabs(dot(surface.geometric, surface.wo));
    if (first == kNone || cosine <= 0) {
        return 0;
    }
    const LightRecord& light = scene.lights[first + surface.name.primitive];
    const double area = light.area;
    return choice_pdf(scene, light, lit) * square(distance_m) / (area * cosine);
}

double environment_pdf(const SceneView& scene, const LitPoint& lit, Vec direction) {
    if (scene.environment_light == kNone) {
        return 0;
    }
    const u32 width = scene.environment_width;
    const u32 height = scene.environment_height;
    const Vec uv = environment_point(scene, direction);
    const u32 column = std::min(static_cast<u32>(uv.x * width), width - 1);
    const u32 row = std::min(static_cast<u32>(uv.y * height), height - 1);
    const double choice = choice_pdf(scene, scene.lights[scene.environment_light], lit);
    const double cell = scene.environment_cells[row * width + column].pdf;
    const double cosine = std::max(std::cos((0.5 - uv.y) * kPi), 1e-12);
    return choice * cell * width * height / (2 * square(kPi) * cosine);
}

Rgb environment_radiance(const SceneView& scene, Vec direction) {
    if (scene.environment_width == 0) {
        return {};
    }
    const auto width = static_cast<i64>(scene.environment_width);
    const auto height = static_cast<i64>(scene.environment_height);
    const Vec uv = environment_point(scene, direction);
    const double x = uv.x * scene.environment_width - 0.5;
    const double y = uv.y * scene.environment_height - 0.5;
    const auto left = static_cast<i64>(std::floor(x));
    const auto top = static_cast<i64>(std::floor(y));
    const auto texel = [&](i64 column, i64 row) {
        const i64 across = ((column % width) + width) % width;
        const i64 down = std::clamp<i64>(row, 0, height - 1);
        return vec_of(scene.environment + 3 * (down * width + across));
    };
    const double weight = x - std::floor(x);
    const Rgb upper = mix(texel(left, top), texel(left + 1, top), weight);
    const Rgb lower = mix(texel(left, top + 1), texel(left + 1, top + 1), weight);
    return mix(upper, lower, y - std::floor(y)) * static_cast<double>(scene.environment_scale);
}

}  // namespace weft::trace::reference
