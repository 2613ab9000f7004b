#include "engine/frame/pilot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/frame/noise_rule.h"
#include "engine/frame/renderer_state.h"
#include "scheduler/base/memory_limit.h"

namespace weft::frame {

namespace {

// Pixels of a pilot's picture, whatever its shape, and samples of each in its rounds: 0.25 million
// paths, of which the last round has four sevenths.
constexpr double kPixels = 9000;
constexpr std::array<u32, 3> kRounds = {4, 8, 16};
constexpr u32 kMostSamples = kRounds[0] + kRounds[1] + kRounds[2];
// Its samples are those of other pictures.
constexpr u32 kSeedOffset = 0x9e3779b9;

RenderSettings pilot_settings(const RenderSettings& settings, trace::GuideLog& log) {
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
    // Larger shares are no faster, and every slot of a result holds what its path may tell.
    pilot.integrator.share_samples = pilot.integrator.path_count;
    pilot.maybe_guide_log = &log;
    return pilot;
}

u64 path_count(const RenderSettings& pilot) {
    return u64{pilot.width} * pilot.height * pilot.samples_per_pixel;
}

// Of all rounds. A path tells of each vertex that it leaves.
u64 most_records(RenderSettings pilot) {
    pilot.samples_per_pixel = kMostSamples;
    return path_count(pilot) * std::min(pilot.max_bounces, shaders::kMostGuideVertices);
}

// The scene can be rendered without a pilot, so it is not the scene that is too large.
base::Error of_pilot(base::Error error) {
    if (error.kind == base::ErrorKind::TooLarge || error.kind == base::ErrorKind::Memory) {
        error.kind = base::ErrorKind::Memory;
        error.sentence = "the pilot of --guiding: " + error.sentence;
    }
    return error;
}

base::Result<base::MemoryClaim> claim_pilot(const trace::SceneTables& tables,
                                            const RenderSettings& pilot) {
    const u64 bytes = film_bytes(pilot) + RenderUnits::needed_bytes(tables, pilot) +
                      most_records(pilot) * sizeof(trace::GuideRecord);
    return base::claim_memory(bytes, "a small picture with what its paths tell");
}

// Renders rounds and gathers their records.
class Pilot {
public:
    Pilot(const PreparedScene& scene,
          const scene::Camera& camera,
          const RenderSettings& settings,
          const std::function<bool()>& should_stop)
        : scene_(scene),
          camera_(camera),
          settings_(pilot_settings(settings, log_)),
          should_stop_(should_stop) {}

    base::Result<Learned> learn(Guiding guiding) {
        {
            const base::Result<base::MemoryClaim> claim = claim_pilot(*scene_.tables, settings_);
            WEFT_TRY(claim);
            log_.reserve(most_records(settings_));
        }
        double guided_cost = 0;
        for (const u32 samples : kRounds) {
            settings_.samples_per_pixel = samples;
            ++settings_.seed;
            const base::Result<double> cost = render_round();
            WEFT_TRY(cost);
            if (should_stop_()) {
                return Learned{};
            }
            guided_cost = cost.value();
            settings_.guide = nullptr;  // its memory is free for the next one
            base::Result<trace::Guide> guide = trace::make_guide(log_.records());
            WEFT_TRY(guide);
            if (!guide.value().is_empty()) {
                settings_.guide = std::make_shared<const trace::Guide>(std::move(guide.value()));
            }
        }
        if (!settings_.guide) {
            return Learned{nullptr, PilotVerdict::TooLittleLight};
        }
        const Learned guided{settings_.guide, PilotVerdict::Guided};
        return guiding == Guiding::Auto ? weigh(guided, guided_cost) : guided;
    }

private:
    // Renders the last round again, without a guide.
    base::Result<Learned> weigh(Learned guided, double guided_cost) {
        settings_.guide = nullptr;
        log_.clear();
        const base::Result<double> plain_cost = render_round();
        WEFT_TRY(plain_cost);
        if (should_stop_()) {
            return Learned{};
        }
        guided.worth_of_ray = guided_cost > 0 ? plain_cost.value() / guided_cost
                                              : std::numeric_limits<double>::infinity();
        if (guided_cost > plain_cost.value() / kLeastWorthOfRay) {
            return Learned{nullptr, PilotVerdict::PaysTooLittle, guided.worth_of_ray};
        }
        return guided;
    }

    // How many rays it takes to bring the round's noise to 1. Every vertex told stands for a ray on
    // and a shadow ray. Noise and records come from samples that are published once, whatever ran
    // when or ran again, so the cost is the same for all schedules.
    base::Result<double> render_round() {
        const u64 told_before = log_.records().size();
        base::Result<std::unique_ptr<Renderer>> made =
            Renderer::prepare(PreparedScene(scene_), camera_, settings_);
        WEFT_TRY(made);
        Renderer& renderer = *made.value();
        WEFT_TRY(renderer.render([&](const FrameProgress&) {
            if (should_stop_()) {
                renderer.request_stop();
            }
        }));
        const double noise = film_noise(renderer.film()).mean;
        const u64 told = log_.records().size() - told_before;
        return noise * noise * static_cast<double>(path_count(settings_) + 2 * told);
    }

    const PreparedScene& scene_;
    const scene::Camera& camera_;
    trace::GuideLog log_;
    RenderSettings settings_;
    const std::function<bool()>& should_stop_;
};

}  // namespace

const char* verdict_name(PilotVerdict verdict) {
    switch (verdict) {
        case PilotVerdict::None:
            break;
        case PilotVerdict::Guided:
            return "guided";
        case PilotVerdict::TooLittleLight:
            return "too little light";
        case PilotVerdict::PaysTooLittle:
            return "pays too little";
    }
    return "no pilot";
}

base::Status check_pilot_memory(const trace::SceneTables& tables, const RenderSettings& settings) {
    trace::GuideLog log;
    const auto claim = claim_pilot(tables, pilot_settings(settings, log));
    return claim.is_ok() ? base::Status(base::Done{}) : of_pilot(claim.error());
}

base::Result<Learned> learn_guide(const PreparedScene& scene,
                                  const scene::Camera& camera,
                                  const RenderSettings& settings,
                                  const std::function<bool()>& should_stop) {
    base::Result<Learned> learned =
        Pilot(scene, camera, settings, should_stop).learn(settings.guiding);
    return learned.is_ok() ? learned : of_pilot(learned.error());
}

}  // namespace weft::frame
