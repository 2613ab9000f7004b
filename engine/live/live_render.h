// live_render.h — a render that never makes its caller wait: jobs in, pictures out.
//
// The interface shows a job whenever something has changed, and takes the newest picture whenever
// it draws. A render thread prepares what the job changes and renders it; the newest job wins. The
// film is that of `weft render`: after N samples per pixel its hash is the same.
//
// One thread, the interface, calls show, set_view, set_paused, attend, set_drawing, take_picture,
// status, figures and heat; none of them waits. Any thread may call pick, instances_in and
// heat_places, which trace rays on it, and inspect, which waits for the render thread. save and
// film_hash wait until every pixel has the same number of samples: any thread, but better not the
// interface.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/film/image_file.h"
#include "engine/frame/heat_places.h"
#include "engine/frame/renderer.h"
#include "engine/live/live_job.h"
#include "engine/live/live_status.h"
#include "engine/live/shown_picture.h"
#include "scheduler/base/result.h"

namespace weft::live {

// The mean of a pixel's samples in one AOV; an instance is that of sample 0.
struct AovMean {
    film::Aov aov = film::Aov::Albedo;
    std::vector<float> values;
};

// A pixel of the film, and the path of its first sample.
struct PixelReport {
    u64 job = 0;
    u32 samples = 0;
    bool has_light = true;            // false: only a layer of the job is rendered
    std::array<float, 4> radiance{};  // mean, with premultiplied alpha
    std::vector<AovMean> aovs;        // those of the first surface, as far as the film holds them
    std::optional<trace::FirstSurface> first_surface;  // of sample 0, without any AOVs
    std::vector<std::string> path;                     // of sample 0, event by event
};

// What is seen in a part of the picture.
struct SeenInstances {
    std::shared_ptr<const scene::Scene> scene;  // the rendered one; null: nothing is prepared yet
    std::vector<u32> instances;                 // ascending
};

// The cost of each key and object of a frame.
struct LiveHeat {
    std::shared_ptr<const scene::Scene> scene;  // the rendered one
    std::shared_ptr<const trace::HeatMap> map;  // null: the frame does not count it
    trace::HeatFigures figures;
};

class RenderThread;

class LiveRender {
public:
    // `thread_count` workers, 0: one per core.
    explicit LiveRender(u32 thread_count);
    // Ends rendering and joins the render thread.
    ~LiveRender();
    LiveRender(const LiveRender&) = delete;
    LiveRender& operator=(const LiveRender&) = delete;
    LiveRender(LiveRender&&) = delete;
    LiveRender& operator=(LiveRender&&) = delete;

    // Renders this job instead of the one before. Returns its number, from 1 on.
    u64 show(LiveJob job);
    // A display without light shows what the camera hits; meanwhile no sample starts, and the frame
    // keeps those it has. Films hold the layers from the start. Where the memory is too small for
    // them (layers_fit), a layer gets a frame of its own, without light; the frame of the picture
    // keeps its samples until the view comes back to it.
    void set_view(const LiveView& view);
    // While it is set, no sample starts.
    void set_paused(bool is_paused);
    // Refines this part of the picture first; an empty region ends that.
    void attend(const film::Region& region);
    // While the interface draws with the GPU, an emulated GPU leaves its part of runs that begin to
    // the processor, where that takes part (R10).
    void set_drawing(bool is_drawing);

    // Takes a unit (their numbers are those of FrameFigures::run) out of this frame and later ones,
    // and puts it back, at any time; the others continue. The last one that a frame has goes on.
    void set_unit_attached(u32 unit, bool is_attached);
    [[nodiscard]] bool is_unit_attached(u32 unit) const;

    // Copies the newest picture, whole; false: `picture` is that one already.
    bool take_picture(LivePicture& picture);
    [[nodiscard]] LiveStatus status() const;
    // Counts of the frame, without times; at most a twentieth of a second old.
    [[nodiscard]] frame::FrameFigures figures() const;
    // Heat of the frame, as of the call before (Renderer::late_heat).
    [[nodiscard]] LiveHeat heat() const;

    // The surface at (x, y) of the picture of the newest prepared job, in pixels from the top left.
    [[nodiscard]] std::optional<frame::Picked> pick(float x, float y) const;
    // Those at the middles of the pixels of a part of it; about a microsecond per pixel.
    [[nodiscard]] SeenInstances instances_in(const film::Region& part) const;
    // Empty where heat is not counted.
    [[nodiscard]] frame::HeatPlaces heat_places(u32 columns, u32 rows) const;
    [[nodiscard]] PixelReport inspect(u32 x, u32 y) const;

    // Write or hash the job's film at the moment when every pixel has the same number of samples,
    // and then continue: a file is written from a copy, by a program of the runtime that is less
    // urgent than frames (R8), where memory does for one. The metadata of the file say what
    // the frame knows (engine/frame/picture_metadata.h), after those of `config`. Errors: there is
    // no such film, for example where only a layer was shown. A file holds the layers of the job's
    // settings unless `config` names others. The wait for equal numbers of samples ends with an
    // error once `is_given_up` (any worker; empty: never).
    base::Status save(const std::string& path,
                      const film::ImageConfig& config,
                      const std::function<bool()>& is_given_up = {});
    base::Result<std::string> film_hash();

private:
    std::unique_ptr<RenderThread> thread_;
};

}  // namespace weft::live
