// obj_mesh.cpp — all faces of an OBJ file as one mesh.
#include <array>
#include <unordered_map>

#include "engine/scene/parts/mesh_files.h"
#include "engine/scene/parts/obj_document.h"
#include "engine/scene/parts/packed_file.h"
#include "engine/scene/parts/polygon_cut.h"
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

// Joins the corners of an OBJ that have the same position, uv and normal.
class ObjMesh {
public:
    ObjMesh(const ObjDocument& document, const std::string& path, SizeRule& size)
        : document_(document), path_(path), size_(size) {}

    base::Result<MeshData> make() {
        for (const ObjPart& part : document_.parts) {
            std::size_t first = 0;
            for (const u32 count : part.sizes) {
                WEFT_TRY(add_face(part, first, count));
                first += count;
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
    base::Status add_face(const ObjPart& part, std::size_t first, u32 count) {
        face_.clear();
        const auto index_of = [](const std::vector<u32>& list, std::size_t at) {
            return at < list.size() ? list[at] : kNone;
        };
        for (std::size_t at = first; at < first + count; ++at) {
            const base::Result<u32> vertex =
                vertex_of({part.positions[at], index_of(part.uvs, at), index_of(part.normals, at)});
            WEFT_TRY(vertex);
            face_.push_back(vertex.value());
        }
        if (count == 3) {
            mesh_.corners.insert(mesh_.corners.end(), face_.begin(), face_.end());
            return base::Done{};
        }
        outline_.clear();
        for (const u32 vertex : face_) {
            outline_.push_back(mesh_.position(vertex));
        }
        for (const std::array<u32, 3>& triangle : cut_polygon(outline_)) {
            for (const u32 corner : triangle) {
                mesh_.corners.push_back(face_[corner]);
            }
        }
        return base::Done{};
    }

    base::Result<u32> vertex_of(const ObjCorner& corner) {
        const auto [entry, is_new] = vertices_.try_emplace(corner, kNone);
        if (is_new) {
            WEFT_TRY(size_.add_made(128, path_));
            if (mesh_.vertex_count() + 1 >= kNone) {
                return base::Error{base::ErrorKind::Scene,
                                   path_ + ": has more than 2^32 vertices; expected fewer."};
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
        add(mesh_.positions, document_.positions, corner[0], 3);
        add(mesh_.uvs, document_.uvs, corner[1], 2);
        add(mesh_.normals, document_.normals, corner[2], 3);
        has_all_uvs_ = has_all_uvs_ && corner[1] != kNone;
        has_all_normals_ = has_all_normals_ && corner[2] != kNone;
    }

    const ObjDocument& document_;
    const std::string& path_;
    SizeRule& size_;
    std::unordered_map<ObjCorner, u32, ObjCornerHash> vertices_;
    std::vector<u32> face_;            // vertices of the present face
    std::vector<math::Vec3> outline_;  // their positions
    bool has_all_uvs_ = true;
    bool has_all_normals_ = true;
    MeshData mesh_;
};

}  // namespace

base::Result<MeshData> parse_obj_mesh(std::string_view text,
                                      const std::string& path,
                                      SizeRule& size) {
    const base::Result<ObjDocument> document = parse_obj(text, path, ObjUse::Mesh);
    WEFT_TRY(document);
    return ObjMesh(document.value(), path, size).make();
}

base::Result<MeshData> read_obj_mesh(const std::string& path, SizeRule& size) {
    const base::Result<std::vector<u8>> bytes = read_packed_file(path, "an OBJ mesh", size);
    WEFT_TRY(bytes);
    return parse_obj_mesh(base::as_text(bytes.value()), path, size);
}

}  // namespace weft::scene
