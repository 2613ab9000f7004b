// test_spread_pictures.cpp — pictures of few samples at full resolution: light spread by surfaces,
// and by what the pictures before have shown of them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "engine/live/joint_upsampling.h"
#include "engine/live/picture_history.h"
#include "engine/live/shown_frame.h"
#include "tests/engine/live/live_waits.h"
#include "tests/engine/live/small_live.h"
#include "tests/rest.h"

namespace {

using namespace weft;
using live::LightPixel;
using live::NodeLattice;
using live::ShownImage;
using live::SurfacePixel;
using live::SurfacePixels;
using math::Vec3;

// A wall at z = −depth_m as a pinhole at (eye_m, 0, 0) sees it that looks along −z, 90° wide.
SurfacePixels wall(u32 side, float eye_m, float depth_m) {
    SurfacePixels surfaces{side, side, {}, {}, {}};
    for (u32 k = 0; k < side * side; ++k) {
        const auto share = [side](u32 pixel) {
            return 2 * (static_cast<float>(pixel) + 0.5F) / static_cast<float>(side) - 1;
        };
        surfaces.pixels.push_back(
            {{eye_m + share(k % side) * depth_m, -share(k / side) * depth_m, -depth_m},
             {0, 0, 1},
             {0.5F, 0.5F, 0.5F},
             0});
    }
    return surfaces;
}

shaders::CameraRecord pinhole(float eye_m) {
    shaders::CameraRecord camera{};
    camera.origin[0] = eye_m;
    camera.right[0] = 1;
    camera.up[1] = 1;
    camera.forward[2] = -1;
    camera.half_width = 1;
    camera.half_height = 1;
    return camera;
}

// The colours of the nodes of a lattice that are the middles of pixels.
std::vector<float> node_values(const NodeLattice& nodes,
                               const std::function<Vec3(u32 x, u32 y)>& value) {
    std::vector<float> all;
    for (u32 k = 0; k < nodes.width * nodes.height; ++k) {
        const auto step = static_cast<u32>(nodes.step);
        const Vec3 at = value(k % nodes.width * step, k / nodes.width * step);
        all.insert(all.end(), {at.x, at.y, at.z});
    }
    return all;
}

// The largest difference of any pixel from what it should be.
float worst(const SurfacePixels& surfaces,
            const NodeLattice& nodes,
            const std::function<Vec3(u32 x, u32 y)>& colour) {
    const std::vector<float> colours = node_values(nodes, colour);
    const std::vector<float> albedo =
        node_values(nodes, [&](u32 x, u32 y) { return surfaces.at(x, y).albedo; });
    std::vector<float> light(colours.size());
    live::divide_by_albedo(nodes, surfaces, colours, albedo, light);
    float most = 0;
    for (u32 y = 0; y < surfaces.height; ++y) {
        for (u32 x = 0; x < surfaces.width; ++x) {
            const Vec3 off = live::upsampled_colour(nodes, surfaces, light, x, y) - colour(x, y);
            most = std::max(most, math::length(off));
        }
    }
    return most;
}

// The first picture of a job.
live::LivePicture first_spread(live::LiveRender& live, u64 job) {
    live::LivePicture picture;
    while (picture.job != job) {
        live.take_picture(picture);
        tests::rest();
    }
    live.set_paused(true);
    return picture;
}

// The share of the bytes of a picture, smaller if need be, that are nearly those of a whole one.
double share_alike(const live::LivePicture& picture, const live::LivePicture& whole) {
    u64 alike = 0;
    for (u32 y = 0; y < picture.height; ++y) {
        for (u32 x = 0; x < picture.width; ++x) {
            const u32 at_x = (2 * x + 1) * whole.width / (2 * picture.width);
            const u32 at_y = (2 * y + 1) * whole.height / (2 * picture.height);
            const u8* const a = &picture.rgba[4 * (std::size_t{y} * picture.width + x)];
            const u8* const b = &whole.rgba[4 * (std::size_t{at_y} * whole.width + at_x)];
            for (u32 c = 0; c < 3; ++c) {
                alike += std::abs(int{a[c]} - int{b[c]}) <= 16 ? 1U : 0U;
            }
        }
    }
    return static_cast<double>(alike) / (3.0 * picture.width * picture.height);
}

constexpr NodeLattice kNodes{8, 8, 0.5F, 4};
constexpr float kMostSamples = 64;

}  // namespace

TEST_SUITE("engine/live/spread_pictures") {
    TEST_CASE("a texture finer than the nodes is there in full") {
        SurfacePixels surfaces = wall(32, 0, 4);
        for (u32 k = 0; k < surfaces.pixels.size(); ++k) {
            const float grey = (k * 7 % 13 < 5) ? 0.9F : 0.2F;
            surfaces.pixels[k].albedo = {grey, 0.5F * grey, 0.1F};
        }
        CHECK(worst(surfaces, kNodes, [&](u32 x, u32 y) {
                  return 3.0F * (surfaces.at(x, y).albedo + Vec3(0.05F));
              }) < 1e-4F);
    }

    TEST_CASE("light ends where the surface does and not at a node") {
        SurfacePixels surfaces = wall(32, 0, 4);
        const auto is_near = [](u32 x) { return x >= 14; };
        for (u32 k = 0; k < surfaces.pixels.size(); ++k) {
            if (is_near(k % 32)) {
                surfaces.pixels[k].position *= 0.5F;  // along the pixel's ray
            }
        }
        CHECK(worst(surfaces, kNodes, [&](u32 x, u32) {
                  return is_near(x) ? Vec3(2, 1, 0.5F) : Vec3(0.1F, 0.1F, 0.2F);
              }) < 0.01F);
    }

    TEST_CASE("a lamp keeps its brightness although the albedo of its samples is black") {
        SurfacePixels surfaces = wall(32, 0, 4);
        for (SurfacePixel& pixel : surfaces.pixels) {
            pixel.albedo = {1, 1, 1};
        }
        const std::vector<float> colours(3 * 64, 9.0F);
        const std::vector<float> black(3 * 64);
        std::vector<float> light(3 * 64);
        live::divide_by_albedo(kNodes, surfaces, colours, black, light);
        const Vec3 colour = live::upsampled_colour(kNodes, surfaces, light, 13, 6);
        CHECK(colour.y == doctest::Approx(9));
    }

    TEST_CASE("a pixel that is like no node and one where nothing is hit have colours") {
        SurfacePixels surfaces = wall(32, 0, 4);
        surfaces.pixels[32 * 6 + 6].normal = {1, 0, 0};
        surfaces.pixels[32 * 9 + 9] = {};
        const std::vector<float> light(3 * 64, 2.0F);
        CHECK(live::upsampled_colour(kNodes, surfaces, light, 6, 6).x == doctest::Approx(2 * 0.55));
        CHECK(live::upsampled_colour(kNodes, surfaces, light, 9, 9).x == doctest::Approx(2 * 0.05));
    }

    TEST_CASE("the light of before lies where the new camera sees its surfaces") {
        constexpr u32 kSide = 64;
        const auto before = std::make_shared<const SurfacePixels>(wall(kSide, 0, 4));
        const auto red_at = [](const Vec3& position) { return 8 + position.x; };
        auto image = std::make_shared<ShownImage>();
        for (const SurfacePixel& pixel : before->pixels) {
            image->light.push_back({{red_at(pixel.position), 1, 0}, 10});
        }
        const SurfacePixels now = wall(kSide, 1, 4);
        const auto history =
            live::make_history({image, before, pinhole(0)}, now, pinhole(1), kMostSamples);
        REQUIRE(history->pixels.size() == now.pixels.size());
        u32 unknown = 0;
        for (u32 k = 0; k < kSide * kSide; ++k) {
            const LightPixel& light = history->pixels[k];
            if (now.pixels[k].position.x > 4) {
                CHECK(light.samples == 0);
                ++unknown;
            } else {
                CHECK(light.rgb.x == doctest::Approx(red_at(now.pixels[k].position)).epsilon(0.02));
                CHECK(light.samples > 5);
                CHECK(light.samples <= 10);
            }
        }
        CHECK(unknown == kSide * kSide / 8);  // an eighth of the wall is new
    }

    TEST_CASE("through the same camera light stays where it was, and no pixel counts too much") {
        constexpr u32 kSide = 32;
        const auto before = std::make_shared<SurfacePixels>(wall(kSide, 0, 4));
        before->pixels[5] = {};
        auto image = std::make_shared<ShownImage>();
        for (u32 k = 0; k < kSide * kSide; ++k) {
            image->light.push_back({{static_cast<float>(k), 0, 0}, static_cast<float>(k)});
        }
        SurfacePixels now = *before;
        now.pixels[77].position *= 0.9F;          // another thing stands there
        now.pixels[78].albedo = {0.9F, 0.1F, 0};  // the same thing in another colour
        now.pixels[79].normal = {1, 0, 0};        // it was turned
        now.pixels[80] = {};                      // it is gone
        shaders::CameraRecord camera = pinhole(0);
        camera.focus_m = 3;  // shows nowhere
        const auto history =
            live::make_history({image, before, pinhole(0)}, now, camera, kMostSamples);
        for (u32 k = 0; k < kSide * kSide; ++k) {
            const bool is_changed = k >= 77 && k <= 80;
            const float samples = std::min(static_cast<float>(k), kMostSamples);
            CHECK(history->pixels[k].samples == (is_changed ? 0 : samples));
            CHECK((is_changed || history->pixels[k].rgb.x == static_cast<float>(k)));
        }
    }

    TEST_CASE("a thing that has moved brings its light along, and counts less") {
        constexpr u32 kSide = 64;
        // The right half of the wall is another thing.
        const auto with_door = [](const math::Affine& place) {
            auto surfaces = std::make_shared<SurfacePixels>(wall(kSide, 0, 4));
            for (u32 k = 0; k < surfaces->pixels.size(); ++k) {
                surfaces->pixels[k].instance = k % kSide >= kSide / 2 ? 1 : 0;
            }
            surfaces->places = {math::kIdentity, place};
            return surfaces;
        };
        const auto before = with_door(math::kIdentity);
        auto image = std::make_shared<ShownImage>();
        for (const SurfacePixel& pixel : before->pixels) {
            image->light.push_back({{10 + pixel.position.y, 1, 0}, 32});
        }
        // It moves up by half a metre: four pixels.
        const auto now = with_door(math::translation({0, 0.5F, 0}));
        const auto history =
            live::make_history({image, before, pinhole(0)}, *now, pinhole(0), kMostSamples);
        for (u32 k = 0; k < kSide * kSide; ++k) {
            const LightPixel& light = history->pixels[k];
            const float y = now->pixels[k].position.y;
            if (now->pixels[k].instance == 0) {
                CHECK(light.samples == 32);
                CHECK(light.rgb.x == 10 + y);
            } else if (k / kSide < kSide - 4) {
                CHECK(light.rgb.x == doctest::Approx(10 + y - 0.5F).epsilon(1e-4));
                CHECK(light.samples == 8);
            } else {
                CHECK(light.samples == 0);  // it was below the picture
            }
        }
    }

    TEST_CASE("a mirror has the light of where it showed the same point before") {
        constexpr u32 kSide = 64;
        // The wall is a mirror; 6 m behind the camera stand thing 1, on the left, and thing 2.
        const auto mirror = [](float eye_m, const math::Affine& place) {
            auto surfaces = std::make_shared<SurfacePixels>(wall(kSide, eye_m, 4));
            surfaces->places = {math::kIdentity, math::kIdentity, place};
            for (const SurfacePixel& pixel : surfaces->pixels) {
                const Vec3 at = {
                    eye_m + 3.5F * (pixel.position.x - eye_m), 3.5F * pixel.position.y, 6};
                surfaces->mirrored.push_back({true, at.x < 0 ? 1U : 2U, at});
            }
            return surfaces;
        };
        const auto before = mirror(0, math::kIdentity);
        auto image = std::make_shared<ShownImage>();
        for (const frame::MirroredPoint& shown : before->mirrored) {
            image->light.push_back({{20 + shown.position.x, 20 + shown.position.y, 1}, 32});
        }
        const live::FormerPicture former{image, before, pinhole(0)};
        // Thing 2 goes up by two pixels, and brings its light along.
        const float up_m = 2 * 28.0F / kSide;
        const auto moved = mirror(0, math::translation({0, up_m, 0}));
        const auto still = live::make_history(former, *moved, pinhole(0), kMostSamples);
        for (u32 k = 0; k < kSide * kSide; ++k) {
            const LightPixel& light = still->pixels[k];
            const frame::MirroredPoint& shown = moved->mirrored[k];
            if (shown.instance == 1) {
                CHECK(light.samples == 32);
                CHECK(light.rgb.y == 20 + shown.position.y);
            } else if (k / kSide < kSide - 2) {
                CHECK(light.samples == 8);
                CHECK(light.rgb.y == doctest::Approx(20 + shown.position.y - up_m));
            } else {
                CHECK(light.samples == 2);  // the mirror did not show it
            }
        }
        // Another camera sees the same points in other places of the mirror.
        const auto beside = mirror(0.5F, math::kIdentity);
        const auto turned = live::make_history(former, *beside, pinhole(0.5F), kMostSamples);
        u32 found = 0;
        for (u32 k = 0; k < kSide * kSide; ++k) {
            const LightPixel& light = turned->pixels[k];
            if (light.samples > 2) {
                ++found;
                CHECK(light.samples <= 24);
                CHECK(light.rgb.x ==
                      doctest::Approx(20 + beside->mirrored[k].position.x).epsilon(0.02));
            }
        }
        CHECK(found > kSide * kSide * 9 / 10);
        // What was no mirror before has its own light for a moment.
        auto dull = std::make_shared<SurfacePixels>(*before);
        dull->mirrored.clear();
        const auto anew =
            live::make_history({image, dull, pinhole(0)}, *before, pinhole(0), kMostSamples);
        CHECK(anew->pixels[kSide + 1].samples == 2);
    }

    TEST_CASE("surfaces that the picture before did not show have no history") {
        constexpr u32 kSide = 32;
        const auto before = std::make_shared<const SurfacePixels>(wall(kSide, 0, 4));
        auto image = std::make_shared<ShownImage>();
        image->light.resize(kSide * kSide, {{1, 1, 1}, 9});
        const auto has_none = [&](const SurfacePixels& now) {
            const auto history =
                live::make_history({image, before, pinhole(0)}, now, pinhole(0.1F), kMostSamples);
            return std::all_of(history->pixels.begin(), history->pixels.end(), [](const auto& k) {
                return k.samples == 0;
            });
        };
        SurfacePixels now = wall(kSide, 0.1F, 3.9F);
        CHECK(has_none(now));
        // Nor does what faces elsewhere, lies behind the camera or is nothing.
        now = wall(kSide, 0.1F, 4);
        for (u32 k = 0; k < now.pixels.size(); ++k) {
            SurfacePixel& pixel = now.pixels[k];
            pixel.normal = k % 3 == 0 ? Vec3(1, 0, 0) : pixel.normal;
            pixel.position.z = k % 3 == 1 ? 4.0F : pixel.position.z;
            pixel = k % 3 == 2 ? SurfacePixel{} : pixel;
        }
        CHECK(has_none(now));
    }

    TEST_CASE("after turns of the camera the last picture and the film are the frame's own") {
        live::LiveView view;
        view.denoise = live::LiveDenoise::Fast;
        live::LiveJob job = tests::small_job();
        job.settings.width = 320;
        job.settings.height = 256;
        job.settings.samples_per_pixel = 2;
        live::LiveRender live(2);
        live.set_view(view);
        tests::wait_for_end(live, live.show(job));
        u64 number = 0;
        for (u32 k = 0; k < 3; ++k) {
            job.camera.to_world[3] += 0.02F;
            job.effect = scene::kEffectCamera;
            number = live.show(job);
            tests::wait_for_end(live, number);
        }
        live::LivePicture turned;
        REQUIRE(live.take_picture(turned));
        CHECK(!turned.is_coarse);
        CHECK(turned.samples == 2);
        CHECK(live.film_hash().value() == tests::batch_hash(job));
        // Nothing of the pictures before is in it.
        live::LiveRender fresh(2);
        fresh.set_view(view);
        tests::wait_for_end(fresh, fresh.show(job));
        live::LivePicture alone;
        REQUIRE(fresh.take_picture(alone));
        CHECK(alone.rgba == turned.rgba);
    }

    TEST_CASE("what is shown first after a move is nearly what was shown before") {
        live::LiveView view;
        view.denoise = live::LiveDenoise::Fast;
        live::LiveJob job = tests::small_job();
        job.settings.width = 320;
        job.settings.height = 256;
        job.settings.samples_per_pixel = 12;
        live::LiveRender live(2);
        live.set_view(view);
        tests::wait_for_end(live, live.show(job));
        live::LivePicture before;
        REQUIRE(live.take_picture(before));
        // So many samples that the first picture is seen.
        scene::Scene moved = *job.scene;
        moved.instances.back().object_to_world[7] += 0.02F;
        job.scene = std::make_shared<const scene::Scene>(std::move(moved));
        job.settings.samples_per_pixel = 4096;
        job.effect = scene::kEffectPlacement;
        const double kept = share_alike(first_spread(live, live.show(job)), before);
        live::LiveRender fresh(2);
        fresh.set_view(view);
        const double anew = share_alike(first_spread(fresh, fresh.show(job)), before);
        CAPTURE(kept);
        CAPTURE(anew);
        CHECK(kept > 0.9);
        CHECK(kept > anew + 0.1);
    }

    TEST_CASE("the picture of a smaller film is spread and is small again without denoising") {
        constexpr u32 kReduction = 4;
        film::Film film(16,
                        16,
                        {0, 0, 16, 16},
                        {film::Aov::Albedo, film::Aov::Normal, film::Aov::Depth, film::Aov::Noise});
        live::LiveFilter filter;
        live::LiveView view;
        view.denoise = live::LiveDenoise::Fast;
        live::ShownFrame shown(
            film, view, {.full_width = 64, .full_height = 64, .is_coarse = true}, filter);
        auto surfaces = std::make_shared<const SurfacePixels>(wall(64, 0, 4));
        CHECK(!shown.spread(surfaces, nullptr, kReduction));  // there is no picture yet
        REQUIRE(shown.complete(1, [] { return false; }));
        REQUIRE(shown.image()->width == 16);
        REQUIRE(shown.spread(surfaces, nullptr, kReduction));
        CHECK(shown.image()->width == 64);
        CHECK(shown.image()->height == 64);
        CHECK(shown.image()->rgba.size() == std::size_t{4} * 64 * 64);
        CHECK(shown.image()->is_coarse);
        CHECK(shown.former(pinhole(0)).image == shown.image());
        // What the history knows, and a dark film does not contradict, is taken from there.
        auto history = std::make_shared<live::PictureHistory>();
        history->width = history->height = 64;
        history->pixels.resize(std::size_t{64} * 64);
        history->pixels[777] = {{0.5F, 0.25F, 0.125F}, 32};
        REQUIRE(shown.spread(surfaces, history, kReduction));
        CHECK(shown.image()->light[777].rgb.x == doctest::Approx(0.5).epsilon(0.01));
        CHECK(shown.image()->rgba[4 * 777] == doctest::Approx(188).epsilon(0.02));
        CHECK(shown.image()->rgba[4 * 777 + 3] == 255);
        CHECK(shown.image()->light[778].rgb.x == 0);
        view.exposure_stops = 1;
        shown.change_view(view);
        CHECK(shown.image()->width == 64);
        CHECK(shown.image()->rgba[4 * 777] > 240);
        view.denoise = live::LiveDenoise::Off;
        shown.change_view(view);
        CHECK(shown.image()->width == 16);
        CHECK(shown.image()->rgba.size() == std::size_t{4} * 16 * 16);
        CHECK(!shown.former(pinhole(0)).image);
    }
}
