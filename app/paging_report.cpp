#include "app/paging_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/comparison_json.h"
#include "app/svg.h"

namespace weft::app {

namespace {

// "keyed", "keyed 1/4".
std::string variant_text(const bench::PagingVariant& variant) {
    return variant.divisor == 0 ? variant.scheduler + ", in memory"
                                : fmt::format("{}, 1/{}", variant.scheduler, variant.divisor);
}

constexpr double kMebi = 1.0 / (1 << 20);

const bench::PagingRow* row_of(const std::vector<bench::PagingRow>& rows,
                               const char* scheduler,
                               u32 divisor) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const bench::PagingRow& one) {
        return one.variant.scheduler == scheduler && one.variant.divisor == divisor;
    });
    return row == rows.end() ? nullptr : &*row;
}

// What keys are worth at one budget; empty where a row is missing.
std::string ratio_line(const std::vector<bench::PagingRow>& rows, u32 divisor) {
    const bench::PagingRow* const memory = row_of(rows, "keyed", 0);
    const bench::PagingRow* const keyed = row_of(rows, "keyed", divisor);
    const bench::PagingRow* const unkeyed = row_of(rows, "unkeyed", divisor);
    if (!memory || !keyed || !unkeyed || keyed->bytes_per_ray() == 0) {
        return {};
    }
    return fmt::format(
        "  1/{}: unkeyed reads {:.1f} times the bytes and takes {:.1f} times as long as keyed; "
        "keyed takes {:.2f} times as long as in memory\n",
        divisor,
        unkeyed->bytes_per_ray() / keyed->bytes_per_ray(),
        unkeyed->seconds.median / keyed->seconds.median,
        keyed->seconds.median / memory->seconds.median);
}

}  // namespace

std::string paging_table(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows) {
    std::string text = fmt::format(
        "{}: {} triangles; {}, {}, {} threads; {}x{}, {} interleaved repeats\n"
        "  {:<20} {:>10} {:>8} {:>24} {:>9} {:>10} {:>20}\n",
        figures.scene,
        figures.triangles,
        figures.processor,
        figures.isa,
        figures.threads,
        figures.width,
        figures.height,
        rows.empty() ? 0 : rows.front().repeats,
        "scheduler, budget",
        "pages MiB",
        "reads",
        "MiB read (min to max)",
        "bytes/ray",
        "waits/ray",
        "seconds (min to max)");
    for (const bench::PagingRow& row : rows) {
        text += fmt::format(
            "  {:<20} {:>10} {:>8} {:>8.0f} ({:>5.0f} to {:>5.0f}) {:>9.1f} {:>10.2f} {:>8.2f} "
            "({:>5.2f} to {:>5.2f})  {}{}\n",
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
            row.is_repeatable ? "" : " (repeats differ)");
    }
    for (const bench::PagingRow& row : rows) {
        if (row.variant.divisor != 0 && row.variant.scheduler == "keyed") {
            text += ratio_line(rows, row.variant.divisor);
        }
    }
    return text;
}

std::string paging_json(const BenchFigures& figures, const std::vector<bench::PagingRow>& rows) {
    using nlohmann::json;
    json all = json::array();
    for (const bench::PagingRow& row : rows) {
        all.push_back({{"scheduler", row.variant.scheduler},
                       {"divisor", row.variant.divisor},
                       {"budget_bytes", row.budget_bytes},
                       {"page_bytes", row.page_bytes},
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
    // Two panels of horizontal bars side by side; each has its own scale.
    constexpr double kWidth = 1000;
    constexpr double kRow = 30;
    constexpr double kTop = 70;
    constexpr double kBar = 260;
    constexpr double kBytesLeft = 190;
    constexpr double kSecondsLeft = 620;
    const double height = kTop + kRow * static_cast<double>(rows.size()) + 20;
    double most_bytes = 1e-9;
    double most_seconds = 1e-9;
    for (const bench::PagingRow& row : rows) {
        most_bytes = std::max(most_bytes, row.bytes_per_ray());
        most_seconds = std::max(most_seconds, row.seconds.median);
    }
    std::string svg = svg_begin(kWidth, height);
    svg += svg_text(20, 26, "start", figures.scene + ": a tree of which a part is in memory");
    svg += svg_text(kBytesLeft, 54, "start", "bytes read per ray");
    svg += svg_text(kSecondsLeft, 54, "start", "seconds");
    double y = kTop;
    for (const bench::PagingRow& row : rows) {
        const char* const colour = row.variant.scheduler == "keyed" ? "#d9772b" : "#5b8db8";
        const double bytes = row.bytes_per_ray() / most_bytes * kBar;
        const double seconds = row.seconds.median / most_seconds * kBar;
        svg += svg_text(20, y + 14, "start", variant_text(row.variant));
        svg += svg_bar(kBytesLeft, y, std::max(bytes, 0.5), kRow - 10, colour);
        svg += svg_text(
            kBytesLeft + bytes + 6, y + 14, "start", fmt::format("{:.0f}", row.bytes_per_ray()));
        svg += svg_bar(kSecondsLeft, y, std::max(seconds, 0.5), kRow - 10, colour);
        svg += svg_text(
            kSecondsLeft + seconds + 6, y + 14, "start", fmt::format("{:.2f}", row.seconds.median));
        y += kRow;
    }
    return svg + svg_end();
}

}  // namespace weft::app
