#include "engine/bench/paging_bench.h"

#include <algorithm>

#include "engine/bench/interleaved.h"

namespace weft::bench {

namespace {

using PagingContender = FrameContender<PagingRow>;

// A frame's settings: the pages of a tree that fits wholly have the whole budget.
frame::RenderSettings settings_of(const frame::RenderSettings& usual,
                                  const PagingVariant& variant,
                                  const pages::PageFigures& whole) {
    frame::RenderSettings settings = usual;
    settings.integrator.mode = variant.scheduler == "unkeyed" ? trace::SchedulerMode::Unkeyed
                                                              : trace::SchedulerMode::Keyed;
    if (variant.divisor == 0) {
        settings.integrator.path_count = trace::IntegratorConfig{}.path_count;
        settings.integrator.trace_batch =
            std::min(settings.integrator.trace_batch, settings.integrator.path_count);
    }
    settings.page_bytes = variant.sizes.tree_bytes;
    settings.record_page_bytes = variant.sizes.record_bytes;
    settings.integrator.reads_ahead =
        variant.reads_ahead == 0 ? settings.integrator.reads_ahead : variant.reads_ahead;
    if (variant.divisor == 0) {
        settings.geometry_memory_bytes = 0;
    } else if (variant.budget_bytes != 0) {
        settings.geometry_memory_bytes = variant.budget_bytes;
    } else {
        settings.geometry_memory_bytes =
            whole.resident_bytes + std::max(whole.bytes / variant.divisor, whole.least_bytes);
    }
    return settings;
}

// Writes the page file of these sizes, or opens it, with room for every page.
base::Result<pages::PageFigures> open_whole(const scene::Scene& scene,
                                            const scene::Camera& camera,
                                            const frame::RenderSettings& usual,
                                            const PageSizes& sizes,
                                            const std::vector<std::string>& hidden) {
    frame::RenderSettings settings = usual;
    settings.integrator.mode = trace::SchedulerMode::Keyed;
    settings.page_bytes = sizes.tree_bytes;
    settings.record_page_bytes = sizes.record_bytes;
    settings.geometry_memory_bytes = ~u64{0} >> 1;
    auto renderer = frame::Renderer::prepare(scene, camera, settings, hidden);
    WEFT_TRY(renderer);
    return renderer.value()->page_figures().value_or(pages::PageFigures{});
}

base::Status add_frame(frame::Renderer& renderer, PagingContender& contender) {
    WEFT_TRY(renderer.render({}));
    const frame::FrameFigures& figures = renderer.figures();
    const trace::IntegratorCounters& counted = figures.integrator;
    PagingRow& row = contender.row;
    contender.seconds.push_back(figures.render_s);
    ++row.repeats;
    row.bytes_of_repeats.push_back(figures.pages ? static_cast<double>(figures.pages->bytes_read)
                                                 : 0);
    const std::string hash = renderer.film().film_hash();
    if (row.repeats > 1) {
        row.is_repeatable = row.is_repeatable && hash == row.film_hash;
        return base::Done{};
    }
    row.film_hash = hash;
    row.rays = counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
    row.rays_waited = counted.paged.rays_waited;
    if (figures.pages) {
        row.budget_bytes = figures.pages->budget_bytes;
        row.page_bytes = figures.pages->bytes;
        row.resident_bytes = figures.pages->resident_bytes;
        row.reads = figures.pages->reads;
    }
    return base::Done{};
}

// A page file, and all pages in it.
struct WholeFile {
    PageSizes sizes{};
    pages::PageFigures figures{};
};

std::vector<PagingContender> contenders_of(const PagingBenchConfig& config) {
    std::vector<PagingContender> contenders;
    const auto add = [&](const PagingVariant& variant) {
        if (config.has_control || variant.scheduler == "keyed") {
            contenders.push_back({{.variant = variant}, {}});
        }
    };
    add({.scheduler = "keyed"});
    add({.scheduler = "unkeyed"});
    const u64 budget = config.budget_bytes;
    for (const u32 divisor : budget == 0 ? config.divisors : std::vector<u32>{1}) {
        for (const PageSizes& sizes : config.sizes) {
            add({"keyed", divisor, sizes, 0, budget});
            for (const u32 reads : config.reads_ahead) {
                add({"unkeyed", divisor, sizes, reads, budget});
            }
        }
    }
    return contenders;
}

}  // namespace

base::Result<std::vector<PagingRow>> compare_paging(const scene::Scene& scene,
                                                    const scene::Camera& camera,
                                                    const frame::RenderSettings& settings,
                                                    const std::vector<std::string>& hidden,
                                                    const PagingBenchConfig& config) {
    std::vector<WholeFile> files;
    for (const PageSizes& sizes : config.sizes) {
        const auto whole = open_whole(scene, camera, settings, sizes, hidden);
        WEFT_TRY(whole);
        files.push_back({sizes, whole.value()});
    }
    const auto render = [&](PagingContender& contender) -> base::Status {
        const PagingVariant& variant = contender.row.variant;
        const auto file = std::find_if(files.begin(), files.end(), [&](const WholeFile& one) {
            return one.sizes == variant.sizes;
        });
        auto renderer = frame::Renderer::prepare(
            scene,
            camera,
            settings_of(
                settings, variant, file == files.end() ? pages::PageFigures{} : file->figures),
            hidden);
        WEFT_TRY(renderer);
        return add_frame(*renderer.value(), contender);
    };
    return interleaved_rows(contenders_of(config), config, render);
}

}  // namespace weft::bench
