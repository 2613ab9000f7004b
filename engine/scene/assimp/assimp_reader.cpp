// assimp_reader.cpp — packs OBJ, PLY, STL and all other formats that assimp reads.
//
// OBJ and PLY have readers of Weft's own (obj_reader.h, ply_model.h). assimp triangulates faces and
// does nothing else: a mesh without normals stays flat. assimp's copy of a mesh is freed as soon as
// it is packed.
#include "engine/scene/assimp/assimp_reader.h"

#include <algorithm>
#include <assimp/BaseImporter.h>
#include <assimp/DefaultIOSystem.h>
#include <assimp/IOStream.hpp>
#include <assimp/Importer.hpp>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <set>

#include "engine/scene/assimp/assimp_properties.h"
#include "engine/scene/assimp/assimp_source.h"
#include "engine/scene/assimp/obj_reader.h"
#include "engine/scene/assimp/off_text.h"
#include "engine/scene/assimp/ply_model.h"
#include "engine/scene/assimp/reader_limits.h"
#include "engine/scene/files/asset_root.h"
#include "engine/scene/files/scene_kinds.h"

namespace weft::scene {
namespace {

struct Library {
    std::string folder;  // of its file, as the OBJ names it; empty: that of the OBJ
    std::string text;
};

// Files opened beside the file itself.
struct OtherFiles {
    std::vector<Library> libraries;  // of an OBJ
    std::string outside;             // the first one that may not be read; empty: none
};

// Opens files for assimp and libraries for the OBJ reader, and raises the limits with the bytes
// read.
class ReaderFiles : public Assimp::DefaultIOSystem, public LibraryFiles {
public:
    // assimp reads `text` in the place of the file itself, unless it is empty.
    ReaderFiles(const ReaderRequest& request, const std::string& text, OtherFiles& others)
        : request_(request), text_(text), others_(others) {}

    [[nodiscard]] bool Exists(const char* file) const override {
        std::error_code problem;
        return std::filesystem::is_regular_file(file, problem);
    }

    Assimp::IOStream* Open(const char* file, const char* mode) override {
        const bool is_read = mode != nullptr && mode[0] == 'r';
        const std::string place = is_read ? place_of(file) : std::string();
        const bool is_text = place == request_.path && !text_.empty();
        std::unique_ptr<Assimp::IOStream> stream(
            place.empty() ? nullptr
            : is_text     ? new Assimp::MemoryIOStream(reinterpret_cast<const u8*>(text_.data()),
                                                   text_.size())
                          : DefaultIOSystem::Open(place.c_str(), mode));
        if (stream != nullptr) {
            limits_.allow_for(place);
        }
        return stream.release();  // Close() deletes it
    }

    std::optional<std::string> read_library(const std::string& name) override {
        for (const std::string& tried : {name, last_part(name)}) {
            const std::optional<std::string> place = roots_.find(tried);
            if (place && Exists(place->c_str())) {
                return text_of(*place, tried.substr(0, tried.size() - last_part(tried).size()));
            }
        }
        return std::nullopt;
    }

    // An absolute name was written on another machine: it leads to no file of this one.
    void miss_library(const std::string& name) override {
        const std::string folder = std::filesystem::path(request_.path).parent_path().string();
        if (others_.outside.empty() &&
            !roots_.holds((folder.empty() ? "." : folder) + "/" + name)) {
            others_.outside = name;
        }
    }

private:
    static std::string last_part(const std::string& file) {
        return file.substr(file.find_last_of("/\\") + 1);
    }

    // The path of a name in the scene: the name itself where it is allowed, else its last part.
    // Empty: no such file may be read.
    std::string place_of(const std::string& file) {
        if (file == request_.path || (roots_.holds(file) && Exists(file.c_str()))) {
            return file;
        }
        const auto beside = roots_.find(last_part(file));
        if (beside && Exists(beside->c_str())) {
            return *beside;
        }
        if (others_.outside.empty() && !roots_.holds(file)) {
            others_.outside = file;
        }
        return {};
    }

    // The text of a library that the OBJ finds in this folder; empty where it was read before.
    std::string text_of(const std::string& place, const std::string& folder) {
        std::string text;
        if (read_.insert(place).second) {
            limits_.allow_for(place);
            const std::unique_ptr<Assimp::IOStream> stream(
                DefaultIOSystem::Open(place.c_str(), "rb"));
            text.resize(stream == nullptr ? 0 : stream->FileSize());
            text.resize(text.empty() ? 0 : stream->Read(text.data(), 1, text.size()));
            others_.libraries.push_back({folder, text});
        }
        return text;
    }

    const ReaderRequest& request_;
    const std::string& text_;
    AssetRoots roots_{request_.path, request_.asset_roots};
    OtherFiles& others_;
    std::set<std::string> read_;  // libraries
    ReaderLimits limits_{request_.most_memory_bytes};
};

void refuse(PackWriter& pack, const std::string& sentence) {
    pack.start_again();
    pack.value(kPackBegin);
    pack.text(sentence);
}

std::string unreadable(const ReaderRequest& request, std::string why) {
    if (!is_kind(kAssimpKinds, request.extension) &&
        why.find("No suitable reader") != std::string::npos) {
        return request.path + ": Weft does not read " +
               (request.extension.empty() ? "this kind of file" : "." + request.extension) +
               "; it reads " + list_of_kinds() + ".";
    }
    why = why.substr(0, why.find('\n'));
    while (!why.empty() && (why.back() == '.' || why.back() == ' ' || why.back() == '\r')) {
        why.pop_back();
    }
    return request.path + ": cannot be read (" + (why.empty() ? "no reason given" : why) +
           "); expected a whole " + kind_name(request.extension) + " file.";
}

void note_totals(AssimpSource& source, const aiScene& scene) {
    if (source.dropped_triangles > 0) {
        source.note(Note::Kind::Repaired,
                    std::to_string(source.dropped_triangles) +
                        " triangles with a corner that is missing or not finite were dropped.");
    }
    if (source.ignored_points + source.ignored_lines > 0) {
        source.note(Note::Kind::Ignored,
                    std::to_string(source.ignored_points) + " points and " +
                        std::to_string(source.ignored_lines) + " lines are not shown.");
    }
    if (scene.mNumAnimations > 0) {
        source.note(Note::Kind::Ignored,
                    std::to_string(scene.mNumAnimations) +
                        " animations are not played; the rest pose is shown.");
    }
}

// By assimp's material index: whether a mesh of the material has vertex colours.
std::vector<u8> colored_materials(const aiScene& scene) {
    std::vector<u8> is_colored(scene.mNumMaterials, 0);
    for (u32 m = 0; m < scene.mNumMeshes; ++m) {
        const aiMesh& mesh = *scene.mMeshes[m];
        if (mesh.HasVertexColors(0) && mesh.mMaterialIndex < is_colored.size()) {
            is_colored[mesh.mMaterialIndex] = 1;
        }
    }
    return is_colored;
}

void pack_scene(AssimpSource& source, aiScene& scene, const OtherFiles& others, PackWriter& pack) {
    pack.value(kPackBegin);
    pack.text("");
    pack.array(colored_materials(scene));
    pack.value(u64{others.libraries.size()});
    for (const Library& library : others.libraries) {
        pack.text(library.folder);
        pack.text(library.text);
    }
    pack_materials(scene, pack);
    pack.value(u64{scene.mNumMeshes});
    for (u32 m = 0; m < scene.mNumMeshes; ++m) {
        pack_assimp_mesh(source, *scene.mMeshes[m], pack);
        // This process owns the scene (orphaned), so it frees meshes early: ten million faces of
        // assimp's are half a GB.
        delete scene.mMeshes[m];
        scene.mMeshes[m] = nullptr;
    }
    pack_nodes(source, scene, pack);
    note_totals(source, scene);
    write_notes(pack, source.notes);
}

// Readers of assimp's that the glTF importer or one of Weft's own replaces.
bool is_replaced(std::string_view reader) {
    return reader.find("glTF") != reader.npos || reader.find("PLY") != reader.npos ||
           reader.starts_with("Wavefront");
}

void leave_readers_out(Assimp::Importer& importer) {
    for (std::size_t k = importer.GetImporterCount(); k > 0; --k) {
        Assimp::BaseImporter* const reader = importer.GetImporter(k - 1);
        if (is_replaced(reader->GetInfo()->mName)) {
            importer.UnregisterLoader(reader);
            delete reader;
        }
    }
}

// assimp read a triangle in the place of each of them, into the only mesh.
void put_large_faces(const OffText& off, const aiScene& scene) {
    for (const LargeOffFace& large : off.large_faces) {
        if (scene.mNumMeshes == 1 && large.index < scene.mMeshes[0]->mNumFaces) {
            aiFace& face = scene.mMeshes[0]->mFaces[large.index];
            delete[] face.mIndices;
            face.mNumIndices = static_cast<u32>(large.corners.size());
            face.mIndices = new unsigned[large.corners.size()];
            std::copy(large.corners.begin(), large.corners.end(), face.mIndices);
        }
    }
}

// The scene, or null and the reason.
std::unique_ptr<aiScene> parse(AssimpSource& source,
                               const ReaderRequest& request,
                               const OffText& off,
                               OtherFiles& others,
                               std::string& why) {
    Assimp::Importer importer;
    leave_readers_out(importer);
    importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
    // The importer owns both.
    auto* const files = new ReaderFiles(request, off.text, others);
    importer.SetIOHandler(files);
    importer.RegisterLoader(new ObjReader(source, *files));
    const aiScene* const read = importer.ReadFile(request.path, 0);
    if (read == nullptr) {
        why = importer.GetErrorString();
        return nullptr;
    }
    put_large_faces(off, *read);
    for (u32 m = 0; m < read->mNumMeshes; ++m) {
        mend_colors(source, *read->mMeshes[m]);
        mend_faces(source, *read->mMeshes[m]);
    }
    if (importer.ApplyPostProcessing(aiProcess_Triangulate) == nullptr) {
        why = importer.GetErrorString();
        return nullptr;
    }
    why = read->mRootNode == nullptr ? "it holds no scene" : "";
    return std::unique_ptr<aiScene>(why.empty() ? importer.GetOrphanedScene() : nullptr);
}

// By its name or, as in assimp's own readers, by its first line.
bool is_ply(const ReaderRequest& request) {
    std::string line;
    std::ifstream file(request.path, std::ios::binary);
    return request.extension == "ply" ||
           (std::getline(file, line) && (line == "ply" || line == "ply\r"));
}

void pack_ply(const ReaderRequest& request, PackWriter& pack) {
    ReaderLimits limits(request.most_memory_bytes);
    limits.allow_for(request.path);
    AssimpSource source{request.path, request.extension, {}, {}};
    const base::Result<std::unique_ptr<aiScene>> scene = read_ply_scene(source);
    if (!scene.is_ok()) {
        refuse(pack, scene.error().sentence);
        return;
    }
    pack_scene(source, *scene.value(), {}, pack);
    pack.value(kPackEnd);
}

// Of a file that assimp would read in part; empty for any other.
base::Result<OffText> off_of(const ReaderRequest& request) {
    if (request.extension != "off") {
        return OffText{};
    }
    ReaderLimits limits(request.most_memory_bytes);
    limits.allow_for(request.path);
    return read_off(request.path);
}

}  // namespace

std::string AssimpSource::name_or_file(const char* name) const {
    return name[0] != '\0' ? std::string(name) : std::filesystem::path(path).stem().string();
}

void read_with_assimp(const ReaderRequest& request, PackWriter& pack) {
    try {
        if (is_ply(request)) {
            pack_ply(request, pack);
            return;
        }
        const base::Result<OffText> off = off_of(request);
        if (!off.is_ok()) {
            refuse(pack, off.error().sentence);
            return;
        }
        AssimpSource source{request.path, request.extension, {}, {}};
        OtherFiles others;
        std::string why;
        const std::unique_ptr<aiScene> scene = parse(source, request, off.value(), others, why);
        if (!others.outside.empty()) {
            refuse(pack, outside_error(request.path + ": a file", others.outside).sentence);
            return;
        }
        if (scene == nullptr) {
            refuse(pack, source.refusal.empty() ? unreadable(request, why) : source.refusal);
            return;
        }
        pack_scene(source, *scene, others, pack);
        pack.value(kPackEnd);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& problem) {
        refuse(pack, unreadable(request, problem.what()));
    }
}

}  // namespace weft::scene
