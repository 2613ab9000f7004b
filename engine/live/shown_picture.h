// shown_picture.h — what the interface shows of a film, tile by tile: means, then 8-bit display
// values, handed over whole.
//
// The tasks of a frame resolve and tone a tile after each wave of it; the interface takes what is
// new whenever it draws. A tile's bytes change under its lock, for as long as a swap of two vectors
// takes; who takes a picture tries each lock once, and leaves out a tile that is not free until the
// next time. So neither waits for the other, and no tile is seen half written.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/film/film.h"
#include "engine/film/view_transform.h"

namespace weft::live {

// How a film becomes a picture.
struct LiveView {
    film::ViewTransform transform = film::ViewTransform::Standard;
    float exposure_stops = 0;
    std::string layer;               // empty: the beauty; else an AOV of render_settings.h
    bool has_false_colours = false;  // brightness as a scale of colours
    std::array<float, 2> depth_range_m = {0.125F, 4096};  // of that scale; 0 < near < far

    bool operator==(const LiveView&) const = default;
};

// 8-bit display values. The owner keeps it, so that only what is new is copied.
struct LivePicture {
    u32 width = 0;  // of the pixels here: fewer than the region has while the picture is coarse
    u32 height = 0;
    std::vector<u8> rgba;  // rows from the top, alpha straight
    u32 full_width = 0;    // of the job's picture
    u32 full_height = 0;
    film::Region region{};   // the part of it that the pixels here cover
    u32 samples = 0;         // that every pixel of the region has; 0 while coarse
    bool is_coarse = false;  // not every pixel has a sample of its own yet
    u64 job = 0;             // number that show() returned
    // Which version of each tile is here. For ShownPicture.
    u64 frame = 0;
    std::vector<u32> versions;
    std::vector<u32> tile_samples;
};

// What is told with the picture of a frame.
struct ShownPlace {
    u64 job = 0;
    u32 full_width = 0;
    u32 full_height = 0;
    film::Region region{};  // of the full picture
    bool is_coarse = false;
};

// The picture of one frame. The tasks of the frame: resolve, tone, of a tile by one at a time. Any
// thread: copy_to. When no task runs: change_view.
class ShownFrame {
public:
    // The film outlives the frame's tasks; taking pictures does without it.
    ShownFrame(const film::Film& film, const LiveView& view, const ShownPlace& place);

    static constexpr u32 kTileSize = 64;

    void resolve(const film::Region& tile, u32 samples);
    void tone(const film::Region& tile);

    // Every tile that has samples, by several threads.
    void change_view(const LiveView& view);

    // Tiles without samples show this picture, enlarged, until they have.
    void begin_with(const LivePicture& coarse);

    // Every tile has samples, or something to show until then.
    [[nodiscard]] bool is_complete() const {
        return open_tiles_.load(std::memory_order_acquire) == 0;
    }

    // False: nothing is new, or (where all is new) a tile was not free.
    bool copy_to(LivePicture& picture) const;

    [[nodiscard]] u64 number() const { return number_; }

    [[nodiscard]] bool is_coarse() const { return place_.is_coarse; }

    // The picture is that of a later job, too. Any thread.
    void set_job(u64 job) { job_.store(job, std::memory_order_relaxed); }

    [[nodiscard]] u64 tiles_toned() const { return toned_.load(std::memory_order_relaxed); }

private:
    struct Tile {
        mutable std::mutex mutex;  // the bytes and what says of them
        std::vector<u8> rgba;
        u32 samples = 0;
        u32 version = 0;  // 0: nothing to show
        // The tasks', without the lock:
        std::vector<float> means;  // four of a pixel
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
    u64 number_;         // of all frames that ever were
    film::Region crop_;  // the film's
    u32 tiles_x_;
    u32 tile_count_;
    std::unique_ptr<Tile[]> tiles_;
    std::atomic<u32> open_tiles_;
    std::atomic<u64> toned_{0};
};

// Which frame is shown. Any thread.
class ShownPicture {
public:
    void show(std::shared_ptr<ShownFrame> frame);
    [[nodiscard]] std::shared_ptr<ShownFrame> shown() const;
    // The interface's thread: as LiveRender::take_picture.
    bool take(LivePicture& picture);

private:
    mutable std::mutex mutex_;  // held to copy a pointer
    std::shared_ptr<ShownFrame> frame_;
    LivePicture next_;  // of whoever takes
};

}  // namespace weft::live
