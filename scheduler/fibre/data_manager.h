// data_manager.h — cuts one kind of work into threads and feeds them to clusters (F17).
//
// Samples, rays, indices and triangles are ranges of numbers here. A range waits in a queue of
// fixed size until clusters take pieces of it, each as a thread of the coarse scheduler. A cluster
// with a full table refuses, and the piece waits for the next cluster (back-pressure). Pieces never
// overlap, a thread's WriteRange is its numbers, and a thread stays on one cluster: what is written
// by number needs no lock (F18).
//
// Any OS thread may call; the lock is never held during a call of a cluster. Feed from the OS
// threads that drive the clusters, between steps.
//
//     give(range) --> queue --cut at `grain`--> thread --submit--> Taken --> finished(user)
//                       ^                                 `--Full--> back to the queue
#pragma once

#include <mutex>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/coarse_scheduler.h"

namespace weft::fibre {

// The meaning of the numbers.
enum class DataKind : u32 {
    Camera,    // samples: pixel × samples per pixel + sample
    Ray,       // given rays
    Compute,   // indices of results: entries of a table
    Geometry,  // triangles or instances
};

inline constexpr u32 kDataKinds = 4;

// ThreadDesc::user of a thread from here: launch k is number begin + k.
struct Piece {
    DataKind kind = DataKind::Compute;
    u64 begin = 0;  // below 2^60

    [[nodiscard]] u64 user() const;
    static Piece of(u64 user);
};

// Numbers [begin, end) of work.
struct WorkRange {
    u64 begin = 0;
    u64 end = 0;               // below 2^60
    u64 grain = 4096;          // numbers per thread; at least 1
    u32 elements_at_once = 1;  // declared by each of its threads
    float priority = 0;        // of its threads: more urgent ranges are cut first
};

struct DataCounters {
    u64 ranges_given = 0;
    u64 ranges_urgent = 0;   // of those, with a priority above 0
    u64 ranges_refused = 0;  // the queue was full
    u64 threads_made = 0;    // cut, and taken by a cluster
    u64 threads_waited = 0;  // of those, refused by some cluster at least once
    u64 back_pressure = 0;   // refusals by clusters
    u64 threads_finished = 0;
    u64 numbers_taken = 0;                // launches taken by clusters
    u64 max_waiting = 0;                  // ranges that waited at once
    void add(const DataCounters& other);  // sums, and maxima of maxima
};

// How feeding ended.
enum class Feed {
    Drained,       // nothing is left to be cut
    More,          // as many threads as asked for were taken
    BackPressure,  // the cluster's table is full
    TooLarge,      // a thread declares more elements than the cluster has; it waits for another
};

class DataManager {
public:
    // `capacity` ranges may wait at once; at most `cluster_count` clusters are fed at once.
    DataManager(DataKind kind, u32 capacity, u32 cluster_count);
    DataManager(const DataManager&) = delete;
    DataManager& operator=(const DataManager&) = delete;

    [[nodiscard]] DataKind kind() const { return kind_; }

    // False, with nothing recorded, where the queue is full. A range must not be empty.
    [[nodiscard]] bool give(const WorkRange& range);

    // Submits up to `most` threads to a cluster, any type with Admission submit(const ThreadDesc&).
    template <typename Cluster>
    Feed feed(Cluster& cluster, u32 most) {
        for (u32 made = 0; made < most; ++made) {
            Waiting piece;
            if (!cut(piece)) {
                return Feed::Drained;
            }
            const Admission admission = cluster.submit(thread_of(piece.range));
            settle(piece, admission);
            if (admission != Admission::Taken) {
                return admission == Admission::Full ? Feed::BackPressure : Feed::TooLarge;
            }
        }
        return Feed::More;
    }

    // A thread from here has finished. For a thread of a lost cluster, give its numbers again
    // first.
    void finished();

    // Nothing waits, and every thread that was taken has finished.
    [[nodiscard]] bool is_done() const;

    [[nodiscard]] DataCounters counters() const;

private:
    struct Waiting {
        WorkRange range;
        u64 order = 0;            // of arrival
        bool has_waited = false;  // a piece that some cluster refused
    };

    [[nodiscard]] ThreadDesc thread_of(const WorkRange& piece) const;
    [[nodiscard]] bool cut(Waiting& piece);
    void settle(const Waiting& piece, Admission admission);
    void insert(const Waiting& waiting);

    const DataKind kind_;
    const u32 capacity_;
    const u32 cluster_count_;
    mutable std::mutex mutex_;
    std::vector<Waiting> waiting_;  // by priority, then arrival; fixed room for capacity_ ranges
                                    // and cluster_count_ refused pieces
    u32 asked_ = 0;                 // pieces that are with clusters to be taken or refused
    DataCounters counters_;
};

}  // namespace weft::fibre
