#include "engine/scene/pbrt/pbrt_tokens.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "engine/scene/parts/packed_file.h"
#include "scheduler/base/input_file.h"

namespace weft::scene::pbrt {

namespace {

// Files that may be open at once: more means that files include each other.
constexpr std::size_t kMostOpen = 64;
// Files that one scene may include: files that each include the next one twice soon exceed it.
constexpr std::size_t kMostFiles = 100000;

bool is_space(u8 c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool ends_word(u8 c) {
    return is_space(c) || c == '"' || c == '[' || c == ']' || c == '#';
}

std::string_view view_of(const std::vector<u8>& bytes, std::size_t begin, std::size_t end) {
    return base::as_text(bytes).substr(begin, end - begin);
}

// Numbers as pbrt writes them: a leading '+' and a leading or trailing '.' are allowed.
bool read_number(std::string_view text, double& number) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

// Whether the byte takes the meaning of the next one away: a quote's, or a backslash's. Before
// other letters it is one of a name of Windows.
bool escapes(std::span<const u8> bytes, std::size_t at) {
    return bytes[at] == '\\' && at + 1 < bytes.size() &&
           (bytes[at + 1] == '"' || bytes[at + 1] == '\'' || bytes[at + 1] == '\\');
}

bool looks_like_number(std::string_view text) {
    const char first = text.front();
    return (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.';
}

}  // namespace

base::Error error_at(const Place& place, const std::string& sentence) {
    return {base::ErrorKind::Scene, place.text() + ": " + sentence};
}

base::Error error_of_file(const Place& place, base::Error error) {
    error.sentence = place.text() + ": " + error.sentence;
    return error;
}

std::string_view TokenReader::without_escapes(std::string_view text) {
    if (text.find('\\') == text.npos) {
        return text;
    }
    const std::span<const u8> bytes(reinterpret_cast<const u8*>(text.data()), text.size());
    std::string plain;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        at += escapes(bytes, at) ? 1U : 0U;
        plain += text[at];
    }
    return unescaped_.emplace_back(std::move(plain));
}

base::Status TokenReader::push(const std::string& path) {
    base::Result<std::vector<u8>> bytes = read_packed_file(path, "a pbrt scene", size_);
    WEFT_TRY(bytes);
    files_.push_back(std::make_unique<File>(File{path, std::move(bytes.value())}));
    open_.push_back({files_.back().get(), 0, 1});
    return base::Done{};
}

base::Status TokenReader::open(const std::string& path) {
    return push(path);
}

base::Status TokenReader::include(const std::string& name, const Place& place) {
    if (files_.size() >= kMostFiles) {
        return error_at(
            place, "includes more than " + std::to_string(kMostFiles) + " files; expected fewer.");
    }
    if (open_.size() >= kMostOpen) {
        return error_at(place,
                        "includes \"" + name + "\" as file " + std::to_string(open_.size() + 1) +
                            " within each other; expected files that do not include themselves.");
    }
    const std::optional<std::string> path = roots_.find(name);
    if (!path) {
        return outside_error(place.text() + ": an included file", name);
    }
    const base::Status pushed = push(*path);
    return pushed.is_ok() ? pushed : error_of_file(place, pushed.error());
}

void TokenReader::skip_space(Position& position) const {
    const std::vector<u8>& bytes = position.file->bytes;
    while (position.at < bytes.size()) {
        const u8 c = bytes[position.at];
        if (c == '#') {
            while (position.at < bytes.size() && bytes[position.at] != '\n') {
                ++position.at;
            }
        } else if (is_space(c)) {
            position.line += c == '\n' ? 1 : 0;
            ++position.at;
        } else {
            return;
        }
    }
}

base::Result<Token> TokenReader::read() {
    // Leave the files that have ended.
    while (!open_.empty()) {
        skip_space(open_.back());
        if (open_.back().at < open_.back().file->bytes.size()) {
            break;
        }
        end_ = {&open_.back().file->path, open_.back().line};
        open_.pop_back();
    }
    if (open_.empty()) {
        return Token{Token::Kind::End, "", 0, end_};
    }
    Position& position = open_.back();
    const std::vector<u8>& bytes = position.file->bytes;
    Token token;
    token.place = {&position.file->path, position.line};
    const std::size_t begin = position.at;
    const u8 first = bytes[begin];
    if (first == '[' || first == ']') {
        ++position.at;
        token.kind = first == '[' ? Token::Kind::Open : Token::Kind::Close;
        return token;
    }
    if (first == '"') {
        std::size_t last = begin + 1;
        while (last < bytes.size() && bytes[last] != '"' && bytes[last] != '\n') {
            last += escapes(bytes, last) ? 2U : 1U;
        }
        if (last >= bytes.size() || bytes[last] == '\n') {
            return error_at(token.place, "has a string without an end; expected \" on its line.");
        }
        position.at = last + 1;
        token.kind = Token::Kind::String;
        token.text = without_escapes(view_of(bytes, begin + 1, last));
        return token;
    }
    while (position.at < bytes.size() && !ends_word(bytes[position.at])) {
        ++position.at;
    }
    token.text = view_of(bytes, begin, position.at);
    token.kind = Token::Kind::Word;
    if (looks_like_number(token.text)) {
        token.kind = Token::Kind::Number;
        if (!read_number(token.text, token.number)) {
            return error_at(token.place,
                            "has the number " + std::string(token.text.substr(0, 40)) +
                                "; expected a finite one.");
        }
    }
    return token;
}

TokenReader::Cursor TokenReader::cursor() const {
    return {open_, end_, ahead_, has_ahead_};
}

void TokenReader::go_to(const Cursor& cursor) {
    open_ = cursor.open;
    end_ = cursor.end;
    ahead_ = cursor.ahead;
    has_ahead_ = cursor.has_ahead;
}

base::Result<Token> TokenReader::next() {
    if (has_ahead_) {
        has_ahead_ = false;
        return ahead_;
    }
    return read();
}

base::Result<Token> TokenReader::peek() {
    if (!has_ahead_) {
        base::Result<Token> token = read();
        WEFT_TRY(token);
        ahead_ = token.value();
        has_ahead_ = true;
    }
    return ahead_;
}

}  // namespace weft::scene::pbrt
