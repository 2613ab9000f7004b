// bench_build.cpp — how long the tree of a scene takes, beside Embree's own over the same
// triangles, and what it weighs.
//
//   bench_build SCENE [repeats] [threads]
//
// The two take turns. Ours is build_acceleration() as frames call it: boxes from the scene's
// vertices, splits, nodes and blocks. Embree's is the commit alone of a scene that has its vertices
// already, at medium quality: the quality that our splits are made at.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/embree_reference.h"
#include "engine/scene/import.h"
#include "engine/scene/model/scene.h"
#include "scheduler/unit/float_state.h"

namespace {

using namespace weft;

double triangles_of(const scene::Scene& scene) {
    double count = 0;
    for (const scene::Mesh& mesh : scene.meshes) {
        count += mesh.record.triangle_count;
    }
    return count;
}

void print(const char* what, std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    std::printf("%-7s %7.3f s [%.3f .. %.3f]\n",
                what,
                seconds[seconds.size() / 2],
                seconds.front(),
                seconds.back());
}

int fail(const base::Error& error) {
    std::fprintf(stderr, "bench_build: %s\n", error.sentence.c_str());
    return 1;
}

int measure(const scene::Scene& scene, u32 repeats, u32 threads) {
    std::vector<double> own_s;
    std::vector<double> embree_s;
    double tree_bytes = 0;
    for (u32 repeat = 0; repeat < repeats; ++repeat) {
        accel::BuildConfig config;
        config.thread_count = threads;
        const auto own = accel::build_acceleration(scene, config);
        if (!own.is_ok()) {
            return fail(own.error());
        }
        own_s.push_back(own.value().build_s);
        tree_bytes = static_cast<double>(own.value().size_bytes());
        const auto embree = accel::EmbreeReference::build(scene, threads, {});
        if (!embree.is_ok()) {
            return fail(embree.error());
        }
        embree_s.push_back(embree.value()->commit_s());
    }
    const double count = triangles_of(scene);
    std::printf("%.0f triangles, %u threads, %u repeats in turn; bytes per triangle: tree %.1f\n",
                count,
                threads,
                repeats,
                tree_bytes / std::max(count, 1.0));
    print("ours", own_s);
    print("Embree", embree_s);
    std::vector<double> ratios;
    for (u32 repeat = 0; repeat < repeats; ++repeat) {
        ratios.push_back(own_s[repeat] / embree_s[repeat]);
    }
    std::sort(ratios.begin(), ratios.end());
    std::printf("ours / Embree, median of the pairs: %.2f\n", ratios[repeats / 2]);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) {
        std::fprintf(stderr, "bench_build SCENE [repeats] [threads]\n");
        return 2;
    }
    unit::set_float_state();
    const u32 repeats = count > 2 ? static_cast<u32>(std::max(1, std::atoi(words[2]))) : 5;
    const u32 threads = count > 3 ? static_cast<u32>(std::max(1, std::atoi(words[3]))) : 2;
    auto scene = scene::import_scene({words[1]}, {});
    if (!scene.is_ok()) {
        return fail(scene.error());
    }
    scene::complete_scene(scene.value());
    return measure(scene.value(), repeats, threads);
}
