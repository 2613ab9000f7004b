// summary_chart.cpp — the chart of bench_summary.h: two panels of dots, a row per scene.
//
// Both horizontal axes show ratios on a log2 scale. Keyed fibres win to the right of the grey band
// and lose to the left of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "app/bench_summary.h"
#include "app/svg.h"

namespace weft::app {

namespace {

// Positions in pixels.
constexpr double kBesideNames = 1004;  // width of everything but the names
constexpr double kLetter = 7;          // mean width of a letter of a name
constexpr double kSize = 56;           // width of a count of triangles
constexpr double kRowsTop = 92;
constexpr double kRow = 30;
constexpr double kBelow = 50;

struct Panel {
    double left;
    double right;
    double low;  // ratios at both ends of the axis
    double high;

    [[nodiscard]] double at(double ratio) const {
        const double share = std::log2(std::clamp(ratio, low, high) / low) / std::log2(high / low);
        return left + share * (right - left);
    }
};

struct SummarySeries {
    const char* name;
    const char* colour;
};

// In the order of kAllRayClasses. People with red-green blindness can tell the colours apart.
constexpr std::array<SummarySeries, bench::kRayClasses> kClasses = {{{"primary", "#000000"},
                                                                     {"shadow", "#e69f00"},
                                                                     {"ambient", "#56b4e9"},
                                                                     {"diffuse 1", "#009e73"},
                                                                     {"diffuse 2", "#f0e442"},
                                                                     {"diffuse 3+", "#d55e00"},
                                                                     {"specular", "#cc79a7"}}};

constexpr std::array<SummarySeries, 3> kImages = {
    {{"unkeyed", "#5b8db8"}, {"Embree, gathered", "#3f4a54"}, {"Embree, conventional", "#e3b7a0"}}};

using Ratios = std::vector<double>;  // one per series; 0: not measured

Ratios class_ratios(const SceneSummary& scene) {
    Ratios ratios;
    for (const std::optional<ClassSummary>& one : scene.classes) {
        ratios.push_back(one ? one->honest : 0);
    }
    return ratios;
}

Ratios image_ratios(const SceneSummary& scene) {
    Ratios ratios;
    for (const double seconds : {scene.unkeyed_s, scene.embree_s, scene.conventional_s}) {
        ratios.push_back(scene.keyed_s > 0 ? seconds / scene.keyed_s : 0);
    }
    return ratios;
}

// Extends the axis by powers of two until it holds all ratios; it always holds [0.5, 2].
void fit(Panel& panel, const std::vector<Ratios>& rows) {
    for (const Ratios& row : rows) {
        for (const double ratio : row) {
            while (ratio > 0 && ratio < panel.low) {
                panel.low /= 2;
            }
            while (ratio > panel.high) {
                panel.high *= 2;
            }
        }
    }
}

std::string grid(const Panel& panel, double bottom) {
    std::string text = svg_bar(panel.left,
                               kRowsTop - 6,
                               panel.at(kTie) - panel.left,
                               bottom - kRowsTop + 6,
                               "#fbeeee") +
                       svg_bar(panel.at(kTie),
                               kRowsTop - 6,
                               panel.at(1 / kTie) - panel.at(kTie),
                               bottom - kRowsTop + 6,
                               "#e4e4e4");
    for (double ratio = panel.low; ratio <= panel.high; ratio *= 2) {
        for (const double line : {ratio, ratio * std::sqrt(2.0)}) {
            if (line <= panel.high) {
                const double x = panel.at(line);
                text += svg_line(x, kRowsTop - 6, x, bottom, line == 1 ? "#888" : "#ddd");
                text += svg_text(x, bottom + 16, "middle", fmt::format("{:.2g}", line));
            }
        }
    }
    text += svg_text(panel.left + 4, kRowsTop - 12, "start", "keyed loses");
    return text + svg_text(panel.right - 4, kRowsTop - 12, "end", "keyed leads");
}

// Draws the dots of a row below each other, so that equal ratios do not hide each other.
template <std::size_t kCount>
std::string dots(const Panel& panel,
                 const std::array<SummarySeries, kCount>& series,
                 const std::vector<Ratios>& rows) {
    std::string text;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const double top = kRowsTop + static_cast<double>(row) * kRow;
        for (std::size_t k = 0; k < kCount; ++k) {
            const double y = top + (static_cast<double>(k) + 1) * kRow / (kCount + 1);
            if (rows[row][k] > 0) {
                text += svg_dot(panel.at(rows[row][k]), y, 4, series[k].colour);
            }
        }
    }
    return text;
}

template <std::size_t kCount>
std::string legend(double x, double y, const std::array<SummarySeries, kCount>& series) {
    std::string text;
    for (const SummarySeries& one : series) {
        text += svg_dot(x + 5, y - 4, 4, one.colour) + svg_text(x + 14, y, "start", one.name);
        x += 30 + 6.5 * static_cast<double>(std::string_view(one.name).size());
    }
    return text;
}

std::string size_of(u64 triangles) {
    const auto count = static_cast<double>(triangles);
    return count >= 1e6   ? fmt::format("{:.3g} M", count * 1e-6)
           : count >= 1e3 ? fmt::format("{:.3g} k", count * 1e-3)
                          : fmt::format("{}", triangles);
}

// Where the column of names and counts of triangles ends: the longest name sets its width.
double edge_of_names(const std::vector<SceneSummary>& scenes) {
    std::size_t longest = std::string_view("scene, triangles").size();
    for (const SceneSummary& scene : scenes) {
        longest = std::max(longest, scene.name.size());
    }
    return 8 + kLetter * static_cast<double>(longest) + 8 + kSize + 8;
}

std::string names(const std::vector<SceneSummary>& scenes, double edge, double right) {
    std::string text;
    for (std::size_t row = 0; row < scenes.size(); ++row) {
        const double y = kRowsTop + static_cast<double>(row) * kRow;
        text += svg_line(8, y + kRow, right, y + kRow, "#eee");
        text += svg_text(8, y + 19, "start", scenes[row].name);
        text += svg_text(edge - 8, y + 19, "end", size_of(scenes[row].triangles));
    }
    return text;
}

}  // namespace

std::string summary_chart(const std::vector<SceneSummary>& scenes) {
    std::vector<Ratios> classes;
    std::vector<Ratios> images;
    for (const SceneSummary& scene : scenes) {
        classes.push_back(class_ratios(scene));
        images.push_back(image_ratios(scene));
    }
    const double edge = edge_of_names(scenes);
    const double width = edge + kBesideNames;
    Panel rays{edge, edge + 544, 0.5, 2};
    Panel whole{edge + 584, width - 20, 0.5, 2};
    fit(rays, classes);
    fit(whole, images);
    const double bottom = kRowsTop + kRow * static_cast<double>(scenes.size());
    std::string text = svg_begin(width, bottom + kBelow);
    text += svg_text(rays.left,
                     22,
                     "start",
                     "Rays per second, keyed fibres (K2) / the best of U1, U2 and Embree's calls");
    text += legend(rays.left, 46, kClasses);
    text += svg_text(whole.left, 22, "start", "Whole images, seconds of another mode / of keyed");
    text += legend(whole.left, 46, kImages);
    text += grid(rays, bottom) + grid(whole, bottom) + names(scenes, edge, width - 20);
    text += dots(rays, kClasses, classes) + dots(whole, kImages, images);
    text += svg_text(8, 46, "start", "scene, triangles");
    const double below = bottom + 36;
    text += svg_text(rays.left, below, "start", "rate of K2 / best rate of the others");
    text += svg_text(whole.left, below, "start", "seconds / seconds of keyed");
    text += svg_text(rays.right, below, "end", "medians; grey: within 5 %, a tie");
    return text + svg_end();
}

}  // namespace weft::app
