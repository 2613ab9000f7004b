#include "engine/trace/table_work.h"

#include <algorithm>
#include <stop_token>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

constexpr u32 kThreadsAtOnce = 2;  // of one cluster
constexpr u32 kElements = 256;     // launches in flight

fibre::ClusterConfig cluster_config() {
    fibre::ClusterConfig cluster;
    cluster.element_count = kElements;
    cluster.collection_count = 8;
    cluster.list_capacity = 8;
    cluster.admit_batch = kElements;
    cluster.thread_capacity = kThreadsAtOnce;
    return cluster;
}

}  // namespace

struct TableWork::Maker {
    fibre::Cluster cluster;
    fibre::DataManager* manager = nullptr;  // set while run() runs, like make
    const Make* make = nullptr;

    Maker() : cluster(cluster_config()) {
        ENSURE(cluster.is_allocated(), ==, true);
        fibre::RoutineDesc desc;
        desc.name = "tables";
        desc.run = parent;
        desc.context = this;
        desc.packet_max = kElements;
        cluster.declare(desc);
        cluster.set_finished(
            [](void* context, u64 /*user*/) { static_cast<Maker*>(context)->manager->finished(); },
            this);
    }

    // The launches of a packet are consecutive.
    static void parent(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
        const u64 begin = fibre::Piece::of(packet.user).begin + packet.first_launch;
        (*static_cast<Maker*>(context)->make)(begin, begin + packet.elements.size());
        spawner.release(packet.elements);
    }

    // Runs until the manager is drained. The cluster has room for the threads it is fed.
    void run(fibre::DataManager& from, const Make& what) {
        manager = &from;
        make = &what;
        fibre::Feed fed = fibre::Feed::More;
        while (fed != fibre::Feed::Drained) {
            fed = from.feed(cluster, kThreadsAtOnce);
            cluster.run();
        }
    }
};

TableWork::TableWork(u32 thread_count)
    : thread_count_(std::max(1U, thread_count)),
      geometry_(fibre::DataKind::Geometry, 1, thread_count_),
      compute_(fibre::DataKind::Compute, 1, thread_count_) {
    makers_.push_back(std::make_unique<Maker>());
}

TableWork::~TableWork() = default;

void TableWork::run(fibre::DataManager& manager, u64 count, u64 grain, const Make& make) {
    if (count == 0) {
        return;
    }
    const bool is_given = manager.give(
        {.begin = 0,
         .end = count,
         .grain = grain,
         .elements_at_once = static_cast<u32>(std::min(grain, u64{kElements / kThreadsAtOnce}))});
    ENSURE(is_given, ==, true);
    if (count > grain && thread_count_ > 1) {
        if (!maybe_pool_) {
            maybe_pool_ = std::make_unique<unit::WorkerPool>(thread_count_, "table worker");
        }
        while (makers_.size() < thread_count_) {
            makers_.push_back(std::make_unique<Maker>());
        }
        const base::Status status =
            maybe_pool_->run([&](unit::WorkerIndex worker, const std::stop_token&) {
                makers_[static_cast<u32>(worker)]->run(manager, make);
            });
        ENSURE(status.is_ok(), ==, true);  // making entries throws nothing
    } else {
        makers_.front()->run(manager, make);
    }
    ENSURE(manager.is_done(), ==, true);
}

}  // namespace weft::trace
