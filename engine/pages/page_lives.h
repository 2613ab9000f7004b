// page_lives.h — where each page is in its life, and which one leaves next.
//
// The page store owns one. Kernels see PageState; behind it a phase says more:
//
//     Far ─start()─▶ Coming ─publish()─▶ Promised ─hand, if entered─▶ Passed ─hand─▶ Leaving
//      ▲               │                  ▲    ▲                       │              │
//      ├───abandon()───┘                  │    └────────ask()──────────┘              │
//      │                                  └─────────────restore()─────────────────────┤
//      └──────────────take_left(): the readers that were inside have left─────────────┘
//
// A promised page stays until somebody has entered it. The hand of the clock makes a Used page
// Fresh again, and so finds out by its next turn whether anybody has entered it since. ask() is for
// any thread without a lock; everything else needs the store's lock.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/pages/page_file.h"
#include "engine/pages/reader_epochs.h"

namespace weft::pages {

enum class Phase : u8 {
    Far,       // no memory
    Coming,    // a read is under way
    Promised,  // near, not to be evicted before it has been entered
    Passed,    // near; leaves if nobody enters it before the hand comes back
    Leaving,   // closed; readers that were inside may still traverse it
};

class PageLives {
public:
    PageLives(const std::vector<PageEntry>& pages, u32 reader_count);

    [[nodiscard]] std::atomic<shaders::PageState>* states() const { return states_.get(); }

    [[nodiscard]] ReaderEpochs& epochs() { return epochs_; }

    // Promises the page if it is near. Returns Promised, Coming, or one that needs more: Far,
    // Leaving.
    Phase ask(u32 page);

    void start(u32 page);
    void publish(u32 page);
    // The read has failed.
    void abandon(u32 page);
    // A leaving page is near and promised again.
    void restore(u32 page);
    // Closes the next page that may leave; false if there is none.
    bool retire_one();
    // The next closed page that no reader can traverse any more; it is Far from here on, and the
    // caller gives its memory back before anything else.
    std::optional<u32> take_left();
    // Nobody waits for any page any more.
    void end_promises();

    // Of all closed pages.
    [[nodiscard]] u64 leaving_bytes() const { return leaving_bytes_; }

private:
    struct LeavingPage {
        u32 page;
        u64 epoch;  // readers inside must have reached it
    };

    // Whether the page left.
    bool pass(u32 page);

    const std::vector<PageEntry>& pages_;
    std::unique_ptr<std::atomic<shaders::PageState>[]> states_;
    std::unique_ptr<std::atomic<Phase>[]> phases_;
    ReaderEpochs epochs_;
    std::vector<u32> near_;
    u64 hand_ = 0;  // in near_
    std::deque<LeavingPage> leaving_;
    u64 leaving_bytes_ = 0;
    std::vector<u32> coming_;
    std::vector<u32> unasked_;  // of those coming, whose promises ended
};

}  // namespace weft::pages
