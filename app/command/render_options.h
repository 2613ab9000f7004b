// render_options.h — the options of `weft render` as typed, and the settings that they stand for.
//
// add_render_options() declares the options, with names known from Blender, pbrt and oiiotool.
// check_options() checks them against each other; the pick_ functions check them against the scene
// and return settings. One thread.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/film/image_file.h"
#include "engine/frame/render_settings.h"
#include "engine/scene/import.h"
#include "scheduler/base/result.h"

namespace CLI {
class App;
}

namespace weft::app {

struct RenderOptions {
    std::vector<std::string> scenes;
    std::string output;
    // picture
    u32 spp = 64;
    double time_limit_s = 0;  // 0: none
    u32 width = 0;            // 0: picture_size() derives it
    u32 height = 0;
    std::vector<u32> pixel_bounds;  // x0, x1, y0, y1
    u32 seed = 0;
    u32 max_bounces = 8;
    float clamp_direct = 0;  // 0: off
    float clamp_indirect = 0;
    std::string filter = "blackman-harris";
    bool film_transparent = false;
    bool backface_culling = false;
    std::vector<std::string> aovs;
    // camera
    std::string camera;          // name or index
    std::vector<float> look_at;  // 6 or 9
    float fov_deg = 0;           // 0: as in the scene's camera
    float aperture_f_stop = 0;   // 0: as in the scene's camera
    float focus_m = 0;
    // light
    std::string environment_file;
    std::vector<float> environment_color;
    float environment_rotation_deg = 0;
    float environment_strength = 1;
    // scene
    std::vector<std::string> hide;
    std::vector<std::string> show;
    std::vector<std::string> clip_planes;  // nx,ny,nz,d
    bool clip_cap = false;
    std::string edits_file;         // --edits
    std::vector<std::string> sets;  // --set path=value, in order
    std::string missing_file = "error";
    std::vector<std::string> asset_roots;  // one per --asset-root
    // machine and scheduling
    u32 threads = 0;
    std::string isa = "auto";
    std::string jit = "off";
    std::string device = "cpu";
    u32 egpu_units = 4;
    std::string egpu_memory = "8G";
    u32 leaf = 0;  // samples per share of work; 0: from measured cost
    std::string scheduler = "keyed";
    std::vector<std::string> policies = {"depth_first"};  // NAME (for rays) or ROUTINE=NAME
    u32 paths = 4096;
    u32 batch = 4096;
    std::string memory_limit;
    // output
    std::string view_transform = "standard";
    float exposure_stops = 0;
    std::string exr_type = "half";
    std::string exr_compression = "zip";
    bool keep_film = false;
    bool no_clobber = false;
    bool dry_run = false;
    std::string debug_pixel;
    std::string stats_file;
    bool has_heat = false;
    std::string trace_file;
    std::string progress = "auto";
    bool is_quiet = false;
    bool is_verbose = false;
    std::string log_level;  // empty: -q and -v decide
};

void add_render_options(CLI::App& command, RenderOptions& options);

// Declares the options for messages on stderr, also for `weft bench`; and applies them.
void add_message_options(CLI::App& command, RenderOptions& options);
void choose_messages(const RenderOptions& options);

// Declares the options for reading and lighting scenes, also for `weft bench` and `weft info`.
void add_scene_options(CLI::App& command, RenderOptions& options);

// Declares the options for the picture's content, size and samples, also for `weft bench`.
void add_picture_options(CLI::App& command, RenderOptions& options);

// Declares the options for devices, threads, instruction sets and memory, also for `weft bench` and
// `weft info`.
void add_device_options(CLI::App& command, RenderOptions& options);

scene::ImportConfig import_config(const RenderOptions& options);

// Checks what needs no scene: file extensions, outputs that clash, options that exclude each other.
base::Status check_options(const RenderOptions& options);

// Puts the options' environment into the scene.
base::Status apply_environment(const RenderOptions& options, scene::Scene& scene);

// Returns the camera that --camera names, changed by --look-at, --fov, --aperture and --focus.
base::Result<scene::Camera> pick_camera(const RenderOptions& options, const scene::Scene& scene);

// Returns the nodes and lights that --hide names, without those that --show names.
base::Result<std::vector<std::string>> pick_hidden(const RenderOptions& options,
                                                   const scene::Scene& scene);

// Parses --clip-plane and normalises the planes.
base::Result<std::vector<shaders::ClipPlane>> pick_clip_planes(const RenderOptions& options);

// Returns the picture's width and height. A side of 0 follows from the other side and the camera's
// aspect ratio; if both are 0, the height is 720.
std::array<u32, 2> picture_size(u32 width, u32 height, const scene::Camera& camera);

base::Result<frame::RenderSettings> pick_settings(const RenderOptions& options,
                                                  const scene::Camera& camera);

film::ImageConfig pick_image_config(const RenderOptions& options);

}  // namespace weft::app
