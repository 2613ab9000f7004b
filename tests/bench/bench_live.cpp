// bench_live.cpp — how long people wait for the first picture after an edit, by kind of edit,
// without a window.
//
//     bench_live SCENE [steps [pause [kind ...]]]
//
// Each kind of edit is made `steps` times: shown, and its first picture awaited. `pause` says what
// comes before the next: `rest`, the frame at full size has some of its samples (a person who
// thinks); `glance`, it has its first picture; a number, so many milliseconds, for instance 350,
// when the frame's tree is being built (a person who pulls and stops and pulls); `0-700`, each
// between these, the steps apart evenly; `drag`, nothing. 1280 × 720, two workers; with `quality`,
// frames of two samples are denoised, and the quality filter of the last picture has run for up to
// 0.4 s. Milliseconds from show() to the first picture, and what the renderer kept or patched on
// the way.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/live/live_render.h"
#include "engine/scene/import.h"
#include "engine/scene/model/sky.h"

namespace {

using namespace weft;

struct Desk {
    scene::Scene scene;
    live::LiveJob job;
    std::vector<std::string> nodes;  // in turn
};

// Makes edit number `step`, with its effect.
using MakeEdit = std::function<void(Desk& desk, u32 step)>;

void hide(Desk& desk, u32 step) {
    desk.job.hidden = {desk.nodes[step % desk.nodes.size()]};
    desk.job.effect = scene::kEffectLook;
}

void show_all(Desk& desk, u32 step) {
    desk.job.hidden.clear();
    if (step % 2 == 0) {
        desk.job.hidden = {desk.nodes[step / 2 % desk.nodes.size()]};
    }
    desk.job.effect = scene::kEffectLook;
}

void solo(Desk& desk, u32 step) {
    desk.job.hidden = desk.nodes;
    desk.job.hidden.erase(desk.job.hidden.begin() +
                          static_cast<std::ptrdiff_t>(step % desk.nodes.size()));
    desk.job.effect = scene::kEffectLook;
}

// One object goes up and down, a little further each time.
void move(Desk& desk, u32 step) {
    for (scene::Instance& instance : desk.scene.instances) {
        if (instance.node == desk.nodes.back()) {
            instance.object_to_world[7] += step % 2 == 0 ? 0.05F : -0.02F;
        }
    }
    desk.job.effect = scene::kEffectPlacement;
}

void shade(Desk& desk, u32 step) {
    scene::Material& material =
        desk.scene.materials[1 + step % (std::as_const(desk.scene).materials.size() - 1)];
    material.record.base_color[0] = 0.3F + 0.01F * static_cast<float>(step);
    desk.job.effect = scene::kEffectShading;
}

void light(Desk& desk, u32 step) {
    if (desk.scene.lights.empty()) {
        desk.scene.lights.emplace_back();
        desk.scene.lights.back().position = {0, 2, 0};
    }
    desk.scene.lights.back().intensity[0] = 5.0F + 0.1F * static_cast<float>(step);
    desk.job.effect = scene::kEffectShading;
}

void turn_environment(Desk& desk, u32 step) {
    desk.scene.environment.rotation_rad = 0.05F * static_cast<float>(step);
    desk.job.effect = scene::kEffectEnvironment;
}

void turn_camera(Desk& desk, u32 step) {
    desk.job.camera.yfov_rad = 0.8F + 0.004F * static_cast<float>(step);
    desk.job.effect = scene::kEffectCamera;
}

struct Figures {
    std::vector<double> first_ms;
    live::LiveCounters counters;
};

// What comes between a first picture and the next edit: the frame has something, then a while.
struct Pause {
    u32 samples = 0;
    u64 pictures = 0;
    double from_ms = 0;
    double to_ms = 0;
    bool is_in_filter = false;

    [[nodiscard]] std::chrono::duration<double, std::milli> while_after(u32 step, u32 steps) const {
        return std::chrono::duration<double, std::milli>(from_ms +
                                                         (to_ms - from_ms) * step / steps);
    }
};

Pause pause_of(const std::string& word) {
    if (word == "rest") {
        return {.samples = 1};
    }
    if (word == "glance") {
        return {.pictures = 1};
    }
    if (word == "quality") {
        return {.to_ms = 400, .is_in_filter = true};
    }
    Pause pause;
    char* rest = nullptr;
    pause.from_ms = std::strtod(word.c_str(), &rest);
    pause.to_ms = *rest == '-' ? std::strtod(rest + 1, nullptr) : pause.from_ms;
    return pause;
}

bool is_over(const Pause& pause, const live::LiveStatus& status, u64 job, u64 filtered) {
    return status.prepared_job == job && status.samples_done >= pause.samples &&
           status.counters.pictures >= pause.pictures &&
           (!pause.is_in_filter || status.quality.begun > filtered);
}

Figures measure(
    live::LiveRender& live, Desk& desk, const MakeEdit& edit, u32 steps, const Pause& pause) {
    Figures figures;
    live::LivePicture picture;
    const live::LiveCounters before = live.status().counters;
    for (u32 step = 0; step < steps; ++step) {
        edit(desk, step);
        desk.job.scene = std::make_shared<const scene::Scene>(desk.scene);
        const u64 count = live.status().first_picture.count;
        const u64 filtered = live.status().quality.begun;
        const u64 number = live.show(desk.job);
        live::LiveStatus status = live.status();
        while (status.first_picture.count == count && status.error.empty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            live.take_picture(picture);
            status = live.status();
        }
        if (!status.error.empty()) {
            std::fprintf(stderr, "%s\n", status.error.c_str());
            std::exit(1);
        }
        figures.first_ms.push_back(status.first_picture.last_ms);
        while (!is_over(pause, status, number, filtered)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            live.take_picture(picture);
            status = live.status();
        }
        const auto end = std::chrono::steady_clock::now() + pause.while_after(step, steps);
        while (std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            live.take_picture(picture);
        }
    }
    figures.counters = live.status().counters;
    figures.counters.kept_trees -= before.kept_trees;
    figures.counters.patched_trees -= before.patched_trees;
    return figures;
}

void print_row(const char* name, Figures figures) {
    std::vector<double>& times = figures.first_ms;
    std::sort(times.begin(), times.end());
    std::printf("%-12s p50 %7.1f  p95 %7.1f  most %7.1f   trees: %llu kept, %llu patched of %zu\n",
                name,
                times[times.size() / 2],
                times[(times.size() * 95 + 99) / 100 - 1],
                times.back(),
                static_cast<unsigned long long>(figures.counters.kept_trees),
                static_cast<unsigned long long>(figures.counters.patched_trees),
                times.size());
    std::fflush(stdout);
}

struct Kind {
    const char* name;
    MakeEdit edit;
};

// Those that are asked for; all of them where none is.
int run(const char* name, u32 steps, const Pause& pause, const std::vector<std::string>& asked) {
    auto imported = scene::import_scene({name}, {});
    if (!imported.is_ok()) {
        std::fprintf(stderr, "%s\n", imported.error().sentence.c_str());
        return 1;
    }
    Desk desk;
    desk.scene = std::move(imported.value());
    scene::complete_scene(desk.scene);
    scene::number_places(desk.scene);
    desk.job.camera = std::as_const(desk.scene).cameras.front();
    for (const scene::Instance& instance : std::as_const(desk.scene).instances) {
        if (std::find(desk.nodes.begin(), desk.nodes.end(), instance.node) == desk.nodes.end()) {
            desk.nodes.push_back(instance.node);
        }
    }
    desk.job.settings.width = 1280;
    desk.job.settings.height = 720;
    desk.job.settings.samples_per_pixel = 4096;
    live::LiveRender live(2);
    if (pause.is_in_filter) {
        desk.job.settings.samples_per_pixel = 2;
        live::LiveView view;
        view.denoise = live::LiveDenoise::Quality;
        live.set_view(view);
    }
    const auto first = [](Desk&, u32) {};
    print_row("opened", measure(live, desk, first, 1, {.samples = 1}));
    const std::vector<Kind> kinds = {{"camera", turn_camera},
                                     {"hide", hide},
                                     {"hide, show", show_all},
                                     {"solo", solo},
                                     {"move", move},
                                     {"material", shade},
                                     {"light", light},
                                     {"environment", turn_environment}};
    for (const Kind& kind : kinds) {
        if (!asked.empty() && std::find(asked.begin(), asked.end(), kind.name) == asked.end()) {
            continue;
        }
        if (std::strcmp(kind.name, "environment") == 0) {
            desk.scene.environment = scene::clear_sky();
            measure(live, desk, kind.edit, 1, {.samples = 1});
        }
        print_row(kind.name, measure(live, desk, kind.edit, steps, pause));
        desk.job.hidden.clear();
    }
    const live::QualityFigures quality = live.status().quality;
    if (quality.begun > 0) {
        std::printf("quality filter: %llu begun, %llu given up\n",
                    static_cast<unsigned long long>(quality.begun),
                    static_cast<unsigned long long>(quality.stopped));
    }
    return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count < 2) {
        std::fprintf(
            stderr,
            "usage: bench_live SCENE [steps [rest|glance|drag|quality|MS|MS-MS [kind ...]]]\n");
        return 2;
    }
    const auto steps = argument_count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 12;
    const std::string word = argument_count < 4 ? "rest" : arguments[3];
    const std::vector<std::string> kinds(arguments + std::min(argument_count, 4),
                                         arguments + argument_count);
    return run(arguments[1], static_cast<u32>(std::max(1UL, steps)), pause_of(word), kinds);
}
