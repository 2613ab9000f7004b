// live_waits.h — for tests of live renders: the hash of a fresh render, and waits for a job.
#pragma once

#include <string>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "engine/live/live_render.h"
#include "tests/rest.h"

namespace weft::tests {

inline std::string batch_hash(const live::LiveJob& job) {
    auto renderer = frame::Renderer::prepare(*job.scene, job.camera, job.settings, job.hidden);
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    return renderer.value()->film().film_hash();
}

// Waits until the newest job is done or has failed.
inline live::LiveStatus wait_for_end(const live::LiveRender& live, u64 job) {
    using live::LiveState;
    for (;;) {
        live::LiveStatus status = live.status();
        const bool is_ended = status.state == LiveState::Done || status.state == LiveState::Failed;
        if (is_ended && (status.prepared_job == job || status.state == LiveState::Failed)) {
            return status;
        }
        tests::rest();
    }
}

// Waits until the scene of the job is prepared, or it has failed.
inline live::LiveStatus wait_until_prepared(const live::LiveRender& live, u64 job) {
    for (;;) {
        live::LiveStatus status = live.status();
        if (status.prepared_job == job || status.state == live::LiveState::Failed) {
            return status;
        }
        tests::rest();
    }
}

}  // namespace weft::tests
