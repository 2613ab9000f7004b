// messages.h — messages on stderr. A failed write never ends the program.
//
// If stderr refuses a message (full disk behind a redirection, lost terminal, closed pipe), only
// the message is lost: the picture matters more. Any thread; each message is one write, so messages
// of several threads do not interleave. Call choose_messages() once, before the other functions.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::app {

// Error: the command fails. Warning: the picture may differ from the user's intent. Info: progress
// of interest to every user. Debug: details.
enum class Level : u8 { Error, Warning, Info, Debug };

std::string_view level_name(Level level);  // "error", "warning", "info", "debug"

// Text: "weft: SENTENCE". Json: an object per line. OpenJd: text, and a failure also on stdout.
enum class MessageStyle : u8 { Text, Json, OpenJd };

// The version of the JSON lines on stderr: it rises when a field changes or goes, not when one is
// added.
inline constexpr int kLineSchema = 1;

// Enables the levels from Error up to `most`.
void choose_messages(Level most, MessageStyle style);

// Returns "weft: SENTENCE" or {"schema": …, "level": …, "message": …}, with a line end. Control
// characters are escaped. Returns an empty text for a disabled level.
std::string message_line(Level level, std::string_view sentence);

// Writes message_line() to stderr.
void say(Level level, std::string_view sentence);

// Writes exactly these bytes.
void put_on_stderr(std::string_view text);

// Writes "openjd_fail: SENTENCE" to stdout, in that style alone.
void say_failed(std::string_view sentence);

// The page on scene files, pictures and other outputs.
inline constexpr std::string_view kFilesPage = "files";

// The sentence with the page that helps, "…; see weft help PAGE", unless it names one or `page` is
// empty.
std::string with_page(std::string sentence, std::string_view page);

// An error of an option ends with the option's page, "--spp: …; see weft help spp", one of an
// output (code 4, or of -o) with that of files; others have none.
std::string with_page(const base::Error& error);

// Writes the error's sentence with its page and returns its exit code. Gives the reserve free for
// an error of memory.
int fail(const base::Error& error);

// Keeps some memory for the sentences of a command that runs out of it. Call it once, before any
// work.
void reserve_failure();

// The same as fail() for a command that std::bad_alloc ended: gives the reserve free, and writes
// the sentence without its page where even that does not do. Throws nothing.
int fail_without_memory(const char* sentence) noexcept;

// Returns the error for a thread that the system refused in the middle of a command.
base::Error no_thread(const std::system_error& refusal);

}  // namespace weft::app
