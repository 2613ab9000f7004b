// test_heat.cpp — heat by key and object adds up to what the routines and kernels count, changes no
// bit, and lies under the object in the picture.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "engine/frame/heat_places.h"
#include "engine/frame/renderer.h"
#include "tests/engine/frame/rich_scene.h"
#include "tests/engine/frame/small_frame.h"
#include "tests/engine/frame/whole_frame.h"

namespace {

using namespace weft;
using frame::Renderer;
using frame::RenderSettings;
using tests::rendered;
using trace::Heat;
using trace::HeatFigures;
using trace::HeatKind;
using trace::SchedulerMode;

RenderSettings heat_settings(SchedulerMode mode) {
    RenderSettings settings = tests::small_frame(3, 1024);
    settings.integrator.mode = mode;
    settings.has_heat = true;
    return settings;
}

Heat sum_of_kind(const HeatFigures& heat, HeatKind kind) {
    Heat sum;
    for (const trace::HeatByKind& object : heat.objects) {
        sum.add(object[static_cast<u32>(kind)]);
    }
    return sum;
}

Heat sum_of_keys(const HeatFigures& heat) {
    Heat sum = heat.other_keys;
    for (const trace::KeyHeat& key : heat.keys) {
        sum.add(key.heat);
    }
    return sum;
}

void check_rays(const Heat& heat,
                const shaders::TraceCounters& kernels,
                const fibre::RoutineCounters& routine) {
    CHECK(heat.packets == routine.packets);
    CHECK(heat.fibres == routine.fibres);
    CHECK(heat.visits == kernels.node_visits);
    CHECK(heat.lanes_issued == kernels.lanes_issued);
    CHECK(heat.lanes_active == kernels.lanes_active);
}

void check_sums(const frame::FrameFigures& figures) {
    const HeatFigures& heat = figures.heat;
    const Heat closest = sum_of_kind(heat, HeatKind::Closest);
    const Heat shadow = sum_of_kind(heat, HeatKind::Shadow);
    const Heat shade = sum_of_kind(heat, HeatKind::Shade);
    check_rays(closest, figures.integrator.closest, figures.fibre.routine[1]);
    check_rays(shadow, figures.integrator.shadow, figures.fibre.routine[2]);
    CHECK(shade.packets == figures.fibre.routine[3].packets);
    CHECK(shade.fibres == figures.fibre.routine[3].fibres);
    CHECK(shade.lanes_issued == figures.integrator.shade.lanes_issued);
    CHECK(shade.lanes_active == figures.integrator.shade.lanes_active);
    CHECK(shade.time_ns > 0);
    Heat rays = closest;
    rays.add(shadow);
    CHECK(sum_of_keys(heat) == rays);
    CHECK(std::is_sorted(heat.keys.begin(), heat.keys.end(), [](const auto& a, const auto& b) {
        return a.ref < b.ref;
    }));
}

}  // namespace

TEST_SUITE("engine/frame/heat") {
    TEST_CASE("sums over keys and objects are the counters of the routines and kernels") {
        const scene::Scene scene = tests::rich_scene();
        for (const SchedulerMode mode :
             {SchedulerMode::Keyed, SchedulerMode::Unkeyed, SchedulerMode::Embree}) {
            CAPTURE(static_cast<int>(mode));
            check_sums(rendered(scene, heat_settings(mode))->figures());
        }
        if (tests::has_device()) {
            RenderSettings settings = heat_settings(SchedulerMode::Keyed);
            settings.has_egpu = true;
            settings.egpu_units = 3;
            check_sums(rendered(scene, settings)->figures());
        }
    }

    TEST_CASE("counting heat changes no bit of the film and without it nothing is counted") {
        const scene::Scene scene = tests::rich_scene();
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            RenderSettings settings = heat_settings(mode);
            const auto hot = rendered(scene, settings);
            settings.has_heat = false;
            const auto cold = rendered(scene, settings);
            CHECK(hot->film().film_hash() == cold->film().film_hash());
            CHECK(!hot->figures().heat.is_empty());
            CHECK(cold->figures().heat.is_empty());
        }
    }

    TEST_CASE("keyed rays charge objects and rays in order of arrival the root alone") {
        const scene::Scene scene = tests::rich_scene();
        const auto keyed = rendered(scene, heat_settings(SchedulerMode::Keyed));
        const auto unkeyed = rendered(scene, heat_settings(SchedulerMode::Unkeyed));
        CHECK(keyed->figures().heat.keys.size() > 20);
        REQUIRE(unkeyed->figures().heat.keys.size() == 1);
        CHECK(unkeyed->figures().heat.keys[0].ref == unkeyed->scene().acceleration->root);
        const HeatFigures& heat = keyed->figures().heat;
        const u32 objects_with_visits = static_cast<u32>(
            std::count_if(heat.objects.begin(), heat.objects.end() - 1, [](const auto& object) {
                return object[static_cast<u32>(HeatKind::Closest)].visits > 0;
            }));
        CHECK(objects_with_visits > 2);
    }

    TEST_CASE("shading is charged to the material that was hit") {
        const scene::Scene scene = tests::rich_scene();
        const auto renderer = rendered(scene, heat_settings(SchedulerMode::Keyed));
        const trace::HeatMap& map = *renderer->scene().heat;
        const HeatFigures& heat = renderer->figures().heat;
        REQUIRE(heat.objects.size() == map.objects.size() + 1);
        const Heat above = heat.objects.back()[static_cast<u32>(HeatKind::Shade)];
        CHECK(above == Heat{});
        // Every object at a point of the picture was shaded there.
        const frame::HeatPlaces places =
            frame::heat_places(frame::unit_scene(renderer->scene()), renderer->camera(), 36, 25);
        u32 shown = 0;
        for (const u32 object : places.object) {
            if (object != kNone) {
                ++shown;
                CHECK(heat.objects[object][static_cast<u32>(HeatKind::Shade)].fibres > 0);
            }
        }
        CHECK(shown > 100);
    }

    TEST_CASE(
        "a point of the picture has the object that picking finds and its way down the tree") {
        const scene::Scene scene = tests::rich_scene();
        const auto renderer = rendered(scene, heat_settings(SchedulerMode::Keyed));
        const frame::UnitScene unit_scene = frame::unit_scene(renderer->scene());
        const trace::HeatMap& map = *renderer->scene().heat;
        const frame::HeatPlaces places = frame::heat_places(unit_scene, renderer->camera(), 12, 8);
        REQUIRE(places.object.size() == 96);
        REQUIRE(places.path_begin.size() == 97);
        for (u32 point = 0; point < 96; ++point) {
            const float u = (static_cast<float>(point % 12) + 0.5F) / 12;
            const float v = (static_cast<float>(point / 12) + 0.5F) / 8;
            const auto picked = frame::surface_at(unit_scene, renderer->camera(), u, v);
            REQUIRE(picked.has_value() == (places.object[point] != kNone));
            const auto path = places.path_of(point);
            REQUIRE(path.empty() == !picked.has_value());
            if (picked) {
                CHECK(places.object[point] == map.object_of_instance[picked->instance]);
                CHECK(path.front() == renderer->scene().acceleration->root);
                const u32 end = map.object_of(path.back());
                CHECK((end == places.object[point] || end == map.many_objects()));
            }
        }
    }
}
