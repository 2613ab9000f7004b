// test_frame_list.cpp — the prepared list of a frame: one recording, patched with each view.
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/frame_list.h"

namespace {

using namespace weft;
using namespace weft::frame;

std::vector<shaders::CameraRecord> two_cameras() {
    std::vector<shaders::CameraRecord> cameras(2);
    cameras[0].origin[0] = 1;
    cameras[1].origin[0] = 2;
    cameras[1].is_orthographic = 1;
    return cameras;
}

}  // namespace

TEST_SUITE("engine/frame/frame_list") {
    TEST_CASE("C3 one list draws each frame with the camera and the samples of its view") {
        const std::vector<shaders::CameraRecord> cameras = two_cameras();
        std::vector<FrameCall> calls;
        const auto note = [&](const FrameCall& frame) -> base::Status {
            calls.push_back(frame);
            return base::Done{};
        };
        const auto first = submit_frame(
            {.cameras = cameras, .camera = 1, .sample_begin = 4, .sample_end = 9}, note);
        const auto second =
            submit_frame({.cameras = cameras, .sample_end = 2, .has_auxiliary = true}, note);
        REQUIRE(first.is_ok());
        REQUIRE(second.is_ok());
        CHECK(first.value().patches == 1);
        CHECK(first.value().draws == 1);
        REQUIRE(calls.size() == 2);
        CHECK(calls[0].camera.origin[0] == 2);
        CHECK(calls[0].camera.is_orthographic == 1);
        CHECK(calls[0].first_sample == 4);
        CHECK(calls[0].sample_count == 5);
        CHECK_FALSE(calls[0].has_auxiliary);
        CHECK(calls[1].camera.origin[0] == 1);
        CHECK(calls[1].camera.is_orthographic == 0);
        CHECK(calls[1].first_sample == 0);
        CHECK(calls[1].sample_count == 2);
        CHECK(calls[1].has_auxiliary);
    }

    TEST_CASE("an unbound camera and an empty range of samples are errors") {
        const std::vector<shaders::CameraRecord> cameras = two_cameras();
        const auto never = [](const FrameCall&) -> base::Status {
            FAIL_CHECK("a frame was drawn");
            return base::Done{};
        };
        const auto unbound = submit_frame({.cameras = cameras, .camera = 2}, never);
        CHECK_FALSE(unbound.is_ok());
        CHECK(unbound.error().sentence ==
              "list 'frame', patch 'view' needs view camera, but resource 2 is not bound");
        const auto empty =
            submit_frame({.cameras = cameras, .sample_begin = 3, .sample_end = 3}, never);
        CHECK_FALSE(empty.is_ok());
        CHECK(empty.error().sentence == "a frame of no samples: from 3 to 3");
    }

    TEST_CASE("the error of the frame comes back from the submission") {
        const std::vector<shaders::CameraRecord> cameras = two_cameras();
        const auto result =
            submit_frame({.cameras = cameras}, [](const FrameCall&) -> base::Status {
                return base::Error{base::ErrorKind::Memory, "no film"};
            });
        CHECK_FALSE(result.is_ok());
        CHECK(result.error().kind == base::ErrorKind::Memory);
        CHECK(result.error().sentence == "no film");
    }
}
