// signals.h — SIGINT, SIGTERM and SIGHUP: the end at once while there is nothing to save, then a
// flag that the render loop reads; SIGUSR1 as the wish for a snapshot.
//
//     install_signals() ──> leave_on_signal(what is done now) ──> stop_on_signal()
//       a signal here: says so, takes unfinished files and          a signal here:
//       was_interrupted(); compilers away, ends with 5 whatever runs                   the second
//       SIGINT ends with 130
//
// Importing and building call libraries that cannot be stopped, so the handler itself ends the
// program. install_signals() once, from main; leave_on_signal() and stop_on_signal() from one
// thread; the others from any thread.
#pragma once

#include <string_view>

namespace weft::app {

// Signals end the program from here on.
void install_signals();

// The same, with the message "interrupted SENTENCE" (none for an empty one) and after it
// `last_line`.
void leave_on_signal(std::string_view sentence, std::string_view last_line = "");

// From here on there is something to save, and whoever makes it asks was_interrupted().
void stop_on_signal();

bool was_interrupted();

// SIGUSR1 came since the last take_snapshot_wish().
bool is_snapshot_wanted();
bool take_snapshot_wish();

}  // namespace weft::app
