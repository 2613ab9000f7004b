// signals.h — SIGINT and SIGTERM as a flag that the render loop reads; a second SIGINT leaves at
// once with 130 and takes unfinished files away.
//
// install_signals() once, from main. was_interrupted() from any thread.
#pragma once

namespace weft::app {

void install_signals();
bool was_interrupted();

}  // namespace weft::app
