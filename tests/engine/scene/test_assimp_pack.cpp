// test_assimp_pack.cpp — a pack reads back as it was written, and a cut or lying pack is refused.
#include <algorithm>
#include <array>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <cmath>
#include <limits>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/scene/assimp/assimp_pack.h"
#include "engine/scene/assimp/assimp_properties.h"
#include "engine/scene/parts/polygon_cut.h"

using namespace weft;
using namespace weft::scene;

namespace {

struct Arrays {
    std::vector<u32> corners{0, 1, 2, 2, 1, 3};
    std::vector<float> positions{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    std::vector<float> normals{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    std::vector<float> uvs{0, 0, 1, 0, 0, 1, 1, 1};

    [[nodiscard]] PackedMesh mesh() const {
        PackedMesh mesh;
        mesh.name = "quad";
        mesh.material = 7;
        mesh.corners = corners;
        mesh.positions = positions;
        mesh.normals = normals;
        mesh.uvs[0] = uvs;
        return mesh;
    }
};

// As 64-bit words: a pack is aligned.
std::vector<u64> packed(const PackedMesh& mesh) {
    const int file = memfd_create("pack", 0);
    REQUIRE(file >= 0);
    PackWriter writer(file);
    write_mesh(writer, mesh);
    writer.value(kPackEnd);
    REQUIRE(writer.finish());
    const auto size = static_cast<std::size_t>(lseek(file, 0, SEEK_END));
    std::vector<u64> words(size / sizeof(u64));
    REQUIRE(pread(file, words.data(), size, 0) == static_cast<ssize_t>(size));
    close(file);
    return words;
}

PackReader reader_of(const std::vector<u64>& words, std::size_t bytes) {
    return PackReader({reinterpret_cast<const char*>(words.data()), bytes});
}

PackReader reader_of(const std::vector<u64>& words) {
    return reader_of(words, words.size() * sizeof(u64));
}

bool is_accepted(const PackedMesh& mesh) {
    const std::vector<u64> words = packed(mesh);
    PackReader reader = reader_of(words);
    read_mesh(reader);
    return reader.is_sound();
}

// The properties of a scene's only material, after packing and unpacking.
u32 unpacked_properties(const aiMaterial& material) {
    const int file = memfd_create("pack", 0);
    REQUIRE(file >= 0);
    PackWriter writer(file);
    std::array<aiMaterial*, 1> materials = {const_cast<aiMaterial*>(&material)};
    aiScene scene;
    scene.mMaterials = materials.data();
    scene.mNumMaterials = 1;
    pack_materials(scene, writer);
    scene.mMaterials = nullptr;
    scene.mNumMaterials = 0;
    REQUIRE(writer.finish());
    const auto size = static_cast<std::size_t>(lseek(file, 0, SEEK_END));
    std::vector<u64> words(size / sizeof(u64));
    REQUIRE(pread(file, words.data(), size, 0) == static_cast<ssize_t>(size));
    close(file);
    PackReader reader = reader_of(words);
    const std::unique_ptr<aiScene> back = unpack_materials(reader);
    REQUIRE(back);
    return back->mMaterials[0]->mNumProperties;
}

// Twice the area in the plane z = 0; negative for clockwise triangles.
double outline_area(const std::vector<math::Vec3>& corners) {
    double area = 0;
    for (const std::array<u32, 3>& t : cut_polygon(corners)) {
        const auto& a = corners[t[0]];
        const auto& b = corners[t[1]];
        const auto& c = corners[t[2]];
        const double part =
            static_cast<double>((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        CHECK(part >= 0);
        area += part;
    }
    return area;
}

}  // namespace

TEST_SUITE("engine/scene/assimp_pack") {
    TEST_CASE("a mesh reads back as it was written") {
        const Arrays arrays;
        const std::vector<u64> words = packed(arrays.mesh());
        PackReader reader = reader_of(words);
        const PackedMesh mesh = read_mesh(reader);
        CHECK(mesh.name == "quad");
        CHECK(mesh.material == 7);
        CHECK(std::vector<u32>(mesh.corners.begin(), mesh.corners.end()) == arrays.corners);
        CHECK(std::vector<float>(mesh.uvs[0].begin(), mesh.uvs[0].end()) == arrays.uvs);
        CHECK(mesh.uvs[1].empty());
        CHECK(reader.value<u64>() == kPackEnd);
        CHECK(reader.is_sound());
    }

    TEST_CASE(
        "material properties that assimp would read past their end or throw at are left out") {
        aiMaterial material;
        const aiString name("clay");
        material.AddProperty(&name, AI_MATKEY_NAME);
        const float rough = 0.5F;
        material.AddProperty(&rough, 1, AI_MATKEY_ROUGHNESS_FACTOR);
        CHECK(unpacked_properties(material) == 2);
        material.AddProperty(&name, AI_MATKEY_COLOR_DIFFUSE);
        CHECK(unpacked_properties(material) == 2);
        const std::array<int, 8> many{};
        material.AddProperty(many.data(), many.size(), AI_MATKEY_UVWSRC(aiTextureType_DIFFUSE, 0));
        CHECK(unpacked_properties(material) == 2);
    }

    TEST_CASE("a pack that is cut anywhere is refused") {
        const std::vector<u64> words = packed(Arrays().mesh());
        for (std::size_t bytes = 0; bytes < words.size() * sizeof(u64); ++bytes) {
            CAPTURE(bytes);
            PackReader reader = reader_of(words, bytes);
            read_mesh(reader);
            CHECK(reader.value<u64>() != kPackEnd);
            CHECK(!reader.is_sound());
        }
    }

    TEST_CASE("a pack with any word made huge is read within its bytes") {
        const std::vector<u64> whole = packed(Arrays().mesh());
        for (std::size_t k = 0; k < whole.size(); ++k) {
            for (const u64 huge : {~u64{0}, u64{1} << 61, u64{1} << 32, u64{99999999}}) {
                std::vector<u64> words = whole;
                words[k] = huge;
                PackReader reader = reader_of(words);
                const PackedMesh mesh = read_mesh(reader);
                CHECK((!reader.is_sound() || is_sound(mesh)));
            }
        }
    }

    TEST_CASE("a mesh whose arrays disagree in length is refused") {
        CHECK(is_accepted(Arrays().mesh()));
        Arrays corner;
        corner.corners[4] = 4;
        CHECK(!is_accepted(corner.mesh()));
        Arrays half;
        half.corners.pop_back();
        CHECK(!is_accepted(half.mesh()));
        Arrays normals;
        normals.normals.resize(9);
        CHECK(!is_accepted(normals.mesh()));
        Arrays far;
        far.positions[5] = std::numeric_limits<float>::infinity();
        CHECK(!is_accepted(far.mesh()));
    }

    TEST_CASE("a polygon of any outline is covered by triangles of its orientation") {
        std::vector<math::Vec3> comb;
        for (u32 k = 0; k < 500; ++k) {
            const auto x = static_cast<float>(k);
            comb.push_back({x, 0, 0});
            comb.push_back({x + 0.25f, -100, 0});
        }
        comb.push_back({500, 1, 0});
        comb.push_back({0, 1, 0});
        double twice = 0;
        for (std::size_t k = 0; k < comb.size(); ++k) {
            const auto& a = comb[k];
            const auto& b = comb[(k + 1) % comb.size()];
            twice += static_cast<double>(a[0]) * static_cast<double>(b[1]) -
                     static_cast<double>(b[0]) * static_cast<double>(a[1]);
        }
        CHECK(cut_polygon(comb).size() == comb.size() - 2);
        CHECK(outline_area(comb) == doctest::Approx(twice));
        // Corners on a line and in one place.
        CHECK(outline_area({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}}) ==
              8);
        CHECK(cut_polygon(std::vector<math::Vec3>(2)).empty());
        // A hole that a seam joins to the outline.
        CHECK(outline_area({{0, 0, 0},
                            {4, 0, 0},
                            {4, 4, 0},
                            {0, 4, 0},
                            {0, 0, 0},
                            {1, 1, 0},
                            {1, 3, 0},
                            {3, 3, 0},
                            {3, 1, 0},
                            {1, 1, 0}}) == 24);
    }

    TEST_CASE("a corner on a side of a polygon is a corner of triangles with an area") {
        const std::vector<math::Vec3> corners = {
            {0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}};
        for (const std::array<u32, 3>& t : cut_polygon(corners)) {
            const math::Vec3 u = corners[t[1]] - corners[t[0]];
            const math::Vec3 v = corners[t[2]] - corners[t[0]];
            CHECK(u[0] * v[1] - u[1] * v[0] > 0);
        }
    }

    TEST_CASE("a quad is cut from its first corner unless the other diagonal alone lies inside") {
        using Triangles = std::vector<std::array<u32, 3>>;
        const Triangles fan = {{0, 1, 2}, {0, 2, 3}};
        const std::vector<math::Vec3> square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
        CHECK(cut_polygon(square) == fan);
        CHECK(cut_polygon(std::vector<math::Vec3>(square.rbegin(), square.rend())) == fan);
        std::vector<math::Vec3> arrow = {{0, 0, 0}, {1, 0.5F, 0}, {2, 0, 0}, {1, 2, 0}};
        for (u32 first = 0; first < 4; ++first) {
            CHECK((cut_polygon(arrow) == fan) == (first % 2 != 0));
            CHECK(outline_area(arrow) == 3);
            std::rotate(arrow.begin(), arrow.begin() + 1, arrow.end());
        }
    }

    TEST_CASE("a polygon of random corners that crosses itself everywhere has triangles") {
        std::vector<math::Vec3> corners;
        u32 state = 1;
        for (u32 k = 0; k < 20000; ++k) {
            state = state * 1664525u + 1013904223u;
            corners.push_back(
                {static_cast<float>(state >> 20), static_cast<float>(state >> 8 & 4095), 0});
        }
        CHECK(cut_polygon(corners).size() == corners.size() - 2);
    }
}
