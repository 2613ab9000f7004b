// fuzz_mitsuba.cpp — Mitsuba scenes, without the files that they may name.
#include "engine/scene/import.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    const std::string path = fuzz::scratch().write("scene.xml", {bytes, size_bytes});
    scene::ImportConfig config;
    config.thread_count = 1;
    scene::Scene scene;
    scene.materials.push_back({"default", scene::default_material()});
    const base::Status read = scene::import_mitsuba(path, config, scene);
    if (!read.is_ok()) {
        fuzz::check_sentence(read.error(), "scene.xml");
        return 0;
    }
    scene::complete_scene(scene);
    fuzz::check_scene(scene);
    return 0;
}
