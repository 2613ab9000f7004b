// execution_queue.h — runs instances after their predecessors, on suitable devices (R8 .. R12).
//
// The instance of highest priority without open predecessors starts first; among equals the one
// enqueued first. It runs on the device that suits it now, or is split over several. While its
// devices are full, the next instance may start on others.
//
// Any thread: enqueue, look, wait. Threads of the queue run the parts; without such threads, the
// waiting threads do. Kernels and programs run without any lock held, in the float state of
// scheduler/unit. They must not wait() on a queue without a free thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler/compute/instance.h"
#include "scheduler/compute/stream_order.h"

namespace weft::compute {

struct QueueConfig {
    // Parts that run at once; 0: waiting threads run them. A thread starts when there is work for
    // it.
    u32 thread_count = 2;
    u32 most_open = 1024;  // instances; more are refused
};

struct QueueFigures {
    u64 enqueued = 0;
    u64 ended = 0;
    u64 failed = 0;
    u64 split = 0;         // instances that ran on several devices
    u64 stood_in = 0;      // instances that ran on a processor because their device draws
    u64 dependencies = 0;  // found from buffers
    u64 followers = 0;     // instances that were enqueued to follow events
};

class ExecutionQueue {
public:
    explicit ExecutionQueue(const QueueConfig& config);
    // Waits for running instances; others fail.
    ~ExecutionQueue();
    ExecutionQueue(const ExecutionQueue&) = delete;
    ExecutionQueue& operator=(const ExecutionQueue&) = delete;
    ExecutionQueue(ExecutionQueue&&) = delete;
    ExecutionQueue& operator=(ExecutionQueue&&) = delete;

    // `instance` is complete except for number and event. It follows the instances of `events`, and
    // those that use its buffers. Error: the queue is full.
    base::Result<std::shared_ptr<Event>> enqueue(
        InstancePointer instance, const std::vector<std::shared_ptr<Event>>& follows);

    [[nodiscard]] Event look(const Event& event) const;

    // Until it has ended: Done, or its error.
    base::Status wait(const Event& event);

    // Call after the state of a device changed outside of this queue (attached, drawing).
    void look_again();

    [[nodiscard]] QueueFigures figures() const;

private:
    struct Part {
        InstancePointer instance;
        u32 part = 0;
    };

    // Called with the lock held; those that take the lock release it during calls to other code.
    void start_threads(std::size_t more);
    bool step(std::unique_lock<std::mutex>& lock);
    InstancePointer place_next();
    bool place(const InstancePointer& instance);
    void begin(const InstancePointer& instance, std::unique_lock<std::mutex>& lock);
    void run(const Part& part, std::unique_lock<std::mutex>& lock);
    void end_parts(const InstancePointer& instance, u32 count, std::unique_lock<std::mutex>& lock);
    void end(const InstancePointer& instance);
    void serve(const std::stop_token& stop);

    QueueConfig config_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;  // a part to run, a device free, an event ended
    std::vector<InstancePointer> open_;    // not begun; by number
    std::vector<Part> parts_;              // ready to run
    u32 running_ = 0;                      // instances begun
    u64 numbers_ = 0;
    StreamOrder order_;
    QueueFigures figures_;
    std::map<const Event*, InstancePointer> unended_;
    std::vector<std::jthread> threads_;
    std::size_t idle_ = 0;  // of them, that wait for work
};

}  // namespace weft::compute
