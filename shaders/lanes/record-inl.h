// record-inl.h — reads tables of records in lanes: each lane indexes a record, and each read loads
// one word of it, or four in a row, which is faster than two words.
//
// Packets are sorted by material, so lanes mostly share a record; then a word is loaded once and
// broadcast. The value is the same either way. Reads only.
#if defined(WEFT_SHADERS_RECORD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_RECORD_INL_H_
#        undef WEFT_SHADERS_RECORD_INL_H_
#    else
#        define WEFT_SHADERS_RECORD_INL_H_
#    endif

#    include <cstddef>

#    include "shaders/lanes/quads-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// One record per lane of a table of 32-bit words.
struct Records {
    const float* floats;  // the table
    const u32* words;     // the same
    Uint first;           // word at which the lane's record begins
    u32 shared_first;     // the same for lane 0
    bool is_shared;       // all lanes name one record
};

template <typename Record>
HWY_INLINE Records records_of(const Record* table, Uint index) {
    constexpr u32 kWords = sizeof(Record) / 4;
    const u32 lane0 = first_lane(index);
    return {reinterpret_cast<const float*>(table),
            reinterpret_cast<const u32*>(table),
            index * Uint(kWords),
            lane0 * kWords,
            is_uniform(index)};
}

// `offset` is the field's offsetof in bytes.
HWY_INLINE Float read_float(const Records& r, std::size_t offset) {
    const u32 word = static_cast<u32>(offset / 4);
    return r.is_shared ? Float(r.floats[r.shared_first + word])
                       : gather(r.floats, r.first + Uint(word));
}

HWY_INLINE Uint read_uint(const Records& r, std::size_t offset) {
    const u32 word = static_cast<u32>(offset / 4);
    return r.is_shared ? Uint(r.words[r.shared_first + word])
                       : gather(r.words, r.first + Uint(word));
}

HWY_INLINE Float3 read_float3(const Records& r, std::size_t offset) {
    return {read_float(r, offset), read_float(r, offset + 4), read_float(r, offset + 8)};
}

// The four words from `offset` on. The order of the record's fields decides which they are.
HWY_INLINE QuadLanes read_quad(const Records& r, std::size_t offset) {
    const u32* const words = r.words + offset / 4;
    if (r.is_shared) {
        const u32* const shared = words + r.shared_first;
        return {Uint(shared[0]), Uint(shared[1]), Uint(shared[2]), Uint(shared[3])};
    }
    alignas(64) u32 at[kLanes];
    store(r.first, at);
    return load_quad(words, at);
}

// Three or two floats in a row from word `index` of an arena.
HWY_INLINE Float3 gather3(const float* arena, Uint index) {
    return first_three(load_triple(reinterpret_cast<const u32*>(arena), index));
}

HWY_INLINE Float2 gather2(const float* arena, Uint index) {
    return {gather(arena, index), gather(arena, index + Uint(1u))};
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
