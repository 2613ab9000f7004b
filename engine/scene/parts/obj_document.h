// obj_document.h — the text of an OBJ file as arrays.
//
// The one parser of OBJ, for meshes that other scene files name (obj_mesh.cpp) and for models
// (assimp/obj_reader.h). Lines end with LF, CR LF or CR, and a backslash at the end joins the next.
// An error is one sentence with file and line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// The faces of one object with one material. Indices lie in their arrays.
struct ObjPart {
    u32 object = 0;              // of ObjDocument::objects
    u32 material = kNone;        // of ObjDocument::materials; kNone: before the first usemtl
    std::vector<u32> sizes;      // the corners of each face, 3 at least
    std::vector<u32> positions;  // by corner
    std::vector<u32> uvs;        // by corner, kNone where it has none; empty: no corner has
    std::vector<u32> normals;    // by corner, as uvs
};

// What the file is read for. A Mesh is all faces as one part, without colours and names of
// libraries; its numbers are finite.
enum class ObjUse { Mesh, Model };

struct ObjDocument {
    std::vector<float> positions;      // 3 per vertex
    std::vector<float> colors;         // 3 per vertex, NaN where it has none; empty: no vertex has
    std::vector<float> uvs;            // 2
    std::vector<float> normals;        // 3
    std::vector<std::string> objects;  // that have faces; no two of one name
    std::vector<std::string> materials;  // of faces
    std::vector<ObjPart> parts;
    std::vector<std::string> libraries;  // each mtllib without its keyword
    u64 points = 0;
    u64 lines = 0;
    u64 curves = 0;            // free-form curves and surfaces
    bool has_keyword = false;  // of OBJ
};

base::Result<ObjDocument> parse_obj(std::string_view text, const std::string& path, ObjUse use);

}  // namespace weft::scene
