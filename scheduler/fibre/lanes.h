// lanes.h — the form of a fibre routine (F1): written once over Lanes<N>, called for up to N fibres
// of a packet in lockstep under a mask.
//
// N = 1 is for debugging, 8 or 16 for the CPU, 32 for the emulated GPU; results must not depend on
// it. Every call issues N lanes, used or not, and counts them. LaneFloats is plain C++ that the
// compiler vectorises; routines with more to compute use their own vectors with Lanes<N>. Values of
// one call: no thread rules.
//
//     packet.elements  a b c d e f g   N = 4:  [a b c d] mask 1111, [e f g e] mask 0111
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/cluster.h"

namespace weft::fibre {

// One number per lane. Operations are lane by lane, the same in every lane whatever N is.
template <u32 N>
struct LaneFloats {
    static_assert(N == 1 || N == 4 || N == 8 || N == 16 || N == 32);
    alignas(N * sizeof(float)) std::array<float, N> lane{};

    LaneFloats() = default;

    LaneFloats(float all) { lane.fill(all); }  // NOLINT(google-explicit-constructor): 2 * x + 1

    friend LaneFloats operator+(const LaneFloats& left, const LaneFloats& right) {
        return by_lane(left, right, [](float a, float b) { return a + b; });
    }

    friend LaneFloats operator-(const LaneFloats& left, const LaneFloats& right) {
        return by_lane(left, right, [](float a, float b) { return a - b; });
    }

    friend LaneFloats operator*(const LaneFloats& left, const LaneFloats& right) {
        return by_lane(left, right, [](float a, float b) { return a * b; });
    }

    friend LaneFloats min(const LaneFloats& left, const LaneFloats& right) {
        return by_lane(left, right, [](float a, float b) { return b < a ? b : a; });
    }

    friend LaneFloats max(const LaneFloats& left, const LaneFloats& right) {
        return by_lane(left, right, [](float a, float b) { return a < b ? b : a; });
    }

    // Bit k: whether lane k of `left` is less.
    friend u64 operator<(const LaneFloats& left, const LaneFloats& right) {
        u64 mask = 0;
        for (u32 k = 0; k < N; ++k) {
            mask |= u64{left.lane[k] < right.lane[k]} << k;
        }
        return mask;
    }

    // `yes` in the lanes of the mask, `no` in the others.
    friend LaneFloats select(u64 mask, const LaneFloats& yes, const LaneFloats& no) {
        LaneFloats chosen;
        for (u32 k = 0; k < N; ++k) {
            chosen.lane[k] = (mask >> k & 1) != 0 ? yes.lane[k] : no.lane[k];
        }
        return chosen;
    }

private:
    template <typename Operation>
    static LaneFloats by_lane(const LaneFloats& left,
                              const LaneFloats& right,
                              Operation operation) {
        LaneFloats result;
        for (u32 k = 0; k < N; ++k) {
            result.lane[k] = operation(left.lane[k], right.lane[k]);
        }
        return result;
    }
};

// The fibres of one lane group.
template <u32 N>
struct Lanes {
    std::array<u32, N> element;  // lanes beyond the last fibre repeat the first: safe to read
    LaneFloats<N> payload;       // 0 where the packet has none
    u64 mask;                    // bit k: lane k has a fibre
    u32 count;                   // of fibres: lanes [0, count)
};

// table[index[k]] in every lane.
template <typename T, std::size_t N>
std::array<T, N> gather(const std::vector<T>& table, const std::array<u32, N>& index) {
    std::array<T, N> values;
    for (u32 k = 0; k < N; ++k) {
        values[k] = table[index[k]];
    }
    return values;
}

template <std::size_t N>
LaneFloats<static_cast<u32>(N)> gather(const std::vector<float>& table,
                                       const std::array<u32, N>& index) {
    LaneFloats<static_cast<u32>(N)> values;
    for (u32 k = 0; k < N; ++k) {
        values.lane[k] = table[index[k]];
    }
    return values;
}

// table[index[k]] = values in the lanes of the mask; their indices must be distinct (F18).
template <u32 N>
void scatter(std::vector<float>& table,
             const std::array<u32, std::size_t{N}>& index,
             const LaneFloats<N>& values,
             u64 mask) {
    for (u32 k = 0; k < N; ++k) {
        if ((mask >> k & 1) != 0) {
            table[index[k]] = values.lane[k];
        }
    }
}

// Fibres that go on together: filled from lanes, passed to rekey() or spawn() as a whole (F8).
struct LaneList {
    std::vector<u32> elements;
    std::vector<float> payload;

    // The lanes of the mask, in order, each with its number.
    template <u32 N>
    void append(const Lanes<N>& lanes, const LaneFloats<N>& numbers, u64 mask) {
        for (u32 k = 0; k < N; ++k) {
            if ((mask >> k & 1) != 0) {
                elements.push_back(lanes.element[k]);
                payload.push_back(numbers.lane[k]);
            }
        }
    }

    void clear() {
        elements.clear();
        payload.clear();
    }
};

// The lanes that run_in_lanes issued.
struct LaneCounters {
    u64 calls = 0;
    u64 lanes_issued = 0;  // calls × N
    u64 lanes_active = 0;  // of those, with a fibre
};

// Calls body(const Lanes<N>&) for the fibres of a packet, N at a time, in their order.
template <u32 N, typename Body>
void run_in_lanes(const Packet& packet, LaneCounters& counters, const Body& body) {
    const std::span<const u32> elements = packet.elements;
    DEBUG_ENSURE(packet.payload.empty() || packet.payload.size() == elements.size(), ==, true);
    for (std::size_t begin = 0; begin < elements.size(); begin += N) {
        const u32 count = static_cast<u32>(std::min(std::size_t{N}, elements.size() - begin));
        Lanes<N> lanes{
            .element = {}, .payload = {}, .mask = ~u64{0} >> (64 - count), .count = count};
        for (u32 k = 0; k < N; ++k) {
            const std::size_t from = begin + (k < count ? k : 0);
            lanes.element[k] = elements[from];
            lanes.payload.lane[k] = packet.payload.empty() ? 0.0f : packet.payload[from];
        }
        ++counters.calls;
        counters.lanes_issued += N;
        counters.lanes_active += count;
        body(lanes);
    }
}

// Without the count of lanes; the cluster counts them per routine anyway.
template <u32 N, typename Body>
void run_in_lanes(const Packet& packet, const Body& body) {
    LaneCounters unread;
    run_in_lanes<N>(packet, unread, body);
}

// A member function as RoutineDesc::run, its object being the context:
// run_member<Search, &Search::descend>.
template <typename T, void (T::*kBody)(const Packet& packet, Spawner& spawner)>
void run_member(void* context, const Packet& packet, Spawner& spawner) {
    (static_cast<T*>(context)->*kBody)(packet, spawner);
}

}  // namespace weft::fibre
