#include "engine/frame/picture_metadata.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/frame/bias.h"
#include "engine/frame/film_origin.h"
#include "engine/trace/sample_version.h"

namespace weft::frame {

std::vector<std::pair<std::string, std::string>> picture_metadata(const Renderer& frame,
                                                                  const scene::Camera& camera,
                                                                  const RenderSettings& settings) {
    const FrameFigures& figures = frame.figures();
    std::vector<std::pair<std::string, std::string>> entries = {
        {"samples_per_pixel", std::to_string(figures.samples_per_pixel)},
        {"samples_per_pixel_mean", fmt::format("{}", frame.mean_samples())},
        {"pixels_without_samples", std::to_string(figures.empty_pixels)},
        {"seed", std::to_string(settings.seed)},
        {"sample_version", std::to_string(trace::kSampleVersion)},
        {"arithmetic_class", arithmetic_class(figures.isa)},
        {"camera_name", camera.name},
        {"camera_to_world", fmt::format("{}", fmt::join(camera.to_world, " "))},
        {"dropped_samples", std::to_string(figures.dropped_samples)}};
    if (!camera.is_orthographic) {
        entries.emplace_back("camera_yfov_rad", fmt::format("{}", camera.yfov_rad));
    }
    if (settings.noise_threshold > 0) {
        entries.emplace_back("noise_threshold", fmt::format("{}", settings.noise_threshold));
    }
    if (settings.guiding != Guiding::Off) {
        entries.emplace_back("guiding", guiding_name(settings.guiding));
        if (figures.pilot.verdict != PilotVerdict::None) {
            entries.emplace_back("guiding_verdict", verdict_name(figures.pilot.verdict));
        }
    }
    if (std::string bias = bias_text(settings); !bias.empty()) {
        entries.emplace_back("bias", std::move(bias));
    }
    return entries;
}

}  // namespace weft::frame
