// off_check.cpp — see off_check.h.
#include "engine/scene/assimp/off_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "scheduler/base/ids.h"

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

// Goes to the next row. The first one may stand behind the counts or behind comments.
base::Status take_off_row(OffLines& lines, bool is_first, u64 index, u64 count, const char* kind) {
    bool is_there = is_first ? !lines.is_at_end() : lines.take_line();
    while (is_first && !is_there && lines.take_line()) {
        is_there = !lines.is_at_end();
    }
    if (!is_there) {
        return lines.error("the file ends after " + std::to_string(index) + " of " +
                           std::to_string(count) + " " + kind + "; expected a line for each.");
    }
    if (lines.is_at_comment()) {
        return lines.error(std::string("a comment stands among the ") + kind +
                           ", where assimp reads none; expected it before the first vertex.");
    }
    return base::Done{};
}

base::Status check_off_vertices(OffLines& lines, u64 count, u64 numbers) {
    for (u64 vertex = 0; vertex < count; ++vertex) {
        WEFT_TRY(take_off_row(lines, vertex == 0, vertex, count, "vertices"));
        for (u64 k = 0; k < numbers; ++k) {
            if (!lines.take_number<double>()) {
                return lines.error("vertex " + std::to_string(vertex) + " has " +
                                   std::to_string(k) + " numbers; expected " +
                                   std::to_string(numbers) + ".");
            }
        }
    }
    return base::Done{};
}

base::Status check_off_faces(OffLines& lines, u64 count, u64 vertices) {
    for (u64 face = 0; face < count; ++face) {
        WEFT_TRY(take_off_row(lines, false, face, count, "faces"));
        const std::string name = "face " + std::to_string(face);
        const std::optional<u64> corners = lines.take_number<u64>();
        if (!corners || *corners == 0 || *corners > kMostOffCorners) {
            return lines.error(name + " has " +
                               (corners ? std::to_string(*corners) : std::string("no number of")) +
                               " corners; expected 1 to 9, more of which assimp drops.");
        }
        for (u64 k = 0; k < *corners; ++k) {
            const std::optional<u64> vertex = lines.take_number<u64>();
            if (!vertex) {
                return lines.error(name + " names " + std::to_string(k) + " vertices; expected " +
                                   std::to_string(*corners) + ".");
            }
            if (*vertex >= vertices) {
                return lines.error(name + " names vertex " + std::to_string(*vertex) +
                                   "; expected one below " + std::to_string(vertices) + ".");
            }
        }
    }
    return base::Done{};
}

}  // namespace

base::Status check_off(const std::string& path) {
    OffLines lines(path);
    std::optional<OffHeader> header = off_header_of(lines.take_word_anywhere());
    if (!header) {
        return base::Done{};  // assimp refuses it
    }
    if (header->has_dimension) {
        const auto dimension = OffLines::number_of<u32>(lines.take_word_anywhere());
        header->numbers = header->numbers - 3 + dimension.value_or(3);
    }
    std::array<u64, 3> counts{};  // of vertices, faces and edges
    for (u64& count : counts) {
        const auto number = OffLines::number_of<u64>(lines.take_word_anywhere());
        if (!number) {
            return lines.error("expected the numbers of vertices, faces and edges.");
        }
        count = *number;
    }
    WEFT_TRY(check_off_vertices(lines, counts[0], header->numbers));
    return check_off_faces(lines, counts[1], counts[0]);
}

}  // namespace weft::scene
