#include "app/denoise_step.h"

#include <fmt/format.h>

#include "app/command/messages.h"
#include "app/command/signals.h"
#include "scheduler/base/clock.h"

namespace weft::app {

const char* denoised_by(denoise::Method method) {
    return method == denoise::Method::Fast ? "weft fast" : "weft quality";
}

base::Result<std::shared_ptr<const film::Picture>> denoised_picture(
    const film::ResolvedFilm& picture, const denoise::DenoiseConfig& config) {
    const base::Clock::time_point begin = base::Clock::now();
    const base::Result<denoise::DenoiseLayers> layers = denoise::layers_of(picture);
    WEFT_TRY(layers);
    denoise::DenoiseConfig stoppable = config;
    stoppable.should_stop = was_interrupted;
    base::Result<film::Picture> denoised = denoise::denoise(layers.value(), stoppable);
    WEFT_TRY(denoised);
    say(Level::Info, fmt::format("denoised in {:.2f} s", base::seconds_since(begin)));
    return std::make_shared<const film::Picture>(std::move(denoised.value()));
}

}  // namespace weft::app
