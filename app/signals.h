// signals.h — SIGINT, SIGTERM and SIGHUP as a flag that the render loop reads, SIGUSR1 as the wish
// for a snapshot; a second SIGINT leaves at once with 130 and takes unfinished files and compilers
// away.
//
// install_signals() once, from main. The others from any thread.
#pragma once

namespace weft::app {

void install_signals();
bool was_interrupted();

// SIGUSR1 came since the last take_snapshot_wish().
bool is_snapshot_wanted();
bool take_snapshot_wish();

}  // namespace weft::app
