// collection.h — fibres of equal routine and key that wait to leave together (F8), with their links
// in several orders.
//
// Each collection is in exactly one place:
//
//     Empty --first fibre--> Gathering --evicted, or at packet_max--> Leaving --last fibre taken-->
//     Empty
//                                 `---------------last fibre taken------------------------------->
//                                 Empty
//
// Gathering ones are in the definition memory: found by key, still growing, best first in a heap
// for their routine. Leaving ones cannot be found any more and stand in the routine's ready stack.
// All are in one list by age, but for far ones, which far_order.h orders.
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/fibre/fibre_key.h"

namespace weft::fibre {

enum class Place : u8 {
    Empty,
    Gathering,
    Leaving,
};

// Where the data of a collection's key are (far_order.h). From Refused on it is chosen.
enum class Distance : u8 {
    None,     // nobody fetches them: they are always near
    Far,      // not asked for yet
    Refused,  // asked for, and not coming
    Coming,   // being fetched
    Near,     // near without a fetch for this collection
    Fetched,  // near after one
};

// Fibres of equal CollectionKey gather. Fibres with a payload never gather with fibres without.
struct CollectionKey {
    u32 routine = 0;
    Key key;
    bool has_payload = false;
    friend bool operator==(const CollectionKey&, const CollectionKey&) = default;
};

struct Collection {
    CollectionKey name;
    Place place;
    bool is_ready;  // has packet_fill fibres, or was evicted
    bool is_stale;  // has grown since its rank was computed, and is in the list of stale ones
    Distance distance;
    bool has_repeats;  // two of its fibres may have one element
    u32 fibre_count;
    u32 head_chunk;
    u32 tail_chunk;
    u32 head_taken;     // entries of the head chunk that have left
    u32 tail_count;     // entries of the tail chunk that are filled
    u32 heap_position;  // Gathering only
    float priority_sum;
    float max_priority;
    float pressure_sum;  // of local memory, over its fibres at their arrival (F11)
    u64 clusters;        // bit c % 64: may have fibres of cluster c
    u64 birth;           // packet number at the arrival of its oldest fibre
    u64 push_order;
    double rank;  // standing − age_gain · birth: orders collections of one routine at any time
    u32 older, younger;  // list by birth: of all that are not far, or of far ones not chosen
    // Ready stack, or an order of chosen ones; leaves_after also links Empty ones.
    u32 leaves_before, leaves_after;
};

inline bool is_chosen(const Collection& collection) {
    return collection.distance >= Distance::Refused;
}

inline bool is_near(const Collection& collection) {
    return collection.distance >= Distance::Near;
}

}  // namespace weft::fibre
