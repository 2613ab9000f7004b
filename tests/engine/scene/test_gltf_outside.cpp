// test_gltf_outside.cpp — a folder of outside scenes, named by the environment variable
// WEFT_SCENES, imported file by file.
//
// A case whose folder or file is missing is skipped.
#include <algorithm>
#include <cstdlib>

#include "engine/scene/model/tangents.h"
#include "tests/engine/scene/gltf_writer.h"
#include "tests/skipped.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

std::vector<std::string> files_under(const std::string& folder) {
    const char* named = std::getenv("WEFT_SCENES");
    const std::filesystem::path root =
        std::filesystem::path(named != nullptr ? named : WEFT_SOURCE_DIR "/../shared/scenes") /
        folder;
    std::vector<std::string> files;
    std::error_code code;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root, code)) {
        if (entry.path().extension() == ".gltf" || entry.path().extension() == ".glb") {
            files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        tests::skip_for_lack_of("scenes in " + root.string(), tests::Source::Person);
    }
    return files;
}

}  // namespace

TEST_SUITE("engine/scene/gltf_outside") {
    TEST_CASE("every outside file of the zoo and the samples imports") {
        u32 count = 0;
        for (const char* folder : {"gltf-extension-zoo",
                                   "gltf-khronos-samples",
                                   "interior-dream-apartment",
                                   "glb-water-bottle"}) {
            for (const std::string& file : files_under(folder)) {
                Scene scene;
                const base::Status status = import_gltf(file, {}, scene);
                CHECK_MESSAGE(status.is_ok(), status.error().sentence);
                for (const Instance& instance : scene.instances) {
                    REQUIRE(instance.mesh < scene.meshes.size());
                    REQUIRE(instance.material < scene.materials.size());
                }
                for (const shaders::TextureSlot& slot : scene.slots) {
                    REQUIRE(slot.texture < scene.textures.size());
                }
                ++count;
            }
        }
        MESSAGE(count << " outside files imported");
    }

    TEST_CASE("meshopt and plain files of one apartment are the same scene") {
        const std::vector<std::string> files = files_under("interior-dream-apartment");
        if (files.size() == 2) {
            const Scene packed = import_ok(files[0]);
            const Scene plain = import_ok(files[1]);
            CHECK(scene_size(packed).triangles == scene_size(plain).triangles);
            CHECK(scene_size(packed).triangles == 177934);
            const auto a = scene_bounds(packed);
            const auto b = scene_bounds(plain);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                CHECK(a.low[axis] == doctest::Approx(b.low[axis]).epsilon(1e-3));
                CHECK(a.high[axis] == doctest::Approx(b.high[axis]).epsilon(1e-3));
            }
        }
    }

    TEST_CASE("gpu instances multiply triangles without copying them") {
        for (const std::string& file : files_under("gltf-extension-zoo/24_gpu_instancing")) {
            const Scene scene = import_ok(file);
            CHECK(scene_size(scene).triangles == 7656770);
            CHECK(scene_size(scene).unique_triangles == 4034);
        }
    }

    TEST_CASE("every nasty outside file ends in a scene or a sentence with its name") {
        for (const std::string& file : files_under("nasty-gltf")) {
            CAPTURE(file);
            Scene scene;
            const base::Status status = import_gltf(file, {}, scene);
            if (!status.is_ok()) {
                CHECK(status.error().kind == base::ErrorKind::Scene);
                CHECK(contains(status.error().sentence,
                               std::filesystem::path(file).filename().string()));
            }
        }
    }

    TEST_CASE("generated tangents agree with those in a mirrored test file") {
        for (const std::string& file :
             files_under("gltf-khronos-samples/NormalTangentMirrorTest")) {
            const Scene scene = import_ok(file);
            const shaders::MeshRecord& record = scene.meshes[0].record;
            const std::size_t vertices = scene.positions.size() / 3;
            REQUIRE(record.first_tangent == 0);
            REQUIRE(scene.tangents.size() == 4 * vertices);
            const TangentMesh mesh = make_tangents(
                scene.indices,
                scene.positions,
                scene.normals,
                std::span(scene.uvs).subspan(2 * std::size_t{record.first_uv0}, 2 * vertices));
            std::size_t close = 0;
            std::size_t same_side = 0;
            for (std::size_t i = 0; i < mesh.indices.size(); ++i) {
                const float* made = &mesh.tangents[4 * std::size_t{mesh.indices[i]}];
                const float* given = &scene.tangents[4 * std::size_t{scene.indices[i]}];
                close +=
                    made[0] * given[0] + made[1] * given[1] + made[2] * given[2] > 0.95f ? 1 : 0;
                same_side += made[3] == given[3] ? 1 : 0;
            }
            MESSAGE(close << " directions and " << same_side << " handednesses of "
                          << mesh.indices.size() << " agree");
            CHECK(same_side * 1000 >= mesh.indices.size() * 999);
            CHECK(close * 100 >= mesh.indices.size() * 98);
        }
    }
}
