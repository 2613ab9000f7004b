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
#include "engine/live/live_job.h"
#include "engine/live/live_status.h"
#include "engine/live/shown_picture.h"
#include "scheduler/base/result.h"

namespace weft::live {

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

class RenderThread;

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
    std::unique_ptr<RenderThread> thread_;
};

}  // namespace weft::live
