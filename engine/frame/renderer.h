// renderer.h — a whole frame: builds tables and trees from a scene, runs the integrators, keeps the
// film and the figures.
//
// prepare() takes all memory and finds most errors; render() then runs to a stop rule. One thread
// drives a Renderer; other threads may call what says so below (but no signal handler may).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/frame/drawn_scene.h"
#include "engine/frame/noise_rule.h"
#include "engine/frame/picking.h"
#include "engine/frame/pilot.h"
#include "engine/frame/prepared_scene.h"
#include "engine/frame/render_settings.h"
#include "engine/frame/render_units.h"
#include "engine/frame/tile_waves.h"
#include "engine/scene/model/scene.h"
#include "engine/trace/first_surface.h"
#include "scheduler/base/result.h"

namespace weft::frame {

// The rule that ended a frame.
enum class StopRule {
    Samples,    // every pixel has all samples, or its block ended by its noise
    Noise,      // the noise of every block is below RenderSettings::noise_threshold
    TimeLimit,  // RenderSettings::time_limit_s
    Request,    // request_stop()
    Memory,     // it ran out
};

struct FrameProgress {
    u64 samples_done = 0;
    u64 samples_found = 0;  // of those, in the film that the frame continued from
    u64 samples_saved = 0;  // by the noise threshold, so far
    u64 samples_total = 0;  // without those
    double elapsed_s = 0;   // of rendering, in all runs
};

// The trees of a frame, one for each moment of its exposure.
struct FrameTrees {
    u32 kept = 0;     // taken over from the moment or the frame before
    u32 patched = 0;  // made from a tree that was built for an earlier one
    u32 built = 0;
    accel::TreeFigures triangles;  // of all of them

    void add(const PreparedScene& scene);
};

// The runtime of this process, and what it did for all renderers since it was made.
struct RuntimeFigures {
    compute::ObjectFigures objects;
    compute::QueueFigures queue;
};

struct FrameFigures {
    double lists_s = 0;  // recording and submitting the scene's lists; part of the next
    double tables_s = 0;
    double build_s = 0;  // acceleration structure
    PilotFigures pilot;
    FrameTrees trees;
    double first_image_s = 0;  // one sample of every pixel
    double render_s = 0;
    u64 structure_bytes = 0;                  // nodes, leaves, placements
    std::optional<pages::PageFigures> pages;  // of a tree with pages
    u64 storage_bytes = 0;                    // fibre storage and scheduler of all clusters
    u64 film_bytes = 0;
    u64 unit_bytes = 0;     // that units take while they run for the first time
    u64 samples = 0;        // in the film or dropped
    u64 samples_found = 0;  // of those, in the film that the frame continued from
    StopRule stopped_by = StopRule::Samples;
    u32 samples_per_pixel = 0;       // that every pixel has
    u64 empty_pixels = 0;            // without any sample
    u64 samples_saved = 0;           // by the noise threshold
    std::optional<FilmNoise> noise;  // of a film with the layer Aov::Noise
    u32 thread_count = 0;
    shaders::Isa isa = shaders::Isa::Sse4;
    std::string shade_kernel;  // of the CPU: "generic", or origin and options of the scene's own
    u32 lights = 0;
    fibre::DataCounters placed;    // geometry threads, which made instances and emissive triangles
    fibre::DataCounters computed;  // compute threads, which made materials and the environment
    trace::IntegratorCounters integrator;  // of all devices
    fibre::FibreCounters fibre;
    std::vector<std::string> routine_names;
    trace::HeatFigures heat;  // empty unless RenderSettings::has_heat
    std::vector<DeviceFigures> devices;
    RunFigures run;
    task::TaskFigures tasks;  // of all runs: waves, resolving and toning
    u64 holds = 0;            // runs that were held
    u64 stand_ins =
        0;  // runs that a GPU, drawing or busy with another frame, left to the processor
    DrawingFigures commands;  // of the scene's lists, and what the frame's submitted
    RuntimeFigures runtime;
    u64 dropped_samples = 0;
    std::vector<DroppedSample> dropped;  // the first few
};

// Memory that the frame was given and takes only when it runs for the first time.
inline u64 first_run_bytes(const FrameFigures& figures) {
    return (figures.samples_found == 0 ? figures.film_bytes : 0) + figures.unit_bytes;
}

// The parts of a prepared scene that units read.
UnitScene unit_scene(const PreparedScene& prepared);

// Callbacks of a frame's runs.
struct RunHooks {
    std::function<void(const FrameProgress&)> on_progress;  // about ten times a second
    // Workers call it between two steps, several at once: true holds the frame as it is.
    std::function<bool()> should_hold;
    // Units that are taken out of the frame before the run begins (Renderer::detach_unit).
    std::vector<u32> detached;
    // Makes pictures of the frame while it runs; null: nobody looks.
    FrameWatcher* maybe_watcher = nullptr;
};

class Renderer {
public:
    // The scene must outlive the renderer and must not change. Nodes named in `hidden` are not
    // drawn.
    static base::Result<std::unique_ptr<Renderer>> prepare(const scene::Scene& scene,
                                                           const scene::Camera& camera,
                                                           const RenderSettings& settings,
                                                           const std::vector<std::string>& hidden);
    // The same from a request, which may name a former scene; its settings are set here.
    static base::Result<std::unique_ptr<Renderer>> prepare(SceneRequest request,
                                                           const scene::Camera& camera,
                                                           const RenderSettings& settings);
    // The same from a prepared scene, which other frames may share. Takes over the units of
    // `maybe_spent`, a finished frame, where they fit (making units takes some 10 ms); only its
    // film may be used after that.
    static base::Result<std::unique_ptr<Renderer>> prepare(PreparedScene scene,
                                                           const scene::Camera& camera,
                                                           const RenderSettings& settings,
                                                           Renderer* maybe_spent = nullptr);
    ~Renderer();
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;

    // Continues a frame of the same scene, camera and settings from its film (program error where
    // the films are not alike), of which no pixel has more samples than the settings say. Before
    // the first run. Renders no sample again but those of the shares that were in flight.
    void continue_from(film::Film film);

    // Lets a pilot learn what guides paths (RenderSettings::guiding), once, where samples are
    // missing. The first run does so where nobody did before. Before the first run, after
    // continue_from(). Errors: those of learn_guide(); kind Memory where the frame does not fit
    // beside its guide.
    base::Status learn();
    // Whether the pilot that learn() would render fits into memory; renders nothing.
    [[nodiscard]] base::Status check_pilot() const;

    // Renders until a stop rule is met or request_stop() is called. Calls `on_progress` (may be
    // empty) on this thread about ten times a second. Errors: a share failed twice, or no unit is
    // left to work on.
    base::Status render(const std::function<void(const FrameProgress&)>& on_progress);

    // The same in several runs: each continues the last one, whether that was held or ended by
    // request_whole(). A held run keeps its own hooks but for `on_progress`, so they must outlive
    // the runs.
    base::Status run(const RunHooks& hooks);
    // Sets another number of samples from the next run on and keeps what is rendered: where more
    // samples have begun, the frame ends when every pixel has those. Returns the number of samples
    // that the frame ends with. Between runs.
    u32 change_samples(u32 samples_per_pixel);
    // Shows another scene and camera from the next run on and keeps what is rendered, so that the
    // film becomes the mean of both by their samples: the moments of an exposure. Between runs,
    // and only where is_whole(). Error: the memory for new units of a device.
    base::Status change_scene(PreparedScene scene, const scene::Camera& camera);
    // Lets go of the scene, so that its memory is free for the next one: change_scene() or
    // end_out_of_memory() must follow. Between runs, and only where is_whole(). Does nothing where
    // units hold a copy of the scene or count its heat.
    void let_go_of_scene();
    // Lets go of units and samples in flight, so that they take no memory and no pages. The film
    // stays: the next run makes other units and goes on from it. Between runs.
    void let_go_of_units();
    // Whether parts of the tree lie in a file (RenderSettings::geometry_memory_bytes).
    [[nodiscard]] bool has_pages() const;
    // Ends the frame with the samples that it has, where the scene to be shown next does not fit
    // into memory: figures() and picture() are those of a run that ran out of memory. No run may
    // follow. Between runs, also after let_go_of_scene() or where change_scene() failed.
    void end_out_of_memory();
    // Every pixel has all samples.
    [[nodiscard]] bool is_done() const;
    // Every pixel has the same number of samples (but for those that a time limit or a stop cut
    // off): the last run was not held, and units were not let go of while it was.
    [[nodiscard]] bool is_whole() const;
    // The time limit, or request_stop() while rays wait for pages, ended the last run with shares
    // in flight. The frame is held; no run may follow.
    [[nodiscard]] bool has_given_up() const;
    // Resolves picture() from the film as it is now, where the last run was held and so resolved
    // nothing.
    void resolve_now();
    // Samples of every pixel; where the frame is not whole, of the mean pixel. Any thread.
    [[nodiscard]] u32 samples_done() const;
    // Samples of the mean pixel, as a fraction. Any thread.
    [[nodiscard]] double mean_samples() const;

    // FrameRuntime::run_beside: runs work that needs no device while the frame goes on.
    std::shared_ptr<const BesideProgram> run_beside(const std::string& name,
                                                    const std::function<void()>& work) const;

    // While the interface draws with the GPU, runs that begin leave the GPU's part to the
    // processor, where that takes part. Same bits.
    void set_display_drawn(bool is_drawn);

    // Finishes the started wave for all pixels and ends the run. Any thread.
    void request_whole();
    // TileWaves::attend, now and in later runs. Any thread.
    void attend(const film::Region& region);

    // Ends the render as soon as the samples in flight are done. Where rays wait for pages, which
    // takes seconds, these are given up. Any thread.
    void request_stop();

    // Takes a unit (CPU units come first, then those of the emulated GPU) out of the render, and
    // puts it back; the others continue. False: it is the last one. Any thread, while render()
    // runs.
    bool detach_unit(u32 unit);
    void attach_unit(u32 unit);
    [[nodiscard]] u32 unit_count() const;

    [[nodiscard]] const film::Film& film() const;
    // The resolved picture, after render() with RenderSettings::picture (program error otherwise).
    [[nodiscard]] const film::ResolvedFilm& picture() const;
    [[nodiscard]] const FrameFigures& figures() const;

    // Of the tree's pages, up to now; none: it has no pages.
    [[nodiscard]] std::optional<pages::PageFigures> page_figures() const;

    // The same while the frame runs: counts only, no times. Any thread.
    [[nodiscard]] FrameFigures late_figures() const;
    // RenderUnits::late_heat(). Any thread.
    [[nodiscard]] trace::HeatFigures late_heat() const;
    [[nodiscard]] const PreparedScene& scene() const;
    [[nodiscard]] const shaders::CameraRecord& camera() const;

    // The events of one sample by the reference tracer, and its radiance (--debug-pixel).
    [[nodiscard]] std::vector<std::string> explain_sample(u32 x, u32 y, u32 sample) const;

    // The first surface of a sample by the reference tracer; nothing where its ray hits none.
    [[nodiscard]] std::optional<trace::FirstSurface> first_surface(u32 x, u32 y, u32 sample) const;

private:
    struct State;
    explicit Renderer(std::unique_ptr<State> state);
    static base::Result<std::unique_ptr<Renderer>> make(std::unique_ptr<FrameRuntime> runtime,
                                                        PreparedScene scene,
                                                        const scene::Camera& camera,
                                                        const RenderSettings& settings,
                                                        std::unique_ptr<RenderUnits> maybe_units);
    // Null: they do not fit the settings.
    std::unique_ptr<RenderUnits> give_units(const RenderSettings& settings);
    std::unique_ptr<State> state_;
};

}  // namespace weft::frame
