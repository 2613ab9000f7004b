#include "engine/denoise/estimator.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/denoise/outliers.h"
#include "shaders/host/scalar_math.h"

namespace weft::denoise {

namespace {

constexpr u32 kVarianceReach = 1;
constexpr float kMostInverse = 4.0F;

// The mean depth of pixels that show a surface over the depth of each; 0 for the others.
void put_inverse_depths(Planes& planes, const film::Picture& depth, const Passes& passes) {
    std::vector<double> sums(depth.height);
    std::vector<u32> counts(depth.height);
    passes.run(depth.height, [&](u32 y) {
        for (u32 x = 0; x < depth.width; ++x) {
            const float value = depth.at(x, y, 0);
            sums[y] += value > 0 ? static_cast<double>(value) : 0.0;
            counts[y] += value > 0 ? 1U : 0U;
        }
    });
    const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    const u64 count = std::accumulate(counts.begin(), counts.end(), u64{0});
    const float mean = count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
    passes.run(depth.height, [&](u32 y) {
        for (u32 x = 0; x < depth.width; ++x) {
            const float value = depth.at(x, y, 0);
            planes.row(kInverse, y)[x] = value > 0 ? std::min(mean / value, kMostInverse) : 0.0F;
        }
    });
}

void put_picture(Planes& planes, u32 channel, const film::Picture& picture, const Passes& passes) {
    passes.run(picture.height, [&](u32 y) {
        for (u32 x = 0; x < picture.width; ++x) {
            for (u32 c = 0; c < picture.channels; ++c) {
                planes.row(channel + c, y)[x] = picture.at(x, y, c);
            }
        }
    });
}

void copy_row(const Planes& from, u32 y, u32 channel, Planes& to) {
    for (u32 c = 0; c < from.channels(); ++c) {
        std::copy_n(from.row(c, y), from.width(), to.row(channel + c, y));
    }
}

// Compressed light for the comparison of patches: log(1 + light / dark). Bright outliers do not
// decide there, and noise in bright and in dark places counts alike.
Planes compressed(const Planes& light, float dark, const Passes& passes) {
    Planes guide(light.width(), light.height(), kColours);
    passes.run(light.height(), [&](u32 y) {
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
void put_variance(const Planes& first, const Planes& second, Planes& planes, const Passes& passes) {
    const u32 width = first.width();
    const u32 height = first.height();
    std::vector<float> squares(std::size_t{width} * height);
    for (u32 c = 0; c < kColours; ++c) {
        passes.run(height, [&](u32 y) {
            for (u32 x = 0; x < width; ++x) {
                const float difference = first.row(c, y)[x] - second.row(c, y)[x];
                squares[std::size_t{y} * width + x] = 0.5F * difference * difference;
            }
        });
        put_values(planes,
                   kVariance + c,
                   box_mean(squares, width, height, kVarianceReach, passes),
                   passes);
    }
}

}  // namespace

Estimator::Estimator(const DenoiseLayers& layers,
                     const LightHalves& halves,
                     float dark,
                     shaders::Isa isa,
                     const Passes& passes)
    : passes_(passes),
      first_(surface_light(halves.first, layers.albedo, passes)),
      second_(surface_light(halves.second, layers.albedo, passes)),
      picture_(layers.colour.width, layers.colour.height, kRegressionPlanes),
      block_(regress_block(isa)) {
    bound_outliers(first_, second_, dark, passes);
    first_guide_ = compressed(first_, dark, passes);
    second_guide_ = compressed(second_, dark, passes);
    put_variance(first_guide_, second_guide_, picture_, passes);
    put_picture(picture_, kNormal, layers.normal, passes);
    put_picture(picture_, kAlbedo, layers.albedo, passes);
    put_inverse_depths(picture_, layers.depth, passes);
}

void Estimator::put_halves(const Planes& guide, const Planes& light) {
    passes_.run(picture_.height(), [&](u32 y) {
        copy_row(guide, y, kGuide, picture_);
        copy_row(light, y, kLight, picture_);
    });
}

Planes Estimator::regressed(float bandwidth) const {
    Planes out(picture_.width(), picture_.height(), kColours);
    const u32 columns = (picture_.width() + kBlockWidth - 1) / kBlockWidth;
    const u32 rows = (picture_.height() + kBlockHeight - 1) / kBlockHeight;
    passes_.run(columns * rows, [&](u32 k) {
        block_(picture_, bandwidth, k % columns * kBlockWidth, k / columns * kBlockHeight, out);
    });
    return out;
}

Estimate Estimator::estimate(float bandwidth) {
    Estimate estimate;
    put_halves(second_guide_, first_);
    estimate.first = regressed(bandwidth);
    put_halves(first_guide_, second_);
    estimate.second = regressed(bandwidth);
    return estimate;
}

}  // namespace weft::denoise
