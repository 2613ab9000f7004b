// size_text.h — amounts of memory as people type them.
//
// Pure; any thread.
#pragma once

#include <string>

#include "scheduler/base/ids.h"

namespace weft::app {

// "512M", "8G", "2GiB", "1000000" in bytes, K to T in steps of 1024; 0 where it is none of these or
// more than 64 bits hold.
u64 parse_size(const std::string& text);

}  // namespace weft::app
