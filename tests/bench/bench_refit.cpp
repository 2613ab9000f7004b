// bench_refit.cpp — the tree of a pose of an animated scene: patched from the tree of the first
// pose beside built, and what rays then cost in both.
//
//   bench_refit SCENE SECOND… (the poses; at most ten)
//
// At each pose five builds, patches and rounds of rays take turns; medians. Patches refit whatever
// the growth of the cost, which is printed: above accel::BuildConfig::most_growth frames build. At
// last the import of the last pose, alone and with the first pose as the frame before.
// Rays are camera rays, and one bounce from their hits, in groups of 24, on one thread: their time,
// and the boxes and leaves that a ray tests, which no load of the machine changes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/tree_patch.h"
#include "engine/scene/edit/scene_changes.h"
#include "engine/scene/import.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/clock.h"
#include "scheduler/unit/float_state.h"
#include "shaders/traverse/trace_kernels.h"
#include "tests/bench/lane_rays.h"

namespace {

using namespace weft;
using TreePtr = std::shared_ptr<const accel::Acceleration>;

constexpr u32 kRepeats = 5;
constexpr u32 kThreads = 2;
constexpr u32 kGroup = 24;
constexpr u32 kPictureSide = 512;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

scene::Scene scene_at(const std::string& path,
                      const std::string& second,
                      const scene::Scene* maybe_former = nullptr) {
    scene::ImportConfig config;
    config.former = maybe_former;
    config.pose = scene::Pose{std::strtod(second.c_str(), nullptr), "all"};
    auto scene = scene::import_scene({path}, config);
    if (!scene.is_ok()) {
        std::fprintf(stderr, "bench_refit: %s\n", scene.error().sentence.c_str());
        std::exit(1);
    }
    return std::move(scene.value());
}

// Traces the rays and returns the seconds that it took. Adds nodes and leaves tested to `counters`.
double trace(const accel::Acceleration& tree,
             bench::RayList& rays,
             shaders::TraceCounters& counters) {
    const shaders::TraceKernels* kernels = shaders::trace_kernels(shaders::Isa::Avx512);
    kernels = kernels ? kernels : shaders::trace_kernels(shaders::Isa::Avx2);
    kernels = kernels ? kernels : shaders::trace_kernels(shaders::Isa::Sse4);
    const shaders::SceneView view{};
    std::vector<u32> alpha_keys(rays.size());
    std::vector<u32> tints(3 * rays.size());
    std::vector<u32> ids(rays.size());
    for (u32 k = 0; k < ids.size(); ++k) {
        ids[k] = k;
    }
    const shaders::TraceScene scene = {tree.view(), &view, alpha_keys.data(), tints.data()};
    const auto begin = base::Clock::now();
    for (u32 first = 0; first < rays.size(); first += kGroup) {
        const u32 count = std::min(kGroup, static_cast<u32>(rays.size()) - first);
        kernels->closest_group(scene, tree.root, rays.data(), &ids[first], count, counters);
    }
    return base::seconds_since(begin);
}

// Camera rays and bounces from their hits: seconds, and boxes and triangle blocks tested per ray.
struct Rates {
    std::vector<double> seconds;
    double tests_per_ray = 0;

    void add(const scene::Scene& scene, const accel::Acceleration& tree) {
        shaders::TraceCounters counters;
        bench::RayList rays = bench::camera_rays(scene, kPictureSide);
        double sum_s = trace(tree, rays, counters);
        bench::RayList bounces = bench::bounce_rays(scene, rays);
        sum_s += trace(tree, bounces, counters);
        seconds.push_back(sum_s);
        tests_per_ray = static_cast<double>(counters.node_tests + counters.leaf_tests) /
                        static_cast<double>(rays.size() + bounces.size());
    }
};

// Imports of a pose, alone and with the first pose as the frame before.
void measure_import(const char* path, const char* second, const scene::Scene& first) {
    std::vector<double> alone_s;
    std::vector<double> after_s;
    for (u32 repeat = 0; repeat < kRepeats; ++repeat) {
        for (const bool is_alone : {true, false}) {
            const auto begin = base::Clock::now();
            const scene::Scene scene = scene_at(path, second, is_alone ? nullptr : &first);
            (is_alone ? alone_s : after_s).push_back(base::seconds_since(begin));
        }
    }
    std::printf("import of %s: %.1f ms alone, %.1f ms after the first\n",
                second,
                1e3 * median(alone_s),
                1e3 * median(after_s));
}

void measure_pose(const TreePtr& base, const scene::Scene& scene, const char* second) {
    accel::BuildConfig config;
    config.thread_count = kThreads;
    config.most_growth = 1e9;
    const auto pool = std::make_shared<accel::TreePool>();
    std::vector<double> build_s;
    std::vector<double> patch_s;
    Rates of_built;
    Rates of_patched;
    accel::TreeFigures figures;
    for (u32 repeat = 0; repeat < kRepeats; ++repeat) {
        const auto built = accel::build_acceleration(scene, config);
        const auto begin = base::Clock::now();
        const auto patched =
            accel::patch_acceleration(base, scene, config, pool, accel::PatchMode::Exact);
        patch_s.push_back(base::seconds_since(begin));
        if (!built.is_ok() || !patched.is_ok() || !patched.value()) {
            std::printf("%-6s no patch\n", second);
            return;
        }
        build_s.push_back(built.value().build_s);
        of_built.add(scene, built.value());
        of_patched.add(scene, *patched.value());
        figures = patched.value()->figures;
    }
    std::printf("%-6s %8llu %8llu %8llu  %6.2f  %7.1f %7.1f   %7.1f %7.1f   %6.2f %6.2f\n",
                second,
                static_cast<unsigned long long>(figures.kept_triangles),
                static_cast<unsigned long long>(figures.refitted_triangles),
                static_cast<unsigned long long>(figures.built_triangles),
                figures.growth,
                1e3 * median(build_s),
                1e3 * median(patch_s),
                1e3 * median(of_built.seconds),
                1e3 * median(of_patched.seconds),
                of_built.tests_per_ray,
                of_patched.tests_per_ray);
}

}  // namespace

int main(int count, char** words) {
    if (count < 3 || count > 12) {
        std::fprintf(stderr, "bench_refit SCENE SECOND...\n");
        return 2;
    }
    unit::set_float_state();
    accel::BuildConfig config;
    config.thread_count = kThreads;
    const scene::Scene first = scene_at(words[1], words[2]);
    auto built = accel::build_acceleration(first, config);
    if (!built.is_ok()) {
        return 1;
    }
    const TreePtr base = std::make_shared<const accel::Acceleration>(std::move(built.value()));
    std::printf(
        "pose       kept refitted    built  growth  ms: build   patch   rays: built patched   "
        "tests: built patched\n");
    for (int k = 2; k < count; ++k) {
        scene::Scene scene = scene_at(words[1], words[k]);
        scene::share_unchanged(scene, first);
        measure_pose(base, scene, words[k]);
    }
    measure_import(words[1], words[count - 1], first);
    return 0;
}
