// serve_command.h — `weft serve`: renders for another program, over a Unix socket.
//
// Called by main.cpp, once, on the main thread.
#pragma once

#include <string>

#include "app/command/render_options.h"

namespace weft::app {

struct ServeOptions {
    RenderOptions render;      // devices, threads, memory: what is usual for every client
    std::string folder;        // of the socket; empty: ListeningSocket::open() chooses
    std::string save_folder;   // where clients may save files; empty: nowhere
    bool stays = false;        // waits for the next client when one has gone
    std::string command_line;  // of the server, as headers of pictures name it
};

// Declares the options of serve.
void add_serve_options(Command& command, ServeOptions& options);

// Serves one client, or with `stays` one after the other; returns the exit code.
int run_serve(const ServeOptions& options);

}  // namespace weft::app
