#include "engine/denoise/estimator.h"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "engine/denoise/outliers.h"
#include "engine/denoise/surface_light.h"
#include "shaders/host/scalar_math.h"

namespace weft::denoise {

namespace {

constexpr u32 kVarianceReach = 1;
constexpr float kMostInverse = 4.0F;

// The mean depth of pixels that show a surface over the depth of each; 0 for the others.
std::vector<float> inverse_depths(const film::Picture& depth) {
    double sum = 0;
    u64 count = 0;
    for (const float value : depth.pixels) {
        sum += value > 0 ? static_cast<double>(value) : 0.0;
        count += value > 0 ? 1U : 0U;
    }
    const float mean = count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
    std::vector<float> inverse(depth.pixels.size());
    std::transform(depth.pixels.begin(), depth.pixels.end(), inverse.begin(), [mean](float value) {
        return value > 0 ? std::min(mean / value, kMostInverse) : 0.0F;
    });
    return inverse;
}

void put_picture(Planes& planes, u32 channel, const film::Picture& picture) {
    for (u32 y = 0; y < picture.height; ++y) {
        for (u32 x = 0; x < picture.width; ++x) {
            for (u32 c = 0; c < picture.channels; ++c) {
                planes.row(channel + c, y)[x] = picture.at(x, y, c);
            }
        }
    }
}

void copy_planes(const Planes& from, u32 channel, Planes& to) {
    for (u32 c = 0; c < from.channels(); ++c) {
        for (u32 y = 0; y < from.height(); ++y) {
            std::copy_n(from.row(c, y), from.width(), to.row(channel + c, y));
        }
    }
}

// Compressed light for the comparison of patches: log(1 + light / dark). Bright outliers do not
// decide there, and noise in bright and in dark places counts alike.
Planes compressed(const Planes& light, float dark) {
    Planes guide(light.width(), light.height(), kColours);
    tbb::parallel_for(u32{0}, light.height(), [&](u32 y) {
        for (u32 c = 0; c < kColours; ++c) {
            for (u32 x = 0; x < light.width(); ++x) {
                const double ratio = static_cast<double>(std::max(light.row(c, y)[x], 0.0F) / dark);
                guide.row(c, y)[x] = static_cast<float>(shaders::log_of(1.0 + ratio));
            }
        }
    });
    return guide;
}

// The variance of a half, from the difference of both, averaged over neighbours.
void put_variance(const Planes& first, const Planes& second, Planes& planes) {
    const u32 width = first.width();
    const u32 height = first.height();
    std::vector<float> squares(std::size_t{width} * height);
    for (u32 c = 0; c < kColours; ++c) {
        for (u32 y = 0; y < height; ++y) {
            for (u32 x = 0; x < width; ++x) {
                const float difference = first.row(c, y)[x] - second.row(c, y)[x];
                squares[std::size_t{y} * width + x] = 0.5F * difference * difference;
            }
        }
        put_values(planes, kVariance + c, box_mean(squares, width, height, kVarianceReach));
    }
}

}  // namespace

Estimator::Estimator(const DenoiseLayers& layers,
                     const LightHalves& halves,
                     float dark,
                     shaders::Isa isa)
    : first_(surface_light(halves.first, layers.albedo)),
      second_(surface_light(halves.second, layers.albedo)),
      picture_(layers.colour.width, layers.colour.height, kRegressionPlanes),
      block_(regress_block(isa)) {
    bound_outliers(first_, second_, dark);
    first_guide_ = compressed(first_, dark);
    second_guide_ = compressed(second_, dark);
    put_variance(first_guide_, second_guide_, picture_);
    put_picture(picture_, kNormal, layers.normal);
    put_picture(picture_, kAlbedo, layers.albedo);
    put_values(picture_, kInverse, inverse_depths(layers.depth));
}

Planes Estimator::regressed(float bandwidth, const std::function<bool()>& should_stop) const {
    Planes out(picture_.width(), picture_.height(), kColours);
    const u32 columns = (picture_.width() + kBlockWidth - 1) / kBlockWidth;
    const u32 rows = (picture_.height() + kBlockHeight - 1) / kBlockHeight;
    tbb::parallel_for(u32{0}, columns * rows, [&](u32 k) {
        if (!should_stop || !should_stop()) {
            block_(picture_, bandwidth, k % columns * kBlockWidth, k / columns * kBlockHeight, out);
        }
    });
    return out;
}

Estimate Estimator::estimate(float bandwidth, const std::function<bool()>& should_stop) {
    Estimate estimate;
    copy_planes(second_guide_, kGuide, picture_);
    copy_planes(first_, kLight, picture_);
    estimate.first = regressed(bandwidth, should_stop);
    copy_planes(first_guide_, kGuide, picture_);
    copy_planes(second_, kLight, picture_);
    estimate.second = regressed(bandwidth, should_stop);
    return estimate;
}

}  // namespace weft::denoise
