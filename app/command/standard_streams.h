// standard_streams.h — prepares the process's standard streams before the program opens any file.
//
// main calls protect_standard_streams() once, before everything else.
#pragma once

namespace weft::app {

// Opens the null device on each closed descriptor among 0, 1 and 2, so that no output file gets
// such a number and mixes with messages. Writes to such a descriptor 1 or 2 still fail. Ignores
// SIGPIPE and SIGXFSZ, so a closed pipe or a file beyond the size limit is a failed write.
void protect_standard_streams();

}  // namespace weft::app
