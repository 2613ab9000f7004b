// option_list.cpp — names, ranges and help texts of the options of render, view, bench and info.
//
// The command line parses each option by itself, by the value given here. render_options.cpp checks
// options against each other; scene_options.cpp applies them to a scene.
#include "app/command/colour_options.h"
#include "app/command/file_kinds.h"
#include "app/command/frame_range.h"
#include "app/command/option_names.h"
#include "app/command/option_values.h"
#include "app/command/render_options.h"
#include "app/command/render_values.h"
#include "engine/scene/files/installed_maps.h"

namespace weft::app {

namespace {

constexpr const char* kScene = "Scene";
constexpr const char* kLight = "Light";
constexpr const char* kPicture = "Picture";
constexpr const char* kCamera = "Camera";
constexpr const char* kAnimation = "Animation";
constexpr const char* kMachine = "Machine";
constexpr const char* kScheduling = "Scheduling";
constexpr const char* kOutput = "Output";
constexpr const char* kMessages = "Messages";

void add_light_options(Command& command, RenderOptions& options) {
    command.add({"--environment",
                 "lat-long environment map (.hdr, .exr), or " +
                     either_of({scene::kInstalledMaps.begin(), scene::kInstalledMaps.end()}) +
                     " if there is no file of that name",
                 kLight},
                environment_map(options.environment_file));
    command.add({"--environment-color", "constant environment r,g,b in cd/m2", kLight},
                colour(options.environment_color));
    command.add(
        {"--environment-rotation", "degrees about +Y, counter-clockwise seen from above", kLight},
        number_between(options.environment_rotation_deg, -1e6, 1e6));
    command.add({"--environment-strength", "factor of the environment", kLight},
                not_negative(options.environment_strength));
}

void add_camera_options(Command& command, RenderOptions& options) {
    command.add(
        {"--camera", "name, NAME#2 or index of a camera of the scene", kCamera, "the first"},
        any_text(options.camera));
    command.add({"--look-at", "eye, target and up vector: ex,ey,ez,tx,ty,tz[,ux,uy,uz]", kCamera},
                look_at(options.look_at));
    command.add({"--fov", "vertical field of view in degrees", kCamera, "the camera's"},
                number_between(options.fov_deg, 0.01, 179));
    command.add({"--aperture", "f-stop; turns depth of field on", kCamera, "the camera's"},
                positive(options.aperture_f_stop));
    command.add(
        {"--focus", "distance in focus, metres", kCamera, "what the middle of the picture shows"},
        positive(options.focus_m));
}

void add_change_options(Command& command, RenderOptions& options) {
    command.add({"--hide",
                 "a node, group or light to leave out, by name, before edits; repeatable",
                 kScene},
                any_texts(options.hide));
    command.add({"--show",
                 "what --hide names, to draw all the same, but not what edits hide; repeatable",
                 kScene},
                any_texts(options.show));
    command.add({"--clip-plane", "nx,ny,nz,d: cuts away what has n·p + d < 0; up to 8", kScene},
                clip_planes(options.clip_planes));
    command.add_flag({"--clip-cap", "close the solids that clip planes cut", kScene},
                     options.clip_cap);
    command.add(
        {"--edits", "make the changes that a file of edits lists, after all other options", kScene},
        input_file_name(options.edits_file, {".json"}));
    command.add({"--set",
                 "path=value: one change, such as materials/Floor/roughness=0.2; after --edits, "
                 "repeatable",
                 kScene},
                edits(options.sets));
}

}  // namespace

void add_scene_options(Command& command, RenderOptions& options) {
    command.add(
        {"SCENE",
         "glTF, GLB, pbrt, Mitsuba, OBJ, PLY, STL, ..., procedural:NAME[:COUNT], or a scene of a "
         "folder of WEFT_SCENE_PATH or an example scene, by name"},
        any_texts(options.scenes, {.endings = scene_endings(), .has_scenes = true}));
    command.set_required("SCENE", true);
    command.add({"--missing-file", "stand-in for an image that cannot be read", kScene},
                one_of(options.missing_file, missing_file_names()));
    command.add({"--variant",
                 "name or index of the material variant of glTF files",
                 kScene,
                 "the materials that files show by default"},
                any_text(options.variant));
    command.add({"--asset-root",
                 "a further folder whose files scenes may read (repeatable; / allows all)",
                 kScene},
                existing_folders(options.asset_roots));
    add_ocio_option(command, kScene, options);
    add_light_options(command, options);
}

void add_device_options(Command& command, RenderOptions& options) {
    command.add({"-t,--threads", "worker threads", kMachine, "all cores"},
                whole(options.threads, 0, 1024));
    command.add({"--isa", "instruction set of the kernels", kMachine},
                one_of(options.isa, isa_names()));
    command.add({"--device",
                 "devices that render; auto: the one that matches best; egpu is the emulated GPU",
                 kMachine},
                one_of(options.device, device_names()));
    command.add({"--egpu-units", "execution units of the emulated GPU", kMachine},
                whole(options.egpu_units, 1, 64));
    command.add({"--egpu-memory", "memory of the emulated GPU, for example 8G", kMachine},
                memory_size(options.egpu_memory_bytes));
    add_memory_option(command, kMachine, options);
}

void add_memory_option(Command& command, const char* group, RenderOptions& options) {
    command.add({"--memory-limit",
                 "most memory that the program may use, for example 8G",
                 group,
                 "what is free"},
                memory_size(options.memory_limit_bytes));
}

void add_cache_options(Command& command, const char* group, RenderOptions& options) {
    command.add({"--texture-memory",
                 "most texels of textures in memory, for example 2G; if they are more, a temporary "
                 "file holds them (same picture)",
                 group,
                 "all"},
                memory_size(options.texture_memory_bytes, scene::kLeastBudgetBytes));
    command.add(
        {"--geometry-memory",
         "most bytes of triangles and of the tree over them in memory, for example 2G; the others "
         "are in a page file, which later renders of the scene use again (same picture)",
         group,
         "all"},
        memory_size(options.geometry_memory_bytes));
    command.add({"--cache-limit",
                 "most bytes of page files: those used longest ago are removed",
                 group,
                 "none"},
                memory_size(options.cache_limit_bytes));
    command.set_needs("--cache-limit", "--geometry-memory");
    command.add({"--cache-dir",
                 "folder of these files, on a disk with room for them",
                 group,
                 "weft in $XDG_CACHE_HOME or ~/.cache"},
                any_text(options.cache_folder, "FOLDER"));
}

void add_picture_options(Command& command, RenderOptions& options) {
    command.add({"--spp", "samples per pixel", kPicture, "64"}, whole(options.spp, 1, 1U << 20));
    command.add({"--time-limit",
                 "most seconds of sampling, to a tenth; reading the scene, building and writing "
                 "take additional time",
                 kPicture,
                 "none"},
                positive(options.time_limit_s));
    command.add({"--width",
                 "pixels; alone it keeps the aspect ratio; frame/size and frame/percent of edits "
                 "come after it",
                 kPicture,
                 "by the camera's aspect ratio"},
                whole(options.width, 1, kMostSide));
    command.add({"--height", "pixels", kPicture, "720"}, whole(options.height, 1, kMostSide));
    command.add({"--pixelbounds", "x0,x1,y0,y1: render these pixels only", kPicture},
                pixel_bounds(options.pixel_bounds));
    command.add({"--seed", "seed of the sample sequence", kPicture},
                whole(options.seed, 0, 0xffffffff));
    command.add({"--max-bounces", "scattering events per path", kPicture},
                whole(options.max_bounces, 0, 62));
    command.add({"--clamp-direct", "largest channel of a direct contribution", kPicture, "off"},
                not_negative(options.clamp_direct));
    command.add(
        {"--clamp-indirect", "largest channel of an indirect contribution", kPicture, "off"},
        not_negative(options.clamp_indirect));
    command.add({"--regularize",
                 "least roughness, 0 to 1, of what a path meets after a rough bounce: caustics of "
                 "glass and mirrors without specks, but blurred (biased)",
                 kPicture,
                 "off"},
                number_between(options.regularize, 0, 1));
    command.add({"--light-choice",
                 "how a light sample chooses its light: by what it may contribute, or by power",
                 kPicture},
                one_of(options.light_choice, light_choice_names()));
    command.add(
        {"--guiding",
         "paths go where a small picture, rendered before, found that light comes from; auto: "
         "where that one has less noise by it",
         kPicture},
        one_of(options.guiding, guiding_names()));
    command.add({"--filter", "pixel filter", kPicture}, one_of(options.filter, filter_names()));
    command.add_flag({"--film-transparent", "the environment is invisible to the camera", kPicture},
                     options.film_transparent);
    command.add_flag({"--backface-culling",
                      "hide back faces of single-sided materials from the camera",
                      kPicture},
                     options.backface_culling);
    command.add({"--aov", "layers beside the beauty, separated by commas", kPicture},
                several_of(options.aovs, aov_names()));
    add_camera_options(command, options);
    add_change_options(command, options);
}

void add_message_options(Command& command, RenderOptions& options) {
    command.add_flag({"-q,--quiet", "print errors only, and no progress", kMessages},
                     options.is_quiet);
    command.add_flag({"-v,--verbose", "print more messages (--log-level debug)", kMessages},
                     options.is_verbose);
    command.add({"--log-level",
                 "print messages from this level up; overrides -q and -v",
                 kMessages,
                 "info"},
                one_of(options.log_level, level_names()));
}

void add_traversal_option(Command& command, const char* group, RenderOptions& options) {
    command.add({"--traversal",
                 "how keyed rays go: the way that is fastest when measured, as sets from the root, "
                 "keyed by tree node, or keyed by page (same picture); not on the emulated GPU",
                 group},
                one_of(options.traversal, traversal_names()));
}

void add_path_options(Command& command, const char* group, RenderOptions& options) {
    command.add({"--paths",
                 "paths in flight per worker",
                 group,
                 "4096, and more with --geometry-memory or --device egpu"},
                whole(options.paths, 64, 1U << 22));
    command.add({"--batch", "rays that start at the root together", group},
                whole(options.batch, 16, 1U << 20));
}

namespace {

void add_run_options(Command& command, RenderOptions& options) {
    add_device_options(command, options);
    add_cache_options(command, kMachine, options);
    command.add({"--jit",
                 "auto: build a shading kernel for the scene while it renders (same picture)",
                 kMachine},
                one_of(options.has_scene_kernels, jit_names()));
    command.add({"--leaf", "samples per share of work", kScheduling, "by measured cost"},
                whole(options.leaf, 0, 1U << 20));
    command.add({"--scheduler", "how to gather rays and shading", kScheduling},
                one_of(options.scheduler, scheduler_names()));
    add_traversal_option(command, kScheduling, options);
    command.add({"--policy",
                 "which packet leaves next: depth_first, fullest, oldest, priority or balanced; a "
                 "name alone is for rays, ROUTINE=NAME for path, closest, shadow, shade or miss",
                 kScheduling,
                 "depth_first"},
                policies(options.policies));
    add_path_options(command, kScheduling, options);
}

}  // namespace

void add_picture_file_options(Command& command, RenderOptions& options) {
    command.add({"--view-transform",
                 "view transform of 8-bit files, or a view of the colour config",
                 kOutput,
                 "standard, or the config's"},
                view_name(options.view_transform));
    command.add({"--display-device", "display of the colour config", kOutput, "the config's"},
                any_text(options.display_device, "NAME"));
    command.add(
        {"--look", "look of the colour config in place of the view's; none: no look", kOutput},
        any_text(options.look, "NAME"));
    command.add({"--exposure", "stops, 8-bit files only", kOutput}, finite(options.exposure_stops));
    command.add({"--exr-type", "type of the colours in an EXR", kOutput},
                one_of(options.is_exr_half, exr_type_names()));
    command.add({"--exr-compression", "compression of an EXR", kOutput},
                one_of(options.exr_compression, exr_compression_names()));
    command.add({"--cryptomatte-ranks",
                 "most names of a pixel in a layer crypto_..., rounded up to even",
                 kOutput},
                whole(options.cryptomatte_ranks, 1, film::kMostMatteRanks));
    command.add_flag(
        {"-u,--no-clobber",
         "write nothing if the output exists; render --resume continues an unfinished one",
         kOutput},
        options.no_clobber);
}

namespace {

void add_animation_options(Command& command, RenderOptions& options) {
    command.add({"-f,--frames",
                 "frames to render, such as 1,3,5..10 or 1-100x3; # in the output's name is the "
                 "number",
                 kAnimation,
                 "the scene at rest"},
                frame_list(options.frames));
    command.add({"-s,--frame-start", "first frame of a range", kAnimation, "0"},
                whole(options.frame_start, 0, kMostFrame));
    command.add({"-e,--frame-end", "last frame of a range", kAnimation},
                whole(options.frame_end, 0, kMostFrame));
    command.add({"-j,--frame-jump", "distance between frames of a range", kAnimation},
                whole(options.frame_jump, 1, kMostFrame));
    command.add({"--fps", "frames per second: frame N shows the scene at N / fps", kAnimation},
                positive(options.frames_per_s));
    command.add({"--animation",
                 "name or index of the animation, or all",
                 kAnimation,
                 "the first of each file"},
                any_text(options.animation));
    command.add({"--shutter",
                 "motion blur: the part of a frame that the shutter is open, centred on the frame",
                 kAnimation,
                 "0"},
                number_between(options.shutter, 0, 1));
    command.add({"--shutter-moments",
                 "moments of an exposure; the samples of a pixel are spread over them",
                 kAnimation},
                whole(options.shutter_moments, 1, 4096));
    command.add_flag({"--skip-bad-frames",
                      "go on after a frame that fails, and list those at the end",
                      kAnimation},
                     options.skip_bad_frames);
}

void add_output_options(Command& command, RenderOptions& options) {
    command.add({"-o,--output",
                 ".exr .png .hdr .jpg .tif; - is an EXR on the standard output, -.png a PNG there",
                 kOutput},
                file_name(options.output, picture_endings()));
    add_picture_file_options(command, options);
    command.add_flag({"--denoise",
                      "=quality|fast|off: take the noise out of the finished picture; an EXR keeps "
                      "the film's means as layer noisy; without a value, quality",
                      kOutput},
                     options.denoise);
    command.add(
        {"--denoise-command",
         "program that denoises the finished picture, such as 'prog --hdr {color.pfm} --alb "
         "{albedo.pfm} --nrm {normal.pfm} -o {output.pfm}'; files are EXR without .pfm",
         kOutput},
        denoise_command(options.denoise_command));
    command.add_flag({"--keep-film", "keep the exact sums in the EXR", kOutput}, options.keep_film);
    command.add({"--slice",
                 "k/N: render the k-th of N parts of the samples into an EXR, for weft merge",
                 kOutput},
                slice(options.slice));
    command.add_flag({"--checkpoint",
                      "=FILE: save the render so far at intervals and at the end; without FILE, in "
                      "OUTPUT.checkpoint",
                      kOutput},
                     options.checkpoint);
    command.add(
        {"--noise-threshold",
         "end a block of pixels when its noise is at most so much: 0.1 preview, 0.01 clean; "
         "without --spp, at 4096 samples",
         kPicture,
         "off"},
        positive(options.noise_threshold));
    command.add({"--checkpoint-interval", "seconds between checkpoints", kOutput, "60"},
                positive(options.checkpoint_interval_s));
    command.add_flag({"--resume",
                      "continue from the checkpoint, if there is one, and save further ones",
                      kOutput},
                     options.resume);
    command.add_flag({"-n,--dry-run", "read and check everything, render nothing", kOutput},
                     options.dry_run);
    command.add(
        {"--debug-pixel", "x,y[,sample]: print the path of one sample, event by event", kOutput},
        debug_pixel(options.debug_pixel));
    command.add({"--stats", "figures as JSON", kOutput}, file_name(options.stats_file, {".json"}));
    command.add_flag({"--heat",
                      "count what each mesh and material costs, for --stats (same picture, slower)",
                      kOutput},
                     options.has_heat);
    command.set_needs("--heat", "--stats");
    command.add({"--trace", "a timeline of what ran, as JSON for Perfetto", kOutput},
                file_name(options.trace_file, {".json"}));
    command.add(
        {"--progress",
         "progress on stderr; json: one object per line for progress, messages and the end; "
         "openjd: messages of Open Job Description on stdout",
         kMessages},
        one_of(options.progress, progress_names()));
    add_message_options(command, options);
}

}  // namespace

void add_render_options(Command& command, RenderOptions& options) {
    add_scene_options(command, options);
    add_picture_options(command, options);
    command.add({"--light-groups",
                 "'key=lamp_*;sky=sun,environment': the light of each group as a layer light_NAME; "
                 "* and ? stand for letters in names of lights, nodes and materials; light_rest is "
                 "all other light",
                 kPicture},
                light_groups(options.light_groups));
    command.add_flag({"--aov-list",
                      "print the layers of --aov with channels, unit and meaning; needs no SCENE",
                      kPicture},
                     options.lists_aovs);
    add_animation_options(command, options);
    add_run_options(command, options);
    add_output_options(command, options);
}

}  // namespace weft::app
