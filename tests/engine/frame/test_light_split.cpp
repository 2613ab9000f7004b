// test_light_split.cpp — layers that split the picture: by light groups, by the lobe of the first
// surface, and into direct and indirect light (shaders/bsdf.md section 8).
//
// What can go wrong unseen: a quantum lost between parts, a light that counts to another group, or
// a split that depends on who traced it.
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/grouped_lights.h"
#include "engine/frame/renderer.h"
#include "engine/trace/reference/reference_tracer.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft::tests;
using weft::i64;
using weft::u32;
using weft::film::Aov;
using weft::film::ExactSum;
using weft::film::Film;
using weft::film::LightGroups;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::scene::Scene;
using weft::trace::LightSplit;
using weft::trace::SchedulerMode;

constexpr u32 kSplitSide = 20;

const LightGroups kGroups = {{"lamp", {"lamp"}}, {"sky", {"environ*"}}};

// The rich room without a wall, so that the sky shines in, with a second lamp and a bulb; one light
// of each kind that paths find.
Scene lit_scene() {
    Scene scene = rich_scene();
    scene.instances[1].node = "lamp";
    add_object(scene, uv_sphere({1.5F, 2.4F, -1}, 0.4F, 12, 6, Shading::Flat), emitter({1, 4, 9}));
    add_object(scene, quad({-3, -1, -4}, {6, 0, 0}, {0, 1, 0}), lambert({0.2F, 0.2F, 0.2F}));
    scene.lights.push_back(point_light({-1, 3, 1}, {3, 2, 1}));
    scene.lights.back().name = "bulb";
    set_sky(scene, 16, 8);
    scene.instances.own().erase(scene.instances.own().begin());
    return scene;
}

RenderSettings split_settings() {
    RenderSettings settings = small_frame(4, 1024);
    settings.width = settings.height = kSplitSide;
    settings.light_groups = kGroups;
    settings.aovs = {
        Aov::Emission, Aov::Diffuse, Aov::Specular, Aov::Transmission, Aov::Direct, Aov::Indirect};
    const std::vector<Aov> groups = weft::film::light_layers(kGroups);
    settings.aovs.insert(settings.aovs.end(), groups.begin(), groups.end());
    return settings;
}

// The beauty's sum of a channel, from the words that files hold.
ExactSum beauty_sum(const std::vector<u32>& words, u32 pixel, u32 channel) {
    const u32* word = words.data() + std::size_t{pixel} * weft::film::kRawWords + 4 * channel;
    return {weft::u64{word[0]} | weft::u64{word[1]} << 32,
            static_cast<i64>(weft::u64{word[2]} | weft::u64{word[3]} << 32)};
}

// Checks that the layers add up to the beauty in every pixel, bit for bit, and none is negative.
void check_adds_up(const Film& film, const std::vector<Aov>& parts) {
    const std::vector<u32> words = film.raw_words();
    u32 wrong = 0;
    u32 negative = 0;
    for (u32 pixel = 0; pixel < film.width() * film.height(); ++pixel) {
        for (u32 c = 0; c < 3; ++c) {
            ExactSum sum;
            for (const Aov part : parts) {
                const ExactSum of_part = film.aov_sums(
                    layer_of(film, part), pixel % film.width(), pixel / film.width())[c];
                negative += of_part.value() < 0 ? 1U : 0U;
                sum.add(of_part);
            }
            wrong += sum.value() == beauty_sum(words, pixel, c).value() ? 0U : 1U;
        }
    }
    CHECK(wrong == 0);
    CHECK(negative == 0);
}

void check_adds_up(const Film& film) {
    check_adds_up(film, weft::film::light_layers(kGroups));
    check_adds_up(film, {Aov::Emission, Aov::Diffuse, Aov::Specular, Aov::Transmission});
    check_adds_up(film, {Aov::Direct, Aov::Indirect});
}

// The mean of a layer over the picture, all channels together.
double mean_of(const Film& film, Aov aov) {
    double sum = 0;
    for (u32 pixel = 0; pixel < film.width() * film.height(); ++pixel) {
        std::array<float, 3> values{};
        film.aov_pixel(
            layer_of(film, aov), pixel % film.width(), pixel / film.width(), values.data());
        sum += static_cast<double>(values[0]) + static_cast<double>(values[1]) +
               static_cast<double>(values[2]);
    }
    return sum / (3.0 * film.width() * film.height());
}

// A wall of one material before a grey sky, lit by a bulb behind the camera.
Scene wall_of(const weft::shaders::MaterialRecord& material) {
    Scene scene;
    add_object(scene, quad({-9, -9, -4}, {18, 0, 0}, {0, 18, 0}), material);
    scene.lights.push_back(point_light({1, 2, 3}, {30, 30, 30}));
    set_sky(scene, 16, 8);
    set_camera(scene, {0, 0, 2}, {0, 0, 0}, 0.6F);
    return scene;
}

// The parts of a pixel by the reference, in the order of the settings' layers.
std::vector<LightSplit::Radiance> reference_parts(const weft::trace::ReferenceTracer& tracer,
                                                  u32 x,
                                                  u32 y,
                                                  u32 samples) {
    std::vector<LightSplit::Radiance> sums(9);
    for (u32 sample = 0; sample < samples; ++sample) {
        const LightSplit split = tracer.split_sample(x, y, sample);
        const std::array<double, 4> whole = tracer.trace_sample(x, y, sample);
        LightSplit::Radiance indirect{};
        for (u32 c = 0; c < 3; ++c) {
            indirect[c] = whole[c] - split.direct[c];
        }
        const std::array<LightSplit::Radiance, 9> parts = {split.emission,
                                                           split.diffuse,
                                                           split.specular,
                                                           split.transmission,
                                                           split.direct,
                                                           indirect,
                                                           split.groups[0],
                                                           split.groups[1],
                                                           split.groups[2]};
        for (u32 k = 0; k < parts.size(); ++k) {
            for (u32 c = 0; c < 3; ++c) {
                sums[k][c] += parts[k][c] / samples;
            }
        }
    }
    return sums;
}

// As test_fast_against_reference.cpp compares pictures: paths that rounding turns are unbiased.
struct Difference {
    double mean = 0;
    double mean_difference = 0;
    double square = 0;

    void add(double got, double expected, double count) {
        mean += expected / count;
        mean_difference += (got - expected) / count;
        square += (got - expected) * (got - expected) / count;
    }

    void check(double count) const {
        const double variance = std::max(0.0, square - mean_difference * mean_difference);
        CHECK(std::fabs(mean_difference) <= 3.2905 * std::sqrt(variance / count) + 2e-4 * mean);
        CHECK(std::sqrt(square) <= 0.1 * mean + 1e-6);
    }
};

}  // namespace

TEST_SUITE("engine/frame/light_split") {
    TEST_CASE("groups, lobes, direct and indirect light each add up to the film bit for bit") {
        const auto frame = rendered(lit_scene(), split_settings());
        check_adds_up(frame->film());
        for (const Aov aov : split_settings().aovs) {
            CAPTURE(weft::film::aov_name(aov));
            CHECK(mean_of(frame->film(), aov) > 1e-3);
        }
    }

    TEST_CASE("with clamps, or where blocks end early, they add up as well") {
        RenderSettings settings = split_settings();
        settings.clamp_direct = 0.7F;
        settings.clamp_indirect = 0.2F;
        settings.samples_per_pixel = 48;
        settings.noise_threshold = 0.1F;
        settings.aovs.push_back(Aov::Noise);
        const auto frame = rendered(lit_scene(), settings);
        std::set<u32> counts;
        for (u32 pixel = 0; pixel < kSplitSide * kSplitSide; ++pixel) {
            counts.insert(frame->film().sample_count(pixel % kSplitSide, pixel / kSplitSide));
        }
        CHECK(counts.size() > 1);
        check_adds_up(frame->film());
    }

    TEST_CASE("neither a film nor its layers depend on which other layers there are") {
        const Scene scene = lit_scene();
        const RenderSettings all = split_settings();
        const auto whole = rendered(scene, all);
        RenderSettings plain = all;
        plain.aovs.clear();
        plain.light_groups.clear();
        CHECK(rendered(scene, plain)->film().film_hash() == whole->film().film_hash());
        for (const std::vector<Aov>& some : {std::vector<Aov>{Aov::Specular},
                                             std::vector<Aov>{Aov::Indirect},
                                             weft::film::light_layers(kGroups)}) {
            RenderSettings settings = all;
            settings.aovs = some;
            const auto part = rendered(scene, settings);
            CHECK(part->film().film_hash() == whole->film().film_hash());
            for (u32 layer = 0; layer < some.size(); ++layer) {
                CHECK(part->film().aov_hash(layer) ==
                      whole->film().aov_hash(layer_of(whole->film(), some[layer])));
            }
        }
    }

    TEST_CASE("parts have the same bits whoever traces them, and slices add up to them") {
        const Scene scene = lit_scene();
        const RenderSettings plain = split_settings();
        const std::string expected = all_hashes(rendered(scene, plain)->film());
        std::vector<RenderSettings> others(5, plain);
        others[0].integrator.mode = SchedulerMode::Unkeyed;
        others[0].thread_count = 1;
        others[1].integrator.traversal = weft::trace::KeyedTraversal::Nodes;
        others[1].share_samples = 333;
        others[2].integrator.shade_batch = 5;
        if (has_device()) {
            others[3].has_egpu = true;
            others[4].has_egpu = true;
            others[4].has_cpu = false;
        }
        for (const RenderSettings& settings : others) {
            CHECK(all_hashes(rendered(scene, settings)->film()) == expected);
        }
        RenderSettings first = plain;
        first.samples_per_pixel = 1;
        RenderSettings second = plain;
        second.first_sample = 1;
        Film sum(kSplitSide, kSplitSide, {0, 0, kSplitSide, kSplitSide}, plain.aovs);
        sum.add(rendered(scene, first)->film());
        sum.add(rendered(scene, second)->film());
        CHECK(all_hashes(sum) == expected);
    }

    TEST_CASE("all light of a scene's only lamp is in its group") {
        Scene scene = rich_scene();
        scene.materials[scene.instances[1].material].name = "glowing panel";
        RenderSettings settings = split_settings();
        settings.light_groups = {{"other", {"nothing", "envi?onment"}}, {"panel", {"*panel"}}};
        const auto frame = rendered(scene, settings);
        CHECK(mean_of(frame->film(), weft::film::light_group(0)) == 0);
        CHECK(mean_of(frame->film(), weft::film::light_group(1)) > 0.1);
        CHECK(mean_of(frame->film(), weft::film::light_group(2)) == 0);
    }

    TEST_CASE("each kind of surface fills its own layers") {
        struct Kind {
            weft::shaders::MaterialRecord material;
            std::set<Aov> filled;
        };

        const std::vector<Kind> kinds = {
            {lambert({0.5F, 0.4F, 0.3F}), {Aov::Diffuse}},
            {metal({0.9F, 0.6F, 0.3F}, 0.4F), {Aov::Specular}},
            {plastic({0.5F, 0.4F, 0.3F}, 0.3F), {Aov::Diffuse, Aov::Specular}},
            {emitter({1, 1, 1}), {Aov::Emission}},
            {window({1, 1, 1}, 0), {Aov::Specular, Aov::Transmission}},
            {glass(1.5F, 0.2F), {Aov::Specular, Aov::Transmission}}};
        for (const Kind& kind : kinds) {
            CAPTURE(&kind - kinds.data());
            const auto frame = rendered(wall_of(kind.material), split_settings());
            for (const Aov aov : {Aov::Emission, Aov::Diffuse, Aov::Specular, Aov::Transmission}) {
                CAPTURE(weft::film::aov_name(aov));
                CHECK((mean_of(frame->film(), aov) > 0) == (kind.filled.count(aov) > 0));
            }
        }
    }

    TEST_CASE("the reference tracer finds the same parts") {
        std::vector<SmallScene> scenes = {{"lit room", lit_scene()}};
        for (SmallScene& small : ten_scenes()) {
            scenes.push_back(std::move(small));
        }
        for (const SmallScene& small : scenes) {
            INFO("scene " << small.name);
            const RenderSettings settings = split_settings();
            const auto frame = rendered(small.scene, settings);
            weft::trace::TablesConfig config;
            config.light_groups = weft::frame::grouped_lights(small.scene, kGroups);
            const weft::trace::SceneTables tables =
                weft::trace::make_scene_tables(small.scene, config);
            const std::vector<float> filter = weft::trace::make_filter_table(settings.filter);
            weft::trace::ReferenceSettings reference;
            reference.params = weft::frame::render_params(settings, filter);
            reference.camera =
                weft::trace::make_camera(small.scene.cameras.front(), kSplitSide, kSplitSide);
            const weft::trace::ReferenceTracer tracer(tables, reference);
            std::vector<Difference> differences(3 * settings.aovs.size());
            constexpr double kPixels = kSplitSide * kSplitSide;
            for (u32 pixel = 0; pixel < kSplitSide * kSplitSide; ++pixel) {
                const auto expected = reference_parts(
                    tracer, pixel % kSplitSide, pixel / kSplitSide, settings.samples_per_pixel);
                for (u32 layer = 0; layer < settings.aovs.size(); ++layer) {
                    std::array<float, 3> got{};
                    frame->film().aov_pixel(
                        layer, pixel % kSplitSide, pixel / kSplitSide, got.data());
                    for (u32 c = 0; c < 3; ++c) {
                        differences[3 * layer + c].add(
                            static_cast<double>(got[c]), expected[layer][c], kPixels);
                    }
                }
            }
            for (u32 k = 0; k < differences.size(); ++k) {
                INFO("layer " << weft::film::aov_name(settings.aovs[k / 3]) << " channel " << k % 3
                              << " mean " << differences[k].mean << " rms "
                              << std::sqrt(differences[k].square));
                differences[k].check(kPixels);
            }
        }
    }
}
