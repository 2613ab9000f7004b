// table_work.h — the making of tables, cut into threads by data managers and run by clusters (F17).
//
// What is placed (instances, shining triangles) is the geometry manager's, what is computed
// (materials, rows of the environment) the compute manager's. Each worker drives a cluster; a
// thread's launches are numbers of its range, and its parent makes their entries and releases them.
// Entries are made independently of each other, so the number of workers changes no bit.
//
// One thread makes all calls. Workers are started when the first work is worth sharing.
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
    // Makes the entries [begin, end) and touches nothing else that others make.
    using Make = std::function<void(u64 begin, u64 end)>;

    explicit TableWork(u32 thread_count);
    ~TableWork();
    TableWork(const TableWork&) = delete;
    TableWork& operator=(const TableWork&) = delete;

    // Both return when all of [0, count) is made, in threads of `grain` numbers.
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
