// table_work.h — computes entries of tables in threads that data managers cut and clusters run
// (F17).
//
// The geometry manager serves instances and emissive triangles, the compute manager materials and
// rows of the environment. Each worker drives a cluster; a thread's launches are the indices of its
// range, and the parent routine makes their entries and releases them. Entries are independent of
// each other, so the number of workers changes no bit.
//
// One thread makes all calls. Workers start with the first work that is worth sharing.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/data_manager.h"
#include "scheduler/unit/worker_pool.h"

namespace weft::trace {

class TableWork {
public:
    // Makes the entries [begin, end), and writes nothing else.
    using Make = std::function<void(u64 begin, u64 end)>;

    explicit TableWork(u32 thread_count);
    ~TableWork();
    TableWork(const TableWork&) = delete;
    TableWork& operator=(const TableWork&) = delete;

    // Make all entries of [0, count) in threads of `grain` entries, and return when all are made.
    void place(u64 count, u64 grain, const Make& make) { run(geometry_, count, grain, make); }

    void compute(u64 count, u64 grain, const Make& make) { run(compute_, count, grain, make); }

    [[nodiscard]] fibre::DataCounters geometry() const { return geometry_.counters(); }

    [[nodiscard]] fibre::DataCounters computed() const { return compute_.counters(); }

private:
    struct Maker;  // a cluster

    void run(fibre::DataManager& manager, u64 count, u64 grain, const Make& make);

    u32 thread_count_;
    fibre::DataManager geometry_;
    fibre::DataManager compute_;
    std::vector<std::unique_ptr<Maker>> makers_;  // by worker; the first also serves the caller
    std::unique_ptr<unit::WorkerPool> maybe_pool_;
};

}  // namespace weft::trace
