// reference_path.cpp — see reference_path.h.
#include "engine/trace/reference/reference_path.h"

#include <cmath>

namespace weft::trace::reference {

namespace {

using shaders::CameraRecord;

constexpr u32 kMaxHits = 64;
constexpr u32 kRouletteFrom = 3;  // scattering events
constexpr double kSurvivalScale = 1.25;
constexpr u32 kCertainRouletteFrom = 8;
constexpr double kMostSurvival = 0.95;
constexpr double kExpectedScale = 2;  // where the guide expects some light
constexpr double kLeastTint = 0x1p-30;

const char* name_of(Lobe lobe) {
    switch (lobe) {
        case Lobe::Coat:
            return "coat";
        case Lobe::Sheen:
            return "sheen";
        case Lobe::Specular:
            return "specular";
        case Lobe::Diffuse:
            return "diffuse";
        case Lobe::Transmission:
            return "transmission";
    }
    return "no";
}

// Samples the pixel filter: offset from the pixel's centre.
double filter_offset(const float* table, double u) {
    const double place = u * shaders::kFilterTableSize;
    const auto entry = static_cast<u32>(std::floor(place));
    const double low = table[entry];
    const double high = table[entry + 1];
    return mix(low, high, place - entry);
}

}  // namespace

Path::Path(const PathScene& scene, u32 x, u32 y, u32 sample, Story& story)
    : scene_(scene),
      story_(story),
      pixel_hash_(pixel_hash(scene.params.seed, x, y)),
      sample_(sample),
      media_(scene.media) {
    start_camera_ray(x, y);
}

Tuple Path::direction_numbers() const {
    return sample_tuple(pixel_hash_, sample_, direction_tuple(depth_));
}

LightNumbers Path::light_numbers() const {
    return light_numbers_of(pixel_hash_, sample_, depth_);
}

void Path::start_camera_ray(u32 x, u32 y) {
    const CameraRecord& camera = scene_.camera;
    const auto [filter, lens_numbers] = sample_tuple(pixel_hash_, sample_, kCameraTuple);
    const double film_x = x + 0.5 + filter_offset(scene_.params.filter_table, filter.u0);
    const double film_y = y + 0.5 + filter_offset(scene_.params.filter_table, filter.u1);
    const double half_width = camera.half_width;
    const double half_height = camera.half_height;
    const double s =
        (film_x / scene_.params.width * 2 - 1) * half_width + static_cast<double>(camera.shift_s);
    const double t =
        (1 - film_y / scene_.params.height * 2) * half_height + static_cast<double>(camera.shift_t);
    const Vec origin = vec_of(camera.origin);
    const Vec right = vec_of(camera.right);
    const Vec up = vec_of(camera.up);
    const Vec forward = vec_of(camera.forward);

    // Narrow the ray cone: a later sample shares the pixel with those before it.
    const double share = 1 / std::sqrt(1 + 3.0 * sample_);
    if (camera.is_orthographic != 0) {
        ray_.origin = origin + right * s + up * t;
        ray_.direction = normalize(forward);
        cone_width_m_ = share * static_cast<double>(camera.pixel_width_m);
    } else {
        const double radius = camera.lens_radius_m;
        const Vec lens = sample_disk(lens_numbers) * radius;
        const Vec pinhole = forward + right * s + up * t;
        const double focus = camera.focus_m;
        ray_.origin = origin + right * lens.x + up * lens.y;
        ray_.direction =
            radius > 0 ? normalize(origin + pinhole * focus - ray_.origin) : normalize(pinhole);
        cone_spread_ = share * static_cast<double>(camera.pixel_spread);
    }
    ray_.alpha_key = alpha_key(pixel_hash_, sample_, depth_);
    story_.tell("Camera ray from ", ray_.origin, " along ", ray_.direction, ".");
}

std::array<double, 4> Path::trace() {
    while (depth_ < kMaxHits) {
        const std::optional<RayHit> hit = scene_.tree.closest(ray_);
        if (!hit) {
            miss();
            break;
        }
        if (!shade(*hit)) {
            break;
        }
    }
    if (is_direct_) {
        split_.direct = {radiance_.x, radiance_.y, radiance_.z};
    }
    story_.tell("Sum: radiance ", radiance_, ", alpha ", alpha_, ".");
    return {radiance_.x, radiance_.y, radiance_.z, alpha_};
}

void Path::miss() {
    const bool is_camera_ray = bounces_ == 0;
    if (is_camera_ray && alpha_ == 0 && scene_.view.environment_is_visible == 0) {
        story_.tell("Miss: the environment is hidden from camera rays.");
        return;
    }
    const double weight =
        counts_fully_ ? 1
                      : power_heuristic(pdf_, environment_pdf(scene_.view, lit_, ray_.direction));
    const Rgb found = environment_radiance(scene_.view, ray_.direction);
    if (is_camera_ray) {
        alpha_ = 1;
    }
    story_.tell("Miss: environment ", found, " with weight ", weight, ".");
    add(clamped(throughput_ * found * weight, bounces_), scene_.view.environment_group, way_);
}

Path::Way Path::way_of(const Vertex& vertex, const Bsdf& bsdf, Vec wi) const {
    if (way_.is_scattered) {
        return way_;
    }
    return {true, dot(wi, vertex.surface.geometric) < 0, bsdf.diffuse_share(wi)};
}

void Path::add(Rgb contribution, u32 light_group, const Way& way) {
    radiance_ += contribution;
    const auto add_to = [](LightSplit::Radiance& sum, Rgb part) {
        sum = {sum[0] + part.x, sum[1] + part.y, sum[2] + part.z};
    };
    add_to(split_.groups[light_group], contribution);
    if (!way.is_scattered || way.is_transmitted) {
        add_to(way.is_scattered ? split_.transmission : split_.emission, contribution);
        return;
    }
    const Rgb diffuse = contribution * way.diffuse;
    add_to(split_.diffuse, diffuse);
    add_to(split_.specular, contribution - diffuse);
}

void Path::see(Rgb radiance, double passed_on, bool is_straight) {
    if (is_settled_ && is_direct_ && !is_straight) {
        split_.direct = {radiance.x, radiance.y, radiance.z};
        is_direct_ = false;
    }
    is_settled_ = is_settled_ || passed_on < 0.5;
}

bool Path::shade(const RayHit& hit) {
    // Travel through the medium, which may scatter the path on its way.
    if (const std::optional<MediumWay> way = scattered_way(hit)) {
        return scatter_in_medium(hit, *way);
    }
    // Reach the hit: widen the cone.
    cone_width_m_ += cone_spread_ * hit.t;
    travelled_m_ += hit.t;

    // Evaluate the surface; pass through hidden boundaries and culled faces.
    Vertex vertex;
    vertex.surface = make_surface(scene_.view, hit, ray_.direction, {cone_width_m_, cone_spread_});
    vertex.material = read_material(scene_.view, vertex.surface);
    story_.tell("Hit ",
                depth_,
                ": instance ",
                hit.name.instance,
                ", triangle ",
                hit.name.primitive,
                ", material ",
                vertex.surface.material,
                ", ",
                vertex.surface.is_front ? "front" : "back",
                " at ",
                vertex.surface.position,
                " after ",
                hit.t,
                " m.");
    if (is_passed(vertex)) {
        pass(vertex);
        return true;
    }
    // Record the first surface, and add emission.
    if (!first_) {
        const auto numbers_of = [](const auto& v) { return std::array{v.x, v.y, v.z}; };
        first_ = {numbers_of(vertex.material.albedo),
                  numbers_of(vertex.surface.frame.z),
                  numbers_of(vertex.surface.position),
                  travelled_m_,
                  hit.name.instance};
    }
    alpha_ = 1;
    add_emission(vertex);
    if (vertex.material.is_unlit || bounces_ == scene_.params.max_bounces) {
        story_.tell(vertex.material.is_unlit ? "Ends: unlit." : "Ends: no bounces left.");
        see(radiance_, 0, false);
        return false;
    }
    // Sample a light, then the next direction.
    if (vertex.material.is_solid) {
        cross_boundary(vertex);
    }
    regularize(vertex.material);
    Bsdf bsdf(scene_.view, vertex.surface, vertex.material, vertex.eta);
    bsdf.guide_by(guide_square(scene_.view, vertex.surface.position, vertex.surface.frame.z));
    if (bsdf.guide() && first_light_ <= 0) {
        first_light_ = bsdf.guide()->light();
    }
    const LitPoint lit = lit_point(vertex.surface, bsdf);
    const Rgb before = radiance_;
    add_light_sample(vertex, lit, bsdf);
    const Tuple u = direction_numbers();
    const BsdfSample next = bsdf.sample(u.last.u0, u.first);
    const bool goes_on =
        scatter(vertex, lit, next) &&
        survives_roulette(bsdf.guide() ? guided_survival(bsdf, next.direction) : plain_survival());
    const bool is_clear = goes_on && (next.is_straight || next.width < 0.06);
    see(before, is_clear ? bsdf.passed_weight() : 0, goes_on && next.is_straight);
    if (!goes_on) {
        return false;
    }
    way_ = way_of(vertex, bsdf, next.direction);
    go_on(vertex, next.direction);
    return true;
}

void Path::regularize(MaterialPoint& material) {
    const double most = scene_.params.regularized_alpha;
    const double least = std::min(widest_, most);
    if (widen_facets(material, least)) {
        story_.tell("Regularised: the facets have at least the roughness ", std::sqrt(least), ".");
    }
}

void Path::cross_boundary(Vertex& vertex) {
    const Surface& surface = vertex.surface;
    double term = 0;
    if (vertex.material.transmission > 0 && vertex.material.metallic < 1 &&
        is_dispersive(scene_.view, media_, surface.material, surface.is_front)) {
        const Wavelength wave = wavelength_of(scene_.view, pixel_hash_, sample_);
        term = wave.term;
        if (!is_dispersed_) {
            is_dispersed_ = true;
            throughput_ = throughput_ * wave.weight;
            story_.tell("Dispersion: from here on the path follows ",
                        std::sqrt(523655 / (term + 1.5168)),
                        " nm; the throughput is now ",
                        throughput_,
                        ".");
        }
    }
    vertex.eta = relative_index(scene_.view, media_, surface.material, surface.is_front, term);
}

bool Path::is_passed(const Vertex& vertex) const {
    const Surface& surface = vertex.surface;
    const u32 flags = scene_.view.materials[surface.material].flags;
    const bool is_single_sided =
        (flags & shaders::kMaterialSingleSided) != 0 && !vertex.material.is_solid;
    const bool is_unseen = (flags & shaders::kMaterialUnseen) != 0 && !vertex.material.is_solid;
    const bool is_culled_back =
        scene_.params.backface_culling != 0 && !surface.is_front && is_single_sided;
    return (bounces_ == 0 && (is_culled_back || is_unseen)) || vertex.material.is_boundary ||
           (vertex.material.is_solid && media_.is_covered(scene_.view, surface.material));
}

void Path::pass(const Vertex& vertex) {
    story_.tell(
        "Passed: a boundary without a surface or in a solid of higher priority, or a culled back.");
    const Surface& surface = vertex.surface;
    const bool is_covered =
        vertex.material.is_solid && media_.is_covered(scene_.view, surface.material);
    if (is_covered || vertex.material.is_boundary) {
        media_ = media_.beyond(surface.material, surface.is_front);
        // Others than boundaries without a surface block shadow rays.
        counts_fully_ = counts_fully_ || !vertex.material.is_boundary;
    }
    go_on(vertex, ray_.direction);
}

void Path::add_emission(const Vertex& vertex) {
    const u32 flags = scene_.view.materials[vertex.surface.material].flags;
    const bool is_dark_back =
        (flags & shaders::kMaterialFrontEmission) != 0 && !vertex.surface.is_front;
    if (largest(vertex.material.emission) <= 0 || is_dark_back) {
        return;
    }
    const double weight =
        counts_fully_
            ? 1
            : power_heuristic(pdf_, triangle_pdf(scene_.view, lit_, vertex.surface, travelled_m_));
    story_.tell("Emission ", vertex.material.emission, " found with weight ", weight, ".");
    add(clamped(throughput_ * vertex.material.emission * weight, bounces_),
        scene_.view.instances[vertex.surface.name.instance].light_group,
        way_);
}

void Path::add_light_sample(const Vertex& vertex, const LitPoint& lit, const Bsdf& bsdf) {
    const std::optional<LightSample> light = sample_light(scene_.view, bsdf, lit, light_numbers());
    if (!light) {
        return;
    }
    const Rgb value = bsdf.evaluate(light->direction);
    Rgb contribution = throughput_ * value * light->radiance / light->pdf;
    if (light->can_be_hit) {
        contribution = contribution * power_heuristic(light->pdf, bsdf.pdf(light->direction));
    }
    if (!(largest(contribution) > 0)) {
        story_.tell("Light sample: light ", light->light, " gives nothing here.");
        return;
    }
    // Find the medium that the shadow ray enters.
    const bool goes_through = dot(light->direction, vertex.surface.geometric) < 0;
    const MediumStack around = goes_through && vertex.material.is_solid
                                   ? media_.beyond(vertex.surface.material, vertex.surface.is_front)
                                   : media_;
    send_light(*light,
               contribution,
               {start_point(vertex.surface, light->direction), vertex.surface.name, around},
               way_of(vertex, bsdf, light->direction));
}

void Path::send_light(const LightSample& light,
                      Rgb contribution,
                      const ShadowStart& start,
                      const Way& way) {
    if (!scene_.has_boundaries) {
        contribution = contribution * start.media.transmittance(scene_.view, light.distance_m);
    }
    const Rgb seen = visibility(start, light);
    story_.tell("Light sample: light ",
                light.light,
                " towards ",
                light.direction,
                ", density ",
                light.pdf,
                ", would add ",
                contribution,
                ", of which passes ",
                seen,
                ".");
    add(clamped(contribution, bounces_ + 1) * seen,
        scene_.view.lights[light.light].light_group,
        way);
}

Rgb Path::visibility(const ShadowStart& start, const LightSample& light) const {
    Ray shadow;
    shadow.origin = start.origin;
    shadow.direction = light.direction;
    shadow.t_max = light.distance_m;
    shadow.start = start.ignored;
    shadow.end = light.end;
    shadow.alpha_key = alpha_key(pixel_hash_, sample_, depth_ + 1);
    shadow.is_shadow = true;

    Rgb visible = gray(1);
    std::vector<Crossing> crossings;
    for (const RayHit& hit : scene_.tree.all(shadow)) {
        const Surface surface = make_flat_surface(scene_.view, hit, light.direction);
        const MaterialPoint material = read_material(scene_.view, surface);
        if (material.is_boundary && crossings.size() < shaders::kMostCrossings) {
            crossings.push_back({hit.t, surface.material, surface.is_front});
            continue;
        }
        if (!material.is_thin_straight || material.is_unlit) {
            return {};
        }
        const Rgb tint = window_tint(scene_.view, surface, material);
        if (largest(tint) <= 0) {
            return {};
        }
        visible = visible * per_channel(tint, [](double w) { return std::max(w, kLeastTint); });
    }
    return scene_.has_boundaries
               ? visible * left_by_media(start, std::move(crossings), light.distance_m)
               : visible;
}

bool Path::scatter(const Vertex& vertex, const LitPoint& lit, const BsdfSample& next) {
    story_.tell("Scatter: ",
                next.is_straight ? "straight " : "",
                name_of(next.lobe),
                " lobe, chosen with ",
                next.probability,
                ", towards ",
                next.direction,
                ", density ",
                next.pdf,
                ", weight ",
                next.weight,
                ".");
    // Apply the weight; update media.
    throughput_ = throughput_ * next.weight;
    if (!(largest(throughput_) > 0)) {
        story_.tell("Ends: nothing is scattered that way.");
        return false;
    }
    if (next.goes_through && vertex.material.is_solid) {
        media_ = media_.beyond(vertex.surface.material, vertex.surface.is_front);
    }
    // Update density, distance and cone for MIS and filtering.
    if (next.is_straight) {
        counts_fully_ = counts_fully_ || vertex.material.is_solid;
    } else {
        counts_fully_ = false;
        pdf_ = next.pdf;
        travelled_m_ = 0;
        lit_ = lit;
        ++bounces_;
        widest_ = std::max(widest_, next.width);
        if (next.width >= kRoughWidth) {
            cone_spread_ = std::max(cone_spread_, kRoughWidth);
        }
    }
    story_.tell("The throughput is now ", throughput_, ".");
    return true;
}

double Path::guided_survival(const Bsdf& bsdf, Vec direction) const {
    const double brought = largest(throughput_) * bsdf.density_ratio(direction);
    return kExpectedScale * std::sqrt(brought * bsdf.guide()->light() / first_light_);
}

double Path::plain_survival() const {
    return kSurvivalScale * std::sqrt(largest(throughput_));
}

bool Path::survives_roulette(double wanted) {
    if (bounces_ < kRouletteFrom) {
        return true;
    }
    const double most = bounces_ < kCertainRouletteFrom ? 1.0 : kMostSurvival;
    const double survival = std::min(most, wanted);
    if (direction_numbers().last.u1 >= survival) {
        story_.tell("Roulette ends the path; it lived on with probability ", survival, ".");
        return false;
    }
    throughput_ = throughput_ / survival;
    story_.tell("Roulette lets it live with probability ", survival, ".");
    return true;
}

Rgb Path::clamped(Rgb contribution, u32 events) const {
    const double limit = events <= 1 ? scene_.params.clamp_direct : scene_.params.clamp_indirect;
    const double largest_channel = largest(contribution);
    return largest_channel > limit ? contribution * (limit / largest_channel) : contribution;
}

void Path::go_on(const Vertex& vertex, Vec direction) {
    ++depth_;
    ray_.origin = start_point(vertex.surface, direction);
    ray_.direction = direction;
    ray_.start = vertex.surface.name;
    ray_.alpha_key = alpha_key(pixel_hash_, sample_, depth_);
}

}  // namespace weft::trace::reference
