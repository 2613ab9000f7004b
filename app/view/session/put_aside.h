// put_aside.h — renames files that cannot be read, or whose name a new file needs, so that none is
// lost.
//
// Touches the file system only. Any thread.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::app {

// Moves a file out of the way, to a name beside it that is free; that name.
base::Result<std::string> move_aside(const std::string& path);

// The same to a file that cannot be read, so that it is complained about once: `fault`, and where
// the file is now.
std::string set_aside(const std::string& path, const std::string& fault);

}  // namespace weft::app
