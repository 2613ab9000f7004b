// put_aside.h — files that stand where others shall be written, or that cannot be read, get another
// name and are kept.
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
