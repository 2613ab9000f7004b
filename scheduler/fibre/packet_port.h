// packet_port.h — a cluster's door to its packet unit: one of its own, or one that it shares with
// the other clusters of a device.
//
// The difference is a branch: the unit of a CPU's cluster is called directly and without a lock,
// that of a device through SharedPacketUnit. Also keeps the cluster's clock and packet ids. One
// cluster owns it.
#pragma once

#include <memory>

#include "scheduler/fibre/packet_unit.h"
#include "scheduler/fibre/shared_packet_unit.h"

namespace weft::fibre {

class PacketPort {
public:
    explicit PacketPort(const ClusterConfig& config);
    PacketPort(const ClusterConfig& config, SharedPacketUnit& shared, u32 cluster);
    ~PacketPort();
    PacketPort(const PacketPort&) = delete;
    PacketPort& operator=(const PacketPort&) = delete;

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] bool is_shared() const { return shared_ != nullptr; }

    // Shared only: the cluster was given up. Any thread may call abandon().
    [[nodiscard]] bool is_lost() const { return shared_ && shared_->is_lost(ticket_); }

    void abandon();

    // Packets run so far: the clock of all ages. tick() counts one more.
    [[nodiscard]] u64 now() const { return now_; }

    void tick() { now_ = shared_ ? shared_->tick() : now_ + 1; }

    u32 next_packet_id();

    void declare(RoutineId routine, const RoutineDesc& desc);
    void spawn(
        RoutineId routine, Key key, std::span<const u32> elements, float priority, float pressure);
    [[nodiscard]] bool rekey(RoutineId routine,
                             Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload,
                             float priority,
                             float pressure);

    // Whether it is worth asking for an overdue packet. A shared unit is asked once in kAskEvery
    // packets, because that takes its lock.
    [[nodiscard]] bool may_have_overdue() const {
        return shared_ ? now_ >= asked_ + kAskEvery : own_->has_overdue(now_);
    }

    // The next packet of the kind wanted; false: none. Of overdue ones only those that came before
    // `oldest_list`. Its fibres stay where they are until the next call.
    [[nodiscard]] bool next(Wanted wanted, u64 oldest_list, Emission& emission);

    // What would leave next.
    [[nodiscard]] Ahead ahead();

    // Urgency of the most urgent packet that is ready.
    [[nodiscard]] double most_urgent();

    // The range of a thread that was submitted, and that has finished (F18).
    void claim_range(const WriteRange& range);
    void drop_range(const WriteRange& range);

    // The thread of each element, and the number here of a thread of the cluster.
    [[nodiscard]] std::span<u32> thread_of();

    [[nodiscard]] u32 first_thread() const { return first_thread_; }

    // Adds the figures of an own unit to the counters; a shared one has counters of its own.
    void report(FibreCounters& counters) const;

private:
    static constexpr u64 kAskEvery = 64;

    std::unique_ptr<PacketUnit> own_;
    SharedPacketUnit* shared_ = nullptr;
    SharedPacketUnit::Ticket ticket_;
    u32 first_thread_ = 0;
    u64 now_ = 0;
    u64 asked_ = 0;  // when a shared unit was asked for overdue packets last
    u32 packet_id_ = 0;
    base::PageArray<u32> elements_;  // shared only: of the packet that came last
    base::PageArray<float> numbers_;
};

}  // namespace weft::fibre
