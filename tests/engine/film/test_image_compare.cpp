// test_image_compare.cpp — metrics on pictures whose answer is known, and FLIP against numbers
// computed independently.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <doctest/doctest.h>

#include "engine/film/image_compare.h"
#include "scheduler/base/memory_limit.h"

namespace weft::film {

namespace {

using Rgb = std::array<float, 3>;

template <typename Colour>
Picture picture_of(u32 width, u32 height, const Colour& colour) {
    Picture picture;
    picture.width = width;
    picture.height = height;
    picture.channels = 3;
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            const Rgb rgb = colour(x, y);
            picture.pixels.insert(picture.pixels.end(), rgb.begin(), rgb.end());
        }
    }
    return picture;
}

Picture flat(u32 width, u32 height, Rgb rgb) {
    return picture_of(width, height, [rgb](u32, u32) { return rgb; });
}

Comparison compared(const Picture& reference, const Picture& test, const CompareConfig& config) {
    base::Result<Comparison> result = compare_pictures(reference, test, config);
    REQUIRE(result.is_ok());
    return std::move(result.value());
}

double value_of(Metric metric, const Picture& reference, const Picture& test) {
    CompareConfig config;
    config.metric = metric;
    return compared(reference, test, config).value;
}

constexpr u32 kComparedWidth = 23;
constexpr u32 kComparedHeight = 17;

Rgb pattern(u32 x, u32 y) {
    return {static_cast<float>((x * 37 + y * 91) % 101) / 100.0F,
            static_cast<float>((x * x + 3 * y) % 64) / 64.0F,
            (x / 5 + y / 4) % 2 ? 0.2F : 0.9F};
}

// The pattern with a changed block and one white pixel.
Rgb changed_pattern(u32 x, u32 y) {
    if (x == 17 && y == 3) {
        return {1, 1, 1};
    }
    const Rgb rgb = pattern(x, y);
    return x >= 6 && x < 10 && y >= 5 && y < 12 ? Rgb{rgb[0] * 0.5F, rgb[1], 1 - rgb[2]} : rgb;
}

Rgb bright(Rgb rgb) {
    for (float& x : rgb) {
        x = x * x * x * x * 60 + 0.01F;
    }
    return rgb;
}

}  // namespace

TEST_SUITE("engine/film/image_compare") {
    TEST_CASE("equal pictures have no error in any metric") {
        const Picture picture = picture_of(kComparedWidth, kComparedHeight, pattern);
        for (const Metric metric : {Metric::Rmse, Metric::RelMse, Metric::Flip}) {
            CHECK(value_of(metric, picture, picture) == 0.0);
        }
        CHECK(std::isinf(value_of(Metric::Psnr, picture, picture)));
        CompareConfig config;
        config.is_hdr = true;
        CHECK(compared(picture, picture, config).value == 0.0);
    }

    TEST_CASE("rmse and relmse follow their formulas") {
        const Picture reference = flat(8, 4, {0.5F, 1, 0});
        const Picture test = flat(8, 4, {0.75F, 0.5F, 0});
        CHECK(value_of(Metric::Rmse, reference, test) ==
              doctest::Approx(std::sqrt((0.0625 + 0.25) / 3)));
        CHECK(value_of(Metric::RelMse, reference, test) ==
              doctest::Approx((0.0625 / 0.26 + 0.25 / 1.01) / 3));
        // The reference is the first: the other way round the floor differs.
        CHECK(value_of(Metric::RelMse, test, reference) ==
              doctest::Approx((0.0625 / 0.5725 + 0.25 / 0.26) / 3));
    }

    TEST_CASE("psnr is of display values with a peak of one") {
        const auto linear = [](double display) { return static_cast<float>(srgb_decode(display)); };
        const Picture reference = flat(4, 4, {linear(0.5), linear(0.5), linear(0.5)});
        const Picture test = flat(4, 4, {linear(0.6), linear(0.6), linear(0.6)});
        CHECK(value_of(Metric::Psnr, reference, test) == doctest::Approx(20).epsilon(1e-5));
        const double none = value_of(Metric::Psnr, flat(4, 4, {0, 0, 0}), flat(4, 4, {1, 1, 1}));
        CHECK(none == 0);
        CHECK_FALSE(std::signbit(none));
        CHECK(value_of(Metric::Psnr, flat(4, 4, {7, 7, 7}), flat(4, 4, {9, 9, 9})) ==
              std::numeric_limits<double>::infinity());
    }

    TEST_CASE("FLIP of white against black is that of the paper's formula") {
        const Picture black = flat(24, 24, {0, 0, 0});
        const Picture white = flat(24, 24, {1, 1, 1});
        CHECK(value_of(Metric::Flip, black, white) ==
              doctest::Approx(0.9673797614921327).epsilon(1e-5));
        CHECK(value_of(Metric::Flip, white, black) ==
              doctest::Approx(0.9673797614921327).epsilon(1e-5));
        // Nothing is farther apart on a screen than green and blue.
        CHECK(value_of(Metric::Flip, flat(24, 24, {0, 1, 0}), flat(24, 24, {0, 0, 1})) ==
              doctest::Approx(1).epsilon(1e-5));
    }

    TEST_CASE("FLIP agrees with a direct two-dimensional evaluation in another language") {
        const Picture reference = picture_of(kComparedWidth, kComparedHeight, pattern);
        const Picture test = picture_of(kComparedWidth, kComparedHeight, changed_pattern);
        CompareConfig config;
        const Comparison usual = compared(reference, test, config);
        CHECK(usual.value == doctest::Approx(0.09657320167013657).epsilon(2e-5));
        CHECK(static_cast<double>(usual.errors.at(8, 8, 0)) ==
              doctest::Approx(0.31361616781573554).epsilon(2e-5));
        CHECK(static_cast<double>(usual.errors.at(17, 3, 0)) ==
              doctest::Approx(0.17214878864346037).epsilon(2e-5));
        CHECK(static_cast<double>(usual.errors.at(13, 3, 0)) ==
              doctest::Approx(0.05742066799036213).epsilon(2e-5));
        config.pixels_per_degree = 30;
        CHECK(compared(reference, test, config).value ==
              doctest::Approx(0.09229359451646933).epsilon(2e-5));
    }

    TEST_CASE("HDR FLIP and its exposures agree with the same evaluation") {
        const Picture reference = picture_of(
            kComparedWidth, kComparedHeight, [](u32 x, u32 y) { return bright(pattern(x, y)); });
        const Picture test = picture_of(kComparedWidth, kComparedHeight, [](u32 x, u32 y) {
            return bright(changed_pattern(x, y));
        });
        ColourPlanes planes;
        for (std::size_t c = 0; c < 3; ++c) {
            planes[c] = {kComparedWidth, kComparedHeight, {}};
            for (std::size_t i = c; i < reference.pixels.size(); i += 3) {
                planes[c].values.push_back(reference.pixels[i]);
            }
        }
        const std::vector<float> exposures = flip_exposures(planes);
        REQUIRE(exposures.size() == 3);
        CHECK(static_cast<double>(exposures.front()) ==
              doctest::Approx(-4.545903705213414).epsilon(1e-5));
        CHECK(static_cast<double>(exposures.back()) ==
              doctest::Approx(-1.9387452728323813).epsilon(1e-5));
        CompareConfig config;
        config.is_hdr = true;
        CHECK(compared(reference, test, config).value ==
              doctest::Approx(0.1323835931607537).epsilon(2e-5));
    }

    TEST_CASE("FLIP stays in [0 1] and grows with the difference") {
        const Picture reference = picture_of(kComparedWidth, kComparedHeight, pattern);
        double before = 0;
        for (const float shift : {0.01F, 0.03F, 0.1F, 0.3F}) {
            const Picture test = picture_of(kComparedWidth, kComparedHeight, [shift](u32 x, u32 y) {
                const Rgb rgb = pattern(x, y);
                return Rgb{rgb[0] + shift, rgb[1] + shift, rgb[2] - shift};
            });
            const Comparison comparison = compared(reference, test, {});
            CHECK(comparison.value > before);
            before = comparison.value;
            const auto [low, high] = std::minmax_element(comparison.errors.pixels.begin(),
                                                         comparison.errors.pixels.end());
            CHECK(*low >= 0);
            CHECK(*high <= 1);
        }
    }

    TEST_CASE("HDR FLIP sees what clips in LDR FLIP") {
        const Picture reference = flat(24, 24, {8, 8, 8});
        const Picture test = flat(24, 24, {2, 2, 2});
        CHECK(value_of(Metric::Flip, reference, test) == 0.0);
        CompareConfig config;
        config.is_hdr = true;
        CHECK(compared(reference, test, config).value > 0.1);
        // Exposure brings it into the range of the screen.
        config.is_hdr = false;
        config.exposure_stops = -3;
        CHECK(compared(reference, test, config).value > 0.1);
    }

    TEST_CASE("black and broken pictures give numbers and not NaN") {
        const float bad = std::numeric_limits<float>::quiet_NaN();
        const Picture black = flat(5, 3, {0, 0, 0});
        const Picture broken = flat(5, 3, {bad, std::numeric_limits<float>::infinity(), -1});
        for (const bool is_hdr : {false, true}) {
            CompareConfig config;
            config.is_hdr = is_hdr;
            CHECK(compared(black, black, config).value == 0.0);
            const double value = compared(black, broken, config).value;
            CHECK(value >= 0);
            CHECK(value <= 1);
        }
    }

    TEST_CASE("pictures of other sizes or places are refused with both extents") {
        const Picture small = flat(3, 2, {1, 1, 1});
        Picture moved = small;
        moved.x0 = 4;
        for (const Picture& other : {flat(2, 3, {1, 1, 1}), moved}) {
            const base::Result<Comparison> result = compare_pictures(small, other, {});
            REQUIRE_FALSE(result.is_ok());
            CHECK(result.error().kind == base::ErrorKind::Scene);
            CHECK(result.error().sentence.find("3x2 pixels from (0, 0)") != std::string::npos);
        }
    }

    TEST_CASE("alpha is left out and grey counts as three equal channels") {
        Picture grey = flat(4, 4, {0, 0, 0});
        grey.channels = 1;
        grey.pixels.assign(16, 0.25F);
        Picture with_alpha = flat(4, 4, {0, 0, 0});
        with_alpha.channels = 4;
        with_alpha.pixels.clear();
        for (int i = 0; i < 16; ++i) {
            with_alpha.pixels.insert(with_alpha.pixels.end(), {0.25F, 0.25F, 0.25F, 0.5F});
        }
        CHECK(value_of(Metric::Rmse, grey, with_alpha) == 0.0);
        CHECK(value_of(Metric::Flip, grey, with_alpha) == 0.0);
    }

    TEST_CASE("error colours rise in lightness from black to pale yellow") {
        Picture errors;
        errors.width = 101;
        errors.height = errors.channels = 1;
        for (int i = 0; i <= 100; ++i) {
            errors.pixels.push_back(static_cast<float>(i) / 100);
        }
        const Picture colours = coloured_errors(errors);
        REQUIRE(colours.channels == 3);
        float before = -1;
        for (u32 x = 0; x <= 100; ++x) {
            const float luminance = 0.2126F * colours.at(x, 0, 0) + 0.7152F * colours.at(x, 0, 1) +
                                    0.0722F * colours.at(x, 0, 2);
            CHECK(luminance > before);
            before = luminance;
        }
        CHECK(before > 0.9F);
    }

    TEST_CASE("metrics have the names of the command line") {
        CHECK(metric_name(Metric::Rmse) == "rmse");
        CHECK(metric_name(Metric::RelMse) == "relmse");
        CHECK(metric_name(Metric::Psnr) == "psnr");
        CHECK(metric_name(Metric::Flip) == "flip");
    }

    TEST_CASE("pictures too large to compare under the memory limit are refused") {
        const Picture picture = flat(1024, 1024, {0.5F, 0.5F, 0.5F});
        base::set_memory_limit(base::resident_bytes() + (u64{64} << 20));
        CompareConfig config;
        config.metric = Metric::Flip;
        const base::Result<Comparison> flip = compare_pictures(picture, picture, config);
        config.metric = Metric::Rmse;
        const base::Result<Comparison> rmse = compare_pictures(picture, picture, config);
        base::set_memory_limit(0);
        REQUIRE(!flip.is_ok());
        CHECK(flip.error().kind == base::ErrorKind::TooLarge);
        CHECK(flip.error().sentence.find("a comparison of") != std::string::npos);
        CHECK(rmse.is_ok());
    }
}

}  // namespace weft::film
