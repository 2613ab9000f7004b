// bounded_mapping.h — a file as flat memory, of which no more than a budget is resident.
//
// Kernels gather texels, and builders scan triangles, through plain pointers, on any thread and in
// any order, so the mapping itself keeps the bound. It is divided into chunks. A chunk is open
// (readable, and writable where asked for) or closed (PROT_NONE, without a page). The first access
// to a closed chunk raises SIGSEGV on its thread; the handler opens the chunk and the access runs
// again. If as many chunks are open as the
// budget holds, the handler first closes the one that has been open longest. Hence at all times:
//
//     resident bytes of the mapping <= bytes of open chunks <= budget
//
// The kernel maps pages around an access, too, but only within readable memory. A thread that
// watched the resident set instead would see pages too late: one core touches gigabytes a second.
// What leaves stays in the system's page cache as long as memory is free, and costs no read then;
// what was written is written to the file when the system likes.
//
// Progress: a gather reads at most 16 places, so it ends where 16 chunks and those of all other
// threads in between stay open; kFewestChunks is far above that.
//
// Any thread reads and writes. A system call must not be given this memory: it fails with EFAULT
// where a chunk is closed. A debugger stops at the signals unless told otherwise (gdb: handle
// SIGSEGV nostop).
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// Chunks that a budget holds at least, where a page is 4 KiB: 4096 chunks serve 128 threads.
// Chunks grow with the budget, so that the system's limit of 65530 mapped areas is never near.
inline constexpr u64 kFewestChunks = 4096;
inline constexpr u64 kLeastBudgetBytes = kFewestChunks * 4096;

struct BoundedMappingConfig {
    u64 size_bytes = 0;
    u64 budget_bytes = 0;       // of open chunks; at least one is open
    bool may_write = false;     // false: reading alone
    std::string what{};         // for the error: "the textures"
    std::string option_name{};  // for the error: "--texture-memory"
};

class BoundedMapping {
public:
    // Maps a file, all closed; the file may still be shorter. Pledges the budget (memory_limit.h).
    // Error: the system refuses.
    static base::Result<std::unique_ptr<BoundedMapping>> make(int descriptor,
                                                              const BoundedMappingConfig& config);
    // Takes SIGSEGV, for the rest of the process; make() does. Faults elsewhere still go to the
    // handler that was there. In a process that other code shares, call it again before the mapped
    // bytes are read: a handler installed since hides ours. False: the system refuses.
    static bool take_faults();

    BoundedMapping(const BoundedMapping&) = delete;
    BoundedMapping& operator=(const BoundedMapping&) = delete;
    // No thread reads any more.
    ~BoundedMapping();

    [[nodiscard]] const std::byte* data() const { return data_; }

    // For a mapping that may be written.
    [[nodiscard]] std::byte* data() { return data_; }

    struct Figures {
        u64 chunk_bytes = 0;
        u64 open_bytes = 0;  // at most so much is resident
        u64 closed = 0;      // chunks that were let go, in all
    };

    [[nodiscard]] Figures figures() const;

private:
    friend struct MappingList;

    BoundedMapping(
        std::byte* data, u64 size_bytes, u64 chunk_bytes, u64 most_open, int open_protection);

    // All below: with the list's lock held, also in the signal handler.
    bool open_at(const std::byte* place);
    bool set_access(u64 chunk, int protection);
    bool close_oldest();
    bool close_all();
    void note_closed(u64 chunks);

    std::byte* data_;
    u64 size_bytes_;
    u64 chunk_bytes_;
    u64 most_open_;
    int open_protection_;  // PROT_READ, or PROT_READ | PROT_WRITE
    std::vector<bool> is_open_;
    std::vector<u32> ring_;  // open chunks in the order of opening, from first_
    u64 first_ = 0;
    std::atomic<u64> open_count_{0};  // relaxed: written under the lock, read for figures
    std::atomic<u64> closed_{0};      // relaxed: written under the lock, read for figures
    BoundedMapping* next_ = nullptr;
};

}  // namespace weft::scene
