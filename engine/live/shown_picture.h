// shown_picture.h — the picture of a film that the interface shows, tile by tile: means, then 8-bit
// display values.
//
// The tasks of a frame resolve and tone a tile after each of its waves; the interface copies new
// tiles whenever it draws. A worker swaps a tile's bytes under the tile's lock; the interface tries
// each lock once and leaves a locked tile for the next time. So neither waits for the other, and no
// tile is seen half written.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/film/film.h"
#include "engine/film/view_transform.h"

namespace weft::live {

// How a film becomes a picture.
struct LiveView {
    film::ViewTransform transform = film::ViewTransform::Standard;
    float exposure_stops = 0;
    std::optional<film::Aov> layer;                       // none: the beauty
    bool has_false_colours = false;                       // values as a scale of colours
    std::array<float, 2> depth_range_m = {0.125F, 4096};  // ends of that scale; 0 < near < far

    bool operator==(const LiveView&) const = default;
};

// 8-bit display values. The interface keeps it between calls, so that only new tiles are copied.
struct LivePicture {
    u32 width = 0;  // of the pixels here; smaller than the region while the picture is coarse
    u32 height = 0;
    std::vector<u8> rgba;  // rows from the top, alpha straight
    u32 full_width = 0;    // of the job's picture
    u32 full_height = 0;
    film::Region region{};   // the part of the job's picture that the pixels here cover
    u32 samples = 0;         // of every pixel of the region; 0 while coarse
    bool is_coarse = false;  // some pixels have no sample of their own yet
    u64 job = 0;             // the number that show() returned
    // The version of each tile here. For ShownFrame.
    u64 frame = 0;
    std::vector<u32> versions;
    std::vector<u32> tile_samples;
};

// Where the picture of a frame belongs.
struct ShownPlace {
    u64 job = 0;
    u32 full_width = 0;
    u32 full_height = 0;
    film::Region region{};  // of the full picture
    bool is_coarse = false;
};

// The picture of one frame. Tasks of the frame call resolve and tone, one task at a time for each
// tile; any thread calls copy_to; the render thread calls change_view and begin_with between runs.
class ShownFrame {
public:
    // The film must outlive the frame's tasks; copy_to does not use it.
    ShownFrame(const film::Film& film, const LiveView& view, const ShownPlace& place);

    static constexpr u32 kTileSize = 64;

    void resolve(const film::Region& tile, u32 samples);
    void tone(const film::Region& tile);

    // Resolves and tones every tile that has samples again, on several threads.
    void change_view(const LiveView& view);

    // Shows this picture, enlarged, in each tile until the tile has samples.
    void begin_with(const LivePicture& coarse);

    // Every tile has samples or shows an enlarged picture.
    [[nodiscard]] bool is_complete() const {
        return open_tiles_.load(std::memory_order_acquire) == 0;
    }

    // False: no tile is new, or the picture is of another frame and a tile was locked.
    bool copy_to(LivePicture& picture) const;

    [[nodiscard]] u64 number() const { return number_; }

    [[nodiscard]] bool is_coarse() const { return place_.is_coarse; }

    // A later job has the same picture. Any thread.
    void set_job(u64 job) { job_.store(job, std::memory_order_relaxed); }

    [[nodiscard]] u64 tiles_toned() const { return toned_.load(std::memory_order_relaxed); }

private:
    struct Tile {
        mutable std::mutex mutex;  // guards the bytes, their samples and version
        std::vector<u8> rgba;
        u32 samples = 0;
        u32 version = 0;  // 0: nothing to show
        // Used by tasks alone, without the lock:
        std::vector<float> means;  // four per pixel
        u32 mean_samples = 0;
    };

    [[nodiscard]] Tile& tile_of(const film::Region& tile) const;
    [[nodiscard]] film::Region region_of(u32 tile) const;
    void make_means(const film::Region& tile, std::vector<float>& means) const;
    void put_bytes(Tile& tile, std::vector<u8>& bytes, u32 samples);
    void copy_tile(u32 number, const Tile& tile, LivePicture& picture) const;

    const film::Film& film_;
    LiveView view_;
    float scale_ = 1;
    u32 layer_ = kNone;
    ShownPlace place_;
    std::atomic<u64> job_;
    u64 number_;         // unique among all frames
    film::Region crop_;  // the film's
    u32 tiles_x_;
    u32 tile_count_;
    std::unique_ptr<Tile[]> tiles_;
    std::atomic<u32> open_tiles_;
    std::atomic<u64> toned_{0};
};

// The frame that is shown. Any thread.
class ShownPicture {
public:
    void show(std::shared_ptr<ShownFrame> frame);
    [[nodiscard]] std::shared_ptr<ShownFrame> shown() const;
    // LiveRender::take_picture. The interface's thread.
    bool take(LivePicture& picture);

private:
    mutable std::mutex mutex_;  // held to copy a pointer
    std::shared_ptr<ShownFrame> frame_;
    LivePicture next_;  // used by take() alone
};

}  // namespace weft::live
