// planes.h — float pictures of several channels, plane by plane.
//
// Plain data; one thread at a time writes to a row.
#pragma once

#include <cstddef>
#include <new>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::denoise {

inline constexpr u32 kColours = 3;  // red, green, blue

class Planes {
public:
    Planes() = default;

    // All zero. Takes memory as its pages are written first. Throws std::bad_alloc.
    Planes(u32 width, u32 height, u32 channels)
        : width_(width), height_(height), values_(std::size_t{width} * height * channels) {
        if (!values_.is_allocated()) {
            throw std::bad_alloc();
        }
    }

    [[nodiscard]] u32 width() const { return width_; }

    [[nodiscard]] u32 height() const { return height_; }

    [[nodiscard]] u32 channels() const {
        return values_.size() == 0 ? 0 : static_cast<u32>(values_.size() / width_ / height_);
    }

    [[nodiscard]] float* row(u32 channel, u32 y) { return values_.data() + begin_of(channel, y); }

    [[nodiscard]] const float* row(u32 channel, u32 y) const {
        return values_.data() + begin_of(channel, y);
    }

private:
    [[nodiscard]] std::size_t begin_of(u32 channel, u32 y) const {
        return (std::size_t{channel} * height_ + y) * width_;
    }

    u32 width_ = 0;
    u32 height_ = 0;
    base::PageArray<float> values_;
};

}  // namespace weft::denoise
