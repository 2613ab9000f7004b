// aside.h — work of the engine on a thread of its own, while the Python thread that asked for it
// waits without the interpreter's lock (GIL).
//
//     Python thread ── work_aside() ── releases the GIL ── waits ─────────────── takes the GIL ──▶
//                            │                              │ 20 times a second, with the GIL:
//                            ▼                              │ signal handlers of Python, look()
//                       own thread ── work() ──────────────────── done
//
// So other Python threads run meanwhile, Ctrl+C reaches the waiting thread, callbacks run on the
// thread that passed them, signals reach Python's threads alone, and the floating-point state of
// kernels stays away from these.
#pragma once

#include <functional>
#include <optional>

#include "scheduler/base/result.h"

namespace weft::python {

struct AsideHooks {
    // Called with the GIL, some 20 times a second and once at the end. False: a Python error is
    // set. May be empty.
    std::function<bool()> look;
    // Asks the work to end soon, after a Python error or where the interpreter ends. Any thread.
    // May be empty.
    std::function<void()> cancel;
};

// Call it with the GIL. Returns what `work` returned, with an error in place of what it threw; or
// none, where a Python error is set: by look(), or by a signal handler (KeyboardInterrupt). Refuses
// in a process that was forked from one which had worked, for it lacks that one's threads.
std::optional<base::Status> work_aside(const std::function<base::Status()>& work,
                                       const AsideHooks& hooks);

// Cancels all work and returns when none is left; none begins any more. Call it with the GIL before
// the interpreter ends: a thread that came back later would find no interpreter.
void end_work();

}  // namespace weft::python
