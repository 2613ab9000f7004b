#include "app/denoise_file_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "app/command/output_lock.h"
#include "app/command/signals.h"
#include "app/command/version.h"
#include "app/denoise_step.h"
#include "app/film_picture.h"
#include "app/idle_options.h"
#include "engine/film/exr_parts.h"
#include "engine/film/film_merge.h"
#include "engine/film/layer_file.h"

namespace weft::app {

namespace {

base::Status check_denoise(const DenoiseFileOptions& options) {
    const std::string& output = options.picture.output;
    WEFT_TRY(check_outputs({{"-o", output}}, {{"IN", options.input}}, false));
    if (!options.picture.denoise.empty() && !is_denoised(options.picture)) {
        return base::Error{base::ErrorKind::Usage,
                           "--denoise=" + options.picture.denoise + ": expected quality or fast"};
    }
    return check_picture_file(output, pick_image_config(options.picture));
}

// A film that has the means as its only samples: the writers take films.
base::Result<film::Film> film_of(const film::StoredLayers& layers, const std::string& path) {
    const film::Picture& colour = layers.colour;
    if (colour.x0 < 0 || colour.y0 < 0) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": pixels left of or above its display window; expected none"};
    }
    const auto x0 = static_cast<u32>(colour.x0);
    const auto y0 = static_cast<u32>(colour.y0);
    const film::Region crop{x0, y0, x0 + colour.width, y0 + colour.height};
    film::Film film(
        std::max(layers.full_width, crop.x1), std::max(layers.full_height, crop.y1), crop, {});
    if (!film.is_allocated()) {
        return base::Error{base::ErrorKind::Memory, path + ": out of memory for its pixels"};
    }
    for (u32 y = 0; y < colour.height; ++y) {
        for (u32 x = 0; x < colour.width; ++x) {
            film.add_sample(
                x0 + x,
                y0 + y,
                {colour.at(x, y, 0), colour.at(x, y, 1), colour.at(x, y, 2), colour.at(x, y, 3)});
        }
    }
    return film;
}

// The means of a file without sums: by the fast filter, since there are no halves.
base::Status denoise_plain(const DenoiseFileOptions& options, const std::string& command_line) {
    const std::string& input = options.input;
    const std::string& output = options.picture.output;
    const bool wants_quality = !options.picture.denoise.empty() &&
                               denoise_method(options.picture) == denoise::Method::Quality;
    if (wants_quality) {
        return base::Error{base::ErrorKind::Scene,
                           input +
                               ": no two halves of its samples, which quality needs; expected "
                               "an EXR of --keep-film, or --denoise=fast"};
    }
    const base::Result<film::StoredLayers> layers = film::read_stored_layers(input);
    WEFT_TRY(layers);
    const base::Clock::time_point begin = base::Clock::now();
    const base::Result<film::Picture> denoised = denoised_layers(layers.value());
    if (!denoised.is_ok()) {
        return base::Error{denoised.error().kind, input + ": " + denoised.error().sentence};
    }
    say_denoised(begin);
    const base::Result<film::Film> film = film_of(layers.value(), input);
    WEFT_TRY(film);
    film::ImageConfig config = pick_image_config(options.picture);
    config.keep_film = false;
    config.denoised = std::make_shared<const film::Picture>(denoised.value());
    config.metadata = {{"version", kVersion},
                       {"command_line", command_line},
                       {"denoised_by", denoised_by(denoise::Method::Fast)}};
    const base::Result<std::string> bias = film::stated_attribute(input, film::kBiasName);
    WEFT_TRY(bias);
    if (!bias.value().empty()) {
        config.metadata.emplace_back("bias", bias.value());
    }
    WEFT_TRY(film::write_image(output, film.value(), config));
    say(Level::Info, fmt::format("{} is in {}", input, output));
    return base::Done{};
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
    say_idle_file_options(options.picture, output);
    if (film::is_plain_exr(options.input)) {
        const base::Status done = denoise_plain(options, command_line);
        return done.is_ok() ? kExitDone : fail(done.error());
    }
    const base::Result<film::SavedFilm> saved = film::read_saved_film(options.input);
    if (!saved.is_ok()) {
        return fail(saved.error());
    }
    say_idle_layer_options(options.picture, output, saved.value().film);
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
    method.should_stop = was_interrupted;
    const base::Clock::time_point begin = base::Clock::now();
    const auto denoised = denoised_picture(picture, method);
    if (!denoised.is_ok()) {
        return was_interrupted() ? kExitSignal
                                 : fail({denoised.error().kind,
                                         options.input + ": " + denoised.error().sentence});
    }
    say_denoised(begin);
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
        return fail_without_memory("out of memory: the picture is too large for this machine");
    }
}

}  // namespace weft::app
