// shown_frame.h — makes whole pictures of a film while its frame is rendered: means, then 8-bit
// display values.
//
// A picture is that of a generation (engine/frame/frame_watcher.h). While only every second, fourth
// or eighth pixel of rows and columns has a sample, the pixels between them are interpolated.
// Whether a generation is worth a picture depends on how long the last one took: pictures take a
// twelfth of the time at most, and later ones change less.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/frame/frame_watcher.h"
#include "engine/live/live_filter.h"
#include "engine/live/picture_pace.h"
#include "engine/live/shown_filter.h"
#include "engine/live/shown_light.h"
#include "engine/live/shown_picture.h"

namespace weft::live {

// Tasks of the frame call what FrameWatcher declares; the render thread calls change_view,
// complete, begin_after and on_shown between runs; any thread calls the rest.
class ShownFrame final : public frame::FrameWatcher, public PictureSource {
public:
    // The film must outlive the frame's tasks; copy_to does not use it. Frames that share a filter
    // do not run at the same time, and it outlives their tasks.
    ShownFrame(const film::Film& film,
               const LiveView& view,
               const ShownPlace& place,
               LiveFilter& filter);

    // For the time between runs.
    [[nodiscard]] ShownFilter& shown_filter() { return shown_filter_; }

    bool wants(const frame::Generation& generation, u64 new_samples) override;
    void begin(const frame::Generation& generation) override;
    void resolve(const film::Region& tile) override;
    bool filter(const std::function<bool()>& should_stop) override;
    void tone(const film::Region& tile) override;
    void show() override;

    // Makes the picture of a film that is whole, with so many samples in each pixel, on several
    // threads: where the frame was put aside before its last picture, and its tasks are gone, or
    // where the view wants another filter since. Nothing where it is shown. False: given up because
    // `should_stop` said so.
    bool complete(u32 samples, const std::function<bool()>& should_stop);
    // Makes the picture once more, with this view, on several threads.
    void change_view(const LiveView& view);

    // A picture of `width` pixels for the whole region is shown: no coarser one becomes visible.
    void begin_after(u32 width);

    // Pictures that are denoised show these surfaces: coarse ones are spread over the pixels of the
    // crop by them, and each counts beside what the pictures before have shown of them.
    void use_surfaces(std::shared_ptr<const SurfacePixels> surfaces,
                      std::shared_ptr<const PictureHistory> maybe_history);
    // Makes the picture of a smaller film once more, over the pixels of a crop `reduction` times as
    // wide and high. False: there is none that is denoised.
    bool spread(std::shared_ptr<const SurfacePixels> surfaces,
                std::shared_ptr<const PictureHistory> maybe_history,
                u32 reduction);

    // The newest picture and its surfaces, for the history of another one. Without an image: it has
    // no light.
    [[nodiscard]] FormerPicture former(const shaders::CameraRecord& camera) const;

    // Called after each new picture, on a worker.
    void on_shown(std::function<void()> on_shown) { on_shown_ = std::move(on_shown); }

    // There is a picture.
    [[nodiscard]] bool is_complete() const { return image() != nullptr; }

    // Null: none yet.
    [[nodiscard]] std::shared_ptr<const ShownImage> image() const;

    bool copy_to(LivePicture& picture) const override;

    // A later job has the same picture.
    void set_job(u64 job) { job_.store(job, std::memory_order_relaxed); }

    // How many there were.
    [[nodiscard]] u64 pictures() const { return pictures_.load(std::memory_order_relaxed); }

    // Of the mean block in the newest picture (engine/film/noise.h); 0: not known.
    [[nodiscard]] double mean_noise() const { return mean_noise_.load(std::memory_order_relaxed); }

private:
    template <typename Visit>
    void for_nodes(const film::Region& tile, const Visit& visit) const;
    void make_layer(const film::Region& tile);
    void make_guides(const film::Region& tile);
    void make_noise(const film::Region& tile);
    void begin_filter(bool must_be_exact);
    [[nodiscard]] std::size_t block_at(u32 x, u32 y) const;
    [[nodiscard]] LiveFilter::Picture filtered_picture() const;
    void node_bytes(std::size_t node, u8* rgba) const;
    void tone_nodes(const film::Region& tile);
    void tone_lattice(const film::Region& tile);
    void tone_pixels(const film::Region& part);
    void tone_all();
    [[nodiscard]] u32 least_samples() const;
    void make_room();
    void size_next();
    void for_tiles(const std::function<void(const film::Region& tile)>& visit) const;

    const film::Film& film_;
    const film::Region crop_;
    LiveView view_;
    film::DisplayConfig display_;
    u32 layer_ = kNone;  // in the film; kNone: the beauty
    const ShownPlace place_;
    std::atomic<u64> job_;
    std::function<void()> on_shown_;
    PicturePace pace_;
    u64 new_samples_ = 0;      // when wants() was called last
    u32 step_before_ = kNone;  // pixels per pixel of what was shown before
    frame::Generation generation_;
    u32 shown_samples_ = 0;  // of the generation that is shown
    ShownLight light_;
    std::vector<float> values_;  // of the layer, four per node
    std::vector<float> noise_;   // of each block, row by row; 0: not known
    LiveFilter& filter_;
    ShownFilter shown_filter_;
    bool is_filter_begun_ = false;  // for the open picture
    bool lacks_guides_ = false;     // it has those of attended tiles alone
    bool is_open_ = false;          // from begin() to show(): the film is that of the generation
    std::shared_ptr<ShownImage> next_;
    std::shared_ptr<ShownImage> spare_;  // shown before; its memory is used again
    mutable std::mutex mutex_;           // guards the one that follows
    std::shared_ptr<ShownImage> image_;
    std::atomic<u64> pictures_{0};
    std::atomic<double> mean_noise_{0};
};

}  // namespace weft::live
