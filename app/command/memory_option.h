// memory_option.h — `--memory-limit`, which holds for the whole process, whatever the command.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::app {

// The limit, or what is free where `size` is empty; before anything is read.
base::Status apply_memory_limit(const std::string& size);

}  // namespace weft::app
