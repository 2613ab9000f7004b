// size_rule.h — how much memory a file may take in proportion to its bytes.
//
// A few bytes of glTF can name millions of elements, instances and texels. What honest files become
// stays below 256 times what is read of them (Draco's triangles with their tree come nearest), or
// is small: 512 MiB are free. Of one import; its thread alone.
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

    // Bytes of the file, and of the files that it names.
    void add_read(u64 bytes);
    // What they become: an error where that is too much, with the sum.
    base::Status add_made(u64 bytes, const std::string& what);

private:
    std::string file_;
    u64 read_bytes_ = 0;
    u64 made_bytes_ = 0;
};

}  // namespace weft::scene
