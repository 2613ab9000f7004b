// thread_budget.h — bounds the number of threads by what is useful and by what the system allows.
//
// Call choose_threads() once, before the program starts its first thread.
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::app {

// `threads` is the value of --threads; 0 means all cores. Lowers `threads` if it far exceeds the
// number of cores. If the system allows fewer threads than a command needs (`ulimit -u`), lowers
// `threads` and the thread counts of OpenImageIO and TBB. A message reports each reduction. Returns
// an error if the system allows fewer threads than the libraries of the image codecs start, and two
// more.
base::Status choose_threads(u32& threads);

}  // namespace weft::app
