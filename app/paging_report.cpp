#include "app/paging_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/bar_panels.h"
#include "app/comparison_json.h"
#include "scheduler/base/size_text.h"

namespace weft::app {

namespace {

// "256K", or "64K:256K" where pages of records have another size.
std::string sizes_text(const bench::PageSizes& sizes) {
    const std::string tree = base::size_text(sizes.tree_bytes);
    return sizes.tree_bytes == sizes.record_bytes
               ? tree
               : tree + ":" + base::size_text(sizes.record_bytes);
}

// "keyed, in memory", "keyed, 1/4, 256K", "unkeyed, 1/4, 256K, 16 ahead".
std::string variant_text(const bench::PagingVariant& variant) {
    if (variant.divisor == 0) {
        return variant.scheduler + ", in memory";
    }
    std::string text = fmt::format(
        "{}, {}, {}", variant.scheduler, budget_text(variant), sizes_text(variant.sizes));
    return variant.reads_ahead == 0 ? text : fmt::format("{}, {} ahead", text, variant.reads_ahead);
}

constexpr double kMebi = 1.0 / (1 << 20);

// Of the rows of a scheduler and a budget the one with the fewest bytes, or the least seconds; of
// one size of pages, or (null) of any. Rows whose budget is more than their part do not compare.
// Null: there is none.
using Figure = double (*)(const bench::PagingRow& row);

double bytes_of(const bench::PagingRow& row) {
    return row.bytes_per_ray();
}

double seconds_of(const bench::PagingRow& row) {
    return row.seconds.median;
}

struct Wanted {
    const char* scheduler;
    u32 divisor;
    const bench::PageSizes* maybe_sizes;
};

const bench::PagingRow* least_row(const std::vector<bench::PagingRow>& rows,
                                  const Wanted& wanted,
                                  Figure figure) {
    const bench::PagingRow* least = nullptr;
    for (const bench::PagingRow& row : rows) {
        const bench::PagingVariant& variant = row.variant;
        const bool is_wanted = variant.scheduler == wanted.scheduler &&
                               variant.divisor == wanted.divisor && !row.has_more_than_its_part() &&
                               (!wanted.maybe_sizes || *wanted.maybe_sizes == variant.sizes);
        if (is_wanted && (!least || figure(row) < figure(*least))) {
            least = &row;
        }
    }
    return least;
}

// What keys are worth at one budget with pages of one size, or (null) each at the sizes and reads
// ahead that suit it best; empty where a row is missing.
std::string ratio_line(const std::vector<bench::PagingRow>& rows,
                       u32 divisor,
                       const bench::PageSizes* maybe_sizes) {
    const Wanted wants_keyed = {"keyed", divisor, maybe_sizes};
    const Wanted wants_unkeyed = {"unkeyed", divisor, maybe_sizes};
    const bench::PagingRow* const memory = least_row(rows, {"keyed", 0, nullptr}, seconds_of);
    const bench::PagingRow* const keyed = least_row(rows, wants_keyed, bytes_of);
    const bench::PagingRow* const unkeyed = least_row(rows, wants_unkeyed, bytes_of);
    if (!memory || !keyed) {
        return {};
    }
    const double keyed_s = seconds_of(*least_row(rows, wants_keyed, seconds_of));
    std::string text =
        fmt::format("  {}, {}: ",
                    budget_text(keyed->variant),
                    maybe_sizes ? "pages of " + sizes_text(*maybe_sizes) : "each at its best");
    if (unkeyed && keyed->bytes_per_ray() > 0) {
        const bench::PagingRow* const quickest = least_row(rows, wants_unkeyed, seconds_of);
        text += fmt::format(
            "unkeyed reads {:.1f} times the bytes and takes {:.1f} times as long as keyed; ",
            unkeyed->bytes_per_ray() / keyed->bytes_per_ray(),
            seconds_of(*quickest) / keyed_s);
    }
    return text + fmt::format("keyed takes {:.2f} times as long as in memory\n",
                              keyed_s / memory->seconds.median);
}

// Lines for all sizes of pages, then for each side at its best.
std::string ratio_lines(const std::vector<bench::PagingRow>& rows) {
    std::string text;
    std::vector<u32> divisors;
    for (const bench::PagingRow& row : rows) {
        const bench::PagingVariant& variant = row.variant;
        if (variant.divisor != 0 && variant.scheduler == "keyed") {
            text += ratio_line(rows, variant.divisor, &variant.sizes);
            if (std::find(divisors.begin(), divisors.end(), variant.divisor) == divisors.end()) {
                divisors.push_back(variant.divisor);
            }
        }
    }
    for (const u32 divisor : divisors) {
        text += ratio_line(rows, divisor, nullptr);
    }
    return text;
}

}  // namespace

std::string budget_text(const bench::PagingVariant& variant) {
    return variant.budget_bytes != 0 ? base::size_text(variant.budget_bytes)
                                     : fmt::format("1/{}", variant.divisor);
}

std::string paging_table(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows) {
    std::string text = fmt::format(
        "{}: {} triangles; {}, {}, {} threads; {}x{}, {} interleaved repeats\n"
        "  {:<32} {:>10} {:>8} {:>24} {:>9} {:>10} {:>20}\n",
        figures.scene,
        figures.triangles,
        figures.processor,
        figures.isa,
        figures.threads,
        figures.width,
        figures.height,
        rows.empty() ? 0 : rows.front().repeats,
        "scheduler, budget, pages",
        "pages MiB",
        "reads",
        "MiB read (min to max)",
        "bytes/ray",
        "waits/ray",
        "seconds (min to max)");
    for (const bench::PagingRow& row : rows) {
        text += fmt::format(
            "  {:<32} {:>10} {:>8} {:>8.0f} ({:>5.0f} to {:>5.0f}) {:>9.1f} {:>10.2f} {:>8.2f} "
            "({:>5.2f} to {:>5.2f})  {}{}{}\n",
            variant_text(row.variant),
            row.budget_bytes >> 20,
            row.reads,
            row.bytes_read().median * kMebi,
            row.bytes_read().min * kMebi,
            row.bytes_read().max * kMebi,
            row.bytes_per_ray(),
            static_cast<double>(row.rays_waited) / static_cast<double>(std::max<u64>(row.rays, 1)),
            row.seconds.median,
            row.seconds.min,
            row.seconds.max,
            row.film_hash.substr(0, 16),
            row.is_repeatable ? "" : " (repeats differ)",
            row.has_more_than_its_part() ? " (the least budget that works)" : "");
    }
    return text + ratio_lines(rows);
}

std::string paging_json(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows) {
    using nlohmann::json;
    json all = json::array();
    for (const bench::PagingRow& row : rows) {
        all.push_back({{"scheduler", row.variant.scheduler},
                       {"divisor", row.variant.divisor},
                       {"tree_page_bytes", row.variant.sizes.tree_bytes},
                       {"record_page_bytes", row.variant.sizes.record_bytes},
                       {"reads_ahead", row.variant.reads_ahead},
                       {"budget_bytes", row.budget_bytes},
                       {"page_bytes", row.page_bytes},
                       {"resident_bytes", row.resident_bytes},
                       {"rays", row.rays},
                       {"reads", row.reads},
                       {"bytes_read", spread_json(row.bytes_read())},
                       {"bytes_per_ray", row.bytes_per_ray()},
                       {"rays_waited", row.rays_waited},
                       {"repeats", row.repeats},
                       {"seconds", spread_json(row.seconds)},
                       {"film_hash", row.film_hash},
                       {"is_repeatable", row.is_repeatable}});
    }
    return comparison_json(figures, "paging", all);
}

std::string paging_chart(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows) {
    std::vector<BarRow> bars;
    for (const bench::PagingRow& row : rows) {
        bars.push_back({variant_text(row.variant),
                        row.variant.scheduler == "keyed" ? "#d9772b" : "#5b8db8",
                        {row.bytes_per_ray(), row.seconds.median},
                        {fmt::format("{:.0f}", row.bytes_per_ray()),
                         fmt::format("{:.2f}", row.seconds.median)}});
    }
    return bar_panels(figures.scene + ": a tree of which a part is in memory",
                      {"bytes read per ray", "seconds"},
                      bars);
}

}  // namespace weft::app
