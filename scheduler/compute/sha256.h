// sha256.h — the digest of sources and cached shared objects (FIPS 180-4).
//
// Any thread; about 250 MB/s, so for sources and shared objects of some 100 KiB.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::compute {

class Sha256 {
public:
    Sha256& add(std::string_view bytes);
    // Ends the text; 64 hexadecimal digits. Once.
    std::string hex();

private:
    void mix(const u8* block);

    std::array<u32, 8> state_ = {0x6a09e667U,
                                 0xbb67ae85U,
                                 0x3c6ef372U,
                                 0xa54ff53aU,
                                 0x510e527fU,
                                 0x9b05688cU,
                                 0x1f83d9abU,
                                 0x5be0cd19U};
    std::array<u8, 64> block_{};
    u64 length_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace weft::compute
