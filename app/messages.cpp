#include "app/messages.h"

#include <cerrno>
#include <string>
#include <unistd.h>

#include "app/exit_code.h"
#include "scheduler/base/printable.h"

namespace weft::app {

void put_on_stderr(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            return;
        }
    }
}

void say(std::string_view sentence) {
    std::string line = "weft: ";
    line += base::printable(sentence);
    line += '\n';
    put_on_stderr(line);
}

int fail(const base::Error& error) {
    say(error.sentence);
    return exit_code(error.kind);
}

}  // namespace weft::app
