// background.h — Background<T>: a task on its own thread, whose result the interface polls.
//
// The newest task wins: starting a task cancels the previous one and drops its result. A cancelled
// task ends when it next checks its stop token, or runs to its end and its result is ignored; the
// destructor waits for all tasks. Owner: the interface thread; only the task itself runs elsewhere.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::app {

template <typename T>
class Background {
public:
    Background() = default;

    ~Background() { cancel(); }

    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    // Runs `work(stop_token)` or `work()`, which returns a T. Everything that `work` refers to must
    // outlive this object.
    template <typename Work>
    void start(Work work) {
        cancel();
        task_.stop = std::stop_source();
        task_.result = std::async(
            std::launch::async, [work = std::move(work), token = task_.stop.get_token()]() mutable {
                if constexpr (std::is_invocable_v<Work&, std::stop_token>) {
                    return T(work(token));
                } else {
                    return T(work());
                }
            });
    }

    // Asks the task to stop, and drops its result.
    void cancel() {
        if (is_running()) {
            task_.stop.request_stop();
            cancelled_.push_back(std::move(task_));
            task_ = {};
        }
    }

    // True from start() until poll() or wait() returns the result, or cancel() drops it.
    [[nodiscard]] bool is_running() const { return task_.result.valid(); }

    // Whether a cancelled task was still running at the last poll().
    [[nodiscard]] bool is_ending() const { return !cancelled_.empty(); }

    // Returns the newest task's result once, when it is ready. Joins cancelled tasks that have
    // ended.
    [[nodiscard]] std::optional<T> poll() {
        std::erase_if(cancelled_, has_ended);
        return is_running() && has_ended(task_) ? std::optional<T>(task_.result.get())
                                                : std::nullopt;
    }

    // Waits for the newest task and returns its result; nothing if no task runs.
    [[nodiscard]] std::optional<T> wait() {
        return is_running() ? std::optional<T>(task_.result.get()) : std::nullopt;
    }

private:
    struct Task {
        std::stop_source stop{std::nostopstate};
        std::future<T> result;  // of std::async: its destructor joins the thread
    };

    static bool has_ended(const Task& task) {
        return task.result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }

    Task task_;
    std::vector<Task> cancelled_;
};

}  // namespace weft::app
