// test_image_prediction.cpp — the predicted gain of images, on figures whose answer is known.
#include <doctest/doctest.h>

#include "engine/bench/image_prediction.h"

namespace {

using namespace weft;
using bench::ClassRows;
using bench::ImageRow;
using bench::RayClass;

ImageRow image(const char* scheduler, double cpu_seconds) {
    ImageRow row;
    row.variant = {scheduler, "depth_first", "gathered"};
    row.rays = 10'000'000;
    row.cpu_seconds = {cpu_seconds, cpu_seconds, cpu_seconds};
    return row;
}

ClassRows rates(RayClass ray_class, double k2, double e1, double es) {
    ClassRows rows;
    rows.ray_class = ray_class;
    const auto variant = [](const char* name, double rate) {
        bench::VariantRow row;
        row.variant = name;
        row.mrays_per_s = {rate, rate, rate};
        return row;
    };
    rows.variants = {variant("K2", k2), variant("E1", e1), variant("ES", es)};
    return rows;
}

}  // namespace

TEST_SUITE("engine/bench/image_prediction") {
    // Of ten million rays a half are primary: 5 M / 10 Mray/s + 5 M / 2 Mray/s are 3 s of Embree's,
    // 5 M / 10 + 5 M / 4 are 1.75 s of ours.
    const std::array<double, bench::kRayClasses> kHalves = {0.5, 0, 0, 0, 0.5, 0, 0};
    const std::vector<ClassRows> kRates = {rates(RayClass::Primary, 10, 8, 10),
                                           rates(RayClass::Diffuse2, 4, 2, 1)};

    TEST_CASE("the predicted time replaces the rays of Embree's image by ours") {
        const auto prediction =
            bench::predict_image({image("keyed", 4), image("embree", 5)}, kRates, kHalves);
        REQUIRE(prediction);
        CHECK(prediction->embree_share == doctest::Approx(3.0 / 5));
        CHECK(prediction->predicted == doctest::Approx(5 / (5 - 3 + 1.75)));
        CHECK(prediction->measured == doctest::Approx(5.0 / 4));
        CHECK(prediction->renderer_over_embree == doctest::Approx(3.0 / 4));
    }

    TEST_CASE("a class with few rays needs no rate and one with many does") {
        const auto some = [](double other) {
            return bench::predict_image({image("keyed", 4), image("embree", 5)},
                                        kRates,
                                        {0.5 - other / 2, 0, 0, 0, 0.5 - other / 2, other, 0});
        };
        const auto few = some(0.01);
        REQUIRE(few);
        CHECK(few->embree_share == doctest::Approx(3.0 / 5));
        CHECK_FALSE(some(0.1));
    }

    TEST_CASE("nothing is predicted without both images") {
        CHECK_FALSE(bench::predict_image({image("keyed", 4)}, kRates, kHalves));
        ImageRow other_policy = image("keyed", 4);
        other_policy.variant.policy = "fullest";
        CHECK_FALSE(bench::predict_image({other_policy, image("embree", 5)}, kRates, kHalves));
    }
}
