#include "engine/pages/page_reader.h"

namespace weft::pages {

PageReader::PageReader(std::unique_ptr<PageSource> source,
                       const std::vector<PageEntry>& pages,
                       const PageArrays& arrays,
                       u32 thread_count,
                       Ended ended)
    : source_(std::move(source)), pages_(pages), arrays_(arrays), ended_(std::move(ended)) {
    threads_.reserve(thread_count);
    for (u32 k = 0; k < thread_count; ++k) {
        threads_.emplace_back([this] { run(); });
    }
}

PageReader::~PageReader() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    pushed_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void PageReader::push(u32 page) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(page);
    }
    pushed_.notify_one();
}

void PageReader::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        pushed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
        if (is_stopping_) {
            return;
        }
        const u32 page = waiting_.front();
        waiting_.pop_front();
        lock.unlock();
        ended_(page, source_->read(page, pages_[page], arrays_));
        lock.lock();
    }
}

}  // namespace weft::pages
