// test_fibre_extremes.cpp — far more fibres than storage, one key or as many keys as fibres,
// priorities all equal or all different, memory that is as small as it can be, many clusters on as
// many OS threads: every fibre runs once, memory stays bounded, and nothing hangs.
#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/shared_packet_unit.h"
#include "tests/scheduler/fibre/toy_world.h"

namespace weft::fibre {

namespace {

// Sanitizers make everything ten times slower; the counts are no less extreme for that.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr u32 kSlower = 20;
#else
constexpr u32 kSlower = 1;
#endif

constexpr Policy kExtremePolicies[] = {
    Policy::DepthFirst, Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced};

enum class Keys {
    One,
    Few,       // sixty-four
    PerFibre,  // no two alike
};

enum class Priorities {
    Equal,
    Different,
    Extreme,  // the largest and the smallest numbers that there are
};

struct FloodSettings {
    u32 launches = 10000;
    u32 rounds = 10;
    u32 fibres_per_round = 4;  // onto each element
    Keys keys = Keys::One;
    Priorities priorities = Priorities::Equal;
    Policy policy = Policy::Balanced;
    bool may_mix_keys = true;
    u32 elements_at_once = 1;
    u32 threads = 1;  // that the launches are shared out over
    ClusterConfig cluster{.element_count = 10000};
};

// Each launch spawns fibres onto its element, round after round; a fibre counts itself there, and
// adds its key where its packet has one key.
class Flood {
public:
    explicit Flood(const FloodSettings& settings)
        : settings_(settings),
          elements_(settings.cluster.element_count),
          counts_(settings.launches),
          key_sums_(settings.launches),
          spawned_key_sums_(settings.launches),
          cluster_(std::make_unique<Cluster>(settings.cluster)) {
        declare();
    }

    Flood(const FloodSettings& settings, SharedPacketUnit& shared, u32 index)
        : settings_(settings),
          elements_(settings.cluster.element_count),
          counts_(settings.launches),
          key_sums_(settings.launches),
          spawned_key_sums_(settings.launches),
          cluster_(std::make_unique<Cluster>(settings.cluster, shared, index)) {
        declare();
    }

    void run() {
        const u64 per_thread = (settings_.launches + settings_.threads - 1) / settings_.threads;
        for (u64 begin = 0; begin < settings_.launches;) {
            const u64 count = std::min(per_thread, settings_.launches - begin);
            const ThreadDesc desc{.launch_count = count,
                                  .elements_at_once = settings_.elements_at_once,
                                  .priority = priority(),
                                  .user = begin};
            const Admission admission = cluster_->submit(desc);
            REQUIRE(admission != Admission::TooLarge);
            begin += admission == Admission::Taken ? count : 0;
            if (admission == Admission::Full) {
                cluster_->step();
            }
        }
        cluster_->run();
    }

    // Every fibre of every launch ran, once, and where no packet mixed keys each saw its own.
    [[nodiscard]] bool is_complete() const {
        const u32 expected = settings_.rounds * settings_.fibres_per_round;
        return std::ranges::count(counts_, expected) == std::ssize(counts_) &&
               (settings_.may_mix_keys || key_sums_ == spawned_key_sums_);
    }

    [[nodiscard]] u64 fibre_count() const {
        return u64{settings_.launches} * settings_.rounds * settings_.fibres_per_round;
    }

    [[nodiscard]] const FibreCounters& counters() const { return cluster_->counters(); }

    [[nodiscard]] bool is_idle() const { return cluster_->is_idle(); }

private:
    struct Element {
        u32 launch = 0;
        u32 round = 0;
    };

    void declare() {
        cluster_->declare({.name = "parent", .run = run_parent, .context = this});
        fibre_ = cluster_->declare({.name = "fibre",
                                    .run = run_fibre,
                                    .context = this,
                                    .may_mix_keys = settings_.may_mix_keys,
                                    .policy = settings_.policy});
    }

    [[nodiscard]] u32 key() {
        ++number_;
        switch (settings_.keys) {
            case Keys::One:
                return 7;
            case Keys::Few:
                return number_ * 2654435761u >> 26;
            case Keys::PerFibre:
                return number_;
        }
        return 0;
    }

    [[nodiscard]] float priority() {
        switch (settings_.priorities) {
            case Priorities::Equal:
                return 1;
            case Priorities::Different:
                return static_cast<float>(number_ * 2654435761u >> 8) / 65536;
            case Priorities::Extreme:
                return number_ % 2 == 0 ? 3e38f : -3e38f;
        }
        return 0;
    }

    static void run_parent(void* context, const Packet& packet, Spawner& spawner) {
        static_cast<Flood*>(context)->parent(packet, spawner);
    }

    static void run_fibre(void* context, const Packet& packet, Spawner&) {
        static_cast<Flood*>(context)->count(packet);
    }

    void parent(const Packet& packet, Spawner& spawner) {
        going_.clear();
        gone_.clear();
        for (std::size_t index = 0; index < packet.elements.size(); ++index) {
            const u32 element = packet.elements[index];
            if (packet.is_initial_launch) {
                elements_[element] = {
                    .launch = static_cast<u32>(packet.user + packet.first_launch + index)};
            } else {
                ++elements_[element].round;
            }
            const bool is_over = elements_[element].round == settings_.rounds;
            (is_over ? gone_ : going_).push_back(element);
        }
        spawner.release(gone_);
        for (u32 fibre = 0; fibre < settings_.fibres_per_round; ++fibre) {
            spawn_one_each(spawner);
        }
    }

    // One call where all are alike, else one per fibre.
    void spawn_one_each(Spawner& spawner) {
        if (settings_.keys == Keys::One && settings_.priorities == Priorities::Equal) {
            spawner.spawn(fibre_, {.value = key()}, going_, priority());
            for (const u32 element : going_) {
                spawned_key_sums_[elements_[element].launch] += 7;
            }
            return;
        }
        for (const u32 element : going_) {
            const u32 value = key();
            spawner.spawn(fibre_, {.value = value}, {&element, 1}, priority());
            spawned_key_sums_[elements_[element].launch] += value;
        }
    }

    void count(const Packet& packet) {
        for (const u32 element : packet.elements) {
            ++counts_[elements_[element].launch];
            key_sums_[elements_[element].launch] += packet.key.value;
        }
    }

    FloodSettings settings_;
    std::vector<Element> elements_;
    std::vector<u32> counts_;  // by launch
    std::vector<u64> key_sums_;
    std::vector<u64> spawned_key_sums_;
    std::vector<u32> going_;
    std::vector<u32> gone_;
    u32 number_ = 0;  // of the fibre spawned last
    std::unique_ptr<Cluster> cluster_;
    RoutineId fibre_ = 0;
};

void check_flood(const FloodSettings& settings) {
    Flood flood(settings);
    flood.run();
    CHECK(flood.is_complete());
    CHECK(flood.is_idle());
    const FibreCounters& counters = flood.counters();
    CHECK(counters.fibres_spawned == flood.fibre_count());
    CHECK(counters.fibres_completed == flood.fibre_count());
    CHECK(counters.elements_admitted == settings.launches);
    CHECK(counters.elements_released == settings.launches);
    CHECK(counters.max_elements <= settings.cluster.element_count);
    CHECK(counters.max_waiting_fibres <= 8 * u64{settings.cluster.element_count});
    CHECK((counters.evicted_collections > 0) ==
          (settings.keys == Keys::PerFibre && settings.fibres_per_round > 0));
    CHECK(counters.threads.threads_finished == counters.threads.threads_taken);
}

// The worlds of so many clusters on one packet unit, each run by a thread of its own; their results
// one after the other.
std::vector<u64> shared_results(u32 cluster_count, Policy policy, u32 query_count) {
    const ClusterConfig config{.element_count = 64, .collection_count = 128, .list_capacity = 512};
    SharedPacketUnit unit(config, cluster_count);
    REQUIRE(unit.is_allocated());
    const u32 each = query_count / cluster_count;
    std::vector<std::unique_ptr<toy::World>> worlds;
    for (u32 index = 0; index < cluster_count; ++index) {
        worlds.push_back(std::make_unique<toy::World>(toy::Settings{.thread_count = each,
                                                                    .policy = policy,
                                                                    .cluster = config,
                                                                    .shared = &unit,
                                                                    .index = index,
                                                                    .first_query = index * each}));
    }
    std::vector<std::thread> threads;
    for (const auto& world : worlds) {
        threads.emplace_back([&world = *world] { world.run(50); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::vector<u64> results;
    for (const auto& world : worlds) {
        CHECK(world->broken_promises() == 0);
        CHECK(world->counters().fibres_spawned == world->counters().fibres_completed);
        CHECK(world->results() == world->expected());
        results.insert(results.end(), world->results().begin(), world->results().end());
    }
    return results;
}

}  // namespace

TEST_SUITE("scheduler/fibre/extremes") {
    TEST_CASE("F5 F9 ten million fibres on ten thousand elements run once each") {
        for (const Keys keys : {Keys::One, Keys::Few}) {
            check_flood({.rounds = 250 / kSlower, .keys = keys});
        }
    }

    TEST_CASE("F9 ten times the fibres need no more memory") {
        std::vector<u64> bytes;
        for (const u32 rounds : {20u, 200u}) {
            Flood flood({.launches = 1000 / kSlower,
                         .rounds = rounds,
                         .keys = Keys::Few,
                         .cluster = {.element_count = 1000}});
            flood.run();
            CHECK(flood.is_complete());
            bytes.push_back(flood.counters().storage_high_water_bytes);
        }
        CHECK(bytes[1] <= bytes[0] + bytes[0] / 8);
    }

    TEST_CASE("F10 as many keys as fibres lose none whatever the policy") {
        for (const Policy policy : kExtremePolicies) {
            for (const bool may_mix_keys : {true, false}) {
                CAPTURE(policy_name(policy));
                CAPTURE(may_mix_keys);
                check_flood({.launches = 4000 / kSlower,
                             .keys = Keys::PerFibre,
                             .policy = policy,
                             .may_mix_keys = may_mix_keys,
                             .cluster = {.element_count = 1000, .collection_count = 64}});
            }
        }
    }

    TEST_CASE("F8 one key only leaves in full packets whatever the policy") {
        for (const Policy policy : kExtremePolicies) {
            CAPTURE(policy_name(policy));
            const FloodSettings settings{.launches = 20000 / kSlower,
                                         .policy = policy,
                                         .may_mix_keys = false,
                                         .cluster = {.element_count = 1000}};
            check_flood(settings);
            Flood flood(settings);
            flood.run();
            const RoutineCounters& fibre = flood.counters().routine[1];
            CHECK(fibre.lanes_active * 100 > fibre.lanes_issued * 95);
            CHECK(fibre.distinct_keys == 1);
        }
    }

    TEST_CASE("F7 F14 priorities all equal or all different or extreme lose no fibre") {
        for (const Policy policy : kExtremePolicies) {
            for (const Priorities priorities :
                 {Priorities::Equal, Priorities::Different, Priorities::Extreme}) {
                for (const Keys keys : {Keys::One, Keys::Few, Keys::PerFibre}) {
                    CAPTURE(policy_name(policy));
                    CAPTURE(static_cast<int>(priorities));
                    CAPTURE(static_cast<int>(keys));
                    check_flood({.launches = 2000 / kSlower,
                                 .keys = keys,
                                 .priorities = priorities,
                                 .policy = policy,
                                 .cluster = {.element_count = 500, .collection_count = 100}});
                }
            }
        }
    }

    TEST_CASE("F16 F17 threads that each declare all local memory run one after the other") {
        for (const u32 thread_capacity : {1u, 2u, 16u}) {
            check_flood({.launches = 3000,
                         .rounds = 3,
                         .elements_at_once = 100,
                         .threads = 30,
                         .cluster = {.element_count = 100, .thread_capacity = thread_capacity}});
        }
    }

    TEST_CASE("F16 the smallest memory that there can be gives the right answer") {
        for (const u32 element_count : {1u, 2u, 17u}) {
            for (const u32 lane_count : {1u, 4u, 16u, 32u}) {
                for (const u32 list_capacity : {0u, 1u, 30u}) {
                    CAPTURE(element_count);
                    CAPTURE(lane_count);
                    CAPTURE(list_capacity);
                    toy::World world({.thread_count = 40,
                                      .cluster = {.element_count = element_count,
                                                  .collection_count = 1,
                                                  .list_capacity = list_capacity,
                                                  .admit_batch = 1,
                                                  .lane_count = lane_count,
                                                  .thread_capacity = 1}});
                    world.run(3);
                    CHECK(world.results() == world.expected());
                    CHECK(world.broken_promises() == 0);
                }
            }
        }
    }

    TEST_CASE("F16 the answer is the same after the border of local memory has moved") {
        toy::World world(
            {.thread_count = 500, .cluster = {.element_count = 200, .cache_bytes = 1u << 14}});
        const std::vector<u64> expected = world.expected();
        for (const u32 managed : {200u, 1u, 33u, 200u}) {
            world.cluster().set_split(managed);
            world.run(100);
            CHECK(world.results() == expected);
        }
    }

    TEST_CASE("F16 the border of local memory moves while elements are held and no fibre is lost") {
        const toy::Settings settings{.thread_count = 3000,
                                     .cluster = {.element_count = 200, .cache_bytes = 1u << 14}};
        toy::World world(settings);
        u32 moves = 0;
        REQUIRE(world.cluster().submit({.launch_count = 3000}) == Admission::Taken);
        for (u32 step = 0; world.cluster().step(); ++step) {
            if (step % 7 == 0) {
                world.cluster().set_split(1 + step * 37 % 200);
                ++moves;
            }
        }
        world.cluster().set_split(200);
        CHECK(world.results() == world.expected());
        CHECK(world.broken_promises() == 0);
        CHECK(moves > 20);
        CHECK(world.counters().split_moves == moves + 1);
        CHECK(world.counters().managed_elements == 200);
        CHECK(world.counters().cache_bytes == 1u << 14);
    }

    TEST_CASE("F13 any number of clusters on as many threads gives the same answers") {
        for (const Policy policy : {Policy::DepthFirst, Policy::Balanced}) {
            std::vector<u64> first;
            for (const u32 cluster_count : {1u, 2u, 4u, 8u, 64u}) {
                CAPTURE(cluster_count);
                const std::vector<u64> results = shared_results(cluster_count, policy, 1280);
                first = first.empty() ? results : first;
                CHECK(results == first);
            }
        }
    }

    TEST_CASE("F13 clusters that flood one packet unit with one key or with all keys lose none") {
        for (const u32 cluster_count : {2u, 8u, 64u}) {
            for (const Keys keys : {Keys::One, Keys::Few, Keys::PerFibre}) {
                CAPTURE(cluster_count);
                CAPTURE(static_cast<int>(keys));
                const FloodSettings settings{
                    .launches = 6400 / cluster_count / kSlower,
                    .rounds = 3,
                    .keys = keys,
                    .priorities = Priorities::Different,
                    .threads = 5,
                    .cluster = {.element_count = 40, .collection_count = 64}};
                SharedPacketUnit unit(settings.cluster, cluster_count);
                std::vector<std::unique_ptr<Flood>> floods;
                for (u32 index = 0; index < cluster_count; ++index) {
                    floods.push_back(std::make_unique<Flood>(settings, unit, index));
                }
                std::vector<std::thread> threads;
                for (const auto& flood : floods) {
                    threads.emplace_back([&flood = *flood] { flood.run(); });
                }
                for (std::thread& thread : threads) {
                    thread.join();
                }
                u64 completed = 0;
                for (const auto& flood : floods) {
                    CHECK(flood->is_complete());
                    CHECK(flood->is_idle());
                    completed += flood->counters().fibres_completed;
                }
                CHECK(completed == floods[0]->fibre_count() * cluster_count);
            }
        }
    }
}

}  // namespace weft::fibre
