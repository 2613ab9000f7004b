#include "app/bench_summary.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/scene/files/json_text.h"

namespace weft::app {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

base::Error no_figures(const std::string& path, const std::string& why) {
    return {base::ErrorKind::Scene,
            path + ": " + why + "; expected what `weft bench --json` writes"};
}

std::string short_name(const std::string& scene) {
    constexpr std::string_view kProcedural = "procedural:";
    return scene.starts_with(kProcedural) ? scene.substr(kProcedural.size())
                                          : fs::path(scene).stem().string();
}

// Whether a JSON row belongs to the class: "diffuse2" is class "diffuse" with bounce 2.
bool is_of(const json& row, bench::RayClass ray_class) {
    const std::string name = row.at("class");
    const std::string_view wanted = bench::ray_class_name(ray_class);
    return name == wanted ||
           (name == "diffuse" && name + row.at("bounce").dump() == std::string(wanted));
}

std::optional<ClassSummary> class_of(const json& figures, bench::RayClass ray_class) {
    ClassSummary summary;
    double u2 = 0;
    for (const json& row : figures.at("rays")) {
        if (!is_of(row, ray_class) || row.at("rays").get<u64>() < kFewRays) {
            continue;
        }
        const std::string variant = row.at("arm");
        const double rate = row.at("mrays_per_s_median");
        if (variant == "K2") {
            summary.k2_mrays = rate;
        } else if ((variant[0] == 'U' || variant[0] == 'E') && rate > summary.best_mrays) {
            summary.best_mrays = rate;
            summary.best_variant = variant;
        }
        u2 = variant == "U2" ? rate : u2;
    }
    if (!(summary.k2_mrays > 0 && summary.best_mrays > 0 && u2 > 0)) {
        return std::nullopt;
    }
    summary.key = summary.k2_mrays / u2;
    summary.honest = summary.k2_mrays / summary.best_mrays;
    return summary;
}

void take_least(double& least, double seconds) {
    least = least == 0 ? seconds : std::min(least, seconds);
}

void take_image(const json& row, SceneSummary& summary) {
    const std::string scheduler = row.at("scheduler");
    const double seconds = row.at("seconds");
    summary.image_repeats = row.at("repeats");
    if (row.at("shading") != "gathered") {
        take_least(summary.conventional_s, seconds);
    } else if (scheduler == "unkeyed") {
        summary.unkeyed_s = seconds;
    } else if (scheduler == "embree") {
        summary.embree_s = seconds;
    } else if (row.at("policy") == "depth_first") {
        summary.keyed_s = seconds;
    } else if (row.at("policy") != "sets" && row.at("policy") != "nodes") {
        take_least(summary.best_policy_s, seconds);
    }
}

SceneSummary summary_of(const json& figures) {
    SceneSummary summary;
    summary.name = short_name(figures.at("scene"));
    summary.triangles = figures.at("triangles");
    for (const bench::RayClass ray_class : bench::kAllRayClasses) {
        summary.classes[static_cast<u32>(ray_class)] = class_of(figures, ray_class);
    }
    for (const json& row : figures.at("rays")) {
        summary.ray_repeats = std::max(summary.ray_repeats, row.at("repeats").get<u32>());
    }
    for (const json& row : figures.at("images")) {
        take_image(row, summary);
    }
    if (const json prediction = figures.value("prediction", json()); !prediction.is_null()) {
        summary.embree_over_keyed = prediction.at("measured");
        summary.predicted = prediction.at("predicted");
        summary.renderer_over_embree = prediction.at("renderer_over_embree");
    }
    summary.build_s = figures.at("build_s");
    summary.embree_build_s =
        figures.at("embree_build_s").is_null() ? 0 : figures.at("embree_build_s").get<double>();
    summary.bytes_per_triangle =
        (figures.at("scene_bytes").get<double>() + figures.at("tree_bytes").get<double>()) /
        static_cast<double>(std::max<u64>(summary.triangles, 1));
    return summary;
}

base::Result<SceneSummary> read_summary(const std::string& path) {
    const base::Result<json> figures =
        scene::read_json_file(path, "what `weft bench --json` writes");
    WEFT_TRY(figures);
    try {
        return summary_of(figures.value());
    } catch (const json::exception& problem) {
        return no_figures(path, problem.what());
    }
}

std::string ratio_cell(double ratio) {
    return ratio == 0     ? std::string("–")
           : ratio < kTie ? fmt::format("**{:.2f}**", ratio)
                          : fmt::format("{:.2f}", ratio);
}

// Seconds, or a ratio that neither wins nor loses.
std::string plain_cell(double value) {
    return value == 0 ? std::string("–") : fmt::format("{:.2f}", value);
}

std::string rays_row(const SceneSummary& scene) {
    std::string text = fmt::format("| {} | {} |", scene.name, scene.triangles);
    for (const std::optional<ClassSummary>& one : scene.classes) {
        text += one ? fmt::format(" {} ({}) |", ratio_cell(one->honest), one->best_variant)
                    : std::string(" – |");
    }
    return text + '\n';
}

std::string images_row(const SceneSummary& scene) {
    const auto others = {scene.unkeyed_s, scene.embree_s, scene.conventional_s};
    double best_s = 0;
    for (const double seconds : others) {
        if (seconds > 0) {
            take_least(best_s, seconds);
        }
    }
    const bool has_both = scene.keyed_s > 0 && best_s > 0;
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {}, {} | {} | {} | {} | {:.0f} |\n",
                       scene.name,
                       plain_cell(scene.keyed_s),
                       plain_cell(scene.unkeyed_s),
                       plain_cell(scene.embree_s),
                       plain_cell(scene.conventional_s),
                       plain_cell(scene.best_policy_s),
                       has_both ? ratio_cell(best_s / scene.keyed_s) : std::string("–"),
                       plain_cell(scene.embree_over_keyed),
                       plain_cell(scene.predicted),
                       plain_cell(scene.renderer_over_embree),
                       plain_cell(scene.build_s),
                       plain_cell(scene.embree_build_s),
                       scene.bytes_per_triangle);
}

}  // namespace

base::Result<std::vector<SceneSummary>> read_summaries(const std::string& folder) {
    std::vector<SceneSummary> scenes;
    std::error_code problem;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        if (entry->path().extension() != ".json") {
            continue;
        }
        base::Result<SceneSummary> read = read_summary(entry->path().string());
        WEFT_TRY(read);
        scenes.push_back(std::move(read.value()));
    }
    if (problem) {
        return no_figures(folder, "cannot be read (" + problem.message() + ")");
    }
    if (scenes.empty()) {
        return no_figures(folder, "has no .json file");
    }
    std::sort(scenes.begin(), scenes.end(), [](const SceneSummary& a, const SceneSummary& b) {
        return a.triangles != b.triangles ? a.triangles < b.triangles : a.name < b.name;
    });
    return scenes;
}

std::string summary_table(const std::vector<SceneSummary>& scenes) {
    std::string text = "| scene | triangles |";
    std::string rule = "|---|---|";
    for (const bench::RayClass ray_class : bench::kAllRayClasses) {
        text += fmt::format(" {} |", bench::ray_class_name(ray_class));
        rule += "---|";
    }
    text += '\n' + rule + '\n';
    for (const SceneSummary& scene : scenes) {
        text += rays_row(scene);
    }
    text +=
        "\nK2 / max(U1, U2, E): who is best of the others stands beside it; bold is a loss.\n\n"
        "| scene | keyed, s | unkeyed | embree, gathered | embree, conventional | best other "
        "policy "
        "| best of the others / keyed | embree / keyed, cpu: measured, predicted | rays/s, keyed / "
        "Embree's calls | tree, s | Embree's, s | bytes per triangle "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const SceneSummary& scene : scenes) {
        text += images_row(scene);
    }
    return text;
}

}  // namespace weft::app
