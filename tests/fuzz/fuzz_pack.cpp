// fuzz_pack.cpp — packs, which come from the process that read a hostile file.
#include <cstring>
#include <vector>

#include "engine/scene/assimp/assimp_parts.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    // A pack is aligned.
    std::vector<u64> words((size_bytes + sizeof(u64) - 1) / sizeof(u64));
    if (size_bytes != 0) {
        std::memcpy(words.data(), bytes, size_bytes);
    }
    const std::string path = (fuzz::scratch().path() / "model.obj").string();
    scene::Scene scene;
    const base::Status read = scene::import_pack(
        {reinterpret_cast<const char*>(words.data()), size_bytes}, path, {}, scene);
    if (read.is_ok()) {
        fuzz::check_scene(scene);
    } else {
        fuzz::check_sentence(read.error(), "");
    }
    return 0;
}
