// film_hash.h — 128 bits over a stream of 64-bit words, to compare two pictures by one line of
// text.
//
// State (a, b). A word w is absorbed by
//     a ← rotl(a ⊕ w·K1, 31)·K2 + b
//     b ← rotl(b + rotl(w, 32)·K3, 27)·K4 ⊕ a        with odd K, arithmetic mod 2⁶⁴
// For a fixed w that is one-to-one in the state, and for a fixed state in w: two streams that
// differ in one word alone never collide; others collide with about 2⁻¹²⁸. The number of words is
// mixed in at the end. Not cryptographic: it finds accidents, not forgers. Defined on values, so
// that the digits are the same on every machine. One thread per object.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::film {

inline constexpr std::size_t kHashDigits = 32;  // of a hash as text

class Hash128 {
public:
    void absorb(u64 word);
    // The length, then the bytes in words of eight, least significant first, the last filled up
    // with zeros.
    void absorb(std::string_view text);
    // 32 lower-case hex digits. Does not change the state.
    [[nodiscard]] std::string hex() const;

private:
    u64 a_ = 0x510e527fade682d1u;  // fractional bits of √11 and √13
    u64 b_ = 0x9b05688c2b3e6c1fu;
    u64 words_ = 0;
};

}  // namespace weft::film
