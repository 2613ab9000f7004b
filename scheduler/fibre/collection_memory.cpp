#include "scheduler/fibre/collection_memory.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

// Most conflicting fibres that one take() puts back; with more, the packet leaves as it is.
constexpr u32 kMaxPutBack = 64;

// Chunks of a collection that are fetched before their turn.
constexpr u32 kChunksAhead = 4;

// Fibres of one chunk. Without payload `payload` is null, as it is below.
struct Fibres {
    const u32* elements;
    const float* payload;
    u32 count;
};

struct Refused {
    std::array<u32, kMaxPutBack> elements;
    std::array<float, kMaxPutBack> payload;
    u32 count = 0;
};

// Copies at most a chunk of elements. Most chunks are full: a number that the compiler knows spares
// the call of memcpy.
void copy_elements(u32* to, const u32* from, std::size_t count) {
    if (count == kChunkEntries) {
        std::memcpy(to, from, kChunkEntries * sizeof(u32));
    } else {
        std::memcpy(to, from, count * sizeof(u32));
    }
}

// Both write fibres to `elements` and `payload` and return how many. copy() takes all.
u32 copy(const Fibres& fibres, u32* elements, float* payload) {
    copy_elements(elements, fibres.elements, fibres.count);
    if (payload) {
        std::memcpy(payload, fibres.payload, fibres.count * sizeof(float));
    }
    return fibres.count;
}

// Takes the fibres whose element the packet has not yet.
u32 claim(const Fibres& fibres,
          const Claimant& claimant,
          u32* elements,
          float* payload,
          Refused& refused) {
    u32 taken = 0;
    for (u32 at = 0; at < fibres.count; ++at) {
        const u32 element = fibres.elements[at];
        const float number = payload ? fibres.payload[at] : 0;
        // Refusals are rare: a predicted branch avoids a dependency between fibres.
        if (claimant.claim(element)) [[likely]] {
            elements[taken] = element;
            if (payload) {
                payload[taken] = number;
            }
            ++taken;
        } else {
            refused.elements[refused.count] = element;
            refused.payload[refused.count++] = number;
        }
    }
    return taken;
}

u32 list_chunk_count(u32 list_capacity) {
    // Room for collections that are a third full on average.
    return list_capacity / 4 + 8;
}

}  // namespace

CollectionMemory::CollectionMemory(const CollectionConfig& config)
    : config_(config),
      far_(config.collection_count),
      definitions_(config.collection_count),
      collections_(std::size_t{config.spawned_capacity} + list_chunk_count(config.list_capacity)),
      stale_(config.collection_count),
      spawned_chunks_(config.spawned_capacity, false),
      list_chunks_(list_chunk_count(config.list_capacity), true) {
    for (CollectionHeap& heap : gathering_) {
        heap = CollectionHeap(config.collection_count);
    }
}

bool CollectionMemory::is_allocated() const {
    const bool has_heaps =
        std::all_of(gathering_.begin(), gathering_.end(), [](const CollectionHeap& heap) {
            return heap.is_allocated();
        });
    return has_heaps && far_.is_allocated() && definitions_.is_allocated() &&
           stale_.is_allocated() && collections_.is_allocated() && spawned_chunks_.is_allocated() &&
           list_chunks_.is_allocated();
}

void CollectionMemory::set_rule(u32 routine, const GatherRule& rule) {
    ENSURE(rule.packet_max, >, 0u);
    rules_[routine] = rule;
}

bool CollectionMemory::has_room_for_list(u32 count) const {
    // A list may begin a chunk in each of two collections, if the first one reaches packet_max, and
    // every open collection may need one more chunk for fibres that are put back.
    const u64 chunks = u64{count} / kChunkEntries + 3 + list_open_count_ + 2;
    return u64{listed_waiting_} + count <= config_.list_capacity &&
           list_chunks_.free_count() >= chunks;
}

void CollectionMemory::append(const CollectionKey& name,
                              std::span<const u32> elements,
                              std::span<const float> payload,
                              const Arrival& arrival) {
    const GatherRule& rule = rules_[name.routine];
    u32 fill = rule.packet_fill;
    u32 most = rule.packet_max;
    // Count the fibres that wait. Far ones grow without bound, so that one fetch serves all.
    const auto count = static_cast<u32>(elements.size());
    if (name.has_payload) {
        listed_waiting_ += count;
        max_listed_waiting_ = std::max(max_listed_waiting_, listed_waiting_);
        if (is_far(name)) {
            far_waiting_ += count;
            fill = most = std::numeric_limits<u32>::max();
        }
    } else {
        spawned_waiting_ += count;
        // More fibres wait than the cluster promised: an element has more than kMaxRoutines of
        // them.
        ENSURE(spawned_waiting_, <=, config_.spawned_capacity);
    }
    const float* numbers = payload.data();
    while (!elements.empty()) {
        const u32 index = find_or_open(name, arrival.now);
        Collection& collection = collections_[index];
        const u32 room = most - collection.fibre_count;
        const std::span<const u32> part =
            elements.first(std::min<std::size_t>(room, elements.size()));
        push(collection, part, numbers, arrival.first_element, arrival.now);
        collection.priority_sum += arrival.priority * static_cast<float>(part.size());
        collection.max_priority = std::max(collection.max_priority, arrival.priority);
        collection.pressure_sum += arrival.pressure * static_cast<float>(part.size());
        collection.clusters |= u64{1} << arrival.cluster % 64;
        collection.has_repeats |= arrival.has_repeats;
        collection.push_order = ++push_count_;
        collection.is_ready = collection.fibre_count >= fill;
        grow_stale(index);
        if (collection.fibre_count >= most) {
            leave_definition(index);
        }
        elements = elements.subspan(part.size());
        numbers += numbers ? part.size() : 0;
    }
}

void CollectionMemory::push(Collection& collection,
                            std::span<const u32> elements,
                            const float* payload,
                            u32 first_element,
                            u64 now) {
    ChunkPool& chunks = pool(collection);
    collection.fibre_count += static_cast<u32>(elements.size());
    std::size_t done = 0;
    while (done < elements.size()) {
        if (collection.tail_chunk == kNone || collection.tail_count == kChunkEntries) {
            const u32 chunk = chunks.take(now);
            ENSURE(chunk, !=, kNone);
            if (collection.tail_chunk == kNone) {
                collection.head_chunk = chunk;
                collection.head_taken = 0;
            } else {
                chunks.link(collection.tail_chunk, chunk);
            }
            collection.tail_chunk = chunk;
            collection.tail_count = 0;
        }
        const std::size_t count =
            std::min<std::size_t>(kChunkEntries - collection.tail_count, elements.size() - done);
        u32* const places = chunks.ids(collection.tail_chunk) + collection.tail_count;
        copy_elements(places, elements.data() + done, count);
        if (first_element > 0) {
            for (std::size_t at = 0; at < count; ++at) {
                places[at] += first_element;
            }
        }
        if (payload) {
            std::memcpy(chunks.payload(collection.tail_chunk) + collection.tail_count,
                        payload + done,
                        count * sizeof(float));
        }
        collection.tail_count += static_cast<u32>(count);
        done += count;
    }
}

u32 CollectionMemory::find_or_open(const CollectionKey& name, u64 now) {
    const u32 found = definitions_.find(collections_, name);
    return found == kNone ? open(name, now) : found;
}

u32 CollectionMemory::open(const CollectionKey& name, u64 now) {
    if (definitions_.key_count() == config_.collection_count) {
        evict_one(now);
    }
    u32 index = first_empty_;
    if (index != kNone) {
        first_empty_ = collections_[index].leaves_after;
    } else {
        ENSURE(fresh_collection_, <, collections_.size());
        index = fresh_collection_++;
    }
    Collection& collection = collections_[index];
    // The order that the collection enters sets its links.
    collection.name = name;
    collection.place = Place::Gathering;
    collection.is_ready = false;
    collection.is_stale = false;
    collection.has_repeats = false;
    collection.fibre_count = 0;
    collection.head_chunk = kNone;
    collection.tail_chunk = kNone;
    collection.head_taken = 0;
    collection.tail_count = 0;
    collection.priority_sum = 0;
    collection.max_priority = -3.0e38f;
    collection.pressure_sum = 0;
    collection.clusters = 0;
    collection.birth = now;
    collection.push_order = 0;
    collection.rank = std::numeric_limits<double>::lowest();
    definitions_.insert(name, index);
    if (is_far(name)) {
        far_.open(collections_, index);
    } else {
        collection.distance = Distance::None;
        gathering_[name.routine].insert(collections_, index);
        ages_.push_youngest(collections_, index);
    }
    list_open_count_ += name.has_payload ? 1u : 0u;
    max_open_count_ = std::max(max_open_count_, ++open_count_);
    return index;
}

void CollectionMemory::leave_definition(u32 index) {
    Collection& collection = collections_[index];
    definitions_.erase(collection.name, index);
    if (collection.distance != Distance::None) {
        far_.evict(collections_, index);
    } else {
        gathering_[collection.name.routine].remove(collections_, index);
        leaving_[collection.name.routine].push(collections_, index);
    }
    collection.place = Place::Leaving;
    collection.is_ready = true;
}

void CollectionMemory::close(u32 index) {
    Collection& collection = collections_[index];
    if (collection.place == Place::Gathering) {
        definitions_.erase(collection.name, index);
    }
    if (collection.distance != Distance::None) {
        far_.close(collections_, index);
    } else {
        if (collection.place == Place::Gathering) {
            gathering_[collection.name.routine].remove(collections_, index);
        } else {
            leaving_[collection.name.routine].remove(collections_, index);
        }
        ages_.remove(collections_, index);
    }
    collection.place = Place::Empty;
    collection.leaves_after = first_empty_;
    first_empty_ = index;
    --open_count_;
    list_open_count_ -= collection.name.has_payload ? 1u : 0u;
}

u32 CollectionMemory::take(
    u32 index, u32 most, const Claimant& claimant, u64 now, u32* elements, float* payload) {
    // Keep the means, from which the sums are restored.
    Collection& collection = collections_[index];
    ChunkPool& chunks = pool(collection);
    const bool has_payload = collection.name.has_payload;
    const float count_before = static_cast<float>(collection.fibre_count);
    const float mean_priority = collection.priority_sum / count_before;
    const float mean_pressure = collection.pressure_sum / count_before;
    Refused refused;
    u32 taken = 0;
    u32 ahead = collection.head_chunk;
    for (u32 k = 0; k < kChunksAhead && ahead != kNone; ++k) {
        chunks.prefetch(ahead);
        ahead = chunks.next(ahead);
    }
    // Take fibres chunk by chunk; keep those that are refused aside.
    while (collection.fibre_count > 0 && taken < most && refused.count < kMaxPutBack) {
        const bool is_last = collection.head_chunk == collection.tail_chunk;
        if (ahead != kNone) {
            chunks.prefetch(ahead);
            ahead = chunks.next(ahead);
        }
        const u32 end = is_last ? collection.tail_count : kChunkEntries;
        const u32 begin = collection.head_taken;
        const u32 count = std::min({end - begin, most - taken, kMaxPutBack - refused.count});
        const Fibres fibres{chunks.ids(collection.head_chunk) + begin,
                            has_payload ? chunks.payload(collection.head_chunk) + begin : nullptr,
                            count};
        u32* const to = elements + taken;
        float* const numbers = has_payload ? payload + taken : nullptr;
        taken += collection.has_repeats ? claim(fibres, claimant, to, numbers, refused)
                                        : copy(fibres, to, numbers);
        collection.head_taken = begin + count;
        collection.fibre_count -= count;
        if (begin + count == end) {
            drop_head_chunk(collection);
        }
    }
    (has_payload ? listed_waiting_ : spawned_waiting_) -= taken;
    far_waiting_ -= collection.distance != Distance::None ? taken : 0;
    claimant.claims.count(taken, refused.count);
    // Put the refused fibres back, and restore the sums.
    push(collection,
         std::span(refused.elements).first(refused.count),
         has_payload ? refused.payload.data() : nullptr,
         0,
         now);
    collection.priority_sum = mean_priority * static_cast<float>(collection.fibre_count);
    collection.pressure_sum = mean_pressure * static_cast<float>(collection.fibre_count);
    settle_after_take(index);
    return taken;
}

void CollectionMemory::drop_head_chunk(Collection& collection) {
    ChunkPool& chunks = pool(collection);
    const u32 emptied = collection.head_chunk;
    collection.head_chunk = chunks.next(emptied);
    collection.head_taken = 0;
    if (collection.head_chunk == kNone) {
        collection.tail_chunk = kNone;
        collection.tail_count = 0;
    }
    chunks.give(emptied);
}

// Reorders the collection if fibres are left in it; otherwise closes it.
void CollectionMemory::settle_after_take(u32 index) {
    Collection& collection = collections_[index];
    if (collection.fibre_count == 0) {
        close(index);
        return;
    }
    const u64 birth = pool(collection).arrival(collection.head_chunk);
    if (collection.distance != Distance::None) {
        // A chosen one is in no order of age or rank.
        collection.birth = birth;
        return;
    }
    if (birth != collection.birth) {
        ages_.rejuvenate(collections_, index, birth);
    }
    rank(collection);
    if (collection.place == Place::Gathering) {
        const GatherRule& rule = rules_[collection.name.routine];
        collection.is_ready = collection.fibre_count >= rule.packet_fill;
        gathering_[collection.name.routine].restore(collections_, index);
    }
}

void CollectionMemory::report(FibreCounters& counters) const {
    counters.evicted_collections = evicted_count_;
    counters.max_collections = std::max(counters.max_collections, u64{max_open_count_});
    counters.max_list_entries = std::max(counters.max_list_entries, u64{max_listed_waiting_});
    counters.storage_high_water_bytes +=
        spawned_chunks_.high_water_bytes() + list_chunks_.high_water_bytes() +
        definitions_.size_bytes() + u64{fresh_collection_} * sizeof(Collection);
}

}  // namespace weft::fibre
