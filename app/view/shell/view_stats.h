// view_stats.h — the figures of a session in the viewer as JSON (--stats).
//
// How long frames of the interface took, how soon first pictures came, what the last render did.
// Called once, at the end, on the interface thread.
#pragma once

#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Writes the file whole or not at all.
base::Status write_view_stats(const std::string& path,
                              const ViewState& state,
                              const std::string& command_line);

}  // namespace weft::app
