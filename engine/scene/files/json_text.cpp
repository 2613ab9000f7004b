// json_text.cpp — see json_text.h.
#include "engine/scene/files/json_text.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "scheduler/base/ids.h"
#include "scheduler/base/input_file.h"

namespace weft::scene {
namespace {

// The place where brackets open one level too many, or the end of the text. Brackets inside strings
// do not count. A pass of its own, because the parser's depth callback costs time with the square
// of an array's length.
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

// Keeps no value; records why the parser fails, and where.
class FaultFinder : public nlohmann::json_sax<Json> {
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

base::Result<Json> parse_json(std::string_view text) {
    const std::size_t sane_end = end_of_sane_nesting(text);
    if (sane_end < text.size()) {
        return wrong(line_at(text, sane_end) + " nests brackets deeper than " +
                     std::to_string(kMaxJsonNesting) + " levels");
    }
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const Json::exception&) {
        FaultFinder finder;
        Json::sax_parse(text.begin(), text.end(), &finder);
        return wrong(finder.sentence(text));
    }
}

base::Result<Json> read_json_file(const std::string& path, const std::string& expected) {
    const auto bytes = base::read_input_file(path, expected, base::kMostTextBytes);
    WEFT_TRY(bytes);
    base::Result<Json> value = parse_json(base::as_text(bytes.value()));
    return value.is_ok() ? std::move(value)
                         : wrong(path + ": " + value.error().sentence + ", expected " + expected);
}

std::string json_to_text(const Json& value, int indent) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string number_to_text(double value) {
    return Json(value).dump();
}

const Json& null_json() {
    static const Json null;
    return null;
}

bool is_null(const Json& value) {
    return value.is_null();
}

bool is_number(const Json& value) {
    return value.is_number();
}

bool is_whole(const Json& value) {
    return value.is_number_integer();
}

bool is_count(const Json& value) {
    return value.is_number_unsigned();
}

bool is_text(const Json& value) {
    return value.is_string();
}

bool is_list(const Json& value) {
    return value.is_array();
}

bool is_object(const Json& value) {
    return value.is_object();
}

bool flag_of(const Json& value) {
    return value.get<bool>();
}

double number_of(const Json& value) {
    return value.get<double>();
}

u64 count_of(const Json& value) {
    return value.get<u64>();
}

const std::string& text_of(const Json& value) {
    return value.get_ref<const std::string&>();
}

std::size_t size_of(const Json& value) {
    return value.size();
}

const Json& item(const Json& list, std::size_t index) {
    return list[index];
}

const Json* find(const Json& value, const char* name) {
    const auto member = value.find(name);
    return member == value.end() ? nullptr : &*member;
}

std::vector<JsonMember> members(const Json& object) {
    std::vector<JsonMember> members;
    members.reserve(object.size());
    for (auto member = object.begin(); member != object.end(); ++member) {
        members.push_back({member.key(), *member});
    }
    return members;
}

}  // namespace weft::scene
