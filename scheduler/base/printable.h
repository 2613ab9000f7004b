// printable.h — makes text from files safe for a terminal.
//
// A terminal executes escape sequences: one in a node's name could move the cursor, rename the
// window or type commands. The program passes all terminal output through here. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace weft::base {

enum class LineEnds {
    Escaped,  // the text is one line: a name, a sentence
    Kept,     // it has lines, as a report
};

// Control characters (C0, DEL, C1), those that turn the direction of text, line and paragraph
// separators as \u001b, bytes that are no UTF-8 as \xff. JSON texts stay the same JSON values.
std::string printable(std::string_view text, LineEnds line_ends = LineEnds::Escaped);

}  // namespace weft::base
