// wave_stage.h — waves of a film whose shares a test publishes itself, without any unit.
#pragma once

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "engine/frame/tile_waves.h"

namespace weft::frame::testing {

using film::Film;
using trace::ResultView;
using trace::SampleBlock;
using unit::WorkItem;

// A film whose shares come back with a number in each slot that names pixel and sample.
class Stage {
public:
    using Value = std::function<float(u32 x, u32 y, u32 sample)>;

    Stage(const WaveConfig& config, u32 width, u32 height)
        : Stage(config, Film(width, height, config.crop, {}), value_of) {}

    // The same with another value of each sample, and a film that may hold samples.
    Stage(const WaveConfig& config, Film begun, Value value)
        : film(std::move(begun)),
          waves(config, film, [this](u32, u32, u32) -> const ResultView& { return view_; }),
          config_(config),
          value_(std::move(value)) {}

    // The value of sample `sample` of a pixel: exact in a float.
    static float value_of(u32 x, u32 y, u32 sample) {
        return static_cast<float>((x * 31 + y * 17 + sample * 7) % 1024);
    }

    void publish(const WorkItem& share) {
        const SampleBlock block = trace::to_block(share);
        words_.assign(std::size_t{4} * block.size(), 0.0F);
        for (u32 pixel = 0; pixel < block.pixel_count(); ++pixel) {
            const auto place = trace::place_of(block, block.pixel_begin + pixel);
            for (u32 k = 0; k < block.sample_count; ++k) {
                words_[4 * (std::size_t{pixel} * block.sample_count + k)] =
                    value_(place.x, place.y, block.sample_begin + k);
            }
        }
        view_.rgba = words_.data();
        waves.publish(share, 0, 0);
    }

    // Cuts an item into shares of at most `most` samples.
    void cut(WorkItem item, u64 most, std::deque<WorkItem>& shares) {
        while (waves.size(item) > most) {
            WorkItem rest;
            if (!waves.divide(item, 0.5, rest)) {
                break;
            }
            cut(rest, most, shares);
        }
        shares.push_back(item);
    }

    // Every pixel holds the sum of its first `samples` samples.
    [[nodiscard]] bool is_complete(u32 samples) const {
        bool is_right = true;
        for (u32 y = config_.crop.y0; y < config_.crop.y1; ++y) {
            for (u32 x = config_.crop.x0; x < config_.crop.x1; ++x) {
                float sum = 0;
                for (u32 sample = 0; sample < samples; ++sample) {
                    sum += value_of(x, y, sample);
                }
                is_right = is_right && film.sample_count(x, y) == samples &&
                           film.pixel(x, y)[0] == sum / static_cast<float>(samples);
            }
        }
        return is_right;
    }

    Film film;
    TileWaves waves;

private:
    WaveConfig config_;
    Value value_;
    std::vector<float> words_;
    ResultView view_;
};

}  // namespace weft::frame::testing
