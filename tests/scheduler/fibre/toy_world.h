// toy_world.h — a small computation over fibres with an answer that plain recursion gives, too.
//
// A launch is a query that walks a binary tree for some rounds. In each round it walks from the
// root, going on to the left, the right or both children as a hash of (query, node) says, and adds
// up the leaves that it reaches; beside the walk it has one shading fibre with one of
// `material_count` keys. Integer sums: the order cannot matter, so every policy, size and refusal
// must give expected(). The parent and both routines check what packets promise.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/shared_packet_unit.h"

namespace weft::fibre::toy {

inline u64 mix(u64 a, u64 b) {
    u64 mixed = (a + 1) * 0x9e3779b97f4a7c15u ^ (b + 1) * 0xc2b2ae3d27d4eb4fu;
    mixed ^= mixed >> 31;
    mixed *= 0xd6e8feb86659fd93u;
    return mixed ^ mixed >> 32;
}

struct Settings {
    u32 thread_count = 1000;
    u32 rounds = 3;
    u32 depth = 6;  // of the tree; nodes are numbered from 1 as in a heap
    u32 material_count = 7;
    Policy policy = Policy::DepthFirst;
    bool may_mix_keys = true;
    bool ignores_key = false;
    u32 packet_fill = 64;
    u32 packet_max = 1024;
    ClusterConfig cluster{};
    SharedPacketUnit* shared = nullptr;  // not null: one of several clusters ...
    u32 index = 0;                       // ... this one
    u64 first_query = 0;                 // queries are numbered from here
};

// The query of one element.
struct Query {
    u64 thread = 0;
    u64 sum = 0;
    u32 round = 0;
    u32 open_fibres = 0;  // as the test counts them
};

class World {
public:
    explicit World(const Settings& settings)
        : settings_(settings),
          queries_(settings.cluster.element_count),
          results_(settings.thread_count),
          stamps_(settings.cluster.element_count),
          cluster_(settings.shared ? std::make_unique<Cluster>(
                                         settings.cluster, *settings.shared, settings.index)
                                   : std::make_unique<Cluster>(settings.cluster)) {
        for (std::vector<u32>& list : child_) {
            list.reserve(settings.cluster.element_count);
        }
        payload_.reserve(settings.cluster.element_count);
        gone_.reserve(settings.cluster.element_count);
        going_.reserve(settings.cluster.element_count);
        cluster_->declare(routine("parent", &World::run_parent));
        walk_ = cluster_->declare(routine("walk", &World::run_walk));
        shade_ = cluster_->declare(routine("shade", &World::run_shade));
    }

    // All queries as one thread, or as threads of so many.
    void run(u64 queries_per_thread = ~u64{0}) {
        for (u64 begin = 0; begin < settings_.thread_count;) {
            const u64 count = std::min(queries_per_thread, settings_.thread_count - begin);
            const ThreadDesc desc{.launch_count = count, .user = begin};
            if (cluster_->submit(desc) == Admission::Taken) {
                begin += count;
            } else {
                cluster_->step();
            }
        }
        cluster_->run();
    }

    [[nodiscard]] Cluster& cluster() { return *cluster_; }

    [[nodiscard]] const std::vector<u64>& results() const { return results_; }

    [[nodiscard]] const FibreCounters& counters() const { return cluster_->counters(); }

    [[nodiscard]] u64 broken_promises() const { return broken_promises_; }

    [[nodiscard]] u64 refusals() const { return refusals_; }

    [[nodiscard]] u64 biggest_packet() const { return biggest_packet_; }

    // The answer by plain recursion.
    [[nodiscard]] std::vector<u64> expected() const {
        std::vector<u64> sums(settings_.thread_count);
        for (u64 index = 0; index < sums.size(); ++index) {
            const u64 thread = settings_.first_query + index;
            for (u32 round = 0; round < settings_.rounds; ++round) {
                walk_to_end(thread, round, 1, sums[index]);
                sums[index] += shading(thread, round);
            }
        }
        return sums;
    }

private:
    RoutineDesc routine(const char* name, void (*call)(void*, const Packet&, Spawner&)) {
        return {.name = name,
                .run = call,
                .context = this,
                .packet_fill = settings_.packet_fill,
                .packet_max = settings_.packet_max,
                .may_mix_keys = settings_.may_mix_keys,
                .ignores_key = settings_.ignores_key,
                .policy = settings_.policy};
    }

    [[nodiscard]] u32 way(u64 thread, u32 round, u32 node) const {
        return 1 + static_cast<u32>(mix(thread * 31 + round, node) % 3);  // 1 left, 2 right, 3 both
    }

    [[nodiscard]] bool is_leaf(u32 node) const { return node >= 1u << settings_.depth; }

    static u64 leaf_value(u64 thread, u32 node) { return mix(thread, node) & 0xffff; }

    [[nodiscard]] u32 material(u64 thread, u32 round) const {
        return static_cast<u32>(mix(thread, round + 1000) % settings_.material_count);
    }

    [[nodiscard]] u64 shading(u64 thread, u32 round) const {
        return material(thread, round) * 65536;
    }

    void walk_to_end(u64 thread, u32 round, u32 node, u64& sum) const {
        if (is_leaf(node)) {
            sum += leaf_value(thread, node);
            return;
        }
        const u32 ways = way(thread, round, node);
        for (u32 side = 0; side < 2; ++side) {
            if (ways >> side & 1) {
                walk_to_end(thread, round, 2 * node + side, sum);
            }
        }
    }

    void expect(bool promise) { broken_promises_ += promise ? 0 : 1; }

    // No element twice in a packet (F18); nothing empty; no packet above its size.
    void check(const Packet& packet) {
        biggest_packet_ = std::max<u64>(biggest_packet_, packet.elements.size());
        expect(!packet.elements.empty());
        expect(packet.elements.size() <=
               std::max(settings_.packet_max, settings_.cluster.lane_count));
        ++stamp_;
        for (const u32 element : packet.elements) {
            expect(stamps_[element] != stamp_);
            stamps_[element] = stamp_;
        }
    }

    static void run_parent(void* context, const Packet& packet, Spawner& spawner) {
        static_cast<World*>(context)->parent(packet, spawner);
    }

    static void run_walk(void* context, const Packet& packet, Spawner& spawner) {
        static_cast<World*>(context)->walk(packet, spawner);
    }

    static void run_shade(void* context, const Packet& packet, Spawner&) {
        static_cast<World*>(context)->shade(packet);
    }

    void parent(const Packet& packet, Spawner& spawner) {
        check(packet);
        gone_.clear();
        going_.clear();
        for (std::size_t index = 0; index < packet.elements.size(); ++index) {
            const u32 element = packet.elements[index];
            Query& query = queries_[element];
            if (packet.is_initial_launch) {
                query = {.thread =
                             settings_.first_query + packet.user + packet.first_launch + index};
            }
            expect(query.open_fibres == 0);
            expect(packet.is_initial_launch == (query.round == 0 && query.sum == 0));
            query.round += packet.is_initial_launch ? 0 : 1;
            if (query.round == settings_.rounds) {
                results_[query.thread - settings_.first_query] = query.sum;
                gone_.push_back(element);
            } else {
                query.open_fibres = 2;
                going_.push_back(element);
            }
        }
        spawner.release(gone_);
        spawner.spawn(walk_, {.value = 1}, going_);
        for (const u32 element : going_) {
            const Query& query = queries_[element];
            const u32 key = material(query.thread, query.round);
            spawner.spawn(shade_, {.value = key}, {&element, 1}, static_cast<float>(key));
        }
    }

    void walk(const Packet& packet, Spawner& spawner) {
        check(packet);
        const u32 node = packet.key.value;
        if (settings_.ignores_key || packet.is_mixed) {
            for (const u32 element : packet.elements) {
                finish_walk(element, 1);
            }
            return;
        }
        // Lists are few enough to end at once: as the renderer does with its small ones.
        child_[0].clear();
        child_[1].clear();
        for (const u32 element : packet.elements) {
            Query& query = queries_[element];
            --query.open_fibres;
            if (is_leaf(node)) {
                query.sum += leaf_value(query.thread, node);
                continue;
            }
            const u32 ways = way(query.thread, query.round, node);
            for (u32 side = 0; side < 2; ++side) {
                if (ways >> side & 1) {
                    child_[side].push_back(element);
                    ++query.open_fibres;
                }
            }
        }
        for (u32 side = 0; side < 2; ++side) {
            payload_.assign(child_[side].size(), static_cast<float>(node));
            if (!spawner.rekey({.value = 2 * node + side}, child_[side], payload_)) {
                ++refusals_;
                for (const u32 element : child_[side]) {
                    finish_walk(element, 2 * node + side);
                }
            }
        }
        // The payload of a list is what its parent node put there.
        for (const float number : packet.payload) {
            expect(number == static_cast<float>(node / 2));
        }
        expect(packet.payload.empty() == (node == 1));
    }

    void finish_walk(u32 element, u32 node) {
        Query& query = queries_[element];
        --query.open_fibres;
        walk_to_end(query.thread, query.round, node, query.sum);
    }

    void shade(const Packet& packet) {
        check(packet);
        for (const u32 element : packet.elements) {
            Query& query = queries_[element];
            --query.open_fibres;
            const u32 key = material(query.thread, query.round);
            expect(packet.is_mixed || settings_.ignores_key || key == packet.key.value);
            query.sum += shading(query.thread, query.round);
        }
    }

    Settings settings_;
    std::vector<Query> queries_;
    std::vector<u64> results_;
    std::vector<u32> stamps_;
    std::vector<u32> child_[2];
    std::vector<float> payload_;
    std::vector<u32> gone_;
    std::vector<u32> going_;
    std::unique_ptr<Cluster> cluster_;
    RoutineId walk_ = 0;
    RoutineId shade_ = 0;
    u64 broken_promises_ = 0;
    u64 refusals_ = 0;
    u64 biggest_packet_ = 0;
    u32 stamp_ = 0;
};

}  // namespace weft::fibre::toy
