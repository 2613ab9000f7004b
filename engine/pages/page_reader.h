// page_reader.h — the threads that read pages.
//
// The page store asks for pages. The thread that has read one calls the store back, while it holds
// no lock of the reader. The destructor lets reads that have begun end and drops the others.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/pages/page_source.h"

namespace weft::pages {

class PageReader {
public:
    using Ended = std::function<void(u32 page, const base::Status& status)>;

    // `pages` and `arrays` outlive the reader.
    PageReader(std::unique_ptr<PageSource> source,
               const std::vector<PageEntry>& pages,
               const PageArrays& arrays,
               u32 thread_count,
               Ended ended);
    ~PageReader();
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;

    // Any thread; blocks on no disk. The page's rows belong to the reader until it has ended.
    void push(u32 page);

    [[nodiscard]] bool is_direct() const { return source_->is_direct(); }

private:
    void run();

    std::unique_ptr<PageSource> source_;
    const std::vector<PageEntry>& pages_;
    const PageArrays& arrays_;
    Ended ended_;
    std::mutex mutex_;
    std::condition_variable pushed_;
    std::deque<u32> waiting_;
    bool is_stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace weft::pages
