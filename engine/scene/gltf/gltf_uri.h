// gltf_uri.h — URIs as glTF uses them: data URIs (base64 or percent text) and relative,
// percent-encoded file names.
//
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene::gltf {

bool is_data_uri(std::string_view uri);

// The bytes of a data URI; empty where its base64 is broken.
std::optional<std::vector<u8>> decode_data_uri(std::string_view uri);

// "a%20b" → "a b"; broken escapes stay as they are.
std::string decode_percent(std::string_view text);

// True for "http://x", "file:x": a scheme of two or more letters, digits, + - . and a colon.
bool has_scheme(std::string_view uri);

}  // namespace weft::scene::gltf
