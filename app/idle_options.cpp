#include "app/idle_options.h"

#include <algorithm>

#include "app/command/messages.h"
#include "engine/film/image_file.h"

namespace weft::app {

namespace {

class Notes {
public:
    void add_if(bool is_idle, const char* option, const char* reason) {
        if (is_idle) {
            notes_.push_back({scene::Note::Kind::Ignored,
                              std::string(option) + ": changes nothing, since " + reason});
        }
    }

    [[nodiscard]] std::vector<scene::Note> all() const { return notes_; }

private:
    std::vector<scene::Note> notes_;
};

// Whether the view differs from that of a picture without options.
bool has_view_option(const RenderOptions& options) {
    return options.colours
               ? options.view_transform != options.colours->default_view(options.display_device)
               : options.view_transform.has_value();
}

// What a picture of this file's kind has no use for.
void add_file_options(const RenderOptions& options, const std::string& output, Notes& notes) {
    const RenderOptions unset;
    const bool has_exr = film::is_exr_file(output);
    const char* const no_exr = "the picture is no EXR file";
    notes.add_if(!has_exr && options.is_exr_half != unset.is_exr_half, "--exr-type", no_exr);
    notes.add_if(
        !has_exr && options.exr_compression != unset.exr_compression, "--exr-compression", no_exr);
    notes.add_if(!has_exr && options.cryptomatte_ranks != unset.cryptomatte_ranks,
                 "--cryptomatte-ranks",
                 no_exr);
    const bool is_linear = !output.empty() && !film::is_display_file(output);
    const char* const linear = "it is for .png and .jpg; other files hold linear values";
    notes.add_if(is_linear && options.exposure_stops != 0, "--exposure", linear);
    notes.add_if(is_linear && has_view_option(options), "--view-transform", linear);
    notes.add_if(is_linear && options.colours &&
                     options.display_device != options.colours->default_display(),
                 "--display-device",
                 linear);
    notes.add_if(is_linear && options.look != unset.look, "--look", linear);
}

// Options of layers that the picture, an EXR, lacks.
void add_layer_options(const RenderOptions& options,
                       const std::string& output,
                       bool has_mattes,
                       const char* reason,
                       Notes& notes) {
    notes.add_if(film::is_exr_file(output) && !has_mattes &&
                     options.cryptomatte_ranks != RenderOptions().cryptomatte_ranks,
                 "--cryptomatte-ranks",
                 reason);
}

// Options of how keyed rays go, and when.
void add_run_options(const RenderOptions& options, Notes& notes) {
    const bool goes_own_way =
        options.traversal == TraversalChoice::Sets || options.traversal == TraversalChoice::Nodes;
    notes.add_if(
        options.device == DeviceChoice::Egpu && goes_own_way,
        "--traversal",
        "rays of the emulated GPU have one way through the tree; --device cpu has several");
    notes.add_if(options.shutter == 0 && options.shutter_moments != RenderOptions().shutter_moments,
                 "--shutter-moments",
                 "each frame is one moment; --shutter opens the shutter for longer");
}

// Outputs of a render where none is made. A dry run checks the name of its picture.
void add_output_options(const RenderOptions& options, Notes& notes) {
    const bool is_dry = options.dry_run && !options.debug_pixel;
    const bool is_none = is_dry || options.debug_pixel;
    const char* const reason = is_dry ? "a dry run renders nothing"
                                      : "--debug-pixel explains one sample and renders nothing";
    notes.add_if(options.debug_pixel && !options.output.empty(), "-o", reason);
    notes.add_if(is_none && !options.stats_file.empty(), "--stats", reason);
    notes.add_if(is_none && !options.trace_file.empty(), "--trace", reason);
    notes.add_if(is_none && options.has_heat, "--heat", reason);
}

}  // namespace

namespace {

void say_all(const Notes& notes) {
    for (const scene::Note& note : notes.all()) {
        say(Level::Warning, note.sentence);
    }
}

}  // namespace

void say_idle_file_options(const RenderOptions& options, const std::string& output) {
    Notes notes;
    add_file_options(options, output, notes);
    say_all(notes);
}

void say_idle_layer_options(const RenderOptions& options,
                            const std::string& output,
                            const film::Film& film) {
    const bool has_mattes =
        std::any_of(film.aovs().begin(), film.aovs().end(), [](const film::FilmLayer& layer) {
            return film::is_matte_aov(layer.aov);
        });
    Notes notes;
    add_layer_options(options, output, has_mattes, "the film has no layer crypto_...", notes);
    say_all(notes);
}

std::vector<scene::Note> idle_options(const RenderOptions& options,
                                      const scene::EditContext& context) {
    Notes notes;
    const RenderOptions unset;
    const bool is_at_rest = !options.frame;
    const bool is_parallel = context.camera.is_orthographic;
    const char* const all_is_sharp = "the camera is orthographic, and all that it sees is sharp";
    notes.add_if(options.fov_deg > 0 && is_parallel,
                 "--fov",
                 "the camera is orthographic; --set camera/ymag=METRES gives it another half "
                 "height");
    notes.add_if(options.focus_m > 0 && is_parallel, "--focus", all_is_sharp);
    notes.add_if(options.aperture_f_stop > 0 && is_parallel, "--aperture", all_is_sharp);
    notes.add_if(options.focus_m > 0 && !is_parallel && context.camera.lens_radius_m == 0,
                 "--focus",
                 "the camera has no aperture; --aperture gives it one");
    notes.add_if(options.clip_cap && context.clip_planes.empty(),
                 "--clip-cap",
                 "no plane cuts the scene; --clip-plane adds one");
    notes.add_if(is_at_rest && options.frames_per_s != unset.frames_per_s,
                 "--fps",
                 "the scene is shown at rest; --frames shows it in motion");
    notes.add_if(is_at_rest && !options.animation.empty(),
                 "--animation",
                 "the scene is shown at rest; --frames shows it in motion");
    notes.add_if(is_at_rest && options.skip_bad_frames,
                 "--skip-bad-frames",
                 "there is one frame; --frames gives more");
    add_file_options(options, options.output, notes);
    add_layer_options(options,
                      options.output,
                      std::any_of(options.aovs.begin(), options.aovs.end(), film::is_matte_aov),
                      "the picture has no layer of names; --aov crypto_object adds one",
                      notes);
    add_run_options(options, notes);
    add_output_options(options, notes);
    return notes.all();
}

}  // namespace weft::app
