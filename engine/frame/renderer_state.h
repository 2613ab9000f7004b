// renderer_state.h — the members of a Renderer. Internal: renderer_prepare.cpp makes them,
// renderer.cpp runs the frame.
//
// They belong to the thread that drives the renderer, except where a comment says otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/frame/frame_list.h"
#include "engine/frame/renderer.h"
#include "engine/frame/surface_ids.h"
#include "engine/frame/time_limit.h"

namespace weft::frame {

// Of the film and the picture of such a frame.
u64 film_bytes(const RenderSettings& settings);

struct Renderer::State {
    RenderSettings settings;
    PreparedScene scene;
    scene::Camera seen_by;  // as the scene model has it
    SurfaceIds ids;         // of that scene, by layer of the film
    std::vector<float> filter_table;
    shaders::CameraRecord camera{};
    trace::StartMedia media = trace::kEmptySpace;  // around it
    shaders::RenderParams params{};
    std::unique_ptr<film::Film> film;
    std::unique_ptr<film::ResolvedFilm> picture;  // null: the settings want none
    std::unique_ptr<FrameRuntime> runtime;
    std::unique_ptr<RenderUnits> units;
    std::unique_ptr<TileWaves> waves;
    FrameFigures figures;
    FrameFigures former_units;  // devices and run of units that a change of scene replaced
    TimeLimit time_limit;
    double processor_s = 0;              // of all threads, in all runs
    std::atomic<u64> samples_before{0};  // in the film when the waves were cut
    u64 dropped_before = 0;              // by waves before these
    std::vector<DroppedSample> early_dropped;
    bool is_continued = false;  // from the film of another process
    bool has_learned = false;   // a pilot has come to its end
    u32 whole_samples = 0;      // samples of every pixel, dropped ones included; while not held
    // Units were let go of while the frame was held: pixels differ in their samples, the most is
    // `torn_reach`.
    bool is_torn = false;
    u32 torn_reach = 0;
    bool is_whole_wanted = false;  // request_whole() came while it was torn
    std::mutex waves_mutex;        // guards the pointers `waves` and `units` against other threads
    film::Region attended;
    std::atomic<bool> is_stop_requested{false};
    std::atomic<bool> has_given_up{false};
    std::atomic<bool> is_sampled{false};  // the last share is in the film; resolving has begun
    bool has_run_out = false;             // of memory, during a run

    // `unit_bytes`: memory that units will take which are not made yet.
    base::Status allocate_film(u64 unit_bytes);
    // Sets what the scene and the camera decide; the result is what units read.
    UnitScene show(const scene::Camera& seen);
    [[nodiscard]] UnitScene shared_scene() const;
    base::Status make_units(const UnitScene& shared);
    [[nodiscard]] bool wants_pilot() const;
    base::Status learn();
    void tear();
    void choose_resolve(WaveConfig& config, const RunHooks& hooks);
    void cut_waves(const FrameCall& frame, const RunHooks& hooks);
    base::Status go_on(const RunHooks& hooks);
    base::Status run_units(const std::function<void(const FrameProgress&)>& on_progress);
    void count_samples();
    [[nodiscard]] StopRule stop_rule() const;
    [[nodiscard]] u64 wanted_samples() const;  // of all pixels
    [[nodiscard]] u64 tried_samples() const;   // in the film or dropped; while no unit works
    [[nodiscard]] u64 pixel_count() const;
    [[nodiscard]] u64 finished_samples();    // in the film, and dropped; any thread
    [[nodiscard]] u64 begun_pixels() const;  // in tiles that have samples
    [[nodiscard]] std::chrono::duration<double> until_next_look(
        const TimeLimit::Spent& spent) const;
    void keep_time_limit(const TimeLimit::Spent& spent);
    void give_up_pages();
    void watch(std::chrono::steady_clock::time_point begin,
               const std::function<void(const FrameProgress&)>& on_progress,
               std::mutex& mutex,
               std::condition_variable& changed,
               const bool& is_running);
    void collect_figures();
};

}  // namespace weft::frame
