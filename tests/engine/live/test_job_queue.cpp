// test_job_queue.cpp — which job waits, what it inherits, and how often an answer is submitted.
#include <utility>

#include <doctest/doctest.h>

#include "engine/live/job_queue.h"

namespace {

using namespace weft;
using live::JobQueue;
using live::LiveJob;

LiveJob job_of(u32 effect) {
    LiveJob job;
    job.effect = effect;
    return job;
}

}  // namespace

TEST_SUITE("engine/live/job_queue") {
    TEST_CASE("the newest job replaces the one that waits and inherits its effects") {
        JobQueue queue([] {});
        CHECK(queue.show(job_of(scene::kEffectCamera)) == 1);
        CHECK(queue.show(job_of(scene::kEffectShading)) == 2);
        CHECK(queue.is_job_waiting());
        JobQueue::Taken taken = queue.take();
        REQUIRE(taken.job);
        CHECK(taken.number == 2);
        CHECK(taken.job->effect == (scene::kEffectCamera | scene::kEffectShading));
        CHECK(!queue.is_job_waiting());

        queue.show(job_of(scene::kEffectCamera));
        taken = queue.take();
        REQUIRE(taken.job);
        CHECK(taken.job->effect == scene::kEffectCamera);
        CHECK(!queue.take().job);
    }

    TEST_CASE("an answer is submitted once until it takes what waits") {
        u32 submitted = 0;
        JobQueue queue([&submitted] { ++submitted; });
        live::LiveView view;
        view.exposure_stops = 1;
        queue.set_view(view);
        queue.show(job_of(scene::kEffectAll));
        queue.ask({});
        CHECK(submitted == 1);

        const JobQueue::Taken taken = queue.take();
        CHECK(taken.job);
        CHECK(taken.changed_view == view);
        CHECK(queue.next_question());
        CHECK(!queue.next_question());

        queue.set_view(view);  // the same
        CHECK(submitted == 1);
        queue.request_answer();
        CHECK(submitted == 2);
        CHECK(!queue.take().changed_view);
    }

    TEST_CASE("a question waits for the newest job to be taken, unless the queue closes") {
        JobQueue queue([] {});
        queue.show(job_of(scene::kEffectAll));
        CHECK(queue.take().job);
        // While that job is made, a newer one comes, and a question about it.
        queue.show(job_of(scene::kEffectCamera));
        queue.ask({});
        CHECK(!queue.next_question());
        CHECK(queue.is_answer_due());
        CHECK(queue.take().number == 2);
        CHECK(queue.next_question());
        queue.show(job_of(scene::kEffectCamera));
        queue.ask({});
        queue.close();
        CHECK(queue.next_question());
    }

    TEST_CASE("a waiting job or closing ends every wait") {
        JobQueue queue([] {});
        queue.ring();
        queue.wait_until_rung();
        queue.wait_while_wanted([] { return true; });

        queue.show(job_of(scene::kEffectAll));
        queue.wait_while_wanted([] { return false; });
        CHECK(!queue.stays_wanted_for(std::chrono::minutes(10)));
        CHECK(queue.take().job);

        queue.close();
        queue.wait_until_rung();
        queue.wait_while_wanted([] { return false; });
        CHECK(!queue.stays_wanted_for(std::chrono::minutes(10)));
    }
}
