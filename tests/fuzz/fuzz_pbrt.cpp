// fuzz_pbrt.cpp — pbrt-v4 files, without the files that they may include.
#include "engine/scene/import.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    const std::string path = fuzz::scratch().write("scene.pbrt", {bytes, size_bytes});
    scene::ImportConfig config;
    config.thread_count = 1;
    base::Result<scene::Scene> read = scene::import_scene({path}, config);
    if (!read.is_ok()) {
        fuzz::check_sentence(read.error(), "scene.pbrt");
        return 0;
    }
    scene::complete_scene(read.value());
    fuzz::check_scene(read.value());
    return 0;
}
