// colour_options.h — --ocio, --display-device, --view-transform and --look: the colour config of a
// command, and how its pictures are shown.
//
// One thread.
#pragma once

#include "app/command/render_options.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

// Declares --ocio, for commands that read scenes or write pictures.
void add_ocio_option(Command& command, const char* group, RenderOptions& options);

// Reads the config of --ocio or $OCIO, unless the options have one already, and fills in the names
// that the config chooses itself. Call it once, after the options are parsed. Error: the config
// cannot be used, or check_view().
base::Status choose_colours(RenderOptions& options);

// Error: there is no such display, view or look, or the view needs a file that is missing.
base::Status check_view(const RenderOptions& options);

// The view that these options choose, in a context without a scene.
void set_view(const RenderOptions& options, scene::EditContext& context);

// How a file shows that view, and which primaries it names.
void set_view(const RenderOptions& options, film::ImageConfig& config);

// Those of the context as options.
void take_view(const scene::EditContext& context, RenderOptions& options);

// Of the context: ours, or Standard where the config's is shown.
film::ViewTransform own_view(const scene::EditContext& context);

}  // namespace weft::app
