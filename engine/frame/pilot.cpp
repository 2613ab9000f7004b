#include "engine/frame/pilot.h"

#include <array>
#include <cmath>
#include <limits>

#include "engine/frame/noise_rule.h"
#include "engine/frame/renderer.h"

namespace weft::frame {

namespace {

// Pixels of a pilot's picture, whatever its shape, and samples of each in its rounds: 0.25 million
// paths, of which the last round has four sevenths.
constexpr double kPixels = 9000;
constexpr std::array<u32, 3> kRounds = {4, 8, 16};
// Auto guides a frame where rays are worth at least a third more by it: a guided ray costs some
// fifth more than another one (tests/bench/notebook/shading.md).
constexpr double kWorthwhile = 0.75;
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
    pilot.aovs = {film::Aov::Noise};
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

// A pilot's picture.
base::Result<std::unique_ptr<Renderer>> rendered(const PreparedScene& scene,
                                                 const scene::Camera& camera,
                                                 const RenderSettings& pilot) {
    base::Result<std::unique_ptr<Renderer>> renderer =
        Renderer::prepare(PreparedScene(scene), camera, pilot);
    WEFT_TRY(renderer);
    WEFT_TRY(renderer.value()->render({}));
    return renderer;
}

// Rays that it takes to bring the noise of a picture to 1. Counts and sums are exact, so it is the
// same whatever ran when.
double cost_of(const Renderer& picture) {
    const trace::IntegratorCounters& counted = picture.figures().integrator;
    const u64 rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    const double noise = film_noise(picture.film()).mean;
    return noise * noise * static_cast<double>(rays);
}

}  // namespace

base::Result<std::shared_ptr<const trace::Guide>> learn_guide(const PreparedScene& scene,
                                                              const scene::Camera& camera,
                                                              const RenderSettings& settings) {
    RenderSettings pilot = pilot_settings(settings);
    trace::GuideLog log;
    pilot.maybe_guide_log = &log;
    std::vector<trace::GuideRecord> records;
    double guided_cost = 0;
    for (const u32 samples : kRounds) {
        pilot.samples_per_pixel = samples;
        ++pilot.seed;
        const base::Result<std::unique_ptr<Renderer>> renderer = rendered(scene, camera, pilot);
        WEFT_TRY(renderer);
        guided_cost = cost_of(*renderer.value());
        const std::vector<trace::GuideRecord> found = log.take();
        records.insert(records.end(), found.begin(), found.end());
        auto guide = std::make_shared<trace::Guide>(trace::make_guide(records));
        pilot.guide = guide->is_empty() ? nullptr : std::move(guide);
    }
    if (settings.guiding == Guiding::Auto) {
        // The last round again, without a guide.
        RenderSettings plain = pilot;
        plain.guide = nullptr;
        plain.maybe_guide_log = nullptr;
        const base::Result<std::unique_ptr<Renderer>> renderer = rendered(scene, camera, plain);
        WEFT_TRY(renderer);
        if (guided_cost > kWorthwhile * cost_of(*renderer.value())) {
            return std::shared_ptr<const trace::Guide>();
        }
    }
    return pilot.guide;
}

}  // namespace weft::frame
