// scene_preparer.h — what rays need of the newest job: tables and tree, kept, patched or built.
//
// prepared() always belongs to one job as a whole, and unprepared effects are those of the jobs
// since. A first picture may get a patched tree or one that was built fast; make_fine() replaces it
// by a built one, on threads of its own, while nothing newer waits.
//
// The render thread's, but for target(), which any thread may read.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engine/frame/prepared_scene.h"
#include "engine/live/job_queue.h"
#include "engine/live/live_frames.h"
#include "engine/live/live_status.h"
#include "engine/live/tree_builder.h"
#include "engine/live/tree_reserve.h"

namespace weft::live {

// What points of the picture are looked up in.
struct LiveTarget {
    frame::PreparedScene scene;
    shaders::CameraRecord camera{};
    u32 width = 0;
    u32 height = 0;
};

class ScenePreparer {
public:
    ScenePreparer(JobQueue& queue, LiveFrames& frames, StatusBoard& board)
        : queue_(queue), frames_(frames), board_(board) {}

    // From what was prepared before and what has changed since. False: it failed.
    [[nodiscard]] bool prepare(const LiveJob& job, u64 number);

    // Goes back to what a frame was prepared with.
    void bring_back(const LiveFrame& frame);

    // The tree is the one that a frame at full size is rendered with.
    [[nodiscard]] bool has_final_tree(const LiveJob& job) const;

    // Has that tree built, unless it is there. False: the next job has come, or it failed.
    [[nodiscard]] bool make_fine(const LiveJob& job);

    // Drops the frame that is put aside where it alone keeps a large tree alive.
    void drop_large_aside();

    [[nodiscard]] const frame::PreparedScene& prepared() const { return *prepared_; }

    // Null: no job has been prepared. Any thread.
    [[nodiscard]] std::shared_ptr<const LiveTarget> target() const;

private:
    [[nodiscard]] bool build(const LiveJob& job);
    [[nodiscard]] bool is_builder_free();
    void aim_at(const LiveJob& job);
    void aim_at(LiveTarget target);

    JobQueue& queue_;
    LiveFrames& frames_;
    StatusBoard& board_;
    std::optional<frame::PreparedScene> prepared_;
    u32 unprepared_effect_ = 0;
    TreeReserve reserve_;
    TreeBuilder builder_;

    mutable std::mutex mutex_;  // guards the one that follows
    std::shared_ptr<const LiveTarget> target_;
};

}  // namespace weft::live
