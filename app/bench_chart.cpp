#include "app/bench_chart.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

#include "app/svg.h"

namespace weft::app {

namespace {

// Positions in pixels.
constexpr double kWidth = 1180;
constexpr double kHeight = 470;
constexpr double kLeft = 56;
constexpr double kTop = 74;
constexpr double kBottom = 400;
constexpr double kRaysRight = 700;
constexpr double kImagesLeft = 900;
constexpr double kImagesRight = 1100;

struct Series {
    const char* variant;  // empty: Embree's fastest call
    const char* name;
    const char* colour;
};

constexpr std::array<Series, 4> kSeries = {{{"U1", "U1: one ray at a time", "#9aa5b1"},
                                            {"U2", "U2: unkeyed", "#5b8db8"},
                                            {"K2", "K2: keyed", "#d9772b"},
                                            {"", "E: Embree's best call", "#3f4a54"}}};

const bench::VariantRow* best_of_embree(const bench::ClassRows& rows) {
    const bench::VariantRow* best = nullptr;
    for (const bench::VariantRow& row : rows.variants) {
        const bool is_better = !best || row.mrays_per_s.median > best->mrays_per_s.median;
        best = row.variant[0] == 'E' && is_better ? &row : best;
    }
    return best;
}

const bench::VariantRow* row_of(const bench::ClassRows& rows, const Series& series) {
    if (series.variant[0] == '\0') {
        return best_of_embree(rows);
    }
    const auto row = std::find_if(rows.variants.begin(), rows.variants.end(), [&](const auto& one) {
        return one.variant == series.variant;
    });
    return row == rows.variants.end() ? nullptr : &*row;
}

std::vector<const bench::ClassRows*> measured(const BenchFigures& figures) {
    std::vector<const bench::ClassRows*> rows;
    for (const bench::ClassRows& one : figures.rays) {
        if (best_of_embree(one)) {
            rows.push_back(&one);
        }
    }
    return rows;
}

double embree_rate(const bench::ClassRows& rows) {
    const bench::VariantRow* const best = best_of_embree(rows);
    return best ? best->mrays_per_s.median : 1;
}

// Top of the vertical axis, relative to Embree's rate: at least 1.5, and above every whisker.
double top_share(const std::vector<const bench::ClassRows*>& classes) {
    double top = 1.5;
    for (const bench::ClassRows* const rows : classes) {
        for (const Series& series : kSeries) {
            if (const bench::VariantRow* const row = row_of(*rows, series)) {
                const double share = row->mrays_per_s.max / embree_rate(*rows);
                top = std::max(top, share * 1.05);
            }
        }
    }
    return top;
}

std::string group_of(const bench::ClassRows& rows, double x, double width, double top) {
    std::string text;
    const double scale = (kBottom - kTop) / top;
    const double unit = embree_rate(rows);
    const double step = width * 0.8 / kSeries.size();
    double at = x + width * 0.1;
    for (const Series& series : kSeries) {
        if (const bench::VariantRow* const row = row_of(rows, series)) {
            const auto height = [&](double rate) { return rate / unit * scale; };
            const bench::Spread& rate = row->mrays_per_s;
            const double y = kBottom - height(rate.median);
            text += svg_bar(at, y, step * 0.88, kBottom - y, series.colour);
            const double middle = at + step * 0.44;
            text += svg_line(
                middle, kBottom - height(rate.min), middle, kBottom - height(rate.max), "#111");
        }
        at += step;
    }
    const double middle = x + width / 2;
    text += svg_text(
        middle, kBottom + 18, "middle", std::string(bench::ray_class_name(rows.ray_class)));
    return text + svg_text(middle, kBottom + 34, "middle", fmt::format("E {:.1f} Mray/s", unit));
}

std::string rays_panel(const BenchFigures& figures) {
    const std::vector<const bench::ClassRows*> classes = measured(figures);
    if (classes.empty()) {
        return {};
    }
    const double top = top_share(classes);
    std::string text =
        svg_text(kLeft, kTop - 30, "start", "rays per second, as a share of Embree's best call");
    for (double share = 0; share <= top; share += 0.5) {
        const double y = kBottom - share * (kBottom - kTop) / top;
        text += svg_line(kLeft, y, kRaysRight, y, share == 1 ? "#888" : "#ddd");
        text += svg_text(kLeft - 6, y + 4, "end", fmt::format("{:.1f}", share));
    }
    const double width = (kRaysRight - kLeft) / static_cast<double>(classes.size());
    for (std::size_t k = 0; k < classes.size(); ++k) {
        text += group_of(*classes[k], kLeft + static_cast<double>(k) * width, width, top);
    }
    double x = kLeft;
    for (const Series& series : kSeries) {
        text += svg_bar(x, kBottom + 48, 11, 11, series.colour);
        text += svg_text(x + 16, kBottom + 58, "start", series.name);
        x += 160;
    }
    return text;
}

std::string images_panel(const BenchFigures& figures) {
    if (figures.images.empty()) {
        return {};
    }
    double top = 0;
    for (const bench::ImageRow& row : figures.images) {
        top = std::max(top, row.msamples_per_s);
    }
    std::string text =
        svg_text(kRaysRight + 40,
                 kTop - 30,
                 "start",
                 fmt::format("whole images, Msamples/s on {} threads", figures.threads));
    const double step =
        (kBottom - kTop) / static_cast<double>(std::max<std::size_t>(figures.images.size(), 5));
    for (std::size_t k = 0; k < figures.images.size(); ++k) {
        const bench::ImageRow& row = figures.images[k];
        const double y = kTop + static_cast<double>(k) * step;
        const double width =
            row.msamples_per_s / std::max(top, 1e-9) * (kImagesRight - kImagesLeft);
        const char* const colour = row.variant.scheduler == "embree"  ? kSeries[3].colour
                                   : row.variant.scheduler == "keyed" ? kSeries[2].colour
                                                                      : kSeries[1].colour;
        const std::string& detail =
            row.variant.scheduler == "embree" ? row.variant.shading : row.variant.policy;
        text += svg_bar(kImagesLeft, y, width, step * 0.7, colour);
        text +=
            svg_text(kImagesLeft - 8, y + step * 0.5, "end", row.variant.scheduler + ", " + detail);
        text += svg_text(kImagesLeft + width + 6,
                         y + step * 0.5,
                         "start",
                         fmt::format("{:.2f}", row.msamples_per_s));
    }
    return text;
}

}  // namespace

std::string chart_of(const BenchFigures& figures) {
    std::string text = svg_begin(kWidth, kHeight);
    text += svg_text(kLeft,
                     22,
                     "start",
                     fmt::format("{}: {} triangles, {}, {}",
                                 figures.scene,
                                 figures.triangles,
                                 figures.processor,
                                 figures.isa));
    text += rays_panel(figures);
    text += images_panel(figures);
    return text + svg_end();
}

}  // namespace weft::app
