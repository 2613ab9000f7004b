#include "engine/live/live_frames.h"

#include <utility>

namespace weft::live {

std::shared_ptr<LiveFrame> LiveFrames::current() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

std::shared_ptr<LiveFrame> LiveFrames::aside() const {
    const std::lock_guard lock(mutex_);
    return aside_;
}

std::shared_ptr<LiveFrame> LiveFrames::find(const LiveJob& job) const {
    const std::lock_guard lock(mutex_);
    for (const std::shared_ptr<LiveFrame>& made : {current_, aside_}) {
        if (made && is_same_picture(made->job, job)) {
            return made;
        }
    }
    return nullptr;
}

void LiveFrames::attend(const film::Region& region) {
    const std::lock_guard lock(mutex_);
    attended_ = region;
    if (current_) {
        current_->renderer->attend(region);
    }
}

void LiveFrames::begin(std::shared_ptr<LiveFrame> frame) {
    const std::lock_guard lock(mutex_);
    frame->renderer->attend(attended_);
    current_ = std::move(frame);
}

void LiveFrames::bring_back(const std::shared_ptr<LiveFrame>& found) {
    const std::lock_guard lock(mutex_);
    if (found == aside_) {
        std::swap(current_, aside_);
    }
}

void LiveFrames::put_aside() {
    const std::lock_guard lock(mutex_);
    if (current_) {
        aside_ = std::exchange(current_, nullptr);
    }
}

void LiveFrames::drop_aside() {
    std::shared_ptr<LiveFrame> dropped;  // freed without the lock
    const std::lock_guard lock(mutex_);
    std::swap(dropped, aside_);
}

}  // namespace weft::live
