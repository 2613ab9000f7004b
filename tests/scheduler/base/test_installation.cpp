// test_installation.cpp — the places of a program that runs from its build folder. The tests of
// installation (tests/app/install) cover the places of an installed one.
#include <string>

#include <doctest/doctest.h>

#include "scheduler/base/installation.h"

using namespace weft;

TEST_SUITE("base/installation") {
    TEST_CASE("a built program has its parts beside it and its files in the checkout") {
        CHECK(base::installed_part("weft-import") == WEFT_BINARY_DIR "/weft-import");
        CHECK(base::shared_path("scenes") == WEFT_SOURCE_DIR "/scenes");
    }

    TEST_CASE("a file that is nowhere has a place all the same") {
        CHECK(base::installed_part("no-such-part") == WEFT_BINARY_DIR "/no-such-part");
        CHECK(base::shared_path("no-such-file") == WEFT_SOURCE_DIR "/no-such-file");
    }
}
