#include "engine/bench/bus_bench.h"

#include "engine/bench/interleaved.h"

namespace weft::bench {

namespace {

using BusContender = FrameContender<BusRow>;

frame::RenderSettings bus_settings_of(const frame::RenderSettings& usual,
                                      const BusVariant& variant) {
    frame::RenderSettings settings = usual;
    settings.has_cpu = false;
    settings.has_egpu = true;
    settings.integrator.mode = variant.scheduler == "unkeyed" ? trace::SchedulerMode::Unkeyed
                                                              : trace::SchedulerMode::Keyed;
    settings.integrator.treelet_bytes = variant.treelet_bytes;
    return settings;
}

base::Status add_bus_frame(frame::Renderer& renderer, BusContender& contender) {
    WEFT_TRY(renderer.render({}));
    const frame::FrameFigures& figures = renderer.figures();
    const trace::IntegratorCounters& counted = figures.integrator;
    BusRow& row = contender.row;
    contender.seconds.push_back(figures.render_s);
    row.rays += counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    row.transfers += counted.local.bus.transfers;
    row.bytes += counted.local.bus.bytes;
    row.texel_transfers += counted.texels.copied.transfers;
    row.texel_bytes += counted.texels.copied.bytes;
    row.ray_visits += counted.local.ray_visits;
    row.kernel_calls += counted.local.kernel_calls;
    const double former_ms = row.modelled_ms * row.repeats;
    ++row.repeats;
    row.modelled_ms = (former_ms + figures.devices.front().bus_ms) / row.repeats;
    const std::string hash = renderer.film().film_hash();
    row.is_repeatable = row.is_repeatable && (row.repeats == 1 || hash == row.film_hash);
    row.film_hash = row.repeats == 1 ? hash : row.film_hash;
    return base::Done{};
}

}  // namespace

base::Result<std::vector<BusRow>> compare_bus(const scene::Scene& scene,
                                              const scene::Camera& camera,
                                              const frame::RenderSettings& settings,
                                              const std::vector<std::string>& hidden,
                                              const BusBenchConfig& config) {
    std::vector<BusContender> contenders;
    for (const u32 bytes : config.treelet_bytes) {
        contenders.push_back({{.variant = {"keyed", bytes}}, {}});
        contenders.push_back({{.variant = {"unkeyed", bytes}}, {}});
    }
    const auto render = [&](BusContender& contender) -> base::Status {
        auto renderer = frame::Renderer::prepare(
            scene, camera, bus_settings_of(settings, contender.row.variant), hidden);
        WEFT_TRY(renderer);
        return add_bus_frame(*renderer.value(), contender);
    };
    return interleaved_rows(std::move(contenders), config, render);
}

}  // namespace weft::bench
