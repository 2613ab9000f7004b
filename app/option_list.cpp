// option_list.cpp — the names, ranges and help texts of the options of render and info.
//
// What one option allows by itself is checked here by the parser; what options mean together and
// for a scene is in render_options.cpp.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "app/render_options.h"

namespace weft::app {

namespace {

// A finite number above `floor`, or from it where `is_closed`. The parser's own checks let NaN
// pass.
CLI::Validator number_from(float floor, bool is_closed) {
    return CLI::Validator(
        [=](std::string& text) {
            float number = 0;
            const char* const end = text.data() + text.size();
            const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
            const auto [rest, error] = std::from_chars(begin, end, number);
            if (error == std::errc{} && rest == end && std::isfinite(number) &&
                (is_closed ? number >= floor : number > floor)) {
                return std::string();
            }
            const std::string bound =
                floor == std::numeric_limits<float>::lowest()
                    ? ""
                    : fmt::format("{} {}", is_closed ? " from" : " above", floor);
            return fmt::format("{}: expected a finite number{}", text, bound);
        },
        "NUMBER",
        "number");
}

CLI::Validator finite() {
    return number_from(std::numeric_limits<float>::lowest(), true);
}

CLI::Validator not_negative() {
    return number_from(0, true);
}

CLI::Validator positive() {
    return number_from(0, false);
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
        ->check(CLI::IsMember({"error", "black", "checker"}));
    command
        .add_option("--asset-root",
                    options.asset_roots,
                    "scenes may read files of this folder, too, beside those of their own "
                    "(repeatable; / allows all)")
        ->check(CLI::ExistingDirectory)
        ->allow_extra_args(false);
    command.add_option(
        "--environment", options.environment_file, "lat-long environment map (.hdr, .exr)");
    command
        .add_option(
            "--environment-color", options.environment_color, "constant environment r,g,b in cd/m2")
        ->delimiter(',')
        ->expected(3)
        ->check(not_negative());
    command
        .add_option("--environment-rotation",
                    options.environment_rotation_deg,
                    "degrees about +Y, counter-clockwise seen from above")
        ->check(finite());
    command
        .add_option(
            "--environment-strength", options.environment_strength, "factor of the environment")
        ->check(not_negative());
}

void add_device_options(CLI::App& command, RenderOptions& options) {
    command.add_option("-t,--threads", options.threads, "workers (0: all cores)")
        ->check(CLI::Range(0U, 1024U));
    command.add_option("--isa", options.isa, "instruction set of the kernels")
        ->check(CLI::IsMember({"auto", "sse4", "avx2", "avx512"}));
    command.add_option("--device", options.device, "what renders; egpu is the emulated GPU")
        ->check(CLI::IsMember({"auto", "cpu", "egpu", "cpu+egpu"}));
    command.add_option("--egpu-units", options.egpu_units, "execution units of the emulated GPU")
        ->check(CLI::Range(1U, 64U));
    command.add_option("--egpu-memory", options.egpu_memory, "its own memory, for example 8G");
    command.add_option("--memory-limit",
                       options.memory_limit,
                       "what the program may take of the machine's memory, for example 8G "
                       "(without it: what is free)");
}

void add_picture_options(CLI::App& command, RenderOptions& options) {
    command.add_option("--spp", options.spp, "samples per pixel")->check(CLI::Range(1U, 1U << 20));
    command.add_option("--time-limit", options.time_limit_s, "seconds")->check(positive());
    command.add_option("--width", options.width, "pixels; alone it keeps the aspect ratio")
        ->check(CLI::Range(1U, 32768U));
    command.add_option("--height", options.height, "pixels")->check(CLI::Range(1U, 32768U));
    command
        .add_option("--pixelbounds", options.pixel_bounds, "x0,x1,y0,y1: render these pixels only")
        ->delimiter(',')
        ->expected(4);
    command.add_option("--seed", options.seed, "seed of the sample sequence");
    command.add_option("--max-bounces", options.max_bounces, "scattering events per path")
        ->check(CLI::Range(0U, 62U));
    command
        .add_option("--clamp-direct",
                    options.clamp_direct,
                    "largest channel of a direct contribution (0: off)")
        ->check(not_negative());
    command
        .add_option("--clamp-indirect",
                    options.clamp_indirect,
                    "largest channel of an indirect contribution (0: off)")
        ->check(not_negative());
    command.add_option("--filter", options.filter, "pixel filter")
        ->check(CLI::IsMember({"box", "blackman-harris", "gaussian"}));
    command.add_flag("--film-transparent",
                     options.film_transparent,
                     "the environment is invisible to the camera");
    command.add_flag("--backface-culling",
                     options.backface_culling,
                     "hide back faces of single-sided materials from the camera");
    command.add_option("--aov", options.aovs, "albedo,normal,depth,position,instance")
        ->delimiter(',')
        ->check(CLI::IsMember({"albedo", "normal", "depth", "position", "instance"}));
    command.add_option("--camera", options.camera, "name or index");
    command.add_option("--look-at", options.look_at, "ex,ey,ez,tx,ty,tz[,ux,uy,uz]")
        ->delimiter(',')
        ->check(finite());
    command.add_option("--fov", options.fov_deg, "vertical field of view in degrees")
        ->check(finite())
        ->check(CLI::Range(0.01, 179.0));
    command.add_option("--aperture", options.aperture_f_stop, "f-stop; turns depth of field on")
        ->check(positive());
    command
        .add_option("--focus",
                    options.focus_m,
                    "distance in focus, metres; without it, what the middle of the picture shows")
        ->check(positive());
    command.add_option("--hide", options.hide, "nodes and lamps to leave out, by name");
    command.add_option(
        "--show", options.show, "nodes and lamps to keep in although hidden, by name");
    command
        .add_option("--clip-plane",
                    options.clip_planes,
                    "nx,ny,nz,d: cuts away what has n·p + d < 0; up to 8")
        ->allow_extra_args(false);
    command.add_option(
        "--edits", options.edits_file, "make the changes that a file of edits lists");
    command
        .add_option("--set",
                    options.sets,
                    "path=value: one change, such as materials/Floor/roughness=0.2; after --edits")
        ->allow_extra_args(false);
    command.add_flag("--clip-cap", options.clip_cap, "close the solids that clip planes cut");
}

namespace {

void add_run_options(CLI::App& command, RenderOptions& options) {
    add_device_options(command, options);
    command
        .add_option(
            "--jit",
            options.jit,
            "auto: the shading kernel is built for the scene while it renders (same picture)")
        ->check(CLI::IsMember({"auto", "off"}));
    command.add_option("--leaf", options.leaf, "samples per leaf of work (0: by measured cost)")
        ->check(CLI::Range(0U, 1U << 20));
    command.add_option("--scheduler", options.scheduler, "how rays and shading are gathered")
        ->check(CLI::IsMember({"keyed", "unkeyed", "embree"}));
    command
        .add_option("--policy",
                    options.policies,
                    "which packet leaves next: depth_first, fullest, oldest, priority or balanced; "
                    "of rays, or ROUTINE=NAME with path, closest, shadow, shade or miss")
        ->delimiter(',');
    command.add_option("--paths", options.paths, "paths in flight per worker")
        ->check(CLI::Range(64U, 1U << 20));
    command.add_option("--batch", options.batch, "rays that start at the root together")
        ->check(CLI::Range(16U, 1U << 20));
    command.add_option("-o,--output", options.output, ".exr .png .hdr .jpg .tif");
    command.add_option("--view-transform", options.view_transform, "of 8-bit files")
        ->check(CLI::IsMember({"standard", "filmic", "aces", "raw"}));
    command.add_option("--exposure", options.exposure_stops, "stops, 8-bit files only")
        ->check(finite());
    command.add_option("--exr-type", options.exr_type)->check(CLI::IsMember({"half", "float"}));
    command.add_option("--exr-compression", options.exr_compression)
        ->check(CLI::IsMember({"none", "rle", "zip", "zips", "piz", "pxr24", "dwaa", "dwab"}));
    command.add_flag("--keep-film", options.keep_film, "keep the exact sums in the EXR");
    command.add_flag("-u,--no-clobber", options.no_clobber, "do nothing where the output exists");
    command.add_flag("-n,--dry-run", options.dry_run, "read and check everything, render nothing");
    command.add_option(
        "--debug-pixel", options.debug_pixel, "x,y[,sample]: tell one sample event by event");
    CLI::Option* const stats = command.add_option("--stats", options.stats_file, "figures as JSON");
    command
        .add_flag("--heat",
                  options.has_heat,
                  "count what each mesh and material costs, for --stats (same picture, slower)")
        ->needs(stats);
    command.add_option("--trace", options.trace_file, "what ran when, as JSON for Perfetto");
    command.add_option("--progress", options.progress)
        ->check(CLI::IsMember({"auto", "bar", "lines", "json", "none"}));
    command.add_flag("-q,--quiet", options.is_quiet, "no progress, no notes");
    command.add_flag("-v,--verbose", options.is_verbose, "say more");
}

}  // namespace

void add_render_options(CLI::App& command, RenderOptions& options) {
    add_scene_options(command, options);
    add_picture_options(command, options);
    add_run_options(command, options);
}

}  // namespace weft::app
