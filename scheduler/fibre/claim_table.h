// claim_table.h — keeps two fibres that may write one location out of one lane group (F18).
//
// Stores per element and per thread the id of the packet that claimed it last. Packet ids do not
// repeat, so the table is never cleared. A packet unit or a cluster owns and guards it.
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

    // Claims an element for the packet; false if the packet already has it.
    bool claim(u32 element, u32 packet_id) {
        const bool is_new = packet_of_[element] != packet_id;
        packet_of_[element] = packet_id;
        return is_new;
    }

    // Claims a thread for the packet.
    bool claim_thread(u32 thread, u32 packet_id) {
        return claim(element_count_ + thread, packet_id);
    }

private:
    u32 element_count_;
    base::PageArray<u32> packet_of_;
};

// Admits fibres of one routine to one packet.
struct Entrance {
    ClaimTable& claims;
    std::span<const u32> thread_of{};  // by element
    u32 first_thread = 0;              // number of the first thread that the table knows
    u32 packet_id = 0;
    Writes writes = Writes::OwnElement;

    // True: the fibre may join the packet, and is claimed for it.
    bool admit(u32 element) const {
        if (writes == Writes::OwnThread) {
            return claims.claim_thread(thread_of[element] - first_thread, packet_id);
        }
        return claims.claim(element, packet_id);
    }
};

}  // namespace weft::fibre
