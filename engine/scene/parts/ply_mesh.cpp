// ply_mesh.cpp — what the elements of a PLY mean: vertices, faces, strips of triangles and edges.
//
// Faces may stand before vertices, so they are kept as they are until the file ends, and become
// triangles then.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/scene/parts/mesh_files.h"
#include "engine/scene/parts/packed_file.h"
#include "engine/scene/parts/ply_faces.h"
#include "engine/scene/parts/ply_file.h"

namespace weft::scene {

namespace {

enum class PlyUse { Mesh, Model };

// What a property means here. The numbers of a vertex come first.
enum class PlyTarget {
    X,
    Y,
    Z,
    Nx,
    Ny,
    Nz,
    U,
    V,
    Red,
    Green,
    Blue,
    Alpha,
    None,
    Corners,
    CornerUvs
};

constexpr std::array<std::pair<std::string_view, PlyTarget>, 27> kPlyTargets = {
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
     {"tx", PlyTarget::U},
     {"ty", PlyTarget::V},
     {"texture_u", PlyTarget::U},
     {"texture_v", PlyTarget::V},
     {"texture_s", PlyTarget::U},
     {"texture_t", PlyTarget::V},
     {"red", PlyTarget::Red},
     {"green", PlyTarget::Green},
     {"blue", PlyTarget::Blue},
     {"alpha", PlyTarget::Alpha},
     {"r", PlyTarget::Red},
     {"g", PlyTarget::Green},
     {"b", PlyTarget::Blue},
     {"diffuse_red", PlyTarget::Red},
     {"diffuse_green", PlyTarget::Green},
     {"diffuse_blue", PlyTarget::Blue},
     {"diffuse_alpha", PlyTarget::Alpha}}};

constexpr std::size_t kVertexNumbers = static_cast<std::size_t>(PlyTarget::None) + 1;

// By the element's properties.
using PlyTargets = std::vector<PlyTarget>;

PlyTarget number_target(const PlyProperty& property) {
    const auto* const found =
        std::find_if(kPlyTargets.begin(), kPlyTargets.end(), [&](const auto& entry) {
            return entry.first == property.name;
        });
    return found == kPlyTargets.end() ? PlyTarget::None : found->second;
}

PlyTarget list_target(const PlyElement& element, const PlyProperty& property) {
    const bool is_corners = property.name == "vertex_indices" || property.name == "vertex_index";
    if (element.name == "face" && property.name == "texcoord") {
        return PlyTarget::CornerUvs;
    }
    return is_corners && element.name != "vertex" ? PlyTarget::Corners : PlyTarget::None;
}

PlyTargets targets_of(const PlyElement& element) {
    PlyTargets targets;
    for (const PlyProperty& property : element.properties) {
        targets.push_back(property.count_kind ? list_target(element, property)
                                              : number_target(property));
    }
    return targets;
}

bool has_all(const PlyTargets& targets, std::initializer_list<PlyTarget> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](PlyTarget target) {
        return std::find(targets.begin(), targets.end(), target) != targets.end();
    });
}

bool has_colors(const PlyTargets& targets) {
    return has_all(targets, {PlyTarget::Red, PlyTarget::Green, PlyTarget::Blue});
}

// The number of a colour that counts as 1. Writers of 32-bit integers mean bytes.
float full_color(PlyKind kind) {
    switch (kind) {
        case PlyKind::F32:
        case PlyKind::F64:
            return 1;
        case PlyKind::U16:
            return 65535;
        case PlyKind::I16:
            return 32767;
        default:
            return 255;
    }
}

bool is_color(PlyTarget target) {
    return target >= PlyTarget::Red && target <= PlyTarget::Alpha;
}

float finite_or_zero(float value) {
    return std::isfinite(value) ? value : 0.0F;
}

class PlyReader {
public:
    PlyReader(std::span<const u8> bytes,
              const std::string& path,
              SizeRule& size,
              PlyUse use,
              MissingUvs missing)
        : file_(bytes, path), path_(path), size_(size), use_(use), missing_(missing) {}

    base::Result<PlyModel> read() {
        WEFT_TRY(file_.read_header());
        for (const PlyElement& element : file_.elements()) {
            WEFT_TRY(file_.check_rows(element));
            WEFT_TRY(read_element(element));
        }
        if (use_ == PlyUse::Model && vertex_count() == 0) {
            return file_.error("has no vertices; expected an element \"vertex\" with some.");
        }
        model_.pictures = file_.pictures();
        model_.points += has_faces_ ? 0 : vertex_count();
        WEFT_TRY(make_triangles());
        return std::move(model_);
    }

private:
    // The numbers of a row, as far as they mean something.
    using Numbers = std::array<float, static_cast<std::size_t>(PlyTarget::None) + 1>;

    [[nodiscard]] std::size_t vertex_count() const { return model_.mesh.vertex_count(); }

    base::Status read_element(const PlyElement& element) {
        if (element.name == "vertex") {
            return read_vertices(element);
        }
        if (element.name == "face" || element.name == "tristrips") {
            return read_faces(element);
        }
        if (element.name == "edge") {
            model_.lines += element.count;
        } else if (element.count > 0) {
            model_.unread.push_back(element.name.substr(0, 40));
        }
        for (u64 row = 0; row < element.count; ++row) {
            for (const PlyProperty& property : element.properties) {
                if (!file_.skip(property)) {
                    return file_.broken_row(element, row);
                }
            }
        }
        return base::Done{};
    }

    bool read_number(const PlyProperty& property, PlyTarget target, Numbers& numbers) {
        double number = 0;
        if (!file_.read_number(property.kind, number)) {
            return false;
        }
        numbers[static_cast<std::size_t>(target)] =
            static_cast<float>(number) / (is_color(target) ? full_color(property.kind) : 1.0F);
        return true;
    }

    base::Status read_vertices(const PlyElement& element) {
        const PlyTargets targets = targets_of(element);
        if (!has_all(targets, {PlyTarget::X, PlyTarget::Y, PlyTarget::Z})) {
            return file_.error("has vertices without x, y and z; expected positions.");
        }
        if (vertex_count() != 0) {
            return file_.error("has two elements \"vertex\"; expected one.");
        }
        if (element.count >= kNone) {
            return file_.error("has " + std::to_string(element.count) +
                               " vertices; expected fewer than 2^32.");
        }
        WEFT_TRY(size_.add_made(sizeof(Numbers) * element.count, path_));
        const bool has_normals = has_all(targets, {PlyTarget::Nx, PlyTarget::Ny, PlyTarget::Nz});
        const bool has_uvs = has_all(targets, {PlyTarget::U, PlyTarget::V});
        const bool is_colored = use_ == PlyUse::Model && has_colors(targets);
        MeshData& mesh = model_.mesh;
        mesh.positions.reserve(3 * element.count);
        mesh.normals.reserve(has_normals ? 3 * element.count : 0);
        mesh.uvs.reserve(has_uvs ? 2 * element.count : 0);
        model_.colors.reserve(is_colored ? 4 * element.count : 0);
        for (u64 row = 0; row < element.count; ++row) {
            Numbers numbers{};
            numbers[static_cast<std::size_t>(PlyTarget::Alpha)] = 1;
            for (std::size_t k = 0; k < targets.size(); ++k) {
                const PlyProperty& property = element.properties[k];
                if (property.count_kind ? !file_.skip(property)
                                        : !read_number(property, targets[k], numbers)) {
                    return file_.broken_row(element, row);
                }
            }
            const float* const first = numbers.data();
            const bool is_finite =
                std::all_of(first, first + 3, [](float number) { return std::isfinite(number); });
            if (use_ == PlyUse::Mesh && !is_finite) {
                return file_.error("has the vertex " + std::to_string(row) +
                                   " beyond the numbers of a float; expected finite positions.");
            }
            mesh.positions.insert(mesh.positions.end(), first, first + 3);
            if (has_normals) {
                mesh.normals.insert(mesh.normals.end(), first + 3, first + 6);
            }
            if (has_uvs) {
                mesh.uvs.insert(mesh.uvs.end(),
                                {finite_or_zero(first[6]), finite_or_zero(first[7])});
            }
            if (is_colored) {
                model_.colors.insert(model_.colors.end(), first + 8, first + 12);
            }
        }
        return base::Done{};
    }

    // Also rows of strips.
    base::Status read_faces(const PlyElement& element) {
        const PlyTargets targets = targets_of(element);
        const bool is_colored = use_ == PlyUse::Model && has_colors(targets);
        has_faces_ = has_faces_ || element.count > 0;
        for (u64 row = 0; row < element.count; ++row) {
            row_corners_.clear();
            row_uvs_.clear();
            Numbers numbers{};
            numbers[static_cast<std::size_t>(PlyTarget::Alpha)] = 1;
            for (std::size_t k = 0; k < targets.size(); ++k) {
                if (!read_of_face(element.properties[k], targets[k], numbers)) {
                    return file_.broken_row(element, row);
                }
            }
            const std::span<const float> color(&numbers[static_cast<std::size_t>(PlyTarget::Red)],
                                               is_colored ? 4 : 0);
            if (element.name == "face") {
                add_face(color);
            } else {
                add_strip(color);
            }
        }
        return base::Done{};
    }

    bool read_of_face(const PlyProperty& property, PlyTarget target, Numbers& numbers) {
        if (!property.count_kind) {
            return read_number(property, target, numbers);
        }
        if (target == PlyTarget::Corners) {
            // kNone: the number names no vertex. PlyFaces reports it, once all vertices are read.
            return read_list(property, row_corners_, [](double number) {
                return number >= 0 && number < static_cast<double>(kNone) ? static_cast<u32>(number)
                                                                          : kNone;
            });
        }
        if (target == PlyTarget::CornerUvs && use_ == PlyUse::Model) {
            return read_list(property, row_uvs_, [](double number) {
                return finite_or_zero(static_cast<float>(number));
            });
        }
        return file_.skip(property);
    }

    template <typename T, typename Convert>
    bool read_list(const PlyProperty& property, std::vector<T>& list, const Convert& convert) {
        u64 left = 0;
        if (!file_.read_count(property, left)) {
            return false;
        }
        double number = 0;
        for (; left > 0 && file_.read_number(property.kind, number); --left) {
            list.push_back(convert(number));
        }
        return left == 0;
    }

    void add_face(std::span<const float> color) {
        if (row_corners_.size() > 2) {
            faces_.add(row_corners_, row_uvs_, color);
        } else {
            model_.points += row_corners_.size() == 1 ? 1u : 0u;
            model_.lines += row_corners_.size() == 2 ? 1u : 0u;
        }
    }

    // A −1, or any other number that names no vertex, ends a strip; the next vertex begins another.
    // Every second triangle of a strip has the opposite orientation, so two corners are swapped.
    void add_strip(std::span<const float> color) {
        std::size_t first = 0;
        for (std::size_t k = 0; k < row_corners_.size(); ++k) {
            if (row_corners_[k] == kNone) {
                first = k + 1;
            } else if (k >= first + 2) {
                const std::size_t turned = (k - first) % 2;
                faces_.add(std::array<u32, 3>{row_corners_[k - 2 + turned],
                                              row_corners_[k - 1 - turned],
                                              row_corners_[k]},
                           {},
                           color);
            }
        }
    }

    base::Status make_triangles() {
        WEFT_TRY(size_.add_made(8 * sizeof(u32) * faces_.corner_count(), path_));
        if (!model_.colors.empty()) {
            faces_.leave_colors_out();
        }
        if (missing_ == MissingUvs::OfFaces && model_.mesh.uvs.empty()) {
            faces_.give_uvs();
        }
        if (faces_.has_attributes()) {
            // No face has thrice as many corners of triangles as it has corners.
            const u64 most = 3 * u64{faces_.corner_count()};
            WEFT_TRY(size_.add_made(sizeof(Numbers) * most, path_));
            if (most >= kNone) {
                return file_.error("has " + std::to_string(most / 3) +
                                   " corners with uvs or colours; expected fewer than 2^30.");
            }
        }
        faces_.make_triangles(model_.mesh, model_.colors);
        model_.dropped_triangles = faces_.dropped_triangles();
        return use_ == PlyUse::Mesh && faces_.broken_corner()
                   ? base::Status(broken_face(*faces_.broken_corner()))
                   : base::Status(base::Done{});
    }

    [[nodiscard]] base::Error broken_face(u32 corner) const {
        return file_.error(
            "has a face with a corner " +
            (corner == kNone ? std::string("that is no vertex") : std::to_string(corner)) +
            "; expected one of " + std::to_string(vertex_count()) + " vertices.");
    }

    PlyFile file_;
    const std::string& path_;
    SizeRule& size_;
    PlyUse use_;
    MissingUvs missing_;
    PlyModel model_;
    bool has_faces_ = false;

    PlyFaces faces_;
    // Of the present row.
    std::vector<u32> row_corners_;
    std::vector<float> row_uvs_;
};

}  // namespace

base::Result<MeshData> parse_ply_mesh(std::span<const u8> bytes,
                                      const std::string& path,
                                      SizeRule& size,
                                      MissingUvs missing) {
    base::Result<PlyModel> read = PlyReader(bytes, path, size, PlyUse::Mesh, missing).read();
    WEFT_TRY(read);
    read.value().mesh.normalize_normals();
    return std::move(read.value().mesh);
}

base::Result<MeshData> read_ply_mesh(const std::string& path, SizeRule& size, MissingUvs missing) {
    const base::Result<std::vector<u8>> bytes = read_packed_file(path, "a PLY mesh", size);
    WEFT_TRY(bytes);
    return parse_ply_mesh(bytes.value(), path, size, missing);
}

base::Result<PlyModel> parse_ply_model(std::span<const u8> bytes,
                                       const std::string& path,
                                       SizeRule& size) {
    return PlyReader(bytes, path, size, PlyUse::Model, MissingUvs::None).read();
}

base::Result<PlyModel> read_ply_model(const std::string& path, SizeRule& size) {
    const base::Result<std::vector<u8>> bytes = read_packed_file(path, "a PLY file", size);
    WEFT_TRY(bytes);
    return parse_ply_model(bytes.value(), path, size);
}

}  // namespace weft::scene
