// standard_output.h — writes results to stdout and reports failures, such as a full disk behind a
// redirection.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <unistd.h>

#include "app/command/messages.h"
#include "scheduler/base/printable.h"

namespace weft::app {

// Writes lines of text with control characters escaped. If stdout does not take all of it, prints
// an error and returns false. A closed pipe (`weft info SCENE | head`) returns false without an
// error.
inline bool put_on_stdout(std::string_view lines) {
    const std::string safe = base::printable(lines, base::LineEnds::Kept);
    std::string_view text = safe;
    while (!text.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            if (errno != EPIPE) {
                say(Level::Error,
                    with_page("standard output: cannot be written; expected room for the result",
                              "commands"));
            }
            return false;
        }
    }
    return true;
}

}  // namespace weft::app
