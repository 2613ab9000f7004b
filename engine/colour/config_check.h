// config_check.h — refuses configs that would let OpenColorIO crash, hang or wait for a pipe.
//
// OpenColorIO follows what a transform refers to without end: a colour space that is defined by
// itself, or an alias of YAML inside of its anchor, exhausts the stack. For this folder alone.
#pragma once

#include <OpenColorIO/OpenColorIO.h>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

namespace weft::colour {

// The text of a config. Error: an alias (*name) stands inside of what its anchor (&name) names. The
// sentence states the line; the caller puts the path in front of it.
base::Status check_text(std::string_view text);

// What a transform leads to in its config: colour spaces, looks, views and files. Error: it leads
// to itself, to too much, or to a file that is missing or no regular file.
base::Status check_transform(const OCIO_NAMESPACE::ConstConfigRcPtr& config,
                             const OCIO_NAMESPACE::ConstTransformRcPtr& transform);

}  // namespace weft::colour
