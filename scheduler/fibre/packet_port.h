// packet_port.h — connects a cluster to its packet unit: one of its own, or one that all clusters
// of a device have in common.
//
// The cluster of a CPU calls its own unit directly and without a lock, that of a device goes
// through SharedPacketUnit. The port also keeps the cluster's clock and packet ids. One cluster
// owns it.
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

    // Shared unit only: whether the cluster is lost. Any OS thread may call abandon().
    [[nodiscard]] bool is_lost() const { return shared_ && shared_->is_lost(ticket_); }

    void abandon();

    // Packets run so far: the clock of all ages. tick() counts one more.
    [[nodiscard]] u64 now() const { return now_; }

    void tick() { now_ = shared_ ? shared_->tick() : now_ + 1; }

    u32 next_packet_id();

    void declare(RoutineId routine, const RoutineDesc& desc);
    // The port adds to the arrival what the cluster does not know.
    void spawn(RoutineId routine, Key key, std::span<const u32> elements, Arrival arrival);
    [[nodiscard]] bool rekey(RoutineId routine,
                             Key key,
                             std::span<const u32> elements,
                             std::span<const float> payload,
                             Arrival arrival);

    // Whether to look for an overdue packet now: in a shared unit, whose lock this takes, only once
    // in kAskEvery packets.
    [[nodiscard]] bool may_have_overdue() const {
        return shared_ ? now_ >= asked_ + kAskEvery : own_->has_overdue(now_);
    }

    // The next packet of the wanted kind; false: none. Overdue ones must be older than
    // `oldest_list`. Its fibres stay valid until the next call.
    [[nodiscard]] bool next(Wanted wanted, u64 oldest_list, Emission& emission);

    // The packet that would leave next.
    [[nodiscard]] Ahead ahead();

    // Urgency of the most urgent packet that is ready.
    [[nodiscard]] double most_urgent();

    // Asks for data of far collections, and chooses more of them; true: data of some have arrived.
    bool tend_far(u32 element_count) {
        return shared_ ? shared_->tend_far(ticket_) : own_->tend_far(now_, element_count);
    }

    // When nothing else can run: chooses the most that may be chosen; false: no fibre waits at a
    // far key.
    bool choose_most_far() {
        return shared_ ? shared_->choose_most_far(ticket_) : own_->choose_most_far(now_);
    }

    // Own unit only: blocks until data come.
    void await_far() { own_->await_far(); }

    // Claims the range of a submitted thread; drops that of a finished one (F18).
    void claim_range(const WriteRange& range);
    void drop_range(const WriteRange& range);

    // Adds the figures of the cluster's own unit; a shared unit has counters of its own.
    void report(FibreCounters& counters) const;

private:
    static constexpr u64 kAskEvery = 64;

    std::unique_ptr<PacketUnit> own_;
    SharedPacketUnit* shared_ = nullptr;
    SharedPacketUnit::Ticket ticket_;
    u64 now_ = 0;
    u64 asked_ = 0;  // time of the last look for overdue packets in a shared unit
    u32 packet_id_ = 0;
    base::PageArray<u32> elements_;  // shared only: of the packet that came last
    base::PageArray<float> numbers_;
};

}  // namespace weft::fibre
