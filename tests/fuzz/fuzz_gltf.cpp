// fuzz_gltf.cpp — glTF and GLB files at rest and in the middle of their animations, and their
// completion to a scene that can be rendered.
#include "engine/scene/import.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace weft;

void import_and_check(const std::string& path, const scene::ImportConfig& config) {
    base::Result<scene::Scene> read = scene::import_scene({path}, config);
    if (!read.is_ok()) {
        fuzz::check_sentence(read.error(), path);
        return;
    }
    scene::complete_scene(read.value());
    fuzz::check_scene(read.value());
}

}  // namespace

int LLVMFuzzerTestOneInput(const u8* bytes, std::size_t size_bytes) {
    const std::string path = fuzz::scratch().write("scene.gltf", {bytes, size_bytes});
    scene::ImportConfig config;
    config.thread_count = 1;
    import_and_check(path, config);
    config.pose = scene::Pose{.time_s = 0.4, .animation = "all"};
    import_and_check(path, config);
    return 0;
}
