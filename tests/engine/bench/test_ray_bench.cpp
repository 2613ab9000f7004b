// test_ray_bench.cpp — variants find the same hits: our own bit by bit, Embree's nearly always.
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "engine/bench/ray_bench.h"
#include "scheduler/unit/float_state.h"
#include "tests/engine/frame/rich_scene.h"

namespace {

using namespace weft;
using bench::ClassRows;
using bench::RayClass;
using bench::VariantRow;

struct Ready {
    scene::Scene scene = tests::rich_scene();
    std::unique_ptr<bench::BenchScene> prepared;
    bench::RayRecord record;
    std::unique_ptr<accel::EmbreeReference> embree;

    Ready() {
        unit::set_float_state();
        frame::RenderSettings settings;
        settings.width = 96;
        settings.height = 64;
        settings.thread_count = 1;
        auto made = bench::BenchScene::prepare(scene, scene.cameras.front(), settings, {});
        REQUIRE(made.is_ok());
        prepared = std::move(made.value());
        auto recorded = bench::record_rays(*prepared, 3000, 1);
        REQUIRE(recorded.is_ok());
        record = std::move(recorded.value());
        prepared->make_opaque();
        auto built = prepared->build_embree(false);
        REQUIRE(built.is_ok());
        embree = std::move(built.value());
    }

    [[nodiscard]] ClassRows compare(RayClass ray_class, u32 chunk) const {
        bench::Canary canary;
        auto rows = bench::compare_variants(
            *prepared, *embree, record, ray_class, {.repeats = 2, .chunk = chunk}, canary);
        REQUIRE(rows.is_ok());
        return std::move(rows.value());
    }
};

}  // namespace

TEST_SUITE("engine/bench/ray_bench") {
    TEST_CASE("own variants find the same hits bit by bit for every class and any chunk") {
        const Ready ready;
        for (const RayClass ray_class : bench::kAllRayClasses) {
            std::string hash;
            for (const u32 chunk : {64U, 1000U}) {
                const ClassRows rows = ready.compare(ray_class, chunk);
                REQUIRE(rows.variants.size() == 9);
                for (const VariantRow& row : rows.variants) {
                    CAPTURE(bench::ray_class_name(ray_class));
                    CAPTURE(row.variant);
                    CHECK(row.rays == ready.record.of(ray_class).size());
                    if (row.variant[0] != 'E') {
                        hash = hash.empty() ? row.hits_hash : hash;
                        CHECK(row.hits_hash == hash);
                        CHECK(row.differences == 0);
                    }
                }
            }
        }
    }

    TEST_CASE("embree's calls agree with us but for one ray in a hundred") {
        const Ready ready;
        for (const RayClass ray_class : bench::kAllRayClasses) {
            const ClassRows rows = ready.compare(ray_class, 1000);
            for (const VariantRow& row : rows.variants) {
                CAPTURE(bench::ray_class_name(ray_class));
                CAPTURE(row.variant);
                CHECK(row.differences * 100 <= row.rays);
            }
        }
    }

    TEST_CASE("no variant traces a ray that Embree does not accept") {
        Ready ready;
        auto& rays = ready.record.rays[static_cast<u32>(RayClass::Primary)];
        rays.front().origin[1] = 1e30F;
        CHECK_FALSE(ready.embree->accepts(rays.front()));
        for (const VariantRow& row : ready.compare(RayClass::Primary, 1000).variants) {
            CAPTURE(row.variant);
            CHECK(row.rays == rays.size() - 1);
        }
    }

    TEST_CASE("a difference between hits is counted") {
        Ready ready;
        // Embree's scene stays where it was, the rays' tree loses a level: its root.
        ready.prepared->acceleration.root = shaders::kRefEmpty;
        const ClassRows rows = ready.compare(RayClass::Primary, 1000);
        for (const VariantRow& row : rows.variants) {
            CAPTURE(row.variant);
            CHECK((row.differences > 0) == (row.variant[0] == 'E'));
        }
    }

    TEST_CASE("counts are of own variants alone and each ray of U1 fetches its own nodes") {
        const Ready ready;
        const ClassRows rows = ready.compare(RayClass::Diffuse1, 1000);
        std::map<std::string, VariantRow> variants;
        for (const VariantRow& row : rows.variants) {
            variants[row.variant] = row;
            CHECK(row.is_counted == (row.variant[0] != 'E'));
        }
        CHECK(variants["U1"].rays_per_fetch == doctest::Approx(1));
        CHECK(variants["U1"].nodes_per_ray >= 1);
        CHECK(variants["U1"].scheduler_bytes_per_ray == 0);
        CHECK(variants["KS"].scheduler_bytes_per_ray > variants["U2"].scheduler_bytes_per_ray);
        CHECK(variants["KS"].rays_per_fetch > 1);
        CHECK(variants["KS"].occupancy <= 1);
    }

    TEST_CASE("ratios are of medians and a missing variant makes none") {
        ClassRows rows;
        const auto add = [&](const char* variant, double rate) {
            VariantRow row;
            row.variant = variant;
            row.mrays_per_s = bench::Spread::of({rate, rate + 2, rate - 2});
            rows.variants.push_back(row);
        };
        add("U1", 4);
        add("U2", 5);
        add("K2", 6);
        bench::Ratios ratios = bench::ratios_of(rows);
        CHECK(ratios.key == doctest::Approx(1.2));
        CHECK(ratios.latency == doctest::Approx(1.25));
        CHECK(ratios.total == doctest::Approx(1.5));
        CHECK(ratios.honest == doctest::Approx(1.2));
        add("ES", 12);
        ratios = bench::ratios_of(rows);
        CHECK(ratios.honest == doctest::Approx(0.5));
        CHECK(bench::ratios_of({}).honest == 0);
    }

    TEST_CASE("a spread has the middle of an even and of an odd number of values") {
        CHECK(bench::Spread::of({3, 1, 2}).median == 2);
        CHECK(bench::Spread::of({4, 1, 2, 3}).median == 2.5);
        CHECK(bench::Spread::of({4, 1, 2, 3}).min == 1);
        CHECK(bench::Spread::of({4, 1, 2, 3}).max == 4);
    }

    TEST_CASE("a load of the canary takes longer than none") {
        bench::Canary canary;
        CHECK(canary.ns_per_load() > 0.5);
    }
}
