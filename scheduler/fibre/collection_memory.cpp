#include "scheduler/fibre/collection_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

// Fibres put back by one take() for being twice in the packet; at more the packet leaves as it is.
constexpr u32 kMaxPutBack = 64;

u32 list_chunk_count(u32 list_capacity) {
    // Room for collections that are a third full on average.
    return list_capacity / 4 + 8;
}

u32 shorten(const CollectionKey& name) {
    u64 mixed = (u64{name.key.tag} << 32 | name.key.value) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
    mixed += u64{name.routine} * 2 + (name.has_payload ? 1 : 0);
    mixed *= 0xbf58476d1ce4e5b9u;
    return static_cast<u32>(mixed >> 32);
}

}  // namespace

CollectionMemory::CollectionMemory(const CollectionConfig& config)
    : config_(config),
      cells_(std::bit_ceil(std::size_t{config.collection_count} * 2 + 2)),
      collections_(std::size_t{config.spawned_capacity} + list_chunk_count(config.list_capacity)),
      spawned_chunks_(config.spawned_capacity, false),
      list_chunks_(list_chunk_count(config.list_capacity), true) {
    for (CollectionHeap& heap : gathering_) {
        heap = CollectionHeap(config.collection_count);
    }
    if (!is_allocated()) {
        return;
    }
    cell_mask_ = static_cast<u32>(cells_.size() - 1);
    for (Cell& cell : cells_.span()) {
        cell.collection = kNone;
    }
}

bool CollectionMemory::is_allocated() const {
    const bool has_heaps =
        std::all_of(gathering_.begin(), gathering_.end(), [](const CollectionHeap& heap) {
            return heap.is_allocated();
        });
    return has_heaps && cells_.is_allocated() && collections_.is_allocated() &&
           spawned_chunks_.is_allocated() && list_chunks_.is_allocated();
}

void CollectionMemory::set_rule(u32 routine, const GatherRule& rule) {
    ENSURE(rule.packet_max, >, 0u);
    rules_[routine] = rule;
}

bool CollectionMemory::has_room_for_list(u32 count) const {
    // A list may begin a chunk in each of two collections, where the first one reaches packet_max,
    // and every open collection may come to need one more when fibres are put back.
    const u64 chunks = u64{count} / kChunkEntries + 3 + list_open_count_ + 2;
    return u64{listed_waiting_} + count <= config_.list_capacity &&
           list_chunks_.free_count() >= chunks;
}

CollectionView CollectionMemory::view(const Collection& collection, u64 now) const {
    const auto count = static_cast<float>(std::max(1u, collection.fibre_count));
    return {.fibre_count = collection.fibre_count,
            .mean_priority = collection.priority_sum / count,
            .max_priority = collection.max_priority,
            .age_packets = now - collection.birth,
            .push_order = collection.push_order,
            .packet_fill = rules_[collection.name.routine].packet_fill};
}

void CollectionMemory::append(const CollectionKey& name,
                              std::span<const u32> elements,
                              std::span<const float> payload,
                              float priority,
                              u64 now) {
    const GatherRule& rule = rules_[name.routine];
    u32& waiting = name.has_payload ? listed_waiting_ : spawned_waiting_;
    waiting += static_cast<u32>(elements.size());
    max_listed_waiting_ = std::max(max_listed_waiting_, listed_waiting_);
    // More fibres wait than the cluster promised: an element has more than kMaxRoutines of them.
    ENSURE(spawned_waiting_, <=, config_.spawned_capacity);
    const float* numbers = payload.data();
    while (!elements.empty()) {
        const u32 index = find_or_open(name, now);
        Collection& collection = collections_[index];
        const u32 room = rule.packet_max - collection.fibre_count;
        const std::span<const u32> part =
            elements.first(std::min<std::size_t>(room, elements.size()));
        push(collection, part, numbers, now);
        collection.priority_sum += priority * static_cast<float>(part.size());
        collection.max_priority = std::max(collection.max_priority, priority);
        collection.push_order = ++push_count_;
        collection.is_ready = collection.fibre_count >= rule.packet_fill;
        rank(collection);
        gathering_[name.routine].restore(collections_, index);
        if (collection.fibre_count >= rule.packet_max) {
            leave_definition(index);
        }
        elements = elements.subspan(part.size());
        numbers += numbers ? part.size() : 0;
    }
}

void CollectionMemory::push(Collection& collection,
                            std::span<const u32> elements,
                            const float* payload,
                            u64 now) {
    ChunkPool& chunks = pool(collection);
    collection.fibre_count += static_cast<u32>(elements.size());
    std::size_t done = 0;
    while (done < elements.size()) {
        if (collection.tail_chunk == kNone || collection.tail_count == kChunkEntries) {
            const u32 chunk = chunks.take();
            ENSURE(chunk, !=, kNone);
            chunks[chunk].arrival = now;
            if (collection.tail_chunk == kNone) {
                collection.head_chunk = chunk;
                collection.head_taken = 0;
            } else {
                chunks[collection.tail_chunk].next = chunk;
            }
            collection.tail_chunk = chunk;
            collection.tail_count = 0;
        }
        const std::size_t count =
            std::min<std::size_t>(kChunkEntries - collection.tail_count, elements.size() - done);
        std::memcpy(chunks[collection.tail_chunk].elements + collection.tail_count,
                    elements.data() + done,
                    count * sizeof(u32));
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
    const u32 short_form = shorten(name);
    for (u32 at = short_form & cell_mask_;; at = (at + 1) & cell_mask_) {
        const Cell& cell = cells_[at];
        if (cell.collection == kNone) {
            return open(name, short_form, now);
        }
        if (cell.short_form == short_form && collections_[cell.collection].name == name) {
            return cell.collection;
        }
    }
}

u32 CollectionMemory::open(const CollectionKey& name, u32 short_form, u64 now) {
    if (defined_count_ == config_.collection_count) {
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
    collection = {};
    collection.name = name;
    collection.place = Place::Gathering;
    collection.head_chunk = kNone;
    collection.tail_chunk = kNone;
    collection.max_priority = -3.0e38f;
    collection.birth = now;
    u32 at = short_form & cell_mask_;
    while (cells_[at].collection != kNone) {
        at = (at + 1) & cell_mask_;
    }
    cells_[at] = {short_form, index};
    gathering_[name.routine].insert(collections_, index);
    link_youngest(index);
    ++defined_count_;
    list_open_count_ += name.has_payload ? 1u : 0u;
    max_open_count_ = std::max(max_open_count_, ++open_count_);
    return index;
}

void CollectionMemory::rank(Collection& collection) {
    const Policy policy = rules_[collection.name.routine].policy;
    collection.rank = standing(policy, view(collection, collection.birth)) -
                      age_gain(policy) * static_cast<double>(collection.birth);
}

void CollectionMemory::evict_one(u64 now) {
    u32 best = kNone;
    double best_score = 0;
    for (const CollectionHeap& heap : gathering_) {
        const u32 top = heap.top();
        if (top == kNone) {
            continue;
        }
        const double top_score = score(Policy::Balanced, view(collections_[top], now));
        if (best == kNone || top_score > best_score) {
            best = top;
            best_score = top_score;
        }
    }
    ENSURE(best, !=, kNone);
    ++evicted_count_;
    leave_definition(best);
}

void CollectionMemory::leave_definition(u32 index) {
    forget_key(index);
    Collection& collection = collections_[index];
    collection.place = Place::Leaving;
    collection.is_ready = true;
    ReadyStack& stack = leaving_[collection.name.routine];
    collection.leaves_before = stack.last;
    collection.leaves_after = kNone;
    (stack.last == kNone ? stack.first : collections_[stack.last].leaves_after) = index;
    stack.last = index;
}

// Takes a collection out of the hash and of its heap, closing the gap in the hash so that no mark
// is left behind.
void CollectionMemory::forget_key(u32 index) {
    const Collection& collection = collections_[index];
    gathering_[collection.name.routine].remove(collections_, index);
    --defined_count_;
    u32 hole = shorten(collection.name) & cell_mask_;
    while (cells_[hole].collection != index) {
        hole = (hole + 1) & cell_mask_;
    }
    for (u32 at = (hole + 1) & cell_mask_; cells_[at].collection != kNone;
         at = (at + 1) & cell_mask_) {
        // A cell may move back to the hole unless its own place lies after the hole.
        const u32 home = cells_[at].short_form & cell_mask_;
        if (((at - home) & cell_mask_) >= ((at - hole) & cell_mask_)) {
            cells_[hole] = cells_[at];
            hole = at;
        }
    }
    cells_[hole].collection = kNone;
}

void CollectionMemory::close(u32 index) {
    Collection& collection = collections_[index];
    if (collection.place == Place::Gathering) {
        forget_key(index);
    } else {
        unlink_ready(index);
    }
    unlink_age(index);
    collection.place = Place::Empty;
    collection.leaves_after = first_empty_;
    first_empty_ = index;
    --open_count_;
    list_open_count_ -= collection.name.has_payload ? 1u : 0u;
}

u32 CollectionMemory::leaving_next(u32 routine) const {
    const ReadyStack& stack = leaving_[routine];
    return rules_[routine].policy == Policy::DepthFirst ? stack.last : stack.first;
}

u32 CollectionMemory::best_ready(u64 now) const {
    u32 best = kNone;
    double best_score = 0;
    const auto propose = [&](u32 index) {
        const double its_score = score(Policy::Balanced, view(collections_[index], now));
        if (best == kNone || its_score > best_score) {
            best = index;
            best_score = its_score;
        }
    };
    for (u32 routine = 0; routine < kMaxRoutines; ++routine) {
        const u32 top = gathering_[routine].top();
        if (top != kNone && collections_[top].is_ready) {
            propose(top);
        }
        if (leaving_[routine].first != kNone) {
            propose(leaving_next(routine));
        }
    }
    return best;
}

u32 CollectionMemory::best_partial(u64 now) const {
    u32 best = kNone;
    double best_score = 0;
    for (const CollectionHeap& heap : gathering_) {
        const u32 top = heap.top();
        if (top == kNone || collections_[top].is_ready) {
            continue;
        }
        const double its_score = score(Policy::Balanced, view(collections_[top], now));
        if (best == kNone || its_score > best_score) {
            best = top;
            best_score = its_score;
        }
    }
    return best;
}

u32 CollectionMemory::take(u32 index,
                           u32 most,
                           FibreStorage& storage,
                           u32 packet_id,
                           u64 now,
                           u32* elements,
                           float* payload) {
    Collection& collection = collections_[index];
    ChunkPool& chunks = pool(collection);
    const bool has_payload = collection.name.has_payload;
    const float mean_priority =
        collection.priority_sum / static_cast<float>(collection.fibre_count);
    std::array<u32, kMaxPutBack> back;
    std::array<float, kMaxPutBack> back_payload;
    u32 taken = 0;
    u32 back_count = 0;
    while (collection.fibre_count > 0 && taken < most && back_count < kMaxPutBack) {
        const Chunk& chunk = chunks[collection.head_chunk];
        const float* const numbers = has_payload ? chunks.payload(collection.head_chunk) : nullptr;
        const bool is_last = collection.head_chunk == collection.tail_chunk;
        const u32 end = is_last ? collection.tail_count : kChunkEntries;
        const u32 begin = collection.head_taken;
        u32 at = begin;
        for (; at < end && taken < most && back_count < kMaxPutBack; ++at) {
            const bool is_new = storage.claim(chunk.elements[at], packet_id);
            (is_new ? elements[taken] : back[back_count]) = chunk.elements[at];
            if (has_payload) {
                (is_new ? payload[taken] : back_payload[back_count]) = numbers[at];
            }
            taken += is_new ? 1u : 0u;
            back_count += is_new ? 0u : 1u;
        }
        collection.head_taken = at;
        collection.fibre_count -= at - begin;
        if (at == end) {
            drop_head_chunk(collection);
        }
    }
    (has_payload ? listed_waiting_ : spawned_waiting_) -= taken;
    push(collection,
         std::span(back).first(back_count),
         has_payload ? back_payload.data() : nullptr,
         now);
    collection.priority_sum = mean_priority * static_cast<float>(collection.fibre_count);
    settle_after_take(index);
    return taken;
}

void CollectionMemory::drop_head_chunk(Collection& collection) {
    ChunkPool& chunks = pool(collection);
    const u32 emptied = collection.head_chunk;
    collection.head_chunk = chunks[emptied].next;
    collection.head_taken = 0;
    if (collection.head_chunk == kNone) {
        collection.tail_chunk = kNone;
        collection.tail_count = 0;
    }
    chunks.give(emptied);
}

// What is left goes on waiting in its right order, or the collection closes.
void CollectionMemory::settle_after_take(u32 index) {
    Collection& collection = collections_[index];
    if (collection.fibre_count == 0) {
        close(index);
        return;
    }
    const u64 birth = pool(collection)[collection.head_chunk].arrival;
    if (birth != collection.birth) {
        collection.birth = birth;
        // Move towards the younger end until in order again.
        u32 before = collection.younger;
        u32 after = kNone;
        while (before != kNone && collections_[before].birth < birth) {
            after = before;
            before = collections_[before].younger;
        }
        if (after != kNone) {
            unlink_age(index);
            collection.older = after;
            collection.younger = before;
            collections_[after].younger = index;
            (before == kNone ? youngest_ : collections_[before].older) = index;
        }
    }
    rank(collection);
    if (collection.place == Place::Gathering) {
        const GatherRule& rule = rules_[collection.name.routine];
        collection.is_ready = collection.fibre_count >= rule.packet_fill;
        gathering_[collection.name.routine].restore(collections_, index);
    }
}

void CollectionMemory::link_youngest(u32 index) {
    Collection& collection = collections_[index];
    collection.older = youngest_;
    collection.younger = kNone;
    (youngest_ == kNone ? oldest_ : collections_[youngest_].younger) = index;
    youngest_ = index;
}

void CollectionMemory::unlink_age(u32 index) {
    const Collection& collection = collections_[index];
    (collection.older == kNone ? oldest_ : collections_[collection.older].younger) =
        collection.younger;
    (collection.younger == kNone ? youngest_ : collections_[collection.younger].older) =
        collection.older;
}

void CollectionMemory::unlink_ready(u32 index) {
    const Collection& collection = collections_[index];
    ReadyStack& stack = leaving_[collection.name.routine];
    (collection.leaves_before == kNone ? stack.first
                                       : collections_[collection.leaves_before].leaves_after) =
        collection.leaves_after;
    (collection.leaves_after == kNone ? stack.last
                                      : collections_[collection.leaves_after].leaves_before) =
        collection.leaves_before;
}

void CollectionMemory::report(FibreCounters& counters) const {
    counters.evicted_collections = evicted_count_;
    counters.max_collections = std::max(counters.max_collections, u64{max_open_count_});
    counters.max_list_entries = std::max(counters.max_list_entries, u64{max_listed_waiting_});
    counters.storage_high_water_bytes += spawned_chunks_.high_water_bytes() +
                                         list_chunks_.high_water_bytes() + cells_.size_bytes() +
                                         u64{fresh_collection_} * sizeof(Collection);
}

}  // namespace weft::fibre
