// bench_frame.cpp — what the machinery of a frame costs beside its rays: the command list, the
// queue of the runtime, tasks, workers and doorbells, for one sample of every pixel.
//
//     bench_frame [SCENE [repeats]]
//
// The same frame is run twice in turn: by the renderer, and through the same rooms with an
// execution unit that does nothing, whose shares are as many. What adding to the film and resolving
// it take is measured alone and taken off. One worker; processor time of the whole process.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "engine/frame/frame_list.h"
#include "engine/frame/frame_runtime.h"
#include "engine/frame/renderer.h"
#include "engine/frame/tile_waves.h"
#include "engine/scene/import.h"
#include "scheduler/base/ensure.h"
#include "scheduler/unit/work_runner.h"

namespace {

using namespace weft;

constexpr u32 kSize = 512;
constexpr u32 kTile = 64;

double processor_us() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

template <typename Body>
double cost_us(const Body& body) {
    const double begin = processor_us();
    body();
    return processor_us() - begin;
}

frame::RenderSettings bench_settings() {
    frame::RenderSettings settings;
    settings.width = kSize;
    settings.height = kSize;
    settings.samples_per_pixel = 1;
    settings.thread_count = 1;
    settings.picture = film::ResolveConfig{.has_display = true, .display = {}};
    return settings;
}

class IdleProgram final : public unit::UnitProgram {
public:
    void begin_part(const unit::PartTask& task, unit::ExecutionUnit& unit) override {
        unit.finish_part(task.portion, task.part, 0);
    }

    bool step(unit::ExecutionUnit& /*unit*/) override { return false; }
};

// The rooms of a frame without its rays.
class IdleFrame {
public:
    explicit IdleFrame(u64 share_samples)
        : settings_(bench_settings()),
          film_(kSize, kSize, {0, 0, kSize, kSize}, {}),
          picture_(film_, *settings_.picture),
          runtime_(settings_),
          unit_(0, program_, unit::UnitConfig{}),
          black_(std::size_t{4} * kTile * kTile, 0.0F) {
        ENSURE(runtime_.choose(settings_).is_ok(), ==, true);
        view_.rgba = black_.data();
        unit::RunnerConfig config;
        config.units_of_worker = {{0}};
        config.share_work = share_samples;
        unit::ExecutionUnit* units[] = {&unit_};
        runner_ = std::make_unique<unit::WorkRunner>(units, config);
    }

    void run() {
        frame::WaveConfig config;
        config.crop = film_.crop();
        config.on_resolve = [this] { runner_->wake(); };
        config.resolve = [this](const film::Region& tile) { picture_.resolve(tile); };
        config.tone = [this](const film::Region& tile) { picture_.tone(tile); };
        const shaders::CameraRecord camera{};
        const auto submitted = frame::submit_frame(
            {.cameras = {&camera, 1}}, [&](const frame::FrameCall&) -> base::Status {
                frame::TileWaves waves(
                    config, film_, [this](u32, u32, u32) -> const auto& { return view_; });
                const base::Status started =
                    runtime_.start([&](bool, bool) { return runner_->run(waves); });
                return started.is_ok() ? runtime_.wait() : started;
            });
        ENSURE(submitted.is_ok(), ==, true);
    }

    // What of run() is the film's: the same pixels in the same order.
    void add_and_resolve() {
        std::vector<u32> dropped(1);
        for (u32 tile = 0; tile < kSize / kTile * (kSize / kTile); ++tile) {
            const film::Region region = region_of(tile);
            const trace::SampleBlock block{.tile = tile,
                                           .x0 = region.x0,
                                           .y0 = region.y0,
                                           .width = kTile,
                                           .height = kTile,
                                           .pixel_begin = 0,
                                           .pixel_end = kTile * kTile,
                                           .sample_begin = 0,
                                           .sample_count = 1};
            for (u32 pixel = 0; pixel < kTile * kTile; ++pixel) {
                const auto place = trace::place_of(block, pixel);
                film_.add_samples(
                    place.x, place.y, black_.data() + std::size_t{4} * pixel, 1, dropped.data());
            }
        }
        for (u32 tile = 0; tile < kSize / kTile * (kSize / kTile); ++tile) {
            picture_.resolve(region_of(tile));
            picture_.tone(region_of(tile));
        }
    }

    [[nodiscard]] u64 shares() const { return runner_->unit_figures(0).shares; }

private:
    static film::Region region_of(u32 tile) {
        const u32 x = tile % (kSize / kTile) * kTile;
        const u32 y = tile / (kSize / kTile) * kTile;
        return {x, y, x + kTile, y + kTile};
    }

    frame::RenderSettings settings_;
    film::Film film_;
    film::ResolvedFilm picture_;
    frame::FrameRuntime runtime_;
    IdleProgram program_;
    unit::ExecutionUnit unit_;
    std::vector<float> black_;
    trace::ResultView view_;
    std::unique_ptr<unit::WorkRunner> runner_;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void print_row(const char* name, const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    std::printf("%-28s %10.1f us [%.1f .. %.1f]\n", name, median(values), *least, *most);
}

u64 shares_of(const frame::Renderer& renderer) {
    return renderer.figures().run.units.front().shares;
}

int run(const char* name, u32 repeats) {
    auto imported = scene::import_scene({name}, {});
    if (!imported.is_ok()) {
        std::fprintf(stderr, "%s\n", imported.error().sentence.c_str());
        return 1;
    }
    scene::Scene& scene = imported.value();
    scene::complete_scene(scene);
    auto prepared = frame::Renderer::prepare(scene, scene.cameras.front(), bench_settings(), {});
    if (!prepared.is_ok()) {
        std::fprintf(stderr, "%s\n", prepared.error().sentence.c_str());
        return 1;
    }
    frame::Renderer& renderer = *prepared.value();
    ENSURE(renderer.render({}).is_ok(), ==, true);  // warm; and how large shares are
    ENSURE(renderer.change_samples(2), ==, 2U);
    const u64 before = shares_of(renderer);
    ENSURE(renderer.render({}).is_ok(), ==, true);
    const u64 shares = std::max<u64>(1, shares_of(renderer) - before);
    IdleFrame idle(u64{kSize} * kSize / shares);
    idle.run();
    std::vector<double> real;
    std::vector<double> rooms;
    std::vector<double> film;
    const u64 idle_before = idle.shares();
    for (u32 k = 0; k < repeats; ++k) {
        ENSURE(renderer.change_samples(3 + k), ==, 3 + k);
        real.push_back(cost_us([&] { ENSURE(renderer.render({}).is_ok(), ==, true); }));
        rooms.push_back(cost_us([&] { idle.run(); }));
        film.push_back(cost_us([&] { idle.add_and_resolve(); }));
    }
    std::printf("%s, %u x %u, 1 sample, %llu shares; the idle frame has %llu\n",
                name,
                kSize,
                kSize,
                static_cast<unsigned long long>(shares),
                static_cast<unsigned long long>((idle.shares() - idle_before) / repeats));
    print_row("frame with its rays", real);
    print_row("frame of idle units", rooms);
    print_row("of it adding and resolving", film);
    const double least =
        *std::min_element(rooms.begin(), rooms.end()) - *std::min_element(film.begin(), film.end());
    std::printf(
        "machinery: %.1f us by medians, %.1f us by least, %.2f %% and %.2f %% of the frame\n",
        median(rooms) - median(film),
        least,
        100 * (median(rooms) - median(film)) / median(real),
        100 * least / *std::min_element(real.begin(), real.end()));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    u32 repeats = 15;
    if (argc > 2) {
        std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), repeats);
    }
    return run(argc > 1 ? argv[1] : "procedural:rubble:100K", std::max(repeats, 1U));
}
