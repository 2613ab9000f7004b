#include "scheduler/base/memory_limit.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <mutex>
#include <sys/resource.h>
#include <unistd.h>

#include "scheduler/base/clock.h"

namespace weft::base {

namespace {

constexpr u64 kLeastBytes = u64{1} << 20;       // smaller claims are not worth a measurement
constexpr u64 kMeasuringInterval = 10'000'000;  // ns
constexpr u64 kUnlimited = ~u64{0};

// The number in a file that holds one; kUnlimited for any other text ("max").
u64 number_in(const std::string& path) {
    std::ifstream file(path);
    u64 number = 0;
    return file >> number ? number : kUnlimited;
}

// Bytes that the container of the process may still allocate (control groups, version 2).
u64 container_free_bytes() {
    std::ifstream groups("/proc/self/cgroup");
    std::string line;
    while (std::getline(groups, line)) {
        if (line.starts_with("0::")) {
            const std::string folder = "/sys/fs/cgroup" + line.substr(3);
            const u64 most = number_in(folder + "/memory.max");
            const u64 used = number_in(folder + "/memory.current");
            return most == kUnlimited || used == kUnlimited ? kUnlimited
                                                            : most - std::min(most, used);
        }
    }
    return kUnlimited;
}

u64 default_limit() {
    const u64 available = available_bytes();
    const u64 free = std::min(available == 0 ? kUnlimited : available, container_free_bytes());
    return free == kUnlimited ? kUnlimited : free + resident_bytes();
}

struct Ledger {
    std::mutex mutex;  // guards all but the atomics
    std::condition_variable changed;
    u64 held_bytes = 0;     // last measured without open claims, plus what ended claims kept since
    u64 claimed_bytes = 0;  // by open claims
    u32 claim_count = 0;

    std::atomic<u64> limit_bytes{0};  // relaxed: guards nothing else; 0: not known yet
    std::atomic<bool> is_named{false};
    std::atomic<u64> measured_ns{0};
    std::atomic<u64> beyond_bytes{0};     // what was held when it was last beyond the limit
    std::atomic<bool> was_beyond{false};  // set after beyond_bytes
    std::atomic<u64> pledged_bytes{0};    // relaxed: guards nothing else
};

Ledger& ledger() {
    static Ledger the_only;
    return the_only;
}

// Claims that this thread holds; a thread that holds one never waits for others.
thread_local u32 own_claims = 0;

constexpr u64 kMebibyte = u64{1} << 20;

// Rounded up.
std::string mebibytes(u64 bytes) {
    return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB";
}

// A limit that the user chose is named exactly.
std::string allowed() {
    const u64 limit = memory_limit_bytes();
    return ledger().is_named.load(std::memory_order_relaxed)
               ? (limit % kMebibyte == 0 ? mebibytes(limit) : std::to_string(limit) + " bytes") +
                     " that --memory-limit allows"
               : mebibytes(limit) + " that were free";
}

u64 left_of(const Ledger& all) {
    const u64 limit = memory_limit_bytes();
    const u64 pledged = all.pledged_bytes.load(std::memory_order_relaxed);
    return limit - std::min(limit, all.held_bytes + all.claimed_bytes + pledged);
}

// Returns freed blocks to the system; otherwise they would count as held.
void measure(Ledger& all, u64 wanted) {
    all.held_bytes = resident_bytes();
    if (left_of(all) < wanted) {
        malloc_trim(0);
        all.held_bytes = resident_bytes();
    }
}

}  // namespace

void share_heap_if_addresses_are_few() {
    rlimit addresses{};
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
        mallopt(M_ARENA_MAX, 1);
    }
}

void set_memory_limit(u64 bytes) {
    Ledger& all = ledger();
    all.is_named.store(bytes != 0, std::memory_order_relaxed);
    all.limit_bytes.store(bytes != 0 ? bytes : default_limit(), std::memory_order_relaxed);
    all.measured_ns.store(0, std::memory_order_relaxed);
}

u64 memory_limit_bytes() {
    Ledger& all = ledger();
    u64 limit = all.limit_bytes.load(std::memory_order_relaxed);
    if (limit == 0) {
        const u64 free = default_limit();
        limit = all.limit_bytes.compare_exchange_strong(limit, free, std::memory_order_relaxed)
                    ? free
                    : limit;
    }
    return limit;
}

u64 available_bytes() {
    std::ifstream lines("/proc/meminfo");
    std::string name;
    std::string unit;
    u64 kibibytes = 0;
    while (lines >> name >> kibibytes && std::getline(lines, unit)) {
        if (name == "MemAvailable:") {
            return kibibytes << 10;
        }
    }
    return 0;
}

u64 resident_bytes() {
    static const auto page_bytes = static_cast<u64>(::sysconf(_SC_PAGESIZE));
    std::FILE* const file = std::fopen("/proc/self/statm", "re");
    unsigned long long total = 0;
    unsigned long long resident = 0;
    const bool is_read = file && std::fscanf(file, "%llu %llu", &total, &resident) == 2;
    if (file) {
        std::fclose(file);
    }
    return is_read ? resident * page_bytes : 0;
}

bool is_beyond_memory_limit() {
    Ledger& all = ledger();
    const u64 now = now_ns();
    u64 before = all.measured_ns.load(std::memory_order_relaxed);
    // One of the calling threads measures for all.
    if (now - before >= kMeasuringInterval &&
        all.measured_ns.compare_exchange_strong(before, now, std::memory_order_relaxed)) {
        u64 held = resident_bytes();
        if (held > memory_limit_bytes()) {
            malloc_trim(0);
            held = resident_bytes();
        }
        const bool is_beyond = held > memory_limit_bytes();
        if (is_beyond) {
            all.beyond_bytes.store(held, std::memory_order_relaxed);
        }
        // release: a thread that sees true sees the bytes.
        all.was_beyond.store(is_beyond, std::memory_order_release);
    }
    return all.was_beyond.load(std::memory_order_acquire);
}

void measure_memory_anew() {
    ledger().measured_ns.store(0, std::memory_order_relaxed);
}

Error beyond_memory_limit(ErrorKind kind, const std::string& what) {
    const u64 held = ledger().beyond_bytes.load(std::memory_order_relaxed);
    return {kind, what + ": " + mebibytes(held) + " were in use, more than the " + allowed()};
}

void pledge_memory(u64 bytes) {
    ledger().pledged_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void end_pledge(u64 bytes) {
    ledger().pledged_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

void MemoryClaim::give_back(u64 kept_bytes) {
    if (bytes_ == 0) {
        return;
    }
    Ledger& all = ledger();
    {
        const std::lock_guard lock(all.mutex);
        all.claimed_bytes -= bytes_;
        all.held_bytes += std::min(kept_bytes, bytes_);
        --all.claim_count;
    }
    --own_claims;
    bytes_ = 0;
    all.changed.notify_all();
}

Result<MemoryClaim> claim_memory(u64 bytes, const std::string& what) {
    if (bytes < kLeastBytes) {
        return MemoryClaim();
    }
    Ledger& all = ledger();
    std::unique_lock lock(all.mutex);
    if (own_claims == 0 && bytes > left_of(all)) {
        all.changed.wait(lock, [&] { return all.claim_count == 0 || bytes <= left_of(all); });
    }
    if (all.claim_count == 0) {
        measure(all, bytes);
    }
    const u64 left = left_of(all);
    if (bytes > left) {
        return Error{ErrorKind::TooLarge,
                     what + " needs " + mebibytes(bytes) + " of memory, and " +
                         std::to_string(left >> 20) + " MiB are left of the " + allowed()};
    }
    all.claimed_bytes += bytes;
    ++all.claim_count;
    ++own_claims;
    return MemoryClaim(bytes);
}

}  // namespace weft::base
