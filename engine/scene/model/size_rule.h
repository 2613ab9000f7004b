// size_rule.h — how much memory a file may take in proportion to its bytes.
//
// A few bytes of glTF can name millions of elements, instances and texels. Honest files become at
// most 256 times their bytes (Draco's triangles with their tree come nearest), or are small: the
// first 512 MiB are free. One rule for each import, on its thread alone.
#pragma once

#include <string>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

inline constexpr u64 kFreeBytes = u64{512} << 20;
inline constexpr u64 kBytesPerByteRead = 256;

class SizeRule {
public:
    explicit SizeRule(std::string file) : file_(std::move(file)) {}

    // Adds bytes of the file, or of the files that it names.
    void add_read(u64 bytes);
    // Adds memory that they become; an error with the sum where that is too much.
    base::Status add_made(u64 bytes, const std::string& what);

private:
    std::string file_;
    u64 read_bytes_ = 0;
    u64 made_bytes_ = 0;
};

}  // namespace weft::scene
