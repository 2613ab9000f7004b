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

// A round of a pilot: what its paths told, and how many rays it takes to bring its noise to 1.
struct Round {
    std::vector<trace::GuideRecord> records;
    double cost = 0;
};

// Every vertex told stands for a ray on and a shadow ray. Noise and records come from samples that
// are published once, whatever ran when or ran again, so the cost is the same for all schedules.
base::Result<Round> render_round(const PreparedScene& scene,
                                 const scene::Camera& camera,
                                 RenderSettings pilot) {
    trace::GuideLog log;
    pilot.maybe_guide_log = &log;
    base::Result<std::unique_ptr<Renderer>> renderer =
        Renderer::prepare(PreparedScene(scene), camera, pilot);
    WEFT_TRY(renderer);
    WEFT_TRY(renderer.value()->render({}));
    Round round{log.take()};
    const u64 paths = u64{pilot.width} * pilot.height * pilot.samples_per_pixel;
    const double noise = film_noise(renderer.value()->film()).mean;
    round.cost = noise * noise * static_cast<double>(paths + 2 * round.records.size());
    return round;
}

}  // namespace

base::Result<std::shared_ptr<const trace::Guide>> learn_guide(const PreparedScene& scene,
                                                              const scene::Camera& camera,
                                                              const RenderSettings& settings) {
    RenderSettings pilot = pilot_settings(settings);
    std::vector<trace::GuideRecord> records;
    double guided_cost = 0;
    for (const u32 samples : kRounds) {
        pilot.samples_per_pixel = samples;
        ++pilot.seed;
        const base::Result<Round> round = render_round(scene, camera, pilot);
        WEFT_TRY(round);
        guided_cost = round.value().cost;
        const std::vector<trace::GuideRecord>& found = round.value().records;
        records.insert(records.end(), found.begin(), found.end());
        auto guide = std::make_shared<trace::Guide>(trace::make_guide(records));
        pilot.guide = guide->is_empty() ? nullptr : std::move(guide);
    }
    if (settings.guiding == Guiding::Auto) {
        // The last round again, without a guide.
        RenderSettings plain = pilot;
        plain.guide = nullptr;
        const base::Result<Round> round = render_round(scene, camera, plain);
        WEFT_TRY(round);
        if (guided_cost > kWorthwhile * round.value().cost) {
            return std::shared_ptr<const trace::Guide>();
        }
    }
    return pilot.guide;
}

}  // namespace weft::frame
