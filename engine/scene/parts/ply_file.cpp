// ply_file.cpp — see ply_file.h.
#include "engine/scene/parts/ply_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/scene/parts/text_words.h"

namespace weft::scene {

namespace {

constexpr std::array<std::pair<std::string_view, PlyKind>, 16> kPlyKinds = {
    {{"char", PlyKind::I8},
     {"uchar", PlyKind::U8},
     {"short", PlyKind::I16},
     {"ushort", PlyKind::U16},
     {"int", PlyKind::I32},
     {"uint", PlyKind::U32},
     {"float", PlyKind::F32},
     {"double", PlyKind::F64},
     {"int8", PlyKind::I8},
     {"uint8", PlyKind::U8},
     {"int16", PlyKind::I16},
     {"uint16", PlyKind::U16},
     {"int32", PlyKind::I32},
     {"uint32", PlyKind::U32},
     {"float32", PlyKind::F32},
     {"float64", PlyKind::F64}}};

constexpr std::array<std::size_t, 8> kPlyKindBytes = {1, 1, 2, 2, 4, 4, 4, 8};

std::size_t ply_bytes(PlyKind kind) {
    return kPlyKindBytes[static_cast<std::size_t>(kind)];
}

std::optional<PlyKind> ply_kind(std::string_view word) {
    const auto* const found = std::find_if(
        kPlyKinds.begin(), kPlyKinds.end(), [&](const auto& entry) { return entry.first == word; });
    return found == kPlyKinds.end() ? std::nullopt : std::optional(found->second);
}

std::string_view text_of(std::span<const u8> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The fewest bytes of a row.
u64 least_bytes(const PlyElement& element, bool is_ascii) {
    u64 bytes = 0;
    for (const PlyProperty& property : element.properties) {
        bytes += is_ascii ? 2 : ply_bytes(property.count_kind.value_or(property.kind));
    }
    return std::max<u64>(bytes, 1);
}

}  // namespace

base::Error PlyFile::error(const std::string& what) const {
    return {base::ErrorKind::Scene, path_ + ": " + what};
}

// The next line of the header; none at the end of the file.
std::optional<std::string_view> PlyFile::next_line() {
    const std::string_view rest = text_of(bytes_.subspan(at_));
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    at_ += end + 1;
    ++line_;
    return rest.substr(0, end);
}

base::Status PlyFile::read_header() {
    auto line = next_line();
    if (!line || next_word(*line) != "ply") {
        return error("does not begin with \"ply\"; expected a PLY file.");
    }
    for (line = next_line(); line; line = next_line()) {
        const std::string whole(line->substr(0, 80));
        const std::string_view keyword = next_word(*line);
        if (keyword == "end_header") {
            return has_format_
                       ? base::Status(base::Done{})
                       : base::Status(error("names no format; expected ascii or a binary one."));
        }
        if (!read_header_line(*line, keyword)) {
            return base::Error{base::ErrorKind::Scene,
                               path_ + ":" + std::to_string(line_) + ": \"" +
                                   std::string(trimmed(whole)) +
                                   "\" stands in the header; expected an element with a count, or "
                                   "a property with a type."};
        }
    }
    return error("has a header without an end; expected a line \"end_header\".");
}

// The line after its keyword.
bool PlyFile::read_header_line(std::string_view line, std::string_view keyword) {
    if (keyword == "format") {
        const std::string_view format = next_word(line);
        is_ascii_ = format == "ascii";
        is_swapped_ = format == "binary_big_endian";
        has_format_ = is_ascii_ || is_swapped_ || format == "binary_little_endian";
        return has_format_;
    }
    if (keyword == "element") {
        return add_element(line);
    }
    if (keyword == "property") {
        return add_property(line);
    }
    if (keyword == "comment" && next_word(line) == "TextureFile") {
        pictures_.emplace_back(trimmed(line));
    }
    return keyword.empty() || keyword == "comment" || keyword == "obj_info";
}

bool PlyFile::add_element(std::string_view line) {
    PlyElement element{std::string(next_word(line))};
    const std::optional<u64> count = number_of<u64>(next_word(line));
    element.count = count.value_or(0);
    elements_.push_back(std::move(element));
    return count.has_value();
}

bool PlyFile::add_property(std::string_view line) {
    PlyProperty property;
    std::string_view word = next_word(line);
    const bool is_list = word == "list";
    if (is_list) {
        property.count_kind = ply_kind(next_word(line));
        word = next_word(line);
    }
    const std::optional<PlyKind> kind = ply_kind(word);
    if (elements_.empty() || !kind || (is_list && !property.count_kind)) {
        return false;
    }
    property.kind = *kind;
    property.name = next_word(line);
    elements_.back().properties.push_back(std::move(property));
    return true;
}

base::Status PlyFile::check_rows(const PlyElement& element) const {
    // The last number of a text may lack its blank.
    return element.count <= (bytes_.size() - at_ + 1) / least_bytes(element, is_ascii_)
               ? base::Status(base::Done{})
               : base::Status(error("ends before the " + std::to_string(element.count) +
                                    " rows of its element \"" + element.name.substr(0, 40) +
                                    "\" do; expected a whole PLY file."));
}

bool PlyFile::read_number(PlyKind kind, double& number) {
    if (is_ascii_) {
        return read_text(number);
    }
    switch (kind) {
        case PlyKind::I8:
            return read_binary<std::int8_t>(number);
        case PlyKind::U8:
            return read_binary<std::uint8_t>(number);
        case PlyKind::I16:
            return read_binary<std::int16_t>(number);
        case PlyKind::U16:
            return read_binary<std::uint16_t>(number);
        case PlyKind::I32:
            return read_binary<std::int32_t>(number);
        case PlyKind::U32:
            return read_binary<std::uint32_t>(number);
        case PlyKind::F32:
            return read_binary<float>(number);
        case PlyKind::F64:
            return read_binary<double>(number);
    }
    return false;
}

template <typename T>
bool PlyFile::read_binary(double& number) {
    std::array<u8, sizeof(T)> raw{};
    if (bytes_.size() - at_ < raw.size()) {
        return false;
    }
    std::memcpy(raw.data(), bytes_.data() + at_, raw.size());
    at_ += raw.size();
    if (is_swapped_) {
        std::reverse(raw.begin(), raw.end());
    }
    T value{};
    std::memcpy(&value, raw.data(), raw.size());
    number = static_cast<double>(value);
    return true;
}

bool PlyFile::read_text(double& number) {
    const char* const begin = reinterpret_cast<const char*>(bytes_.data());
    const char* const end = begin + bytes_.size();
    const char* from = begin + at_;
    while (from < end && (*from == ' ' || *from == '\n' || *from == '\r' || *from == '\t')) {
        ++from;
    }
    const auto [rest, problem] = std::from_chars(from + (from < end && *from == '+'), end, number);
    const bool is_good = problem == std::errc();
    at_ = static_cast<std::size_t>((is_good ? rest : from) - begin);
    return is_good;
}

bool PlyFile::read_count(const PlyProperty& property, u64& count) {
    double number = 0;
    if (!read_number(*property.count_kind, number)) {
        return false;
    }
    is_count_wrong_ = !(number >= 0);
    if (is_count_wrong_ || number > static_cast<double>(bytes_.size() - at_)) {
        return false;
    }
    count = static_cast<u64>(number);
    return true;
}

bool PlyFile::skip(const PlyProperty& property) {
    u64 count = 1;
    if (property.count_kind && !read_count(property, count)) {
        return false;
    }
    double number = 0;
    while (count > 0 && read_number(property.kind, number)) {
        --count;
    }
    return count == 0;
}

base::Error PlyFile::broken_row(const PlyElement& element, u64 row) const {
    std::string place = path_;
    std::string_view word;
    if (is_ascii_) {
        const std::string_view read = text_of(bytes_.first(at_));
        place += ":" + std::to_string(1 + std::count(read.begin(), read.end(), '\n'));
        std::string_view rest = text_of(bytes_.subspan(at_));
        word = next_word(rest).substr(0, 40);
    }
    const std::string which = "row " + std::to_string(row + 1) + " of the " +
                              std::to_string(element.count) + " of its element \"" +
                              element.name.substr(0, 40) + "\"";
    const std::string what =
        is_count_wrong_ ? "has a list without a count of 0 or more in " + which + "."
        : word.empty() || number_of<double>(word)
            ? "ends in " + which + "; expected a whole PLY file."
            : "has \"" + std::string(word) + "\" in " + which + "; expected a number.";
    return {base::ErrorKind::Scene, place + ": " + what};
}

}  // namespace weft::scene
