// standard_output.h — results on stdout, where a full disk behind a redirection is a failure and
// not silence.
#pragma once

#include <cstdio>
#include <string>

namespace weft::app {

// False (and a sentence on stderr) where not all of it could be written.
inline bool put_on_stdout(const std::string& text) {
    const bool is_written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!is_written) {
        std::fputs("standard output: cannot be written; expected room for the result\n", stderr);
    }
    return is_written;
}

}  // namespace weft::app
