// view_command.h — `weft view [SCENE]`: the window.
//
// Called by main.cpp, once, on the main thread.
#pragma once

#include <string>

#include "app/command/render_options.h"

namespace weft::app {

struct ViewOptions {
    RenderOptions render;       // what to render, as for `weft render`
    std::string script_file;    // input events that replace a person's
    float interface_scale = 0;  // of text and spacing; 0: the display's
};

// Declares the options of view.
void add_view_options(Command& command, ViewOptions& options);

// Runs the viewer; returns the exit code.
int run_view(const ViewOptions& options, const std::string& command_line);

}  // namespace weft::app
