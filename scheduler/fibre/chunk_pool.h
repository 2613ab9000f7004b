// chunk_pool.h — a fixed pool of chunks that hold the waiting fibres of collections.
//
// A collection is a chain of chunks, filled at the tail and emptied at the head, so its fibres
// leave in order of arrival. A chunk is one cache line of ids. What links chunks lies apart, and so
// do the payloads of re-keyed fibres: nobody has to wait for a line of ids in order to find the
// next one, or to fill it. Nothing is allocated after construction, and untouched chunks cost no
// memory. One cluster owns it.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::fibre {

inline constexpr u32 kChunkEntries = 16;

class ChunkPool {
public:
    ChunkPool(u32 chunk_count, bool has_payload)
        : ids_(chunk_count),
          links_(chunk_count),
          payload_(has_payload ? chunk_count : 0),
          free_(chunk_count),
          has_payload_(has_payload) {}

    [[nodiscard]] bool is_allocated() const {
        return ids_.is_allocated() && links_.is_allocated() && free_.is_allocated() &&
               (!has_payload_ || payload_.is_allocated());
    }

    [[nodiscard]] u32 free_count() const {
        return static_cast<u32>(ids_.size()) - fresh_ + returned_;
    }

    // Bytes of the chunks that were in use at once, at most.
    [[nodiscard]] u64 high_water_bytes() const {
        return u64{fresh_} *
               (sizeof(Ids) + sizeof(Link) + sizeof(u32) + (has_payload_ ? sizeof(Payload) : 0));
    }

    // A chunk with no successor, or kNone where all are in use. Its first entry comes now.
    u32 take(u64 now) {
        if (returned_ == 0 && fresh_ == ids_.size()) {
            return kNone;
        }
        const u32 chunk = returned_ > 0 ? free_[--returned_] : fresh_++;
        links_[chunk] = {now, kNone};
        return chunk;
    }

    void give(u32 chunk) { free_[returned_++] = chunk; }

    [[nodiscard]] u32* ids(u32 chunk) { return ids_[chunk].id; }

    [[nodiscard]] float* payload(u32 chunk) { return payload_[chunk].number; }

    // Number of the packet that ran when its first entry came.
    [[nodiscard]] u64 arrival(u32 chunk) const { return links_[chunk].arrival; }

    // The next chunk of its chain; kNone at the tail.
    [[nodiscard]] u32 next(u32 chunk) const { return links_[chunk].next; }

    void link(u32 chunk, u32 next) { links_[chunk].next = next; }

    // Fetches a chunk into the cache, with its payload.
    void prefetch(u32 chunk) {
        __builtin_prefetch(&ids_[chunk]);
        if (has_payload_) {
            __builtin_prefetch(&payload_[chunk]);
        }
    }

private:
    struct alignas(64) Ids {
        u32 id[kChunkEntries];
    };

    struct alignas(64) Payload {
        float number[kChunkEntries];
    };

    struct Link {
        u64 arrival;
        u32 next;
    };

    base::PageArray<Ids> ids_;
    base::PageArray<Link> links_;
    base::PageArray<Payload> payload_;
    base::PageArray<u32> free_;  // a stack, [0, returned_): chunks that were given back
    bool has_payload_;
    u32 returned_ = 0;
    u32 fresh_ = 0;  // chunks from here on were never used
};

}  // namespace weft::fibre
