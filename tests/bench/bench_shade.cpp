// bench_shade.cpp — what shading costs in a scene: nanoseconds per path started, per hit by class
// of packet, per miss, and per sample put into a film.
//
// Runs whole paths: batches of one tile's samples are started, traced and shaded wave by wave, hits
// sorted by material as keys sort them, and each call of a shading kernel is timed by itself, so
// that caches hold what they hold in a render. The fastest of the repeats of each batch counts. A
// last row is a hash of all radiances, which only changes with the arithmetic.
//     bench_shade SCENE [isa|device] [ex ey ez tx ty tz fov_deg] [white]
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/film/film.h"
#include "engine/math/affine.h"
#include "engine/scene/import.h"
#include "engine/trace/path_slots.h"
#include "engine/trace/scene_tables.h"
#include "shaders/host/scalar_math.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/trace_kernels.h"

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;

constexpr u32 kSize = 512;   // pixels of a side of the picture
constexpr u32 kTile = 32;    // and of a batch
constexpr u32 kSamples = 4;  // of each pixel
constexpr u32 kStride = 16;  // from one to the next: cones as in a picture of 64 samples
constexpr u32 kPaths = kTile * kTile * kSamples;
constexpr u32 kBatches = 32;
constexpr u32 kRepeats = 7;

struct Cost {
    double seconds = 0;
    u64 calls = 0;
    u64 slots = 0;
};

using Costs = std::map<std::string, Cost>;

struct Scene {
    scene::Scene model;
    trace::SceneTables tables;
    accel::Acceleration tree;
    shaders::CameraRecord camera{};
    std::vector<float> filter;
    shaders::RenderParams params{};
    const shaders::ShadeKernels* shade = nullptr;
    const shaders::TraceKernels* trace = nullptr;
};

template <typename Work>
void timed(Cost& cost, std::size_t slots, const Work& work) {
    const auto begin = Clock::now();
    work();
    cost.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    ++cost.calls;
    cost.slots += slots;
}

// What a packet's material asks for, as a label.
std::string class_of(const shaders::MaterialRecord& m) {
    std::string name;
    const auto add = [&](bool has, const char* word) { name += has ? word : ""; };
    add((m.flags & shaders::kMaterialUnlit) != 0, " unlit");
    add((m.flags & shaders::kMaterialSolid) != 0, " solid");
    add((m.flags & shaders::kMaterialStraight) != 0, " straight");
    add((m.flags & shaders::kMaterialSpecGloss) != 0, " specgloss");
    add((m.flags & shaders::kMaterialCoat) != 0, " coat");
    add((m.flags & shaders::kMaterialSheen) != 0, " sheen");
    add((m.flags & shaders::kMaterialIridescence) != 0, " film");
    add((m.flags & shaders::kMaterialAnisotropy) != 0, " aniso");
    add((m.flags & shaders::kMaterialTransmission) != 0, " trans");
    add((m.flags & shaders::kMaterialEmissive) != 0, " emits");
    add(m.base_color_slot != kNone, " +base");
    add(m.metallic_roughness_slot != kNone, " +rough");
    add(m.specular_color_slot != kNone || m.specular_slot != kNone, " +specular");
    add(m.normal_slot != kNone, " +normal");
    return name.empty() ? " plain" : name;
}

// One tile's paths from camera to end; costs are added, radiances go to the film and the hash.
class Batch {
public:
    Batch(const Scene& scene, film::Film& film)
        : scene_(scene), film_(film), slots_(kPaths, {}, memory_), paths_(slots_.view()) {}

    void run(u32 number, Costs& costs) {
        const u32 across = kSize / kTile;
        const u32 place = number * 37 % (across * across);
        for (u32 k = 0; k < kPaths; ++k) {
            const u32 pixel = k / kSamples;
            const u32 x = place % across * kTile + pixel % kTile;
            const u32 y = place / across * kTile + pixel / kTile;
            pixels_[k] = y * kSize + x;
            paths_.record[k].pixel_hash = pixels_[k];
            paths_.record[k].sample = k % kSamples * kStride;
        }
        alive_.resize(kPaths);
        for (u32 k = 0; k < kPaths; ++k) {
            alive_[k] = k;
        }
        timed(costs["camera"], kPaths, [&] {
            scene_.shade->camera(
                scene_.camera, scene_.params, paths_, alive_.data(), kPaths, counted_);
        });
        while (!alive_.empty()) {
            wave(costs);
        }
        resolve(costs["film"]);
    }

    [[nodiscard]] u64 hash() const { return hash_; }

    [[nodiscard]] double mean() const { return sum_; }

private:
    void wave(Costs& costs) {
        const shaders::TraceScene traced = {scene_.tree.view(),
                                            &scene_.tables.view,
                                            shaders::AlphaKeys(paths_.record),
                                            paths_.shadow_tint};
        shaders::TraceCounters rays;
        scene_.trace->closest_group(
            traced, scene_.tree.root, paths_.ray, alive_.data(), size(alive_), rays);
        misses_.clear();
        hits_.clear();
        for (const u32 slot : alive_) {
            (paths_.ray[slot].primitive == kNone ? misses_ : hits_).push_back(slot);
        }
        const auto material = [&](u32 slot) {
            return scene_.tables.instances[paths_.ray[slot].instance].material;
        };
        std::stable_sort(
            hits_.begin(), hits_.end(), [&](u32 a, u32 b) { return material(a) < material(b); });
        if (!misses_.empty()) {
            timed(costs["miss"], misses_.size(), [&] {
                scene_.shade->miss(scene_.tables.view,
                                   scene_.params,
                                   paths_,
                                   misses_.data(),
                                   size(misses_),
                                   counted_);
            });
        }
        alive_.clear();
        shadows_.clear();
        for (std::size_t first = 0; first < hits_.size();) {
            std::size_t last = first;
            const u32 here = material(hits_[first]);
            while (last < hits_.size() && material(hits_[last]) == here) {
                ++last;
            }
            const u32 count = static_cast<u32>(last - first);
            timed(costs["shade" + class_of(scene_.tables.materials[here])], count, [&] {
                scene_.shade->shade(scene_.tables.view,
                                    scene_.params,
                                    paths_,
                                    hits_.data() + first,
                                    count,
                                    counted_);
            });
            for (; first < last; ++first) {
                const u32 flags = paths_.gain[hits_[first]].flags;
                if ((flags & shaders::kPathShadow) != 0) {
                    shadows_.push_back(hits_[first]);
                }
                if ((flags & shaders::kPathAlive) != 0) {
                    alive_.push_back(hits_[first]);
                }
            }
        }
        scene_.trace->any_group(
            traced, scene_.tree.root, paths_.shadow, shadows_.data(), size(shadows_), rays);
        for (const u32 slot : shadows_) {
            add_light(slot);
        }
    }

    void add_light(u32 slot) {
        if (paths_.shadow[slot].t < 0) {
            return;
        }
        for (u32 c = 0; c < 3; ++c) {
            const u32 tint = paths_.shadow_tint[3 * slot + c];
            const double seen =
                tint == 0 ? 1 : shaders::exp2_of(-static_cast<double>(tint) * 0x1p-20);
            paths_.gain[slot].radiance[c] += paths_.gain[slot].light[c] * static_cast<float>(seen);
        }
    }

    void resolve(Cost& cost) {
        rgba_.resize(std::size_t{kPaths} * 4);
        for (u32 k = 0; k < kPaths; ++k) {
            for (u32 c = 0; c < 3; ++c) {
                rgba_[4 * k + c] = paths_.gain[k].radiance[c];
            }
            rgba_[4 * k + 3] = paths_.gain[k].alpha;
            for (u32 c = 0; c < 4; ++c) {
                hash_ = (hash_ ^ std::bit_cast<u32>(rgba_[4 * k + c])) * 0x100000001b3ull;
            }
            sum_ += static_cast<double>(rgba_[4 * k] + rgba_[4 * k + 1] + rgba_[4 * k + 2]) / 3;
        }
        timed(cost, kPaths, [&] {
            std::array<u32, kSamples> dropped{};
            for (u32 k = 0; k < kPaths; k += kSamples) {
                film_.add_samples(pixels_[k] % kSize,
                                  pixels_[k] / kSize,
                                  &rgba_[4 * k],
                                  kSamples,
                                  dropped.data());
            }
        });
    }

    static u32 size(const std::vector<u32>& ids) { return static_cast<u32>(ids.size()); }

    const Scene& scene_;
    film::Film& film_;
    trace::UnitMemory memory_;
    trace::PathSlots slots_;
    shaders::PathView paths_;
    std::array<u32, kPaths> pixels_{};
    std::vector<u32> alive_, hits_, misses_, shadows_;
    std::vector<float> rgba_;
    shaders::ShadeCounters counted_;
    u64 hash_ = 0xcbf29ce484222325ull;
    double sum_ = 0;
};

void look_at(scene::Camera& camera, const std::array<float, 7>& view) {
    const math::Vec3 eye = math::vec3_at(view.data());
    const math::Vec3 back = math::normalize(eye - math::vec3_at(&view[3]));
    const math::Vec3 right = math::normalize(cross(math::Vec3{0, 1, 0}, back));
    camera.to_world = math::from_columns(right, cross(back, right), back, eye);
    camera.yfov_rad = view[6] * static_cast<float>(shaders::kPi / 180);
    camera.is_orthographic = false;
}

bool choose_kernels(Scene& scene, std::string_view name) {
    shaders::Isa isa = shaders::best_isa();
    for (const shaders::Isa other :
         {shaders::Isa::Sse4, shaders::Isa::Avx2, shaders::Isa::Avx512}) {
        if (name == shaders::isa_name(other)) {
            isa = other;
        }
    }
    scene.trace = shaders::trace_kernels(isa);
    scene.shade =
        name == "device" ? shaders::device_shade_kernels(isa) : shaders::shade_kernels(isa);
    return scene.trace != nullptr && scene.shade != nullptr;
}

bool load(int argc, char** argv, Scene& scene) {
    auto model = scene::import_scene({argv[1]}, {});
    if (!model.is_ok()) {
        std::fprintf(stderr, "%s\n", model.error().sentence.c_str());
        return false;
    }
    scene.model = std::move(model.value());
    std::string_view isa;
    std::array<float, 7> view{};
    std::size_t numbers = 0;
    for (int k = 2; k < argc; ++k) {
        const std::string_view word = argv[k];
        if (word == "white") {
            scene.model.environment = {};
            scene.model.environment.width = scene.model.environment.height = 1;
            scene.model.environment.pixels = {1, 1, 1};
        } else if (word.find_first_not_of("0123456789.-") == std::string_view::npos) {
            view[numbers++ % view.size()] = std::strtof(argv[k], nullptr);
        } else {
            isa = word;
        }
    }
    scene::complete_scene(scene.model);
    scene::Camera camera = scene.model.cameras.front();
    if (numbers == view.size()) {
        look_at(camera, view);
    }
    scene.tables = trace::make_scene_tables(scene.model, {});
    auto tree = accel::build_acceleration(scene.model, {});
    if (!tree.is_ok()) {
        std::fprintf(stderr, "%s\n", tree.error().sentence.c_str());
        return false;
    }
    scene.tree = std::move(tree.value());
    scene.camera = trace::make_camera(camera, kSize, kSize);
    scene.filter = trace::make_filter_table(trace::PixelFilter::Box);
    const float infinity = INFINITY;
    scene.params = {kSize, kSize, 0, 8, infinity, infinity, 0, scene.filter.data()};
    return choose_kernels(scene, isa);
}

void print(const Costs& costs) {
    double seconds = 0;
    u64 hits = 0;
    for (const auto& [name, cost] : costs) {
        const double slots = static_cast<double>(cost.slots);
        std::printf("%7.1f ns  %6.1f per call  %8llu  %s\n",
                    cost.seconds / slots * 1e9,
                    slots / static_cast<double>(cost.calls),
                    static_cast<unsigned long long>(cost.slots),
                    name.c_str());
        if (name.starts_with("shade")) {
            seconds += cost.seconds;
            hits += cost.slots;
        }
    }
    std::printf("%7.1f ns  per hit of all %llu\n",
                seconds / static_cast<double>(hits) * 1e9,
                static_cast<unsigned long long>(hits));
}

}  // namespace

int main(int argc, char** argv) {
    Scene scene;
    if (argc < 2 || !load(argc, argv, scene)) {
        std::fprintf(stderr,
                     "bench_shade SCENE [isa|device] [ex ey ez tx ty tz fov_deg] [white]\n");
        return 1;
    }
    std::array<Costs, kBatches> best;
    u64 hash = 0;
    double mean = 0;
    film::Film film(kSize, kSize, {0, 0, kSize, kSize}, {});
    for (u32 repeat = 0; repeat < kRepeats; ++repeat) {
        Batch batch(scene, film);
        for (u32 k = 0; k < kBatches; ++k) {
            Costs costs;
            batch.run(k, costs);
            for (const auto& [name, cost] : costs) {
                Cost& least = best[k][name];
                if (least.calls == 0 || cost.seconds < least.seconds) {
                    least = cost;
                }
            }
        }
        hash = batch.hash();
        mean = batch.mean() / (double{kPaths} * kBatches);
    }
    Costs sum;
    for (const Costs& costs : best) {
        for (const auto& [name, cost] : costs) {
            sum[name].seconds += cost.seconds;
            sum[name].calls += cost.calls;
            sum[name].slots += cost.slots;
        }
    }
    print(sum);
    std::printf("hash %016llx  mean %.9g\n", static_cast<unsigned long long>(hash), mean);
    return 0;
}
