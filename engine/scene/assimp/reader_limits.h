// reader_limits.h — the memory and time that the reader process may take, by the size of its file.
//
// Generous for honest files, and small enough that a small broken one ends soon. Counts processor
// time, so that a busy machine refuses nothing. Sets no memory limit under sanitizers, whose shadow
// memory would exceed any. One thread.
#pragma once

#include <set>
#include <string>

#include "scheduler/base/ids.h"

namespace weft::scene {

class ReaderLimits {
public:
    // Limits this process before it opens a file. Never allows more memory than
    // `most_memory_bytes`.
    explicit ReaderLimits(u64 most_memory_bytes);

    // Raises the limits for a file that is read, once per file.
    void allow_for(const std::string& path);

private:
    void apply() const;

    u64 most_memory_bytes_;
    std::set<std::string> files_;
    u64 bytes_ = 0;  // of all files, unpacked
};

// "OBJ" of "obj"; "scene" without an extension.
std::string kind_name(const std::string& extension);

}  // namespace weft::scene
