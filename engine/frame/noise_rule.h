// noise_rule.h — the stop rule by noise: which blocks of pixels get no more samples.
//
// A block of 8×8 pixels ends at the first step (16, 24, 32, 48, 64, 96, … samples per pixel) at
// which its noise (engine/film/noise.h) is at most the threshold. The noise at a step is a pure
// function of the exact sums of the samples before it, and waves end at steps: so the samples that
// a pixel gets depend on scene, settings and seed only, whatever runs when, is held, killed or
// resumed.
//
// Ending on the samples that the picture then shows has a bias: a block whose samples missed a rare
// bright path looks clean too early. The first step has 64 · 16 samples for a decision, and a test
// bounds the bias (tests/engine/frame/test_noise_rule.cpp).
//
// The tasks of one tile call open_blocks() one at a time; distinct tiles from any threads.
#pragma once

#include <atomic>
#include <vector>

#include "engine/film/film.h"

namespace weft::frame {

// Steps follow the sample counts at which Sobol points are well spread: powers of two, and the
// middles between them.
inline constexpr u32 kFirstNoiseStep = 16;

// The first step after `sample`.
u32 next_noise_step(u32 sample);
bool is_noise_step(u32 sample);

// Pixels of a tile's side: its blocks are the bits of a word.
inline constexpr u32 kNoiseTile = 64;

struct NoiseConfig {
    float threshold = 0;  // above 0
    u32 sample_end = 0;   // a block has at most so many samples per pixel
    u32 tile_count = 0;
};

class NoiseRule {
public:
    // The film has the layer Aov::Noise (program error otherwise) and outlives this.
    NoiseRule(const film::Film& film, const NoiseConfig& config);

    // The blocks of the tile that get the samples from `sample_begin` on, as bits of
    // trace::SampleBlock::blocks; trace::kAllBlocks: all. All samples before are in the film, but
    // for those that an interrupted wave lacks.
    u64 open_blocks(u32 tile, const film::Region& region, u32 sample_begin);

    // By the film as it is, every block has ended or has all samples.
    [[nodiscard]] bool is_met() const;

    // Samples that the blocks which have ended do not need.
    [[nodiscard]] u64 saved_samples() const {
        return saved_samples_.load(std::memory_order_relaxed);
    }

private:
    [[nodiscard]] bool has_ended(const film::Region& block, u32 sample_begin) const;
    [[nodiscard]] bool has_all(const film::Region& block) const;

    const film::Film& film_;
    NoiseConfig config_;
    u32 layer_;
    std::vector<u64> ended_;  // by tile: blocks
    std::atomic<u64> saved_samples_{0};
};

// The noise of the blocks of a film with the layer Aov::Noise.
struct FilmNoise {
    double mean = 0;
    double most = 0;  // infinite where a block has too few samples
};

FilmNoise film_noise(const film::Film& film);

}  // namespace weft::frame
