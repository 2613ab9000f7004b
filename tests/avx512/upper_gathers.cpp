// upper_gathers.cpp — executes the gathers and scatters that Bochs refuses.
//
// Bochs 2.7 and 3.0 raise the invalid-opcode fault where the indices of an AVX-512 gather or
// scatter lie in one of the registers 16 to
// 31. run.sh preloads this library into the tests. It handles SIGILL: it decodes the instruction
// (EVEX prefix, Intel SDM volume 2, 2.7), moves the elements between memory and the registers of
// the signal frame (XSAVE area in its standard format, SDM volume 1, 13.4), and continues behind
// it. Any other invalid instruction ends the test with code 99.
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr int kOtherInstruction = 99;

// Offsets in the XSAVE area.
constexpr u32 kStateBits = 512;
constexpr u32 kXmm = 160;
constexpr u32 kYmmUpper = 576;
constexpr u32 kMasks = 1088;
constexpr u32 kZmmUpper = 1152;
constexpr u32 kZmm16 = 1664;

constexpr u32 kRegisterBytes = 64;

struct Gather {
    bool is_scatter = false;
    u32 values = 0;   // vector register
    u32 indices = 0;  // vector register
    u32 mask = 0;     // mask register
    u32 value_bytes = 0;
    u32 index_bytes = 0;
    u32 count = 0;  // of elements
    u32 scale = 0;
    const u8* base = nullptr;
    u32 length = 0;  // of the instruction
};

// The general registers of the signal frame in the order of their numbers.
constexpr std::array<int, 16> kGeneral = {REG_RAX,
                                          REG_RCX,
                                          REG_RDX,
                                          REG_RBX,
                                          REG_RSP,
                                          REG_RBP,
                                          REG_RSI,
                                          REG_RDI,
                                          REG_R8,
                                          REG_R9,
                                          REG_R10,
                                          REG_R11,
                                          REG_R12,
                                          REG_R13,
                                          REG_R14,
                                          REG_R15};

// Decodes the instruction at `code`. Returns false if it is no gather or scatter with an EVEX
// prefix.
bool decode(const u8* code, const gregset_t& general, Gather& gather) {
    constexpr u8 kEvex = 0x62;
    constexpr u32 kMap0F38 = 2;
    const u32 opcode = code[4];
    const bool is_gather = opcode >= 0x90 && opcode <= 0x93;
    gather.is_scatter = opcode >= 0xA0 && opcode <= 0xA3;
    if (code[0] != kEvex || (code[1] & 0xFU) != kMap0F38 || (!is_gather && !gather.is_scatter)) {
        return false;
    }
    // The prefix has the upper bits of register numbers inverted.
    const auto upper = [](u8 byte, u32 bit) { return ~(u32{byte} >> bit) & 1U; };
    const u32 sib = code[6];
    gather.values = ((code[5] >> 3U) & 7U) | upper(code[1], 7) << 3U | upper(code[1], 4) << 4U;
    gather.indices = ((sib >> 3U) & 7U) | upper(code[1], 6) << 3U | upper(code[3], 3) << 4U;
    gather.mask = code[3] & 7U;
    gather.value_bytes = (code[2] & 0x80U) != 0 ? 8 : 4;
    gather.index_bytes = (opcode & 1U) != 0 ? 8 : 4;
    gather.scale = 1U << (sib >> 6U);
    const u32 vector_bytes = 16U << ((code[3] >> 5U) & 3U);
    gather.count = vector_bytes / (gather.value_bytes > gather.index_bytes ? gather.value_bytes
                                                                           : gather.index_bytes);
    // The base register and the displacement; one of a byte counts elements.
    const u32 mode = code[5] >> 6U;
    const bool has_base = mode != 0 || (sib & 7U) != 5;
    const u32 base = (sib & 7U) | upper(code[1], 5) << 3U;
    std::int64_t address = has_base ? general[kGeneral[base]] : 0;
    gather.length = 7;
    if (mode == 1) {
        address += static_cast<std::int8_t>(code[7]) * std::int64_t{gather.value_bytes};
        gather.length += 1;
    } else if (mode == 2 || !has_base) {
        std::int32_t displacement = 0;
        std::memcpy(&displacement, code + 7, sizeof(displacement));
        address += displacement;
        gather.length += 4;
    }
    gather.base = reinterpret_cast<const u8*>(address);
    return true;
}

// Registers of which the frame saves nothing are zero: writes that down, so that all can be read.
void fill_in(u8* area) {
    struct Part {
        u32 bit;
        u32 offset;
        u32 bytes;
    };

    constexpr std::array<Part, 5> kParts = {{{1, kXmm, 256},
                                             {2, kYmmUpper, 256},
                                             {5, kMasks, 64},
                                             {6, kZmmUpper, 512},
                                             {7, kZmm16, 1024}}};
    u64 bits = 0;
    std::memcpy(&bits, area + kStateBits, sizeof(bits));
    for (const Part& part : kParts) {
        if ((bits >> part.bit & 1U) == 0) {
            std::memset(area + part.offset, 0, part.bytes);
            bits |= u64{1} << part.bit;
        }
    }
    std::memcpy(area + kStateBits, &bits, sizeof(bits));
}

// A byte of a vector register.
u8* place_of(u8* area, u32 number, u32 byte) {
    if (number >= 16) {
        return area + kZmm16 + (number - 16) * kRegisterBytes + byte;
    }
    return byte < 16   ? area + kXmm + number * 16 + byte
           : byte < 32 ? area + kYmmUpper + number * 16 + (byte - 16)
                       : area + kZmmUpper + number * 32 + (byte - 32);
}

void execute(const Gather& gather, u8* area) {
    u64 mask = 0;
    std::memcpy(&mask, area + kMasks + gather.mask * sizeof(mask), sizeof(mask));
    for (u32 k = 0; k < gather.count; ++k) {
        if ((mask >> k & 1U) == 0) {
            continue;
        }
        std::int64_t index = 0;
        const u8* const at = place_of(area, gather.indices, k * gather.index_bytes);
        if (gather.index_bytes == 4) {
            std::int32_t narrow = 0;
            std::memcpy(&narrow, at, sizeof(narrow));
            index = narrow;
        } else {
            std::memcpy(&index, at, sizeof(index));
        }
        u8* const memory = const_cast<u8*>(gather.base) + index * std::int64_t{gather.scale};
        u8* const value = place_of(area, gather.values, k * gather.value_bytes);
        std::memcpy(gather.is_scatter ? memory : value,
                    gather.is_scatter ? value : memory,
                    gather.value_bytes);
    }
    for (u32 byte = gather.count * gather.value_bytes; !gather.is_scatter && byte < kRegisterBytes;
         ++byte) {
        *place_of(area, gather.values, byte) = 0;
    }
    mask = 0;
    std::memcpy(area + kMasks + gather.mask * sizeof(mask), &mask, sizeof(mask));
}

void on_invalid(int /*signal_number*/, siginfo_t* /*info*/, void* context) {
    auto& frame = static_cast<ucontext_t*>(context)->uc_mcontext;
    const auto* const code = reinterpret_cast<const u8*>(frame.gregs[REG_RIP]);
    Gather gather;
    if (!decode(code, frame.gregs, gather)) {
        std::array<char, 96> text{};
        const int size = std::snprintf(text.data(),
                                       text.size(),
                                       "invalid instruction: %02x %02x %02x %02x %02x %02x %02x\n",
                                       code[0],
                                       code[1],
                                       code[2],
                                       code[3],
                                       code[4],
                                       code[5],
                                       code[6]);
        static_cast<void>(::write(STDERR_FILENO, text.data(), static_cast<std::size_t>(size)));
        ::_exit(kOtherInstruction);
    }
    auto* const area = reinterpret_cast<u8*>(frame.fpregs);
    fill_in(area);
    execute(gather, area);
    frame.gregs[REG_RIP] += gather.length;
}

using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);

Sigaction real_sigaction() {
    static const auto kReal = reinterpret_cast<Sigaction>(::dlsym(RTLD_NEXT, "sigaction"));
    return kReal;
}

[[gnu::constructor]] void begin() {
    struct sigaction action = {};
    action.sa_sigaction = on_invalid;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    real_sigaction()(SIGILL, &action, nullptr);
}

}  // namespace

// In place of the C library's: doctest would take SIGILL for a crash.
extern "C" int sigaction(int signal_number,
                         const struct sigaction* action,
                         struct sigaction* former) {
    if (signal_number == SIGILL && action != nullptr) {
        if (former != nullptr) {
            *former = {};
        }
        return 0;
    }
    return real_sigaction()(signal_number, action, former);
}
