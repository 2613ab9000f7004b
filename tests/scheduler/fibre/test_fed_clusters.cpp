// test_fed_clusters.cpp — from data managers to finished threads: clusters behind one packet unit,
// each driven by an OS thread of its own, take what four data managers cut, and one of them may be
// lost on the way.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/data_manager.h"
#include "scheduler/fibre/shared_packet_unit.h"

namespace weft::fibre {

namespace {

constexpr u64 kNumbers = 1000;  // of each kind
constexpr u64 kGrain = 24;
constexpr DataKind kKinds[] = {
    DataKind::Camera, DataKind::Ray, DataKind::Compute, DataKind::Geometry};

// Common to all clusters: the work, and how often each number of each kind was finished.
struct Work {
    explicit Work(u32 cluster_count) {
        for (const DataKind kind : kKinds) {
            managers.push_back(std::make_unique<DataManager>(kind, 4, cluster_count));
            ENSURE(managers.back()->give({.begin = 0,
                                          .end = kNumbers,
                                          .grain = kGrain,
                                          .elements_at_once = 8,
                                          .priority = static_cast<float>(managers.size())}),
                   ==,
                   true);
        }
        for (std::vector<u32>& counts : finished) {
            counts.assign(kNumbers, 0);
        }
    }

    DataManager& manager_of(u64 user) { return *managers[static_cast<u32>(Piece::of(user).kind)]; }

    [[nodiscard]] bool is_done() const {
        return std::ranges::all_of(managers,
                                   [](const auto& manager) { return manager->is_done(); });
    }

    // Every number was finished once.
    [[nodiscard]] bool is_complete() const {
        return std::ranges::all_of(finished, [](const std::vector<u32>& counts) {
            return std::ranges::count(counts, 1u) == std::ssize(counts);
        });
    }

    std::vector<std::unique_ptr<DataManager>> managers;
    std::array<std::vector<u32>, kDataKinds> finished;  // a number belongs to one thread at a time
    std::atomic<bool> is_over{false};
};

// One cluster. Each launch has two fibres, one after the other, under keys that all clusters share.
class FedCluster {
public:
    FedCluster(Work& work, SharedPacketUnit& unit, const ClusterConfig& config, u32 index)
        : work_(work), element_fibres_(config.element_count), cluster_(config, unit, index) {
        cluster_.declare({.name = "parent", .run = run_parent, .context = this});
        fibre_ = cluster_.declare({.name = "fibre", .run = run_fibre, .context = this});
        cluster_.set_finished(
            [](void* context, u64 user) { static_cast<FedCluster*>(context)->finish(user); }, this);
    }

    // What a data manager calls.
    Admission submit(const ThreadDesc& desc) {
        const Admission admission = cluster_.submit(desc);
        if (admission == Admission::Taken) {
            const std::lock_guard lock(mutex_);
            taken_[desc.user] = desc.launch_count;
        }
        return admission;
    }

    // The loop of the cluster's OS thread.
    void drive() {
        while (!work_.is_over.load(std::memory_order_relaxed)) {
            for (const auto& manager : work_.managers) {
                manager->feed(*this, 1);
            }
            if (!cluster_.step()) {
                std::this_thread::yield();
            }
        }
    }

    // From now on, its next fibre waits at a hook.
    void hold() { is_held_.store(true, std::memory_order_release); }

    void let_go() { is_held_.store(false, std::memory_order_release); }

    [[nodiscard]] bool is_at_hook() const { return is_at_hook_.load(std::memory_order_acquire); }

    // The cluster is lost; the others must do its unfinished threads.
    void lose() {
        cluster_.abandon();
        const std::lock_guard lock(mutex_);
        is_lost_ = true;
        for (const auto& [user, count] : taken_) {
            const u64 begin = Piece::of(user).begin;
            const WorkRange again{.begin = begin, .end = begin + count, .grain = kGrain};
            while (!work_.manager_of(user).give(again)) {
                std::this_thread::yield();  // the others make room
            }
            work_.manager_of(user).finished();
        }
        lost_count_ = taken_.size();
    }

    [[nodiscard]] std::size_t lost_count() const { return lost_count_; }

    [[nodiscard]] const FibreCounters& counters() const { return cluster_.counters(); }

private:
    static void run_parent(void* context, const Packet& packet, Spawner& spawner) {
        static_cast<FedCluster*>(context)->parent(packet, spawner);
    }

    static void run_fibre(void* context, const Packet& packet, Spawner&) {
        static_cast<FedCluster*>(context)->fibre(packet);
    }

    void parent(const Packet& packet, Spawner& spawner) {
        std::vector<u32> gone;
        for (const u32 element : packet.elements) {
            u32& fibres = element_fibres_[element];
            fibres = packet.is_initial_launch ? 0 : fibres;
            if (fibres == 2) {
                gone.push_back(element);
            } else {
                spawner.spawn(fibre_, {.value = element % 5 + fibres}, {&element, 1});
            }
        }
        spawner.release(gone);
    }

    void fibre(const Packet& packet) {
        while (is_held_.load(std::memory_order_acquire)) {  // pairs with hold and let_go
            is_at_hook_.store(true, std::memory_order_release);
            std::this_thread::yield();
        }
        for (const u32 element : packet.elements) {
            ++element_fibres_[element];
        }
    }

    void finish(u64 user) {
        const std::lock_guard lock(mutex_);
        if (is_lost_) {
            return;  // too late: others do it again
        }
        const Piece piece = Piece::of(user);
        for (u64 number = piece.begin; number < piece.begin + taken_[user]; ++number) {
            ++work_.finished[static_cast<u32>(piece.kind)][number];
        }
        taken_.erase(user);
        work_.manager_of(user).finished();
    }

    Work& work_;
    std::vector<u32> element_fibres_;  // that have run on it since its launch
    Cluster cluster_;
    RoutineId fibre_ = 0;
    std::atomic<bool> is_held_{false};
    std::atomic<bool> is_at_hook_{false};
    std::mutex mutex_;          // of what follows
    std::map<u64, u64> taken_;  // launches of threads that are not finished, by `user`
    bool is_lost_ = false;
    std::size_t lost_count_ = 0;
};

struct Fleet {
    explicit Fleet(u32 cluster_count) : work(cluster_count), unit(config, cluster_count) {
        for (u32 index = 0; index < cluster_count; ++index) {
            clusters.push_back(std::make_unique<FedCluster>(work, unit, config, index));
        }
    }

    void start(u32 index) {
        threads.emplace_back([&cluster = *clusters[index]] { cluster.drive(); });
    }

    void wait() {
        while (!work.is_done()) {
            std::this_thread::yield();
        }
        work.is_over.store(true, std::memory_order_relaxed);
    }

    void join() {
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    ClusterConfig config{.element_count = 48, .collection_count = 32, .thread_capacity = 2};
    Work work;
    SharedPacketUnit unit;
    std::vector<std::unique_ptr<FedCluster>> clusters;
    std::vector<std::thread> threads;
};

}  // namespace

TEST_SUITE("scheduler/fibre/fed_clusters") {
    TEST_CASE("F17 any number of clusters does the threads of four data managers once") {
        for (const u32 cluster_count : {1u, 2u, 4u, 8u, 64u}) {
            CAPTURE(cluster_count);
            Fleet fleet(cluster_count);
            for (u32 index = 0; index < cluster_count; ++index) {
                fleet.start(index);
            }
            fleet.wait();
            fleet.join();
            CHECK(fleet.work.is_complete());
            u64 released = 0;
            for (const auto& cluster : fleet.clusters) {
                CHECK(cluster->counters().max_elements <= fleet.config.element_count);
                CHECK(cluster->counters().threads.max_waiting <= fleet.config.thread_capacity);
                released += cluster->counters().elements_released;
            }
            CHECK(released == kNumbers * kDataKinds);
            for (const auto& manager : fleet.work.managers) {
                CHECK(manager->counters().threads_made == (kNumbers + kGrain - 1) / kGrain);
                CHECK((manager->counters().back_pressure > 0 || cluster_count > 1));
            }
        }
    }

    TEST_CASE("F17 a cluster that stops is given up and the others do its threads again") {
        for (const u32 cluster_count : {2u, 4u, 8u}) {
            CAPTURE(cluster_count);
            Fleet fleet(cluster_count);
            FedCluster& lost = *fleet.clusters[1];
            lost.hold();
            fleet.start(1);
            while (!lost.is_at_hook()) {
                std::this_thread::yield();
            }
            for (u32 index = 0; index < cluster_count; ++index) {
                if (index != 1) {
                    fleet.start(index);
                }
            }
            lost.lose();
            fleet.wait();
            lost.let_go();  // its late calls have no effect
            fleet.join();
            CHECK(lost.lost_count() > 0);
            CHECK(fleet.work.is_complete());
        }
    }
}

}  // namespace weft::fibre
