#include "engine/live/shown_light.h"

#include <algorithm>
#include <utility>

namespace weft::live {

namespace {

using Mean = ShownLight::Mean;

// `share` of the way from one to the other.
Mean between(const Mean& from, const Mean& to, float share) {
    Mean result{};
    for (std::size_t c = 0; c < result.size(); ++c) {
        result[c] = from[c] + (to[c] - from[c]) * share;
    }
    return result;
}

// What the filter leaves of few samples has more than its share of the noise: four samples are
// worth half of what the same number is among many.
constexpr float kFew = 4;

float worth_of(float samples) {
    return samples * samples / (samples + kFew);
}

// A history is gone when there are so many times the samples that it is worth.
constexpr float kFading = 2;

// The most by which new samples move the light of a history, relative to it: so much, and so much
// more for the share that they have of all.
constexpr float kLeastMove = 0.02F;
constexpr float kMove = 2;

}  // namespace

void ShownLight::use_surfaces(std::shared_ptr<const SurfacePixels> surfaces) {
    surfaces_ = std::move(surfaces);
}

void ShownLight::use_history(std::shared_ptr<const PictureHistory> history) {
    history_ = std::move(history);
}

void ShownLight::begin(const NodeGrid& grid, u32 samples, bool is_last) {
    grid_ = grid;
    samples_ = samples;
    is_last_ = is_last;
    means_.resize(kChannels * grid.size());
}

void ShownLight::end(bool is_filtered, std::span<const float> albedo) {
    is_filtered_ = is_filtered;
    if (is_spread()) {
        light_.resize(std::max(light_.size(), 3 * grid_.size()));
        divide_by_albedo(lattice(), *surfaces_, filtered_, albedo, light_);
    }
    if (has_pixels() && history_) {
        trust_.compare(lattice(),
                       samples_,
                       means_,
                       std::span<const float>(filtered_).first(3 * grid_.size()),
                       *history_);
    }
}

// Whether pixels between the nodes get the nodes' light by their surfaces. That takes a quarter of
// a microsecond each, which lattices of every second pixel are not worth: those between follow
// soon.
bool ShownLight::is_spread() const {
    return has_pixels() && (reduction_ > 0 || grid_.step_log2 > 1);
}

NodeLattice ShownLight::lattice() const {
    const auto step = static_cast<float>(reduction_ > 0 ? reduction_ : 1U << grid_.step_log2);
    return {grid_.width, grid_.height, reduction_ > 0 ? step / 2 : 0.5F, step};
}

Mean ShownLight::node(std::size_t node) const {
    const float* const mean = means_.data() + kChannels * node;
    const float* const rgb = is_filtered_ ? filtered_.data() + 3 * node : mean;
    return {rgb[0], rgb[1], rgb[2], mean[3]};
}

Mean ShownLight::mixed(u32 x, u32 y) const {
    if (is_spread()) {
        const math::Vec3 rgb = upsampled_colour(lattice(), *surfaces_, light_, x, y);
        return {rgb.x, rgb.y, rgb.z, 1};
    }
    const u32 log2 = grid_.step_log2;
    const auto node_at = [&](u32 right, u32 down) {
        const u32 i = std::min((x >> log2) + right, grid_.width - 1);
        const u32 j = std::min((y >> log2) + down, grid_.height - 1);
        return node(std::size_t{j} * grid_.width + i);
    };
    if (log2 == 0) {
        return node_at(0, 0);
    }
    const auto part = [log2](u32 at) {
        return static_cast<float>(at - (at >> log2 << log2)) / static_cast<float>(1U << log2);
    };
    return between(between(node_at(0, 0), node_at(1, 0), part(x)),
                   between(node_at(0, 1), node_at(1, 1), part(x)),
                   part(y));
}

// What the history of a pixel still counts beside so many new samples.
float ShownLight::history_samples(u32 x, u32 y, float samples) const {
    const bool is_final = is_last_ && reduction_ == 0;
    const float known = history_ && !is_final ? history_->at(x, y).samples : 0;
    const float gone = known > 0 ? samples / (kFading * known) : 1;
    return gone < 1 ? known * (1 - gone * gone) * trust_.at(x, y) : 0;
}

LightPixel ShownLight::pixel(u32 x, u32 y) const {
    const Mean mean = mixed(x, y);
    const float step = lattice().step;
    const float samples = worth_of(static_cast<float>(samples_) / (step * step));
    const math::Vec3 rgb{mean[0], mean[1], mean[2]};
    const float before = history_samples(x, y, samples);
    if (before <= 0) {
        return {rgb, samples};
    }
    // Few new samples move what is known by little each: a bright one would stand out.
    const math::Vec3& known = history_->at(x, y).rgb;
    const float share = samples / (before + samples);
    const float most = (kLeastMove + kMove * share) * (largest(known) + trust_.dark());
    const float move = share * largest(rgb - known);
    const float bounded = move > most ? share * most / move : share;
    return {known + bounded * (rgb - known), before + samples};
}

}  // namespace weft::live
