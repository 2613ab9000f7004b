// edit_value.h — values of edits: JSON read with a sentence for what is wrong, floats written so
// that they come back as the same bits.
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
// The same for a text that is no JSON; the error of any other kind is passed on.
base::Result<std::shared_ptr<const Json>> parse_value(const std::string& place,
                                                      const std::string& text);

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

// JSON texts. A float is as short as it can be.
std::string float_text(float value);
std::string floats_text(std::span<const float> values);  // a bare number where there is one
std::string number_text(double value);
// `value` with as few digits (at least six) as `gives_back` wants of the number read again.
std::string short_text(double value, const std::function<bool(double)>& gives_back);
std::string flag_text(bool value);
std::string quoted(const std::string& text);

// What to divide a vector by so that it has length 1: its length, or 1 where rounding a unit vector
// to floats explains the difference (so that its bits stay); 0 where it has no direction.
double unit_length(std::span<const float> v);

}  // namespace weft::scene::edits
