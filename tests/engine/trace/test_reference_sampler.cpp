// The sample sequence of shaders/bsdf.md section 1: its bits, its nets, its warps.
#include <set>

#include <doctest/doctest.h>

#include "engine/trace/reference/reference_sampler.h"

namespace weft::trace::reference {

TEST_SUITE("engine/trace/reference_sampler") {
    TEST_CASE("the hash has the values that another implementation gives") {
        CHECK(hash_of(0) == 0u);
        CHECK(hash_of(1) == 0x86d2fa73u);
        CHECK(hash_of(0xdeadbeefu) == 0x2a2acaf2u);
        CHECK(combine(1, 2) == 0xabe33a04u);
        CHECK(pixel_hash(7, 3, 5) == 0xf01bea89u);
    }

    TEST_CASE("pairs have the values that another implementation gives") {
        const u32 pixel = pixel_hash(7, 3, 5);
        CHECK(sample_pair(pixel, 0, 0).u0 == 3289306 * 0x1p-24);
        CHECK(sample_pair(pixel, 0, 0).u1 == 14862932 * 0x1p-24);
        CHECK(sample_pair(pixel, 5, 9).u0 == 3531942 * 0x1p-24);
        CHECK(sample_pair(pixel, 5, 9).u1 == 7414773 * 0x1p-24);
    }

    TEST_CASE("the first 2^k samples of every pair put one point into each elementary interval") {
        for (const u32 pair : {0u, 1u, 2u, 17u, 250u}) {
            const u32 pixel = pixel_hash(11, 100 + pair, 20);
            for (u32 k = 0; k <= 8; ++k) {
                const u32 count = 1u << k;
                for (u32 across = 0; across <= k; ++across) {
                    std::set<std::pair<u32, u32>> cells;
                    for (u32 i = 0; i < count; ++i) {
                        const Pair u = sample_pair(pixel, i, pair);
                        cells.emplace(static_cast<u32>(u.u0 * (1u << across)),
                                      static_cast<u32>(u.u1 * (1u << (k - across))));
                    }
                    CHECK(cells.size() == count);
                }
            }
        }
    }

    TEST_CASE("two pairs of one sample do not repeat each other") {
        const u32 pixel = pixel_hash(1, 2, 3);
        u32 equal = 0;
        double product = 0;
        for (u32 i = 0; i < 1024; ++i) {
            const Pair a = sample_pair(pixel, i, 4);
            const Pair b = sample_pair(pixel, i, 5);
            equal += a.u0 == b.u0 ? 1 : 0;
            product += (a.u0 - 0.5) * (b.u0 - 0.5) / 1024;
        }
        CHECK(equal < 3);
        CHECK(std::fabs(product) < 0.02);
    }

    TEST_CASE("alpha decisions of camera and shadow rays are independent") {
        u32 both = 0;
        for (u32 i = 0; i < 4096; ++i) {
            const u32 key = alpha_key(pixel_hash(5, 6, 7), i, 2);
            const bool is_there = alpha_threshold(key, false, 3, 4) < 0.5;
            const bool is_there_for_shadow = alpha_threshold(key, true, 3, 4) < 0.5;
            both += is_there && is_there_for_shadow ? 1 : 0;
        }
        CHECK(std::fabs(both / 4096.0 - 0.25) < 0.03);
    }

    TEST_CASE("cosine sampling has the mean height of a cosine lobe") {
        double height = 0;
        for (u32 i = 0; i < 4096; ++i) {
            const Vec w = sample_cosine(sample_pair(pixel_hash(9, 9, 9), i, 3));
            CHECK(std::fabs(length(w) - 1) < 1e-12);
            height += w.z / 4096;
        }
        CHECK(height == doctest::Approx(2.0 / 3).epsilon(1e-3));
    }
}

}  // namespace weft::trace::reference
