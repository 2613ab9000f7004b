// reference_stage.h — a scene with tables for the reference tracer, and means over its samples.
#pragma once

#include <memory>
#include <utility>

#include "engine/trace/reference/reference_math.h"
#include "engine/trace/reference/reference_tracer.h"
#include "engine/trace/scene_tables.h"
#include "tests/engine/trace/small_scenes.h"

namespace weft::tests {

using trace::reference::Rgb;

struct StageConfig {
    u32 size = 4;  // pixels each way
    u32 max_bounces = 8;
    bool samples_lights = true;  // false: only scattered rays find lights
    bool environment_is_visible = true;
    float regularized_alpha = 0;
    trace::LightChoice light_choice = trace::LightChoice::Tree;
};

// Owns the scene and its tables.
class ReferenceStage {
public:
    ReferenceStage(scene::Scene scene, const StageConfig& config)
        : scene_(std::move(scene)), filter_(trace::make_filter_table(trace::PixelFilter::Box)) {
        trace::TablesConfig tables_config;
        tables_config.environment_is_visible = config.environment_is_visible;
        tables_config.is_regularized = config.regularized_alpha > 0;
        tables_config.light_choice = config.light_choice;
        tables_ = trace::make_scene_tables(scene_, tables_config);
        if (!config.samples_lights) {
            tables_.view.light_count = 0;
            tables_.view.environment_light = kNone;
            for (shaders::InstanceRecord& instance : tables_.instances) {
                instance.first_light = kNone;
            }
        }
        settings_.params.width = config.size;
        settings_.params.height = config.size;
        settings_.params.seed = 7;
        settings_.params.max_bounces = config.max_bounces;
        settings_.params.clamp_direct = INFINITY;
        settings_.params.clamp_indirect = INFINITY;
        settings_.params.filter_table = filter_.data();
        settings_.params.regularized_alpha = config.regularized_alpha;
        settings_.camera = trace::make_camera(scene_.cameras.front(), config.size, config.size);
    }

    [[nodiscard]] trace::ReferenceTracer tracer() const { return {tables_, settings_}; }

    // Mean radiance over all pixels and `samples` samples of each.
    [[nodiscard]] Rgb mean(u32 samples) const {
        const trace::ReferenceTracer tracer(tables_, settings_);
        Rgb sum;
        for (u32 y = 0; y < settings_.params.height; ++y) {
            for (u32 x = 0; x < settings_.params.width; ++x) {
                for (u32 i = 0; i < samples; ++i) {
                    const auto rgba = tracer.trace_sample(x, y, i);
                    sum += Rgb{rgba[0], rgba[1], rgba[2]};
                }
            }
        }
        return sum / (1.0 * samples * settings_.params.width * settings_.params.height);
    }

    [[nodiscard]] trace::SceneTables& tables() { return tables_; }

    [[nodiscard]] trace::ReferenceSettings& settings() { return settings_; }

private:
    scene::Scene scene_;
    std::vector<float> filter_;
    trace::SceneTables tables_;
    trace::ReferenceSettings settings_;
};

inline Rgb mean_of(scene::Scene scene, u32 samples, const StageConfig& config = {}) {
    return ReferenceStage(std::move(scene), config).mean(samples);
}

// Largest channel of |a − b| over the largest of b.
inline double relative_difference(Rgb a, Rgb b) {
    const Rgb difference =
        trace::reference::per_channel(a - b, [](double x) { return std::fabs(x); });
    return trace::reference::largest(difference) / trace::reference::largest(b);
}

}  // namespace weft::tests
