// own_mounts.h — disks that a test mounts in a mount namespace of its own.
//
// One thread.
#pragma once

#include <cstdlib>
#include <string>
#include <unistd.h>

#include "tests/skipped.h"

namespace weft::app::testing {

// The command before one that gets a mount namespace.
inline const char* unshare_command() {
    return ::geteuid() == 0 ? "unshare -m" : "unshare -rm";
}

// Whether disks can be mounted for a case; it is skipped otherwise.
inline bool has_mounts() {
    const std::string probe = std::string(unshare_command()) +
                              " sh -c 'mount -t tmpfs none /mnt && umount /mnt' 2>/dev/null";
    static const bool is_there = std::system(probe.c_str()) == 0;
    return tests::is_there_or_skipped(
        is_there, "mounts in a namespace of their own", tests::Source::Person);
}

}  // namespace weft::app::testing
