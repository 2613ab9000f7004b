// test_regression.cpp — the regression in lanes against the plain one, for each instruction set.
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "engine/denoise/kernels/regression.h"
#include "tests/engine/denoise/plain_regression.h"

namespace weft::denoise::testing {

namespace {

// Two surfaces that meet at a slanted edge, with noise in both halves.
Planes noisy_picture(u32 width, u32 height) {
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 0.1F);
    Planes picture(width, height, kRegressionPlanes);
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            const bool is_left = 2 * x + y < width;
            const auto across = static_cast<float>(x) / static_cast<float>(width);
            picture.row(kNormal, y)[x] = is_left ? 1.0F : 0.1F * across;
            picture.row(kNormal + 1, y)[x] = is_left ? 0.0F : 1.0F;
            picture.row(kInverse, y)[x] = is_left ? 1.0F + 0.3F * across : 0.0F;
            for (u32 c = 0; c < 3; ++c) {
                const float light = (is_left ? 0.4F : 1.2F) + 0.5F * across;
                picture.row(kAlbedo + c, y)[x] = (x + y) % 5 == 0 ? 0.7F : 0.2F;
                picture.row(kGuide + c, y)[x] = light + noise(random);
                picture.row(kLight + c, y)[x] = light + noise(random);
                picture.row(kVariance + c, y)[x] = 0.01F;
            }
        }
    }
    return picture;
}

Planes regressed(const Planes& picture, shaders::Isa isa) {
    Planes out(picture.width(), picture.height(), 3);
    for (u32 y = 0; y < picture.height(); y += kBlockHeight) {
        for (u32 x = 0; x < picture.width(); x += kBlockWidth) {
            regress_block(isa)(picture, 0.5F, x, y, out);
        }
    }
    return out;
}

constexpr std::array<shaders::Isa, 3> kIsas = {
    shaders::Isa::Sse4, shaders::Isa::Avx2, shaders::Isa::Avx512};

}  // namespace

TEST_SUITE("engine/denoise/kernels/regression") {
    TEST_CASE("each instruction set estimates what the plain regression does") {
        for (const auto& [width, height] :
             {std::array{90U, 21U}, std::array{1U, 1U}, std::array{5U, 40U}}) {
            const Planes picture = noisy_picture(width, height);
            for (const shaders::Isa isa : kIsas) {
                if (!shaders::is_supported(isa)) {
                    continue;
                }
                CAPTURE(shaders::isa_name(isa));
                const Planes out = regressed(picture, isa);
                double largest = 0;
                for (u32 y = 0; y < height; y += 3) {
                    for (u32 x = 0; x < width; x += 4) {
                        const std::array<double, 3> plain = regress_plainly(picture, 0.5, x, y);
                        for (u32 c = 0; c < 3; ++c) {
                            const double error =
                                std::fabs(static_cast<double>(out.row(c, y)[x]) - plain[c]);
                            largest = std::max(largest, error);
                        }
                    }
                }
                CHECK(largest < 2e-4);
            }
        }
    }

    TEST_CASE("AVX2 and AVX-512 give the same bits") {
        if (!shaders::is_supported(shaders::Isa::Avx512)) {
            return;
        }
        const Planes picture = noisy_picture(131, 35);
        const Planes narrow = regressed(picture, shaders::Isa::Avx2);
        const Planes wide = regressed(picture, shaders::Isa::Avx512);
        u32 different = 0;
        for (u32 c = 0; c < 3; ++c) {
            for (u32 y = 0; y < picture.height(); ++y) {
                for (u32 x = 0; x < picture.width(); ++x) {
                    different += narrow.row(c, y)[x] == wide.row(c, y)[x] ? 0U : 1U;
                }
            }
        }
        CHECK(different == 0);
    }

    TEST_CASE("light that is linear in place and features comes through") {
        Planes picture = noisy_picture(80, 40);
        for (u32 y = 0; y < 40; ++y) {
            for (u32 x = 0; x < 80; ++x) {
                for (u32 c = 0; c < 3; ++c) {
                    const float light = 1.0F + 0.01F * static_cast<float>(x) +
                                        0.3F * picture.row(kNormal, y)[x] +
                                        0.5F * picture.row(kAlbedo + c, y)[x];
                    picture.row(kGuide + c, y)[x] = picture.row(kLight + c, y)[x] = light;
                }
            }
        }
        const Planes out = regressed(picture, shaders::best_isa());
        float largest = 0;
        for (u32 y = 0; y < 40; ++y) {
            for (u32 x = 0; x < 80; ++x) {
                largest = std::max(largest,
                                   std::fabs(out.row(0, y)[x] / picture.row(kLight, y)[x] - 1.0F));
            }
        }
        CHECK(largest < 0.01F);
    }
}

}  // namespace weft::denoise::testing
