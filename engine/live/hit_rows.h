// hit_rows.h — camera hits of whole pictures, row by row on several threads.
//
// One thread calls it, while no frame runs; rows run on threads of their own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/frame/camera_hits.h"
#include "engine/frame/prepared_scene.h"
#include "engine/live/live_job.h"

namespace weft::live {

struct HitRequest {
    frame::PreparedScene scene;  // kept
    shaders::CameraRecord camera{};
    frame::PictureSize size;
    bool has_backface_culling = false;
    u32 thread_count = 1;
};

// The hits of a job's camera in its prepared scene.
HitRequest hit_request(const frame::PreparedScene& scene, const LiveJob& job);

class HitRows {
public:
    explicit HitRows(HitRequest request);

    // False if memory ran out: do not call run() then.
    [[nodiscard]] bool is_allocated() const;

    // Calls row(hits, y) for each y in [first, end), in any order and several at once, each with
    // the CameraHits of its thread. False: stopped, since `should_stop` said so on any thread.
    bool run(u32 first,
             u32 end,
             const std::function<void(frame::CameraHits& hits, u32 y)>& row,
             const std::function<bool()>& should_stop);

    [[nodiscard]] const HitRequest& request() const { return request_; }

private:
    HitRequest request_;
    std::vector<std::unique_ptr<frame::CameraHits>> hits_;  // by thread
};

}  // namespace weft::live
