// tile_pictures.cpp — the pictures of a watched frame: when there is one, and the tasks that make
// it.
#include <algorithm>

#include "engine/frame/tile_waves.h"
#include "scheduler/task/task_context.h"

namespace weft::frame {

namespace {

// The progress of a picture's task, in state()[0].
enum PictureStage : u64 { kBegin, kResolve, kFilter, kTone, kShow };

}  // namespace

task::Outcome TileWaves::run_picture(task::TaskContext& task, void* waves) {
    return static_cast<TileWaves*>(waves)->make_picture(task);
}

// arguments[]: the tile; the stage of the picture.
task::Outcome TileWaves::run_part(task::TaskContext& task, void* waves) {
    const auto& self = *static_cast<TileWaves*>(waves);
    const film::Region tile = self.tile_region(static_cast<u32>(task.arguments()[0]));
    if (task.arguments()[1] == kResolve) {
        self.config_.maybe_watcher->resolve(tile);
    } else {
        self.config_.maybe_watcher->tone(tile);
    }
    return task::Outcome::Done;
}

// Waves of each attended tile that are launched.
u64 TileWaves::lead_of_attended() const {
    if (attended_.load(std::memory_order_relaxed) == 0) {
        return 0;
    }
    u64 least = waves_.size() + 1;
    for (u32 tile = 0; tile < tile_count_; ++tile) {
        least = is_attended(tile) ? std::min<u64>(least, tiles_[tile].launched) : least;
    }
    return least > waves_.size() ? 0 : least;
}

// Whether the waves that are launched become a picture before another one is. Sets which.
bool TileWaves::must_show(bool is_last) {
    if (!config_.maybe_watcher) {
        return false;
    }
    const u64 end = wave_end_.load(std::memory_order_relaxed);
    const u64 whole = std::min(cursor_, end) / tile_count_;  // waves of every tile
    const bool is_new =
        is_last ? whole > shown_waves_ : cursor_ % tile_count_ == 0 && whole > asked_waves_;
    if (whole > 0 && is_new && (is_last || waves_[whole - 1].is_whole)) {
        const Wave& wave = waves_[whole - 1];
        // The last of three lattices halves the distance of pixels.
        const bool is_halved = wave.step_log2 > 0 && whole > 1 && wave.is_whole;
        asked_waves_ = picture_waves_ = whole;
        generation_ = {.step_log2 = wave.step_log2 - (is_halved ? 1U : 0U),
                       .samples = wave.sample_begin + wave.sample_count,
                       .is_last = is_last};
        return config_.maybe_watcher->wants(generation_, launched_samples_);
    }
    // Attended tiles become visible alone once there is a picture with all pixels.
    const u64 lead = lead_of_attended();
    if (lead <= std::max(whole, asked_lead_) || shown_waves_ == 0 || shown_.step_log2 > 0) {
        return false;
    }
    asked_lead_ = lead;
    picture_waves_ = shown_waves_;
    generation_ = {.samples = shown_.samples, .is_of_attended = true};
    return config_.maybe_watcher->wants(generation_, launched_samples_);
}

// About so many: tiles at the border have fewer.
u64 TileWaves::samples_of(u64 number) const {
    const Wave& wave = waves_[number / tile_count_];
    return (u64{config_.tile_size} * config_.tile_size >> 2 * wave.step_log2) * wave.sample_count;
}

// All waves that are launched are complete. Launches the picture, then waits for it.
task::Outcome TileWaves::launch_picture(task::TaskContext& task) {
    task::TaskDescriptor picture = child(run_picture, 0);
    picture.priority = kShowing;
    if (!task.launch(task::StreamIndex{0}, picture).is_accepted()) {
        return task::Outcome::NeedsRoom;
    }
    task.state()[2] = kLaunching;
    return task::Outcome::Join;
}

task::Outcome TileWaves::make_picture(task::TaskContext& task) {
    FrameWatcher& watcher = *config_.maybe_watcher;
    u64& stage = task.state()[0];
    switch (stage) {
        case kBegin:
            // A stop may have kept launched waves from starting.
            if (picture_waves_ * tile_count_ > wave_end_.load(std::memory_order_relaxed)) {
                return task::Outcome::Done;
            }
            watcher.begin(generation_);
            stage = kResolve;
            return launch_parts(task);
        case kFilter:
            if (!watcher.filter([this] { return must_hold(); })) {
                return task::Outcome::PutAside;
            }
            stage = kTone;
            return launch_parts(task);
        case kShow:
            watcher.show();
            shown_ = generation_;
            shown_waves_ = picture_waves_;
            launched_samples_ = 0;
            return task::Outcome::Done;
        default:
            return launch_parts(task);
    }
}

// Resolves or tones the tiles, then waits for them. state[1]: how many are launched.
task::Outcome TileWaves::launch_parts(task::TaskContext& task) {
    if (task.open_group() != task::Refusal::None) {
        return task::Outcome::NeedsRoom;
    }
    u64& stage = task.state()[0];
    u64& launched = task.state()[1];
    if (launched == 0 && config_.on_resolve) {
        config_.on_resolve();
    }
    for (; launched < tile_count_; ++launched) {
        const auto tile = static_cast<u32>(launched);
        if (stage == kResolve && generation_.is_of_attended && !is_attended(tile)) {
            continue;
        }
        task::TaskDescriptor part = child(run_part, launched);
        part.arguments[1] = stage;
        part.priority = kShowing;
        if (!task.launch(task::StreamIndex{tile}, part).is_accepted()) {
            return task::Outcome::NeedsRoom;
        }
    }
    launched = 0;
    ++stage;
    return task::Outcome::Join;
}

}  // namespace weft::frame
