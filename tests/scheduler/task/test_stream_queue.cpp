// test_stream_queue.cpp — launch and completion in every interleaving of three threads, with
// records reused between the two steps of a launch (N5, N9, N10).
#include <array>

#include <doctest/doctest.h>

#include "scheduler/task/stream_queue.h"
#include "tests/scheduler/task/interleavings.h"

namespace weft::task {

namespace {

using model::Explorer;
using model::ModelAtomic;

// Whether a link knows which life of its record it belongs to.
enum class Links { WithGeneration, WithoutGeneration };

// One queue and three records, each of which has several lives. The queue identifies lives by
// number, so that its results name a life; the links are those of the records.
class World {
public:
    struct Life {
        u32 record;
        u32 generation;
    };

    static constexpr std::array<Life, 7> kLife = {
        {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 0}}};
    static constexpr u32 kOfThirdRecord = 6;
    static constexpr u32 kNobody = kLife.size();

    // Life 0 is launched and running, and no worker has taken it yet.
    explicit World(Links links) : links_(links) {
        explorer_.run_alone([this] { launch(0); });
    }

    Explorer& explorer() { return explorer_; }

    auto link_of() {
        return
            [this](u32 life) -> BasicQueueLink<ModelAtomic>& { return link_[kLife[life].record]; };
    }

    void launch(u32 life) {
        explorer_.note(launched_, u64{1} << 8 * life);
        link_[kLife[life].record].begin(ref(life).generation);
        const Appended how = queue_.append(ref(life), link_of());
        marks_found_ += u64{how == Appended::FoundDone};
        if (how != Appended::Linked) {
            start(life);
        }
    }

    // Completes the running task, unless another worker has taken it. Returns its life.
    u32 take_and_complete() {
        const u32 life = static_cast<u32>(ready_.exchange(kNobody, std::memory_order_relaxed));
        if (life != kNobody) {
            explorer_.note(started_, ~u64{0});
            const u32 successor = queue_.remove(ref(life), link_of());
            if (successor != kNone) {
                start(successor);
            }
        }
        return life;
    }

    // A worker: completes a task and uses its record for the next one.
    void take_and_launch_again() {
        const u32 life = take_and_complete();
        if (life + 2 < kOfThirdRecord) {
            launch(life + 2);
        }
    }

    // Threads are over. Completes what is left, and looks for what was lost.
    void check_end() {
        while (take_and_complete() != kNobody) {
        }
        const bool is_each_started_once =
            explorer_.word(launched_) << 8 == explorer_.word(started_);
        losses_ += u64{!is_each_started_once || !queue_.is_empty()};
    }

    // Ends where a task was not started, or was started twice, or was left in the queue.
    [[nodiscard]] u64 losses() const { return losses_; }

    // Starts of a task while another of the same queue was running.
    [[nodiscard]] u64 overlaps() const { return overlaps_; }

    // Launches that found their predecessor done, counted as often as they were replayed.
    [[nodiscard]] u64 marks_found() const { return marks_found_; }

private:
    QueueRef ref(u32 life) const {
        return {.index = life,
                .generation = links_ == Links::WithGeneration ? kLife[life].generation : 0};
    }

    void start(u32 life) {
        const u64 before = explorer_.note(started_, 1 + (u64{1} << 8 * (life + 1)));
        overlaps_ += u64{(before & 0xff) != 0};
        ready_.store(life, std::memory_order_relaxed);
    }

    Explorer explorer_;
    Links links_;
    u32 launched_ = explorer_.allocate(0);  // byte L: how often life L was launched
    u32 started_ = explorer_.allocate(0);   // byte 0: running now; byte 1 + L: starts of life L
    u64 losses_ = 0;
    u64 overlaps_ = 0;
    u64 marks_found_ = 0;
    ModelAtomic<u64> ready_{kNobody};  // the life that is running and that nobody has taken
    std::array<BasicQueueLink<ModelAtomic>, 3> link_;
    BasicStreamQueue<ModelAtomic> queue_;
};

// A launch while two workers complete, and reuse the records, up to twice.
void launch_against_two_workers(World& world) {
    world.explorer().add_thread([&] { world.launch(1); });
    world.explorer().add_thread([&] {
        world.take_and_launch_again();
        world.take_and_complete();
    });
    world.explorer().add_thread([&] {
        world.take_and_launch_again();
        world.take_and_launch_again();
        world.take_and_complete();
    });
}

}  // namespace

TEST_SUITE("scheduler/task/stream_queue") {
    TEST_CASE(
        "N9 N10 each task starts once and after its predecessor in every interleaving of a "
        "launch and two workers that reuse records") {
        World world(Links::WithGeneration);
        launch_against_two_workers(world);
        const double interleavings = world.explorer().explore([&] { world.check_end(); });
        MESSAGE(interleavings << " interleavings in " << world.explorer().states() << " states");
        CHECK(interleavings > 1e6);
        CHECK(world.losses() == 0);
        CHECK(world.overlaps() == 0);
        CHECK(world.marks_found() > 0);
    }

    TEST_CASE(
        "N9 N10 each task starts once and after its predecessor in every interleaving of two "
        "launches and a worker that reuses records") {
        World world(Links::WithGeneration);
        world.explorer().add_thread([&] { world.launch(1); });
        world.explorer().add_thread([&] { world.launch(World::kOfThirdRecord); });
        world.explorer().add_thread([&] {
            world.take_and_launch_again();
            world.take_and_launch_again();
            world.take_and_launch_again();
        });
        const double interleavings = world.explorer().explore([&] { world.check_end(); });
        MESSAGE(interleavings << " interleavings in " << world.explorer().states() << " states");
        CHECK(interleavings > 1e6);
        CHECK(world.losses() == 0);
        CHECK(world.overlaps() == 0);
        CHECK(world.marks_found() > 0);
    }

    TEST_CASE("N10 the model sees tasks lost where links carry no generation") {
        World world(Links::WithoutGeneration);
        launch_against_two_workers(world);
        world.explorer().explore([&] { world.check_end(); });
        CHECK(world.losses() + world.overlaps() > 0);
    }

    TEST_CASE("N5 tasks of one queue start in the order of their launch") {
        std::array<QueueLink, 4> link;
        const auto link_of = [&](u32 record) -> QueueLink& { return link[record]; };
        StreamQueue queue;
        const auto launch = [&](u32 record) {
            link[record].begin(7);
            return queue.append({.index = record, .generation = 7}, link_of);
        };
        CHECK(launch(2) == Appended::First);
        CHECK(launch(0) == Appended::Linked);
        CHECK(launch(3) == Appended::Linked);
        CHECK(queue.remove({.index = 2, .generation = 7}, link_of) == 0);
        CHECK(queue.remove({.index = 0, .generation = 7}, link_of) == 3);
        CHECK(queue.remove({.index = 3, .generation = 7}, link_of) == kNone);
        CHECK(queue.is_empty());
        CHECK(launch(1) == Appended::First);
    }
}

}  // namespace weft::task
