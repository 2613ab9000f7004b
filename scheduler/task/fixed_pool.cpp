#include "scheduler/task/fixed_pool.h"

#include "scheduler/base/ensure.h"

namespace weft::task {

namespace {

// Takes one place from the reserve unless fewer than `kept` would be left.
bool take_down(std::atomic<u32>& free, u32 kept) {
    // Relaxed: only the number counts; the place itself is handed over through the list.
    u32 count = free.load(std::memory_order_relaxed);
    while (count > kept) {
        if (free.compare_exchange_weak(
                count, count - 1, std::memory_order_relaxed, std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

}  // namespace

FixedPool::FixedPool(const PoolConfig& config)
    : places_(config.places),
      levels_(config.levels),
      next_(std::make_unique<std::atomic<u32>[]>(config.places)),
      is_of_urgent_share_(std::make_unique<bool[]>(config.places)),
      head_(kNone),
      shared_free_(config.places - config.urgent_places),
      urgent_free_(config.urgent_places) {
    ENSURE(config.levels, >=, 1u);
    ENSURE(config.urgent_places, <, config.places);
    ENSURE(config.levels, <=, config.places - config.urgent_places);
    for (u32 place = places_; place-- > 0;) {
        push(place);
    }
}

u32 FixedPool::take(Want want) {
    ENSURE(want.level, <, levels_);
    const bool is_of_urgent = want.is_urgent && take_down(urgent_free_, kept_back(want));
    if (!is_of_urgent && !take_down(shared_free_, kept_back(want))) {
        return kNone;
    }
    const u32 place = pop();
    is_of_urgent_share_[place] = is_of_urgent;
    return place;
}

void FixedPool::give(u32 place) {
    std::atomic<u32>& share = is_of_urgent_share_[place] ? urgent_free_ : shared_free_;
    push(place);
    // After the push, so that the list always holds as many places as were counted. Sequentially
    // consistent: the giver looks for tasks that wait for room next, and such a task looks at the
    // count after it says that it waits; one of the two sees the other.
    share.fetch_add(1, std::memory_order_seq_cst);
}

bool FixedPool::has_room(Want want) const {
    // Pairs with give(), see there.
    return shared_free_.load(std::memory_order_seq_cst) > kept_back(want) ||
           (want.is_urgent && urgent_free_.load(std::memory_order_seq_cst) > kept_back(want));
}

u32 FixedPool::free_places() const {
    // Relaxed: a figure.
    return shared_free_.load(std::memory_order_relaxed) +
           urgent_free_.load(std::memory_order_relaxed);
}

u32 FixedPool::pop() {
    // Acquire pairs with the release in push(), also of places pushed earlier: every change of the
    // head is a read-modify-write, so each continues the release sequences of all before it.
    u64 head = head_.load(std::memory_order_acquire);
    for (;;) {
        const u32 place = static_cast<u32>(head);
        ENSURE(place, !=, kNone);  // the count was lowered before
        // Relaxed: the place may have been taken by now; then the tag differs and the exchange
        // fails.
        const u32 next = next_[place].load(std::memory_order_relaxed);
        const u64 popped = ((head >> 32) + 1) << 32 | next;
        if (head_.compare_exchange_weak(
                head, popped, std::memory_order_acquire, std::memory_order_acquire)) {
            return place;
        }
    }
}

void FixedPool::push(u32 place) {
    // Relaxed: only the tag and the place go into the next value; nothing is read through them.
    u64 head = head_.load(std::memory_order_relaxed);
    u64 pushed = 0;
    do {
        next_[place].store(static_cast<u32>(head), std::memory_order_relaxed);
        pushed = ((head >> 32) + 1) << 32 | place;
        // Release pairs with the acquire in pop().
    } while (!head_.compare_exchange_weak(
        head, pushed, std::memory_order_release, std::memory_order_relaxed));
}

}  // namespace weft::task
