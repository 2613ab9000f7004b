// assimp_import.cpp — OBJ, PLY, STL and whatever else assimp reads.
//
// Each object of an OBJ is one (obj_objects.h). Only faces are cut into triangles by assimp;
// normals are never made up (a mesh without them is flat). assimp's copy of a mesh is freed as soon
// as ours is written. An import that is given up finds its files at their end, since assimp knows
// no other way to stop. Any thread; assimp's and our exceptions end here.
#include <algorithm>
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
#include <set>

#include "engine/scene/assimp_parts.h"
#include "engine/scene/import.h"
#include "engine/scene/obj_objects.h"
#include "engine/scene/ply_check.h"

namespace weft::scene {
namespace {

// A file that is at its end once the import is given up. It stands in the list of open ones until
// assimp deletes it.
class EndingFile : public Assimp::IOStream {
public:
    EndingFile(std::unique_ptr<Assimp::IOStream> file,
               const ImportConfig& config,
               std::set<EndingFile*>& open)
        : file_(std::move(file)), config_(config), open_(open) {
        open_.insert(this);
    }

    ~EndingFile() override { open_.erase(this); }

    EndingFile(const EndingFile&) = delete;
    EndingFile& operator=(const EndingFile&) = delete;

    std::size_t Read(void* to, std::size_t size, std::size_t count) override {
        return is_given_up(config_) ? 0 : file_->Read(to, size, count);
    }

    std::size_t Write(const void* from, std::size_t size, std::size_t count) override {
        return file_->Write(from, size, count);
    }

    aiReturn Seek(std::size_t offset, aiOrigin origin) override {
        return file_->Seek(offset, origin);
    }

    [[nodiscard]] std::size_t Tell() const override { return file_->Tell(); }

    [[nodiscard]] std::size_t FileSize() const override { return file_->FileSize(); }

    void Flush() override { file_->Flush(); }

private:
    std::unique_ptr<Assimp::IOStream> file_;
    const ImportConfig& config_;
    std::set<EndingFile*>& open_;
};

// Reads a material library of an OBJ into the import; assimp gets the names alone.
std::unique_ptr<Assimp::IOStream> library_names(AssimpImport& import, Assimp::IOStream& file) {
    std::string text(file.FileSize(), '\0');
    text.resize(file.Read(text.data(), 1, text.size()));
    std::string names = "\n";
    for (const std::string& name : import.libraries.append(text)) {
        names += "newmtl " + name + "\n";
    }
    auto bytes = std::make_unique<u8[]>(names.size());
    std::copy(names.begin(), names.end(), bytes.get());
    // The stream deletes the bytes.
    return std::make_unique<Assimp::MemoryIOStream>(bytes.release(), names.size(), true);
}

// Opens files for assimp and remembers the ones that it asked for and that are not there (material
// libraries). Closes what assimp leaves open when it gives a file up in its middle.
class RememberingFiles : public Assimp::DefaultIOSystem {
public:
    RememberingFiles(std::set<std::string>& missing,
                     AssimpImport& import,
                     std::vector<LineChange> changes)
        : missing_(missing), import_(import), changes_(std::move(changes)) {}

    ~RememberingFiles() override {
        while (!open_.empty()) {
            delete *open_.begin();  // takes itself out
        }
    }

    RememberingFiles(const RememberingFiles&) = delete;
    RememberingFiles& operator=(const RememberingFiles&) = delete;

    Assimp::IOStream* Open(const char* file, const char* mode) override {
        std::unique_ptr<Assimp::IOStream> stream(DefaultIOSystem::Open(file, mode));
        if (stream == nullptr) {
            missing_.insert(file);
            return nullptr;
        }
        if (!changes_.empty() && file == import_.path) {
            stream = changed_file(std::move(stream), changes_);
        } else if (import_.extension == "obj" && file != import_.path) {
            stream = library_names(import_, *stream);
        }
        return new EndingFile(std::move(stream), import_.config, open_);  // Close() deletes it
    }

private:
    std::set<std::string>& missing_;
    AssimpImport& import_;
    std::vector<LineChange> changes_;
    std::set<EndingFile*> open_;
};

// Of an OBJ file; what cannot be opened is assimp's to say.
std::vector<LineChange> changes_of(const AssimpImport& import) {
    std::ifstream file(import.path, std::ios::binary);
    return import.extension == "obj"
               ? object_lines(file, [&import] { return is_given_up(import.config); })
               : std::vector<LineChange>();
}

base::Error unreadable(const AssimpImport& import, std::string why) {
    why = why.substr(0, why.find('\n'));
    while (!why.empty() && (why.back() == '.' || why.back() == ' ' || why.back() == '\r')) {
        why.pop_back();
    }
    std::string kind = import.extension;
    std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    return {base::ErrorKind::Scene,
            import.path + ": cannot be read (" + (why.empty() ? "no reason given" : why) +
                "); expected a whole " + (kind.empty() ? std::string("scene") : kind) + " file."};
}

void note_totals(AssimpImport& import,
                 const aiScene& source,
                 const std::set<std::string>& missing) {
    for (const std::string& file : missing) {
        if (file.ends_with(".mtl")) {
            import.note(
                Note::Kind::Replaced,
                "the material library " + file + " is not there; plain materials stand in.");
            break;  // assimp asks under several names
        }
    }
    if (import.dropped_triangles > 0) {
        import.note(Note::Kind::Repaired,
                    std::to_string(import.dropped_triangles) +
                        " triangles with a corner that is missing or not finite were dropped.");
    }
    if (import.ignored_points + import.ignored_lines > 0) {
        import.note(Note::Kind::Ignored,
                    std::to_string(import.ignored_points) + " points and " +
                        std::to_string(import.ignored_lines) + " lines are not shown.");
    }
    if (source.mNumAnimations > 0) {
        import.note(Note::Kind::Ignored,
                    std::to_string(source.mNumAnimations) +
                        " animations are not played; the rest pose is shown.");
    }
}

base::Status import_parsed(AssimpImport& import,
                           const aiScene& source,
                           const std::set<std::string>& missing) {
    const base::Status materials = append_assimp_materials(import, source);
    if (!materials.is_ok()) {
        return materials;
    }
    // Sized once for all meshes; welding leaves some of it unused.
    std::size_t faces = 0;
    for (u32 mesh = 0; mesh < source.mNumMeshes; ++mesh) {
        faces += source.mMeshes[mesh]->mNumFaces;
    }
    if (import.scene.indices.size() + 3 * faces >= kNone) {
        return base::Error{
            base::ErrorKind::Scene,
            import.path + ": has " + std::to_string(faces) +
                " triangles; expected fewer than 1.4 thousand million in one scene."};
    }
    import.scene.indices.reserve(import.scene.indices.size() + 3 * faces);
    for (u32 mesh = 0; mesh < source.mNumMeshes; ++mesh) {
        if (is_given_up(import.config)) {
            return cancelled_error(import.path);
        }
        import.meshes.push_back(append_assimp_mesh(import, *source.mMeshes[mesh]));
        // The scene is ours alone (orphaned), so its meshes may go early: ten million faces of
        // assimp's are half a GB.
        delete source.mMeshes[mesh];
        source.mMeshes[mesh] = nullptr;
    }
    append_assimp_nodes(import, source);
    note_totals(import, source, missing);
    return base::Done{};
}

}  // namespace

std::string AssimpImport::name_or_file(const char* name) const {
    return name[0] != '\0' ? std::string(name) : std::filesystem::path(path).stem().string();
}

base::Status import_assimp(const std::string& path, const ImportConfig& config, Scene& scene) {
    if (scene.materials.empty()) {
        scene.materials.push_back({"default", default_material()});
    }
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    AssimpImport import{
        path, extension.empty() ? "" : extension.substr(1), config, scene, {}, {}, {}, {}};
    if (import.extension == "ply") {
        const base::Status header = check_ply(path);
        if (!header.is_ok()) {
            return header;
        }
    }
    try {
        std::set<std::string> missing;
        std::unique_ptr<aiScene> source;
        {
            Assimp::Importer importer;
            importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
            importer.SetIOHandler(
                new RememberingFiles(missing, import, changes_of(import)));  // the importer owns it
            if (importer.ReadFile(path, aiProcess_Triangulate) == nullptr) {
                return unreadable(import, importer.GetErrorString());
            }
            source.reset(importer.GetOrphanedScene());
        }
        if (is_given_up(config)) {
            return cancelled_error(path);
        }
        if (source->mRootNode == nullptr) {
            return unreadable(import, "it holds no scene");
        }
        return import_parsed(import, *source, missing);
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": does not fit into memory; expected a smaller scene."};
    } catch (const std::exception& problem) {
        return unreadable(import, problem.what());
    }
}

}  // namespace weft::scene
