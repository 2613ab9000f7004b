// json_text.cpp — see json_text.h.
#include "engine/scene/files/json_text.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <unordered_set>

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

// Goes through a text and keeps no value.
class Listener : public nlohmann::json_sax<Json> {
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

    bool parse_error(std::size_t /*position*/,
                     const std::string& /*token*/,
                     const nlohmann::detail::exception& /*why*/) override {
        return false;
    }
};

// Records why the parser fails, and where.
class FaultFinder : public Listener {
public:
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

// Records the first member whose name its object has already.
class DoubledFinder : public Listener {
public:
    bool null() override { return end_value(); }

    bool boolean(bool /*value*/) override { return end_value(); }

    bool number_integer(number_integer_t /*value*/) override { return end_value(); }

    bool number_unsigned(number_unsigned_t /*value*/) override { return end_value(); }

    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
        return end_value();
    }

    bool string(string_t& /*value*/) override { return end_value(); }

    bool start_object(std::size_t /*size*/) override {
        levels_.emplace_back();
        return true;
    }

    bool key(string_t& name) override {
        Level& object = levels_.back();
        object.name = name;
        if (!object.names.insert(name).second) {
            for (const Level& level : levels_) {
                doubled_ += "/" + (level.is_list ? std::to_string(level.index) : level.name);
            }
            return false;
        }
        return true;
    }

    bool end_object() override {
        levels_.pop_back();
        return end_value();
    }

    bool start_array(std::size_t /*size*/) override {
        levels_.emplace_back().is_list = true;
        return true;
    }

    bool end_array() override { return end_object(); }

    // Its place as a JSON pointer; empty: there is none.
    [[nodiscard]] const std::string& doubled() const { return doubled_; }

private:
    // A list or an object that is open.
    struct Level {
        bool is_list = false;
        std::size_t index = 0;  // of the item that comes next
        std::string name;       // of the member that came last
        std::unordered_set<std::string> names;
    };

    bool end_value() {
        if (!levels_.empty() && levels_.back().is_list) {
            ++levels_.back().index;
        }
        return true;
    }

    std::vector<Level> levels_;
    std::string doubled_;
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
    // The parser takes a zero byte for the end. Zeros alone may fill the rest.
    const std::size_t zero = std::min(text.find('\0'), text.size());
    if (text.find_first_not_of(std::string_view("\0 \t\r\n", 5), zero) != std::string_view::npos) {
        return wrong(line_at(text, zero) + " has a zero byte before more text");
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
    const std::string_view text = base::as_text(bytes.value());
    base::Result<Json> value = parse_json(text);
    if (!value.is_ok()) {
        return wrong(path + ": " + value.error().sentence + ", expected " + expected);
    }
    DoubledFinder finder;
    Json::sax_parse(text.begin(), text.end(), &finder);
    return finder.doubled().empty()
               ? std::move(value)
               : wrong(path + ": " + finder.doubled() + " occurs twice, expected it once");
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
