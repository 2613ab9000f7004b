// ply_mesh.cpp — reads PLY: a header that lists elements with their properties, then their rows.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "engine/scene/parts/mesh_files.h"
#include "engine/scene/parts/packed_file.h"
#include "engine/scene/parts/text_words.h"

namespace weft::scene {

namespace {

enum class PlyKind { I8, U8, I16, U16, I32, U32, F32, F64 };

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

// What a property of a vertex means here.
enum class PlyTarget { X, Y, Z, Nx, Ny, Nz, U, V, None };

constexpr std::array<std::pair<std::string_view, PlyTarget>, 14> kPlyTargets = {
    {{"x", PlyTarget::X},
     {"y", PlyTarget::Y},
     {"z", PlyTarget::Z},
     {"nx", PlyTarget::Nx},
     {"ny", PlyTarget::Ny},
     {"nz", PlyTarget::Nz},
     {"u", PlyTarget::U},
     {"v", PlyTarget::V},
     {"s", PlyTarget::U},
     {"t", PlyTarget::V},
     {"texture_u", PlyTarget::U},
     {"texture_v", PlyTarget::V},
     {"texture_s", PlyTarget::U},
     {"texture_t", PlyTarget::V}}};

struct PlyProperty {
    PlyKind kind = PlyKind::F32;
    std::optional<PlyKind> count_kind{};  // of a list
    PlyTarget target = PlyTarget::None;
    bool is_corners = false;
};

struct PlyElement {
    std::string name;
    u64 count = 0;
    std::vector<PlyProperty> properties{};

    // The fewest bytes of a row.
    [[nodiscard]] u64 least_bytes(bool is_ascii) const {
        u64 bytes = 0;
        for (const PlyProperty& property : properties) {
            bytes += is_ascii ? 2 : ply_bytes(property.count_kind.value_or(property.kind));
        }
        return bytes;
    }

    [[nodiscard]] bool has(PlyTarget target) const {
        return std::any_of(properties.begin(), properties.end(), [&](const PlyProperty& property) {
            return property.target == target;
        });
    }
};

std::optional<PlyKind> ply_kind(std::string_view word) {
    const auto* const found = std::find_if(
        kPlyKinds.begin(), kPlyKinds.end(), [&](const auto& entry) { return entry.first == word; });
    return found == kPlyKinds.end() ? std::nullopt : std::optional(found->second);
}

class PlyReader {
public:
    PlyReader(std::span<const u8> bytes, const std::string& path, SizeRule& size)
        : bytes_(bytes), path_(path), size_(size) {}

    base::Result<MeshData> read() {
        WEFT_TRY(read_header());
        for (const PlyElement& element : elements_) {
            WEFT_TRY(check_length(element));
            if (element.name == "vertex") {
                WEFT_TRY(read_vertices(element));
            } else {
                WEFT_TRY(read_rows(element));
            }
        }
        return finished();
    }

private:
    [[nodiscard]] base::Error error(const std::string& what) const {
        return {base::ErrorKind::Scene, path_ + ": " + what};
    }

    [[nodiscard]] base::Error ends_early() const {
        return error("ends before the rows that its header counts; expected a whole PLY file.");
    }

    // The next line of the header; none at the end of the file.
    std::optional<std::string_view> next_line() {
        const std::string_view rest =
            std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size())
                .substr(at_);
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        at_ += end + 1;
        ++line_;
        return rest.substr(0, end);
    }

    base::Status read_header() {
        auto line = next_line();
        if (!line || next_word(*line) != "ply") {
            return error("does not begin with \"ply\"; expected a PLY file.");
        }
        bool has_format = false;
        for (line = next_line(); line; line = next_line()) {
            const std::string whole(line->substr(0, 80));
            const std::string_view keyword = next_word(*line);
            bool is_good = true;
            if (keyword == "end_header") {
                return has_format ? base::Status(base::Done{})
                                  : base::Status(error("names no format; expected ascii or a "
                                                       "binary one."));
            }
            if (keyword == "format") {
                const std::string_view format = next_word(*line);
                is_ascii_ = format == "ascii";
                is_swapped_ = format == "binary_big_endian";
                has_format = is_good = is_ascii_ || is_swapped_ || format == "binary_little_endian";
            } else if (keyword == "element") {
                is_good = add_element(*line);
            } else if (keyword == "property") {
                is_good = add_property(*line);
            } else {
                is_good = keyword.empty() || keyword == "comment" || keyword == "obj_info";
            }
            if (!is_good) {
                return base::Error{base::ErrorKind::Scene,
                                   path_ + ":" + std::to_string(line_) + ": \"" + whole +
                                       "\" stands in the header; expected an element with a "
                                       "count, or a property with a type."};
            }
        }
        return error("has a header without an end; expected a line \"end_header\".");
    }

    bool add_element(std::string_view line) {
        PlyElement element{std::string(next_word(line))};
        const std::optional<u64> count = number_of<u64>(next_word(line));
        element.count = count.value_or(0);
        elements_.push_back(std::move(element));
        return count.has_value();
    }

    bool add_property(std::string_view line) {
        if (elements_.empty()) {
            return false;
        }
        PlyElement& element = elements_.back();
        PlyProperty property;
        std::string_view word = next_word(line);
        const bool is_list = word == "list";
        if (is_list) {
            property.count_kind = ply_kind(next_word(line));
            word = next_word(line);
        }
        const std::optional<PlyKind> kind = ply_kind(word);
        if (!kind || (is_list && !property.count_kind)) {
            return false;
        }
        property.kind = *kind;
        const std::string_view name = next_word(line);
        if (is_list) {
            property.is_corners =
                element.name == "face" && (name == "vertex_indices" || name == "vertex_index");
        } else if (element.name == "vertex") {
            for (const auto& [known, target] : kPlyTargets) {
                property.target = known == name ? target : property.target;
            }
        }
        element.properties.push_back(property);
        return true;
    }

    // A count that the rest of the file cannot hold is told before memory is taken.
    base::Status check_length(const PlyElement& element) {
        const u64 least = std::max<u64>(element.least_bytes(is_ascii_), 1);
        // The last value of an ASCII file may lack its blank.
        return element.count <= (bytes_.size() - at_ + 1) / least ? base::Status(base::Done{})
                                                                  : base::Status(ends_early());
    }

    // False where the file ends, or in ASCII where no number stands.
    bool read_value(PlyKind kind, double& value) {
        if (is_ascii_) {
            return read_text(value);
        }
        switch (kind) {
            case PlyKind::I8:
                return read_as<std::int8_t>(value);
            case PlyKind::U8:
                return read_as<std::uint8_t>(value);
            case PlyKind::I16:
                return read_as<std::int16_t>(value);
            case PlyKind::U16:
                return read_as<std::uint16_t>(value);
            case PlyKind::I32:
                return read_as<std::int32_t>(value);
            case PlyKind::U32:
                return read_as<std::uint32_t>(value);
            case PlyKind::F32:
                return read_as<float>(value);
            case PlyKind::F64:
                return read_as<double>(value);
        }
        return false;
    }

    template <typename T>
    bool read_as(double& value) {
        std::array<u8, sizeof(T)> raw{};
        if (bytes_.size() - at_ < raw.size()) {
            return false;
        }
        std::memcpy(raw.data(), bytes_.data() + at_, raw.size());
        at_ += raw.size();
        if (is_swapped_) {
            std::reverse(raw.begin(), raw.end());
        }
        T number{};
        std::memcpy(&number, raw.data(), raw.size());
        value = static_cast<double>(number);
        return true;
    }

    bool read_text(double& value) {
        const char* const begin = reinterpret_cast<const char*>(bytes_.data());
        const char* const end = begin + bytes_.size();
        const char* from = begin + at_;
        while (from < end && (*from == ' ' || *from == '\n' || *from == '\r' || *from == '\t')) {
            ++from;
        }
        const auto [rest, problem] =
            std::from_chars(from + (from < end && *from == '+'), end, value);
        at_ = static_cast<std::size_t>(rest - begin);
        return problem == std::errc();
    }

    base::Status read_vertices(const PlyElement& element) {
        if (!element.has(PlyTarget::X) || !element.has(PlyTarget::Y) ||
            !element.has(PlyTarget::Z)) {
            return error("has vertices without x, y and z; expected positions.");
        }
        if (!mesh_.positions.empty()) {
            return error("has two elements \"vertex\"; expected one.");
        }
        if (element.count >= kNone) {
            return error("has " + std::to_string(element.count) +
                         " vertices; expected fewer than 2^32.");
        }
        WEFT_TRY(size_.add_made(8 * sizeof(float) * element.count, path_));
        const bool has_normals =
            element.has(PlyTarget::Nx) && element.has(PlyTarget::Ny) && element.has(PlyTarget::Nz);
        const bool has_uvs = element.has(PlyTarget::U) && element.has(PlyTarget::V);
        const auto count = static_cast<std::size_t>(element.count);
        mesh_.positions.reserve(3 * count);
        mesh_.normals.reserve(has_normals ? 3 * count : 0);
        mesh_.uvs.reserve(has_uvs ? 2 * count : 0);
        for (u64 row = 0; row < element.count; ++row) {
            float values[9] = {};
            for (const PlyProperty& property : element.properties) {
                double value = 0;
                if (property.count_kind ? !skip_list(property)
                                        : !read_value(property.kind, value)) {
                    return ends_early();
                }
                values[static_cast<std::size_t>(property.target)] = static_cast<float>(value);
            }
            if (!std::isfinite(values[0]) || !std::isfinite(values[1]) ||
                !std::isfinite(values[2])) {
                return error("has the vertex " + std::to_string(row) +
                             " beyond the numbers of a float; expected finite positions.");
            }
            mesh_.positions.insert(mesh_.positions.end(), values, values + 3);
            if (has_normals) {
                mesh_.normals.insert(mesh_.normals.end(), values + 3, values + 6);
            }
            if (has_uvs) {
                for (const float value : {values[6], values[7]}) {
                    mesh_.uvs.push_back(std::isfinite(value) ? value : 0.0F);
                }
            }
        }
        return base::Done{};
    }

    // Reads the count of a list; none: the file ends, or cannot hold so many.
    std::optional<u64> read_count(const PlyProperty& property) {
        double count = 0;
        if (!read_value(*property.count_kind, count) || !(count >= 0) ||
            count > static_cast<double>(bytes_.size() - at_)) {
            return std::nullopt;
        }
        return static_cast<u64>(count);
    }

    bool skip_list(const PlyProperty& property) {
        const std::optional<u64> count = read_count(property);
        double value = 0;
        for (u64 k = 0; count && k < *count; ++k) {
            if (!read_value(property.kind, value)) {
                return false;
            }
        }
        return count.has_value();
    }

    // Rows of faces, and of elements that nobody needs.
    base::Status read_rows(const PlyElement& element) {
        double value = 0;
        for (u64 row = 0; row < element.count; ++row) {
            for (const PlyProperty& property : element.properties) {
                const bool is_good = property.is_corners   ? read_face(property)
                                     : property.count_kind ? skip_list(property)
                                                           : read_value(property.kind, value);
                if (!is_good) {
                    return ends_early();
                }
            }
        }
        return base::Done{};
    }

    // A fan around the first corner.
    bool read_face(const PlyProperty& property) {
        const std::optional<u64> count = read_count(property);
        u32 first = 0;
        u32 last = 0;
        for (u64 k = 0; count && k < *count; ++k) {
            double value = 0;
            if (!read_value(property.kind, value)) {
                return false;
            }
            // What is no vertex is told at the end, when all vertices are known.
            const u32 corner =
                value >= 0 && value < static_cast<double>(kNone) ? static_cast<u32>(value) : kNone;
            if (k >= 2) {
                mesh_.corners.insert(mesh_.corners.end(), {first, last, corner});
            }
            first = k == 0 ? corner : first;
            last = corner;
        }
        return count.has_value();
    }

    base::Result<MeshData> finished() {
        WEFT_TRY(size_.add_made(sizeof(u32) * mesh_.corners.size(), path_));
        for (std::size_t k = 0; k < mesh_.corners.size(); ++k) {
            if (mesh_.corners[k] >= mesh_.vertex_count()) {
                return error("has a face with a corner " +
                             (mesh_.corners[k] == kNone ? std::string("that is no vertex")
                                                        : std::to_string(mesh_.corners[k])) +
                             "; expected one of " + std::to_string(mesh_.vertex_count()) +
                             " vertices.");
            }
        }
        mesh_.normalize_normals();
        return std::move(mesh_);
    }

    std::span<const u8> bytes_;
    const std::string& path_;
    SizeRule& size_;
    std::size_t at_ = 0;
    u32 line_ = 0;
    bool is_ascii_ = false;
    bool is_swapped_ = false;
    std::vector<PlyElement> elements_;
    MeshData mesh_;
};

}  // namespace

base::Result<MeshData> parse_ply_mesh(std::span<const u8> bytes,
                                      const std::string& path,
                                      SizeRule& size) {
    return PlyReader(bytes, path, size).read();
}

base::Result<MeshData> read_ply_mesh(const std::string& path, SizeRule& size) {
    const base::Result<std::vector<u8>> bytes = read_packed_file(path, "a PLY mesh", size);
    WEFT_TRY(bytes);
    return parse_ply_mesh(bytes.value(), path, size);
}

}  // namespace weft::scene
