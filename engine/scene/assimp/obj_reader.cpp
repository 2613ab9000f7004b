// obj_reader.cpp — see obj_reader.h.
#include "engine/scene/assimp/obj_reader.h"

#include <algorithm>
#include <array>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/importerdesc.h>
#include <assimp/material.h>
#include <assimp/mesh.h>
#include <assimp/scene.h>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <unordered_map>

#include "engine/scene/assimp/mtl_file.h"
#include "engine/scene/parts/obj_document.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {
namespace {

constexpr std::size_t kMostName = sizeof(aiString::data) - 1;

// Of a material without a colour: phong_material.cpp.
constexpr MtlColor kPlainColor = {0.6f, 0.6f, 0.6f};

// The inverse of srgb_to_linear().
float srgb_of(float linear) {
    const double c = linear;
    return static_cast<float>(c <= 0.0031308 ? 12.92 * c
                                             : 1.055 * shaders::pow_of(c, 1 / 2.4) - 0.055);
}

// assimp's texts hold a kilobyte.
aiString text_of(std::string_view name) {
    return aiString(std::string(name.substr(0, kMostName)));
}

// The names of a line, separated by blanks except within quotes.
std::vector<std::string> names_of(std::string_view line) {
    std::vector<std::string> names;
    while (!line.empty()) {
        const bool is_quoted = line.front() == '"';
        line.remove_prefix(is_quoted ? 1 : 0);
        const std::string_view name = line.substr(0, line.find_first_of(is_quoted ? "\"" : " \t"));
        line.remove_prefix(std::min(name.size() + 1, line.size()));
        if (!name.empty()) {
            names.emplace_back(name);
        }
    }
    return names;
}

// "one NAME is" or "some NAME and 2 more are".
std::string listed(const char* one, const char* some, const std::string& name, std::size_t count) {
    return count == 1
               ? std::string(one) + " " + name + " is"
               : std::string(some) + " " + name + " and " + std::to_string(count - 1) + " more are";
}

// The texts of keywords by which OBJ files are known under any name.
constexpr std::array<const char*, 9> kTokens = {
    "mtllib", "usemtl", "v ", "vt ", "vn ", "o ", "g ", "s ", "f "};

class SceneMaker {
public:
    SceneMaker(AssimpSource& source, LibraryFiles& files, ObjDocument& document, aiScene& scene)
        : source_(source), files_(files), document_(document), scene_(scene) {}

    void make() {
        read_libraries();
        choose_materials();
        make_materials();
        scale_colors();
        make_meshes();
        note_rest();
    }

private:
    bool read_library(const std::string& name) {
        const std::optional<std::string> text = files_.read_library(name);
        for (const std::string& material : library_.append(text.value_or(""))) {
            add_material(material);
        }
        return text.has_value();
    }

    // A line names one library, with or without blanks, or several.
    void read_libraries() {
        add_material("DefaultMaterial");  // of faces before the first usemtl
        std::set<std::string> lines;
        for (const std::string& line : document_.libraries) {
            if (!lines.insert(line).second || read_library(line)) {
                continue;
            }
            const std::vector<std::string> names = names_of(line);
            std::vector<std::string> missing;
            for (const std::string& name : names) {
                if (!read_library(name)) {
                    missing.push_back(name);
                }
            }
            if (names.size() > 1 && missing.size() == names.size()) {
                missing = {line};
            }
            for (const std::string& name : missing) {
                files_.miss_library(name);
                missing_.insert(name);
            }
        }
        if (!missing_.empty()) {
            stand_in();
        }
    }

    // Many files name a library that was renamed together with them.
    void stand_in() {
        const std::string own = std::filesystem::path(source_.path).stem().string() + ".mtl";
        const bool has_own = read_library(own);
        source_.note(Note::Kind::Replaced,
                     listed("the material library",
                            "the material libraries",
                            *missing_.begin(),
                            missing_.size()) +
                         " not there; " + (has_own ? own + " stands" : "plain materials stand") +
                         " in.");
    }

    u32 add_material(const std::string& name) {
        const auto [known, is_new] =
            material_numbers_.try_emplace(name, static_cast<u32>(materials_.size()));
        if (is_new) {
            materials_.push_back(name);
        }
        return known->second;
    }

    [[nodiscard]] bool has_color(u32 vertex) const {
        return !std::isnan(document_.colors[std::size_t{3} * vertex]);
    }

    [[nodiscard]] bool is_colored(const ObjPart& part) const {
        return !document_.colors.empty() &&
               std::any_of(part.positions.begin(), part.positions.end(), [this](u32 vertex) {
                   return has_color(vertex);
               });
    }

    // A material becomes two where some of its meshes have vertex colours, which replace its own.
    void choose_materials() {
        std::vector<std::string> unknown;
        for (const std::string& name : document_.materials) {
            if (!material_numbers_.contains(name)) {
                unknown.push_back(name);
                add_material(name);
            }
        }
        if (!unknown.empty() && missing_.empty()) {
            source_.note(
                Note::Kind::Replaced,
                listed("material", "the materials", unknown[0], unknown.size()) +
                    " in no library; " +
                    (unknown.size() == 1 ? "a plain one stands in." : "plain ones stand in."));
        }
        std::vector<std::array<u32, 2>> numbers(materials_.size(), {kNone, kNone});
        for (const ObjPart& part : document_.parts) {
            const u32 own = part.material == kNone
                                ? 0
                                : material_numbers_.at(document_.materials[part.material]);
            const bool has_colors = is_colored(part);
            u32& number = numbers[own][has_colors ? 1 : 0];
            if (number == kNone) {
                number = numbers[own][has_colors ? 0 : 1] == kNone ? own : copy_material(own);
            }
            mesh_materials_.push_back(number);
            mesh_has_colors_.push_back(has_colors);
        }
    }

    u32 copy_material(u32 material) {
        materials_.push_back(std::string(materials_[material]));
        return static_cast<u32>(materials_.size() - 1);
    }

    // One that no library describes is as rough as the exponent 0.
    void make_materials() {
        constexpr float kExponent = 0;
        scene_.mMaterials = new aiMaterial* [materials_.size()] {};
        for (const std::string& name : materials_) {
            const aiString text = text_of(name);
            auto* const material = scene_.mMaterials[scene_.mNumMaterials++] = new aiMaterial;
            material->AddProperty(&text, AI_MATKEY_NAME);
            material->AddProperty(&kExponent, 1, AI_MATKEY_SHININESS);
        }
    }

    // Some writers count colours to 255.
    void scale_colors() {
        bool is_large = false;
        for (const float channel : document_.colors) {
            if (!std::isnan(channel) && channel != std::floor(channel)) {
                return;
            }
            is_large = is_large || channel > 1;
        }
        if (is_large) {
            for (float& channel : document_.colors) {
                channel /= 255;
            }
            source_.note(Note::Kind::Repaired,
                         "its vertex colours are whole numbers above 1; divided by 255.");
        }
    }

    // What a vertex without a colour has in a mesh with some: it shows as it would without them.
    [[nodiscard]] aiColor4D plain_color(u32 material) const {
        const MtlMaterial* const mtl = library_.find(materials_[material]);
        if (mtl != nullptr && !mtl->map(MtlMapKind::Diffuse).file.empty()) {
            return {1, 1, 1, 1};
        }
        MtlColor color = mtl == nullptr ? kPlainColor : mtl->diffuse.value_or(kPlainColor);
        for (float& channel : color) {
            channel = srgb_of(channel);
        }
        return {color[0], color[1], color[2], 1};
    }

    void make_meshes() {
        std::vector<std::vector<u32>> parts(document_.objects.size());
        for (std::size_t k = 0; k < document_.parts.size(); ++k) {
            parts[document_.parts[k].object].push_back(static_cast<u32>(k));
        }
        scene_.mMeshes = new aiMesh* [document_.parts.size()] {};
        scene_.mRootNode = new aiNode("root");
        scene_.mRootNode->mChildren = new aiNode* [document_.objects.size()] {};
        for (std::size_t object = 0; object < parts.size(); ++object) {
            const u32 first = scene_.mNumMeshes;
            for (const u32 part : parts[object]) {
                make_mesh(part);
            }
            if (scene_.mNumMeshes > first) {
                make_node(document_.objects[object], first);
            }
        }
    }

    void make_node(const std::string& name, u32 first_mesh) {
        auto* const node = new aiNode;
        scene_.mRootNode->mChildren[scene_.mRootNode->mNumChildren++] = node;
        node->mName = text_of(name);
        node->mParent = scene_.mRootNode;
        node->mNumMeshes = scene_.mNumMeshes - first_mesh;
        node->mMeshes = new unsigned[node->mNumMeshes];
        for (u32 k = 0; k < node->mNumMeshes; ++k) {
            node->mMeshes[k] = first_mesh + k;
        }
    }

    [[nodiscard]] bool is_finite(std::span<const u32> corners) const {
        return std::all_of(corners.begin(), corners.end(), [this](u32 vertex) {
            const float* const p = &document_.positions[std::size_t{3} * vertex];
            return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
        });
    }

    // Leaves out faces with a corner that is not finite.
    void drop_faces(ObjPart& part) {
        ObjPart kept;
        std::size_t first = 0;
        const auto keep = [](std::vector<u32>& to, const std::vector<u32>& from, std::size_t at) {
            if (at < from.size()) {
                to.push_back(from[at]);
            }
        };
        for (const u32 count : part.sizes) {
            if (is_finite(std::span(part.positions).subspan(first, count))) {
                kept.sizes.push_back(count);
                for (std::size_t at = first; at < first + count; ++at) {
                    keep(kept.positions, part.positions, at);
                    keep(kept.uvs, part.uvs, at);
                    keep(kept.normals, part.normals, at);
                }
            } else {
                source_.dropped_triangles += count - 2;
            }
            first += count;
        }
        kept.object = part.object;
        kept.material = part.material;
        part = std::move(kept);
    }

    void make_mesh(u32 index) {
        ObjPart& part = document_.parts[index];
        if (!is_finite(part.positions)) {
            drop_faces(part);
        }
        if (part.sizes.empty()) {
            return;
        }
        auto* const mesh = scene_.mMeshes[scene_.mNumMeshes++] = new aiMesh;
        mesh->mName = text_of(document_.objects[part.object]);
        mesh->mMaterialIndex = mesh_materials_[index];
        fill_vertices(part, mesh_has_colors_[index], *mesh);
        fill_faces(part, *mesh);
        part = {};
    }

    // One vertex for each corner.
    void fill_vertices(const ObjPart& part, bool has_colors, aiMesh& mesh) const {
        mesh.mNumVertices = static_cast<u32>(part.positions.size());
        mesh.mVertices = vectors_of(document_.positions, part.positions, 3);
        if (!part.normals.empty()) {
            mesh.mNormals = vectors_of(document_.normals, part.normals, 3);
        }
        if (!part.uvs.empty()) {
            mesh.mTextureCoords[0] = vectors_of(document_.uvs, part.uvs, 2);
            mesh.mNumUVComponents[0] = 2;
        }
        if (has_colors) {
            const aiColor4D plain = plain_color(mesh.mMaterialIndex);
            mesh.mColors[0] = new aiColor4D[mesh.mNumVertices];
            for (u32 k = 0; k < mesh.mNumVertices; ++k) {
                const float* const c = &document_.colors[std::size_t{3} * part.positions[k]];
                mesh.mColors[0][k] =
                    has_color(part.positions[k]) ? aiColor4D(c[0], c[1], c[2], 1) : plain;
            }
        }
    }

    // By corner; zeros where it has no index.
    static aiVector3D* vectors_of(const std::vector<float>& values,
                                  const std::vector<u32>& indices,
                                  std::size_t each) {
        auto* const vectors = new aiVector3D[indices.size()];
        for (std::size_t k = 0; k < indices.size(); ++k) {
            if (indices[k] != kNone) {
                const float* const v = &values[each * indices[k]];
                vectors[k] = aiVector3D(v[0], v[1], each == 3 ? v[2] : 0.0f);
            }
        }
        return vectors;
    }

    static void fill_faces(const ObjPart& part, aiMesh& mesh) {
        mesh.mNumFaces = static_cast<u32>(part.sizes.size());
        mesh.mFaces = new aiFace[mesh.mNumFaces];
        u32 corner = 0;
        for (u32 f = 0; f < mesh.mNumFaces; ++f) {
            aiFace& face = mesh.mFaces[f];
            face.mNumIndices = part.sizes[f];
            face.mIndices = new unsigned[face.mNumIndices];
            for (u32 k = 0; k < face.mNumIndices; ++k) {
                face.mIndices[k] = corner++;
            }
            mesh.mPrimitiveTypes |=
                static_cast<u32>(AI_PRIMITIVE_TYPE_FOR_N_INDICES(face.mNumIndices));
        }
    }

    void note_rest() {
        source_.ignored_points += document_.points;
        source_.ignored_lines += document_.lines;
        if (document_.parts.empty() && document_.lines + document_.curves == 0 &&
            document_.points == 0) {
            source_.ignored_points += document_.positions.size() / 3;  // a cloud of points
        }
        if (document_.curves > 0) {
            source_.note(
                Note::Kind::Ignored,
                std::to_string(document_.curves) + " free-form curves and surfaces are not shown.");
        }
    }

    AssimpSource& source_;
    LibraryFiles& files_;
    ObjDocument& document_;
    aiScene& scene_;
    MtlLibrary library_;
    std::set<std::string> missing_;       // names of libraries
    std::vector<std::string> materials_;  // by number in the scene
    std::unordered_map<std::string, u32> material_numbers_;
    std::vector<u32> mesh_materials_;    // by part
    std::vector<bool> mesh_has_colors_;  // by part
};

std::string whole_text(Assimp::IOSystem& files, const std::string& file) {
    const std::unique_ptr<Assimp::IOStream> stream(files.Open(file.c_str(), "rb"));
    std::string text(stream == nullptr ? 0 : stream->FileSize(), '\0');
    text.resize(text.empty() ? 0 : stream->Read(text.data(), 1, text.size()));
    return text;
}

}  // namespace

bool ObjReader::CanRead(const std::string& file,
                        Assimp::IOSystem* files,
                        bool /*reads_content*/) const {
    constexpr unsigned kBytes = 200;
    std::array<const char*, kTokens.size()> tokens = kTokens;
    return SearchFileHeaderForToken(files, file, tokens.data(), tokens.size(), kBytes, false, true);
}

const aiImporterDesc* ObjReader::GetInfo() const {
    static constexpr aiImporterDesc kInfo = {
        "Weft's OBJ reader", "", "", "", aiImporterFlags_SupportTextFlavour, 0, 0, 0, 0, "obj"};
    return &kInfo;
}

void ObjReader::InternReadFile(const std::string& file, aiScene* scene, Assimp::IOSystem* files) {
    base::Result<ObjDocument> document =
        parse_obj(whole_text(*files, file), source_.path, ObjUse::Model);
    if (document.is_ok() && !document.value().has_keyword) {
        document = base::Error{base::ErrorKind::Scene,
                               source_.path + ": has no line of OBJ; expected a whole OBJ file."};
    }
    if (!document.is_ok()) {
        source_.refusal = document.error().sentence;
        throw std::runtime_error(source_.refusal);  // ends Importer::ReadFile()
    }
    SceneMaker(source_, libraries_, document.value(), *scene).make();
}

}  // namespace weft::scene
