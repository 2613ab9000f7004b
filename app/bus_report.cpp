#include "app/bus_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/comparison_json.h"
#include "app/svg.h"

namespace weft::app {

namespace {

// "keyed, 8 KiB".
std::string bus_variant_text(const bench::BusVariant& variant) {
    return fmt::format("{}, {} KiB", variant.scheduler, variant.treelet_bytes >> 10);
}

// The row of this scheduler with the fewest bytes, of one size or (0) of any; null: there is none.
const bench::BusRow* least_row(const std::vector<bench::BusRow>& rows,
                               const char* scheduler,
                               u32 treelet_bytes) {
    const bench::BusRow* least = nullptr;
    for (const bench::BusRow& row : rows) {
        const bool is_wanted = row.variant.scheduler == scheduler &&
                               (treelet_bytes == 0 || row.variant.treelet_bytes == treelet_bytes);
        if (is_wanted && (!least || row.bytes_per_ray() < least->bytes_per_ray())) {
            least = &row;
        }
    }
    return least;
}

// How many times the bytes of texels; empty where keyed copies none.
std::string texel_ratio(const bench::BusRow& keyed, const bench::BusRow& unkeyed) {
    return keyed.texel_bytes == 0
               ? std::string{}
               : fmt::format(" (of texels {:.1f} times)",
                             unkeyed.texel_bytes_per_ray() / keyed.texel_bytes_per_ray());
}

// What keys are worth at one size, or (0) each at the size that suits it best; empty where a row is
// missing or nothing was copied.
std::string bus_ratio_line(const std::vector<bench::BusRow>& rows, u32 treelet_bytes) {
    const bench::BusRow* const keyed = least_row(rows, "keyed", treelet_bytes);
    const bench::BusRow* const unkeyed = least_row(rows, "unkeyed", treelet_bytes);
    if (!keyed || !unkeyed || keyed->bytes == 0) {
        return {};
    }
    return fmt::format(
        "  {}: unkeyed copies {:.1f} times the bytes of keyed{}, in {:.1f} times the modelled "
        "time\n",
        treelet_bytes == 0 ? std::string("each at its best")
                           : fmt::format("treelets of {} KiB", treelet_bytes >> 10),
        unkeyed->bytes_per_ray() / keyed->bytes_per_ray(),
        texel_ratio(*keyed, *unkeyed),
        unkeyed->modelled_ms / keyed->modelled_ms);
}

}  // namespace

std::string bus_table(const BenchFigures& figures, const std::vector<bench::BusRow>& rows) {
    std::string text = fmt::format(
        "{}: {} triangles; {}, {}, {} threads; {}x{}, {} interleaved repeats on the emulated GPU\n"
        "  {:<20} {:>10} {:>8} {:>9} {:>10} {:>11} {:>11} {:>20}\n",
        figures.scene,
        figures.triangles,
        figures.processor,
        figures.isa,
        figures.threads,
        figures.width,
        figures.height,
        rows.empty() ? 0 : rows.front().repeats,
        "scheduler, treelets",
        "copies/ray",
        "MiB",
        "bytes/ray",
        "of texels",
        "modelled ms",
        "rays/visit",
        "seconds (min to max)");
    for (const bench::BusRow& row : rows) {
        text += fmt::format(
            "  {:<20} {:>10.3f} {:>8} {:>9.1f} {:>10.1f} {:>11.2f} {:>11.1f} {:>8.2f} ({:>5.2f} to "
            "{:>5.2f})  {}{}\n",
            bus_variant_text(row.variant),
            static_cast<double>(row.transfers) / static_cast<double>(std::max<u64>(row.rays, 1)),
            (row.bytes / std::max(row.repeats, 1U)) >> 20,
            row.bytes_per_ray(),
            row.texel_bytes_per_ray(),
            row.modelled_ms,
            static_cast<double>(row.ray_visits) /
                static_cast<double>(std::max<u64>(row.kernel_calls, 1)),
            row.seconds.median,
            row.seconds.min,
            row.seconds.max,
            row.film_hash.substr(0, 16),
            row.is_repeatable ? "" : " (repeats differ)");
    }
    for (const bench::BusRow& row : rows) {
        if (row.variant.scheduler == "keyed") {
            text += bus_ratio_line(rows, row.variant.treelet_bytes);
        }
    }
    return text + bus_ratio_line(rows, 0);
}

std::string bus_json(const BenchFigures& figures, const std::vector<bench::BusRow>& rows) {
    using nlohmann::json;
    json all = json::array();
    for (const bench::BusRow& row : rows) {
        all.push_back({{"scheduler", row.variant.scheduler},
                       {"treelet_bytes", row.variant.treelet_bytes},
                       {"rays", row.rays},
                       {"transfers", row.transfers},
                       {"bytes", row.bytes},
                       {"bytes_per_ray", row.bytes_per_ray()},
                       {"texel_transfers", row.texel_transfers},
                       {"texel_bytes", row.texel_bytes},
                       {"texel_bytes_per_ray", row.texel_bytes_per_ray()},
                       {"modelled_ms", row.modelled_ms},
                       {"ray_visits", row.ray_visits},
                       {"kernel_calls", row.kernel_calls},
                       {"repeats", row.repeats},
                       {"seconds", spread_json(row.seconds)},
                       {"film_hash", row.film_hash},
                       {"is_repeatable", row.is_repeatable}});
    }
    return comparison_json(figures, "bus", all);
}

std::string bus_chart(const BenchFigures& figures, const std::vector<bench::BusRow>& rows) {
    // One panel of horizontal bars.
    constexpr double kWidth = 700;
    constexpr double kRow = 30;
    constexpr double kTop = 70;
    constexpr double kBar = 380;
    constexpr double kLeft = 190;
    double most_bytes = 1e-9;
    for (const bench::BusRow& row : rows) {
        most_bytes = std::max(most_bytes, row.bytes_per_ray());
    }
    std::string svg = svg_begin(kWidth, kTop + kRow * static_cast<double>(rows.size()) + 20);
    svg += svg_text(20, 26, "start", figures.scene + ": a tree in the memory of the emulated GPU");
    svg += svg_text(kLeft, 54, "start", "bytes copied per ray");
    double y = kTop;
    for (const bench::BusRow& row : rows) {
        const char* const colour = row.variant.scheduler == "keyed" ? "#d9772b" : "#5b8db8";
        const double bytes = row.bytes_per_ray() / most_bytes * kBar;
        svg += svg_text(20, y + 14, "start", bus_variant_text(row.variant));
        svg += svg_bar(kLeft, y, std::max(bytes, 0.5), kRow - 10, colour);
        svg += svg_text(
            kLeft + bytes + 6, y + 14, "start", fmt::format("{:.0f}", row.bytes_per_ray()));
        y += kRow;
    }
    return svg + svg_end();
}

}  // namespace weft::app
