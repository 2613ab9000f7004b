// job_queue.h — what other threads want of the render thread, and how they wake it.
//
// At most one job waits: a newer one replaces it and inherits its effects. Beside it wait the
// newest view and any number of questions. One task takes all of them at once, so the queue asks
// for that task (`submit_answer`) only when nothing was waiting before.
//
//     nothing waits ── show, set_view, ask ──► an answer is due ── take ──► nothing waits
//                                                │        ▲
//                                                └────────┘ show, set_view, ask
//
// Any thread may call everything but take(), next_question() and the waits, which are the render
// thread's. The mutex is held for a few steps and never while calling out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "engine/live/live_frame.h"
#include "scheduler/base/clock.h"

namespace weft::live {

// The render thread answers it while no frame runs; null: there is no frame, or (where a whole film
// is needed) none that is whole.
struct Question {
    bool needs_whole_film = false;
    bool traces_rays = false;
    // The asker no longer wants a whole film: the answer is null. Any worker calls it; empty:
    // never.
    std::function<bool()> is_given_up{};
    std::function<void(const LiveFrame* maybe_frame)> answer;
};

class JobQueue {
public:
    explicit JobQueue(std::function<void()> submit_answer)
        : submit_answer_(std::move(submit_answer)) {}

    // --- other threads ---
    // Returns the job's number, from 1 on.
    u64 show(LiveJob job);
    void set_view(const LiveView& view);
    void ask(Question question);
    // Has the render thread look again, though nothing is new in here.
    void request_answer();
    // Ends all waits; nothing is rendered afterwards.
    void close();

    [[nodiscard]] u64 newest_number() const;
    // Something waits for an answer.
    [[nodiscard]] bool is_answer_due() const;
    [[nodiscard]] LiveView view() const;

    // Both only say when to stop, so relaxed.
    [[nodiscard]] bool is_job_waiting() const {
        return is_job_waiting_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] bool is_closing() const { return is_closing_.load(std::memory_order_relaxed); }

    // What the render thread makes now is no longer wanted.
    [[nodiscard]] bool is_outdated() const { return is_job_waiting() || is_closing(); }

    // Ends one wait_until_rung(), and has the other waits test their condition again.
    void ring();

    // --- the render thread ---
    struct Taken {
        std::optional<LiveJob> job;
        u64 number = 0;                        // of the newest job
        base::Clock::time_point shown_at;      // when it was shown
        std::optional<LiveView> changed_view;  // where it has changed since the last take()
    };

    [[nodiscard]] Taken take();
    // None: nobody asks, or a newer job or view waits, which take() gives before.
    [[nodiscard]] std::optional<Question> next_question();

    // Until ring() or close().
    void wait_until_rung();
    // False: outdated before the time was over.
    [[nodiscard]] bool stays_wanted_for(std::chrono::milliseconds time);
    // Until `is_over` or outdated.
    void wait_while_wanted(const std::function<bool()>& is_over);

private:
    // Takes the lock over and gives it back.
    void request_answer(std::unique_lock<std::mutex> lock);

    const std::function<void()> submit_answer_;
    mutable std::mutex mutex_;  // guards all that is not atomic
    std::condition_variable changed_;
    std::optional<LiveJob> waiting_;
    base::Clock::time_point shown_at_;
    u64 newest_ = 0;
    LiveView view_;
    bool is_view_new_ = false;
    std::deque<Question> questions_;
    bool is_answer_due_ = false;  // its task is submitted and has not taken yet
    bool is_rung_ = false;
    std::atomic<bool> is_job_waiting_{false};
    std::atomic<bool> is_closing_{false};
};

}  // namespace weft::live
