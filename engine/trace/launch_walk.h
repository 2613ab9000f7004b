// launch_walk.h — pixel, sample and position of consecutive launches of a sample block.
//
// The same numbers as sample_block.h gives for each launch, without its divisions: a step within an
// 8×8 block of pixels is an addition or two. Plain value; any thread. The block must outlive it.
#pragma once

#include "engine/trace/sample_block.h"

namespace weft::trace {

class LaunchWalk {
public:
    // `launch` in [0, block.size()).
    LaunchWalk(const SampleBlock& block, u32 launch)
        : block_(block), sample_(launch / block.pixel_count()) {
        enter(block.pixel_begin + launch % block.pixel_count());
    }

    // The launch's pixel and sample, both from 0 within the block.
    [[nodiscard]] u32 pixel() const { return number_ - block_.pixel_begin; }

    [[nodiscard]] u32 sample() const { return sample_; }

    // The pixel's position in the full picture.
    [[nodiscard]] PixelPlace place() const {
        return {block_.x0 + ((left_ + x_) << block_.step_log2),
                block_.y0 + ((top_ + y_) << block_.step_log2)};
    }

    // Goes on to the next launch; after the last one to the first pixel again.
    void advance() {
        if (++number_ == block_.pixel_end) {
            ++sample_;
            enter(block_.pixel_begin);
        } else if (++x_ == size_.width) {
            x_ = 0;
            if (++y_ == size_.height) {
                enter(number_);
            }
        }
    }

private:
    void enter(u32 number) {
        const PixelOfBlock at = pixel_of_block(block_, number);
        size_ = block_size(block_.width, block_.height, at.column, at.row);
        number_ = number;
        left_ = kBlockSide * at.column;
        top_ = kBlockSide * at.row;
        x_ = at.pixel % size_.width;
        y_ = at.pixel / size_.width;
    }

    const SampleBlock& block_;
    u32 sample_;
    u32 number_ = 0;    // of the pixel in its tile
    BlockSize size_{};  // of the 8×8 block around it
    u32 left_ = 0;      // where that begins in the tile
    u32 top_ = 0;
    u32 x_ = 0;  // and the pixel in it
    u32 y_ = 0;
};

}  // namespace weft::trace
