// import.h — the one door for scenes: a file of any known format, or procedural:NAME[:TRIANGLES].
//
// Never throws; every failure is a sentence with the file and place. Any thread; one call at a time
// per Scene.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::scene {

enum class MissingFile { Error, Black, Checker };

struct ImportConfig {
    MissingFile missing_file =
        MissingFile::Error;  // what stands in for an image that cannot be read
    u32 thread_count = 0;    // 0: all cores
    // Folders whose files a scene may read beside those of its own folder (asset_root.h).
    std::vector<std::string> asset_roots = {};
    // Called for each picture that a stand-in is used for, with its name and why it could not be
    // read, by the thread that imports. Empty: nobody wants to know.
    std::function<void(const std::string&, const std::string&)> on_missing = {};
    // Asked before each part (a mesh, a picture, a row), by several threads at once. After its
    // first yes, which it never takes back, no part is made. Empty: never.
    std::function<bool()> is_cancelled = {};
};

// Pictures that cannot be read where no stand-in is allowed: `first` says why, and the sentence
// goes on with how many there are and with the option that allows one.
base::Error missing_pictures_error(const base::Error& first, std::size_t count);

// Whether the caller has given the import up, and what it ends with then.
bool is_given_up(const ImportConfig& config);
base::Error cancelled_error(const std::string& source);

// Reads `sources` in order into one scene (ids in the order of arguments). A scene without
// materials, lights or camera is legal here; complete_scene() adds what is missing. Cancelled: an
// error, and all memory is free again.
base::Result<Scene> import_scene(const std::vector<std::string>& sources,
                                 const ImportConfig& config);

// Format importers append to `scene`, which is of no use after an error. (import_scene picks by
// extension and magic.)
base::Status import_gltf(const std::string& path, const ImportConfig& config, Scene& scene);
base::Status import_assimp(const std::string& path, const ImportConfig& config, Scene& scene);
// "procedural:rubble:1M"
base::Status make_procedural(const std::string& name, const ImportConfig& config, Scene& scene);

// Reads a lat-long .hdr/.exr (or any image) as the environment.
base::Result<Environment> read_environment(const std::string& path);

// The soft default environment where nothing shines and a camera that frames the scene where there
// is none; each says so in a note.
void complete_scene(Scene& scene);

}  // namespace weft::scene
