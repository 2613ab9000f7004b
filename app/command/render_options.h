// render_options.h — the options of `weft render` as typed, and what they mean for a frame.
//
// add_render_options() declares them (names as people type them in Blender, pbrt and oiiotool);
// check_options() holds them against each other, the others against the scene. One thread.
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
    u32 width = 0;            // 0: from the other side and the aspect ratio
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
    float fov_deg = 0;           // 0: the camera's
    float aperture_f_stop = 0;   // 0: pinhole or the camera's
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
    std::vector<std::string> asset_roots;  // --asset-root DIR, each of them
    // how
    u32 threads = 0;
    std::string isa = "auto";
    std::string jit = "off";
    std::string device = "cpu";
    u32 egpu_units = 4;
    std::string egpu_memory = "8G";
    u32 leaf = 0;  // 0: by measured cost
    std::string scheduler = "keyed";
    std::vector<std::string> policies = {"depth_first"};  // NAME (of rays) or ROUTINE=NAME
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
    std::string log_level;  // empty: as -q and -v say
};

void add_render_options(CLI::App& command, RenderOptions& options);

// The options of messages on stderr, which `weft bench` has, too; and a function that applies them.
void add_message_options(CLI::App& command, RenderOptions& options);
void choose_messages(const RenderOptions& options);

// Options that describe how scenes are read and lit, also used by `weft info`.
void add_scene_options(CLI::App& command, RenderOptions& options);

// Options that say what the picture shows and how many samples it gets, also used by `weft bench`.
void add_picture_options(CLI::App& command, RenderOptions& options);

// Options that say which devices and instruction sets frames run on, also used by `weft info`.
void add_device_options(CLI::App& command, RenderOptions& options);

scene::ImportConfig import_config(const RenderOptions& options);

// Checks that need no scene: extensions, outputs in each other's way, what options exclude.
base::Status check_options(const RenderOptions& options);

// The environment asked for is put into the scene.
base::Status apply_environment(const RenderOptions& options, scene::Scene& scene);

// The camera asked for, after --look-at, --fov, --aperture and --focus.
base::Result<scene::Camera> pick_camera(const RenderOptions& options, const scene::Scene& scene);

// Nodes that are not drawn after --hide and --show (--show wins).
base::Result<std::vector<std::string>> pick_hidden(const RenderOptions& options,
                                                   const scene::Scene& scene);

// --clip-plane as planes with a normal of unit length.
base::Result<std::vector<shaders::ClipPlane>> pick_clip_planes(const RenderOptions& options);

// Width and height of the picture, where 0 stands for what the other side and the camera's aspect
// want, and for 720 lines where both are 0.
std::array<u32, 2> picture_size(u32 width, u32 height, const scene::Camera& camera);

base::Result<frame::RenderSettings> pick_settings(const RenderOptions& options,
                                                  const scene::Camera& camera);

film::ImageConfig pick_image_config(const RenderOptions& options);

}  // namespace weft::app
