// import.cpp — finds what a SCENE argument means and calls the importer for it.
//
// A source is `procedural:…`, a file, or the name of a scene in one of the scene folders. The
// extension and the first bytes decide the format of a file. Several sources are appended to one
// scene in the order of the arguments, so the ids of each start where the one before ended.
// Any thread; throws nothing.
#include "engine/scene/import.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>

#include <tbb/global_control.h>

#include "engine/scene/files/scene_folders.h"
#include "engine/scene/files/scene_kinds.h"
#include "engine/scene/model/scene_tree.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene {
namespace {

namespace fs = std::filesystem;

base::Error scene_error(const std::string& source, const std::string& what) {
    return {base::ErrorKind::Scene, source + ": " + what};
}

std::string lower_extension(const std::string& path) {
    std::string extension = fs::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return extension;
}

// A GLB, or JSON under any name: no other supported format begins with the first key of a JSON
// object.
bool looks_like_gltf(const std::string& path) {
    std::array<char, 4096> bytes{};
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), bytes.size());
    std::string_view text(bytes.data(), static_cast<std::size_t>(file.gcount()));
    if (text.starts_with("glTF")) {
        return true;
    }
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    const auto next = [&text] {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        const char first = text.empty() ? '\0' : text.front();
        text.remove_prefix(text.empty() ? 0 : 1);
        return first;
    };
    return next() == '{' && next() == '"';
}

// XML whose first element is <scene>.
bool looks_like_mitsuba(const std::string& path) {
    std::array<char, 65536> bytes{};
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), bytes.size());
    std::string_view text(bytes.data(), static_cast<std::size_t>(file.gcount()));
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<')) {
        text.remove_prefix(at);
        const bool is_comment = text.starts_with("<!--");
        if (!is_comment && !text.starts_with("<?") && !text.starts_with("<!")) {
            return text.starts_with("<scene");
        }
        const std::string_view end = is_comment ? "-->" : ">";
        text.remove_prefix(std::min(text.find(end), text.size()));
    }
    return false;
}

bool is_picture(const std::string& extension) {
    static constexpr std::array<std::string_view, 7> kPictures = {
        ".hdr", ".exr", ".png", ".jpg", ".jpeg", ".tif", ".tiff"};
    return std::find(kPictures.begin(), kPictures.end(), extension) != kPictures.end();
}

// Only glTF files have material variants (gltf/gltf_variants.h).
void note_no_variants(const std::string& source, const ImportConfig& config, Scene& scene) {
    if (!config.variant.empty()) {
        scene.notes.push_back({Note::Kind::Ignored,
                               source + ": has no material variants, so that --variant changes "
                                        "nothing in it"});
    }
}

base::Status import_file(const std::string& path, const ImportConfig& config, Scene& scene) {
    std::error_code problem;
    if (!fs::is_regular_file(path, problem)) {
        return scene_error(
            path,
            "is not a file; expected a scene such as .gltf, .glb, .pbrt, .obj, .ply or .stl.");
    }
    if (!std::ifstream(path).is_open()) {
        return scene_error(path, "cannot be opened; expected a scene file with read permission.");
    }
    if (fs::file_size(path, problem) == 0) {
        return scene_error(
            path, "is empty; expected a scene such as .gltf, .glb, .pbrt, .obj, .ply or .stl.");
    }
    const std::string extension = lower_extension(path);
    if (is_picture(extension)) {
        return scene_error(
            path, "is a picture; expected a scene (a picture lights one with --environment).");
    }
    const std::string kind = extension.substr(extension.empty() ? 0 : 1);
    if (is_kind(kGltfKinds, kind) || looks_like_gltf(path)) {
        return import_gltf(path, config, scene);
    }
    note_no_variants(path, config, scene);
    const std::string inner = kind == "gz" ? lower_extension(fs::path(path).stem().string()) : "";
    if (kind == kPbrtKind || (!inner.empty() && inner.substr(1) == kPbrtKind)) {
        return import_pbrt(path, config, scene);
    }
    if (kind == kMitsubaKind && looks_like_mitsuba(path)) {
        return import_mitsuba(path, config, scene);
    }
    return import_assimp(path, config, scene);
}

base::Status import_one(const std::string& source, const ImportConfig& config, Scene& scene) {
    if (source.starts_with("procedural:")) {
        note_no_variants(source, config, scene);
        return make_procedural(source, config, scene);
    }
    const auto path = find_scene(source);
    WEFT_TRY(path);
    return import_file(path.value(), config, scene);
}

void note_texel_file(Scene& scene) {
    const TexelFile* const file = scene.texels.maybe_file();
    if (file && file->is_in_memory()) {
        scene.notes.push_back({Note::Kind::Replaced,
                               file->folder() +
                                   " keeps files in memory, so --texture-memory saves none there; "
                                   "--cache-dir names a folder on a disk."});
    }
}

// Puts the arrays of triangles and vertices into the file of the former scene, or into a new one.
base::Status place_geometry(const ImportConfig& config, Scene& scene) {
    std::shared_ptr<GeometryFile> file;
    if (config.former) {
        file = config.former->indices.allocator().maybe_file();
    } else if (config.geometry_memory.bytes != 0) {
        auto made = GeometryFile::make(config.geometry_memory);
        WEFT_TRY(made);
        file = std::move(made.value());
    }
    scene.indices = GeometryArena<u32>(GeometryAllocator<u32>(file));
    for (GeometryArena<float>* values :
         {&scene.positions, &scene.normals, &scene.tangents, &scene.uvs, &scene.colors}) {
        *values = GeometryArena<float>(GeometryAllocator<float>(file));
    }
    return base::Done{};
}

// Why triangles beyond the geometry's budget found no file; empty: they did.
std::string why_no_file(const Scene& scene) {
    const std::shared_ptr<GeometryFile> file = scene.indices.allocator().maybe_file();
    return file ? file->why_full() : "";
}

void note_full_disk(Scene& scene) {
    if (const std::string why = why_no_file(scene); !why.empty()) {
        scene.notes.push_back({Note::Kind::Replaced,
                               why + ", so triangles beyond --geometry-memory stay in memory; "
                                     "--cache-dir names a folder."});
    }
}

// `config` that also cancels the import once the process holds more memory than it may; then
// `has_run_out` is true.
ImportConfig watched_config(const ImportConfig& config, std::atomic<bool>& has_run_out) {
    ImportConfig watched = config;
    watched.is_cancelled = [&config, &has_run_out] {
        if (is_given_up(config) || has_run_out.load(std::memory_order_relaxed)) {
            return true;
        }
        const bool is_beyond = base::is_beyond_memory_limit();
        if (is_beyond) {
            has_run_out.store(true, std::memory_order_relaxed);
        }
        return is_beyond;
    };
    return watched;
}

// What a file without a tree of nodes brought belongs to the file.
void name_assets(const std::string& source, std::size_t first, Scene& scene) {
    const auto is_nameless = [](const Instance& instance) { return instance.asset == kNone; };
    const Arena<Instance>& instances = scene.instances;
    if (std::any_of(instances.begin() + first, instances.end(), is_nameless)) {
        scene.assets.push_back(std::filesystem::path(source).stem().string());
        std::vector<Instance>& owned = scene.instances.own();
        for (std::size_t k = first; k < owned.size(); ++k) {
            if (owned[k].asset == kNone) {
                owned[k].asset = static_cast<u32>(scene.assets.size() - 1);
            }
        }
    }
}

// Files whose importer does not number what they could place show all of it at any time.
void number_sources(std::size_t first, Scene& scene) {
    const Arena<Instance>& instances = scene.instances;
    const auto has_no_number = [](const Instance& instance) { return instance.source == kNone; };
    if (std::any_of(instances.begin() + first, instances.end(), has_no_number)) {
        std::vector<Instance>& owned = scene.instances.own();
        for (std::size_t k = first; k < owned.size(); ++k) {
            owned[k].source = scene.source_count++;
        }
    }
}

}  // namespace

bool is_given_up(const ImportConfig& config) {
    return config.is_cancelled && config.is_cancelled();
}

base::Error cancelled_error(const std::string& source) {
    return scene_error(source, "was cancelled before all of it was read.");
}

base::Error no_memory_error(const std::string& source, const Scene& scene) {
    const std::string why = why_no_file(scene);
    return why.empty()
               ? base::Error{base::ErrorKind::TooLarge,
                             source + ": does not fit into memory; expected a smaller scene."}
               : base::Error{base::ErrorKind::Output,
                             why + ", and the triangles of " + source +
                                 " do not fit into memory; expected a disk with room "
                                 "(--cache-dir)"};
}

base::Error missing_pictures_error(const base::Error& first, std::size_t count) {
    const std::string others =
        count < 2 ? "" : " (" + std::to_string(count - 1) + " more cannot be read, either)";
    return {
        first.kind,
        first.sentence + others +
            "; expected a picture that can be read, or --missing-file checker (or black), which "
            "renders with a stand-in"};
}

base::Result<Scene> import_scene(const std::vector<std::string>& sources,
                                 const ImportConfig& config) {
    if (sources.empty()) {
        return base::Error{base::ErrorKind::Usage, "No scene was named; expected at least one."};
    }
    const std::size_t threads = config.thread_count;
    const tbb::global_control limit(
        tbb::global_control::max_allowed_parallelism,
        threads > 0
            ? threads
            : tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
    std::atomic<bool> has_run_out{false};
    const ImportConfig watched = watched_config(config, has_run_out);
    Scene scene;
    scene.texels =
        config.former ? Texels::like(config.former->texels) : Texels(config.texture_memory);
    WEFT_TRY(place_geometry(config, scene));
    scene.materials.push_back({"default", default_material()});
    for (const std::string& source : sources) {
        const std::size_t first = scene.instances.size();
        try {
            const base::Status status = import_one(source, watched, scene);
            if (is_given_up(watched)) {
                return has_run_out.load(std::memory_order_relaxed)
                           ? base::beyond_memory_limit(base::ErrorKind::TooLarge,
                                                       source + " does not fit into memory")
                           : cancelled_error(source);
            }
            WEFT_TRY(status);
        } catch (const std::bad_alloc&) {
            return no_memory_error(source, scene);
        } catch (const std::exception& problem) {
            return scene_error(source, std::string("cannot be read (") + problem.what() + ").");
        }
        name_assets(source, first, scene);
        number_sources(first, scene);
        scene.name += (scene.name.empty() ? "" : " + ") + source;
    }
    number_places(scene);
    number_groups(scene);
    note_texel_file(scene);
    note_full_disk(scene);
    return scene;
}

}  // namespace weft::scene
