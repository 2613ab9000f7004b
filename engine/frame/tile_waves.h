// tile_waves.h — cuts a frame into waves, waves into shares, and puts finished shares into the
// film.
//
// A frame is a task; each tile is a stream of its group; the waves of a tile are the tasks of that
// stream, in order. A wave is S consecutive samples of the pixels of its tile: it is pending while
// execution units work on its shares and complete when the last share is in the film. So the shares
// in flight at any time write distinct pixels, and the film needs no lock. The frame launches waves
// wave-major (all tiles of wave 0, then of wave 1, ...). S is 1 at first, so that a first picture
// appears early, and doubles up to a limit. Where time may run out
// before all pixels have a sample, the first wave is cut into lattices: every eighth pixel of rows
// and columns, then the pixels between, so that the samples cover the picture whenever it ends. The
// picture does not depend on any of this: film sums are exact.
//
//     frame ──> wave (pending: units work on its shares); its tile's next wave starts after it
//       ├─ when the waves of a generation are complete, and it is watched (frame_watcher.h):
//       │    picture ──> a resolve of each tile; filter; a tone of each tile; shown
//       └─ when all waves are complete: a resolve of each tile ──> tone     where it is written
//
// So no samples are added to the film while it is resolved. A held frame keeps all of its tasks and
// continues with them later.
//
// One TileWaves per frame, shared by all workers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/film/film.h"
#include "engine/frame/film_adder.h"
#include "engine/frame/frame_watcher.h"
#include "engine/frame/noise_rule.h"
#include "engine/trace/result_slots.h"
#include "engine/trace/sample_block.h"
#include "scheduler/task/task_runtime.h"
#include "scheduler/unit/work.h"

namespace weft::frame {

struct WaveConfig {
    film::Region crop;
    u32 first_sample = 0;  // of each pixel
    u32 samples = 1;       // of each pixel in total
    // The film may hold samples already, from sample `film_begin` on, some pixels more than others:
    // these are left as they are.
    u32 film_begin = 0;
    bool is_continued = false;
    u32 first_wave_samples = 1;    // S of the first wave
    u32 most_wave_samples = 1;     // S doubles up to this
    bool is_coarse_first = false;  // the first wave is cut into lattices of pixels
    u32 tile_size = 64;            // pixels; kNoiseTile with a threshold
    // What layers of numbers call the instances; outlives the waves. Null: as in FilmAdder.
    const SurfaceIds* maybe_ids = nullptr;
    const Motion* maybe_motion = nullptr;  // alike
    trace::GuideLog* maybe_guide_log =
        nullptr;  // what the paths of a pilot tell; outlives the waves
    // A block whose noise is at most so much gets no more samples (noise_rule.h). 0: none.
    float noise_threshold = 0;
    std::function<void()> on_wave;  // a wave of a tile starts; on the worker that starts it
    // Workers call it between two steps of their units: true ends the run and keeps all progress.
    std::function<bool()> should_hold;
    // Resolve and tone each tile once, after the last wave or a stop; both are set or both empty.
    // On workers, for each tile one at a time.
    std::function<void(const film::Region& tile)> resolve;
    std::function<void(const film::Region& tile)> tone;
    FrameWatcher* maybe_watcher = nullptr;  // shows generations; without resolve and tone
    // There are tasks for all workers now: before tiles are resolved at the end, and twice for each
    // picture of a watcher. On one worker.
    std::function<void()> on_resolve;
};

class TileWaves final : public unit::Work {
public:
    // Finds the results of a share: its unit's slots in a portion.
    using Results =
        std::function<const trace::ResultView&(u32 unit, u32 portion, u32 sample_count)>;

    // `film` covers the region `crop` and outlives this.
    TileWaves(const WaveConfig& config, film::Film& film, Results results);

    // Starts no more waves (SIGINT). Any thread.
    void stop();
    // Finishes the last started wave for all tiles, and all lattices where the frame is watched,
    // then starts no more (time limit). Any thread.
    void stop_after_wave();

    // Ends the frame with `samples` samples of each pixel, counted from sample 0, or with the
    // fewest more that complete every started wave. Returns that number. Only while held, or before
    // the first run.
    u32 end_at(u32 samples);

    // Whether should_hold says so now. Any thread.
    [[nodiscard]] bool must_hold() const { return config_.should_hold && config_.should_hold(); }

    // Continues after a hold.
    void go_on() { is_held_.store(false, std::memory_order_relaxed); }

    // The last run ended by should_hold, and go_on() was not called since.
    [[nodiscard]] bool is_held() const { return is_held_.load(std::memory_order_relaxed); }

    // Prefers tiles that meet the region: their waves run first, and up to kMostLead waves ahead of
    // other tiles'. An empty region ends that. Any thread.
    void attend(const film::Region& region);
    static constexpr u32 kMostLead = 8;

    [[nodiscard]] u64 finished_samples() const {
        return finished_samples_.load(std::memory_order_relaxed);
    }

    // Samples that the noise threshold saves, of the blocks that have ended so far.
    [[nodiscard]] u64 saved_samples() const { return noise_ ? noise_->saved_samples() : 0; }

    // After the last share: samples that were dropped, and the first few of them.
    [[nodiscard]] u64 dropped_count() const { return adder_.dropped_count(); }

    [[nodiscard]] const std::vector<DroppedSample>& dropped() const { return adder_.dropped(); }

    [[nodiscard]] task::TaskFigures task_figures() const { return tasks_.figures(); }

    // unit::Work
    bool next(unit::WorkItem& item) override;
    [[nodiscard]] bool is_dry() const override;
    // Shares in flight stay in their units while the frame is held.
    [[nodiscard]] bool is_put_aside() override;
    [[nodiscard]] u64 size(const unit::WorkItem& item) const override;
    bool divide(unit::WorkItem& item, double fraction, unit::WorkItem& rest) const override;
    void publish(const unit::WorkItem& share, u32 unit, u32 portion) override;

private:
    // From low to high: waves after the first, waves of the first picture, waves of attended tiles;
    // then what makes pictures of complete waves.
    enum Priority : u32 { kLater, kFirstPicture, kAttended, kShowing, kToning, kPriorities };

    // The progress of the frame's task where it is watched, in state()[2].
    enum FrameStage : u64 { kLaunching, kMustShow };

    // The pixels (x, y) + step · (i, j) of each tile.
    struct Wave {
        u32 sample_begin = 0;
        u32 sample_count = 0;
        u32 step_log2 = 0;
        u32 x = 0;
        u32 y = 0;
        bool is_whole = true;  // with it all pixels of a lattice have its samples
    };

    // A tile and its wave in flight, if there is one.
    struct Tile {
        task::TaskId wave;
        std::atomic<u32> open_pixels{0};  // not yet in the film
        u32 launched = 0;                 // waves; the frame's task alone
    };

    // A worker passes it to the tasks that it runs; a samples task fills it.
    struct Handout {
        unit::WorkItem item;
        bool is_filled = false;
    };

    static task::Outcome run_frame(task::TaskContext& task, void* waves);
    static task::Outcome run_wave(task::TaskContext& task, void* waves);
    static task::Outcome run_resolve(task::TaskContext& task, void* waves);
    static task::Outcome run_tone(task::TaskContext& task, void* waves);
    static task::Outcome run_picture(task::TaskContext& task, void* waves);
    static task::Outcome run_part(task::TaskContext& task, void* waves);
    task::Outcome launch_waves(task::TaskContext& task);
    task::Outcome launch_resolves(task::TaskContext& task);
    task::Outcome launch_picture(task::TaskContext& task);
    task::Outcome make_picture(task::TaskContext& task);
    task::Outcome launch_parts(task::TaskContext& task);
    task::Outcome resolve(task::TaskContext& task);
    [[nodiscard]] bool must_show(bool is_last);
    [[nodiscard]] u64 lead_of_attended() const;
    [[nodiscard]] u64 samples_of(u64 number) const;
    void cut_first_wave(u32 samples);
    bool begin_wave(u64 number);
    task::Outcome hand_out(task::TaskContext& task);
    [[nodiscard]] u64 next_wave();
    [[nodiscard]] bool is_attended(u32 tile) const;
    [[nodiscard]] u32 urgency_of(u64 number) const;
    [[nodiscard]] task::TaskDescriptor child(task::TaskProgram program, u64 number) const;
    [[nodiscard]] film::Region tile_region(u32 tile) const;
    WaveConfig config_;
    Results results_;
    FilmAdder adder_;
    std::unique_ptr<NoiseRule> noise_;  // null: no threshold
    u32 tiles_x_;
    u32 tile_count_;
    std::vector<Wave> waves_;
    u32 first_waves_ = 1;  // with the first samples: lattices where there are several
    std::unique_ptr<Tile[]> tiles_;
    task::TaskRuntime tasks_;
    task::TaskId frame_;
    // The frame's task alone: all waves before the cursor are launched.
    u64 cursor_ = 0;
    // The same, and the picture's task while the frame's waits for it.
    Generation generation_;      // the picture that is made
    u64 picture_waves_ = 0;      // of each tile, in it
    Generation shown_;           // the newest picture
    u64 shown_waves_ = 0;        // of each tile, in it; 0: there is none
    u64 asked_waves_ = 0;        // of each tile, when the watcher was asked last
    u64 asked_lead_ = 0;         // the same of attended tiles
    u64 launched_samples_ = 0;   // since the newest picture
    std::atomic<u64> wave_end_;  // waves from here on do not start: wave · tile_count + tile
    std::mutex start_mutex_;     // orders starting a wave and choosing the last one
    u64 started_ = 0;            // one past the last started wave; under the mutex
    std::atomic<bool> is_held_{false};
    std::atomic<u64> attended_{0};  // region in tiles, four times 16 bits: x0, y0, x1, y1
    std::atomic<u64> finished_samples_{0};
};

}  // namespace weft::frame
