// edit_given_name.cpp — names that people give to nodes, groups, lights and cameras.
//
// The name of the file stays beside it: paths go by that, so a list of edits holds whatever it
// renames.
#include <algorithm>

#include "engine/scene/edit/edit_parts.h"

namespace weft::scene::edits {

namespace {

constexpr std::size_t kMostBytes = 1000;

bool is_control(char letter) {
    return (letter >= 0 && letter < 0x20) || letter == 0x7f;
}

}  // namespace

EditField name_field() {
    EditField field = number_field(kName, "Name", "", 0, 1);
    field.kind = EditKind::Name;
    return field;
}

base::Result<std::string> read_given_name(const std::string& place,
                                          const Json& value,
                                          const std::string& own) {
    if (is_null(value)) {
        return std::string();
    }
    base::Result<std::string> text = read_text(place, value);
    WEFT_TRY(text);
    const std::string& name = text.value();
    if (name.empty() || name.size() > kMostBytes ||
        std::any_of(name.begin(), name.end(), is_control)) {
        return wrong_value(place,
                           value,
                           "a name of 1 to " + std::to_string(kMostBytes) +
                               " bytes without control characters, or null for that of the file");
    }
    return name == own ? std::string() : name;
}

std::string given_name_text(const std::string& given_name) {
    return given_name.empty() ? "null" : quoted(given_name);
}

}  // namespace weft::scene::edits
