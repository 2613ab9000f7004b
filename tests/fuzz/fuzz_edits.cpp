// fuzz_edits.cpp — files of edits: applied to a small scene as `--edits` does, and edit by edit, as
// the viewer does, with the edits that undo them.
#include "app/command/edit_file.h"
#include "engine/scene/import.h"
#include "scheduler/base/ensure.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace weft;

// A triangle "part" of the material "paint", and a lamp.
scene::Scene small_scene() {
    scene::Scene scene;
    scene.materials.push_back({"default", scene::default_material()});
    scene.materials.push_back({"paint", scene::default_material()});
    scene.indices = {0, 1, 2};
    scene.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    scene.meshes.push_back({"part", {0, 1, 0, kNone, kNone, kNone, kNone, kNone}, 1});
    scene::Instance instance;
    instance.material = 1;
    instance.node = "part";
    scene.instances.push_back(instance);
    scene.lights.push_back({"lamp", shaders::LightKind::Point, {0, 2, 0}});
    scene::complete_scene(scene);
    return scene;
}

}  // namespace

int LLVMFuzzerTestOneInput(const u8* bytes, std::size_t size_bytes) {
    static const scene::Scene kScene = small_scene();
    const std::string path = fuzz::scratch().write("edits.json", {bytes, size_bytes});
    scene::EditContext context;
    context.camera = kScene.cameras.front();
    // The inputs must not depend on the files of this machine.
    context.may_open = [](const std::string&) { return false; };
    scene::Scene whole = kScene;
    scene::EditContext whole_context = context;
    const base::Status applied = app::apply_edit_file(path, whole, whole_context);
    if (applied.is_ok()) {
        fuzz::check_scene(whole);
    } else {
        fuzz::check_sentence(applied.error(), path);
    }
    const base::Result<app::EditFile> file = app::read_edit_file(path);
    if (!file.is_ok()) {
        return 0;
    }
    scene::Scene scene = kScene;
    scene::EditsMade made =
        scene::apply_edits(scene, context, file.value().edits, scene::OnFault::Skip, true);
    fuzz::check_scene(scene);
    for (std::size_t k = made.inverses.size(); k-- > 0;) {
        ENSURE(scene::apply_edit(scene, context, made.inverses[k]).is_ok(), ==, true);
    }
    fuzz::check_scene(scene);
    return 0;
}
