// assimp_reader.h — the work of the reader process: reads one file with assimp and packs it.
//
// assimp aborts or never returns on some broken files, so the importer starts the program
// weft-import for each file (reader_process.h); its main() calls this. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/assimp/assimp_pack.h"

namespace weft::scene {

struct ReaderRequest {
    std::string path;
    std::string extension;                 // lower case, without the dot
    u64 most_memory_bytes = 0;             // the limit for reading
    std::vector<std::string> asset_roots;  // ImportConfig's
};

// The pack then holds a scene, or the sentence of an error.
void read_with_assimp(const ReaderRequest& request, PackWriter& pack);

}  // namespace weft::scene
