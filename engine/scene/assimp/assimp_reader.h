// assimp_reader.h — what the process with assimp does: reads one file and packs it.
//
// assimp ends the program, or never returns, on some broken files. So the importer starts a process
// for each file (reader_process.h), the program weft-import; its main() calls this. One thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/assimp/assimp_pack.h"

namespace weft::scene {

struct ReaderRequest {
    std::string path;
    std::string extension;                 // lower case, without the dot
    u64 most_memory_bytes = 0;             // that reading may take
    std::vector<std::string> asset_roots;  // ImportConfig's
};

// The pack holds a scene or one sentence that says why there is none.
void read_with_assimp(const ReaderRequest& request, PackWriter& pack);

}  // namespace weft::scene
