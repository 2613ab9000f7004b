// reader_limits.h — how much memory and time the process with assimp may take: more for larger
// files.
//
// Generous for any file that is what it seems to be, and small enough that a small broken one ends
// soon. Time is the processor's, so that a busy machine refuses nothing. Under sanitizers memory is
// not limited, which their shadow memory would not survive. One thread.
#pragma once

#include <set>
#include <string>

#include "scheduler/base/ids.h"

namespace weft::scene {

class ReaderLimits {
public:
    // Of this process, before it has opened a file. Never more memory than `most_memory_bytes`.
    explicit ReaderLimits(u64 most_memory_bytes);

    // Raises them for a file that is read, once.
    void allow_for(const std::string& path);

private:
    void apply() const;

    u64 most_memory_bytes_;
    std::set<std::string> files_;
    u64 bytes_ = 0;  // of these, unpacked
};

// "OBJ" of "obj"; "scene" without an extension.
std::string kind_name(const std::string& extension);

}  // namespace weft::scene
