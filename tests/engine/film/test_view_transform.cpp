// test_view_transform.cpp — each view as a table of values, computed independently of the program
// from the formulas.
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/film/display.h"
#include "engine/film/srgb_bytes.h"
#include "engine/film/view_transform.h"

namespace weft::film {

namespace {

struct Row {
    std::array<float, 3> linear;
    std::array<float, 3> shown;
};

void check_table(ViewTransform view, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        const std::array<float, 3> shown = apply_view(view, row.linear);
        for (std::size_t c = 0; c < 3; ++c) {
            CAPTURE(row.linear[0]);
            CAPTURE(c);
            CHECK(static_cast<double>(shown[c]) ==
                  doctest::Approx(static_cast<double>(row.shown[c])).epsilon(2e-6));
        }
    }
}

}  // namespace

TEST_SUITE("engine/film/view_transform") {
    TEST_CASE("standard is the sRGB curve alone") {
        check_table(ViewTransform::Standard,
                    {
                        {{0, 0.001F, 0.0031308F}, {0.00000000F, 0.01292000F, 0.04044991F}},
                        {{0.01F, 0.05F, 0.18F}, {0.09985282F, 0.24780053F, 0.46135614F}},
                        {{0.25F, 0.5F, 1}, {0.53709873F, 0.73535698F, 1.00000000F}},
                        {{2, 5.6F, 11.2F}, {1.00000000F, 1.00000000F, 1.00000000F}},
                        {{20, 0.1F, -1}, {1.00000000F, 0.34919022F, 0.00000000F}},
                        {{0.8F, 0.02F, 0.01F}, {0.90633176F, 0.15170372F, 0.09985282F}},
                    });
    }

    TEST_CASE("filmic is the curve of Hable with 11.2 as white and then sRGB") {
        check_table(ViewTransform::Filmic,
                    {
                        {{0, 0.001F, 0.0031308F}, {0.00000000F, 0.00494962F, 0.01549808F}},
                        {{0.01F, 0.05F, 0.18F}, {0.04883797F, 0.14783964F, 0.28730509F}},
                        {{0.25F, 0.5F, 1}, {0.33475514F, 0.45162977F, 0.58763140F}},
                        {{2, 5.6F, 11.2F}, {0.73067351F, 0.91502466F, 1.00000000F}},
                        {{20, 0.1F, -1}, {1.00000000F, 0.21487286F, 0.00000000F}},
                        {{0.8F, 0.02F, 0.01F}, {0.54230551F, 0.08360134F, 0.04883797F}},
                    });
    }

    TEST_CASE("aces is the fit of Hill with its matrices and then sRGB") {
        check_table(ViewTransform::Aces,
                    {
                        {{0, 0.001F, 0.0031308F}, {0.00000000F, 0.00000000F, 0.00000000F}},
                        {{0.01F, 0.05F, 0.18F}, {0.00000000F, 0.12129724F, 0.33586249F}},
                        {{0.25F, 0.5F, 1}, {0.49328014F, 0.64534184F, 0.80106866F}},
                        {{2, 5.6F, 11.2F}, {0.94347463F, 0.97347033F, 0.99007668F}},
                        {{20, 0.1F, -1}, {1.00000000F, 0.87254283F, 0.66722224F}},
                        {{0.8F, 0.02F, 0.01F}, {0.77839437F, 0.00000000F, 0.05766541F}},
                    });
    }

    TEST_CASE("raw clamps and does nothing else") {
        check_table(ViewTransform::Raw,
                    {{{-1, 0, 0.25F}, {0, 0, 0.25F}}, {{0.5F, 1, 7}, {0.5F, 1, 1}}});
    }

    TEST_CASE("every view stays in [0 1] and grey stays in order") {
        for (const ViewTransform view : {ViewTransform::Standard,
                                         ViewTransform::Filmic,
                                         ViewTransform::Aces,
                                         ViewTransform::Raw}) {
            float before = -1;
            for (int step = -200; step <= 300; ++step) {
                const float x = exposure_scale(static_cast<float>(step) / 10);
                const std::array<float, 3> grey = apply_view(view, {x, x, x});
                CHECK(grey[1] >= before);
                before = grey[1];
                for (const float value : apply_view(view, {x, -x, 0.1F * x})) {
                    CHECK(value >= 0);
                    CHECK(value <= 1);
                }
            }
            const float bad = std::numeric_limits<float>::quiet_NaN();
            const float huge = std::numeric_limits<float>::infinity();
            for (const float value : apply_view(view, {bad, huge, -huge})) {
                CHECK(value >= 0);
                CHECK(value <= 1);
            }
        }
    }

    TEST_CASE("displayed light is the display value seen through an sRGB screen") {
        for (const ViewTransform view : {ViewTransform::Standard,
                                         ViewTransform::Filmic,
                                         ViewTransform::Aces,
                                         ViewTransform::Raw}) {
            const std::array<float, 3> linear{0.02F, 0.3F, 1.7F};
            const std::array<float, 3> shown = apply_view(view, linear);
            const std::array<float, 3> light = displayed_light(view, linear);
            for (std::size_t c = 0; c < 3; ++c) {
                CHECK(static_cast<double>(light[c]) ==
                      doctest::Approx(srgb_decode(static_cast<double>(shown[c]))).epsilon(1e-6));
            }
        }
    }

    TEST_CASE("the sRGB curve and its inverse undo each other") {
        for (int i = 0; i <= 1000; ++i) {
            const double x = i / 1000.0;
            CHECK(srgb_decode(srgb_encode(x)) == doctest::Approx(x).epsilon(1e-9));
        }
    }

    TEST_CASE("bytes from the table are those of the curve, at the steps between bytes, too") {
        std::vector<double> values = {0, 1e-300, 0.0031308, 1 - 0x1p-53, 1};
        for (u32 byte = 1; byte < 256; ++byte) {
            const double step = srgb_decode((byte - 0.5) / 255);
            for (const double off : {0.0, 1e-12, 1e-9, 3e-8, 1e-7, 9e-7, 1.1e-6}) {
                values.push_back(step - off);
                values.push_back(step + off);
            }
            const auto single = static_cast<float>(step);
            values.push_back(double{std::nextafter(single, 0.0F)});
            values.push_back(double{single});
            values.push_back(double{std::nextafter(single, 1.0F)});
        }
        for (u32 k = 0; k <= 1000000; ++k) {
            values.push_back(k / 1e6);
        }
        for (const double x : values) {
            const u8 by_curve = to_byte(static_cast<float>(srgb_encode(x)));
            if (srgb_byte(x) != by_curve) {
                CAPTURE(x);
                CHECK(u32{srgb_byte(x)} == by_curve);
            }
        }
    }

    TEST_CASE("the bytes of each view are its values, rounded") {
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const std::vector<std::array<float, 3>> colours = {
            {0.18F, 0.5F, 0.9F}, {-1, 0, 1}, {1e-9F, 0.003F, 100}, {kNan, kInfinity, -kInfinity}};
        for (const ViewTransform view : {ViewTransform::Standard,
                                         ViewTransform::Filmic,
                                         ViewTransform::Aces,
                                         ViewTransform::Raw}) {
            for (const std::array<float, 3>& rgb : colours) {
                const std::array<float, 3> shown = apply_view(view, rgb);
                CHECK(view_bytes(view, rgb) ==
                      std::array{to_byte(shown[0]), to_byte(shown[1]), to_byte(shown[2])});
            }
        }
    }

    TEST_CASE("exposure is a power of two per stop") {
        CHECK(exposure_scale(0) == 1.0F);
        CHECK(exposure_scale(3) == 8.0F);
        CHECK(exposure_scale(-2) == 0.25F);
        CHECK(static_cast<double>(exposure_scale(0.5F)) ==
              doctest::Approx(1.41421356).epsilon(1e-7));
    }

    TEST_CASE("names lead to views and back and an unknown name to none") {
        for (const ViewTransform view : {ViewTransform::Standard,
                                         ViewTransform::Filmic,
                                         ViewTransform::Aces,
                                         ViewTransform::Raw}) {
            CHECK(view_transform_named(view_transform_name(view)) == view);
        }
        CHECK(view_transform_name(ViewTransform::Aces) == "aces");
        CHECK_FALSE(view_transform_named("Standard").has_value());
        CHECK_FALSE(view_transform_named("").has_value());
    }
}

}  // namespace weft::film
