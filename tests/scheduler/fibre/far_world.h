// far_world.h — a computation over fibres whose keys name data in a small simulated store, with an
// answer that a plain loop gives, too.
//
// A launch is a query that walks a binary tree of its own. Each place of the walk needs the data of
// a key, which a hash of (query, place) chooses; going on to it is a re-key. The store brings data
// by the count of steps, without threads, and drops those that a packet has used when it needs
// room. Every query must visit each place once, whatever the store answers and when.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/fibre/cluster.h"
#include "tests/scheduler/fibre/seeded.h"
#include "tests/scheduler/fibre/toy_world.h"

namespace weft::fibre::far {

struct StoreSettings {
    u32 key_count = 16;
    u32 room = 8;            // keys that can be near or coming
    u32 latency = 5;         // steps from a fetch to its arrival, at most
    u32 refused_of_ten = 0;  // at random
};

// Far, coming, fresh until used, used until dropped.
class Store {
public:
    explicit Store(const StoreSettings& settings)
        : settings_(settings), cells_(settings.key_count), random_(settings.room) {}

    Fetch fetch(u32 key) {
        ++asks_;
        Cell& cell = cells_[key];
        if (cell.state == State::Coming) {
            return Fetch::Coming;
        }
        if (cell.state != State::Far) {
            return Fetch::Near;
        }
        if (random_() % 10 < settings_.refused_of_ten || !make_room()) {
            return Fetch::Refused;
        }
        cell = {State::Coming, now_ + 1 + random_() % settings_.latency};
        ++held_;
        ++fetches_;
        most_coming_ = std::max(most_coming_, ++coming_);
        return Fetch::Coming;
    }

    void await() {
        ++awaits_;
        if (coming_ > 0) {
            for (const u32 before = coming_; coming_ == before;) {
                tick();
            }
        }
    }

    // One more step: data arrive.
    void tick() {
        ++now_;
        for (Cell& cell : cells_) {
            if (cell.state == State::Coming && cell.arrival <= now_) {
                cell.state = State::Fresh;
                --coming_;
            }
        }
    }

    // A packet uses the data; false: they are not there.
    bool use(u32 key) {
        Cell& cell = cells_[key];
        const bool is_near = cell.state == State::Fresh || cell.state == State::Used;
        cell.state = is_near ? State::Used : cell.state;
        return is_near;
    }

    // Drops data although nobody has used them.
    void drop(u32 key) {
        const bool is_near = cells_[key].state == State::Fresh || cells_[key].state == State::Used;
        held_ -= is_near ? 1u : 0u;
        cells_[key].state = is_near ? State::Far : cells_[key].state;
    }

    [[nodiscard]] u64 fetches() const { return fetches_; }

    [[nodiscard]] u64 asks() const { return asks_; }

    [[nodiscard]] u64 awaits() const { return awaits_; }

    [[nodiscard]] u32 most_coming() const { return most_coming_; }

private:
    enum class State : u8 { Far, Coming, Fresh, Used };

    struct Cell {
        State state = State::Far;
        u64 arrival = 0;
    };

    bool make_room() {
        if (held_ < settings_.room) {
            return true;
        }
        const auto used = std::find_if(cells_.begin(), cells_.end(), [](const Cell& cell) {
            return cell.state == State::Used;
        });
        if (used == cells_.end()) {
            return false;
        }
        used->state = State::Far;
        --held_;
        return true;
    }

    StoreSettings settings_;
    std::vector<Cell> cells_;
    Seeded random_;
    u64 now_ = 0;
    u32 held_ = 0;  // near or coming
    u32 coming_ = 0;
    u32 most_coming_ = 0;
    u64 fetches_ = 0;
    u64 asks_ = 0;
    u64 awaits_ = 0;
};

struct Settings {
    u32 query_count = 1000;
    u32 depth = 4;  // of the walk; places are numbered from 1 as in a heap
    Policy policy = Policy::Fullest;
    u32 packet_fill = 64;
    u32 packet_max = 1024;
    u32 fetches_ahead = 4;
    bool puts_aside = false;  // parents pause whenever they may
    ClusterConfig cluster{};
    StoreSettings store{};
};

class World {
public:
    explicit World(const Settings& settings)
        : store(settings.store),
          settings_(settings),
          query_of_(settings.cluster.element_count),
          visits_(std::size_t{settings.query_count} * place_count()),
          shaded_(settings.query_count),
          cluster_(settings.cluster) {
        going_.reserve(settings.cluster.element_count);
        places_.reserve(settings.cluster.element_count);
        cluster_.declare({.name = "parent",
                          .run = run_of<&World::parent>,
                          .context = this,
                          .packet_fill = settings.packet_fill,
                          .policy = Policy::Balanced});
        walk_ = cluster_.declare({.name = "walk",
                                  .run = run_of<&World::walk>,
                                  .context = this,
                                  .packet_fill = settings.packet_fill,
                                  .packet_max = settings.packet_max,
                                  .policy = settings.policy,
                                  .fetch = fetch,
                                  .await_fetch = await,
                                  .fetches_ahead = settings.fetches_ahead});
        shade_ = cluster_.declare({.name = "shade",
                                   .run = run_of<&World::shade>,
                                   .context = this,
                                   .packet_fill = 8,
                                   .policy = Policy::Balanced});
    }

    // Steps to the end; true: step() said so when all queries had ended, and not before.
    bool run() {
        if (cluster_.submit({.launch_count = settings_.query_count}) != Admission::Taken) {
            return false;
        }
        do {
            store.tick();
        } while (cluster_.step());
        const FibreCounters& counters = cluster_.counters();
        return cluster_.is_idle() && counters.elements_released == settings_.query_count &&
               counters.fibres_spawned == counters.fibres_completed && !cluster_.step();
    }

    // Whether every query visited each place as often as a plain loop does: once.
    [[nodiscard]] bool is_complete() const {
        for (u32 query = 0; query < settings_.query_count; ++query) {
            for (u32 place = 1; place < place_count(); ++place) {
                if (visits_[std::size_t{query} * place_count() + place] != 1) {
                    return false;
                }
            }
        }
        return std::count(shaded_.begin(), shaded_.end(), 1) == settings_.query_count;
    }

    [[nodiscard]] const RoutineCounters& counters() const {
        return cluster_.counters().routine[walk_];
    }

    [[nodiscard]] const FibreCounters& all_counters() const { return cluster_.counters(); }

    // Packets whose data were not near, or with fibres of other keys.
    [[nodiscard]] u64 broken_promises() const { return broken_promises_; }

    [[nodiscard]] u64 refusals() const { return refusals_; }

    Store store;

private:
    template <void (World::*call)(const Packet&, Spawner&)>
    static void run_of(void* context, const Packet& packet, Spawner& spawner) {
        (static_cast<World*>(context)->*call)(packet, spawner);
    }

    static Fetch fetch(void* context, Key key) {
        return static_cast<World*>(context)->store.fetch(key.value);
    }

    static void await(void* context) { static_cast<World*>(context)->store.await(); }

    [[nodiscard]] u32 place_count() const { return 2u << settings_.depth; }

    [[nodiscard]] u32 key_of(u32 query, u32 place) const {
        return static_cast<u32>(toy::mix(query, place) % settings_.store.key_count);
    }

    void expect(bool promise) { broken_promises_ += promise ? 0u : 1u; }

    void parent(const Packet& packet, Spawner& spawner) {
        if (!packet.is_initial_launch) {
            spawner.release(packet.elements);
            return;
        }
        const std::size_t count = packet.elements.size();
        const bool pauses =
            settings_.puts_aside && count > 1 && (spawner.should_put_aside() || count > 20);
        const std::size_t now = pauses ? count / 2 : count;
        for (std::size_t at = 0; at < now; ++at) {
            query_of_[packet.elements[at]] = static_cast<u32>(packet.first_launch + at);
        }
        spawner.spawn(walk_, {.value = 0}, packet.elements.first(now));
        spawner.spawn(shade_, {.value = 3}, packet.elements.first(now));
        spawner.put_aside(packet.elements.subspan(now));
    }

    void shade(const Packet& packet, Spawner&) {
        for (const u32 element : packet.elements) {
            ++shaded_[query_of_[element]];
        }
    }

    // Without payload at the top of the tree, whose data are always near.
    void walk(const Packet& packet, Spawner& spawner) {
        const bool is_top = packet.payload.empty();
        expect(is_top || store.use(packet.key.value));
        for (std::size_t at = 0; at < packet.elements.size(); ++at) {
            const u32 place = is_top ? 1 : static_cast<u32>(packet.payload[at]);
            const u32 query = query_of_[packet.elements[at]];
            visit(query, place);
            expect(is_top || key_of(query, place) == packet.key.value);
        }
        for (u32 side = 0; side < 2; ++side) {
            for (u32 key = 0; key < settings_.store.key_count; ++key) {
                go_on(packet, spawner, side, key);
            }
        }
    }

    // Re-keys the fibres whose child on this side has this key.
    void go_on(const Packet& packet, Spawner& spawner, u32 side, u32 key) {
        going_.clear();
        places_.clear();
        for (std::size_t at = 0; at < packet.elements.size(); ++at) {
            const u32 place = packet.payload.empty() ? 1 : static_cast<u32>(packet.payload[at]);
            const u32 child = 2 * place + side;
            if (child < place_count() && key_of(query_of_[packet.elements[at]], child) == key) {
                going_.push_back(packet.elements[at]);
                places_.push_back(static_cast<float>(child));
            }
        }
        if (!spawner.rekey({.value = key}, going_, places_)) {
            ++refusals_;
            for (std::size_t at = 0; at < going_.size(); ++at) {
                visit_all(query_of_[going_[at]], static_cast<u32>(places_[at]));
            }
        }
    }

    void visit(u32 query, u32 place) { ++visits_[std::size_t{query} * place_count() + place]; }

    void visit_all(u32 query, u32 place) {
        if (place < place_count()) {
            visit(query, place);
            visit_all(query, 2 * place);
            visit_all(query, 2 * place + 1);
        }
    }

    Settings settings_;
    std::vector<u32> query_of_;  // by element
    std::vector<u8> visits_;     // by query and place
    std::vector<u8> shaded_;     // by query
    std::vector<u32> going_;
    std::vector<float> places_;
    u64 broken_promises_ = 0;
    u64 refusals_ = 0;
    RoutineId walk_ = 0;
    RoutineId shade_ = 0;
    Cluster cluster_;
};

}  // namespace weft::fibre::far
