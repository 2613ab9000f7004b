#include "scheduler/unit/worker_pool.h"

#include <exception>
#include <string>
#include <utility>

#include "scheduler/base/ensure.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/unit/float_state.h"

namespace weft::unit {

std::string sentence_of_current_exception() {
    try {
        throw;
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

WorkerPool::WorkerPool(u32 worker_count, std::string role) : role_(std::move(role)) {
    threads_.reserve(worker_count);
    try {
        for (u32 index = 0; index < worker_count; ++index) {
            threads_.emplace_back([this, index] { serve(WorkerIndex{index}); });
        }
    } catch (...) {
        close();  // those that were started can be joined
        throw;
    }
}

WorkerPool::~WorkerPool() {
    close();
}

void WorkerPool::close() {
    is_closing_ = true;
    round_.fetch_add(1, std::memory_order_release);  // pairs with the acquire in serve
    round_.notify_all();
}

base::Status WorkerPool::run(const Work& work) {
    start(work);
    return wait();
}

void WorkerPool::start(const Work& work) {
    error_.reset();
    work_ = &work;
    if (threads_.empty()) {
        call(WorkerIndex{0});
        return;
    }
    working_.store(worker_count(), std::memory_order_relaxed);  // published by round_ below
    round_.fetch_add(1, std::memory_order_release);             // pairs with the acquire in serve
    round_.notify_all();
}

base::Status WorkerPool::wait() {
    // Pairs with the release in serve: what the workers wrote is seen here.
    for (u32 left = working_.load(std::memory_order_acquire); left != 0;
         left = working_.load(std::memory_order_acquire)) {
        working_.wait(left, std::memory_order_acquire);
    }
    work_ = nullptr;
    if (error_) {
        return *error_;
    }
    return base::Done{};
}

void WorkerPool::serve(WorkerIndex index) {
    set_float_state();
    base::name_traced_thread(role_ + " " + std::to_string(static_cast<u32>(index)));
    for (u32 seen = 0;; ++seen) {
        round_.wait(
            seen, std::memory_order_acquire);  // pairs with the releases in run and the destructor
        if (is_closing_) {
            return;
        }
        call(index);
        if (working_.fetch_sub(1, std::memory_order_acq_rel) ==
            1) {  // pairs with the acquire in run
            working_.notify_one();
        }
    }
}

void WorkerPool::call(WorkerIndex index) {
    ENSURE(is_float_state_right(), ==, true);
    std::string sentence = "worker " + std::to_string(static_cast<u32>(index)) + " failed: ";
    try {
        (*work_)(index, stop_.get_token());
        return;
    } catch (...) {
        sentence += sentence_of_current_exception();
    }
    const std::lock_guard lock(error_mutex_);
    if (!error_) {
        error_ = base::Error{base::ErrorKind::Render, sentence};
    }
}

}  // namespace weft::unit
