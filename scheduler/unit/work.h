// work.h — what the workers divide, steal and hand over: items whose meaning is the caller's.
//
// The room knows only how large an item is, how to divide it, and whom to tell when a share of it
// is done. The renderer's items are sample ranges of tiles; a test's are ranges of numbers.
#pragma once

#include <array>

#include "scheduler/base/ids.h"

namespace weft::unit {

// Fixed size and trivially copyable, so that deques and registers hold it without allocating.
struct WorkItem {
    std::array<u64, 4> word{};
};

// What items mean. Any worker calls, several at once. What these calls throw ends the run with a
// sentence; next() and publish() must not wait for anything that needs a worker.
class Work {
public:
    Work() = default;
    virtual ~Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    Work(Work&&) = delete;
    Work& operator=(Work&&) = delete;

    // A root item that may start now; false: none now. Where the answer changes without a
    // publish(), whoever changes it calls WorkRunner::wake().
    virtual bool next(WorkItem& item) = 0;

    // True when next() will never give an item again; items already given may still be running.
    [[nodiscard]] virtual bool is_dry() const = 0;

    // True: the run is put aside. Shares on units that a worker steps stay in them as they are,
    // those on units with threads end, and the next run, which must be of the same work, goes on
    // with all of it. Asked by each worker between two steps: cheap.
    [[nodiscard]] virtual bool is_put_aside() { return false; }

    // Work left in an item, in the caller's unit of work (samples), at least 1.
    [[nodiscard]] virtual u64 size(const WorkItem& item) const = 0;

    // Keeps about `fraction` in (0, 1) of the item's work in it and puts the others into `rest`;
    // both then have work. False, with nothing changed: it cannot be divided further.
    virtual bool divide(WorkItem& item, double fraction, WorkItem& rest) const = 0;

    // A share is done well: its results stand in the private slots of (unit, portion), which are
    // not used again before this returns. Exactly once for every share of a run that succeeds,
    // whatever was lost or run twice meanwhile. May make next() give more.
    virtual void publish(const WorkItem& share, u32 unit, u32 portion) = 0;
};

}  // namespace weft::unit
