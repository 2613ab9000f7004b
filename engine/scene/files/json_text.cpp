// json_text.cpp — see json_text.h.
#include "engine/scene/files/json_text.h"

#include <algorithm>
#include <exception>

#include "scheduler/base/ids.h"
#include "scheduler/base/input_file.h"

namespace weft::scene {
namespace {

using nlohmann::json;

// The place where brackets open one level too many; the text's end where they never do. Brackets
// inside of strings do not count. Found beforehand, because the parser's own way of watching the
// depth costs time with the square of an array's length.
std::size_t end_of_sane_nesting(std::string_view text) {
    int depth = 0;
    bool is_in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_in_string) {
            i += c == '\\' ? 1 : 0;
            is_in_string = c != '"';
        } else if (c == '"') {
            is_in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > kMaxJsonNesting) {
                return i;
            }
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return text.size();
}

std::string line_at(std::string_view text, std::size_t end) {
    const std::string_view before = text.substr(0, end);
    return "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
}

// Takes no value; finds out why the parser gives up, and where.
class FaultFinder : public nlohmann::json_sax<json> {
public:
    bool null() override { return true; }

    bool boolean(bool /*value*/) override { return true; }

    bool number_integer(number_integer_t /*value*/) override { return true; }

    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }

    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }

    bool string(string_t& /*value*/) override { return true; }

    bool binary(binary_t& /*value*/) override { return true; }

    bool start_object(std::size_t /*size*/) override { return true; }

    bool key(string_t& /*name*/) override { return true; }

    bool end_object() override { return true; }

    bool start_array(std::size_t /*size*/) override { return true; }

    bool end_array() override { return true; }

    bool parse_error(std::size_t position,
                     const std::string& token,
                     const nlohmann::detail::exception& why) override {
        constexpr int kNumberOverflow = 406;
        position_ = position;
        number_ = why.id == kNumberOverflow ? token : "";
        // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error ..."
        const std::string whole = why.what();
        const std::size_t cut = whole.find(": ");
        reason_ = cut == std::string::npos ? whole : whole.substr(cut + 2);
        return false;
    }

    [[nodiscard]] std::string sentence(std::string_view text) const {
        const std::string line = line_at(text, std::min(position_, text.size()));
        return number_.empty() ? line + " is no JSON (" + reason_ + ")"
                               : line + " has the number " + number_ + ", which is out of range";
    }

private:
    std::size_t position_ = 0;
    std::string number_;
    std::string reason_;
};

base::Error wrong(std::string sentence) {
    return {base::ErrorKind::Scene, std::move(sentence)};
}

}  // namespace

base::Result<json> parse_json(std::string_view text) {
    const std::size_t sane_end = end_of_sane_nesting(text);
    if (sane_end < text.size()) {
        return wrong(line_at(text, sane_end) + " nests brackets deeper than " +
                     std::to_string(kMaxJsonNesting) + " levels");
    }
    try {
        return json::parse(text.begin(), text.end());
    } catch (const json::exception&) {
        FaultFinder finder;
        json::sax_parse(text.begin(), text.end(), &finder);
        return wrong(finder.sentence(text));
    }
}

base::Result<json> read_json_file(const std::string& path, const std::string& expected) {
    const auto bytes = base::read_input_file(path, expected, base::kMostTextBytes);
    WEFT_TRY(bytes);
    base::Result<json> value = parse_json(base::as_text(bytes.value()));
    return value.is_ok() ? std::move(value)
                         : wrong(path + ": " + value.error().sentence + ", expected " + expected);
}

std::string json_to_text(const json& value, int indent) {
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace weft::scene
