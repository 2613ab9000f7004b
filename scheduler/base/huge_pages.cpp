#include "scheduler/base/huge_pages.h"

#include <cstdlib>
#include <sys/mman.h>

namespace weft::base {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded(std::size_t size_bytes) {
    return (size_bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

void* allocate_pages(std::size_t size_bytes) {
    // Small arrays would waste most of a huge page.
    if (size_bytes < kHugePage) {
        void* memory = std::aligned_alloc(64, (size_bytes + 63) / 64 * 64);
        if (memory) {
            __builtin_memset(memory, 0, (size_bytes + 63) / 64 * 64);
        }
        return memory;
    }
    // Map one page more, then unmap the unaligned ends.
    const std::size_t want = rounded(size_bytes);
    void* raw = mmap(nullptr,
                     want + kHugePage,
                     PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1,
                     0);
    if (raw == MAP_FAILED) {
        return nullptr;
    }
    char* const begin = static_cast<char*>(raw);
    const auto address = reinterpret_cast<std::size_t>(begin);
    const std::size_t head = (kHugePage - address % kHugePage) % kHugePage;
    if (head) {
        munmap(begin, head);
    }
    if (head != kHugePage) {
        munmap(begin + head + want, kHugePage - head);
    }
    madvise(begin + head, want, MADV_HUGEPAGE);
    return begin + head;
}

void release_pages(void* memory, std::size_t size_bytes) {
    if (size_bytes < kHugePage) {
        std::free(memory);
        return;
    }
    munmap(memory, rounded(size_bytes));
}

}  // namespace weft::base
