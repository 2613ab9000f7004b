// test_bus_model.cpp — the modelled time of copies over a device's bus.
#include <doctest/doctest.h>

#include "scheduler/unit/bus_model.h"

namespace weft::unit {

TEST_SUITE("scheduler/unit/bus_model") {
    TEST_CASE("F12 F16 many bytes take as long as the bus carries them whatever the units") {
        const BusModel model{.latency_ns = 400, .bytes_per_ns = 32, .copies_at_once = 4};
        const BusCounters counted{.transfers = 1000, .bytes = 8'192'000};
        CHECK(model.modelled_ms(counted, 1) == doctest::Approx(0.256));
        CHECK(model.modelled_ms(counted, 8) == doctest::Approx(0.256));
    }

    TEST_CASE("F12 F16 small copies wait for latencies that overlap within and between units") {
        const BusModel model{.latency_ns = 400, .bytes_per_ns = 32, .copies_at_once = 4};
        const BusCounters counted{.transfers = 1000, .bytes = 64'000};
        CHECK(model.modelled_ms(counted, 1) == doctest::Approx(0.1));
        CHECK(model.modelled_ms(counted, 2) == doctest::Approx(0.05));
        CHECK(model.modelled_ms({}, 2) == doctest::Approx(0));
    }

    TEST_CASE("F19 copies add up") {
        BusCounters sum{.transfers = 3, .bytes = 300};
        sum.add({.transfers = 2, .bytes = 64});
        CHECK(sum.transfers == 5);
        CHECK(sum.bytes == 364);
    }
}

}  // namespace weft::unit
