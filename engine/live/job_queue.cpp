#include "engine/live/job_queue.h"

#include <utility>

namespace weft::live {

u64 JobQueue::show(LiveJob job) {
    std::unique_lock lock(mutex_);
    // The replaced job is never prepared, so its changes count as changes of this one.
    job.effect |= waiting_ ? waiting_->effect : 0;
    waiting_ = std::move(job);
    is_job_waiting_.store(true, std::memory_order_relaxed);
    shown_at_ = base::Clock::now();
    const u64 number = ++newest_;
    changed_.notify_all();
    request_answer(std::move(lock));
    return number;
}

void JobQueue::set_view(const LiveView& view) {
    std::unique_lock lock(mutex_);
    if (view_ != view) {
        view_ = view;
        is_view_new_ = true;
        request_answer(std::move(lock));
    }
}

void JobQueue::ask(Question question) {
    std::unique_lock lock(mutex_);
    questions_.push_back(std::move(question));
    request_answer(std::move(lock));
}

void JobQueue::request_answer() {
    request_answer(std::unique_lock(mutex_));
}

void JobQueue::request_answer(std::unique_lock<std::mutex> lock) {
    const bool was_due = std::exchange(is_answer_due_, true);
    lock.unlock();
    if (!was_due) {
        submit_answer_();
    }
}

void JobQueue::close() {
    is_closing_.store(true, std::memory_order_relaxed);
    ring();
}

u64 JobQueue::newest_number() const {
    const std::lock_guard lock(mutex_);
    return newest_;
}

bool JobQueue::is_answer_due() const {
    const std::lock_guard lock(mutex_);
    return is_answer_due_;
}

LiveView JobQueue::view() const {
    const std::lock_guard lock(mutex_);
    return view_;
}

void JobQueue::ring() {
    const std::lock_guard lock(mutex_);
    is_rung_ = true;
    changed_.notify_all();
}

JobQueue::Taken JobQueue::take() {
    const std::lock_guard lock(mutex_);
    Taken taken;
    is_answer_due_ = false;
    taken.job = std::exchange(waiting_, std::nullopt);
    is_job_waiting_.store(false, std::memory_order_relaxed);
    taken.number = newest_;
    taken.shown_at = shown_at_;
    if (std::exchange(is_view_new_, false)) {
        taken.changed_view = view_;
    }
    return taken;
}

std::optional<Question> JobQueue::next_question() {
    const std::lock_guard lock(mutex_);
    // A newer job or view is taken first: an answer to it is due.
    if (questions_.empty() || ((waiting_ || is_view_new_) && !is_closing())) {
        return std::nullopt;
    }
    Question question = std::move(questions_.front());
    questions_.pop_front();
    return question;
}

void JobQueue::wait_until_rung() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_rung_ || is_closing(); });
    is_rung_ = false;
}

bool JobQueue::stays_wanted_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, time, [this] { return is_outdated(); });
}

void JobQueue::wait_while_wanted(const std::function<bool()>& is_over) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_over() || is_outdated(); });
}

}  // namespace weft::live
