// shown_light.h — the scene-linear beauty of all pixels of a shown picture, from the nodes of a
// film that have samples.
//
//     nodes: means ──► filtered ──► pixels: each its own node; or mixed between four nodes; or the
//                                   nodes' light spread by the pixels' surfaces
//                                        │
//     history ── trust (new samples) ────┴──► weighted mean, by samples
//
// A picture without filter, or without surfaces, is that of its nodes alone. The history fades as
// samples come, and is gone when there are twice as many as it is worth, and in a frame's last
// picture.
//
// One picture after the other: begin(), the nodes, end(), then pixel() on any thread.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/live/history_trust.h"
#include "engine/live/joint_upsampling.h"
#include "engine/live/picture_history.h"

namespace weft::live {

// The pixels of a lattice, row by row.
struct NodeGrid {
    u32 step_log2 = 0;
    u32 width = 0;
    u32 height = 0;

    [[nodiscard]] std::size_t size() const { return std::size_t{width} * height; }
};

class ShownLight {
public:
    static constexpr std::size_t kChannels = 4;  // of means
    using Mean = std::array<float, kChannels>;   // RGB and alpha

    // What pixels show; null: coarse pictures are interpolated, and there is no history.
    void use_surfaces(std::shared_ptr<const SurfacePixels> surfaces);
    // Of the pixels of those surfaces; null: none.
    void use_history(std::shared_ptr<const PictureHistory> history);

    // The film is smaller than the surfaces: its pixels are `reduction` of theirs.
    void widen(u32 reduction) { reduction_ = reduction; }

    void begin(const NodeGrid& grid, u32 samples, bool is_last);

    // Four floats for each node, to be written before end().
    [[nodiscard]] std::vector<float>& means() { return means_; }

    [[nodiscard]] const std::vector<float>& means() const { return means_; }

    // Three floats for each node.
    [[nodiscard]] std::vector<float>& filtered() { return filtered_; }

    // The nodes are complete. `albedo`: RGB of the nodes, where they are filtered. On several
    // threads.
    void end(bool is_filtered, std::span<const float> albedo);

    // Shows the nodes without filter from here on.
    void drop_filter() { is_filtered_ = false; }

    [[nodiscard]] const NodeGrid& grid() const { return grid_; }

    [[nodiscard]] bool is_filtered() const { return is_filtered_; }

    [[nodiscard]] const SurfacePixels* surfaces() const { return surfaces_.get(); }

    [[nodiscard]] const std::shared_ptr<const SurfacePixels>& shared_surfaces() const {
        return surfaces_;
    }

    // Pixels are those of the surfaces of a smaller film.
    [[nodiscard]] bool is_wider() const { return reduction_ > 0 && is_spread(); }

    // Pixels are more than mixtures of the nodes' bytes: pixel() knows them.
    [[nodiscard]] bool has_pixels() const { return surfaces_ && is_filtered_; }

    [[nodiscard]] Mean node(std::size_t node) const;
    // Pixel (x, y) of the crop, or of the surfaces where they are wider, from its nodes.
    [[nodiscard]] Mean mixed(u32 x, u32 y) const;
    // The same beside the history; `samples`: what it is worth. has_pixels().
    [[nodiscard]] LightPixel pixel(u32 x, u32 y) const;

private:
    [[nodiscard]] bool is_spread() const;
    [[nodiscard]] NodeLattice lattice() const;
    [[nodiscard]] float history_samples(u32 x, u32 y, float samples) const;

    NodeGrid grid_;
    u32 samples_ = 0;  // of each node
    bool is_last_ = false;
    std::vector<float> means_;
    std::vector<float> filtered_;
    bool is_filtered_ = false;
    std::shared_ptr<const SurfacePixels> surfaces_;
    u32 reduction_ = 0;         // of the film; 0: its pixels are the crop's
    std::vector<float> light_;  // of the nodes that are spread, RGB
    std::shared_ptr<const PictureHistory> history_;
    HistoryTrust trust_;
};

}  // namespace weft::live
