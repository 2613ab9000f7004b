// thread_budget.h — how many threads the program uses: no more than help, no more than there can
// be.
//
// choose_threads() once, before the first thread. One thread.
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::app {

// `threads` is what --threads says, 0 for all cores. Far more than the machine runs at once are cut
// down. Where the system refuses as many as a command needs (`ulimit -u`), `threads` and the
// threads of the packages are cut down, too. A message says either. Error: there cannot be any
// thread beside this one.
base::Status choose_threads(u32& threads);

}  // namespace weft::app
