// reference_path_media.cpp — what media do to a path: they scatter it before its hit, and take
// light from its shadow rays (shaders/bsdf.md "Media").
#include <algorithm>
#include <cmath>

#include "engine/trace/reference/reference_path.h"
#include "engine/trace/reference/reference_phase.h"

namespace weft::trace::reference {

std::optional<MediumWay> Path::scattered_way(const RayHit& hit) {
    const u32 index = media_.innermost(scene_.view);
    if (index == kNone ||
        (scene_.view.materials[index].flags & shaders::kMaterialScattering) == 0) {
        throughput_ = throughput_ * media_.transmittance(scene_.view, hit.t);
        return std::nullopt;
    }
    const Pair u = sample_tuple(pixel_hash_, sample_, kFirstMediumTuple + depth_).first;
    const MediumWay way = draw_way(medium_of(scene_.view, index), throughput_, u, hit.t);
    throughput_ = throughput_ * way.weight;
    return way.scatters ? std::optional(way) : std::nullopt;
}

bool Path::scatter_in_medium(const RayHit& hit, const MediumWay& way) {
    const Medium medium = medium_of(scene_.view, media_.innermost(scene_.view));
    cone_width_m_ += cone_spread_ * way.distance_m;
    travelled_m_ += way.distance_m;
    const Vec forward = ray_.direction;
    const Vec position = ray_.origin + forward * way.distance_m;
    story_.tell(
        "Hit ", depth_, ": a medium scatters at ", position, " after ", way.distance_m, " m.");
    // The medium is the first surface, with its albedo, facing the viewer.
    if (!first_) {
        const auto numbers_of = [](const auto& v) { return std::array{v.x, v.y, v.z}; };
        const Rgb albedo = medium.sigma_s * per_channel(medium.sigma_t, [](double s) {
                               return 1 / std::max(s, 1e-30);
                           });
        first_ = {numbers_of(albedo),
                  numbers_of(-forward),
                  numbers_of(position),
                  travelled_m_,
                  hit.name.instance};
    }
    alpha_ = 1;
    if (bounces_ == scene_.params.max_bounces) {
        story_.tell("Ends: no bounces left.");
        see(radiance_, 0, false);
        return false;
    }
    // Sample a light, then the next direction.
    const LitPoint lit = {position, {}, false, true};
    const Way scattered = way_.is_scattered ? way_ : Way{true, false, gray(1)};
    const Rgb before = radiance_;
    const Phase phase(forward, medium.g);
    add_light_in_medium(phase, lit, scattered);
    const Vec next = phase.sample(direction_numbers().first);
    pdf_ = phase.pdf(next);
    story_.tell("Scatter: towards ", next, ", density ", pdf_, ".");
    counts_fully_ = false;
    travelled_m_ = 0;
    lit_ = lit;
    ++bounces_;
    widest_ = 1;
    cone_spread_ = std::max(cone_spread_, kRoughWidth);
    const bool goes_on = survives_roulette(plain_survival());
    see(before, 0, false);
    if (!goes_on) {
        return false;
    }
    way_ = scattered;
    ++depth_;
    ray_.origin = position;
    ray_.direction = next;
    ray_.start = {};
    ray_.alpha_key = alpha_key(pixel_hash_, sample_, depth_);
    return true;
}

void Path::add_light_in_medium(const Phase& phase, const LitPoint& lit, const Way& way) {
    const std::optional<LightSample> light = sample_light(scene_.view, phase, lit, light_numbers());
    if (!light) {
        return;
    }
    const double value = phase.pdf(light->direction);
    Rgb contribution = throughput_ * light->radiance * (value / light->pdf);
    if (light->can_be_hit) {
        contribution = contribution * power_heuristic(light->pdf, value);
    }
    if (largest(contribution) > 0) {
        send_light(*light, contribution, {lit.position, {}, media_}, way);
    }
}

Rgb Path::left_by_media(const ShadowStart& start, std::vector<Crossing> crossings, double t) const {
    std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
        return a.t < b.t;
    });
    MediumStack media = start.media;
    Rgb left = gray(1);
    double from = 0;
    for (const Crossing& crossing : crossings) {
        left = left * media.transmittance(scene_.view, crossing.t - from);
        media = media.beyond(crossing.material, crossing.is_front);
        from = crossing.t;
    }
    return left * media.transmittance(scene_.view, t - from);
}

}  // namespace weft::trace::reference
