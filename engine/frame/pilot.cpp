#include "engine/frame/pilot.h"

#include <array>
#include <cmath>
#include <limits>

#include "engine/frame/renderer.h"

namespace weft::frame {

namespace {

// Pixels of a pilot's picture, whatever its shape, and samples of each in its rounds: 0.25 million
// paths, of which the last round has four sevenths.
constexpr double kPixels = 9000;
constexpr std::array<u32, 3> kRounds = {4, 8, 16};
// Its samples are those of other pictures.
constexpr u32 kSeedOffset = 0x9e3779b9;

RenderSettings pilot_settings(const RenderSettings& settings) {
    RenderSettings pilot = settings;
    const double aspect = static_cast<double>(settings.width) / settings.height;
    const auto side = [](double length) {
        return static_cast<u32>(std::clamp(std::round(length), 1.0, kPixels));
    };
    pilot.width = side(std::sqrt(kPixels * aspect));
    pilot.height = side(std::sqrt(kPixels / aspect));
    pilot.crop = std::nullopt;
    pilot.seed = settings.seed + kSeedOffset;
    pilot.aovs = {};
    pilot.light_groups = {};
    pilot.motion = nullptr;
    pilot.picture = std::nullopt;
    pilot.noise_threshold = 0;
    pilot.first_sample = 0;
    pilot.time_limit_s = std::numeric_limits<double>::infinity();
    pilot.has_scene_kernels = false;
    pilot.has_heat = false;
    pilot.guiding = Guiding::Off;
    return pilot;
}

}  // namespace

base::Result<std::shared_ptr<const trace::Guide>> learn_guide(const PreparedScene& scene,
                                                              const scene::Camera& camera,
                                                              const RenderSettings& settings) {
    RenderSettings pilot = pilot_settings(settings);
    trace::GuideLog log;
    pilot.maybe_guide_log = &log;
    std::vector<trace::GuideRecord> records;
    for (u32 round = 0; round < kRounds.size(); ++round) {
        pilot.samples_per_pixel = kRounds[round];
        ++pilot.seed;
        base::Result<std::unique_ptr<Renderer>> renderer =
            Renderer::prepare(PreparedScene(scene), camera, pilot);
        WEFT_TRY(renderer);
        WEFT_TRY(renderer.value()->render({}));
        const std::vector<trace::GuideRecord> found = log.take();
        records.insert(records.end(), found.begin(), found.end());
        auto guide = std::make_shared<trace::Guide>(trace::make_guide(records));
        pilot.guide = guide->is_empty() ? nullptr : std::move(guide);
    }
    return pilot.guide;
}

}  // namespace weft::frame
