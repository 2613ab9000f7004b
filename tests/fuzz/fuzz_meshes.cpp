// fuzz_meshes.cpp — the mesh files that scenes of pbrt and Mitsuba name. The first byte chooses the
// format.
#include "engine/scene/import.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    if (size_bytes == 0) {
        return 0;
    }
    constexpr const char* kTypes[] = {"ply", "obj", "serialized"};
    const std::string type = kTypes[bytes[0] % 3];
    static_cast<void>(fuzz::scratch().write("mesh", {bytes + 1, size_bytes - 1}));
    const std::string text = "<scene version=\"3.0.0\"><shape type=\"" + type +
                             "\"><string name=\"filename\" value=\"mesh\"/></shape></scene>";
    const std::string path =
        fuzz::scratch().write("scene.xml", {reinterpret_cast<const u8*>(text.data()), text.size()});
    scene::ImportConfig config;
    config.thread_count = 1;
    const base::Result<scene::Scene> read = scene::import_scene({path}, config);
    if (!read.is_ok()) {
        fuzz::check_sentence(read.error(), "mesh");
        return 0;
    }
    fuzz::check_scene(read.value());
    return 0;
}
