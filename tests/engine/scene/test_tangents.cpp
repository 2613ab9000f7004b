// test_tangents.cpp — generated tangents: direction, handedness, sharing and doubling.
#include <cmath>

#include <doctest/doctest.h>

#include "engine/scene/model/tangents.h"

using namespace weft;
using namespace weft::scene;

namespace {

const std::vector<float> kQuad = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
const std::vector<float> kUp = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
const std::vector<u32> kTwo = {0, 1, 2, 0, 2, 3};

std::vector<float> tangent(const TangentMesh& mesh, std::size_t v) {
    const auto from = mesh.tangents.begin() + static_cast<std::ptrdiff_t>(4 * v);
    return {from, from + 4};
}

}  // namespace

TEST_SUITE("engine/scene/tangents") {
    TEST_CASE(
        "u to the right and v downwards give a tangent to the right with handedness plus one") {
        const TangentMesh mesh =
            make_tangents(kTwo, kQuad, kUp, std::vector<float>{0, 1, 1, 1, 1, 0, 0, 0});
        CHECK(mesh.indices == kTwo);
        CHECK(mesh.source == std::vector<u32>{0, 1, 2, 3});
        for (std::size_t v = 0; v < 4; ++v) {
            CHECK(tangent(mesh, v) == std::vector<float>{1, 0, 0, 1});
        }
    }

    TEST_CASE("mirrored uv turns the tangent and the handedness") {
        const TangentMesh mesh =
            make_tangents(kTwo, kQuad, kUp, std::vector<float>{1, 1, 0, 1, 0, 0, 1, 0});
        for (std::size_t v = 0; v < 4; ++v) {
            CHECK(tangent(mesh, v) == std::vector<float>{-1, 0, 0, -1});
        }
    }

    TEST_CASE(
        "a vertex between mirrored halves is doubled and each half keeps its own handedness") {
        // Two quads side by side sharing an edge; u runs from 0 to 1 and back.
        const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0};
        const std::vector<float> normals = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
        const std::vector<float> uvs = {0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0};
        const std::vector<u32> indices = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
        const TangentMesh mesh = make_tangents(indices, positions, normals, uvs);
        CHECK(mesh.source.size() == 8);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            CHECK(mesh.source[mesh.indices[i]] == indices[i]);
            const float side = i < 6 ? 1.0f : -1.0f;
            CHECK(tangent(mesh, mesh.indices[i]) == std::vector<float>{side, 0, 0, side});
        }
    }

    TEST_CASE("vertices that are equal but not shared get the same tangent") {
        // A bent strip: the two triangles lie in different planes but agree in normal and uv along
        // their edge.
        const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1};
        const std::vector<float> normals = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
        const std::vector<float> uvs = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0.3f, 0.4f};
        const TangentMesh mesh =
            make_tangents(std::vector<u32>{0, 1, 2, 3, 4, 5}, positions, normals, uvs);
        CHECK(tangent(mesh, 0) == tangent(mesh, 3));
        CHECK(tangent(mesh, 2) == tangent(mesh, 4));
        CHECK(tangent(mesh, 1) != tangent(mesh, 5));
    }

    TEST_CASE("without uv area the tangent is some unit vector along the surface") {
        const TangentMesh mesh = make_tangents(kTwo, kQuad, kUp, std::vector<float>(8, 0.5f));
        for (std::size_t v = 0; v < 4; ++v) {
            const std::vector<float> t = tangent(mesh, v);
            CHECK(t[0] * t[0] + t[1] * t[1] + t[2] * t[2] == doctest::Approx(1));
            CHECK(t[2] == doctest::Approx(0));
            CHECK(t[3] == 1);
        }
    }

    TEST_CASE("without normals every triangle is flat and has its own vertices") {
        const TangentMesh mesh =
            make_tangents(kTwo, kQuad, {}, std::vector<float>{0, 1, 1, 1, 1, 0, 0, 0});
        CHECK(mesh.source == kTwo);
        CHECK(mesh.indices == std::vector<u32>{0, 1, 2, 3, 4, 5});
        CHECK(tangent(mesh, 5) == std::vector<float>{1, 0, 0, 1});
    }

    TEST_CASE("any tangent is orthogonal to its normal on both sides of the pole") {
        for (const float z : {-1.0f, -0.9999f, -0.5f, 0.0f, 0.7f, 1.0f}) {
            const float x = std::sqrt(1 - z * z);
            const float normal[3] = {x, 0, z};
            float t[3];
            any_tangent(normal, t);
            CHECK(t[0] * normal[0] + t[2] * normal[2] == doctest::Approx(0).epsilon(1e-5));
            CHECK(t[0] * t[0] + t[1] * t[1] + t[2] * t[2] == doctest::Approx(1));
        }
    }
}
