#include "scheduler/compute/sha256.h"

#include <bit>

namespace weft::compute {

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<u32, 64> kRound = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U};

u32 rotated(u32 x, int by) {
    return std::rotr(x, by);
}

}  // namespace

Sha256& Sha256::add(std::string_view bytes) {
    for (const char byte : bytes) {
        block_[length_++ % 64] = static_cast<u8>(byte);
        if (length_ % 64 == 0) {
            mix(block_.data());
        }
    }
    return *this;
}

std::string Sha256::hex() {
    const u64 bits = length_ * 8;
    add(std::string_view("\x80", 1));
    while (length_ % 64 != 56) {
        add(std::string_view("\0", 1));
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        const char byte = static_cast<char>(bits >> shift & 0xff);
        add(std::string_view(&byte, 1));
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const u32 word : state_) {
        for (int shift = 28; shift >= 0; shift -= 4) {
            text += kDigits[word >> shift & 15];
        }
    }
    return text;
}

void Sha256::mix(const u8* block) {
    std::array<u32, 64> w{};
    for (u32 t = 0; t < 16; ++t) {
        w[t] = u32{block[4 * t]} << 24 | u32{block[4 * t + 1]} << 16 | u32{block[4 * t + 2]} << 8 |
               u32{block[4 * t + 3]};
    }
    for (u32 t = 16; t < 64; ++t) {
        const u32 a = w[t - 15];
        const u32 b = w[t - 2];
        w[t] = w[t - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[t - 7] +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    std::array<u32, 8> s = state_;
    for (u32 t = 0; t < 64; ++t) {
        const u32 choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const u32 majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const u32 first = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                          choice + kRound[t] + w[t];
        const u32 second = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) + majority;
        s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
    }
    for (u32 k = 0; k < 8; ++k) {
        state_[k] += s[k];
    }
}

std::string sha256_hex(std::string_view bytes) {
    return Sha256().add(bytes).hex();
}

}  // namespace weft::compute
