// option_help.h — how options are shown by --help, and which of two equal ones counts.
#pragma once

namespace CLI {
class App;
}

namespace weft::app {

// For a command all of whose options are there: defaults are taken from the variables for the help
// text, of an option with one value that is given twice the last counts, and the help text shows
// groups, kinds of values and defaults.
void finish_options(CLI::App& command);

}  // namespace weft::app
