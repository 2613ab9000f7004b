// page_ring.h — reads that the kernel carries out while no thread waits for each of them: io_uring.
//
// Any thread starts a read; one thread of the ring's own takes those that have ended, several per
// call of the kernel, and tells their owner. Jens Axboe, "Efficient IO with io_uring", 2019. Where
// the kernel has no io_uring, or forbids it (in many containers), there is no ring, and threads
// read (page_reader.h).
#pragma once

#include <functional>
#include <memory>

#include "scheduler/base/ids.h"

struct iovec;

namespace weft::pages {

class PageRing {
public:
    // A read has ended, on the ring's thread: whether all its bytes were read.
    using Ended = std::function<void(u32 number, bool is_whole)>;

    // Room for so many reads at once. Null: the kernel gives no ring.
    static std::unique_ptr<PageRing> open(u32 most_reads, Ended ended);
    // Stops.
    ~PageRing();
    PageRing(const PageRing&) = delete;
    PageRing& operator=(const PageRing&) = delete;

    // Reads the parts one after the other from the file at the offset. The parts' memory is the
    // ring's until the read has ended; the array of parts may go. False: the ring has no room, or
    // the kernel refuses; ended() is not called then.
    bool start(u32 number, int file, const iovec* parts, u32 part_count, u64 offset);

    // Waits for reads under way. None may be started any more.
    void stop();

private:
    struct State;
    explicit PageRing(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace weft::pages
