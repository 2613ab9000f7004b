// json_text.h — the one reader of JSON that did not come out of this program: scenes, edits,
// settings, figures, values of --set.
//
// nlohmann's parser does not recurse, but nearly every operation on its values does, and it throws
// on numbers beyond a double's range. This reader refuses deep nesting before it parses, lets no
// exception out, and names the line in its error. Any thread.
//
// The full header of nlohmann costs every file that includes it two seconds of compile time, so
// readers take values apart with the functions below, and only the files that build or change
// values include it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

using Json = nlohmann::json;

// Levels of brackets that a text may nest; real files stay below 20.
inline constexpr int kMaxJsonNesting = 96;

// The error begins with the line ("line 3 is no JSON (...)"); callers put the file before it.
base::Result<Json> parse_json(std::string_view text);

// A whole file of at most base::kMostTextBytes; `expected` says what it should be ("a file of
// edits"). Errors begin with the path: also where an object has two members of one name, of which a
// reader would take the last.
base::Result<Json> read_json_file(const std::string& path, const std::string& expected);

// JSON text without line breaks (or indented); bytes that are no UTF-8 are replaced.
std::string json_to_text(const Json& value, int indent = -1);

// A number as a JSON text.
std::string number_to_text(double value);

// The value null.
const Json& null_json();

// What a value is. A count is a whole number that is not negative.
bool is_null(const Json& value);
bool is_number(const Json& value);
bool is_whole(const Json& value);
bool is_count(const Json& value);
bool is_text(const Json& value);
bool is_list(const Json& value);
bool is_object(const Json& value);

// The content of a value that is of this kind.
bool flag_of(const Json& value);
double number_of(const Json& value);
u64 count_of(const Json& value);
const std::string& text_of(const Json& value);

// How many elements a list or members an object has.
std::size_t size_of(const Json& value);
// The element of a list, `index` < size_of(list).
const Json& item(const Json& list, std::size_t index);
// The member of an object; null where there is none, and where `value` is no object.
const Json* find(const Json& value, const char* name);

struct JsonMember {
    const std::string& name;
    const Json& value;
};

// All members of an object, by name; they refer into it.
std::vector<JsonMember> members(const Json& object);

}  // namespace weft::scene
