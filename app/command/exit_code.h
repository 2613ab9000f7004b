// exit_code.h — the documented exit codes of the program; help_tables.h has their texts.
#pragma once

#include "scheduler/base/result.h"

namespace weft::app {

inline constexpr int kExitDone = 0;
inline constexpr int kExitRender = 1;  // rendering failed; verify: a hash differs
inline constexpr int kExitUsage = 2;
inline constexpr int kExitScene = 3;   // a scene or another input cannot be used
inline constexpr int kExitOutput = 4;  // an output cannot be written
inline constexpr int kExitSignal = 5;  // ended by a signal; existing samples are saved
inline constexpr int kExitMemory = 33;
inline constexpr int kExitSecondSignal = 130;  // ended by the second SIGINT

inline int exit_code(base::ErrorKind kind) {
    switch (kind) {
        case base::ErrorKind::Usage:
            return kExitUsage;
        case base::ErrorKind::Scene:
        case base::ErrorKind::TooLarge:
            return kExitScene;
        case base::ErrorKind::Output:
            return kExitOutput;
        case base::ErrorKind::Memory:
            return kExitMemory;
        case base::ErrorKind::Render:
            break;
    }
    return kExitRender;
}

}  // namespace weft::app
