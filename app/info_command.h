// info_command.h — `weft info`: lists what a scene contains and what the import repaired, replaced
// or ignored; with --devices, lists the devices and the kernels that each would run; with --cache,
// the page files of --cache-dir.
#pragma once

#include "app/command/render_options.h"

namespace weft::app {

int run_info(const RenderOptions& options);

// Runs `weft info --devices`, which reads no scene.
int run_devices(const RenderOptions& options);

// Runs `weft info --cache`, which reads no scene.
int run_cache(const RenderOptions& options);

}  // namespace weft::app
