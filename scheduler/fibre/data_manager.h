// data_manager.h — cuts a kind of work into threads and feeds the clusters with them (F17).
//
// One per kind of work: its pixels and samples, its rays, its index ranges, its triangles are
// ranges of numbers here. A range waits in a queue of fixed size until clusters take pieces of it,
// each a thread of the coarse scheduler: a cluster whose table is full refuses, and the piece stays
// for whoever asks next (back-pressure). Pieces never overlap, and a thread lives on one cluster:
// so ranges that threads write are spread over the clusters and need no lock (F18).
//
// Any thread may make any call: one lock, never held while a cluster is called. Callers feed from
// the threads that drive the clusters, between steps.
//
//     give(range) --> queue --cut at `grain`--> thread --submit--> Taken --> finished(user)
//                       ^                                 `--Full--> back to the queue
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/coarse_scheduler.h"

namespace weft::fibre {

// What the numbers of its ranges are.
enum class DataKind : u32 {
    Camera,    // samples: pixel × samples per pixel + sample
    Ray,       // given rays, by number
    Compute,   // indices of whatever is computed: results to be resolved, entries of a table
    Geometry,  // triangles or instances to be placed
};

inline constexpr u32 kDataKinds = 4;

std::string_view data_kind_name(DataKind kind);  // "camera", "ray", "compute", "geometry"

// What ThreadDesc::user says of a thread that was cut here: launch k is number begin + k.
struct Piece {
    DataKind kind = DataKind::Compute;
    u64 begin = 0;  // below 2^60

    [[nodiscard]] u64 user() const;
    static Piece of(u64 user);
};

// Numbers [begin, end) to be worked through, and how.
struct WorkRange {
    u64 begin = 0;
    u64 end = 0;                 // below 2^60
    u64 grain = 4096;            // numbers per thread; at least 1
    u32 elements_at_once = 1;    // that each of its threads declares
    float priority = 0;          // of its threads: more urgent ranges are cut first
    bool writes_numbers = true;  // each thread writes what its own numbers name: its WriteRange
};

struct DataCounters {
    u64 ranges_given = 0;
    u64 ranges_urgent = 0;   // of those, with a priority above 0
    u64 ranges_refused = 0;  // the queue was full
    u64 threads_made = 0;    // cut, and taken by a cluster
    u64 threads_waited = 0;  // of those, were refused by some cluster at least once
    u64 back_pressure = 0;   // refusals by clusters
    u64 threads_finished = 0;
    u64 numbers_taken = 0;                // launches that are or were some cluster's
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

    // Submits up to `most` threads to a cluster: whatever has Admission submit(const ThreadDesc&).
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

    // A thread that was cut here has finished. For one of a cluster that was lost: give its numbers
    // again before.
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
