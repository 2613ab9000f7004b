// claim_table.h — who is in the packet that is being made, so that no two fibres that may write one
// location get into one lane group (F18).
//
// One number per element, and one per thread: the packet it was in last. Nothing is ever cleared,
// because packet ids do not repeat. Belongs to a packet unit or to a cluster, and is guarded with
// it.
#pragma once

#include <span>

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"
#include "scheduler/fibre/routine.h"

namespace weft::fibre {

class ClaimTable {
public:
    ClaimTable(u32 element_count, u32 thread_count)
        : element_count_(element_count), packet_of_(std::size_t{element_count} + thread_count) {}

    [[nodiscard]] bool is_allocated() const { return packet_of_.is_allocated(); }

    [[nodiscard]] u64 size_bytes() const { return packet_of_.size_bytes(); }

    // Marks an element as being in the packet; false where it already was.
    bool claim(u32 element, u32 packet_id) {
        const bool is_new = packet_of_[element] != packet_id;
        packet_of_[element] = packet_id;
        return is_new;
    }

    // The same for a thread.
    bool claim_thread(u32 thread, u32 packet_id) {
        return claim(element_count_ + thread, packet_id);
    }

private:
    u32 element_count_;
    base::PageArray<u32> packet_of_;
};

// How fibres of one routine get into one packet.
struct Entrance {
    ClaimTable& claims;
    std::span<const u32> thread_of{};  // by element
    u32 first_thread = 0;              // number of the first thread that the table knows
    u32 packet_id = 0;
    Writes writes = Writes::OwnElement;

    // Whether the fibre may be in the packet; it then is.
    bool admit(u32 element) const {
        if (writes == Writes::OwnThread) {
            return claims.claim_thread(thread_of[element] - first_thread, packet_id);
        }
        return claims.claim(element, packet_id);
    }
};

}  // namespace weft::fibre
