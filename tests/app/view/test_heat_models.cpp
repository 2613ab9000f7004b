// test_heat_models.cpp — colours, rows and sentences of heat, without a window.
#include <doctest/doctest.h>

#include "app/view/models/heat_picture.h"
#include "app/view/models/heat_table.h"

using namespace weft;
using namespace weft::app;
using trace::Heat;
using trace::HeatKind;

namespace {

// Two meshes, one with two materials; nodes 1 and 2 below the root are an object each.
trace::HeatMap small_map() {
    trace::HeatMap map;
    map.objects = {{0, 0, 0}, {1, 0, 1}, {1, 1, 2}};
    map.of_node = {3, 0, 1};
    return map;
}

trace::HeatFigures small_figures() {
    trace::HeatFigures figures;
    figures.keys = {{0, {.packets = 1, .fibres = 900, .visits = 1, .time_ns = 1000}},
                    {1, {.packets = 5, .fibres = 40, .visits = 10, .time_ns = 3000}}};
    figures.objects.resize(4);
    figures.objects[0][0] = {
        .packets = 2, .fibres = 10, .lanes_issued = 32, .lanes_active = 6, .time_ns = 3800};
    figures.objects[1][1] = {.packets = 1, .fibres = 90, .time_ns = 1000};
    figures.objects[2][2] = {.packets = 1, .fibres = 5, .visits = 7, .time_ns = 3000};
    figures.objects[3][0] = {.packets = 1, .fibres = 1, .time_ns = 2200};
    return figures;
}

// Three points: no surface, the first object below node 1, and one below a key without heat.
frame::HeatPlaces three_points() {
    return {.columns = 3,
            .rows = 1,
            .object = {kNone, 0, 2},
            .path_begin = {0, 0, 2, 4},
            .paths = {0, 1, 0, 2}};
}

std::vector<trace::HeatRow> rows_of(trace::HeatGroup group) {
    return trace::heat_rows(small_map(), small_figures(), group);
}

scene::Scene two_meshes() {
    scene::Scene scene;
    scene.meshes.resize(2);
    scene.meshes[0].name = "hair";
    scene.materials.resize(2);
    scene.materials[0].name = "wood";
    scene.instances.resize(3);
    for (u32 k = 0; k < 3; ++k) {
        scene.instances[k].node = std::string("node ") + std::to_string(k);
    }
    return scene;
}

}  // namespace

TEST_SUITE("app/view/heat_models") {
    TEST_CASE("a point has the heat of the deepest key with heat and no surface has no colour") {
        const HeatPicture picture = heat_picture(
            small_map(), small_figures(), three_points(), HeatMetric::Time, HeatBy::Key);
        REQUIRE(picture.rgba.size() == 12);
        CHECK(picture.most == doctest::Approx(3e-6));
        CHECK(picture.rgba[3] == 0);
        const auto hottest = heat_colour(1);
        CHECK(std::equal(hottest.begin(), hottest.end(), picture.rgba.begin() + 4));
        CHECK(picture.rgba[11] > 0);
        CHECK(picture.rgba[8] < picture.rgba[4]);
    }

    TEST_CASE("all objects of one mesh or material share its colour") {
        const HeatPicture by_mesh = heat_picture(
            small_map(), small_figures(), three_points(), HeatMetric::Time, HeatBy::Mesh);
        CHECK(by_mesh.most == doctest::Approx(4e-6));
        const HeatPicture by_material = heat_picture(
            small_map(), small_figures(), three_points(), HeatMetric::Fibres, HeatBy::Material);
        CHECK(by_material.most == doctest::Approx(100));
    }

    TEST_CASE("colours grow brighter and more opaque and stay on the scale") {
        for (double share = -1; share < 1.5; share += 0.01) {
            const auto here = heat_colour(share);
            const auto next = heat_colour(share + 0.01);
            CHECK(here[3] <= next[3]);
            CHECK(here[0] <= next[0]);
        }
        CHECK(heat_colour(-5) == heat_colour(0));
        CHECK(heat_colour(7) == heat_colour(1));
    }

    TEST_CASE("lines are sorted by any column and select their object") {
        const scene::Scene scene = two_meshes();
        std::vector<HeatLine> lines =
            heat_lines(scene, rows_of(trace::HeatGroup::Mesh), trace::HeatGroup::Mesh);
        REQUIRE(lines.size() == 3);
        CHECK(lines[0].name == "mesh 1");
        CHECK(lines[0].path == "nodes/node 1");
        CHECK(lines[1].name == "hair");
        CHECK(lines[2].path.empty());
        sort_lines(lines, HeatColumn::Name, false);
        CHECK(lines[0].name == "hair");
        sort_lines(lines, HeatColumn::Fibres, true);
        CHECK(lines[0].name == "mesh 1");
        sort_lines(lines, HeatColumn::Occupancy, false);
        CHECK(lines[0].name == "hair");
        sort_lines(lines, HeatColumn::Wasted, true);
        CHECK(lines[0].name == "hair");
        const std::vector<HeatLine> materials =
            heat_lines(scene, rows_of(trace::HeatGroup::Material), trace::HeatGroup::Material);
        CHECK(materials[0].name == "wood");
        CHECK(materials[0].path == "materials/wood");
    }

    TEST_CASE("meshes of the same name are distinguished by object and material and number") {
        scene::Scene scene;
        const char* const materials[] = {"wood", "wood", "glass", "wood", "wood", "wood"};
        const char* const meshes[] = {"node 0", "node 0", "node 0", "Cube", "Cube", "hair"};
        const char* const nodes[] = {"node 0", "node 0", "node 0", "table", "chair", "head"};
        std::vector<trace::HeatRow> rows;
        for (u32 k = 0; k < 6; ++k) {
            scene.meshes.push_back({meshes[k]});
            scene.materials.push_back({materials[k]});
            scene.instances.push_back({.mesh = k, .material = k, .node = nodes[k]});
            rows.push_back({.index = k, .instance = k});
        }
        const auto names = [&](trace::HeatGroup group) {
            std::vector<std::string> all;
            for (const HeatLine& line : heat_lines(scene, rows, group)) {
                all.push_back(line.name);
            }
            return all;
        };
        CHECK(names(trace::HeatGroup::Mesh) == std::vector<std::string>{"node 0 · wood · no. 1",
                                                                        "node 0 · wood · no. 2",
                                                                        "node 0 · glass",
                                                                        "Cube · table",
                                                                        "Cube · chair",
                                                                        "hair"});
        CHECK(names(trace::HeatGroup::Material) == std::vector<std::string>{"wood · no. 1",
                                                                            "wood · no. 2",
                                                                            "glass",
                                                                            "wood · no. 3",
                                                                            "wood · no. 4",
                                                                            "wood · no. 5"});
        // A click selects the part of its line.
        CHECK(heat_lines(scene, rows, trace::HeatGroup::Mesh)[4].path == "nodes/chair");
    }

    TEST_CASE("a sentence gives the share of the time and the lane occupancy") {
        const scene::Scene scene = two_meshes();
        const auto lines =
            heat_lines(scene, rows_of(trace::HeatGroup::Mesh), trace::HeatGroup::Mesh);
        CHECK(heat_sentence(lines[1], 16) == "hair: 38 % of the time at 3/16 occupancy");
        CHECK(heat_text(0.0123, HeatMetric::Time) == "12.3 ms");
        CHECK(heat_text(4.5e6, HeatMetric::Visits) == "4.5 M");
    }
}
