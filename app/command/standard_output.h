// standard_output.h — results on stdout, where a full disk behind a redirection is a failure and
// not silence.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <unistd.h>

#include "app/command/messages.h"
#include "scheduler/base/printable.h"

namespace weft::app {

// Lines of text; what a terminal would obey is shown as escapes. False (and a sentence on stderr)
// where not all of it could be written. A reader that has enough (`weft info SCENE | head`) needs
// no sentence.
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
                    "standard output: cannot be written; expected room for the result");
            }
            return false;
        }
    }
    return true;
}

}  // namespace weft::app
