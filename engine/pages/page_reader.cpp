#include "engine/pages/page_reader.h"

namespace weft::pages {

PageReader::PageReader(PageTasks& tasks, u32 thread_count) : tasks_(tasks) {
    threads_.reserve(thread_count);
    for (u32 k = 0; k < thread_count; ++k) {
        threads_.emplace_back([this] { run(); });
    }
}

PageReader::~PageReader() {
    stop();
}

void PageReader::stop() {
    // Seq_cst: before the ring, which run() reads before it looks here.
    is_stopping_.store(true);
    tasks_.wake();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

void PageReader::run() {
    for (;;) {
        const u32 rings = tasks_.rings();
        if (is_stopping_.load()) {
            return;
        }
        if (!tasks_.run_one()) {
            tasks_.await(rings);
        }
    }
}

}  // namespace weft::pages
