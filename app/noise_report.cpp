#include "app/noise_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/bar_panels.h"
#include "app/comparison_json.h"

namespace weft::app {

namespace {

using bench::NoiseFilter;
using bench::NoiseRow;
using bench::NoiseVariant;

const char* filter_text(NoiseFilter filter) {
    switch (filter) {
        case NoiseFilter::Fast:
            return "fast";
        case NoiseFilter::Quality:
            return "quality";
        case NoiseFilter::None:
            break;
    }
    return "none";
}

// "64", "64, denoised (fast)", "64, lights by power", "up to 1024, until 0.05".
std::string noise_variant_text(const NoiseVariant& variant) {
    if (variant.noise_threshold > 0) {
        return fmt::format("up to {}, until {:g}", variant.samples, variant.noise_threshold);
    }
    std::string text = fmt::format("{}", variant.samples);
    if (variant.filter != NoiseFilter::None) {
        text += fmt::format(", denoised ({})", filter_text(variant.filter));
    }
    return variant.light_choice == trace::LightChoice::Power ? text + ", lights by power" : text;
}

// The renderer's own picture with as many samples, or (0) with the most; null: there is none.
const NoiseRow* plain_row(const std::vector<NoiseRow>& rows, u32 samples) {
    const NoiseRow* found = nullptr;
    for (const NoiseRow& row : rows) {
        const bool is_wanted =
            row.variant.is_plain() &&
            (samples == 0 ? !found || row.variant.samples > found->variant.samples
                          : row.variant.samples == samples);
        found = is_wanted ? &row : found;
    }
    return found;
}

// How long `slow` takes for the error that `row` has; errors of means fall as time rises.
double times_at_equal_error(double slow_error,
                            const NoiseRow& slow,
                            double error,
                            const NoiseRow& row) {
    return slow_error * slow.seconds.median / (error * row.seconds.median);
}

// What the row is worth beside the renderer's own picture; empty where nothing compares.
std::string worth_line(const std::vector<NoiseRow>& rows, const NoiseRow& row) {
    const NoiseVariant& variant = row.variant;
    const NoiseRow* const plain =
        plain_row(rows, variant.noise_threshold > 0 ? 0 : variant.samples);
    if (!plain || variant.is_plain() || row.relmse == 0 || plain->relmse == 0 || plain->flip == 0 ||
        row.worst_block == 0) {
        return {};
    }
    const std::string name = "  " + noise_variant_text(variant) + ": ";
    if (variant.noise_threshold > 0) {
        const double square = plain->worst_block * plain->worst_block;
        return name +
               fmt::format(
                   "uniform samples take {:.1f} times as long for its largest error "
                   "of a block\n",
                   times_at_equal_error(square, *plain, row.worst_block * row.worst_block, row));
    }
    if (variant.light_choice == trace::LightChoice::Power) {
        return name + fmt::format("{:.2f} times the time of the light tree for the same relmse\n",
                                  times_at_equal_error(row.relmse, row, plain->relmse, *plain));
    }
    return name + fmt::format("FLIP {:.2f}, relmse {:.2f} of the noisy picture's\n",
                              row.flip / plain->flip,
                              row.relmse / plain->relmse);
}

}  // namespace

std::string noise_table(const BenchFigures& figures,
                        u32 reference_samples,
                        const std::vector<NoiseRow>& rows) {
    std::string text = fmt::format(
        "{}: {} triangles; {}, {}, {} threads; {}x{}, {} interleaved repeats, against {} samples "
        "of another seed\n"
        "  {:<26} {:>9} {:>9} {:>9} {:>12} {:>20}\n",
        figures.scene,
        figures.triangles,
        figures.processor,
        figures.isa,
        figures.threads,
        figures.width,
        figures.height,
        rows.empty() ? 0 : rows.front().repeats,
        reference_samples,
        "samples",
        "mean",
        "FLIP",
        "relmse",
        "worst block",
        "seconds (min to max)");
    for (const NoiseRow& row : rows) {
        text += fmt::format(
            "  {:<26} {:>9.1f} {:>9.4f} {:>9.4g} {:>12.4f} {:>8.2f} ({:>5.2f} to {:>5.2f})  {}{}\n",
            noise_variant_text(row.variant),
            row.mean_samples,
            row.flip,
            row.relmse,
            row.worst_block,
            row.seconds.median,
            row.seconds.min,
            row.seconds.max,
            row.film_hash.substr(0, 16),
            row.is_repeatable ? "" : " (repeats differ)");
    }
    for (const NoiseRow& row : rows) {
        text += worth_line(rows, row);
    }
    return text;
}

std::string noise_json(const BenchFigures& figures, const std::vector<NoiseRow>& rows) {
    using nlohmann::json;
    json all = json::array();
    for (const NoiseRow& row : rows) {
        const bool is_by_power = row.variant.light_choice == trace::LightChoice::Power;
        all.push_back({{"samples", row.variant.samples},
                       {"noise_threshold", row.variant.noise_threshold},
                       {"light_choice", is_by_power ? "power" : "tree"},
                       {"denoised", filter_text(row.variant.filter)},
                       {"mean_samples", row.mean_samples},
                       {"relmse", row.relmse},
                       {"flip", row.flip},
                       {"worst_block", row.worst_block},
                       {"repeats", row.repeats},
                       {"seconds", spread_json(row.seconds)},
                       {"film_hash", row.film_hash},
                       {"is_repeatable", row.is_repeatable}});
    }
    return comparison_json(figures, "noise", all);
}

std::string noise_chart(const BenchFigures& figures, const std::vector<NoiseRow>& rows) {
    std::vector<BarRow> bars;
    for (const NoiseRow& row : rows) {
        bars.push_back(
            {noise_variant_text(row.variant),
             row.variant.is_plain() ? "#5b8db8" : "#d9772b",
             {row.flip, row.seconds.median},
             {fmt::format("{:.4f}", row.flip), fmt::format("{:.2f}", row.seconds.median)}});
    }
    return bar_panels(figures.scene + ": how far from a clean picture", {"FLIP", "seconds"}, bars);
}

}  // namespace weft::app
