// claim_table.h — keeps two fibres that may write one location out of one lane group (F18).
//
// A fibre writes its own element and no other, so two fibres conflict if they have one element.
// Stores per element the id of the packet that claimed it last. Packet ids do not repeat, so the
// table is never cleared. A packet unit or a cluster owns and guards it.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::fibre {

// Statistics (F18, F19).
struct ClaimCounters {
    u64 granted = 0;  // fibres that left a collection or a row of the input buffer
    u64 refused = 0;  // fibres that stayed behind: the packet had their element already

    void add(const ClaimCounters& other) {
        granted += other.granted;
        refused += other.refused;
    }
};

class ClaimTable {
public:
    explicit ClaimTable(u32 element_count) : packet_of_(element_count) {}

    [[nodiscard]] bool is_allocated() const { return packet_of_.is_allocated(); }

    [[nodiscard]] u64 size_bytes() const { return packet_of_.size_bytes(); }

    // Claims an element for the packet; false if the packet already has it.
    bool claim(u32 element, u32 packet_id) {
        const bool is_new = packet_of_[element] != packet_id;
        packet_of_[element] = packet_id;
        return is_new;
    }

    // Counts the claims of a packet, for whoever made them.
    void count(u32 granted, u32 refused) { counters_.add({granted, refused}); }

    [[nodiscard]] const ClaimCounters& counters() const { return counters_; }

private:
    ClaimCounters counters_;
    base::PageArray<u32> packet_of_;
};

// A packet that is being filled, and the table that knows its elements.
struct Claimant {
    ClaimTable& claims;
    u32 packet_id = 0;

    [[nodiscard]] bool claim(u32 element) const { return claims.claim(element, packet_id); }
};

}  // namespace weft::fibre
