// put_aside.h — renames files that cannot be read, or whose name a new file needs, so that none is
// lost.
//
// Touches the file system only. Any thread.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::app {

// Moves a file to a free name beside it; returns that name.
base::Result<std::string> move_aside(const std::string& path);

// Moves an unreadable file aside, so that its error appears only once. Returns `fault` and the
// file's new place.
std::string set_aside(const std::string& path, const std::string& fault);

}  // namespace weft::app
