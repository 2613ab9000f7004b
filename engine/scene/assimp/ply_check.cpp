// ply_check.cpp — see ply_check.h.
#include "engine/scene/assimp/ply_check.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "scheduler/base/ids.h"

namespace weft::scene {
namespace {

constexpr u32 kMaxHeaderLines = 1000;
constexpr std::size_t kMaxLineBytes = 4096;

base::Error broken(const std::string& path, u32 line, const std::string& what) {
    return {base::ErrorKind::Scene, path + ":" + std::to_string(line) + ": " + what};
}

// Bytes of one binary value; 0 for a type that PLY does not have.
u64 type_bytes(const std::string& type) {
    static constexpr std::array<std::pair<std::string_view, u64>, 16> kTypes = {{{"char", 1},
                                                                                 {"uchar", 1},
                                                                                 {"int8", 1},
                                                                                 {"uint8", 1},
                                                                                 {"short", 2},
                                                                                 {"ushort", 2},
                                                                                 {"int16", 2},
                                                                                 {"uint16", 2},
                                                                                 {"int", 4},
                                                                                 {"uint", 4},
                                                                                 {"int32", 4},
                                                                                 {"uint32", 4},
                                                                                 {"float", 4},
                                                                                 {"float32", 4},
                                                                                 {"double", 8},
                                                                                 {"float64", 8}}};
    for (const auto& [name, bytes] : kTypes) {
        if (name == type) {
            return bytes;
        }
    }
    return 0;
}

// The header up to the present line.
struct Header {
    bool is_ascii = false;
    bool has_format = false;
    u64 element_count = 0;     // of the element being described
    bool has_property = true;  // the element being described, if there is one
    double bytes_needed = 0;   // by all elements, at least; a double cannot overflow here
};

// Ends the description of an element. assimp takes a step for each of its rows, even where they
// have no bytes; so one without a property counts a byte for each.
void end_element(Header& header) {
    if (!header.has_property) {
        header.bytes_needed += static_cast<double>(header.element_count);
    }
}

// Reads one line of the header; returns its fault, or an empty string.
std::string read_line(const std::string& text, Header& header) {
    std::istringstream words(text);
    std::string keyword;
    words >> keyword;
    if (keyword == "format") {
        std::string format;
        words >> format;
        header.is_ascii = format == "ascii";
        header.has_format =
            header.is_ascii || format == "binary_little_endian" || format == "binary_big_endian";
        return header.has_format
                   ? ""
                   : std::string("the format is \"") + format +
                         "\"; expected ascii or binary_little_endian or binary_big_endian.";
    }
    if (keyword == "element") {
        std::string name;
        end_element(header);
        header.has_property = false;
        return words >> name >> header.element_count && text.find('-') == std::string::npos
                   ? ""
                   : "the element has no count; expected \"element NAME COUNT\".";
    }
    if (keyword == "property") {
        std::string type;
        words >> type;
        header.has_property = true;
        if (type == "list") {
            words >> type;  // the smallest list is its count alone
        }
        const u64 bytes = type_bytes(type);
        // In ASCII a value takes at least a digit and a blank.
        header.bytes_needed += static_cast<double>(header.element_count) *
                               static_cast<double>(header.is_ascii ? 2 : bytes);
        return bytes > 0 ? ""
                         : std::string("the property has the type \"") + type +
                               "\"; expected one such as float or uchar.";
    }
    const bool is_known = keyword.empty() || keyword == "comment" || keyword == "obj_info";
    return is_known ? ""
                    : std::string("\"") + keyword.substr(0, 40) +
                          "\" stands in the header; expected element, property or end_header.";
}

}  // namespace

base::Status check_ply(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    Header header;
    for (u32 number = 1; number <= kMaxHeaderLines && std::getline(file, line); ++number) {
        // Check the first line.
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        if (number == 1) {
            if (line != "ply") {
                return broken(path, 1, "does not begin with \"ply\"; expected a PLY file.");
            }
            continue;
        }
        if (line.size() > kMaxLineBytes) {
            break;
        }
        // At the end of the header compare the file's length with what the header counts.
        if (line == "end_header") {
            end_element(header);
            std::error_code problem;
            const double length = static_cast<double>(std::filesystem::file_size(path, problem));
            // The last value of an ASCII file may lack its blank.
            const double there =
                length - static_cast<double>(file.tellg()) + (header.is_ascii ? 1 : 0);
            if (!header.has_format) {
                return broken(
                    path,
                    number,
                    "the header names no format; expected \"format ascii 1.0\" or a binary one.");
            }
            if (there < header.bytes_needed) {
                return broken(path,
                              number,
                              "the file ends before the elements that its header counts; expected "
                              "a whole PLY file.");
            }
            return base::Done{};
        }
        // Read the line of the header.
        const std::string problem = read_line(line, header);
        if (!problem.empty()) {
            return broken(path, number, problem);
        }
    }
    return base::Error{base::ErrorKind::Scene,
                       path + ": the header has no end; expected a line \"end_header\"."};
}

}  // namespace weft::scene
