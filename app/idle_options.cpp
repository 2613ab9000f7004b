#include "app/idle_options.h"

#include <string>

#include "engine/film/image_file.h"

namespace weft::app {

std::vector<scene::Note> idle_options(const RenderOptions& options,
                                      const scene::EditContext& context) {
    std::vector<scene::Note> notes;
    const auto add_if = [&](bool is_idle, const char* option, const char* reason) {
        if (is_idle) {
            notes.push_back({scene::Note::Kind::Ignored,
                             std::string(option) + ": changes nothing, since " + reason});
        }
    };
    const RenderOptions unset;
    const bool is_at_rest = !options.frame;
    const bool is_parallel = context.camera.is_orthographic;
    const char* const all_is_sharp = "the camera is orthographic, and all that it sees is sharp";
    add_if(options.fov_deg > 0 && is_parallel,
           "--fov",
           "the camera is orthographic; --set camera/ymag=METRES gives it another half height");
    add_if(options.focus_m > 0 && is_parallel, "--focus", all_is_sharp);
    add_if(options.aperture_f_stop > 0 && is_parallel, "--aperture", all_is_sharp);
    add_if(options.focus_m > 0 && !is_parallel && context.camera.lens_radius_m == 0,
           "--focus",
           "the camera has no aperture; --aperture gives it one");
    add_if(options.clip_cap && context.clip_planes.empty(),
           "--clip-cap",
           "no plane cuts the scene; --clip-plane adds one");
    add_if(is_at_rest && options.frames_per_s != unset.frames_per_s,
           "--fps",
           "the scene is shown at rest; --frames shows it in motion");
    add_if(is_at_rest && !options.animation.empty(),
           "--animation",
           "the scene is shown at rest; --frames shows it in motion");
    add_if(is_at_rest && options.skip_bad_frames,
           "--skip-bad-frames",
           "there is one frame; --frames gives more");
    const bool has_exr = film::is_exr_file(options.output);
    add_if(!has_exr && options.is_exr_half != unset.is_exr_half,
           "--exr-type",
           "the picture is no EXR file");
    add_if(!has_exr && options.exr_compression != unset.exr_compression,
           "--exr-compression",
           "the picture is no EXR file");
    return notes;
}

}  // namespace weft::app
