// test_heat.cpp — heat is charged to the right keys and objects, and none is lost.
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/heat_rows.h"
#include "tests/engine/trace/small_scenes.h"

using namespace weft;
using trace::Heat;
using trace::HeatFigures;
using trace::HeatKind;
using trace::HeatMap;
using trace::HeatTable;

namespace {

constexpr u32 kShade = static_cast<u32>(HeatKind::Shade);
constexpr u32 kClosest = static_cast<u32>(HeatKind::Closest);

// A map of nodes: the first is above both of two objects, the others belong to one in turn.
HeatMap two_objects(u32 nodes) {
    HeatMap map;
    map.objects = {{0, 0, 0}, {1, 0, 1}};
    for (u32 node = 0; node < nodes; ++node) {
        map.of_node.push_back(node == 0 ? map.many_objects() : node % 2);
    }
    return map;
}

Heat one_packet(u64 fibres) {
    return {.packets = 1,
            .fibres = fibres,
            .visits = 2,
            .lanes_issued = 16,
            .lanes_active = fibres,
            .time_ns = 1001};
}

}  // namespace

TEST_SUITE("engine/trace/heat") {
    TEST_CASE("more keys than there is room for lose nothing and objects stay exact") {
        const u32 nodes = HeatTable::kMostKeys + 100;
        const HeatMap map = two_objects(nodes);
        HeatTable table(map);
        for (u32 node = 0; node < nodes; ++node) {
            table.add_rays(HeatKind::Closest, node, one_packet(4));
        }
        table.add_rays(HeatKind::Closest, 7, one_packet(4));
        HeatFigures figures;
        table.add_to(figures);
        CHECK(figures.keys.size() == HeatTable::kMostKeys);
        CHECK(figures.other_keys.packets == 100);
        CHECK(figures.of_key(7).packets == 2);
        CHECK(figures.of_key(nodes - 1) == Heat{});
        REQUIRE(figures.objects.size() == 3);
        CHECK(figures.objects[0][kClosest].packets == nodes / 2 - 1);
        CHECK(figures.objects[1][kClosest].packets == nodes / 2 + 1);
        CHECK(figures.objects[2][kClosest].packets == 1);
    }

    TEST_CASE("shading is divided by fibres to the last lane and nanosecond") {
        const HeatMap map = two_objects(1);
        HeatTable table(map);
        const std::array<u32, 7> objects = {0, 0, 1, 1, 1, 0, 1};
        table.add_shading(objects, one_packet(7));
        HeatFigures figures;
        table.add_to(figures);
        CHECK(figures.objects[0][kShade].fibres == 3);
        CHECK(figures.objects[1][kShade].fibres == 4);
        Heat sum = figures.objects[0][kShade];
        sum.add(figures.objects[1][kShade]);
        CHECK(sum == one_packet(7));
        CHECK(figures.objects[0][kShade].time_ns > 300);
        CHECK(figures.objects[1][kShade].time_ns > 500);
    }

    TEST_CASE("rows by mesh and by material add up to the total and the longest is first") {
        HeatMap map;
        map.objects = {{0, 0, 0}, {1, 0, 1}, {2, 1, 2}, {3, 1, 3}};
        map.of_node = {0, 1, 2, 4};
        HeatTable table(map);
        for (const u32 node : {0U, 1U, 1U, 1U, 2U, 2U, 3U}) {
            table.add_rays(HeatKind::Closest, node, one_packet(2));
        }
        table.add_shading(std::array<u32, 2>{0, 2}, one_packet(2));
        HeatFigures figures;
        table.add_to(figures);
        const auto meshes = trace::heat_rows(map, figures, trace::HeatGroup::Mesh);
        const auto materials = trace::heat_rows(map, figures, trace::HeatGroup::Material);
        REQUIRE(meshes.size() == 4);
        REQUIRE(materials.size() == 3);
        CHECK(meshes[0].index == 1);
        CHECK(meshes[0].instance == 1);
        CHECK(meshes[3].index == kNone);
        CHECK(materials[0].index == 0);
        CHECK(materials[0].kinds[kClosest].packets == 4);
        for (const auto& rows : {meshes, materials}) {
            Heat sum;
            double share = 0;
            for (const trace::HeatRow& row : rows) {
                sum.add(row.sum);
                share += row.share;
            }
            CHECK(sum.packets == 8);
            CHECK(sum.time_ns == 8 * 1001);
            CHECK(share == doctest::Approx(1));
        }
    }

    TEST_CASE("figures of several units are added key by key") {
        const HeatMap map = two_objects(10);
        HeatTable one(map);
        HeatTable other(map);
        for (const u32 node : {9U, 3U, 5U}) {
            one.add_rays(HeatKind::Shadow, node, one_packet(1));
        }
        for (const u32 node : {5U, 1U}) {
            other.add_rays(HeatKind::Closest, node, one_packet(2));
        }
        HeatFigures figures;
        one.add_to(figures);
        other.add_to(figures);
        REQUIRE(figures.keys.size() == 4);
        CHECK(figures.keys[0].ref == 1);
        CHECK(figures.of_key(5).fibres == 3);
        CHECK(figures.of_key(5).lanes_wasted() == 29);
    }

    TEST_CASE("instances of one mesh and material are one object and nodes above two have none") {
        scene::Scene scene;
        for (const float x : {-2.0F, 0.0F, 2.0F}) {
            tests::add_object(scene,
                              tests::uv_sphere({x, 0, 0}, 0.6F, 24, 12, tests::Shading::Smooth),
                              tests::lambert({0.5F, 0.5F, 0.5F}));
        }
        const u32 stone = tests::add_material(scene, tests::lambert({0.3F, 0.3F, 0.3F}));
        const u32 pebble = tests::add_mesh(
            scene, tests::uv_sphere({0, 0, 0}, 0.1F, 12, 6, tests::Shading::Smooth), stone);
        for (const float z : {1.0F, 1.5F, 2.0F}) {
            tests::add_instance(scene, pebble, tests::placed({1, 1, 1}, {0, 0, z}));
        }
        const auto tree = accel::build_acceleration(scene, {});
        REQUIRE(tree.is_ok());
        const HeatMap map = trace::make_heat_map(scene, tree.value());
        REQUIRE(map.object_of_instance.size() == scene.instances.size());
        for (u32 a = 0; a < scene.instances.size(); ++a) {
            for (u32 b = 0; b < scene.instances.size(); ++b) {
                const bool is_alike = scene.instances[a].mesh == scene.instances[b].mesh &&
                                      scene.instances[a].material == scene.instances[b].material;
                CHECK((map.object_of_instance[a] == map.object_of_instance[b]) == is_alike);
            }
        }
        REQUIRE(map.objects.size() > 1);
        CHECK(map.object_of(tree.value().root) == map.many_objects());
        // A node's object is that of all its children, or of none.
        for (u32 node = 0; node < tree.value().nodes.size(); ++node) {
            if (map.of_node[node] == map.many_objects()) {
                continue;
            }
            for (const u32 child : tree.value().nodes.data()[node].child) {
                if (child != shaders::kRefEmpty) {
                    CHECK(map.object_of(child) == map.of_node[node]);
                }
            }
        }
    }
}
