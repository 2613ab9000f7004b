// import.h — the one door for scenes: a file of any known format, or procedural:NAME[:COUNT].
//
// Never throws; every failure is a sentence with the file and place. Any thread; one call at a time
// per Scene.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/colour/colour_config.h"
#include "engine/scene/model/geometry_file.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::scene {

enum class MissingFile { Error, Black, Checker };

// The moment that an animated file is read at. Files without animations are as at rest.
struct Pose {
    double time_s = 0;
    std::string animation = {};  // a name, an index or "all"; empty: the first of each file
};

struct ImportConfig {
    MissingFile missing_file =
        MissingFile::Error;  // what stands in for an image that cannot be read
    u32 thread_count = 0;    // 0: all cores
    // Folders whose files a scene may read beside those of its own folder (asset_root.h).
    std::vector<std::string> asset_roots = {};
    // Called for each picture that a stand-in is used for, with its name and why it could not be
    // read, on the importing thread. May be empty.
    std::function<void(const std::string&, const std::string&)> on_missing = {};
    // Called before each part (a mesh, a picture, a row), on several threads at once. Once it has
    // returned true it keeps returning true, and no further part is made. Empty: never cancelled.
    std::function<bool()> is_cancelled = {};
    // A scene imported from the same files with another pose: pictures, and meshes that both poses
    // have, are taken over instead of being read again. Must outlive the import. Null: none.
    const Scene* former = nullptr;
    // How much of the texels may be in memory; none: all. A scene of a former import keeps its own.
    TextureMemory texture_memory = {};
    // How much of the triangles and vertices may be in memory; none: all. A scene of a former
    // import shares its file.
    GeometryMemory geometry_memory = {};
    // The config whose file rules tell what the files of colours hold; null: none.
    std::shared_ptr<const colour::ColourConfig> colours = {};
    // None: animated files are read at rest.
    std::optional<Pose> pose = {};
    // Of glTF files with material variants: a name, or an index; empty: the file's own materials.
    std::string variant = {};
};

// The error of an import that allows no stand-in and cannot read `count` pictures: the reason of
// the `first`, the count, and the option that allows stand-ins.
base::Error missing_pictures_error(const base::Error& first, std::size_t count);

// The error of an import that ran out of memory. The reason may be a disk without room for what is
// beyond the geometry's budget.
base::Error no_memory_error(const std::string& source, const Scene& scene);

// Whether the caller has cancelled the import, and the error that it then returns.
bool is_given_up(const ImportConfig& config);
base::Error cancelled_error(const std::string& source);

// Reads `sources` in order into one scene (ids in the order of arguments). A scene without
// materials, lights or camera is legal here; complete_scene() adds what is missing. A
// cancelled import returns an error after it has freed all its memory.
base::Result<Scene> import_scene(const std::vector<std::string>& sources,
                                 const ImportConfig& config);

// The importers of one format append to `scene`, which is of no use after an error. import_scene()
// picks one by extension and first bytes.
base::Status import_gltf(const std::string& path, const ImportConfig& config, Scene& scene);
base::Status import_assimp(const std::string& path, const ImportConfig& config, Scene& scene);
base::Status import_pbrt(const std::string& path, const ImportConfig& config, Scene& scene);
base::Status import_mitsuba(const std::string& path, const ImportConfig& config, Scene& scene);
// "procedural:rubble:1M"
base::Status make_procedural(const std::string& name, const ImportConfig& config, Scene& scene);

// Reads a lat-long .hdr/.exr (or any image) as the environment; a file rule of `maybe_colours` for
// it counts as for textures (texture.h).
base::Result<Environment> read_environment(const std::string& path,
                                           const colour::ColourConfig* maybe_colours = nullptr);

// Whether the scene has an environment or gives enough light to be seen by, at this moment or at
// another one of its animation.
bool is_lit(const Scene& scene);

// Whether is_lit() depends on glowing surfaces alone, which no file calls lights. Their share of
// all surfaces may differ from moment to moment; everything else that it depends on does not.
bool is_lit_at_most_by_surfaces(const Scene& scene);

// Adds the soft default environment to a scene that is not lit, and a camera that frames the scene
// where there is none. Each addition leaves a note. Frames of one animation share `is_lit`.
void complete_scene(Scene& scene);
void complete_scene(Scene& scene, bool is_lit);

}  // namespace weft::scene
