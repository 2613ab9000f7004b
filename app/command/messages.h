// messages.h — sentences on stderr that never end the program.
//
// A message that cannot be written (a full disk behind a redirection, a terminal that went away, a
// closed pipe) is lost, and nothing else is: the picture comes first. Any thread; a message is one
// write, so messages of several threads do not mix. choose_messages() once, before the others.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::app {

// Warning: the picture may not be what was meant. Info: what a person likes to know. Debug: more.
enum class Level : u8 { Error, Warning, Info, Debug };

// The level of that name; Info where there is none.
Level level_named(std::string_view name);

// Messages up to `most` are said; as lines of text, or of JSON for programs.
void choose_messages(Level most, bool is_json);

// "weft: SENTENCE" and a line end, or {"level": …, "message": …}; what a terminal would obey is
// shown as escapes. Empty where messages of the level are not said.
std::string message_line(Level level, std::string_view sentence);

// Writes that line.
void say(Level level, std::string_view sentence);

// Exactly these bytes.
void put_on_stderr(std::string_view text);

// Says what went wrong; the exit code for it.
int fail(const base::Error& error);

// The error that the system refused a thread in the middle of a command.
base::Error no_thread(const std::system_error& refusal);

}  // namespace weft::app
