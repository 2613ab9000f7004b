// size_text.h — parses and writes amounts of memory as people type them.
//
// Pure; any thread.
#pragma once

#include <string>

#include "scheduler/base/ids.h"

namespace weft::base {

// Returns the bytes of a text such as "512M", "8G", "2GiB" or "1000000". K, M, G and T are powers
// of 1024. Returns 0 for any other text and for sizes beyond 64 bits.
u64 parse_size(const std::string& text);

// Returns the shortest such text, or "" for 0.
std::string size_text(u64 bytes);

}  // namespace weft::base
