// test_live_patches.cpp — edits of a scene whose tree is worth keeping: the first picture patches
// the tree before, without a build, and the film ends with the hash of a fresh render.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/live/aside_memory.h"
#include "engine/live/live_render.h"
#include "engine/scene/import.h"
#include "scheduler/base/memory_limit.h"
#include "tests/engine/live/live_waits.h"
#include "tests/rest.h"

namespace {

using namespace weft;
using live::LiveJob;
using live::LiveRender;
using live::LiveState;
using live::LiveStatus;
using tests::batch_hash;
using tests::wait_for_end;
using tests::wait_until_prepared;

std::shared_ptr<const scene::Scene> rubble(const char* name) {
    auto imported = scene::import_scene({name}, {});
    REQUIRE(imported.is_ok());
    scene::complete_scene(imported.value());
    return std::make_shared<const scene::Scene>(std::move(imported.value()));
}

LiveJob job_of(std::shared_ptr<const scene::Scene> scene) {
    LiveJob job;
    job.camera = scene->cameras.front();
    job.scene = std::move(scene);
    job.settings.width = 320;
    job.settings.height = 240;
    job.settings.samples_per_pixel = 1;
    job.settings.integrator.path_count = 512;
    job.settings.integrator.trace_batch = 512;
    return job;
}

// How many trees first pictures wait for when one object is hidden, then another instead of it.
// Each object has more triangles than a patch adds to a tree.
u64 trees_built_for_swap(const char* name, u64 memory_limit_bytes) {
    LiveRender live(2);
    LiveJob job = job_of(rubble(name));
    job.settings.width = 64;
    job.settings.height = 48;
    job.settings.has_fine_tree = false;
    job.settings.memory_limit_bytes = memory_limit_bytes;
    const std::size_t count = job.scene->instances.size();
    wait_until_prepared(live, live.show(job));
    job.hidden = {job.scene->instances[count - 1].node};
    job.effect = scene::kEffectLook;
    wait_for_end(live, live.show(job));
    job.hidden = {job.scene->instances[count - 2].node};
    const LiveStatus status = wait_until_prepared(live, live.show(job));
    CHECK(status.error == "");
    return status.counters.built_trees;
}

const std::string& last_node(const LiveJob& job) {
    return job.scene->instances.back().node;
}

void move_last(LiveJob& job, float by) {
    auto moved = std::make_shared<scene::Scene>(*job.scene);
    moved->instances.back().object_to_world[7] += by;
    job.scene = std::move(moved);
    job.effect = scene::kEffectPlacement;
}

}  // namespace

TEST_SUITE("engine/live/live_patches") {
    TEST_CASE("hiding and moving and showing again wait for no build and end as a fresh render") {
        LiveRender live(2);
        LiveJob job = job_of(rubble("procedural:rubble:30K"));
        CHECK(wait_for_end(live, live.show(job)).counters.built_trees == 1);

        job.hidden = {last_node(job)};
        job.effect = scene::kEffectLook;
        LiveStatus status = wait_for_end(live, live.show(job));
        CHECK(status.counters.built_trees == 1);
        CHECK(status.counters.patched_trees == 1);
        CHECK(live.film_hash().value() == batch_hash(job));

        move_last(job, 0.25F);
        job.hidden = {std::as_const(*job.scene).instances.front().node};
        job.effect |= scene::kEffectLook;
        status = wait_for_end(live, live.show(job));
        CHECK(status.counters.built_trees == 1);
        CHECK(status.counters.patched_trees == 2);
        CHECK(live.film_hash().value() == batch_hash(job));

        // The tree that was built first holds all visible instances.
        move_last(job, -0.25F);
        job.hidden.clear();
        job.effect |= scene::kEffectLook;
        status = wait_for_end(live, live.show(job));
        CHECK(status.error == "");
        CHECK(status.counters.built_trees == 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE("the tree with hidden objects is kept as far as memory allows") {
        CHECK(live::most_bytes_aside(1000, 0) == 100);
        CHECK(live::most_bytes_aside(1000, 500) == 50);
        CHECK(live::most_bytes_aside(1000, 2000) == 100);
        const u64 available_bytes = base::available_bytes();
        CHECK(available_bytes > 0);
        // Trees of some 150 and 300 MB.
        CHECK(trees_built_for_swap("procedural:rubble:2M", u64{1} << 30) == 2);
        if (available_bytes > u64{6} << 30) {
            CHECK(trees_built_for_swap("procedural:rubble:4M", 0) == 1);
        }
    }

    TEST_CASE("a copy and a deletion wait for no build and end as a fresh render") {
        LiveRender live(2);
        LiveJob job = job_of(rubble("procedural:rubble:30K"));
        wait_for_end(live, live.show(job));
        auto edited = std::make_shared<scene::Scene>(*job.scene);
        scene::Instance copy = job.scene->instances.back();
        copy.node = "copy";
        copy.object_to_world[3] += 0.5F;
        edited->instances.push_back(copy);
        job.scene = edited;
        job.effect = scene::kEffectAll;
        LiveStatus status = wait_for_end(live, live.show(job));
        CHECK(status.counters.built_trees == 1);
        CHECK(status.counters.patched_trees == 1);
        CHECK(live.film_hash().value() == batch_hash(job));

        edited = std::make_shared<scene::Scene>(*job.scene);
        edited->instances.own().erase(edited->instances.own().begin() + 6);
        job.scene = edited;
        status = wait_for_end(live, live.show(job));
        CHECK(status.counters.built_trees == 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }

    TEST_CASE(
        "an edit ends the building of the tree before and nothing hidden is picked meanwhile") {
        LiveRender live(2);
        LiveJob job = job_of(rubble("procedural:rubble:300K"));
        job.settings.width = 64;
        job.settings.height = 48;
        wait_for_end(live, live.show(job));
        const auto picked = live.pick(32, 24);
        REQUIRE(picked);
        const std::string seen = job.scene->instances[picked->instance].node;
        u64 number = 0;
        bool is_hidden_picked = false;
        // Each edit but the first comes during the build for the edit before.
        for (u32 step = 0; step < 12; ++step) {
            job.hidden = {seen};
            move_last(job, 0.01F);
            job.effect |= scene::kEffectLook;
            const u64 begun = live.status().counters.begun_builds;
            number = live.show(job);
            while (live.status().counters.begun_builds == begun) {
                tests::rest();
            }
            const auto other = live.pick(32, 24);
            is_hidden_picked =
                is_hidden_picked || (other && job.scene->instances[other->instance].node == seen);
        }
        CHECK(!is_hidden_picked);
        const LiveStatus status = wait_for_end(live, number);
        CHECK(status.error == "");
        CHECK(status.counters.patched_trees == 12);
        CHECK(status.counters.stopped_builds > 0);
        CHECK(status.counters.built_trees == 1);
        CHECK(live.film_hash().value() == batch_hash(job));
    }
}
