// json_text.h — the one reader of JSON that did not come out of this program: scenes, edits,
// settings, figures, values of --set.
//
// nlohmann's parser needs no recursion, but nearly all that is done to its values does, and numbers
// beyond a double's range make it throw. Here deep nesting is refused before parsing, every
// exception ends, and the sentence names the line. Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "scheduler/base/result.h"

namespace weft::scene {

// Levels of brackets that a text may nest; real files stay below 20.
inline constexpr int kMaxJsonNesting = 96;

// The sentence begins with the line ("line 3 is no JSON (...)"): callers put the file before it.
base::Result<nlohmann::json> parse_json(std::string_view text);

// A whole file of at most base::kMostTextBytes; `expected` says what it should be ("a file of
// edits"). Sentences begin with the path.
base::Result<nlohmann::json> read_json_file(const std::string& path, const std::string& expected);

// As text without line breaks (or indented); bytes that are no UTF-8 are replaced.
std::string json_to_text(const nlohmann::json& value, int indent = -1);

}  // namespace weft::scene
