// option_list.cpp — names, ranges and help texts of the options of render, view, bench and info.
//
// The parser checks each option by itself with the validators given here. render_options.cpp checks
// options against each other; scene_options.cpp applies them to a scene.
#include <CLI/CLI.hpp>
#include <limits>

#include "app/command/option_checks.h"
#include "app/command/render_options.h"

namespace weft::app {

namespace {

constexpr const char* kScene = "Scene";
constexpr const char* kLight = "Light";
constexpr const char* kPicture = "Picture";
constexpr const char* kCamera = "Camera";
constexpr const char* kMachine = "Machine";
constexpr const char* kScheduling = "Scheduling";
constexpr const char* kOutput = "Output";
constexpr const char* kMessages = "Messages";

void add_light_options(CLI::App& command, RenderOptions& options) {
    command
        .add_option(
            "--environment", options.environment_file, "lat-long environment map (.hdr, .exr)")
        ->type_name("FILE")
        ->group(kLight);
    command
        .add_option_function<std::string>(
            "--environment-color",
            [&options](const std::string& text) { options.environment_color = numbers_of(text); },
            "constant environment r,g,b in cd/m2")
        ->check(number_list(3, 0).description("R,G,B"))
        ->group(kLight);
    command
        .add_option("--environment-rotation",
                    options.environment_rotation_deg,
                    "degrees about +Y, counter-clockwise seen from above")
        ->check(finite())
        ->group(kLight);
    command
        .add_option(
            "--environment-strength", options.environment_strength, "factor of the environment")
        ->check(not_negative())
        ->group(kLight);
}

void add_camera_options(CLI::App& command, RenderOptions& options) {
    command.add_option("--camera", options.camera, "name or index of a camera of the scene")
        ->default_str("the first")
        ->group(kCamera);
    command
        .add_option_function<std::string>(
            "--look-at",
            [&options](const std::string& text) { options.look_at = numbers_of(text); },
            "eye and target, and what points up: ex,ey,ez,tx,ty,tz[,ux,uy,uz]")
        ->check(number_list(0, std::numeric_limits<float>::lowest()))
        ->group(kCamera);
    command.add_option("--fov", options.fov_deg, "vertical field of view in degrees")
        ->check(number_between(0.01, 179))
        ->default_str("the camera's")
        ->group(kCamera);
    command.add_option("--aperture", options.aperture_f_stop, "f-stop; turns depth of field on")
        ->check(positive())
        ->default_str("the camera's")
        ->group(kCamera);
    command.add_option("--focus", options.focus_m, "distance in focus, metres")
        ->check(positive())
        ->default_str("what the middle of the picture shows")
        ->group(kCamera);
}

void add_change_options(CLI::App& command, RenderOptions& options) {
    command.add_option("--hide", options.hide, "a node or lamp to leave out, by name; repeatable")
        ->allow_extra_args(false)
        ->group(kScene);
    command
        .add_option("--show", options.show, "a node or lamp to keep in although hidden; repeatable")
        ->allow_extra_args(false)
        ->group(kScene);
    command
        .add_option("--clip-plane",
                    options.clip_planes,
                    "nx,ny,nz,d: cuts away what has n·p + d < 0; up to 8")
        ->allow_extra_args(false)
        ->group(kScene);
    command.add_flag("--clip-cap", options.clip_cap, "close the solids that clip planes cut")
        ->group(kScene);
    command
        .add_option("--edits", options.edits_file, "make the changes that a file of edits lists")
        ->type_name("FILE")
        ->group(kScene);
    command
        .add_option("--set",
                    options.sets,
                    "path=value: one change, such as materials/Floor/roughness=0.2; after --edits, "
                    "repeatable")
        ->allow_extra_args(false)
        ->group(kScene);
}

}  // namespace

void add_scene_options(CLI::App& command, RenderOptions& options) {
    command
        .add_option("SCENE",
                    options.scenes,
                    "glTF, GLB, OBJ, PLY, STL, ..., procedural:NAME[:TRIANGLES] or the name of an "
                    "example scene")
        ->required();
    command
        .add_option(
            "--missing-file", options.missing_file, "stand-in for an image that cannot be read")
        ->check(one_of({"error", "black", "checker"}))
        ->group(kScene);
    command
        .add_option("--asset-root",
                    options.asset_roots,
                    "scenes may read files of this folder, too, beside those of their own "
                    "(repeatable; / allows all)")
        ->check(existing_folder())
        ->allow_extra_args(false)
        ->group(kScene);
    add_light_options(command, options);
}

void add_device_options(CLI::App& command, RenderOptions& options) {
    command.add_option("-t,--threads", options.threads, "workers")
        ->transform(whole(0, 1024))
        ->default_str("all cores")
        ->group(kMachine);
    command.add_option("--isa", options.isa, "instruction set of the kernels")
        ->check(one_of({"auto", "sse4", "avx2", "avx512"}))
        ->group(kMachine);
    command.add_option("--device", options.device, "what renders; egpu is the emulated GPU")
        ->check(one_of({"auto", "cpu", "egpu", "cpu+egpu"}))
        ->group(kMachine);
    command.add_option("--egpu-units", options.egpu_units, "execution units of the emulated GPU")
        ->transform(whole(1, 64))
        ->group(kMachine);
    command.add_option("--egpu-memory", options.egpu_memory, "its own memory, for example 8G")
        ->check(memory_size())
        ->group(kMachine);
    command
        .add_option("--memory-limit",
                    options.memory_limit,
                    "what the program may take of the machine's memory, for example 8G")
        ->check(memory_size())
        ->default_str("what is free")
        ->group(kMachine);
}

void add_picture_options(CLI::App& command, RenderOptions& options) {
    command.add_option("--spp", options.spp, "samples per pixel")
        ->transform(whole(1, 1U << 20))
        ->group(kPicture);
    command
        .add_option("--time-limit",
                    options.time_limit_s,
                    "seconds of sampling, at most, to a tenth; reading the scene, building and "
                    "writing come on top")
        ->check(positive())
        ->default_str("none")
        ->group(kPicture);
    command.add_option("--width", options.width, "pixels; alone it keeps the aspect ratio")
        ->transform(whole(1, 32768))
        ->default_str("by the camera's aspect ratio")
        ->group(kPicture);
    command.add_option("--height", options.height, "pixels")
        ->transform(whole(1, 32768))
        ->default_str("720")
        ->group(kPicture);
    command
        .add_option_function<std::string>(
            "--pixelbounds",
            [&options](const std::string& text) {
                options.pixel_bounds.clear();
                for (const float number : numbers_of(text)) {  // small integers: exact in float
                    options.pixel_bounds.push_back(static_cast<u32>(number));
                }
            },
            "x0,x1,y0,y1: render these pixels only")
        ->check(whole_list(4, 32768).description("X0,X1,Y0,Y1"))
        ->group(kPicture);
    command.add_option("--seed", options.seed, "seed of the sample sequence")
        ->transform(whole(0, 0xffffffff))
        ->group(kPicture);
    command.add_option("--max-bounces", options.max_bounces, "scattering events per path")
        ->transform(whole(0, 62))
        ->group(kPicture);
    command
        .add_option(
            "--clamp-direct", options.clamp_direct, "largest channel of a direct contribution")
        ->check(not_negative())
        ->default_str("off")
        ->group(kPicture);
    command
        .add_option("--clamp-indirect",
                    options.clamp_indirect,
                    "largest channel of an indirect contribution")
        ->check(not_negative())
        ->default_str("off")
        ->group(kPicture);
    command.add_option("--filter", options.filter, "pixel filter")
        ->check(one_of({"box", "blackman-harris", "gaussian"}))
        ->group(kPicture);
    command
        .add_flag("--film-transparent",
                  options.film_transparent,
                  "the environment is invisible to the camera")
        ->group(kPicture);
    command
        .add_flag("--backface-culling",
                  options.backface_culling,
                  "hide back faces of single-sided materials from the camera")
        ->group(kPicture);
    command.add_option("--aov", options.aovs, "layers beside the beauty, separated by commas")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(one_of({"albedo", "normal", "depth", "position", "instance"}))
        ->group(kPicture);
    add_camera_options(command, options);
    add_change_options(command, options);
}

void add_message_options(CLI::App& command, RenderOptions& options) {
    command.add_flag("-q,--quiet", options.is_quiet, "no progress; of messages only errors")
        ->group(kMessages);
    command.add_flag("-v,--verbose", options.is_verbose, "say more (--log-level debug)")
        ->group(kMessages);
    command
        .add_option("--log-level", options.log_level, "messages from this level up; over -q and -v")
        ->check(one_of({"error", "warning", "info", "debug"}))
        ->default_str("info")
        ->group(kMessages);
}

namespace {

void add_run_options(CLI::App& command, RenderOptions& options) {
    add_device_options(command, options);
    command
        .add_option(
            "--jit",
            options.jit,
            "auto: the shading kernel is built for the scene while it renders (same picture)")
        ->check(one_of({"auto", "off"}))
        ->group(kMachine);
    command.add_option("--leaf", options.leaf, "samples per leaf of work")
        ->transform(whole(0, 1U << 20))
        ->default_str("by measured cost")
        ->group(kScheduling);
    command.add_option("--scheduler", options.scheduler, "how rays and shading are gathered")
        ->check(one_of({"keyed", "unkeyed", "embree"}))
        ->group(kScheduling);
    command
        .add_option("--policy",
                    options.policies,
                    "which packet leaves next: depth_first, fullest, oldest, priority or balanced; "
                    "of rays, or ROUTINE=NAME with path, closest, shadow, shade or miss")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->default_str("depth_first")
        ->group(kScheduling);
    command.add_option("--paths", options.paths, "paths in flight per worker")
        ->transform(whole(64, 1U << 20))
        ->group(kScheduling);
    command.add_option("--batch", options.batch, "rays that start at the root together")
        ->transform(whole(16, 1U << 20))
        ->group(kScheduling);
}

void add_output_options(CLI::App& command, RenderOptions& options) {
    command
        .add_option("-o,--output",
                    options.output,
                    ".exr .png .hdr .jpg .tif; - is an EXR on the standard output, -.png a PNG "
                    "there")
        ->type_name("FILE")
        ->group(kOutput);
    command.add_option("--view-transform", options.view_transform, "of 8-bit files")
        ->check(one_of({"standard", "filmic", "aces", "raw"}))
        ->group(kOutput);
    command.add_option("--exposure", options.exposure_stops, "stops, 8-bit files only")
        ->check(finite())
        ->group(kOutput);
    command.add_option("--exr-type", options.exr_type, "of colours in an EXR")
        ->check(one_of({"half", "float"}))
        ->group(kOutput);
    command.add_option("--exr-compression", options.exr_compression, "of an EXR")
        ->check(one_of({"none", "rle", "zip", "zips", "piz", "pxr24", "dwaa", "dwab"}))
        ->group(kOutput);
    command.add_flag("--keep-film", options.keep_film, "keep the exact sums in the EXR")
        ->group(kOutput);
    command.add_flag("-u,--no-clobber", options.no_clobber, "do nothing where the output exists")
        ->group(kOutput);
    command.add_flag("-n,--dry-run", options.dry_run, "read and check everything, render nothing")
        ->group(kOutput);
    command
        .add_option(
            "--debug-pixel", options.debug_pixel, "x,y[,sample]: tell one sample event by event")
        ->group(kOutput);
    CLI::Option* const stats = command.add_option("--stats", options.stats_file, "figures as JSON");
    stats->type_name("FILE")->group(kOutput);
    command
        .add_flag("--heat",
                  options.has_heat,
                  "count what each mesh and material costs, for --stats (same picture, slower)")
        ->needs(stats)
        ->group(kOutput);
    command.add_option("--trace", options.trace_file, "what ran when, as JSON for Perfetto")
        ->type_name("FILE")
        ->group(kOutput);
    command
        .add_option("--progress",
                    options.progress,
                    "on stderr; json: one object a line, the messages, too, and at last the end")
        ->check(one_of({"auto", "bar", "lines", "json", "none"}))
        ->group(kMessages);
    add_message_options(command, options);
}

}  // namespace

void add_render_options(CLI::App& command, RenderOptions& options) {
    add_scene_options(command, options);
    add_picture_options(command, options);
    add_run_options(command, options);
    add_output_options(command, options);
}

}  // namespace weft::app
