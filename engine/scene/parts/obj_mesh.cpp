// obj_mesh.cpp — reads the faces of an OBJ file.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "engine/scene/parts/mesh_files.h"
#include "engine/scene/parts/packed_file.h"
#include "engine/scene/parts/text_words.h"
#include "scheduler/base/input_file.h"

namespace weft::scene {

namespace {

// Of the position, the uv and the normal of a corner, from 0; kNone: it has none.
using ObjCorner = std::array<u32, 3>;

struct ObjCornerHash {
    std::size_t operator()(const ObjCorner& corner) const {
        u64 sum = 0;
        for (const u32 index : corner) {
            sum = (sum ^ index) * 0x9e3779b97f4a7c15U;
            sum ^= sum >> 29U;
        }
        return static_cast<std::size_t>(sum);
    }
};

class ObjReader {
public:
    ObjReader(std::string_view text, const std::string& path, SizeRule& size)
        : text_(text), path_(path), size_(size) {}

    base::Result<MeshData> read() {
        while (!text_.empty()) {
            std::string_view line = text_.substr(0, text_.find('\n'));
            text_.remove_prefix(std::min(line.size() + 1, text_.size()));
            ++line_;
            line = line.substr(0, line.find('#'));
            const std::string_view keyword = next_word(line);
            if (keyword == "v") {
                WEFT_TRY(read_numbers(line, 3, positions_));
            } else if (keyword == "vt") {
                WEFT_TRY(read_numbers(line, 2, uvs_));
            } else if (keyword == "vn") {
                WEFT_TRY(read_numbers(line, 3, normals_));
            } else if (keyword == "f") {
                WEFT_TRY(read_face(line));
            }
        }
        // An attribute that a face lacks is left out of all.
        if (!has_all_uvs_) {
            mesh_.uvs.clear();
        }
        if (!has_all_normals_) {
            mesh_.normals.clear();
        }
        mesh_.normalize_normals();
        return std::move(mesh_);
    }

private:
    [[nodiscard]] base::Error error(const std::string& what) const {
        return {base::ErrorKind::Scene, path_ + ":" + std::to_string(line_) + ": " + what};
    }

    base::Status read_numbers(std::string_view line, std::size_t count, std::vector<float>& list) {
        for (std::size_t k = 0; k < count; ++k) {
            const std::string_view word = next_word(line);
            const std::optional<float> number = number_of<float>(word);
            // A uv may lack its second number.
            const bool is_missing = word.empty() && count == 2 && k == 1;
            if (!number && !is_missing) {
                return error("has \"" + std::string(word.substr(0, 40)) +
                             "\" where a number was expected.");
            }
            list.push_back(number.value_or(0));
        }
        return base::Done{};
    }

    // One index of a corner: from 1, or backwards from −1; none: it is no vertex.
    std::optional<u32> read_index(std::string_view word, std::size_t count) const {
        const i64 written = number_of<i64>(word).value_or(0);
        const auto size = static_cast<i64>(count);
        const i64 index = written < 0 ? size + written : written - 1;
        return index >= 0 && index < size && index < i64{kNone}
                   ? std::optional(static_cast<u32>(index))
                   : std::nullopt;
    }

    // The vertex of the mesh for "1", "1/2", "1//3" or "1/2/3".
    base::Result<u32> read_corner(std::string_view word) {
        const std::size_t counts[3] = {positions_.size() / 3, uvs_.size() / 2, normals_.size() / 3};
        ObjCorner corner = {kNone, kNone, kNone};
        std::string_view rest = word;
        for (std::size_t k = 0; k < 3 && !rest.empty(); ++k) {
            const std::string_view part = rest.substr(0, rest.find('/'));
            rest.remove_prefix(std::min(part.size() + 1, rest.size()));
            if (part.empty() && k > 0) {
                continue;
            }
            const std::optional<u32> index = read_index(part, counts[k]);
            if (!index) {
                return error("has the corner \"" + std::string(word.substr(0, 40)) +
                             "\"; expected vertices that stand before it.");
            }
            corner[k] = *index;
        }
        if (corner[0] == kNone) {
            return error("has a corner without a position; expected a vertex.");
        }
        const auto [entry, is_new] = vertices_.try_emplace(corner, kNone);
        if (is_new) {
            WEFT_TRY(size_.add_made(128, path_));
            if (mesh_.vertex_count() + 1 >= kNone) {
                return error("has more than 2^32 vertices; expected fewer.");
            }
            entry->second = static_cast<u32>(mesh_.vertex_count());
            add_vertex(corner);
        }
        return entry->second;
    }

    void add_vertex(const ObjCorner& corner) {
        const auto add = [](std::vector<float>& to,
                            const std::vector<float>& from,
                            u32 index,
                            std::size_t each) {
            for (std::size_t k = 0; k < each; ++k) {
                to.push_back(index == kNone ? 0.0F : from[each * index + k]);
            }
        };
        add(mesh_.positions, positions_, corner[0], 3);
        add(mesh_.uvs, uvs_, corner[1], 2);
        add(mesh_.normals, normals_, corner[2], 3);
        has_all_uvs_ = has_all_uvs_ && corner[1] != kNone;
        has_all_normals_ = has_all_normals_ && corner[2] != kNone;
    }

    // A fan around the first corner.
    base::Status read_face(std::string_view line) {
        u32 first = kNone;
        u32 last = kNone;
        u32 count = 0;
        for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
            const base::Result<u32> corner = read_corner(word);
            WEFT_TRY(corner);
            if (++count > 2) {
                mesh_.corners.insert(mesh_.corners.end(), {first, last, corner.value()});
            }
            first = count == 1 ? corner.value() : first;
            last = corner.value();
        }
        return base::Done{};
    }

    std::string_view text_;
    const std::string& path_;
    SizeRule& size_;
    u64 line_ = 0;
    std::vector<float> positions_;
    std::vector<float> uvs_;
    std::vector<float> normals_;
    std::unordered_map<ObjCorner, u32, ObjCornerHash> vertices_;
    bool has_all_uvs_ = true;
    bool has_all_normals_ = true;
    MeshData mesh_;
};

}  // namespace

base::Result<MeshData> parse_obj_mesh(std::string_view text,
                                      const std::string& path,
                                      SizeRule& size) {
    return ObjReader(text, path, size).read();
}

base::Result<MeshData> read_obj_mesh(const std::string& path, SizeRule& size) {
    const base::Result<std::vector<u8>> bytes = read_packed_file(path, "an OBJ mesh", size);
    WEFT_TRY(bytes);
    return parse_obj_mesh(base::as_text(bytes.value()), path, size);
}

}  // namespace weft::scene
