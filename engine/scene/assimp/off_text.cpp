// off_text.cpp — see off_text.h.
#include "engine/scene/assimp/off_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace weft::scene {
namespace {

constexpr std::string_view kOffBlanks = " \t\r\v\f";
constexpr u64 kMostOffCorners = 9;  // of a face that assimp reads

// The lines of a file, and the words of one after another. A comment ends a line.
class OffLines {
public:
    explicit OffLines(const std::string& path) : path_(path), file_(path, std::ios::binary) {}

    // Goes on to the next line that is not blank; false at the end of the file.
    bool take_line() {
        do {
            if (!std::getline(file_, text_)) {
                return false;
            }
            ++number_;
            rest_ = text_;
            skip_blanks();
        } while (rest_.empty());
        return true;
    }

    // Empty at the end of the line.
    std::string_view take_word() {
        const std::string_view word = is_at_comment() ? "" : rest_.substr(0, word_end());
        rest_.remove_prefix(word.size());
        skip_blanks();
        return word;
    }

    // The next word of this line, or of one behind it.
    std::string_view take_word_anywhere() {
        while (rest_.empty() || is_at_comment()) {
            if (!take_line()) {
                return {};
            }
        }
        return take_word();
    }

    // The next word of the line as a number; none where it is no such number.
    template <typename T>
    std::optional<T> take_number() {
        return number_of<T>(take_word());
    }

    template <typename T>
    static std::optional<T> number_of(std::string_view word) {
        word.remove_prefix(word.starts_with('+') ? 1 : 0);
        T value{};
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
        const bool is_whole = problem == std::errc() && end == word.data() + word.size();
        return is_whole ? std::optional<T>(value) : std::nullopt;
    }

    [[nodiscard]] bool is_at_comment() const { return rest_.starts_with('#'); }

    [[nodiscard]] bool is_at_end() const { return rest_.empty() || is_at_comment(); }

    [[nodiscard]] base::Error error(const std::string& what) const {
        return {base::ErrorKind::Scene, path_ + ":" + std::to_string(number_) + ": " + what};
    }

private:
    [[nodiscard]] std::size_t word_end() const {
        return std::min(rest_.find_first_of(kOffBlanks), rest_.find('#'));
    }

    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kOffBlanks), rest_.size()));
    }

    const std::string& path_;
    std::ifstream file_;
    std::string text_;
    std::string_view rest_;
    u64 number_ = 0;
};

// What the first word says of a row of a vertex.
struct OffHeader {
    bool has_dimension = false;  // the number of coordinates follows
    u64 numbers = 3;             // of a row
};

// [ST][C][N][4][n]OFF; none for any other word.
std::optional<OffHeader> off_header_of(std::string_view word) {
    OffHeader header;
    const auto take = [&word](std::string_view mark) {
        const bool is_there = word.starts_with(mark);
        word.remove_prefix(is_there ? mark.size() : 0);
        return is_there;
    };
    header.numbers += take("ST") ? 2U : 0U;
    header.numbers += take("C") ? 4U : 0U;
    header.numbers += take("N") ? 3U : 0U;
    header.numbers += take("4") ? 1U : 0U;
    header.has_dimension = take("n");
    return word == "OFF" ? std::optional<OffHeader>(header) : std::nullopt;
}

// Goes to the next row, over comments. The first one may stand behind the counts.
base::Status take_off_row(OffLines& lines, bool is_first, u64 index, u64 count, const char* kind) {
    bool is_there = is_first && !lines.is_at_end();
    while (!is_there && lines.take_line()) {
        is_there = !lines.is_at_end();
    }
    if (!is_there) {
        return lines.error("the file ends after " + std::to_string(index) + " of " +
                           std::to_string(count) + " " + kind + "; expected a line for each.");
    }
    return base::Done{};
}

base::Status copy_off_vertices(OffLines& lines, u64 count, u64 numbers, OffText& off) {
    for (u64 vertex = 0; vertex < count; ++vertex) {
        WEFT_TRY(take_off_row(lines, vertex == 0, vertex, count, "vertices"));
        for (u64 k = 0; k < numbers; ++k) {
            const std::string_view word = lines.take_word();
            if (!OffLines::number_of<double>(word)) {
                return lines.error("vertex " + std::to_string(vertex) + " has " +
                                   std::to_string(k) + " numbers; expected " +
                                   std::to_string(numbers) + ".");
            }
            off.text += word;
            off.text += ' ';
        }
        off.text += '\n';
    }
    return base::Done{};
}

// The corners of a face in the current row.
base::Result<std::vector<u32>> take_off_corners(OffLines& lines,
                                                const std::string& name,
                                                u32 vertices) {
    const std::optional<u64> count = lines.take_number<u64>();
    if (!count || *count == 0) {
        return lines.error(name + " has " + (count ? "0" : "no number of") +
                           " corners; expected one or more.");
    }
    std::vector<u32> corners;
    for (u64 k = 0; k < *count; ++k) {
        const std::optional<u64> vertex = lines.take_number<u64>();
        if (!vertex) {
            return lines.error(name + " names " + std::to_string(k) + " vertices; expected " +
                               std::to_string(*count) + ".");
        }
        if (*vertex >= vertices) {
            return lines.error(name + " names vertex " + std::to_string(*vertex) +
                               "; expected one below " + std::to_string(vertices) + ".");
        }
        corners.push_back(static_cast<u32>(*vertex));
    }
    return corners;
}

base::Status copy_off_faces(OffLines& lines, u32 count, u32 vertices, OffText& off) {
    for (u32 face = 0; face < count; ++face) {
        WEFT_TRY(take_off_row(lines, false, face, count, "faces"));
        base::Result<std::vector<u32>> corners =
            take_off_corners(lines, "face " + std::to_string(face), vertices);
        WEFT_TRY(corners);
        const bool is_large = corners.value().size() > kMostOffCorners;
        const std::size_t written = is_large ? 3 : corners.value().size();
        off.text += std::to_string(written);
        for (std::size_t k = 0; k < written; ++k) {
            off.text += ' ' + std::to_string(corners.value()[k]);
        }
        off.text += '\n';
        if (is_large) {
            off.large_faces.push_back({face, std::move(corners.value())});
        }
    }
    return base::Done{};
}

// The numbers of vertices and faces; the number of edges is there and counts nothing.
base::Result<std::array<u32, 2>> take_off_counts(OffLines& lines) {
    std::array<u32, 3> counts{};
    for (u32& count : counts) {
        const auto number = OffLines::number_of<u32>(lines.take_word_anywhere());
        if (!number) {
            return lines.error("expected the numbers of vertices, faces and edges.");
        }
        count = *number;
    }
    return std::array<u32, 2>{counts[0], counts[1]};
}

}  // namespace

base::Result<OffText> read_off(const std::string& path) {
    OffLines lines(path);
    OffText off;
    off.text = lines.take_word_anywhere();
    std::optional<OffHeader> header = off_header_of(off.text);
    if (!header) {
        return OffText{};  // assimp refuses the file
    }
    off.text += '\n';
    if (header->has_dimension) {
        const auto dimension = OffLines::number_of<u32>(lines.take_word_anywhere());
        header->numbers = header->numbers - 3 + dimension.value_or(3);
        off.text += std::to_string(dimension.value_or(3)) + '\n';
    }
    const base::Result<std::array<u32, 2>> counts = take_off_counts(lines);
    WEFT_TRY(counts);
    const auto [vertices, faces] = counts.value();
    off.text += std::to_string(vertices) + ' ' + std::to_string(faces) + " 0\n";
    WEFT_TRY(copy_off_vertices(lines, vertices, header->numbers, off));
    WEFT_TRY(copy_off_faces(lines, faces, vertices, off));
    return off;
}

}  // namespace weft::scene
