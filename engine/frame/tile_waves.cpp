#include "engine/frame/tile_waves.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "scheduler/base/ensure.h"
#include "scheduler/task/task_context.h"

namespace weft::frame {

namespace {

// Most dropped samples that are remembered with pixel and sample number; all are counted.
constexpr std::size_t kRememberedDrops = 16;

// Leaves are cut between rows of pixel blocks where they can be: see sample_block.h.
constexpr u32 kPixelGrain = 64;

// Where the numbers of an AOV begin among those of a result slot.
u32 aov_offset(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, u32>, 4> kOffsets = {
        {{"albedo", 0}, {"normal", 3}, {"position", 6}, {"depth", 9}}};
    const auto found = std::find_if(
        kOffsets.begin(), kOffsets.end(), [&](const auto& offset) { return offset.first == name; });
    return found == kOffsets.end() ? kNone : found->second;
}

// Tiles beyond the queues share them; a wave in flight holds a slot. Wave 0, the first picture,
// goes before all others.
task::TaskConfig task_config() {
    task::TaskConfig config;
    config.tasks = 512;
    config.levels = 2;
    config.groups = 4;
    config.queues = task::kMostQueues;
    config.events = 4;
    config.slots = 128;
    config.priorities = 2;
    config.host_slots = 4;
    config.urgent_tasks = 64;
    config.urgent_groups = 1;
    config.urgent_events = 1;
    return config;
}

}  // namespace

TileWaves::TileWaves(const WaveConfig& config, film::Film& film, Results results)
    : config_(config),
      film_(film),
      results_(std::move(results)),
      tiles_x_((config.crop.width() + config.tile_size - 1) / config.tile_size),
      tile_count_(tiles_x_ * ((config.crop.height() + config.tile_size - 1) / config.tile_size)),
      tiles_(std::make_unique<Tile[]>(tile_count_)),
      tasks_(task_config()) {
    u32 count = config.first_wave_samples;
    for (u32 begin = 0; begin < config.samples; begin += count) {
        count = begin == 0 ? count : std::min(2 * count, config.most_wave_samples);
        count = std::min(std::max(count, 1U), config.samples - begin);
        waves_.push_back({config.first_sample + begin, count});
    }
    // relaxed: workers start after the constructor.
    wave_end_.store(u64{tile_count_} * waves_.size(), std::memory_order_relaxed);
    for (const film::FilmLayer& aov : film.aovs()) {
        float_layers_.push_back(aov_offset(aov.name));
    }
    const task::TaskDescriptor frame{.program = run_frame, .context = this};
    const task::Launched launched = tasks_.submit(tasks_.create_stream(), frame);
    ENSURE(launched.is_accepted(), ==, true);
    frame_ = launched.task;
}

void TileWaves::stop() {
    wave_end_.store(0, std::memory_order_relaxed);  // only compared: what is out goes on
}

void TileWaves::stop_after_wave() {
    const u64 started = started_.load(std::memory_order_relaxed);
    const u64 end = (started + tile_count_ - 1) / tile_count_ * tile_count_;
    u64 known = wave_end_.load(std::memory_order_relaxed);
    while (end < known && !wave_end_.compare_exchange_weak(known, end, std::memory_order_relaxed)) {
    }
}

film::Region TileWaves::tile_region(u32 tile) const {
    film::Region region;
    region.x0 = config_.crop.x0 + tile % tiles_x_ * config_.tile_size;
    region.y0 = config_.crop.y0 + tile / tiles_x_ * config_.tile_size;
    region.x1 = std::min(region.x0 + config_.tile_size, config_.crop.x1);
    region.y1 = std::min(region.y0 + config_.tile_size, config_.crop.y1);
    return region;
}

// Runs tasks until one hands out a wave.
bool TileWaves::next(unit::WorkItem& item) {
    Handout handout;
    while (!handout.is_filled && tasks_.run_one(&handout)) {
    }
    item = handout.item;
    return handout.is_filled;
}

bool TileWaves::is_dry() const {
    return tasks_.is_complete(frame_);
}

task::Outcome TileWaves::run_frame(task::TaskContext& task, void* waves) {
    return static_cast<TileWaves*>(waves)->launch_waves(task);
}

task::Outcome TileWaves::run_wave(task::TaskContext& task, void* waves) {
    return static_cast<TileWaves*>(waves)->hand_out(task);
}

// The frame: as many waves as there is room for, again and again. Progress: how many are launched.
task::Outcome TileWaves::launch_waves(task::TaskContext& task) {
    if (task.open_group() != task::Refusal::None) {
        return task::Outcome::NeedsRoom;
    }
    for (u64& launched = task.state()[0]; launched < wave_end_.load(std::memory_order_relaxed);
         ++launched) {
        // Streams are indices: tile t has stream t.
        const auto stream = task::StreamIndex{static_cast<u32>(launched % tile_count_)};
        const bool is_first_picture = launched < tile_count_;
        const task::TaskDescriptor wave{.program = run_wave,
                                        .context = this,
                                        .arguments = {launched},
                                        .priority = is_first_picture ? 1U : 0U};
        if (!task.launch(stream, wave).is_accepted()) {
            return task::Outcome::NeedsRoom;
        }
    }
    return task::Outcome::Done;
}

task::Outcome TileWaves::hand_out(task::TaskContext& task) {
    const u64 number = task.arguments()[0];
    if (number >= wave_end_.load(std::memory_order_relaxed)) {
        return task::Outcome::Done;
    }
    if (config_.on_wave) {
        config_.on_wave();
    }
    const Wave& wave = waves_[number / tile_count_];
    const auto tile = static_cast<u32>(number % tile_count_);
    const film::Region region = tile_region(tile);
    const u32 pixels = region.width() * region.height();
    tiles_[tile].wave = task.id();
    // relaxed: the item is passed on by whoever hands it over.
    tiles_[tile].open_pixels.store(pixels, std::memory_order_relaxed);
    u64 started = started_.load(std::memory_order_relaxed);
    while (started <= number &&
           !started_.compare_exchange_weak(started, number + 1, std::memory_order_relaxed)) {
    }
    auto& handout = *static_cast<Handout*>(task.caller());
    handout.is_filled = true;
    handout.item = trace::to_item({.tile = tile,
                                   .x0 = region.x0,
                                   .y0 = region.y0,
                                   .width = region.width(),
                                   .height = region.height(),
                                   .pixel_begin = 0,
                                   .pixel_end = pixels,
                                   .sample_begin = wave.sample_begin,
                                   .sample_count = wave.sample_count});
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

// The pixels of a leaf belong to the worker that publishes it until its tile's wave is done.
void TileWaves::publish(const unit::WorkItem& leaf, u32 unit, u32 portion) {
    const trace::SampleBlock block = trace::to_block(leaf);
    const trace::ResultView& results = results_(unit, portion, block.size());
    std::vector<u32> dropped(block.sample_count);  // of one pixel
    for (u32 pixel = 0; pixel < block.pixel_count(); ++pixel) {
        add_pixel(block, pixel, results, dropped.data());
    }
    finished_samples_.fetch_add(block.size(), std::memory_order_relaxed);
    Tile& tile = tiles_[block.tile];
    const task::TaskId wave = tile.wave;
    // acq_rel: the last leaf's worker sees what the others added to the film, and passes it on.
    const u32 open = tile.open_pixels.fetch_sub(block.pixel_count(), std::memory_order_acq_rel);
    ENSURE(block.pixel_count(), <=, open);
    if (open == block.pixel_count()) {
        tasks_.complete(wave);
    }
}

void TileWaves::add_pixel(const trace::SampleBlock& block,
                          u32 pixel,
                          const trace::ResultView& results,
                          u32* dropped) {
    const trace::PixelPlace place = trace::place_of(block, block.pixel_begin + pixel);
    const std::size_t first_slot = std::size_t{pixel} * block.sample_count;
    const u32 dropped_count = film_.add_samples(
        place.x, place.y, results.rgba + 4 * first_slot, block.sample_count, dropped);
    for (u32 k = 0; k < dropped_count; ++k) {
        remember_dropped({place.x, place.y, block.sample_begin + dropped[k]});
    }
    if (float_layers_.empty()) {
        return;
    }
    u32 next_dropped = 0;
    for (u32 k = 0; k < block.sample_count; ++k) {
        if (next_dropped < dropped_count && dropped[next_dropped] == k) {
            ++next_dropped;
            continue;
        }
        const std::size_t slot = first_slot + k;
        for (u32 layer = 0; layer < float_layers_.size(); ++layer) {
            if (float_layers_[layer] != kNone) {
                film_.add_aov(layer,
                              place.x,
                              place.y,
                              results.aovs + trace::kAovFloats * slot + float_layers_[layer]);
            } else if (block.sample_begin + k == 0) {
                film_.set_instance(place.x, place.y, results.instance[slot]);
            }
        }
    }
}

void TileWaves::remember_dropped(const DroppedSample& sample) {
    const std::lock_guard lock(dropped_mutex_);
    ++dropped_count_;
    if (dropped_.size() < kRememberedDrops) {
        dropped_.push_back(sample);
    }
}

}  // namespace weft::frame
