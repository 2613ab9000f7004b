// test_procedural.cpp — procedural scenes: the count asked for, the same bits for any number of
// threads, sound geometry.
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include "engine/scene/import.h"
#include "engine/scene/procedural/procedural.h"
#include "engine/scene/procedural/procedural_noise.h"
#include "engine/scene/procedural/procedural_shapes.h"

using namespace weft;
using namespace weft::scene;

namespace {

template <typename Values>
u64 hash_of(const Values& values) {
    u64 hash = 0xcbf29ce484222325u;
    for (const auto& value : values) {
        u32 bits = 0;
        static_assert(sizeof value == sizeof bits);
        __builtin_memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
    }
    return hash;
}

std::array<u64, 5> hashes_of(const Scene& scene) {
    return {hash_of(scene.indices),
            hash_of(scene.positions),
            hash_of(scene.normals),
            hash_of(scene.uvs),
            hash_of(scene.texels)};
}

Scene make(const std::string& name) {
    Scene scene;
    const auto status = make_procedural(name, {}, scene);
    REQUIRE_MESSAGE(status.is_ok(), status.error().sentence);
    return scene;
}

using math::DVec3;

DVec3 position_of(const Scene& scene, const Mesh& mesh, u32 vertex) {
    const std::size_t at = 3 * (std::size_t{mesh.record.first_position} + vertex);
    return DVec3(math::vec3_at(&scene.positions[at]));
}

// Twice the vector area of triangle `t` of the mesh.
DVec3 face_of(const Scene& scene, const Mesh& mesh, u32 t) {
    const u32* corner = &scene.indices[3 * (std::size_t{mesh.record.first_triangle} + t)];
    const DVec3 a = position_of(scene, mesh, corner[0]);
    return cross(position_of(scene, mesh, corner[1]) - a, position_of(scene, mesh, corner[2]) - a);
}

Shape patch_of(u64 triangles) {
    Shape shape;
    shape.kind = Shape::Kind::Patch;
    shape.edge_u = {3, 0, 0};
    shape.edge_v = {0, 0, -2};
    shape.triangles = triangles;
    return shape;
}

}  // namespace

TEST_SUITE("engine/scene/procedural") {
    TEST_CASE("every procedural scene has exactly the triangles that were asked for") {
        for (const std::string kind : {"rubble", "terrain", "spheres"}) {
            for (const u32 count :
                 {1u, 2u, 3u, 7u, 8u, 11u, 12u, 13u, 14u, 21u, 22u, 99u, 1000u, 12345u, 99999u}) {
                CAPTURE(kind);
                CAPTURE(count);
                const Scene scene = make("procedural:" + kind + ":" + std::to_string(count));
                CHECK(scene.indices.size() == 3 * std::size_t{count});
                CHECK(scene_size(scene).triangles == count);
                CHECK(scene.cameras.size() == 1);
            }
        }
    }

    TEST_CASE("a forest has exactly the placements that were asked for on its ground") {
        for (const u32 count : {1u, 2u, 3u, 99u, 100u, 101u, 5000u}) {
            CAPTURE(count);
            const Scene scene = make("procedural:forest:" + std::to_string(count));
            REQUIRE(scene.instances.size() == count + 1);
            // Each tree's crown and stem stand in one place, in a cell of their own.
            std::map<std::pair<int, int>, u32> parts_of_cell;
            for (u32 k = 0; k < count; ++k) {
                const math::Affine& placed = scene.instances[k].object_to_world;
                CHECK(placed == scene.instances[k / 2 * 2].object_to_world);
                CHECK(scene.instances[k].mesh + 1 < scene.meshes.size());
                ++parts_of_cell[{static_cast<int>(std::floor(placed[3] / 3.4f)),
                                 static_cast<int>(std::floor(-placed[11] / 3.4f))}];
            }
            CHECK(parts_of_cell.size() == (count + 1) / 2);
            CHECK(scene.meshes[scene.instances.back().mesh].name == "ground");
        }
        // A mesh that stands nowhere adds nothing; here each stands once.
        const SceneSize size = scene_size(make("procedural:forest:1"));
        CHECK(size.triangles > 0);
        CHECK(size.unique_triangles == size.triangles);
        // Meshes do not grow with the placements.
        CHECK(make("procedural:forest:100").meshes.size() == 101);
        CHECK(make("procedural:forest:4000").indices.size() ==
              make("procedural:forest:100").indices.size());
    }

    TEST_CASE("the arenas have the same bits with one thread and with four") {
        for (const std::string name : {"procedural:rubble:60K",
                                       "procedural:terrain:60K",
                                       "procedural:spheres:60K",
                                       "procedural:forest:300"}) {
            CAPTURE(name);
            std::array<u64, 5> alone{};
            {
                tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
                alone = hashes_of(make(name));
            }
            tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
            CHECK(hashes_of(make(name)) == alone);
        }
    }

    TEST_CASE("every index lies within its mesh and every normal has unit length") {
        for (const std::string name : {"procedural:rubble:20K",
                                       "procedural:terrain:20K",
                                       "procedural:spheres:20K",
                                       "procedural:forest:20"}) {
            const Scene scene = make(name);
            for (const Mesh& mesh : scene.meshes) {
                CAPTURE(mesh.name);
                u32 highest = 0;
                for (u32 corner = 0; corner < 3 * mesh.record.triangle_count; ++corner) {
                    highest = std::max(
                        highest,
                        scene.indices[3 * std::size_t{mesh.record.first_triangle} + corner]);
                }
                CHECK(3 * (std::size_t{mesh.record.first_position} + highest) + 2 <
                      scene.positions.size());
                CHECK(3 * (std::size_t{mesh.record.first_normal} + highest) + 2 <
                      scene.normals.size());
                double worst = 0;
                for (u32 vertex = 0; vertex <= highest; ++vertex) {
                    const float* n =
                        &scene.normals[3 * (std::size_t{mesh.record.first_normal} + vertex)];
                    worst = std::max(
                        worst,
                        std::fabs(static_cast<double>(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) -
                                  1));
                }
                CHECK(worst < 1e-5);
            }
        }
    }

    TEST_CASE("a blob is closed: each directed edge has its opposite once") {
        for (const u32 frequency : {1u, 2u, 3u, 8u}) {
            CAPTURE(frequency);
            Scene scene;
            Shape blob;
            blob.frequency = frequency;
            blob.bumpiness = 0.2f;
            append_shapes({}, scene, {{"blob", 0}}, {blob});
            CHECK(scene.positions.size() == 3 * vertex_count(blob));
            std::map<std::pair<u32, u32>, int> edges;
            for (std::size_t at = 0; at < scene.indices.size(); at += 3) {
                for (std::size_t k = 0; k < 3; ++k) {
                    ++edges[{scene.indices[at + k], scene.indices[at + (k + 1) % 3]}];
                }
            }
            CHECK(edges.size() == scene.indices.size());
            for (const auto& [edge, uses] : edges) {
                CHECK(uses == 1);
                CHECK(edges.count({edge.second, edge.first}) == 1);
            }
            // Outward: the enclosed volume is positive and near that of the ball.
            double volume = 0;
            for (u32 t = 0; t < scene.meshes[0].record.triangle_count; ++t) {
                const DVec3 face = face_of(scene, scene.meshes[0], t);
                const DVec3 a =
                    position_of(scene, scene.meshes[0], scene.indices[3 * std::size_t{t}]);
                volume += dot(face, a) / 6;
            }
            CHECK(volume > 1.0);
            CHECK(volume < 7.0);
        }
    }

    TEST_CASE("a patch covers its parallelogram once with any number of triangles") {
        for (u64 triangles = 2; triangles < 70; ++triangles) {
            CAPTURE(triangles);
            Scene scene;
            append_shapes({}, scene, {{"patch", 0}}, {patch_of(triangles)});
            REQUIRE(scene.indices.size() == 3 * triangles);
            double area = 0;
            for (u32 t = 0; t < triangles; ++t) {
                const DVec3 face = face_of(scene, scene.meshes[0], t);
                CHECK(face[1] > 0);  // the front side is up
                area += face[1] / 2;
            }
            CHECK(area == doctest::Approx(6).epsilon(1e-5));
        }
    }

    TEST_CASE("the camera of the rubble stands outside every blob and inside the room") {
        const Scene scene = make("procedural:rubble:50K");
        const math::Affine& camera = scene.cameras[0].to_world;
        double nearest = 1e9;
        for (std::size_t at = 0; at < scene.positions.size(); at += 3) {
            double squared = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double offset =
                    static_cast<double>(scene.positions[at + axis] - camera[4 * axis + 3]);
                squared += offset * offset;
            }
            nearest = std::min(nearest, squared);
        }
        CHECK(std::sqrt(nearest) > 0.5);
        const auto bounds = scene_bounds(scene);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            CHECK(camera[4 * axis + 3] > bounds.low[axis]);
            CHECK(camera[4 * axis + 3] < bounds.high[axis]);
        }
    }

    TEST_CASE("two procedural scenes in one keep their own triangles and materials") {
        Scene scene = make("procedural:terrain:500");
        const std::size_t materials = scene.materials.size();
        const Scene alone = make("procedural:rubble:500");
        REQUIRE(make_procedural("procedural:rubble:500", {}, scene).is_ok());
        CHECK(scene.indices.size() == 3000);
        CHECK(scene.instances.back().material == alone.instances.back().material + materials - 1);
        const Mesh& merged = scene.meshes.back();
        const Mesh& single = alone.meshes.back();
        for (u32 t = 0; t < merged.record.triangle_count; ++t) {
            CHECK(face_of(scene, merged, t) == face_of(alone, single, t));
        }
        CHECK(scene.normals[3 * std::size_t{merged.record.first_normal}] ==
              alone.normals[3 * std::size_t{single.record.first_normal}]);
    }

    TEST_CASE("the triangle count takes K and M and fractions") {
        CHECK(parse_procedural("procedural:rubble").value().count == 1'000'000);
        CHECK(parse_procedural("procedural:terrain:250k").value().count == 250'000);
        CHECK(parse_procedural("procedural:spheres:1.5M").value().count == 1'500'000);
        CHECK(parse_procedural("procedural:spheres:40M").value().count == 40'000'000);
        CHECK(parse_procedural("procedural:spheres:1").value().count == 1);
        CHECK(parse_procedural("procedural:forest:10M").value().count == 10'000'000);
    }

    TEST_CASE("an unknown procedural name or count is refused with a sentence") {
        for (const std::string name : {"procedural:gravel",
                                       "procedural:",
                                       "procedural:rubble:",
                                       "procedural:rubble:0",
                                       "procedural:rubble:-5",
                                       "procedural:rubble:many",
                                       "procedural:rubble:10MM",
                                       "procedural:rubble:1e5",
                                       "procedural:rubble:2G",
                                       "procedural:forest:11M",
                                       "procedural:rubble:nan"}) {
            CAPTURE(name);
            Scene scene;
            const auto status = make_procedural(name, {}, scene);
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().kind == base::ErrorKind::Scene);
            CHECK(status.error().sentence.find(name) == 0);
            CHECK(status.error().sentence.find("expected") != std::string::npos);
        }
    }

    TEST_CASE("smooth noise is continuous across lattice cells and stays in its range") {
        for (u32 i = 0; i < 2000; ++i) {
            const float x = 20 * random_unit(1, i, 0) - 10;
            const float y = 20 * random_unit(1, i, 1) - 10;
            const float value = smooth_noise(x, y, 0.5f, 7);
            CHECK(std::fabs(value) <= 1);
            const float edge = std::floor(x);
            CHECK(std::fabs(smooth_noise(edge + 1e-4f, y, 0.5f, 7) -
                            smooth_noise(edge - 1e-4f, y, 0.5f, 7)) < 1e-2f);
        }
    }
}
