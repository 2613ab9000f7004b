// signals.h — SIGINT, SIGTERM and SIGHUP end the program at once while there is nothing to save;
// later they set a flag that the render loop reads. SIGUSR1 requests a snapshot.
//
//     install_signals() ──> leave_on_signal(sentence) ──> stop_on_signal()
//     │ A signal here prints the sentence, removes        │ A signal here sets was_interrupted();
//     │ unfinished files, kills compilers and ends        │ the second SIGINT ends the program
//     │ the program with 5.                               │ with 130.
//
// Import and build call libraries that nobody can stop, so the handler itself ends the program.
// main calls install_signals() once; one thread calls leave_on_signal() and stop_on_signal(); any
// thread may call the others.
#pragma once

#include <string_view>

namespace weft::app {

// From this call on, signals end the program.
void install_signals();

// From this call on, signals end the program with the message "interrupted SENTENCE" (none if the
// sentence is empty) and then `last_line`.
void leave_on_signal(std::string_view sentence, std::string_view last_line = "");

// From this call on, there is work to save: signals set was_interrupted(), and the caller polls it.
void stop_on_signal();

bool was_interrupted();

// Whether SIGUSR1 arrived since the last take_snapshot_wish(). The latter also clears the request.
bool is_snapshot_wanted();
bool take_snapshot_wish();

}  // namespace weft::app
