// obj_document.cpp — see obj_document.h.
#include "engine/scene/parts/obj_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "engine/scene/parts/obj_objects.h"
#include "engine/scene/parts/text_words.h"

namespace weft::scene {
namespace {

constexpr std::size_t kMostShown = 40;  // letters of a word in a sentence
constexpr i64 kHugeIndex = i64{1} << 40;
constexpr const char* kAttributes[3] = {"position", "uv", "normal"};

// The keywords beside v, vt, vn, f, l, p, o, g, usemtl, mtllib, curv, curv2 and surf.
constexpr std::array<std::string_view, 29> kSkipped = {
    "s",        "vp",   "cstype", "deg",    "bmat",       "step",      "parm",  "trim",
    "hole",     "scrv", "sp",     "end",    "con",        "mg",        "bevel", "c_interp",
    "d_interp", "lod",  "maplib", "usemap", "shadow_obj", "trace_obj", "ctech", "stech",
    "call",     "csh",  "bsp",    "bzp",    "cdc"};

bool is_blank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\v' || letter == '\f';
}

// The words of a line in sequence; empty at its end.
class Words {
public:
    explicit Words(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

    std::string_view next() {
        skip_blanks();
        const char* const from = at_;
        while (at_ != end_ && !is_blank(*at_)) {
            ++at_;
        }
        return {from, static_cast<std::size_t>(at_ - from)};
    }

    // All of the rest.
    [[nodiscard]] std::string_view rest() const {
        return trimmed({at_, static_cast<std::size_t>(end_ - at_)});
    }

    // The next word unless it begins a comment.
    std::string_view next_value() {
        skip_blanks();
        return at_ != end_ && *at_ == '#' ? std::string_view() : next();
    }

private:
    void skip_blanks() {
        while (at_ != end_ && is_blank(*at_)) {
            ++at_;
        }
    }

    const char* at_;
    const char* end_;
};

// The number that all of the word says; not finite where it is out of range.
std::optional<float> float_of(std::string_view word) {
    word.remove_prefix(word.starts_with('+') ? 1 : 0);
    float number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (end != word.data() + word.size() || problem == std::errc::invalid_argument) {
        return std::nullopt;
    }
    if (problem == std::errc::result_out_of_range) {
        const bool is_tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
        return is_tiny ? 0.0F : std::numeric_limits<float>::infinity();
    }
    return number;
}

// Takes a whole number, of at most kHugeIndex, off the word; 0: it begins with none.
i64 take_index(std::string_view& word) {
    const bool is_negative = word.starts_with('-');
    std::size_t at = is_negative || word.starts_with('+') ? 1 : 0;
    i64 number = 0;
    for (; at < word.size() && word[at] >= '0' && word[at] <= '9'; ++at) {
        number = std::min(10 * number + (word[at] - '0'), kHugeIndex);
    }
    word.remove_prefix(at);
    return is_negative ? -number : number;
}

// Of the position, the uv and the normal, from 0; kNone: it has none.
using Corner = std::array<u32, 3>;

class ObjParser {
public:
    ObjParser(std::string_view text, const std::string& path, ObjUse use)
        : text_(text), path_(path), is_model_(use == ObjUse::Model) {
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        text_.remove_prefix(text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
        line_end_ = text_.find('\n') == text_.npos ? '\r' : '\n';
    }

    base::Result<ObjDocument> parse() {
        while (!text_.empty()) {
            WEFT_TRY(read_line(next_line()));
        }
        WEFT_TRY(check_ahead());
        return std::move(document_);
    }

private:
    // Where a face named an element that stands behind it.
    struct Ahead {
        u64 index = 0;
        u64 line = 0;
    };

    [[nodiscard]] base::Error error_at(u64 line, const std::string& what) const {
        return {base::ErrorKind::Scene, path_ + ":" + std::to_string(line) + ": " + what};
    }

    [[nodiscard]] base::Error error(const std::string& what) const { return error_at(line_, what); }

    [[nodiscard]] base::Error bad_number(std::string_view word) const {
        return error("has \"" + std::string(word.substr(0, kMostShown)) +
                     "\" where a number was expected.");
    }

    std::string_view take_line() {
        const std::string_view line = text_.substr(0, text_.find(line_end_));
        text_.remove_prefix(std::min(line.size() + 1, text_.size()));
        return line;
    }

    // The next line with those that continue it; sentences name the first.
    std::string_view next_line() {
        line_ += 1 + continuations_;
        continuations_ = 0;
        std::string_view line = take_line();
        if (!is_continued(line)) {
            return line;
        }
        joined_.clear();
        for (; is_continued(line); line = take_line(), ++continuations_) {
            joined_.append(trimmed(line));
            joined_.back() = ' ';
        }
        joined_.append(line);
        return joined_;
    }

    // A comment ends with its line.
    static bool is_continued(std::string_view line) {
        while (!line.empty() && is_blank(line.back())) {
            line.remove_suffix(1);
        }
        return line.ends_with('\\') && !trimmed(line).starts_with('#');
    }

    base::Status read_line(std::string_view line) {
        Words words(line);
        const std::string_view keyword = words.next();
        const auto is = [&](std::string_view other) { return keyword == other; };
        if (keyword.empty() || keyword.front() == '#') {
            return base::Done{};
        }
        if (is("v")) {
            return read_vertex(words);
        }
        if (is("vt")) {
            return read_numbers(words, 2, 1, document_.uvs);
        }
        if (is("vn")) {
            return read_numbers(words, 3, 3, document_.normals);
        }
        if (is("f")) {
            return read_face(words);
        }
        if (is("p") || is("l")) {
            count_elements(words, is("l"));
        } else if (is("curv") || is("curv2") || is("surf")) {
            ++document_.curves;
        } else if (is_model_ && (is("o") || is("g") || is("usemtl") || is("mtllib"))) {
            read_name(keyword, std::string(words.rest()));
        } else if (!document_.has_keyword) {
            document_.has_keyword =
                std::find(kSkipped.begin(), kSkipped.end(), keyword) != kSkipped.end();
            return base::Done{};
        }
        document_.has_keyword = true;
        return base::Done{};
    }

    base::Result<float> read_number(std::string_view word) const {
        const std::optional<float> number = float_of(word);
        if (!number || !(is_model_ || std::isfinite(*number))) {
            return bad_number(word);
        }
        return *number;
    }

    // `count` numbers; those behind the first `least` may be missing.
    base::Status read_numbers(Words& words, u32 count, u32 least, std::vector<float>& list) {
        for (u32 k = 0; k < count; ++k) {
            const std::string_view word = words.next_value();
            if (word.empty() && k >= least) {
                list.push_back(0);
                continue;
            }
            const base::Result<float> number = read_number(word);
            WEFT_TRY(number);
            list.push_back(number.value());
        }
        document_.has_keyword = true;
        return list.size() / count < kNone
                   ? base::Status(base::Done{})
                   : error("has more than 2^32 elements of a kind; expected fewer.");
    }

    // x y z, x y z w, x y z r g b or x y z w r g b; what else follows is skipped.
    base::Status read_vertex(Words& words) {
        WEFT_TRY(read_numbers(words, 3, 3, document_.positions));
        if (!is_model_) {
            return base::Done{};
        }
        std::array<float, 4> more{};
        std::size_t count = 0;
        while (count < more.size()) {
            const std::optional<float> number = float_of(words.next_value());
            if (!number) {
                break;
            }
            more[count++] = *number;
        }
        if (count == 1 || count == 4) {
            divide_position(more[0]);
        }
        add_color(count == 3 ? more.data() : count == 4 ? more.data() + 1 : nullptr);
        return base::Done{};
    }

    // Homogeneous coordinates; a point at infinity becomes one that is not finite.
    void divide_position(float w) {
        for (auto value = document_.positions.end() - 3;
             w != 1 && value != document_.positions.end();
             ++value) {
            *value /= w;
        }
    }

    void add_color(const float* color) {
        std::vector<float>& colors = document_.colors;
        if (color == nullptr && colors.empty()) {
            return;
        }
        constexpr float kNoColor = std::numeric_limits<float>::quiet_NaN();
        colors.resize(document_.positions.size() - 3, kNoColor);
        for (std::size_t k = 0; k < 3; ++k) {
            colors.push_back(color == nullptr ? kNoColor : color[k]);
        }
    }

    void count_elements(Words& words, bool is_line) {
        u64 count = 0;
        while (!words.next_value().empty()) {
            ++count;
        }
        (is_line ? document_.lines : document_.points) += is_line && count > 0 ? count - 1 : count;
    }

    void read_name(std::string_view keyword, const std::string& name) {
        if (keyword == "o") {
            objects_.begin_object(name);
        } else if (keyword == "g") {
            objects_.begin_group(name);
        } else if (keyword == "usemtl") {
            material_ = name.empty() ? material_ : name;
        } else if (!name.empty()) {
            document_.libraries.push_back(name);
        }
        part_ = kNone;
    }

    [[nodiscard]] base::Error bad_corner(std::string_view word) const {
        return error("has the corner \"" + std::string(word.substr(0, kMostShown)) +
                     "\"; expected a vertex, as 1 for the first of the file or -1 for the last "
                     "before this line.");
    }

    // "1", "1/2", "1//3" or "1/2/3".
    base::Result<Corner> read_corner(std::string_view word) {
        const u64 counts[3] = {
            document_.positions.size() / 3, document_.uvs.size() / 2, document_.normals.size() / 3};
        Corner corner = {kNone, kNone, kNone};
        std::string_view rest = word;
        for (std::size_t k = 0; k < 3; ++k) {
            if (k == 0 || (!rest.empty() && rest.front() != '/')) {
                const i64 said = take_index(rest);
                const i64 index = said < 0 ? static_cast<i64>(counts[k]) + said : said - 1;
                if (index < 0 || index >= i64{kNone}) {
                    return bad_corner(word);
                }
                corner[k] = static_cast<u32>(index);
                if (corner[k] >= counts[k]) {
                    look_ahead(k, corner[k]);
                }
            }
            if (rest.empty()) {
                return corner;
            }
            if (rest.front() != '/') {
                return bad_corner(word);
            }
            rest.remove_prefix(1);
        }
        return bad_corner(word);
    }

    // Keeps the places of ever larger indices: the first of them that lies beyond the end of the
    // file is the first of all.
    void look_ahead(std::size_t attribute, u32 index) {
        std::vector<Ahead>& ahead = ahead_[attribute];
        if (ahead.empty() || index > ahead.back().index) {
            ahead.push_back({index, line_});
        }
    }

    [[nodiscard]] base::Status check_ahead() const {
        const u64 counts[3] = {
            document_.positions.size() / 3, document_.uvs.size() / 2, document_.normals.size() / 3};
        for (std::size_t k = 0; k < 3; ++k) {
            for (const Ahead& ahead : ahead_[k]) {
                if (ahead.index >= counts[k]) {
                    return error_at(ahead.line,
                                    std::string("has a corner with the ") + kAttributes[k] + " " +
                                        std::to_string(ahead.index + 1) + "; expected at most " +
                                        std::to_string(counts[k]) + ", as many as the file has.");
                }
            }
        }
        return base::Done{};
    }

    base::Status read_face(Words& words) {
        document_.has_keyword = true;
        face_.clear();
        for (std::string_view word = words.next_value(); !word.empty(); word = words.next_value()) {
            const base::Result<Corner> corner = read_corner(word);
            WEFT_TRY(corner);
            face_.push_back(corner.value());
        }
        if (face_.size() < 3) {
            document_.points += face_.size() == 1 ? 1U : 0U;
            document_.lines += face_.size() == 2 ? 1U : 0U;
            return base::Done{};
        }
        ObjPart& part = present_part();
        add_face(part);
        return part.positions.size() < kNone
                   ? base::Status(base::Done{})
                   : error("has more than 2^32 corners in one object; expected fewer.");
    }

    void add_face(ObjPart& part) {
        part.sizes.push_back(static_cast<u32>(face_.size()));
        for (const Corner& corner : face_) {
            add_index(part.uvs, corner[1], part.positions.size());
            add_index(part.normals, corner[2], part.positions.size());
            part.positions.push_back(corner[0]);
        }
    }

    // The list stays empty until a corner has an index.
    static void add_index(std::vector<u32>& list, u32 index, std::size_t corners_before) {
        if (index != kNone || !list.empty()) {
            list.resize(corners_before, kNone);
            list.push_back(index);
        }
    }

    ObjPart& present_part() {
        if (part_ == kNone) {
            const u32 object = number_of(objects_.take_name(), object_numbers_, document_.objects);
            const u32 material = material_.empty()
                                     ? kNone
                                     : number_of(material_, material_numbers_, document_.materials);
            const auto [known, is_new] = parts_.try_emplace(
                u64{object} << 32 | material, static_cast<u32>(document_.parts.size()));
            if (is_new) {
                document_.parts.push_back({object, material, {}, {}, {}, {}});
            }
            part_ = known->second;
        }
        return document_.parts[part_];
    }

    static u32 number_of(const std::string& name,
                         std::unordered_map<std::string, u32>& numbers,
                         std::vector<std::string>& names) {
        const auto [known, is_new] = numbers.try_emplace(name, static_cast<u32>(names.size()));
        if (is_new) {
            names.push_back(name);
        }
        return known->second;
    }

    std::string_view text_;
    const std::string& path_;
    bool is_model_;
    char line_end_ = '\n';
    u64 line_ = 0;
    u64 continuations_ = 0;  // lines that joined_ holds beyond its first
    std::string joined_;
    ObjDocument document_;
    std::array<std::vector<Ahead>, 3> ahead_;
    std::vector<Corner> face_;
    ObjObjects objects_;
    std::string material_;
    u32 part_ = kNone;  // of the next face; kNone: a name has changed
    std::unordered_map<std::string, u32> object_numbers_;
    std::unordered_map<std::string, u32> material_numbers_;
    std::unordered_map<u64, u32> parts_;  // by object and material
};

}  // namespace

base::Result<ObjDocument> parse_obj(std::string_view text, const std::string& path, ObjUse use) {
    return ObjParser(text, path, use).parse();
}

}  // namespace weft::scene
