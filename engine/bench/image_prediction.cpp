#include "engine/bench/image_prediction.h"

#include <algorithm>

namespace weft::bench {

namespace {

const ImageRow* gathered(const std::vector<ImageRow>& images, std::string_view scheduler) {
    const auto found = std::find_if(images.begin(), images.end(), [&](const ImageRow& row) {
        return row.variant.scheduler == scheduler && row.variant.shading == "gathered" &&
               row.variant.policy == "depth_first";
    });
    return found == images.end() ? nullptr : &*found;
}

// Microseconds of a picture's mean ray.
struct RayCosts {
    double embree_us = 0;
    double keyed_us = 0;
    double share = 0;  // of rays in classes that have rates
};

RayCosts costs_of(const std::vector<ClassRows>& rays,
                  const std::array<double, kRayClasses>& share) {
    RayCosts costs;
    for (const ClassRows& rows : rays) {
        const double of_class = share[static_cast<u32>(rows.ray_class)];
        const double embree = std::max({rows.rate("E1"), rows.rate("E16"), rows.rate("ES")});
        const double keyed = rows.rate("K2");
        if (embree > 0 && keyed > 0) {
            costs.embree_us += of_class / embree;
            costs.keyed_us += of_class / keyed;
            costs.share += of_class;
        }
    }
    return costs;
}

}  // namespace

std::optional<ImagePrediction> predict_image(const std::vector<ImageRow>& images,
                                             const std::vector<ClassRows>& rays,
                                             const std::array<double, kRayClasses>& share) {
    const ImageRow* const keyed = gathered(images, "keyed");
    const ImageRow* const embree = gathered(images, "embree");
    const RayCosts costs = costs_of(rays, share);
    if (keyed == nullptr || embree == nullptr || costs.share < 1 - kSmallShare) {
        return std::nullopt;
    }
    const double keyed_s = keyed->cpu_seconds.median;
    const double embree_s = embree->cpu_seconds.median;
    const auto scaled = [&](double us, const ImageRow& row) {
        return us / costs.share * static_cast<double>(row.rays) * 1e-6;
    };
    const double embree_rays_s = scaled(costs.embree_us, *embree);
    const double left_s = embree_s - embree_rays_s + scaled(costs.keyed_us, *embree);
    if (!(keyed_s > 0 && embree_s > 0 && left_s > 0)) {
        return std::nullopt;
    }
    return ImagePrediction{embree_rays_s / embree_s,
                           embree_s / left_s,
                           embree_s / keyed_s,
                           scaled(costs.embree_us, *keyed) / keyed_s};
}

}  // namespace weft::bench
