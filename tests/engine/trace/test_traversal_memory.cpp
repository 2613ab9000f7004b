// test_traversal_memory.cpp — what tuners found for a view comes back with it, and a new view
// begins with what was best in the last one.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "engine/trace/traversal_memory.h"

namespace {

using weft::u32;
using weft::shaders::CameraRecord;
using weft::trace::BatchPlan;
using weft::trace::TraversalMemory;
using weft::trace::TraversalTuner;
using weft::trace::ViewCell;

using Memory = TraversalMemory<2>;

CameraRecord camera_at(float x, float y, float z, float forward_x = 0, float forward_z = -1) {
    CameraRecord camera{};
    camera.origin[0] = x;
    camera.origin[1] = y;
    camera.origin[2] = z;
    camera.forward[0] = forward_x;
    camera.forward[2] = forward_z;
    return camera;
}

// Runs batches in which `fastest` costs half of the other strategy.
u32 trials_of(TraversalTuner& tuner, u32 batches, u32 fastest) {
    u32 trials = 0;
    for (u32 k = 0; k < batches; ++k) {
        const BatchPlan plan = tuner.next();
        const double first = plan.first == fastest ? 50 : 100;
        if (plan.is_trial()) {
            ++trials;
            tuner.record(plan, first, plan.second == fastest ? 50 : 100, 1000);
        } else {
            tuner.record(first * 1000);
        }
    }
    return trials;
}

Memory::Tuners two_tuners() {
    return {TraversalTuner(2), TraversalTuner(2)};
}

}  // namespace

TEST_CASE("views of one cell share what was found, and small steps stay in it") {
    const ViewCell cell = ViewCell::of(camera_at(1.05F, 1.6F, 4.2F));
    CHECK(cell == ViewCell::of(camera_at(1.06F, 1.61F, 4.21F, 0.01F)));
    CHECK_FALSE(cell == ViewCell::of(camera_at(-1.05F, 1.6F, 4.2F)));
    CHECK_FALSE(cell == ViewCell::of(camera_at(1.05F, 1.6F, 4.2F, 1, 0)));
    CHECK_FALSE(cell == ViewCell::of(camera_at(10.5F, 16, 42)));
    // A camera in the origin of the world has a cell, too.
    CHECK(ViewCell::of(camera_at(0, 0, 0)) == ViewCell::of(camera_at(0, 0, 0)));
}

TEST_CASE("a view that was seen before goes on with its tuners, without trials") {
    const ViewCell inside = ViewCell::of(camera_at(0.1F, 0.2F, 0.3F));
    const ViewCell outside = ViewCell::of(camera_at(0, 0, 9));
    Memory memory;
    Memory::Tuners tuners = two_tuners();
    memory.look(inside, tuners);
    CHECK(trials_of(tuners[0], 40, 1) > 0);
    CHECK(tuners[0].best() == 1);
    CHECK(tuners[1].best() == 0);
    // A new view begins with the strategies of the last one, and tries the others soon.
    memory.look(outside, tuners);
    CHECK(tuners[0].best() == 1);
    CHECK(trials_of(tuners[0], TraversalTuner::kUntried, 0) == 0);
    CHECK(trials_of(tuners[0], 32, 0) > 0);
    CHECK(tuners[0].best() == 0);
    // The first view has its strategy back, and is in its pause.
    memory.look(inside, tuners);
    CHECK(tuners[0].best() == 1);
    CHECK(trials_of(tuners[0], 3, 1) == 0);
    // The same view again changes nothing.
    memory.look(inside, tuners);
    CHECK(trials_of(tuners[0], 3, 1) == 0);
}

TEST_CASE("a changed scene forgets other views and goes on with the present one") {
    const ViewCell inside = ViewCell::of(camera_at(0.1F, 0.2F, 0.3F));
    const ViewCell outside = ViewCell::of(camera_at(0, 0, 9));
    Memory memory;
    Memory::Tuners tuners = two_tuners();
    memory.look(inside, tuners);
    trials_of(tuners[0], 40, 1);
    memory.look(outside, tuners);
    trials_of(tuners[0], 40, 0);
    memory.forget();
    CHECK(tuners[0].best() == 0);
    memory.look(inside, tuners);
    CHECK(tuners[0].best() == 0);
    CHECK(trials_of(tuners[0], 40, 0) > 0);
}

TEST_CASE("as many views are kept as promised, and the oldest is forgotten first") {
    const auto cell_of = [](u32 k) {
        return ViewCell::of(camera_at(0, 0, std::ldexp(1.0F, static_cast<int>(k))));
    };
    // The first view's best strategy is 1, that of so many others 0.
    const auto best_again_after = [&](std::size_t others) {
        Memory memory;
        Memory::Tuners tuners = two_tuners();
        memory.look(cell_of(0), tuners);
        trials_of(tuners[0], 40, 1);
        for (u32 k = 1; k <= others; ++k) {
            memory.look(cell_of(k), tuners);
            trials_of(tuners[0], 40, 0);
            CHECK(tuners[0].best() == 0);
        }
        memory.look(cell_of(0), tuners);
        return tuners[0].best();
    };
    CHECK(best_again_after(Memory::kCells - 1) == 1);
    CHECK(best_again_after(Memory::kCells) == 0);
}
