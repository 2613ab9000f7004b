// panel_inspector.h — one pixel: its radiance, all its AOVs, and the path of its first sample.
//
// Follows the mouse over the picture; I (or the button) locks it in place. Another thread makes the
// report (pixel_watch.h). Interface thread only.
#pragma once

#include <memory>
#include <optional>

#include "app/view/background/pixel_watch.h"

namespace weft::app {

class CompareOverlay;
struct Comparison;
struct PictureSight;
struct RenderLink;
struct Ui;

// The picture that a pixel report describes. A new report is requested when it changes.
struct InspectedFrame {
    std::optional<u32> mode;  // of a comparison over the picture; none: the picture itself
    u32 samples = 0;
    u64 job = 0;

    bool operator==(const InspectedFrame&) const = default;
};

// What a pixel report is made from: the picture, or a mode of the comparison over it.
struct InspectedPictures {
    const RenderLink& link;
    const PictureSight& sight;
    const Comparison& comparison;
    const CompareOverlay& overlay;
};

class InspectorPanel {
public:
    InspectorPanel(const InspectedPictures& pictures, Ui& ui) : pictures_(pictures), ui_(ui) {}

    void draw();

    // Whether a report is being made.
    [[nodiscard]] bool is_waiting() const { return watch_.is_waiting(); }

    bool is_held = false;  // the panel stays with its pixel

private:
    void follow();

    InspectedPictures pictures_;
    Ui& ui_;
    PixelWatch watch_;
    InspectedFrame seen_;
};

}  // namespace weft::app
