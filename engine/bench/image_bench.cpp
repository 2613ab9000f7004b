#include "engine/bench/image_bench.h"

#include <algorithm>
#include <memory>
#include <sys/resource.h>

#include "scheduler/base/clock.h"

namespace weft::bench {

namespace {

struct Image {
    PlainImage figures;
    u32 spp = 0;
};

struct ImageContender {
    ImageVariant variant;
    std::vector<Image> images;
    bool is_other_policy = false;
};

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Processor time of all threads of this process.
double process_seconds() {
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

fibre::Policy policy_named(const std::string& name) {
    for (const fibre::Policy policy : {fibre::Policy::DepthFirst,
                                       fibre::Policy::Fullest,
                                       fibre::Policy::Oldest,
                                       fibre::Policy::Priority}) {
        if (fibre::policy_name(policy) == name) {
            return policy;
        }
    }
    return name == "balanced" ? fibre::Policy::Balanced : fibre::Policy::DepthFirst;
}

frame::RenderSettings settings_of(const BenchScene& scene, const ImageVariant& variant) {
    frame::RenderSettings settings = scene.settings;
    settings.integrator.mode = variant.scheduler == "unkeyed"  ? trace::SchedulerMode::Unkeyed
                               : variant.scheduler == "embree" ? trace::SchedulerMode::Embree
                                                               : trace::SchedulerMode::Keyed;
    settings.integrator.policies.closest = policy_named(variant.policy);
    settings.integrator.policies.shadow = settings.integrator.policies.closest;
    settings.integrator.traversal = variant.policy == "sets"    ? trace::KeyedTraversal::Sets
                                    : variant.policy == "nodes" ? trace::KeyedTraversal::Nodes
                                                                : settings.integrator.traversal;
    return settings;
}

template <typename T>
std::shared_ptr<const T> borrowed(const T& lent) {
    return {std::shared_ptr<void>(), &lent};
}

// The shared tables and trees as a prepared scene, so that no variant builds its own.
frame::PreparedScene shared_scene(const BenchScene& scene, const accel::EmbreeReference& embree) {
    frame::PreparedScene shared;
    shared.scene = borrowed(*scene.scene);
    shared.drawn = borrowed(scene.drawn);
    shared.tables = borrowed(scene.tables);
    shared.acceleration = borrowed(scene.acceleration);
    shared.embree = borrowed(embree);
    return shared;
}

base::Result<Image> render_frame(const BenchScene& scene,
                                 const accel::EmbreeReference& embree,
                                 const scene::Camera& camera,
                                 const ImageVariant& variant) {
    auto prepared =
        frame::Renderer::prepare(shared_scene(scene, embree), camera, settings_of(scene, variant));
    WEFT_TRY(prepared);
    frame::Renderer& renderer = *prepared.value();
    const double begin = process_seconds();
    const base::Status rendered = renderer.render({});
    WEFT_TRY(rendered);
    const trace::IntegratorCounters& counted = renderer.figures().integrator;
    Image image;
    image.figures.cpu_seconds = process_seconds() - begin;
    image.figures.seconds = renderer.figures().render_s;
    image.figures.rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    image.figures.film_hash = renderer.film().film_hash();
    image.spp = renderer.figures().samples_per_pixel;
    return image;
}

std::vector<ImageContender> contenders_of(bool has_policies) {
    std::vector<ImageContender> contenders;
    for (const char* const scheduler : {"keyed", "unkeyed", "embree"}) {
        contenders.push_back({{scheduler, "depth_first", "gathered"}, {}, false});
    }
    contenders.push_back({{"embree", "none", "path by path"}, {}, false});
    contenders.push_back({{"embree", "none", "lockstep"}, {}, false});
    if (has_policies) {
        for (const char* const policy :
             {"sets", "nodes", "fullest", "oldest", "priority", "balanced"}) {
            contenders.push_back({{"keyed", policy, "gathered"}, {}, true});
        }
    }
    return contenders;
}

base::Result<Image> render_variant(const BenchScene& scene,
                                   const accel::EmbreeReference& embree,
                                   const scene::Camera& camera,
                                   const ImageVariant& variant) {
    if (variant.shading == "gathered") {
        return render_frame(scene, embree, camera, variant);
    }
    const u32 path_count = variant.shading == "lockstep" ? scene.shade->lane_count : 1;
    const base::Result<PlainImage> image = render_plain(scene, &embree, path_count);
    WEFT_TRY(image);
    return Image{image.value(), scene.settings.samples_per_pixel};
}

ImageRow row_of(const BenchScene& scene, const ImageContender& contender) {
    ImageRow row;
    row.variant = contender.variant;
    row.threads = scene.settings.thread_count;
    row.repeats = static_cast<u32>(contender.images.size());
    std::vector<double> seconds;
    std::vector<double> cpu_seconds;
    for (const Image& image : contender.images) {
        seconds.push_back(image.figures.seconds);
        cpu_seconds.push_back(image.figures.cpu_seconds);
        row.is_repeatable = row.is_repeatable &&
                            image.figures.film_hash == contender.images.front().figures.film_hash;
    }
    row.seconds = Spread::of(std::move(seconds));
    row.cpu_seconds = Spread::of(std::move(cpu_seconds));
    row.spp = contender.images.front().spp;
    row.rays = contender.images.front().figures.rays;
    row.film_hash = contender.images.front().figures.film_hash;
    const film::Region crop = scene.crop();
    const double samples = static_cast<double>(u64{crop.width()} * crop.height()) * row.spp;
    const double median = std::max(row.seconds.median, 1e-9);
    row.msamples_per_s = samples / median * 1e-6;
    row.mrays_per_s = static_cast<double>(row.rays) / median * 1e-6;
    return row;
}

}  // namespace

base::Result<std::vector<ImageRow>> compare_images(const BenchScene& scene,
                                                   const accel::EmbreeReference& embree,
                                                   const scene::Camera& camera,
                                                   const ImageBenchConfig& config) {
    std::vector<ImageContender> contenders = contenders_of(config.policy_repeats > 0);
    const base::Clock::time_point begin = base::Clock::now();
    const auto spent_s = [&] { return base::seconds_since(begin); };
    bool is_stopped = false;
    for (u32 repeat = 0; repeat < config.repeats && !is_stopped; ++repeat) {
        if (repeat != 0 && spent_s() >= config.time_limit_s) {
            break;
        }
        for (ImageContender& contender : contenders) {
            is_stopped = is_stopped || (config.is_stopped && config.is_stopped());
            if (is_stopped) {
                break;
            }
            if (contender.is_other_policy && repeat >= config.policy_repeats) {
                continue;
            }
            if (config.on_image) {
                config.on_image(contender.variant, repeat);
            }
            base::Result<Image> image = render_variant(scene, embree, camera, contender.variant);
            WEFT_TRY(image);
            contender.images.push_back(std::move(image.value()));
        }
    }
    std::vector<ImageRow> rows;
    for (const ImageContender& contender : contenders) {
        if (!contender.images.empty()) {
            rows.push_back(row_of(scene, contender));
        }
    }
    return rows;
}

}  // namespace weft::bench
