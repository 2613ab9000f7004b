// history_trust.h — how far new samples bear out what a history says of a picture's light.
//
// Single samples say little, means over blocks of pixels much. Blocks of 16 pixels to a side (8 and
// 4 once pixels have the samples), of 32 and so on up to the whole picture compare the mean of the
// new light with that of the history: where they differ by more than the noise of the samples
// explains, the history is not trusted. The filter darkens few samples, since it takes bright ones
// for outliers: only a difference that the samples themselves show as well counts. A lamp that was
// switched off shows at once in the large blocks, a shadow that has moved once its own blocks have
// the samples. The idea of temporal gradients (Schied et al. 2018), by the samples of the picture
// itself.
#pragma once

#include <span>
#include <vector>

#include "engine/live/joint_upsampling.h"
#include "engine/live/picture_history.h"

namespace weft::live {

class HistoryTrust {
public:
    // `noisy`: the means of nodes, four floats each, of so many samples; `filtered`: the same
    // without most of the noise, three each. The lattice lies over the pixels of the history.
    void compare(const NodeLattice& nodes,
                 u32 samples,
                 std::span<const float> noisy,
                 std::span<const float> filtered,
                 const PictureHistory& history);

    // Luminance of which differences are hardly seen, in the picture that was compared last.
    [[nodiscard]] float dark() const { return dark_; }

    // From 0 to 1, at a pixel.
    [[nodiscard]] float at(u32 x, u32 y) const;

private:
    // Of the nodes of a block: how much the light differs from the history, relative to that.
    struct Block {
        float count = 0;
        float filtered = 0;  // sum over filtered nodes
        float noisy = 0;     // sum over noisy nodes
        float bounded = 0;   // the same with bright nodes bounded
        float bounded_squared = 0;

        void add(const Block& other);
        // A difference within so many standard errors is noise.
        [[nodiscard]] float trust(float errors) const;
    };

    void trust_blocks();

    float dark_ = 0;
    u32 side_ = 0;  // of the smallest blocks, in pixels
    u32 columns_ = 0;
    u32 rows_ = 0;
    std::vector<Block> blocks_;  // the smallest ones, row by row
    std::vector<float> trust_;   // by smallest block
};

}  // namespace weft::live
