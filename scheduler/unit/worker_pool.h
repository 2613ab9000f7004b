// worker_pool.h — N OS threads that all run one function.
//
// The threads live as long as the pool. run() gives them one function, each calls it once with its
// own index, and run() returns when all are done. Long work checks its stop token. An exception on
// a worker becomes an error of run(). Work begins in the float state of float_state.h; a worker
// that finds another state ends the program.
//
// Owner thread: construct, run, start, wait, destroy. Any thread: request_stop. A pool of 0 workers
// runs the work on the caller's thread, as worker 0.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::unit {

// Which worker, in [0, worker count).
enum class WorkerIndex : u32 {};

// Within a catch block: what the exception says.
std::string sentence_of_current_exception();

class WorkerPool {
public:
    using Work = std::function<void(WorkerIndex, std::stop_token)>;

    // In traces its threads are called `role` and their number. Throws std::system_error where the
    // system refuses a thread; none is left then.
    explicit WorkerPool(u32 worker_count, std::string role = "worker");
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    WorkerPool(WorkerPool&&) = delete;
    WorkerPool& operator=(WorkerPool&&) = delete;

    [[nodiscard]] u32 worker_count() const { return static_cast<u32>(threads_.size()); }

    // Runs `work` once on every worker and waits for all. An error names the first worker that
    // threw.
    base::Status run(const Work& work);

    // The two halves of run(), for work that the owner does not wait for at once: each start() has
    // its wait(), and `work` lives until then. A pool of 0 workers runs it within start().
    void start(const Work& work);
    base::Status wait();

    // Requests a stop of the current work and of all later work.
    void request_stop() { stop_.request_stop(); }

private:
    void close();
    void serve(WorkerIndex index);
    void call(WorkerIndex index);

    const std::string role_;
    std::stop_source stop_;
    const Work* work_ = nullptr;  // written by the owner before it raises round_
    std::optional<base::Error> error_;
    std::mutex error_mutex_;
    bool is_closing_ = false;  // written by the owner before it raises round_
    alignas(64) std::atomic<u32> round_ = 0;
    alignas(64) std::atomic<u32> working_ = 0;
    std::vector<std::jthread> threads_;
};

}  // namespace weft::unit
