// page_lives.h — where each page is in its life, and which one leaves next.
//
// The page store owns one. Kernels see PageState; behind it a phase says more:
//
//     Far ─start()─▶ Coming ─publish()─▶ Near ─close_one()─▶ Leaving ─begin_evict()─▶ Far
//      ▲               │                  ▲                     │
//      └───abandon()───┘                  └─────restore()───────┘
//
// A page stays near while a walk of it is open. The hand of the clock makes a Used page Fresh
// again, and so finds out by its next turn whether anybody has entered it since. The control
// (Eviction::LeastRecent) notes at every load which pages were entered since the last one, and
// closes the page whose last use is longest ago. Needs the store's lock, where nothing else is
// said.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/pages/reader_epochs.h"
#include "scheduler/task/task.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::pages {

// Which page leaves next, of those without a walk.
enum class Eviction : u8 {
    Clock,        // the next one that was not entered since the hand passed last
    LeastRecent,  // the one that was used longest ago; uses between two loads count as one time
};

enum class Phase : u8 {
    Far,      // not in memory; its rows may still be on their way back to the system
    Coming,   // a load is launched
    Near,     // in memory
    Leaving,  // closed, and its rows are as they were
};

// A page that was closed while readers may have been inside.
struct LeavingPage {
    u32 page;
    u64 epoch;  // readers inside must have reached it
    task::EventId left;
};

class PageLives {
public:
    PageLives(u64 page_count, u32 reader_count, Eviction eviction);

    [[nodiscard]] std::atomic<shaders::PageState>* states() const { return states_.get(); }

    [[nodiscard]] ReaderEpochs& epochs() { return epochs_; }

    [[nodiscard]] Phase phase(u32 page) const { return phases_[page]; }

    void start(u32 page);
    void publish(u32 page);
    // The read has failed.
    void abandon(u32 page);
    // A reader waits for the page from the one to the other. True: it is the first, or was the
    // last.
    bool begin_walk(u32 page);
    bool end_walk(u32 page);

    // Closes the next page that may leave.
    std::optional<u32> close_one();

    // How often the page was closed: an eviction that was launched for another time is void.
    [[nodiscard]] u32 turn(u32 page) const { return turns_[page]; }

    // The eviction of a closed page waits for `left` to happen.
    void wait_for_readers(u32 page, task::EventId left);
    // The next closed page that no reader can traverse any more, and whose event has to happen now.
    std::optional<LeavingPage> take_left();

    // Pages whose events have not happened. Any thread.
    [[nodiscard]] bool is_any_waited_for() const { return waiting_count_.load() > 0; }

    // A closed page is near again. Returns its event, if that has to happen now.
    std::optional<task::EventId> restore(u32 page);
    // From here on the page's rows may go; false: it was not closed, or restored meanwhile.
    bool begin_evict(u32 page, u32 turn);

private:
    [[nodiscard]] bool may_leave(u32 page);
    void note_use(u32 page);
    void note_uses();
    [[nodiscard]] std::optional<u64> next_by_clock();
    [[nodiscard]] std::optional<u64> least_recent();

    std::unique_ptr<std::atomic<shaders::PageState>[]> states_;
    std::vector<u32> walks_;  // readers that wait, by page
    std::vector<Phase> phases_;
    std::vector<u32> turns_;
    Eviction eviction_;
    std::vector<u64> used_at_;  // by page: `time_` of its last use; LeastRecent only
    u64 time_ = 0;              // counts loads and evictions
    ReaderEpochs epochs_;
    std::vector<u32> near_;
    u64 hand_ = 0;                        // in near_
    std::deque<LeavingPage> leaving_;     // oldest first, those with an event
    std::atomic<u32> waiting_count_ = 0;  // of leaving_
};

}  // namespace weft::pages
