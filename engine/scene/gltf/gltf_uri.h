// gltf_uri.h — URIs as glTF uses them: data URIs in base64 and relative, percent-encoded file
// names.
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene::gltf {

bool is_data_uri(std::string_view uri);

enum class DataUse { Buffer, Picture };

struct DataBytes {
    std::vector<u8> bytes;
    std::string fault;  // "a data URI …", what was expected; empty: there are bytes
};

// The bytes of a data URI whose media type fits the use. A buffer is application/octet-stream or
// application/gltf-buffer, a picture image/… or application/octet-stream, since its first bytes
// say its format. Either may have no type, or parameters behind it. Text that is not base64 is
// refused: glTF has none, and a forgotten ";base64" would make letters of numbers.
DataBytes decode_data_uri(std::string_view uri, DataUse use);

// The URI, cut to the length that a sentence has room for.
std::string shorten(std::string_view uri);

// "a%20b" → "a b"; broken escapes stay as they are.
std::string decode_percent(std::string_view text);

// True for "http://x", "file:x": a scheme of two or more letters, digits, + - . and a colon.
bool has_scheme(std::string_view uri);

}  // namespace weft::scene::gltf
