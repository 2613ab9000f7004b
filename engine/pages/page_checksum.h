// page_checksum.h — 64 bits over the bytes of pages and of what is always in memory.
//
// The checksum finds accidents: a torn write, a lost block, a flipped bit. It resists no attacker.
// Eight independent lanes multiply and rotate, so that a core checks faster than disks read. Parts
// whose sizes are multiples of 64 B give the value of the whole. One thread per object.
#pragma once

#include <array>

#include "scheduler/base/ids.h"

namespace weft::pages {

class PageChecksum {
public:
    // `size_bytes` is a multiple of 8.
    void add(const void* bytes, u64 size_bytes);
    [[nodiscard]] u64 value() const;

private:
    // Any eight different numbers with about half of their bits set.
    std::array<u64, 8> lanes_ = {0x8f1bbcdc5a827999,
                                 0x2b7e151628aed2a6,
                                 0xc6ef372fe94f82be,
                                 0x71374491b5c0fbcf,
                                 0xd807aa98a3030242,
                                 0x3956c25bf348b538,
                                 0xe9b5dba58189dbbc,
                                 0x59f111f1b605d019};
    u64 size_bytes_ = 0;
};

}  // namespace weft::pages
