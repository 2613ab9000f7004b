// info_command.h — `weft info`: what is in a scene and what was repaired, replaced or ignored on
// import; or what devices there are and what each of them would run.
#pragma once

#include "app/command/render_options.h"

namespace weft::app {

int run_info(const RenderOptions& options);

// --devices: no scene is read.
int run_devices(const RenderOptions& options);

}  // namespace weft::app
