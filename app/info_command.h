// info_command.h — `weft info`: what is in a scene and what was repaired, replaced or ignored on
// import.
#pragma once

#include "app/render_options.h"

namespace weft::app {

int run_info(const RenderOptions& options);

}  // namespace weft::app
