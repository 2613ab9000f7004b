// render_options.h — the options of `weft render`, and the settings that they stand for.
//
// add_render_options() declares the options, with names known from Blender, pbrt and oiiotool; the
// command line parses each value once and stores it here with its type. check_options() checks
// options against each other; the pick_ functions check them against the scene and return settings.
// One thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command/command_line.h"
#include "app/command/denoise_command.h"
#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "engine/colour/colour_config.h"
#include "engine/denoise/denoiser.h"
#include "engine/film/image_file.h"
#include "engine/film/light_groups.h"
#include "engine/frame/render_settings.h"
#include "engine/scene/edit/edit.h"
#include "engine/scene/import.h"
#include "scheduler/base/result.h"

namespace weft::app {

// Samples per pixel without --spp: alone, and at most with --noise-threshold.
inline constexpr u32 kUsualSamples = 64;
inline constexpr u32 kMostNoiseSamples = 4096;

// Pixels that --width and --height allow.
inline constexpr u32 kMostSide = 32768;

// --device. Auto renders with the processor.
enum class DeviceChoice { Auto, Cpu, Egpu, CpuAndEgpu };

// --traversal: how keyed rays go. Pages: as Auto does with --geometry-memory.
enum class TraversalChoice { Auto, Sets, Nodes, Pages };

// How progress appears: on stderr, and OpenJD's messages on stdout.
enum class ProgressStyle { Bar, Lines, Json, OpenJd, None };

// --look-at
struct LookAt {
    std::array<float, 3> eye{};
    std::array<float, 3> target{};
    std::optional<std::array<float, 3>> up = {};  // none: +Y
};

// --debug-pixel
struct DebugPixel {
    u32 x = 0;
    u32 y = 0;
    u32 sample = 0;
};

// --slice: part `number`, from 1, of `count`
struct SliceChoice {
    u32 number = 1;
    u32 count = 1;
};

// The text of --checkpoint without a value: a file beside the output.
inline constexpr const char* kBesideOutput = "true";
// That of --denoise without a value.
inline constexpr const char* kNoValue = "true";

// One value of --policy: the policy of one routine, or of both kinds of rays if there is none.
using RoutinePolicy = fibre::Policy trace::RoutinePolicies::*;

struct PolicyChoice {
    RoutinePolicy routine = nullptr;
    fibre::Policy policy = fibre::Policy::DepthFirst;
};

struct RenderOptions {
    std::vector<std::string> scenes;
    std::string output;
    // picture
    std::optional<u32> spp;     // none: pixel_samples()
    float noise_threshold = 0;  // 0: off
    double time_limit_s = 0;    // 0: none
    u32 width = 0;              // 0: picture_size() derives it
    u32 height = 0;
    std::optional<film::Region> pixel_bounds;
    u32 seed = 0;
    u32 max_bounces = 8;
    float clamp_direct = 0;  // 0: off
    float clamp_indirect = 0;
    float regularize = 0;  // roughness; 0: off
    trace::LightChoice light_choice = trace::LightChoice::Tree;
    frame::Guiding guiding = frame::Guiding::Off;
    trace::PixelFilter filter = trace::PixelFilter::BlackmanHarris;
    bool film_transparent = false;
    bool backface_culling = false;
    std::vector<film::Aov> aovs;
    film::LightGroups light_groups;
    bool lists_aovs = false;
    u32 cryptomatte_ranks = film::kMatteRanks;
    // camera
    std::string camera;  // name or index; empty: the first
    std::optional<LookAt> look_at;
    float fov_deg = 0;          // 0: as in the scene's camera
    float aperture_f_stop = 0;  // 0: as in the scene's camera
    float focus_m = 0;
    // light
    std::string environment_file;
    std::optional<std::array<float, 3>> environment_color;
    float environment_rotation_deg = 0;
    float environment_strength = 1;
    // scene
    std::vector<std::string> hide;
    std::vector<std::string> show;
    std::vector<std::array<float, 4>> clip_planes;  // nx, ny, nz, d; not normalised
    bool clip_cap = false;
    std::string edits_file;         // --edits
    std::vector<scene::Edit> sets;  // --set, in order
    scene::MissingFile missing_file = scene::MissingFile::Error;
    std::string variant;                   // a name or an index; empty: the default materials
    std::vector<std::string> asset_roots;  // one per --asset-root
    // animation (frame_range.h)
    std::vector<u32> frames;  // --frames, in order; empty: as --frame-start and -end say
    std::optional<u32> frame_start;
    std::optional<u32> frame_end;  // inclusive
    u32 frame_jump = 1;
    double frames_per_s = 24;
    std::string animation;  // a name, an index or "all"; empty: the first of each file
    float shutter = 0;      // open for this part of a frame, centred on it; 0: a moment
    u32 shutter_moments = 32;
    bool skip_bad_frames = false;
    std::optional<u32> frame;  // the one that this render is of; none: the scene at rest
    double frame_offset = 0;   // of the moment in its exposure, in frames
    u32 frame_place = 0;       // of that frame in the range that the command renders
    u32 frame_count = 1;       // of that range
    // machine and scheduling
    u32 threads = 0;                  // 0: all cores
    std::optional<shaders::Isa> isa;  // none: the best that the machine has
    bool has_scene_kernels = false;   // --jit
    DeviceChoice device = DeviceChoice::Auto;
    u32 egpu_units = 4;
    u64 egpu_memory_bytes = u64{8} << 30;
    u32 leaf = 0;  // samples per share of work; 0: from measured cost
    trace::SchedulerMode scheduler = trace::SchedulerMode::Keyed;
    TraversalChoice traversal = TraversalChoice::Auto;
    std::vector<PolicyChoice> policies = {PolicyChoice{}};  // later ones override earlier ones
    std::optional<u32> paths;                               // none: path_count()
    u32 batch = 4096;
    u64 memory_limit_bytes = 0;     // 0: what is free
    u64 texture_memory_bytes = 0;   // 0: all texels are in memory
    u64 geometry_memory_bytes = 0;  // 0: the whole tree is in memory
    u64 cache_limit_bytes = 0;      // of page files; 0: none
    std::string cache_folder;       // --cache-dir; empty: cache_folder() chooses
    // output
    std::string ocio;                                     // --ocio: a file or "none"; empty: $OCIO
    std::shared_ptr<const colour::ColourConfig> colours;  // of that; null: none
    std::string display_device;                           // a display of it
    std::optional<std::string> view_transform;  // ours, or a view of the display; none: the usual
    std::string look = colour::kLookOfView;
    float exposure_stops = 0;
    bool is_exr_half = true;
    film::ExrCompression exr_compression = film::ExrCompression::Zip;
    bool keep_film = false;
    bool no_clobber = false;
    std::string denoise;  // --denoise: "quality", "fast", "off" or kNoValue; empty: off
    std::optional<DenoiseCommand> denoise_command;
    // stopping, resuming, joining
    std::optional<SliceChoice> slice;
    std::string checkpoint;            // its FILE or kBesideOutput; empty: none
    double checkpoint_interval_s = 0;  // 0: kCheckpointInterval_s
    bool resume = false;
    bool dry_run = false;
    std::optional<DebugPixel> debug_pixel;
    std::string stats_file;
    bool has_heat = false;
    std::string trace_file;
    std::optional<ProgressStyle> progress;  // none: a bar on a terminal, else lines
    bool is_quiet = false;
    bool is_verbose = false;
    std::optional<Level> log_level;  // none: -q and -v decide
};

inline constexpr double kCheckpointInterval_s = 60;

// What biases the picture, in words (engine/frame/bias.h); empty: nothing does.
std::string bias_text(const RenderOptions& options);

// Whether the picture is denoised by engine/denoise.
bool is_denoised(const RenderOptions& options);
// By which of its methods; that of no value if it is not.
denoise::Method denoise_method(const RenderOptions& options);

void add_render_options(Command& command, RenderOptions& options);

// Declares the options for messages on stderr, also for `weft bench`; and applies them.
void add_message_options(Command& command, RenderOptions& options);
void choose_messages(const RenderOptions& options);

// Declares the options for reading and lighting scenes, also for `weft bench` and `weft info`.
void add_scene_options(Command& command, RenderOptions& options);

// Declares the options for the picture's content, size and samples, also for `weft bench`.
void add_picture_options(Command& command, RenderOptions& options);

// Declares the options for devices, threads, instruction sets and memory, also for `weft bench` and
// `weft info`.
void add_device_options(Command& command, RenderOptions& options);

// Declares how a picture is written, also for `weft merge`.
void add_picture_file_options(Command& command, RenderOptions& options);

// Declares --texture-memory, --geometry-memory and --cache-dir.
void add_cache_options(Command& command, const char* group, RenderOptions& options);

// Declares --memory-limit, also for `weft compare`.
void add_memory_option(Command& command, const char* group, RenderOptions& options);

// Declares --traversal, also for `weft bench`.
void add_traversal_option(Command& command, const char* group, RenderOptions& options);

// Declares --paths and --batch, also for `weft bench`.
void add_path_options(Command& command, const char* group, RenderOptions& options);

// The folder of page files, which nobody else may enter: --cache-dir, or what it is without that
// option.
std::string page_folder(const RenderOptions& options);

scene::ImportConfig import_config(const RenderOptions& options);

// import_scene() of the options' scenes; errors of files end with the page that helps.
base::Result<scene::Scene> read_scenes(const RenderOptions& options,
                                       const scene::ImportConfig& config);

// Paths in flight per worker with pages, for every budget: so many that a page serves some hundred
// rays when it is read. Fewer double the bytes read with each half, more save none of ten million
// triangles (tests/bench/notebook/paging.md).
inline constexpr u32 kPagedPaths = 1U << 18;
// The same of a unit of the emulated GPU that renders alone.
inline constexpr u32 kDevicePaths = 1U << 15;

// --paths, or what it is without that option.
u32 path_count(const RenderOptions& options);

// --spp, or what it is without that option.
u32 pixel_samples(const RenderOptions& options);

// Checks what needs no scene: file extensions, outputs that clash, options that exclude each other.
base::Status check_options(const RenderOptions& options);

// Parts of them that others share: --traversal names a way that keyed rays can go.
base::Status check_traversal(const RenderOptions& options);

// And --geometry-memory excludes what needs a whole tree.
base::Status check_whole_tree(const RenderOptions& options);

// The file of --checkpoint or --resume; empty: none.
std::string checkpoint_path(const RenderOptions& options);

// Puts the options' environment into the scene.
base::Status apply_environment(const RenderOptions& options, scene::Scene& scene);

// Returns the camera that --camera names, changed by --look-at, --fov, --aperture and --focus.
base::Result<scene::Camera> pick_camera(const RenderOptions& options, const scene::Scene& scene);

// Returns the hidden names of all nodes, groups and lights that --hide names, without those that
// --show names; sorted, each once.
base::Result<std::vector<std::string>> pick_hidden(const RenderOptions& options,
                                                   const scene::Scene& scene);

// Returns the planes of --clip-plane with normals of length 1.
std::vector<shaders::ClipPlane> pick_clip_planes(const RenderOptions& options);

// Returns the picture's width and height. A side of 0 follows from the other side and the camera's
// aspect ratio; if both are 0, the height is 720.
std::array<u32, 2> picture_size(u32 width, u32 height, const scene::Camera& camera);

base::Result<frame::RenderSettings> pick_settings(const RenderOptions& options,
                                                  const scene::Camera& camera);

// The files that the scene and its colours are read from, for check_outputs().
std::vector<NamedFile> scene_inputs(const RenderOptions& options);

film::ImageConfig pick_image_config(const RenderOptions& options);

}  // namespace weft::app
