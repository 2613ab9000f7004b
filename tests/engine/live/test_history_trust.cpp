// test_history_trust.cpp — new samples bear out a history that is right, however noisy they are,
// and contradict one that is wrong where it is wrong.
#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "engine/live/history_trust.h"
#include "engine/live/shown_light.h"

namespace {

using namespace weft;
using live::HistoryTrust;
using live::NodeLattice;
using live::PictureHistory;
using math::Vec3;

constexpr u32 kSide = 256;
using LightAt = std::function<float(u32 x, u32 y)>;

PictureHistory history_of(const LightAt& light) {
    PictureHistory history;
    history.width = history.height = kSide;
    for (u32 k = 0; k < kSide * kSide; ++k) {
        history.pixels.push_back({Vec3(light(k % kSide, k / kSide)), 32});
    }
    return history;
}

// Compares a history with nodes whose samples are exponentially distributed around the light that
// there is: a standard deviation as large as the mean. The filter takes three quarters of that.
HistoryTrust compared(const PictureHistory& history,
                      const NodeLattice& nodes,
                      const LightAt& now,
                      u32 samples = 1) {
    std::mt19937 random(7);
    std::exponential_distribution<float> sample(1);
    std::vector<float> noisy;
    std::vector<float> filtered;
    for (u32 k = 0; k < nodes.width * nodes.height; ++k) {
        const auto step = static_cast<u32>(nodes.step);
        const float mean = now(k % nodes.width * step, k / nodes.width * step);
        float value = 0;
        for (u32 n = 0; n < samples; ++n) {
            value += mean * sample(random) / static_cast<float>(samples);
        }
        noisy.insert(noisy.end(), {value, value, value, 1});
        filtered.insert(filtered.end(), 3, mean + 0.25F * (value - mean));
    }
    HistoryTrust trust;
    trust.compare(nodes, samples, noisy, filtered, history);
    return trust;
}

// The mean trust of a square of pixels.
float mean_trust(const HistoryTrust& trust, u32 x0, u32 y0, u32 side) {
    float sum = 0;
    for (u32 y = y0; y < y0 + side; ++y) {
        for (u32 x = x0; x < x0 + side; ++x) {
            sum += trust.at(x, y);
        }
    }
    return sum / static_cast<float>(side * side);
}

constexpr NodeLattice kPixels{kSide, kSide, 0.5F, 1};
constexpr NodeLattice kEighths{kSide / 8, kSide / 8, 0.5F, 8};
constexpr NodeLattice kSmall{kSide / 8, kSide / 8, 4, 8};  // of a smaller film

float ramp(u32 x, u32 y) {
    return 0.01F + 0.02F * static_cast<float>(x + y);
}

}  // namespace

TEST_SUITE("engine/live/history_trust") {
    TEST_CASE("noise alone does not lower the trust, with one sample of few pixels or of all") {
        const PictureHistory history = history_of(ramp);
        for (const NodeLattice& nodes : {kPixels, kEighths, kSmall}) {
            for (const u32 samples : {1U, 8U, 32U}) {
                CHECK(mean_trust(compared(history, nodes, ramp, samples), 0, 0, kSide) > 0.97F);
            }
        }
    }

    // Paths that find a lamp by chance: one in twelve samples has all the light, and the filter
    // takes it for an outlier.
    TEST_CASE("a filter that darkens few samples does not lower the trust") {
        const PictureHistory history = history_of(ramp);
        std::mt19937 random(3);
        std::vector<float> noisy;
        std::vector<float> filtered;
        for (const float light : {1.0F, 0.0F}) {
            noisy.clear();
            filtered.clear();
            for (u32 k = 0; k < kSide * kSide; ++k) {
                const float mean = light * ramp(k % kSide, k / kSide);
                const float value = random() % 12 == 0 ? 12 * mean : 0;
                noisy.insert(noisy.end(), {value, value, value, 1});
                filtered.insert(filtered.end(), 3, 0.3F * mean);
            }
            HistoryTrust trust;
            trust.compare(kPixels, 1, noisy, filtered, history);
            const float seen = mean_trust(trust, 0, 0, kSide);
            CAPTURE(seen);
            // Switched off, it is seen at once.
            CHECK((light > 0 ? seen > 0.95F : seen < 0.05F));
        }
    }

    TEST_CASE("light that has changed everywhere is seen at once, by few samples") {
        const PictureHistory history = history_of(ramp);
        for (const float change : {0.5F, 1.6F, 0.0F}) {
            const HistoryTrust trust =
                compared(history, kSmall, [&](u32 x, u32 y) { return change * ramp(x, y); });
            CHECK(mean_trust(trust, 0, 0, kSide) < 0.05F);
        }
    }

    TEST_CASE("a shadow is seen where it lies, and trust is kept elsewhere") {
        const PictureHistory history = history_of(ramp);
        const HistoryTrust trust = compared(history, kPixels, [](u32 x, u32 y) {
            const bool is_dark = x >= 64 && x < 112 && y >= 128 && y < 176;
            return (is_dark ? 0.3F : 1.0F) * ramp(x, y);
        });
        CHECK(mean_trust(trust, 72, 136, 32) < 0.05F);
        CHECK(mean_trust(trust, 144, 0, 96) > 0.95F);
        CHECK(mean_trust(trust, 160, 160, 96) > 0.95F);
    }

    TEST_CASE("a small shadow is seen once pixels have samples") {
        const PictureHistory history = history_of(ramp);
        const auto now = [](u32 x, u32 y) {
            const bool is_dark = x >= 60 && x < 68 && y >= 132 && y < 140;
            return (is_dark ? 0.3F : 1.0F) * ramp(x, y);
        };
        CHECK(mean_trust(compared(history, kPixels, now, 1), 61, 133, 6) > 0.5F);
        const HistoryTrust trust = compared(history, kPixels, now, 32);
        CHECK(mean_trust(trust, 62, 134, 4) < 0.05F);
        CHECK(mean_trust(trust, 80, 80, 96) > 0.97F);
    }

    TEST_CASE("pixels without a history, and darkness, decide nothing") {
        PictureHistory history = history_of(ramp);
        for (u32 k = 0; k < kSide * kSide / 2; ++k) {
            history.pixels[k] = {Vec3(1000), 0};
        }
        CHECK(mean_trust(compared(history, kPixels, ramp), 0, 0, kSide) > 0.97F);
        const PictureHistory black = history_of([](u32, u32) { return 0.0F; });
        const auto dark = [](u32, u32) { return 0.0F; };
        CHECK(mean_trust(compared(black, kPixels, dark), 0, 0, kSide) == 1);
    }

    TEST_CASE("a picture no wider than a block has a trust") {
        PictureHistory history;
        history.width = 3;
        history.height = 1;
        history.pixels.resize(3, {Vec3(1), 8});
        const std::vector<float> noisy(12, 1.0F);
        const std::vector<float> filtered(9, 1.0F);
        HistoryTrust trust;
        trust.compare({3, 1, 0.5F, 1}, 1, noisy, filtered, history);
        CHECK(trust.at(0, 0) == 1);
        CHECK(trust.at(2, 0) == 1);
    }

    TEST_CASE("a history fades as samples come and is not in the last picture") {
        constexpr float kKnown = 8;
        const auto history = std::make_shared<PictureHistory>();
        history->width = history->height = 8;
        history->pixels.resize(64, {Vec3(1), kKnown});
        const auto surfaces = std::make_shared<live::SurfacePixels>();
        surfaces->width = surfaces->height = 8;
        surfaces->pixels.resize(64, {Vec3(0), Vec3(0, 0, 1), Vec3(0.5F)});
        live::ShownLight light;
        light.use_surfaces(surfaces);
        light.use_history(history);
        const auto shown = [&](u32 samples, bool is_last) {
            light.begin({0, 8, 8}, samples, is_last);
            light.filtered().assign(3 * 64, 1.05F);
            std::fill(light.means().begin(), light.means().end(), 1.05F);
            light.end(true, {});
            return light.pixel(3, 4);
        };
        CHECK(shown(1, false).rgb.x < 1.01F);
        CHECK(shown(1, false).samples == doctest::Approx(0.2 + 8 * (1 - 0.2 * 0.2 / 256)));
        float former = 1;
        for (const u32 samples : {2U, 4U, 8U, 16U, 20U}) {
            const live::LightPixel pixel = shown(samples, false);
            CHECK(pixel.rgb.x > former);
            former = pixel.rgb.x;
        }
        CHECK(former == 1.05F);
        CHECK(shown(20, false).samples == doctest::Approx(400.0 / 24));
        CHECK(shown(2, true).rgb.x == 1.05F);
        // A view without the filter shows the film alone.
        light.drop_filter();
        CHECK_FALSE(light.has_pixels());
        CHECK(light.node(5)[0] == 1.05F);
    }
}
