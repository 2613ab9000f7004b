#include "engine/pages/page_ring.h"

#include <array>
#include <cerrno>
#include <liburing.h>
#include <mutex>
#include <numeric>
#include <sys/uio.h>
#include <thread>
#include <vector>

#include "scheduler/base/ensure.h"

namespace weft::pages {

namespace {

constexpr u32 kMostParts = 3;
constexpr u64 kStop = ~u64{0};  // mark of the request that ends the thread

}  // namespace

struct PageRing::State {
    // A request that has ended: a place in `reads`, or kStop.
    struct Result {
        u64 mark;
        i64 read_bytes;  // less than 0: an error
    };

    // A read, from its start to its end.
    struct Read {
        u32 number = 0;
        u64 size_bytes = 0;
        std::array<iovec, kMostParts> parts{};
    };

    State(u32 most_reads, Ended on_end) : ended(std::move(on_end)), reads(most_reads) {
        free.resize(most_reads);
        std::iota(free.begin(), free.end(), 0U);
    }

    bool submit(u64 mark, const std::array<iovec, kMostParts>* parts, int file, u64 offset);
    void serve();
    [[nodiscard]] bool has_reads();
    Result wait();
    void end(u32 place, i64 read_bytes);

    io_uring ring{};  // its queue of requests with the lock held, that of results by the thread
    const Ended ended;
    std::mutex mutex;
    std::vector<Read> reads;
    std::vector<u32> free;  // places in `reads`
    std::thread thread;
};

std::unique_ptr<PageRing> PageRing::open(u32 most_reads, Ended ended) {
    auto state = std::make_unique<State>(most_reads, std::move(ended));
    // One more for the request that ends the thread.
    if (::io_uring_queue_init(most_reads + 1, &state->ring, 0) != 0) {
        return nullptr;
    }
    State& running = *state;
    state->thread = std::thread([&running] { running.serve(); });
    return std::unique_ptr<PageRing>(new PageRing(std::move(state)));
}

PageRing::PageRing(std::unique_ptr<State> state) : state_(std::move(state)) {}

PageRing::~PageRing() {
    stop();
    ::io_uring_queue_exit(&state_->ring);
}

void PageRing::stop() {
    if (!state_->thread.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(state_->mutex);
        ENSURE(state_->submit(kStop, nullptr, -1, 0), ==, true);
    }
    state_->thread.join();
}

bool PageRing::start(u32 number, int file, const iovec* parts, u32 part_count, u64 offset) {
    ENSURE(part_count, <=, kMostParts);
    const std::lock_guard lock(state_->mutex);
    if (state_->free.empty()) {
        return false;
    }
    const u32 place = state_->free.back();
    State::Read& read = state_->reads[place];
    read = {.number = number};
    for (u32 k = 0; k < part_count; ++k) {
        read.parts[k] = parts[k];
        read.size_bytes += parts[k].iov_len;
    }
    if (!state_->submit(place, &read.parts, file, offset)) {
        return false;
    }
    state_->free.pop_back();
    return true;
}

// With the lock held. A request without parts reads nothing.
bool PageRing::State::submit(u64 mark,
                             const std::array<iovec, kMostParts>* parts,
                             int file,
                             u64 offset) {
    io_uring_sqe* const request = ::io_uring_get_sqe(&ring);
    if (request == nullptr) {
        return false;
    }
    if (parts != nullptr) {
        ::io_uring_prep_readv(request, file, parts->data(), kMostParts, offset);
    } else {
        ::io_uring_prep_nop(request);
    }
    ::io_uring_sqe_set_data64(request, mark);
    // The kernel may be short of memory or room for results for a moment.
    int taken = 0;
    do {
        taken = ::io_uring_submit(&ring);
    } while (taken == -EAGAIN || taken == -EBUSY || taken == -EINTR);
    ENSURE(taken, ==, 1);
    return true;
}

// Until the ring is stopped and no read is under way.
void PageRing::State::serve() {
    for (bool is_stopped = false; !is_stopped || has_reads();) {
        const Result result = wait();
        if (result.mark == kStop) {
            is_stopped = true;
        } else {
            end(static_cast<u32>(result.mark), result.read_bytes);
        }
    }
}

bool PageRing::State::has_reads() {
    const std::lock_guard lock(mutex);
    return free.size() < reads.size();
}

// The next request that has ended.
PageRing::State::Result PageRing::State::wait() {
    io_uring_cqe* found = nullptr;
    int fault = 0;
    do {
        fault = ::io_uring_wait_cqe(&ring, &found);
    } while (fault == -EINTR || fault == -EAGAIN);
    ENSURE(fault, ==, 0);
    const Result result{::io_uring_cqe_get_data64(found), found->res};
    ::io_uring_cqe_seen(&ring, found);
    return result;
}

void PageRing::State::end(u32 place, i64 read_bytes) {
    u32 number = 0;
    bool is_whole = false;
    {
        const std::lock_guard lock(mutex);
        number = reads[place].number;
        is_whole = read_bytes == static_cast<i64>(reads[place].size_bytes);
        free.push_back(place);
    }
    ended(number, is_whole);
}

}  // namespace weft::pages
