// option_words.h — options of `weft render` that come as words of a message.
//
// The same table as the command line's reads them, so names, values and sentences are the same. One
// thread.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "scheduler/base/result.h"

namespace weft::app::serve {

// How a scene is read and lit: --environment and its kin, --missing-file, --asset-root.
base::Result<RenderOptions> read_scene_words(const RenderOptions& usual,
                                             const std::vector<std::string>& words);

// How it is rendered: samples, size, light transport, devices, scheduling, the view of display
// values. What no word says is as in `usual`. Errors (kind Usage) name the word.
base::Result<RenderOptions> read_render_words(const RenderOptions& usual,
                                              const std::vector<std::string>& words);

}  // namespace weft::app::serve
