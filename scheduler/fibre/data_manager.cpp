#include "scheduler/fibre/data_manager.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

constexpr u64 kNumberLimit = u64{1} << 60;  // the kind stands above

u64 size_of(const WorkRange& range) {
    return range.end - range.begin;
}

}  // namespace

u64 Piece::user() const {
    return u64{static_cast<u32>(kind)} * kNumberLimit + begin;
}

Piece Piece::of(u64 user) {
    return {.kind = static_cast<DataKind>(user / kNumberLimit), .begin = user % kNumberLimit};
}

void DataCounters::add(const DataCounters& other) {
    ranges_given += other.ranges_given;
    ranges_urgent += other.ranges_urgent;
    ranges_refused += other.ranges_refused;
    threads_made += other.threads_made;
    threads_waited += other.threads_waited;
    back_pressure += other.back_pressure;
    threads_finished += other.threads_finished;
    numbers_taken += other.numbers_taken;
    max_waiting = std::max(max_waiting, other.max_waiting);
}

DataManager::DataManager(DataKind kind, u32 capacity, u32 cluster_count)
    : kind_(kind), capacity_(capacity), cluster_count_(cluster_count) {
    ENSURE(cluster_count, >, 0u);
    waiting_.reserve(std::size_t{capacity} + cluster_count);
}

bool DataManager::give(const WorkRange& range) {
    ENSURE(range.begin, <, range.end);
    ENSURE(range.end, <=, kNumberLimit);
    ENSURE(range.grain, >, 0u);
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + asked_ >= capacity_) {
        ++counters_.ranges_refused;
        return false;
    }
    counters_.ranges_urgent += range.priority > 0 ? 1 : 0;
    insert({.range = range, .order = counters_.ranges_given++});
    counters_.max_waiting = std::max(counters_.max_waiting, u64{waiting_.size()});
    return true;
}

// Inserts by order; refused pieces precede the range that they were cut from.
void DataManager::insert(const Waiting& waiting) {
    const auto goes_before = [](const Waiting& left, const Waiting& right) {
        if (left.range.priority != right.range.priority) {
            return left.range.priority > right.range.priority;
        }
        return left.order != right.order ? left.order < right.order
                                         : left.range.begin < right.range.begin;
    };
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), waiting, goes_before),
                    waiting);
}

// Takes the first piece out of the queue. If a refused piece would have no room beside the rest of
// its range, takes the first entry that is a whole piece; one exists unless more pieces are out
// than there are clusters.
bool DataManager::cut(Waiting& piece) {
    const std::lock_guard lock(mutex_);
    const bool may_split = waiting_.size() + asked_ < std::size_t{capacity_} + cluster_count_;
    for (auto waiting = waiting_.begin(); waiting != waiting_.end(); ++waiting) {
        const u64 count = std::min(size_of(waiting->range), waiting->range.grain);
        const bool is_whole = count == size_of(waiting->range);
        if (is_whole || may_split) {
            piece = *waiting;
            piece.range.end = piece.range.begin + count;
            waiting->range.begin += count;
            if (is_whole) {
                waiting_.erase(waiting);
            }
            ++asked_;
            return true;
        }
    }
    return false;
}

ThreadDesc DataManager::thread_of(const WorkRange& piece) const {
    const u64 count = size_of(piece);
    const u64 user = Piece{.kind = kind_, .begin = piece.begin}.user();
    return {.launch_count = count,
            .elements_at_once = static_cast<u32>(std::min(u64{piece.elements_at_once}, count)),
            .priority = piece.priority,
            .user = user,
            .range = {.begin = user, .end = user + count}};  // kinds never meet
}

void DataManager::settle(const Waiting& piece, Admission admission) {
    const std::lock_guard lock(mutex_);
    --asked_;
    if (admission == Admission::Taken) {
        ++counters_.threads_made;
        counters_.threads_waited += piece.has_waited ? 1 : 0;
        counters_.numbers_taken += size_of(piece.range);
        return;
    }
    ++counters_.back_pressure;
    Waiting refused = piece;
    refused.has_waited = true;
    insert(refused);
}

void DataManager::finished() {
    const std::lock_guard lock(mutex_);
    ++counters_.threads_finished;
}

bool DataManager::is_done() const {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && asked_ == 0 && counters_.threads_made == counters_.threads_finished;
}

DataCounters DataManager::counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
}

}  // namespace weft::fibre
