// test_kills.cpp — 50 kills at random moments: start, rendering, checkpoint and end are all hit.
#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/app/small_render.h"

namespace weft::app::testing {

TEST_SUITE("app/kills") {
    TEST_CASE("fifty kills at random moments change no bit of the film") {
        constexpr u32 kSeed = 20261122;
        CAPTURE(kSeed);
        const film::TestFolder folder;
        const Words samples = {"--keep-film", "--spp", "6000"};
        Words saving = samples;
        saving.insert(saving.end(), {"--resume", "--checkpoint-interval", "0.02"});
        const std::string whole = folder.file("whole.exr");
        check_ends(small_render(whole, samples), kExitDone);
        const std::string picture = folder.file("a.exr");
        std::mt19937 random(kSeed);
        std::uniform_int_distribution<int> moment_ms(0, 900);
        u32 killed = 0;
        for (u32 kills = 0; kills < 50; ++kills) {
            WeftProcess process(small_render(picture, saving));
            // The moment is what is tested; nothing waits for the time to be over.
            std::this_thread::sleep_for(std::chrono::milliseconds(moment_ms(random)));
            process.send(SIGKILL);
            const Ended ended = process.wait();
            killed += ended.signal_number == SIGKILL ? 1U : 0U;
            INFO(ended.err);
            REQUIRE((ended.signal_number == SIGKILL || ended.exit_code == kExitDone));
        }
        MESSAGE("killed " << killed << " times");
        check_ends(small_render(picture, saving), kExitDone);
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
    }
}

}  // namespace weft::app::testing
