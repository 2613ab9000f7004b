#include "engine/scene/pbrt/pbrt_parameters.h"

#include <algorithm>
#include <utility>

namespace weft::scene::pbrt {

namespace {

base::Error wrong_form(const Parameter& parameter, const std::string& expected) {
    const std::string found = !parameter.strings.empty()
                                  ? "\"" + parameter.strings.front() + "\""
                                  : std::to_string(parameter.numbers.size()) + " numbers";
    return error_at(parameter.place,
                    "\"" + parameter.type + " " + parameter.name + "\" is " + found +
                        "; expected " + expected + ".");
}

// Splits "type name".
bool split(std::string_view text, Parameter& parameter) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    const std::size_t name = std::min(text.find_first_not_of(" \t", end), text.size());
    const std::size_t name_end = std::min(text.find_first_of(" \t", name), text.size());
    parameter.type = text.substr(begin, end - begin);
    parameter.name = text.substr(name, name_end - name);
    return !parameter.type.empty() && !parameter.name.empty();
}

base::Status add_value(const Token& token, Parameter& parameter) {
    if (token.kind == Token::Kind::Number) {
        parameter.numbers.push_back(token.number);
    } else if (token.kind == Token::Kind::String ||
               (token.kind == Token::Kind::Word &&
                (token.text == "true" || token.text == "false"))) {
        parameter.strings.emplace_back(token.text);
    } else {
        return error_at(
            token.place,
            "\"" + parameter.type + " " + parameter.name + "\" has no value where " +
                (token.kind == Token::Kind::End ? "the file ends"
                                                : "\"" + std::string(token.text) + "\" stands") +
                "; expected a number, a string, true or false.");
    }
    return base::Done{};
}

// One value, or several in brackets.
base::Status read_values(TokenReader& tokens, Parameter& parameter) {
    base::Result<Token> token = tokens.next();
    WEFT_TRY(token);
    if (token.value().kind != Token::Kind::Open) {
        return add_value(token.value(), parameter);
    }
    for (;;) {
        token = tokens.next();
        WEFT_TRY(token);
        if (token.value().kind == Token::Kind::Close) {
            return base::Done{};
        }
        WEFT_TRY(add_value(token.value(), parameter));
    }
}

}  // namespace

base::Result<Parameters> Parameters::read(TokenReader& tokens, Heads heads) {
    Parameters parameters;
    for (;;) {
        const base::Result<Token> name = tokens.peek();
        WEFT_TRY(name);
        if (name.value().kind != Token::Kind::String) {
            return parameters;
        }
        WEFT_TRY(tokens.next());
        Parameter parameter;
        parameter.place = name.value().place;
        const bool has_type = split(name.value().text, parameter);
        if (!has_type && heads == Heads::AnyName && !parameter.type.empty()) {
            parameter.name = std::exchange(parameter.type, "option");
        } else if (!has_type) {
            return error_at(parameter.place,
                            "has the parameter \"" + std::string(name.value().text) +
                                "\"; expected a type and a name, such as \"float fov\".");
        }
        WEFT_TRY(read_values(tokens, parameter));
        parameters.list_.push_back(std::move(parameter));
    }
}

void Parameters::add(const Parameters& defaults) {
    for (const Parameter& parameter : defaults.list_) {
        if (std::none_of(list_.begin(), list_.end(), [&](const Parameter& own) {
                return own.name == parameter.name;
            })) {
            list_.push_back(parameter);
            list_.back().is_used = true;  // one directive in many need not read it
        }
    }
}

const Parameter* Parameters::find(std::string_view name) const {
    for (const Parameter& parameter : list_) {
        if (parameter.name == name) {
            parameter.is_used = true;
            return &parameter;
        }
    }
    return nullptr;
}

base::Result<const Parameter*> Parameters::numbers(std::string_view name,
                                                   std::size_t components) const {
    const Parameter* const found = find(name);
    if (found && (!found->strings.empty() || found->numbers.empty() ||
                  (components != 0 && found->numbers.size() % components != 0))) {
        return wrong_form(
            *found,
            components > 1 ? "numbers in groups of " + std::to_string(components) : "numbers");
    }
    return found;
}

base::Result<double> Parameters::number(std::string_view name, double otherwise) const {
    const base::Result<const Parameter*> found = numbers(name, 1);
    WEFT_TRY(found);
    if (found.value() && found.value()->numbers.size() != 1) {
        return wrong_form(*found.value(), "one number");
    }
    return found.value() ? found.value()->numbers[0] : otherwise;
}

base::Result<math::DVec3> Parameters::vector(std::string_view name, math::DVec3 otherwise) const {
    const base::Result<const Parameter*> found = numbers(name, 3);
    WEFT_TRY(found);
    if (!found.value()) {
        return otherwise;
    }
    const std::vector<double>& numbers = found.value()->numbers;
    if (numbers.size() != 3) {
        return wrong_form(*found.value(), "three numbers");
    }
    return math::DVec3{numbers[0], numbers[1], numbers[2]};
}

base::Result<std::string> Parameters::string(std::string_view name,
                                             const std::string& otherwise) const {
    const Parameter* const found = find(name);
    if (!found) {
        return otherwise;
    }
    if (found->strings.size() != 1) {
        return wrong_form(*found, "one string");
    }
    return found->strings[0];
}

base::Result<bool> Parameters::boolean(std::string_view name, bool otherwise) const {
    const base::Result<std::string> text = string(name, otherwise ? "true" : "false");
    WEFT_TRY(text);
    if (text.value() != "true" && text.value() != "false") {
        return wrong_form(*find(name), "true or false");
    }
    return text.value() == "true";
}

void Parameters::expect_all() const {
    for (const Parameter& parameter : list_) {
        parameter.is_used = true;
    }
}

std::vector<const Parameter*> Parameters::unused() const {
    std::vector<const Parameter*> list;
    for (const Parameter& parameter : list_) {
        if (!parameter.is_used) {
            list.push_back(&parameter);
        }
    }
    return list;
}

}  // namespace weft::scene::pbrt
