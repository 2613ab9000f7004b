// memory_limit.h — the memory limit of this process, and claims on what is left of it.
//
// There is one limit per process: --memory-limit, else the memory that the machine or its container
// has free at the first call. Code that will allocate much claims the bytes first; a claim that
// does not fit is an error that states the sum, before anything is allocated. Memory that no claim
// covered (libraries, fragmentation) is found by is_beyond_memory_limit(), which long work calls
// regularly. Any thread.
#pragma once

#include <string>
#include <utility>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::base {

// Where the address space of the process is limited (ulimit -v), all threads allocate from one
// heap: glibc would reserve 64 MiB of addresses per thread. Call it before the second thread
// starts.
void share_heap_if_addresses_are_few();

// 0: what is free now, and what the process holds already.
void set_memory_limit(u64 bytes);
u64 memory_limit_bytes();

// What the machine could give without swapping; 0 where the system does not say.
u64 available_bytes();

// Of the pages that the process holds now; 0 where the system does not say.
u64 resident_bytes();

// Whether the process holds more than the limit. Measured at most every ten milliseconds.
bool is_beyond_memory_limit();
// Lets the next call measure: much memory was freed.
void measure_memory_anew();
// The sentence for it, after is_beyond_memory_limit() was true: `what`, the bytes that were held
// when the limit was exceeded, though they may be freed by now, and the limit.
Error beyond_memory_limit(ErrorKind kind, const std::string& what);

// Bytes that the process will come to hold without a claim, such as pages of a file that it maps:
// they count as held until they are, when the owner of the pledge ends it. Any thread, also in a
// signal handler.
void pledge_memory(u64 bytes);
void end_pledge(u64 bytes);

// Bytes that its owner will allocate; they count as held as long as the claim exists. Other threads
// wait for its end, so it ends when the bytes are allocated, or with the step that needs them; an
// owner that keeps pages which it has not touched yet pledges them instead. Destroy it on the
// thread that made it.
class MemoryClaim {
public:
    MemoryClaim() = default;

    MemoryClaim(MemoryClaim&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}

    MemoryClaim& operator=(MemoryClaim&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    MemoryClaim(const MemoryClaim&) = delete;
    MemoryClaim& operator=(const MemoryClaim&) = delete;

    ~MemoryClaim() { give_back(0); }

    // Ends it: `kept_bytes` of it stay allocated.
    void give_back(u64 kept_bytes);

private:
    explicit MemoryClaim(u64 bytes) : bytes_(bytes) {}

    friend Result<MemoryClaim> claim_memory(u64 bytes, const std::string& what);

    u64 bytes_ = 0;
};

// Waits for claims of other threads to end, unless this thread holds a claim. Error (kind
// TooLarge): "WHAT needs 700 MiB, and 480 MiB of the 500 MiB that --memory-limit allows are left".
Result<MemoryClaim> claim_memory(u64 bytes, const std::string& what);

}  // namespace weft::base
