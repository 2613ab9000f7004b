// The sample sequence of shaders/bsdf.md section 1: its bits, its nets, its warps.
#include <array>
#include <set>
#include <utility>

#include <doctest/doctest.h>

#include "engine/trace/reference/reference_sampler.h"

namespace weft::trace::reference {

namespace {

// The cell of a point where the axes are divided into 2^across and 2^down parts.
std::pair<u32, u32> cell_of(Pair u, u32 across, u32 down) {
    return {static_cast<u32>(u.u0 * (1u << across)), static_cast<u32>(u.u1 * (1u << down))};
}

}  // namespace

TEST_SUITE("engine/trace/reference_sampler") {
    TEST_CASE("the hash has the values that another implementation gives") {
        CHECK(hash_of(0) == 0u);
        CHECK(hash_of(1) == 0x86d2fa73u);
        CHECK(hash_of(0xdeadbeefu) == 0x2a2acaf2u);
        CHECK(combine(1, 2) == 0xabe33a04u);
        CHECK(pixel_hash(7, 3, 5) == 0xf01bea89u);
    }

    TEST_CASE("tuples have the values that another implementation gives") {
        const u32 pixel = pixel_hash(7, 3, 5);
        const Tuple first = sample_tuple(pixel, 0, 0);
        CHECK(first.first.u0 == 3289306 * 0x1p-24);
        CHECK(first.first.u1 == 14862932 * 0x1p-24);
        CHECK(first.last.u0 == 2875127 * 0x1p-24);
        CHECK(first.last.u1 == 527532 * 0x1p-24);
        const Tuple later = sample_tuple(pixel, 5, 9);
        CHECK(later.first.u0 == 3531942 * 0x1p-24);
        CHECK(later.first.u1 == 7414773 * 0x1p-24);
        CHECK(later.last.u0 == 16719510 * 0x1p-24);
        CHECK(later.last.u1 == 5758233 * 0x1p-24);
    }

    TEST_CASE("the first 2^k samples of either half put one point into each elementary interval") {
        for (const u32 tuple : {0u, 1u, 2u, 17u, 150u}) {
            const u32 pixel = pixel_hash(11, 100 + tuple, 20);
            for (u32 k = 0; k <= 8; ++k) {
                const u32 count = 1u << k;
                for (u32 across = 0; across <= k; ++across) {
                    std::set<std::pair<u32, u32>> first;
                    std::set<std::pair<u32, u32>> last;
                    for (u32 i = 0; i < count; ++i) {
                        const Tuple u = sample_tuple(pixel, i, tuple);
                        first.insert(cell_of(u.first, across, k - across));
                        last.insert(cell_of(u.last, across, k - across));
                    }
                    CHECK(first.size() == count);
                    CHECK(last.size() == count);
                }
            }
        }
    }

    TEST_CASE("the first 4^k samples of a tuple put one point into each interval of base 4") {
        for (const u32 tuple : {0u, 2u, 150u}) {
            const u32 pixel = pixel_hash(12, 100 + tuple, 20);
            for (u32 k = 0; k <= 4; ++k) {
                // Each way to divide k digits among the four dimensions, coded in base 5.
                for (u32 code = 0; code < 625; ++code) {
                    const std::array<u32, 4> digits = {
                        code % 5, code / 5 % 5, code / 25 % 5, code / 125};
                    if (digits[0] + digits[1] + digits[2] + digits[3] != k) {
                        continue;
                    }
                    std::set<std::pair<std::pair<u32, u32>, std::pair<u32, u32>>> cells;
                    for (u32 i = 0; i < 1u << (2 * k); ++i) {
                        const Tuple u = sample_tuple(pixel, i, tuple);
                        cells.emplace(cell_of(u.first, 2 * digits[0], 2 * digits[1]),
                                      cell_of(u.last, 2 * digits[2], 2 * digits[3]));
                    }
                    CHECK(cells.size() == 1u << (2 * k));
                }
            }
        }
    }

    TEST_CASE("two tuples of one sample do not repeat each other") {
        const u32 pixel = pixel_hash(1, 2, 3);
        u32 equal = 0;
        double product = 0;
        for (u32 i = 0; i < 1024; ++i) {
            const Pair a = sample_tuple(pixel, i, 4).first;
            const Pair b = sample_tuple(pixel, i, 5).first;
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
            const Vec w = sample_cosine(sample_tuple(pixel_hash(9, 9, 9), i, 3).first);
            CHECK(std::fabs(length(w) - 1) < 1e-12);
            height += w.z / 4096;
        }
        CHECK(height == doctest::Approx(2.0 / 3).epsilon(1e-3));
    }
}

}  // namespace weft::trace::reference
