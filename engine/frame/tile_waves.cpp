#include "engine/frame/tile_waves.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "scheduler/base/ensure.h"
#include "scheduler/task/task_context.h"

namespace weft::frame {

namespace {

// Shares are cut between rows of pixel blocks where they can be: see sample_block.h.
constexpr u32 kPixelGrain = 64;

// Tiles beyond the number of queues share queues; a wave in flight holds a slot. Of a frame that is
// watched few waves are launched ahead, so that attention has effect at once.
task::TaskConfig task_config(bool is_watched, u32 priorities) {
    task::TaskConfig config;
    config.tasks = is_watched ? 128 : 512;
    config.levels = 3;
    config.groups = 160;
    config.queues = task::kMostQueues;
    config.events = 4;
    config.slots = 128;
    config.priorities = priorities;
    config.host_slots = 4;
    config.urgent_tasks = 64;
    config.urgent_groups = 64;
    config.urgent_events = 1;
    return config;
}

// A region in tiles as one word, and whether a tile lies in it.
constexpr u32 kTileBits = 16;

u64 packed(u64 x0, u64 y0, u64 x1, u64 y1) {
    return x0 | y0 << kTileBits | x1 << 2 * kTileBits | y1 << 3 * kTileBits;
}

bool is_within(u64 region, u32 x, u32 y) {
    constexpr u64 kMask = (1U << kTileBits) - 1;
    return x >= (region & kMask) && y >= (region >> kTileBits & kMask) &&
           x < (region >> 2 * kTileBits & kMask) && y < (region >> 3 * kTileBits);
}

}  // namespace

TileWaves::TileWaves(const WaveConfig& config, film::Film& film, Results results)
    : config_(config),
      results_(std::move(results)),
      adder_(film, {config.film_begin, config.is_continued}, config.maybe_ids, config.maybe_motion),
      tiles_x_((config.crop.width() + config.tile_size - 1) / config.tile_size),
      tile_count_(tiles_x_ * ((config.crop.height() + config.tile_size - 1) / config.tile_size)),
      tiles_(std::make_unique<Tile[]>(tile_count_)),
      tasks_(task_config(config.maybe_watcher != nullptr, kPriorities)) {
    ENSURE(config_.maybe_watcher != nullptr && config_.resolve, ==, false);
    if (config.noise_threshold > 0) {
        ENSURE(config.tile_size, ==, kNoiseTile);
        noise_ = std::make_unique<NoiseRule>(
            film,
            NoiseConfig{.threshold = config.noise_threshold,
                        .sample_end = config.first_sample + config.samples,
                        .tile_count = tile_count_});
    }
    // Cut the samples into waves, each twice as long as the one before, up to the most. Those of a
    // watched frame add half of the samples so far, so that its pictures follow each other sooner.
    u32 count = config.first_wave_samples;
    for (u32 begin = 0; begin < config.samples; begin += count) {
        const u32 longer = config.maybe_watcher ? begin / 2 : 2 * count;
        count = begin == 0 ? count : std::min(longer, config.most_wave_samples);
        count = std::min(std::max(count, 1U), config.samples - begin);
        if (noise_) {
            const u32 first = config.first_sample + begin;
            count = std::min(count, next_noise_step(first) - first);
        }
        if (begin == 0 && config.is_coarse_first) {
            cut_first_wave(count);
            first_waves_ = static_cast<u32>(waves_.size());
        } else {
            waves_.push_back({config.first_sample + begin, count});
        }
    }
    // relaxed: workers start after the constructor.
    wave_end_.store(u64{tile_count_} * waves_.size(), std::memory_order_relaxed);
    // Submit the frame's task, which launches all others.
    const task::TaskDescriptor frame{.program = run_frame, .context = this};
    const task::Launched launched = tasks_.submit(tasks_.create_stream(), frame);
    ENSURE(launched.is_accepted(), ==, true);
    frame_ = launched.task;
}

// Every eighth pixel of rows and columns first; then, again and again, the three lattices that
// halve the distance.
void TileWaves::cut_first_wave(u32 samples) {
    constexpr u32 kCoarsest = 3;
    const u32 first = config_.first_sample;
    waves_.push_back({first, samples, kCoarsest, 0, 0});
    for (u32 step_log2 = kCoarsest; step_log2 > 0; --step_log2) {
        const u32 half = 1U << (step_log2 - 1);
        waves_.push_back({first, samples, step_log2, half, half, false});
        waves_.push_back({first, samples, step_log2, half, 0, false});
        waves_.push_back({first, samples, step_log2, 0, half, true});
    }
}

void TileWaves::stop() {
    wave_end_.store(0, std::memory_order_relaxed);  // only compared: waves in flight continue
}

void TileWaves::stop_after_wave() {
    const std::lock_guard lock(start_mutex_);
    u64 end = (started_ + tile_count_ - 1) / tile_count_ * tile_count_;
    // A watched frame goes on later: all of its pixels must have the first sample then.
    if (config_.maybe_watcher && end > 0) {
        end = std::max(end, u64{first_waves_} * tile_count_);
    }
    if (end < wave_end_.load(std::memory_order_relaxed)) {
        wave_end_.store(end, std::memory_order_relaxed);
    }
}

u32 TileWaves::end_at(u32 samples) {
    const std::lock_guard lock(start_mutex_);
    const u64 started = (started_ + tile_count_ - 1) / tile_count_;
    // Find the last wave that begins before `samples`; started waves stay.
    u64 end = started;
    while (end < wave_end_.load(std::memory_order_relaxed) / tile_count_ &&
           waves_[end].sample_begin < samples) {
        ++end;
    }
    wave_end_.store(end * tile_count_, std::memory_order_relaxed);
    if (end == 0) {
        return config_.first_sample;
    }
    Wave& last = waves_[end - 1];
    if (end > started) {
        last.sample_count = std::min(last.sample_count, samples - last.sample_begin);
    }
    return last.sample_begin + last.sample_count;
}

// Starts a wave, unless the frame stops before it. A started wave finishes.
bool TileWaves::begin_wave(u64 number) {
    const std::lock_guard lock(start_mutex_);
    if (number >= wave_end_.load(std::memory_order_relaxed)) {
        return false;
    }
    started_ = std::max(started_, number + 1);
    return true;
}

film::Region TileWaves::tile_region(u32 tile) const {
    film::Region region;
    region.x0 = config_.crop.x0 + tile % tiles_x_ * config_.tile_size;
    region.y0 = config_.crop.y0 + tile / tiles_x_ * config_.tile_size;
    region.x1 = std::min(region.x0 + config_.tile_size, config_.crop.x1);
    region.y1 = std::min(region.y0 + config_.tile_size, config_.crop.y1);
    return region;
}

void TileWaves::attend(const film::Region& region) {
    const film::Region crop = config_.crop;
    const u32 x0 = std::clamp(region.x0, crop.x0, crop.x1) - crop.x0;
    const u32 y0 = std::clamp(region.y0, crop.y0, crop.y1) - crop.y0;
    const u32 x1 = std::clamp(region.x1, crop.x0, crop.x1) - crop.x0;
    const u32 y1 = std::clamp(region.y1, crop.y0, crop.y1) - crop.y0;
    const u32 size = config_.tile_size;
    const bool is_empty = x0 >= x1 || y0 >= y1;
    // relaxed: only decides the order.
    attended_.store(
        is_empty ? 0 : packed(x0 / size, y0 / size, (x1 + size - 1) / size, (y1 + size - 1) / size),
        std::memory_order_relaxed);
}

bool TileWaves::is_attended(u32 tile) const {
    return is_within(attended_.load(std::memory_order_relaxed), tile % tiles_x_, tile / tiles_x_);
}

// Runs tasks until one hands a wave out.
bool TileWaves::next(unit::WorkItem& item) {
    Handout handout;
    while (!is_put_aside() && !handout.is_filled && tasks_.run_one(&handout)) {
    }
    item = handout.item;
    return handout.is_filled;
}

bool TileWaves::is_put_aside() {
    if (must_hold()) {
        is_held_.store(true, std::memory_order_relaxed);  // tasks stay where they are
    }
    return is_held();
}

bool TileWaves::is_dry() const {
    return is_held() || tasks_.is_complete(frame_);
}

task::Outcome TileWaves::run_frame(task::TaskContext& task, void* waves) {
    return static_cast<TileWaves*>(waves)->launch_waves(task);
}

task::Outcome TileWaves::run_wave(task::TaskContext& task, void* waves) {
    auto& self = *static_cast<TileWaves*>(waves);
    return self.begin_wave(task.arguments()[0]) ? self.hand_out(task) : task::Outcome::Done;
}

task::Outcome TileWaves::run_resolve(task::TaskContext& task, void* waves) {
    return static_cast<TileWaves*>(waves)->resolve(task);
}

task::Outcome TileWaves::run_tone(task::TaskContext& task, void* waves) {
    const auto& self = *static_cast<TileWaves*>(waves);
    self.config_.tone(self.tile_region(static_cast<u32>(task.arguments()[0])));
    return task::Outcome::Done;
}

task::TaskDescriptor TileWaves::child(task::TaskProgram program, u64 number) const {
    task::TaskDescriptor descriptor;
    descriptor.program = program;
    descriptor.context = const_cast<TileWaves*>(this);
    descriptor.arguments = {number};
    return descriptor;
}

// The priority of a wave among waves, and of its paths among those of a unit.
u32 TileWaves::urgency_of(u64 number) const {
    if (is_attended(static_cast<u32>(number % tile_count_))) {
        return kAttended;
    }
    const bool is_first = waves_[number / tile_count_].sample_begin == config_.first_sample;
    return is_first ? kFirstPicture : kLater;
}

// The wave to launch next: that of the attended tile with the fewest launched waves, as far as it
// may lead; otherwise the first wave that is not launched, in wave-major order.
u64 TileWaves::next_wave() {
    while (tiles_[cursor_ % tile_count_].launched > cursor_ / tile_count_) {
        ++cursor_;
    }
    u64 chosen = cursor_;
    if (attended_.load(std::memory_order_relaxed) == 0) {
        return chosen;
    }
    const u64 lead = std::min<u64>(cursor_ / tile_count_ + kMostLead,
                                   wave_end_.load(std::memory_order_relaxed) / tile_count_);
    u64 least = lead;
    for (u32 tile = 0; tile < tile_count_; ++tile) {
        if (is_attended(tile) && tiles_[tile].launched < least) {
            least = tiles_[tile].launched;
            chosen = least * tile_count_ + tile;
        }
    }
    return chosen;
}

// The frame's task: launches as many waves as there is room for, again and again; where it is
// watched, a picture between two of them; then, for file output, resolves the tiles.
task::Outcome TileWaves::launch_waves(task::TaskContext& task) {
    if (task.open_group() != task::Refusal::None) {
        return task::Outcome::NeedsRoom;
    }
    u64& stage = task.state()[2];
    if (stage == kMustShow) {
        return launch_picture(task);
    }
    for (u64 number = next_wave(); number < wave_end_.load(std::memory_order_relaxed);
         number = next_wave()) {
        if (must_show(false)) {
            stage = kMustShow;
            return task::Outcome::Join;
        }
        // Streams are indices: tile t has stream t.
        const auto tile = static_cast<u32>(number % tile_count_);
        task::TaskDescriptor wave = child(run_wave, number);
        wave.priority = urgency_of(number);
        if (!task.launch(task::StreamIndex{tile}, wave).is_accepted()) {
            return task::Outcome::NeedsRoom;
        }
        ++tiles_[tile].launched;
        launched_samples_ += samples_of(number);
    }
    if (must_show(true)) {
        stage = kMustShow;
        return task::Outcome::Join;
    }
    return config_.resolve ? launch_resolves(task) : task::Outcome::Done;
}

// state[]: whether all waves are complete; how many tiles are launched for resolving.
task::Outcome TileWaves::launch_resolves(task::TaskContext& task) {
    if (std::exchange(task.state()[0], 1) == 0) {
        return task::Outcome::Join;
    }
    u64& launched = task.state()[1];
    if (launched == 0 && config_.on_resolve) {
        config_.on_resolve();
    }
    for (; launched < tile_count_; ++launched) {
        task::TaskDescriptor means = child(run_resolve, launched);
        means.priority = kShowing;
        const auto stream = task::StreamIndex{static_cast<u32>(launched)};
        if (!task.launch(stream, means).is_accepted()) {
            return task::Outcome::NeedsRoom;
        }
    }
    return task::Outcome::Done;
}

// state[]: whether the means are made.
task::Outcome TileWaves::resolve(task::TaskContext& task) {
    const u64 tile = task.arguments()[0];
    if (std::exchange(task.state()[0], 1) == 0) {
        config_.resolve(tile_region(static_cast<u32>(tile)));
    }
    task::TaskDescriptor tone = child(run_tone, tile);
    tone.priority = kToning;
    const bool is_launched = task.open_group() == task::Refusal::None &&
                             task.launch(task::StreamIndex{0}, tone).is_accepted();
    return is_launched ? task::Outcome::Done : task::Outcome::NeedsRoom;
}

task::Outcome TileWaves::hand_out(task::TaskContext& task) {
    const u64 number = task.arguments()[0];
    if (config_.on_wave) {
        config_.on_wave();
    }
    const Wave& wave = waves_[number / tile_count_];
    const auto tile = static_cast<u32>(number % tile_count_);
    const film::Region region = tile_region(tile);
    const u32 step = 1U << wave.step_log2;
    // Count the pixels of the lattice in the tile: none where the tile is narrower than its offset.
    const u32 columns = (std::max(region.width(), wave.x) - wave.x + step - 1) / step;
    const u32 rows = (std::max(region.height(), wave.y) - wave.y + step - 1) / step;
    // Leave out blocks whose noise is low enough, and samples that a continued film holds.
    u64 blocks = trace::kAllBlocks;
    u32 pixels = columns * rows;
    if (noise_ && wave.step_log2 == 0) {
        blocks = noise_->open_blocks(tile, region, wave.sample_begin);
        pixels = trace::pixel_count_of(columns, rows, blocks);
    }
    const u32 sample_end = wave.sample_begin + wave.sample_count;
    const u32 sample_begin = std::max(wave.sample_begin, adder_.least_held(region, blocks));
    if (pixels == 0 || sample_begin >= sample_end) {
        return task::Outcome::Done;
    }
    // Count the pixels that are open, and hand the whole wave out as one item.
    tiles_[tile].wave = task.id();
    // relaxed: handing the item over publishes the store.
    tiles_[tile].open_pixels.store(pixels, std::memory_order_relaxed);
    auto& handout = *static_cast<Handout*>(task.caller());
    handout.is_filled = true;
    handout.item = trace::to_item({.tile = tile,
                                   .x0 = region.x0 + wave.x,
                                   .y0 = region.y0 + wave.y,
                                   .width = columns,
                                   .height = rows,
                                   .pixel_begin = 0,
                                   .pixel_end = pixels,
                                   .sample_begin = sample_begin,
                                   .sample_count = sample_end - sample_begin,
                                   .step_log2 = wave.step_log2,
                                   .urgency = urgency_of(number),
                                   .blocks = blocks});
    return task::Outcome::Pending;
}

u64 TileWaves::size(const unit::WorkItem& item) const {
    return trace::to_block(item).size();
}

bool TileWaves::divide(unit::WorkItem& item, double fraction, unit::WorkItem& rest) const {
    trace::SampleBlock block = trace::to_block(item);
    const u32 pixels = block.pixel_count();
    if (pixels < 2) {
        return false;
    }
    // Cut at the wanted fraction, between rows of pixel blocks where there are several.
    auto kept = static_cast<u32>(fraction * static_cast<double>(pixels));
    if (pixels > 2 * kPixelGrain) {
        kept = std::clamp(kept / kPixelGrain * kPixelGrain, kPixelGrain, pixels - kPixelGrain);
    }
    kept = std::clamp(kept, 1U, pixels - 1);
    trace::SampleBlock second = block;
    second.pixel_begin += kept;
    block.pixel_end = second.pixel_begin;
    item = trace::to_item(block);
    rest = trace::to_item(second);
    return true;
}

// The pixels of a share belong to the worker that publishes it until its tile's wave is done.
void TileWaves::publish(const unit::WorkItem& share, u32 unit, u32 portion) {
    const trace::SampleBlock block = trace::to_block(share);
    const trace::ResultView& results = results_(unit, portion, block.size());
    finished_samples_.fetch_add(adder_.add(block, results), std::memory_order_relaxed);
    if (config_.maybe_guide_log != nullptr) {
        config_.maybe_guide_log->add(results.guide, u64{block.pixel_count()} * block.sample_count);
    }
    // The last share of a wave completes its task.
    Tile& tile = tiles_[block.tile];
    const task::TaskId wave = tile.wave;
    // acq_rel: the last share's worker sees what the others added to the film, and passes it on.
    const u32 open = tile.open_pixels.fetch_sub(block.pixel_count(), std::memory_order_acq_rel);
    ENSURE(block.pixel_count(), <=, open);
    if (open == block.pixel_count()) {
        tasks_.complete(wave);
    }
}

}  // namespace weft::frame
