// messages.h — sentences on stderr that never end the program.
//
// A message that cannot be written (a full disk behind a redirection, a terminal that went away, a
// closed pipe) is lost, and nothing else is: the picture comes first. Any thread; a message is one
// write, so messages of several threads do not mix.
#pragma once

#include <string_view>

#include "scheduler/base/result.h"

namespace weft::app {

// "weft: SENTENCE" and a line end; what a terminal would obey is shown as escapes.
void say(std::string_view sentence);

// Exactly these bytes.
void put_on_stderr(std::string_view text);

// Says what went wrong; the exit code for it.
int fail(const base::Error& error);

}  // namespace weft::app
