// standard_streams.h — what the program needs of its process before it opens the first file.
//
// protect_standard_streams() once, first thing in main.
#pragma once

namespace weft::app {

// Descriptors 0, 1 and 2 that are closed get the null device, so that no file of ours can take
// their number and be mixed with messages; writing to 1 or 2 fails as before. A closed pipe
// (SIGPIPE) and a file beyond the size limit (SIGXFSZ) are failed writes, not the end of the
// program.
void protect_standard_streams();

}  // namespace weft::app
