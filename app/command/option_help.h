// option_help.h — the layout of --help, and the rule for repeated options.
#pragma once

namespace CLI {
class App;
}

namespace weft::app {

// Call it after a command has all its options. The help text then shows groups, kinds of values and
// defaults, which it reads from the options' variables. If an option with one value occurs twice,
// the last one counts.
void finish_options(CLI::App& command);

}  // namespace weft::app
