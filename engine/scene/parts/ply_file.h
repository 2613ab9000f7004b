// ply_file.h — the grammar of PLY: a header that lists elements with their properties, then the
// rows of each element, as text or as binary numbers.
//
// What elements and properties mean is not known here (ply_mesh.cpp). The bytes belong to the
// caller and outlive the file. One thread each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

enum class PlyKind { I8, U8, I16, U16, I32, U32, F32, F64 };

struct PlyProperty {
    std::string name;
    PlyKind kind = PlyKind::F32;
    std::optional<PlyKind> count_kind{};  // of a list
};

struct PlyElement {
    std::string name;
    u64 count = 0;
    std::vector<PlyProperty> properties{};
};

class PlyFile {
public:
    PlyFile(std::span<const u8> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

    // Comes first.
    base::Status read_header();

    [[nodiscard]] const std::vector<PlyElement>& elements() const { return elements_; }

    // The names in comments "TextureFile NAME", in which MeshLab says what pictures a model has.
    [[nodiscard]] const std::vector<std::string>& pictures() const { return pictures_; }

    // Before the rows of an element: whether the rest of the file can hold so many.
    [[nodiscard]] base::Status check_rows(const PlyElement& element) const;

    // The next number, the next count of a list, or all of a property's next value. They fail where
    // the file ends, in text also where no number stands; broken_row() then tells why.
    bool read_number(PlyKind kind, double& number);
    bool read_count(const PlyProperty& property, u64& count);
    bool skip(const PlyProperty& property);

    [[nodiscard]] base::Error broken_row(const PlyElement& element, u64 row) const;
    [[nodiscard]] base::Error error(const std::string& what) const;

private:
    std::optional<std::string_view> next_line();
    bool read_header_line(std::string_view line, std::string_view keyword);
    bool add_element(std::string_view line);
    bool add_property(std::string_view line);
    bool read_text(double& number);
    template <typename T>
    bool read_binary(double& number);

    std::span<const u8> bytes_;
    const std::string& path_;
    std::size_t at_ = 0;
    u32 line_ = 0;  // of the header
    bool has_format_ = false;
    bool is_ascii_ = false;
    bool is_swapped_ = false;
    bool is_count_wrong_ = false;  // of the list that failed
    std::vector<PlyElement> elements_;
    std::vector<std::string> pictures_;
};

}  // namespace weft::scene
