// live_render.h — a render that never makes its caller wait: jobs in, pictures out.
//
// The interface shows a job whenever something has changed, and takes the newest picture whenever
// it draws. A thread of this class prepares what the job changes and renders; the newest job wins.
// The film is that of `weft render`: after N samples per pixel its hash is the same.
//
// show, set_view, set_paused, take_picture, status, figures, heat: one thread (the interface), at
// once. pick, inspect, heat_places: any thread, they take time for a ray or a path or many. save,
// film_hash: any thread but better not the interface, they wait until every pixel has the same
// number of samples.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/film/image_file.h"
#include "engine/frame/heat_places.h"
#include "engine/frame/renderer.h"
#include "engine/live/latency.h"
#include "engine/live/live_job.h"
#include "engine/live/shown_picture.h"
#include "scheduler/base/result.h"

namespace weft::live {

enum class LiveState {
    Idle,       // no job yet
    Preparing,  // tables, tree, memory
    Rendering,
    Paused,  // what was rendered stays
    Done,    // all samples
    Failed,  // status().error says why; the old picture stays
};

// What was done so far.
struct LiveCounters {
    u64 first_pictures = 0;  // coarse ones
    u64 fallbacks = 0;       // the coarsest, shown when no finer one was there in time
    u64 frames = 0;          // begun at full size
    u64 evictions = 0;       // refinements that something urgent ended, with all progress kept
    u64 resumptions = 0;     // refinements that went on where they were
    u64 returns = 0;         // jobs whose frame was there already
    u64 kept_tables = 0;     // jobs that were prepared with the tables of the one before
    u64 kept_trees = 0;
    u64 patched_trees = 0;   // of first pictures, made of a tree before
    u64 built_trees = 0;     // that first pictures waited for
    u64 begun_builds = 0;    // of frames' trees, after their first pictures
    u64 stopped_builds = 0;  // of those, that the next job ended
    u64 toned_tiles = 0;     // of the frame
    u64 stand_ins = 0;       // runs that a GPU that draws left to the processor
};

struct LiveStatus {
    LiveState state = LiveState::Idle;
    u64 job = 0;               // the newest
    u64 prepared_job = 0;      // the one that is rendered
    u32 samples_done = 0;      // of the mean pixel
    double samples_mean = 0;   // the same with the part of a sample that is under way
    u32 picture_samples = 0;   // that a saved picture ends with: samples_wanted, but for a layer
    u32 samples_wanted = 0;    // that the frame ends with: more than asked for where more had begun
    double elapsed_s = 0;      // rendering of this job
    double prepare_ms = 0;     // of this job
    double samples_per_s = 0;  // of late
    LatencyFigures first_picture;
    LiveCounters counters;
    std::string error;  // of the newest job; empty: none
};

// What is known of a pixel.
struct PixelReport {
    u64 job = 0;
    u32 samples = 0;
    bool has_light = true;            // false: only a layer of the job is rendered
    std::array<float, 4> radiance{};  // mean; premultiplied alpha
    std::vector<std::pair<std::string, std::vector<float>>> aovs;  // name and mean
    std::optional<trace::FirstSurface> first_surface;              // of sample 0: AOVs of any film
    std::vector<std::string> path;                                 // of sample 0, event by event
};

// Where the work of a frame goes, and what is an object.
struct LiveHeat {
    std::shared_ptr<const scene::Scene> scene;  // that is rendered
    std::shared_ptr<const trace::HeatMap> map;  // null: the frame does not count it
    trace::HeatFigures figures;
};

class LiveRender {
public:
    // `thread_count` workers, 0: one per core.
    explicit LiveRender(u32 thread_count);
    // Ends what runs.
    ~LiveRender();
    LiveRender(const LiveRender&) = delete;
    LiveRender& operator=(const LiveRender&) = delete;
    LiveRender(LiveRender&&) = delete;
    LiveRender& operator=(LiveRender&&) = delete;

    // From now on this is rendered. Returns the job's number, from 1 on.
    u64 show(LiveJob job);
    // A layer that the job's film does not hold is rendered by itself, without light, and the
    // picture stays as it is until the view comes back to it.
    void set_view(const LiveView& view);
    // No sample is begun until it is unset.
    void set_paused(bool is_paused);
    // This part of the picture first, the rest goes on; an empty region ends it.
    void attend(const film::Region& region);
    // The interface draws with the GPU: units of an emulated one leave their part to the processor,
    // where that takes part, from the next wave on and until the interface draws no more (R10).
    void set_drawing(bool is_drawing);

    // Whether there is a newer picture than `picture`, which then becomes it. Never half written.
    bool take_picture(LivePicture& picture);
    [[nodiscard]] LiveStatus status() const;
    // Of the frame, as of the last twentieth of a second: what was counted, not what was timed.
    [[nodiscard]] frame::FrameFigures figures() const;
    // Of the frame, as of the call before (Renderer::late_heat).
    [[nodiscard]] LiveHeat heat() const;

    // What is at (x, y) of the picture of the newest prepared job, in pixels from the top left.
    [[nodiscard]] std::optional<frame::Picked> pick(float x, float y) const;
    // Empty where heat is not counted.
    [[nodiscard]] frame::HeatPlaces heat_places(u32 columns, u32 rows) const;
    [[nodiscard]] PixelReport inspect(u32 x, u32 y) const;

    // The job's whole film, where every pixel has the same number of samples; the render goes on
    // then. The metadata says how many. Errors: there is none, such as of a job of which only a
    // layer was shown.
    base::Status save(const std::string& path, const film::ImageConfig& config);
    base::Result<std::string> film_hash();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft::live
