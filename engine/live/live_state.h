// live_state.h — what LiveRender consists of. Internal: live_render.cpp is the interface's side,
// live_tasks.cpp, live_frames.cpp and live_first.cpp the render thread's.
//
// The render thread runs two kinds of tasks (scheduler/task), one at a time, in one slot. A frame's
// *refinement* renders until all samples are done. An *answer* is urgent: it evicts the refinement,
// which stops handing out waves, keeps all of its progress, and goes on when nothing urgent is
// left.
//
//     show, set_view, save, ... ──> answer: first picture of the newest job, view, questions
//                                      │ evicts                    │ launches
//                                      ▼                           ▼
//                                  refinement of a frame ── resumed, or given up for another frame
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/live/latency.h"
#include "engine/live/live_job.h"
#include "engine/live/live_render.h"
#include "engine/live/shown_picture.h"
#include "engine/live/tree_builder.h"
#include "scheduler/task/task_runtime.h"

namespace weft::live {

// A job with what was made for it. It may be put aside with all of its progress.
struct LiveFrame {
    u64 number = 0;
    LiveJob job;
    std::unique_ptr<frame::Renderer> renderer;
    std::shared_ptr<ShownFrame> shown;
    bool is_hidden = false;  // not shown when it is complete
    // Under the mutex of the state:
    double rendered_s = 0;                                           // by runs that have ended
    std::optional<std::chrono::steady_clock::time_point> run_since;  // while one has not
};

inline film::Region region_of(const frame::RenderSettings& settings) {
    return settings.crop.value_or(film::Region{0, 0, settings.width, settings.height});
}

inline ShownPlace place_of(const LiveJob& job, u64 number, bool is_coarse) {
    return {.job = number,
            .full_width = job.settings.width,
            .full_height = job.settings.height,
            .region = region_of(job.settings),
            .is_coarse = is_coarse};
}

// What points are looked up in, by any thread.
struct LiveTarget {
    frame::PreparedScene scene;
    shaders::CameraRecord camera{};
    u32 width = 0;
    u32 height = 0;
};

// Asked by other threads, answered by the render thread while no task of a frame runs.
struct Question {
    bool needs_whole_film = false;
    std::function<void(const LiveFrame* maybe_frame)> answer;
};

// The mutex guards what the interface and the render thread share; it is held for a few steps only.
struct LiveRender::State {
    explicit State(u32 threads);

    u32 thread_count;
    mutable std::mutex mutex;
    std::condition_variable changed;

    // Under the mutex:
    std::optional<LiveJob> waiting;
    std::chrono::steady_clock::time_point shown_at;
    u64 newest = 0;
    LiveView view;
    bool is_view_new = false;
    film::Region attended;
    std::deque<Question> questions;
    bool is_answer_due = false;        // its task is submitted and not begun
    bool is_ready = false;             // a task may be runnable
    std::shared_ptr<LiveFrame> frame;  // of the newest job; null: it has only a first picture
    std::shared_ptr<const LiveTarget> target;
    LiveStatus status;
    LatencyLog latency;
    LiveCounters counters;
    bool is_failed = false;  // the newest job

    std::atomic<bool> is_paused{false};  // relaxed, both: only say when to stop
    std::atomic<bool> is_closing{false};
    std::atomic<bool> is_drawing{false};
    std::atomic<bool> is_job_waiting{false};  // ends the building of a frame's tree

    // The render thread's:
    LiveJob newest_job;                    // that was taken
    std::shared_ptr<LiveFrame> put_aside;  // the frame before, as long as nobody needs another
    std::optional<frame::PreparedScene> prepared;
    u32 unprepared_effect = 0;                       // of jobs since that one
    u64 memory_limit_bytes = 0;                      // of the newest job
    std::shared_ptr<LiveFrame> coarse;               // the first picture of the newest prepared job
    std::chrono::steady_clock::time_point taken_at;  // when that job was shown
    double samples_per_s = 0;                        // of late; 0: not measured
    // A first picture that is shown when it is due, unless a finer one is there by then.
    std::shared_ptr<LiveFrame> fallback;
    double finer_speedup = 1;  // samples per second of finer first pictures beside coarsest ones
    std::shared_ptr<const accel::Acceleration> reserve;  // the built tree that held most
    std::shared_ptr<accel::TreePool> pool = std::make_shared<accel::TreePool>();
    bool is_finishing_wave = false;  // nothing urgent ends a run meanwhile
    task::TaskId refinement{};       // the task of refine(), while has_refinement
    bool has_refinement = false;

    ShownPicture shown;
    TreeBuilder builder;  // of frames' trees
    task::TaskRuntime tasks;
    std::jthread thread;

    // The interface's side.
    void want_answer(std::unique_lock<std::mutex>& lock);
    template <typename T>
    T ask(bool needs_whole_film, const std::function<T(const LiveFrame* maybe_frame)>& question);

    // The render thread's side: live_tasks.cpp.
    static task::TaskConfig task_config(State* state);
    void tell_ready();
    void serve();
    static task::Outcome run_answer(task::TaskContext& task, void* state);
    static task::Outcome run_refinement(task::TaskContext& task, void* state);
    void answer();
    void answer_questions();
    void launch_refinement();
    task::Outcome refine(task::TaskContext& task);
    base::Status run(LiveFrame& run_frame);
    [[nodiscard]] frame::RunHooks hooks_of(LiveFrame& run_frame);
    bool should_hold();
    void finish_wave(LiveFrame& run_frame);

    // live_frames.cpp.
    void take_job(LiveJob job, u64 number);
    [[nodiscard]] LiveJob seen_job();
    [[nodiscard]] std::shared_ptr<LiveFrame> picture_frame() const;
    void tell_picture_samples();
    bool resume_frame(const LiveJob& job, u64 number);
    bool prepare_job(const LiveJob& job, u64 number);
    bool make_fine(const LiveJob& job);
    [[nodiscard]] bool is_outdated() const;
    void copy_ahead();
    bool has_settled();
    bool wait_for_tree();
    [[nodiscard]] bool is_reserve_larger() const;
    void keep_reserve();
    [[nodiscard]] u64 most_bytes_aside() const;
    void aim_at(const LiveJob& job);
    void put_frame_aside();
    [[nodiscard]] bool has_final_tree(const LiveJob& job) const;
    void begin_frame(LiveJob job, u64 number);
    void change_view(const LiveView& new_view);
    void fail(const base::Error& error);

    // And live_first.cpp.
    void show_first_picture(const LiveJob& job, u64 number, frame::Renderer* maybe_spent);
    std::shared_ptr<LiveFrame> draw_coarse(const LiveJob& job,
                                           u64 number,
                                           u32 reduction,
                                           bool is_hidden,
                                           frame::Renderer* maybe_spent);
    [[nodiscard]] u32 pick_reduction(const LiveJob& job, u32 coarsest, double rate) const;
    void keep_coarse(const std::shared_ptr<LiveFrame>& picture);
    void present(const LiveFrame& complete);
    void present_fallback();
    [[nodiscard]] bool is_first_picture_due() const;
    [[nodiscard]] bool is_first_picture_over_due() const;
};

}  // namespace weft::live
