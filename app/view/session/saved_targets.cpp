#include "app/view/session/saved_targets.h"

#include <vector>

#include "app/command/output_files.h"
#include "app/view/models/view_folder.h"
#include "app/view/session/session.h"
#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

// Names that are no file, such as those of pictures inside a GLB, are the place of nothing.
std::vector<NamedFile> files_in_use(const Session& session) {
    std::vector<NamedFile> files = scene_inputs(session.options);
    if (!session.document.is_open()) {
        return files;
    }
    const scene::Scene& scene = session.document.scene();
    for (const scene::Texture& texture : scene.textures) {
        files.push_back({"the scene's picture", texture.name});
    }
    files.push_back({"the environment map", scene.environment.name});
    for (const scene::Environment& map : session.document.context().environments) {
        files.push_back({"the environment map", map.name});
    }
    return files;
}

}  // namespace

base::Status check_picture_place(const Session& session, const std::string& path) {
    std::vector<NamedFile> files = files_in_use(session);
    files.push_back({"the edits", session.files.edits_file});
    return check_outputs({{"the picture", path}}, files, false);
}

base::Status check_json_place(const Session& session,
                              const std::string& what,
                              const std::string& path) {
    if (ending_of(path) != ".json") {
        return base::Error{base::ErrorKind::Output,
                           path + ": is no name for " + what + "; expected one that ends in .json"};
    }
    WEFT_TRY(check_outputs({{what, path}}, files_in_use(session), false));
    WEFT_TRY(film::WholeFile::open(path));
    return base::Done{};
}

}  // namespace weft::app
