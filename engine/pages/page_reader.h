// page_reader.h — the threads that read pages: the workers of the store's tasks.
//
// Each runs tasks as long as there are any: a load starts a read in the ring (page_ring.h) or
// blocks the thread on the disk, walks and evictions take microseconds. stop() lets programs that
// have begun end and drops all other tasks.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "engine/pages/page_tasks.h"

namespace weft::pages {

class PageReader {
public:
    // `tasks` outlive the reader.
    PageReader(PageTasks& tasks, u32 thread_count);
    ~PageReader();
    PageReader(const PageReader&) = delete;
    PageReader& operator=(const PageReader&) = delete;

    // Returns when no program runs any more; none begins afterwards.
    void stop();

private:
    void run();

    PageTasks& tasks_;
    std::atomic<bool> is_stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace weft::pages
