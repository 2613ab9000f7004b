// obj_reader.h — reads an OBJ file into a scene of assimp's, in place of assimp's own reader.
//
// assimp 5.2 loses numbers without a leading zero, gives vertex colours to the wrong vertices,
// knows one library per line, and compares each object with all others. This makes one node of each
// object and one mesh of its faces with one material, whose polygons are cut by the steps that
// follow. Libraries describe the materials (mtl.md). Runs in the reader process.
#pragma once

#include <assimp/BaseImporter.h>
#include <optional>
#include <string>

#include "engine/scene/assimp/assimp_source.h"

namespace weft::scene {

// Where the material libraries of an OBJ come from.
class LibraryFiles {
public:
    LibraryFiles() = default;
    LibraryFiles(const LibraryFiles&) = delete;
    LibraryFiles& operator=(const LibraryFiles&) = delete;
    virtual ~LibraryFiles() = default;

    // The text of a library by its name in the OBJ, empty where it was read before; none: no such
    // file may be read.
    virtual std::optional<std::string> read_library(const std::string& name) = 0;

    // Records that the name leads to no library.
    virtual void miss_library(const std::string& name) = 0;
};

// assimp's Importer owns it. `source` gets the notes, or the sentence of a file that is refused.
class ObjReader : public Assimp::BaseImporter {
public:
    ObjReader(AssimpSource& source, LibraryFiles& libraries)
        : source_(source), libraries_(libraries) {}

    [[nodiscard]] bool CanRead(const std::string& file,
                               Assimp::IOSystem* files,
                               bool reads_content) const override;
    [[nodiscard]] const aiImporterDesc* GetInfo() const override;

protected:
    void InternReadFile(const std::string& file, aiScene* scene, Assimp::IOSystem* files) override;

private:
    AssimpSource& source_;
    LibraryFiles& libraries_;
};

}  // namespace weft::scene
