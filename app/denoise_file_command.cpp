#include "app/denoise_file_command.h"

#include <fmt/format.h>
#include <new>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "app/command/output_lock.h"
#include "app/command/signals.h"
#include "app/denoise_step.h"
#include "app/film_picture.h"
#include "engine/film/film_merge.h"

namespace weft::app {

namespace {

base::Status check_denoise(const DenoiseFileOptions& options) {
    const std::string& output = options.picture.output;
    WEFT_TRY(check_outputs({{"-o", output}}, {{"IN", options.input}}, false));
    if (!options.picture.denoise.empty() && !is_denoised(options.picture)) {
        return base::Error{base::ErrorKind::Usage,
                           "--denoise=" + options.picture.denoise + ": expected quality or fast"};
    }
    return film::check_image_target(output, pick_image_config(options.picture));
}

int denoise_file(const DenoiseFileOptions& options, const std::string& command_line) {
    const std::string& output = options.picture.output;
    const base::Status checked = check_denoise(options);
    if (!checked.is_ok()) {
        return fail(checked.error());
    }
    if (keeps_existing(output, options.picture.no_clobber)) {
        return kExitDone;
    }
    const base::Result<OutputLock> lock = OutputLock::take(output);
    if (!lock.is_ok()) {
        return fail(lock.error());
    }
    const base::Result<film::SavedFilm> saved = film::read_saved_film(options.input);
    if (!saved.is_ok()) {
        return fail(saved.error());
    }
    film::ImageConfig config =
        film_picture_config(options.picture, output, saved.value(), command_line);
    film::ResolvedFilm picture(saved.value().film, film::resolve_config(output, config));
    if (!picture.is_allocated()) {
        return fail({base::ErrorKind::Memory,
                     options.input + ": out of memory for the means of its pixels"});
    }
    picture.finish();
    // The denoiser computes as the film's samples were computed, where this machine can.
    const bool is_sse4 = film::origin_value(saved.value().record, "arithmetic class") == "sse4";
    denoise::DenoiseConfig method;
    method.method = denoise_method(options.picture);
    method.isa = is_sse4 ? shaders::Isa::Sse4 : shaders::best_isa();
    const auto denoised = denoised_picture(picture, method);
    if (!denoised.is_ok()) {
        return was_interrupted() ? kExitSignal
                                 : fail({denoised.error().kind,
                                         options.input + ": " + denoised.error().sentence});
    }
    config.denoised = denoised.value();
    config.metadata.emplace_back("denoised_by", denoised_by(method.method));
    const base::Status written = film::write_image(output, picture, config);
    if (!written.is_ok()) {
        return fail(written.error());
    }
    say(Level::Info, fmt::format("{} is in {}", options.input, output));
    return kExitDone;
}

}  // namespace

int run_denoise(const DenoiseFileOptions& options, const std::string& command_line) {
    try {
        return denoise_file(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail(
            {base::ErrorKind::Memory, "out of memory: the picture is too large for this machine"});
    }
}

}  // namespace weft::app
