// edit_value.h — values of edits: readers of JSON with an error sentence, and writers of floats
// that read back as the same bits.
//
// Called by the other edit_* files. Pure; any thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/scene/files/json_text.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene::edits {

// `place` is the path of the edit, or of a member of its value. The sentence is
// "PLACE: found VALUE, expected WHAT".
base::Error wrong_value(const std::string& place, const Json& found, const std::string& expected);
// Parses JSON. Error: the text is none.
base::Result<std::shared_ptr<const Json>> parse_value(const std::string& place,
                                                      const std::string& text);

// Beyond every value that importers accept: as a float their bound 1e30 is a little larger.
inline constexpr double kHuge = 1.1e30;

struct Range {
    double least;
    double most;
};

// `values.size()` numbers: a bare one where the size is 1, else a list.
base::Status read_floats(const std::string& place,
                         const Json& value,
                         Range range,
                         std::span<float> values);
base::Result<double> read_number(const std::string& place, const Json& value, Range range);
base::Result<bool> read_flag(const std::string& place, const Json& value);
base::Result<std::string> read_text(const std::string& place, const Json& value);
// The index of the word in `words`.
base::Result<u32> read_choice(const std::string& place,
                              const Json& value,
                              std::span<const std::string> words);

// JSON texts. A float has as few digits as possible.
std::string float_text(float value);
std::string floats_text(std::span<const float> values);  // a bare number where there is one
std::string number_text(double value);
// `value` with the fewest digits (at least six) for which `gives_back` accepts the number read
// back.
std::string short_text(double value, const std::function<bool(double)>& gives_back);
std::string flag_text(bool value);
std::string quoted(const std::string& text);

// The divisor that gives a vector length 1: its length, or 1 where it is a unit vector up to float
// rounding (so that its bits stay); 0 where it has no direction.
double unit_length(std::span<const float> v);

}  // namespace weft::scene::edits
