// solid_picture.h — the picture of the solid and wireframe displays: what the camera hits, without
// light.
//
// For placing things: it is there at full resolution after one ray for each pixel, a small part of
// a sample. Further passes through other points of the pixels smooth its edges. Films know nothing
// of it.
//
// The render thread draws, on several threads while no frame runs; any thread copies.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/live/hit_rows.h"
#include "engine/live/shown_picture.h"
#include "engine/live/solid_colours.h"

namespace weft::live {

class SolidPicture final : public PictureSource {
public:
    static constexpr u32 kPasses = 8;

    SolidPicture(HitRequest request, LiveDisplay display, u64 job);

    // Draws the next pass, and the picture with it. False: `should_stop` said so, or memory ran
    // out; the picture is that of the passes before.
    bool draw_pass(const std::function<bool()>& should_stop);

    [[nodiscard]] u32 passes() const { return passes_; }

    [[nodiscard]] LiveDisplay display() const { return display_; }

    // Those before the first pass have none.
    bool copy_to(LivePicture& picture) const override;

private:
    void draw_row(frame::CameraHits& hits, u32 y);
    void add_row(u32 y);
    [[nodiscard]] bool is_outline(u32 x, u32 y) const;

    HitRows rows_;
    const frame::PictureSize size_;
    const LiveDisplay display_;
    const u64 job_;
    u32 passes_ = 0;
    std::vector<DisplayRgb> colours_;  // of the pass that is drawn
    std::vector<u32> instances_;       // of the pass that is drawn
    std::vector<u16> sums_;            // of whole passes, three per pixel
    std::shared_ptr<ShownImage> next_;
    mutable std::mutex mutex_;  // guards the one that follows
    std::shared_ptr<const ShownImage> image_;
};

}  // namespace weft::live
