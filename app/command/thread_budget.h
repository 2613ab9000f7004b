// thread_budget.h — bounds the number of threads by what is useful and by what the system allows.
//
// The program calls choose_threads() once, before it starts its first thread.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::app {

// `threads` is the value of --threads; 0 means all cores. Lowers `threads` if it far exceeds the
// number of cores. If the system allows fewer threads than a command needs (`ulimit -u`), lowers
// `threads` and the thread counts of OpenImageIO and TBB. Returns a sentence for each reduction, or
// an error if the system allows fewer threads than the libraries of the image codecs start, and two
// more.
base::Result<std::vector<std::string>> bound_threads(u32& threads);

// The same; says each sentence as a warning.
base::Status choose_threads(u32& threads);

}  // namespace weft::app
