// bench_watch.cpp — what an artist sees after an object has moved or the camera has turned: the
// pictures that are shown some seconds after the edit, as files, to be compared with a converged
// one.
//
//     bench_watch SCENE PREFIX [denoised|noisy] [move|turn] [SECONDS] [SAMPLES]
//     bench_watch SCENE PREFIX reference SAMPLES [move|turn]
//
// The scene is opened. Once it has SAMPLES samples (1 before a move, 16 before a turn), one object
// moves up by 5 cm, or the camera goes 3 degrees around what is 2 m ahead. The newest pictures
// after 0.1 to 30 seconds, or SECONDS, become PREFIX-0.pfm and so on, linear light of the display
// values; with a PREFIX-reference.pfm, their FLIP is printed. Then come all pictures, with the FLIP
// between each two that follow each other, and what filters took. The second line makes the
// reference: so many samples of another seed, denoised by the quality filter. 1280 × 720, of which
// files hold the middle quarter; two workers.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/denoise/denoiser.h"
#include "engine/film/image_compare.h"
#include "engine/film/image_file.h"
#include "engine/film/pfm_file.h"
#include "engine/frame/renderer.h"
#include "engine/live/live_render.h"
#include "engine/scene/import.h"

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;

constexpr u32 kWidth = 1280;
constexpr u32 kHeight = 720;
constexpr film::Region kMiddle{320, 180, 960, 540};
constexpr std::array<double, 9> kSeconds = {0.1, 0.2, 0.3, 0.5, 1, 5, 30, 100, 300};

float linear_of(double display) {
    return static_cast<float>(display <= 0.04045 ? display / 12.92
                                                 : std::pow((display + 0.055) / 1.055, 2.4));
}

// The middle of the picture at full size, as a window enlarges it.
film::Picture enlarged(const live::LivePicture& shown) {
    film::Picture picture;
    picture.width = kMiddle.width();
    picture.height = kMiddle.height();
    picture.channels = 3;
    picture.pixels.resize(std::size_t{3} * picture.width * picture.height);
    const auto place = [](u32 at, u32 large, u32 small) {
        const double centre = (at + 0.5) * small / large - 0.5;
        return std::clamp(centre, 0.0, small - 1.0);
    };
    for (u32 y = kMiddle.y0; y < kMiddle.y1; ++y) {
        const double v = place(y, kHeight, shown.height);
        for (u32 x = kMiddle.x0; x < kMiddle.x1; ++x) {
            const double u = place(x, kWidth, shown.width);
            const auto byte = [&](u32 i, u32 j, u32 c) {
                const u32 column = std::min(static_cast<u32>(u) + i, shown.width - 1);
                const u32 row = std::min(static_cast<u32>(v) + j, shown.height - 1);
                return double{shown.rgba[4 * (std::size_t{row} * shown.width + column) + c] /
                              255.0};
            };
            const double a = u - std::floor(u);
            const double b = v - std::floor(v);
            for (u32 c = 0; c < 3; ++c) {
                const double mixed = (byte(0, 0, c) * (1 - a) + byte(1, 0, c) * a) * (1 - b) +
                                     (byte(0, 1, c) * (1 - a) + byte(1, 1, c) * a) * b;
                const std::size_t pixel =
                    std::size_t{y - kMiddle.y0} * picture.width + (x - kMiddle.x0);
                picture.pixels[3 * pixel + c] = linear_of(mixed);
            }
        }
    }
    return picture;
}

void fail(const std::string& sentence) {
    std::fprintf(stderr, "%s\n", sentence.c_str());
    std::exit(1);
}

// Where views can be denoised; commits before that are measured with this file as well.
void set_denoised(auto& view, bool is_denoised) {
    if constexpr (requires { view.is_denoised; }) {
        view.is_denoised = is_denoised;
    } else if constexpr (requires { view.denoise; }) {
        using Denoise = decltype(view.denoise);
        view.denoise = is_denoised ? Denoise::Quality : Denoise::Off;
    }
}

// Of pictures at full size, those before the edit among them; nothing at commits that count none.
void print_filter_times(const auto& status) {
    if constexpr (requires { status.quality; }) {
        std::printf("quality filter: %llu pictures, p50 %.0f ms; %llu given up\n",
                    static_cast<unsigned long long>(status.quality.wall.count),
                    status.quality.wall.p50_ms,
                    static_cast<unsigned long long>(status.quality.stopped));
    }
    if constexpr (requires { status.filter; }) {
        std::printf("filter: %llu pictures, p50 %.0f ms, p95 %.0f ms; processor p50 %.0f ms\n",
                    static_cast<unsigned long long>(status.filter.wall.count),
                    status.filter.wall.p50_ms,
                    status.filter.wall.p95_ms,
                    status.filter.processor.p50_ms);
    }
}

live::LiveJob opened(const std::string& name, scene::Scene& scene) {
    auto imported = scene::import_scene({name}, {});
    if (!imported.is_ok()) {
        fail(imported.error().sentence);
    }
    scene = std::move(imported.value());
    scene::complete_scene(scene);
    scene::number_places(scene);
    live::LiveJob job;
    job.scene = std::make_shared<const scene::Scene>(scene);
    job.camera = scene.cameras.front();
    job.settings.width = kWidth;
    job.settings.height = kHeight;
    job.settings.samples_per_pixel = 4096;
    return job;
}

void wait_for_samples(const live::LiveRender& live, u64 job, u32 samples) {
    for (live::LiveStatus status = live.status();
         status.prepared_job != job || status.samples_done < samples;
         status = live.status()) {
        if (!status.error.empty()) {
            fail(status.error);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

double flip_of(const film::Picture& a, const film::Picture& b) {
    const auto flip = film::compare_pictures(a, b, {});
    return flip.is_ok() ? flip.value().value : -1.0;
}

// A picture, so many seconds after the edit.
struct Moment {
    double seconds = 0;
    live::LivePicture picture;
};

// Which filter made each picture, how far it is from the reference, if there is one, and how much
// the eye sees from each to the next.
void print_steps(const std::vector<Moment>& moments, const base::Result<film::Picture>& reference) {
    film::Picture before;
    for (const Moment& moment : moments) {
        film::Picture now = enlarged(moment.picture);
        std::printf("at %6.2f s: %u samples", moment.seconds, moment.picture.samples);
        static constexpr std::array<const char*, 3> kFilters = {"plain", "fast", "quality"};
        std::printf(", %s", kFilters[static_cast<std::size_t>(moment.picture.denoised)]);
        if (reference.is_ok()) {
            std::printf(", FLIP %.4f", flip_of(reference.value(), now));
        }
        if (!before.pixels.empty()) {
            std::printf(", to the one before %.4f", flip_of(before, now));
        }
        std::printf("\n");
        before = std::move(now);
    }
}

// What is shown, and the FLIP of its middle against the reference; none where there is no
// reference.
void write_shown(live::LiveRender& live,
                 Clock::time_point begin,
                 double last_s,
                 const std::string& prefix) {
    live::LivePicture picture;
    std::vector<std::pair<std::string, film::Picture>> shown;
    std::vector<Moment> moments;
    for (const double seconds : kSeconds) {
        if (seconds > last_s) {
            break;
        }
        const auto at = begin + std::chrono::duration<double>(seconds);
        while (Clock::now() < at) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            if (live.take_picture(picture)) {
                const std::chrono::duration<double> since = Clock::now() - begin;
                moments.push_back({since.count(), picture});
            }
        }
        char text[128];
        std::snprintf(text,
                      sizeof text,
                      "%4g s: %u x %u, %u samples; of the frame %.2f",
                      seconds,
                      picture.width,
                      picture.height,
                      picture.samples,
                      live.status().samples_mean);
        shown.emplace_back(text, enlarged(picture));
    }
    live.set_paused(true);
    const auto reference = film::read_pfm(prefix + "-reference.pfm");
    for (std::size_t k = 0; k < shown.size(); ++k) {
        const film::Picture& seen = shown[k].second;
        const std::string file = prefix + "-" + std::to_string(k) + ".pfm";
        if (!film::write_pfm(file, seen).is_ok()) {
            fail(file + " cannot be written");
        }
        std::printf("%s", shown[k].first.c_str());
        if (reference.is_ok()) {
            std::printf(", FLIP %.4f", flip_of(reference.value(), seen));
        }
        std::printf("\n");
    }
    print_steps(moments, reference);
}

// The camera goes around a point ahead, about the world's Y axis.
void turn(scene::Camera& camera) {
    constexpr double kAngle = 3 * 3.14159265358979 / 180;
    constexpr double kAhead_m = 2;
    auto& m = camera.to_world;
    const double c = std::cos(kAngle);
    const double s = std::sin(kAngle);
    const double x = static_cast<double>(m[3]) - kAhead_m * static_cast<double>(m[2]);
    const double z = static_cast<double>(m[11]) - kAhead_m * static_cast<double>(m[10]);
    for (std::size_t column = 0; column < 4; ++column) {
        const bool is_place = column == 3;
        const double at_x = static_cast<double>(m[column]) - (is_place ? x : 0);
        const double at_z = static_cast<double>(m[8 + column]) - (is_place ? z : 0);
        m[column] = static_cast<float>(c * at_x + s * at_z + (is_place ? x : 0));
        m[8 + column] = static_cast<float>(c * at_z - s * at_x + (is_place ? z : 0));
    }
}

// The edit that is watched.
void change(live::LiveJob& job, const scene::Scene& scene, bool is_turn) {
    if (is_turn) {
        turn(job.camera);
        job.effect = scene::kEffectCamera;
        return;
    }
    scene::Scene moved = scene;
    moved.instances.back().object_to_world[7] += 0.05F;
    job.scene = std::make_shared<const scene::Scene>(std::move(moved));
    job.effect = scene::kEffectPlacement;
}

void write_reference(live::LiveJob job, const std::string& prefix) {
    job.settings.crop = kMiddle;
    job.settings.aovs.assign(denoise::kNeededAovs.begin(), denoise::kNeededAovs.end());
    auto renderer = frame::Renderer::prepare(*job.scene, job.camera, job.settings, {});
    if (!renderer.is_ok() || !renderer.value()->render({}).is_ok()) {
        fail("the reference cannot be rendered");
    }
    film::ResolvedFilm resolved(renderer.value()->film(), {});
    resolved.finish();
    const auto layers = denoise::layers_of(resolved, denoise::Method::Quality);
    const auto clean = layers.is_ok() ? denoise::denoise(layers.value(), {})
                                      : base::Result<film::Picture>(layers.error());
    if (!clean.is_ok() || !film::write_pfm(prefix + "-reference.pfm", clean.value()).is_ok()) {
        fail("the reference cannot be denoised or written");
    }
}

}  // namespace

int main(int count, char** words) {
    const std::string mode = count < 4 ? "denoised" : words[3];
    const bool is_reference = mode == "reference";
    if (count < 3 || (is_reference && count < 5)) {
        std::fprintf(stderr,
                     "usage: bench_watch SCENE PREFIX [denoised|noisy] [move|turn] [SECONDS] "
                     "[SAMPLES]\n"
                     "       bench_watch SCENE PREFIX reference SAMPLES [move|turn]\n");
        return 2;
    }
    const int edit_word = is_reference ? 5 : 4;
    const bool is_turn = count > edit_word && std::string(words[edit_word]) == "turn";
    const double last_s = count > 5 && !is_reference ? std::strtod(words[5], nullptr) : 30;
    scene::Scene scene;
    live::LiveJob job = opened(words[1], scene);
    if (is_reference) {
        change(job, scene, is_turn);
        job.settings.samples_per_pixel = static_cast<u32>(std::strtoul(words[4], nullptr, 10));
        // With the seed of the live frame it would have that frame's noise.
        ++job.settings.seed;
        write_reference(job, words[2]);
        return 0;
    }
    live::LiveRender live(2);
    live::LiveView view;
    set_denoised(view, mode == "denoised");
    live.set_view(view);
    const u32 samples = count > 6 ? static_cast<u32>(std::strtoul(words[6], nullptr, 10))
                        : is_turn ? 16
                                  : 1;
    wait_for_samples(live, live.show(job), samples);
    change(job, scene, is_turn);
    const auto begin = Clock::now();
    live.show(job);
    write_shown(live, begin, last_s, words[2]);
    const live::LiveStatus status = live.status();
    std::printf("first picture after %.0f ms\n", status.first_picture.last_ms);
    print_filter_times(status);
    return 0;
}
