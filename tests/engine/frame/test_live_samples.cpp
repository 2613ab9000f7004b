// test_live_samples.cpp — live renders that get another number of samples, or are shown again in
// the same settings: what is rendered stays.
#include <thread>

#include <doctest/doctest.h>

#include "engine/frame/live_render.h"
#include "tests/engine/frame/live_waits.h"
#include "tests/engine/frame/small_live.h"

namespace {

using namespace weft;
using frame::LiveJob;
using frame::LiveRender;
using frame::LiveState;
using frame::LiveStatus;
using tests::batch_hash;
using tests::small_job;
using tests::wait_for_end;

}  // namespace

TEST_SUITE("engine/frame/live_samples") {
    TEST_CASE("more samples of the same picture go on from those that are there") {
        LiveRender live(2);
        LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        job.settings.samples_per_pixel = 11;
        const u64 number = live.show(job);
        const LiveStatus status = wait_for_end(live, number);
        CHECK(status.counters.frames == 1);
        CHECK(status.counters.returns == 1);
        CHECK(status.samples_done == 11);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE(
        "another number of samples keeps what is rendered and tells what the film ends with") {
        LiveRender live(2);
        LiveJob job = small_job();
        job.settings.samples_per_pixel = 1U << 20;
        live.show(job);
        while (live.status().samples_done < 20) {
            std::this_thread::yield();
        }
        for (const u32 wanted : {3U, 1U}) {
            job.settings.samples_per_pixel = wanted;
            const LiveStatus status = wait_for_end(live, live.show(job));
            CHECK(status.state == LiveState::Done);
            CHECK(status.samples_done >= 20);
            CHECK(status.samples_wanted == status.samples_done);
            CHECK(status.counters.frames == 1);
            job.settings.samples_per_pixel = status.samples_done;
            CHECK(live.film_hash().value() == batch_hash(job));
        }
        // Neither is done yet: the first number is given up for the second.
        const u32 done = job.settings.samples_per_pixel;
        live.set_paused(true);
        for (const u32 more : {1U << 20, 100U}) {
            job.settings.samples_per_pixel = done + more;
            const u64 number = live.show(job);
            while (live.status().prepared_job != number) {
                std::this_thread::yield();
            }
        }
        live.set_paused(false);
        const LiveStatus status = wait_for_end(live, live.status().job);
        CHECK(status.samples_done == done + 100);
        CHECK(status.counters.frames == 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE(
        "a finished picture that is shown again while paused is done and not being prepared") {
        LiveRender live(2);
        const LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        live.set_paused(true);
        CHECK(wait_for_end(live, live.show(job)).state == LiveState::Done);
    }

    TEST_CASE("another policy of rays or number of units renders another frame of the same bits") {
        LiveRender live(2);
        LiveJob job = small_job();
        wait_for_end(live, live.show(job));
        const std::string hash = live.film_hash().value();
        job.settings.integrator.policies.closest = fibre::Policy::Oldest;
        const LiveStatus other = wait_for_end(live, live.show(job));
        CHECK(other.counters.frames == 2);
        job.settings.egpu_units = 7;
        CHECK(wait_for_end(live, live.show(job)).counters.frames == 3);
        CHECK(live.film_hash().value() == hash);
    }
}
