// help_tables.h — exit codes and environment variables, as the help and the man pages list them.
//
// Constants; any thread.
#pragma once

#include <array>

#include "app/command/exit_code.h"

namespace weft::app {

struct ExitCodeText {
    int code;
    const char* meaning;
};

inline constexpr std::array<ExitCodeText, 8> kExitCodeTexts = {{
    {kExitDone, "done"},
    {kExitRender, "failed while rendering; verify: a hash differs"},
    {kExitUsage, "wrong usage"},
    {kExitScene, "a scene or another input cannot be used"},
    {kExitOutput, "an output cannot be written"},
    {kExitSignal, "ended by a signal after saving what there was"},
    {kExitMemory, "out of memory"},
    {kExitSecondSignal, "ended by the second SIGINT"},
}};

struct VariableText {
    const char* name;
    const char* meaning;
};

inline constexpr std::array<VariableText, 8> kVariableTexts = {{
    {"WEFT_SCENE_PATH",
     "folders, separated by colons, that are searched for a SCENE that is no file, after ./scenes "
     "and before the example scenes"},
    {"OCIO", "the colour config of --ocio, for commands without that option"},
    {"PATH",
     "folders that are searched for the C++ compiler of --jit (clang++-16, clang++, c++, g++)"},
    {"XDG_CACHE_HOME", "keeps in weft/ what --jit built; ~/.cache without it"},
    {"XDG_CONFIG_HOME", "keeps in weft/ what the viewer remembers; ~/.config without it"},
    {"XDG_DATA_HOME",
     "keeps in weft/edits/ the edits of scenes that are no file; ~/.local/share without it"},
    {"XDG_RUNTIME_DIR", "keeps in weft/ the socket of weft serve"},
    {"DISPLAY, WAYLAND_DISPLAY", "the display of the viewer's window"},
}};

}  // namespace weft::app
