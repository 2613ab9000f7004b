#include "engine/pages/page_checksum.h"

#include <bit>
#include <cstring>

#include "engine/pages/page_file.h"
#include "scheduler/base/ensure.h"

namespace weft::pages {

namespace {

constexpr u64 kOddFactor = 0x9e3779b97f4a7c15;
constexpr u64 kLaneBytes = sizeof(u64);
constexpr u64 kRowBytes = 8 * kLaneBytes;

// One word into one lane. For a given lane it is a bijection of the word, and the other way round.
u64 absorb(u64 lane, const char* bytes) {
    u64 word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    return std::rotl((lane ^ word) * kOddFactor, 29);
}

u64 mix(u64 value) {
    value = (value ^ (value >> 32)) * kOddFactor;
    value = (value ^ (value >> 29)) * kOddFactor;
    return value ^ (value >> 32);
}

}  // namespace

void PageChecksum::add(const void* bytes, u64 size_bytes) {
    ENSURE(size_bytes % kLaneBytes, ==, 0U);
    const char* from = static_cast<const char*>(bytes);
    size_bytes_ += size_bytes;
    // A copy of the lanes stays in registers.
    std::array<u64, 8> lanes = lanes_;
    for (; size_bytes >= kRowBytes; size_bytes -= kRowBytes, from += kRowBytes) {
        for (u64 k = 0; k < lanes.size(); ++k) {
            lanes[k] = absorb(lanes[k], from + k * kLaneBytes);
        }
    }
    for (u64 k = 0; k < size_bytes / kLaneBytes; ++k) {
        lanes[k] = absorb(lanes[k], from + k * kLaneBytes);
    }
    lanes_ = lanes;
}

u64 PageChecksum::value() const {
    u64 sum = mix(size_bytes_ + kOddFactor);
    for (const u64 lane : lanes_) {
        sum = mix(sum ^ lane);
    }
    return sum;
}

u64 page_checksum(const void* bytes, u64 size_bytes) {
    PageChecksum checksum;
    checksum.add(bytes, size_bytes);
    return checksum.value();
}

}  // namespace weft::pages
