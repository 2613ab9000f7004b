// view_command.h — `weft view [SCENE]`: the window.
//
// Called by main.cpp, once, on the main thread.
#pragma once

#include <string>

#include "app/command/render_options.h"

namespace weft::app {

struct ViewOptions {
    RenderOptions render;       // what the picture is to be, as for `weft render`
    std::string script_file;    // input events instead of hands
    float interface_scale = 0;  // of text and spaces; 0: as the display says
};

// Declares the options of view.
void add_view_options(CLI::App& command, ViewOptions& options);

// Exit code.
int run_view(const ViewOptions& options, const std::string& command_line);

}  // namespace weft::app
