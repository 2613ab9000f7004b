// chunk_pool.h — a fixed pool of chunks that hold the waiting fibres of collections.
//
// A collection is a chain of chunks, filled at the tail and emptied at the head, so its fibres
// leave in order of arrival. A chunk of ids is one cache line; the payloads of re-keyed fibres lie
// in a second array, which stays untouched without payloads. Nothing is allocated
// after construction, and untouched chunks cost no memory. One cluster owns it.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::fibre {

inline constexpr u32 kChunkEntries = 13;

struct alignas(64) Chunk {
    u64 arrival;  // number of the packet that ran when its first entry came
    u32 next;     // kNone at the tail
    u32 elements[kChunkEntries];
};

static_assert(sizeof(Chunk) == 64);

struct PayloadRow {
    float value[kChunkEntries];
};

class ChunkPool {
public:
    ChunkPool(u32 chunk_count, bool has_payload)
        : chunks_(chunk_count),
          payload_(has_payload ? chunk_count : 0),
          has_payload_(has_payload) {}

    [[nodiscard]] bool is_allocated() const {
        return chunks_.is_allocated() && (!has_payload_ || payload_.is_allocated());
    }

    [[nodiscard]] u32 free_count() const { return static_cast<u32>(chunks_.size()) - used_; }

    // Bytes of the chunks that were in use at once, at most.
    [[nodiscard]] u64 high_water_bytes() const {
        return u64{fresh_} * (sizeof(Chunk) + (has_payload_ ? sizeof(PayloadRow) : 0));
    }

    // A chunk with no successor, or kNone where all are in use.
    u32 take() {
        if (first_free_ != kNone) {
            const u32 chunk = first_free_;
            first_free_ = chunks_[chunk].next;
            chunks_[chunk].next = kNone;
            ++used_;
            return chunk;
        }
        if (fresh_ == chunks_.size()) {
            return kNone;
        }
        chunks_[fresh_].next = kNone;
        ++used_;
        return fresh_++;
    }

    void give(u32 chunk) {
        chunks_[chunk].next = first_free_;
        first_free_ = chunk;
        --used_;
    }

    Chunk& operator[](u32 chunk) { return chunks_[chunk]; }

    const Chunk& operator[](u32 chunk) const { return chunks_[chunk]; }

    // Fetches a chunk into the cache, with its payload.
    void prefetch(u32 chunk) {
        __builtin_prefetch(&chunks_[chunk]);
        if (has_payload_) {
            __builtin_prefetch(&payload_[chunk]);
        }
    }

    [[nodiscard]] float* payload(u32 chunk) { return payload_[chunk].value; }

private:
    base::PageArray<Chunk> chunks_;
    base::PageArray<PayloadRow> payload_;
    bool has_payload_;
    u32 used_ = 0;
    u32 fresh_ = 0;  // chunks from here on were never used
    u32 first_free_ = kNone;
};

}  // namespace weft::fibre
