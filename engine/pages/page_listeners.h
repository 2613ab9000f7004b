// page_listeners.h — callbacks that the page store makes when pages change, for threads that cannot
// block until a page comes.
//
// The page store owns one. Any thread. tell() holds the lock while it calls a listener, so no call
// begins or goes on once remove() has returned.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::pages {

class PageListeners {
public:
    // Its number, for remove().
    u32 add(std::function<void()> tell) {
        const std::lock_guard lock(mutex_);
        listeners_.emplace_back(next_, std::move(tell));
        has_any_ = true;
        return next_++;
    }

    void remove(u32 number) {
        const std::lock_guard lock(mutex_);
        std::erase_if(listeners_, [number](const auto& one) { return one.first == number; });
        has_any_ = !listeners_.empty();
    }

    void tell() {
        // Seq_cst: whoever listens before it looks at a page hears of its change.
        if (!has_any_) {
            return;
        }
        const std::lock_guard lock(mutex_);
        for (const auto& listener : listeners_) {
            listener.second();
        }
    }

private:
    std::mutex mutex_;
    std::vector<std::pair<u32, std::function<void()>>> listeners_;
    u32 next_ = 0;
    std::atomic<bool> has_any_ = false;
};

}  // namespace weft::pages
