// edit_value.cpp — see edit_value.h.
#include "engine/scene/edit/edit_value.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace weft::scene::edits {

namespace {

constexpr std::size_t kLongestExcerpt = 60;

// The text names a bound of 1e30 or more only where the number that was found exceeds it.
std::string range_text(Range range, const Json& found) {
    const double number = found.is_number() ? found.get<double>() : 0;
    const bool has_least = range.least > -1e30 || number < range.least;
    const bool has_most = range.most < 1e30 || number > range.most;
    return (has_least ? " from " + number_text(range.least) : std::string()) +
           (has_most ? (has_least ? " to " : " up to ") + number_text(range.most) : std::string());
}

bool is_within(const Json& value, Range range) {
    if (!value.is_number()) {
        return false;
    }
    const double number = value.get<double>();
    return number >= range.least && number <= range.most &&
           std::isfinite(static_cast<float>(number));
}

}  // namespace

base::Error wrong_value(const std::string& place, const Json& found, const std::string& expected) {
    std::string excerpt = json_to_text(found);
    if (excerpt.size() > kLongestExcerpt) {
        excerpt = excerpt.substr(0, kLongestExcerpt) + "...";
    }
    return {base::ErrorKind::Usage, place + ": found " + excerpt + ", expected " + expected};
}

base::Result<std::shared_ptr<const Json>> parse_value(const std::string& place,
                                                      const std::string& text) {
    base::Result<Json> value = parse_json(text);
    if (!value.is_ok()) {
        return base::Error{
            base::ErrorKind::Usage,
            place + ": found '" + text.substr(0, kLongestExcerpt) +
                "', expected JSON such as 0.5, [1, 0.5, 0], true, null or \"a name\""};
    }
    return std::make_shared<const Json>(std::move(value.value()));
}

base::Status read_floats(const std::string& place,
                         const Json& value,
                         Range range,
                         std::span<float> values) {
    const auto one = [&](const Json& found) { return "a number" + range_text(range, found); };
    if (values.size() == 1 && !value.is_array()) {
        if (!is_within(value, range)) {
            return wrong_value(place, value, one(value));
        }
        values[0] = value.get<float>();
        return base::Done{};
    }
    if (!value.is_array() || value.size() != values.size()) {
        const std::string many =
            std::to_string(values.size()) + " numbers" + range_text(range, null_json());
        return wrong_value(place, value, values.size() == 1 ? one(value) : many);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!is_within(value[i], range)) {
            return wrong_value(place + "/" + std::to_string(i), value[i], one(value[i]));
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = value[i].get<float>();
    }
    return base::Done{};
}

base::Result<double> read_number(const std::string& place, const Json& value, Range range) {
    if (!is_within(value, range)) {
        return wrong_value(place, value, "a number" + range_text(range, value));
    }
    return value.get<double>();
}

base::Result<bool> read_flag(const std::string& place, const Json& value) {
    if (!value.is_boolean()) {
        return wrong_value(place, value, "true or false");
    }
    return value.get<bool>();
}

base::Result<std::string> read_text(const std::string& place, const Json& value) {
    if (!value.is_string()) {
        return wrong_value(place, value, "a text in quotes");
    }
    return value.get<std::string>();
}

base::Result<u32> read_choice(const std::string& place,
                              const Json& value,
                              std::span<const std::string> words) {
    std::string expected;
    for (u32 i = 0; i < words.size(); ++i) {
        if (value.is_string() && value.get_ref<const std::string&>() == words[i]) {
            return i;
        }
        expected += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + quoted(words[i]);
    }
    return wrong_value(place, value, expected);
}

std::string number_text(double value) {
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    ENSURE(error == std::errc{}, ==, true);
    return std::string(text, end);
}

std::string float_text(float value) {
    if (value == 0 && std::signbit(value)) {
        return "-0.0";  // "-0" would be read as a whole number, which has no sign
    }
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    ENSURE(error == std::errc{}, ==, true);
    // Readers parse doubles. Where rounding twice changes the float, write all digits of the
    // double.
    double back = 0;
    std::from_chars(text, end, back);
    return static_cast<float>(back) == value ? std::string(text, end)
                                             : number_text(static_cast<double>(value));
}

std::string floats_text(std::span<const float> values) {
    if (values.size() == 1) {
        return float_text(values[0]);
    }
    std::string text = "[";
    for (const float value : values) {
        text += (text.size() == 1 ? "" : ", ") + float_text(value);
    }
    return text + "]";
}

std::string short_text(double value, const std::function<bool(double)>& gives_back) {
    for (int digits = 6; digits < 17; ++digits) {
        char text[40];
        const auto [end, error] =
            std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
        double back = 0;
        std::from_chars(text, end, back);
        if (error == std::errc{} && gives_back(back)) {
            return std::string(text, end);
        }
    }
    return number_text(value);
}

std::string flag_text(bool value) {
    return value ? "true" : "false";
}

std::string quoted(const std::string& text) {
    return json_to_text(text);
}

double unit_length(std::span<const float> v) {
    double squared = 0;
    for (const float c : v) {
        squared += static_cast<double>(c) * static_cast<double>(c);
    }
    if (!(squared > 0) || !std::isfinite(squared)) {
        return 0;
    }
    constexpr double kUnitEnough = 1e-6;
    return std::fabs(squared - 1) > kUnitEnough ? std::sqrt(squared) : 1;
}

}  // namespace weft::scene::edits
