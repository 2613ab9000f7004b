// work.h — the items that workers divide, steal and hand over; the caller defines their meaning.
//
// The room asks the caller for an item's size, divides it through the caller, and publishes done
// shares to it. The renderer's items are sample ranges of tiles; those of tests are number ranges.
#pragma once

#include <array>
#include <cstddef>

#include "scheduler/base/ids.h"

namespace weft::unit {

inline constexpr std::size_t kWorkWords = 5;

// Of fixed size and trivially copyable: deques and registers hold it without allocation.
struct WorkItem {
    std::array<u64, kWorkWords> word{};
};

// The caller's side. Several workers call at once. An exception ends the run with a sentence;
// next() and publish() must not wait for anything that needs a worker.
class Work {
public:
    Work() = default;
    virtual ~Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    Work(Work&&) = delete;
    Work& operator=(Work&&) = delete;

    // A root item that may start now; false: none now. A thread that changes the answer outside of
    // publish() calls WorkRunner::wake().
    virtual bool next(WorkItem& item) = 0;

    // True if next() will never give another item; items already given may still be running.
    [[nodiscard]] virtual bool is_dry() const = 0;

    // True: put the run aside. Units keep their shares as they are between two steps, and the next
    // run, which must be of the same work, continues. Each worker that is awake calls this between
    // two steps, so it must be cheap; WorkRunner::wake() has the others call it.
    [[nodiscard]] virtual bool is_put_aside() { return false; }

    // Work left in an item, in the caller's unit of work (samples), at least 1.
    [[nodiscard]] virtual u64 size(const WorkItem& item) const = 0;

    // Keeps about `fraction` in (0, 1) of the item's work and moves the other work into `rest`;
    // neither is empty then. False, with nothing changed: the item cannot be divided further.
    virtual bool divide(WorkItem& item, double fraction, WorkItem& rest) const = 0;

    // A share succeeded: its results are in the private slots of (unit, portion), which stay
    // untouched until this returns. Called exactly once for every share of a successful run, even
    // if units were lost or parts run twice. May make next() give more.
    virtual void publish(const WorkItem& share, u32 unit, u32 portion) = 0;
};

}  // namespace weft::unit
