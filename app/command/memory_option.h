// memory_option.h — `--memory-limit`, which bounds the whole process for every command.
//
// main.cpp calls it once, before the command reads any file. Defined in render_options.cpp.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::app {

// Sets the limit to `size`, or to the machine's free memory if `size` is empty.
base::Status apply_memory_limit(const std::string& size);

}  // namespace weft::app
