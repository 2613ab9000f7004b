// test_asset_root.cpp — scenes that name files outside their folder.
#include <cstring>

#include <doctest/doctest.h>

#include "engine/scene/files/asset_root.h"
#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace fs = std::filesystem;

namespace {

std::string triangle_bytes() {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    std::string bytes(sizeof corners, '\0');
    std::memcpy(bytes.data(), corners, sizeof corners);
    return bytes;
}

// One triangle whose corners lie in the file `uri`; of `image`, too, where it is not empty.
std::string triangle_gltf(const std::string& uri, const std::string& image = "") {
    const std::string material =
        image.empty() ? std::string()
                      : R"(,"images":[{"uri":")" + image +
                            R"("}],"textures":[{"source":0}],"materials":[{"pbrMetallicRoughness":)"
                            R"({"baseColorTexture":{"index":0}}}])";
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
           R"("meshes":[{"primitives":[{"attributes":{"POSITION":0})" +
           std::string(image.empty() ? "" : R"(,"material":0)") +
           R"(}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",)"
           R"("min":[0,0,0],"max":[1,1,0]}],"bufferViews":[{"buffer":0,"byteLength":36}],)"
           R"("buffers":[{"byteLength":36,"uri":")" +
           uri + R"("}])" + material + "}";
}

// A scene's folder "scene" beside a folder "outside" with corners.bin and wood.png.
struct TwoFolders {
    Folder folder{"asset_root"};
    std::string outside = folder.file("outside");

    TwoFolders() {
        fs::create_directories(folder.file("scene/sub"));
        fs::create_directories(outside);
        folder.write("outside/corners.bin", triangle_bytes());
        write_picture<u8>(outside + "/wood.png", 1, 1, {200, 100, 50, 255});
    }

    std::string scene(const std::string& text, const std::string& name = "scene.gltf") const {
        return folder.write("scene/" + name, text);
    }
};

ImportConfig allowing(const std::string& root) {
    ImportConfig config;
    config.asset_roots = {root};
    return config;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("engine/scene/asset_root") {
    TEST_CASE("a file in a folder of --asset-root is found by its last part") {
        const TwoFolders two;
        const std::string scene = two.scene("{}");
        CHECK(AssetRoots(scene, {two.outside}).find("textures/oak/wood.png") ==
              two.outside + "/wood.png");
        CHECK(AssetRoots(scene, {}).find("sub/wood.png") ==
              two.folder.file("scene") + "/sub/wood.png");
    }

    TEST_CASE("a file below a folder of --asset-root is found, the nearest first") {
        const TwoFolders two;
        const std::string scene = two.scene("{}");
        fs::create_directories(two.outside + "/a/b/c/d/e");
        fs::create_directories(two.outside + "/z");
        for (const char* file :
             {"/a/b/oak.png", "/z/oak.png", "/a/b/c/d/pine.png", "/a/b/c/d/e/deep.png"}) {
            fs::copy_file(two.outside + "/wood.png", two.outside + file);
        }
        const AssetRoots roots(scene, {two.outside});
        CHECK(roots.find("textures/oak.png") == two.outside + "/z/oak.png");
        CHECK(roots.find("/home/ann/pine.png") == two.outside + "/a/b/c/d/pine.png");
        CHECK(roots.find("deep.png") == two.folder.file("scene") + "/deep.png");
        CHECK(AssetRoots(scene, {}).find("oak.png") == two.folder.file("scene") + "/oak.png");
    }

    TEST_CASE("a buffer outside of the scene's folder is refused however its name is written") {
        const TwoFolders two;
        fs::create_symlink(two.outside + "/corners.bin", two.folder.file("scene/link.bin"));
        fs::create_directory_symlink("../outside", two.folder.file("scene/links"));
        for (const std::string& uri : {std::string("../outside/corners.bin"),
                                       std::string("%2e%2e/outside/corners.bin"),
                                       std::string("..%2Foutside%2Fcorners.bin"),
                                       std::string("sub/../../outside/corners.bin"),
                                       std::string("link.bin"),
                                       std::string("links/corners.bin"),
                                       two.outside + "/corners.bin"}) {
            CAPTURE(uri);
            const std::string file = two.scene(triangle_gltf(uri));
            const std::string refusal = complaint(file);
            CHECK(has(refusal, file + ": /buffers/0/uri"));
            CHECK(has(refusal, "--asset-root"));
            CHECK(read({file}, allowing("/")).instances.size() == 1);
            CHECK(read({file}, allowing(two.outside)).instances.size() == 1);
            CHECK(read({file}, allowing(two.outside + "/")).instances.size() == 1);
            CHECK(has(complaint(file, allowing(two.folder.file("scene/sub"))), "--asset-root"));
        }
        const std::string through_nothing =
            two.scene(triangle_gltf("none/../../outside/corners.bin"));
        CHECK(has(complaint(through_nothing), "--asset-root"));
    }

    TEST_CASE("the error of a file outside does not show whether it exists") {
        const TwoFolders two;
        const std::string there = complaint(two.scene(triangle_gltf("../outside/corners.bin")));
        const std::string not_there = complaint(two.scene(triangle_gltf("../outside/no-such.bin")));
        CHECK(there.size() == not_there.size());
        CHECK(has(not_there, "--asset-root"));
    }

    TEST_CASE("a folder whose name begins like the scene's is outside of it") {
        const TwoFolders two;
        fs::create_directories(two.folder.file("scene2"));
        two.folder.write("scene2/corners.bin", triangle_bytes());
        const std::string file = two.scene(triangle_gltf("../scene2/corners.bin"));
        CHECK(has(complaint(file), "--asset-root"));
    }

    TEST_CASE("a scene named without a folder reads no absolute path either") {
        const TwoFolders two;
        two.scene(triangle_gltf(two.outside + "/corners.bin"), "absolute.gltf");
        two.scene(triangle_gltf("beside.bin"), "beside.gltf");
        two.folder.write("scene/beside.bin", triangle_bytes());
        const fs::path before = fs::current_path();
        fs::current_path(two.folder.file("scene"));
        const auto refused = import_scene({"absolute.gltf"}, {});
        const auto taken = import_scene({"beside.gltf"}, {});
        fs::current_path(before);
        REQUIRE(!refused.is_ok());
        CHECK(has(refused.error().sentence, "--asset-root"));
        CHECK(taken.is_ok());
    }

    TEST_CASE("a scene opened through a linked folder finds what lies beside it") {
        const TwoFolders two;
        two.scene(triangle_gltf("sub/corners.bin"));
        two.folder.write("scene/sub/corners.bin", triangle_bytes());
        fs::create_directory_symlink(two.folder.file("scene"), two.folder.file("linked"));
        CHECK(read({two.folder.file("linked/scene.gltf")}).instances.size() == 1);
    }

    TEST_CASE("other schemes than data are refused") {
        const TwoFolders two;
        for (const std::string uri :
             {"http://example.org/a.bin", "file:///etc/passwd", "FILE:x.bin", "weft-x+1.a:b"}) {
            CAPTURE(uri);
            CHECK(has(complaint(two.scene(triangle_gltf(uri)), allowing("/")),
                      "a relative file name expected"));
        }
    }

    TEST_CASE("a picture outside is refused or replaced like a missing one") {
        const TwoFolders two;
        two.folder.write("scene/corners.bin", triangle_bytes());
        const std::string file = two.scene(triangle_gltf("corners.bin", "../outside/wood.png"));
        const std::string refusal = complaint(file);
        CHECK(has(refusal, "/images/0/uri"));
        CHECK(has(refusal, "--asset-root"));
        ImportConfig config;
        config.missing_file = MissingFile::Checker;
        CHECK(has_note(read({file}, config), Note::Kind::Replaced, "--asset-root"));
        CHECK(has(read({file}, allowing(two.outside)).textures.at(0).name, "wood.png"));
    }

    TEST_CASE("absolute names of another machine are searched beside the scene first") {
        const TwoFolders two;
        for (const std::string uri : {"/home/ann/corners.bin", "C:/work/corners.bin"}) {
            CAPTURE(uri);
            const std::string file = two.scene(triangle_gltf(uri));
            CHECK_FALSE(import_scene({file}, {}).is_ok());
            two.folder.write("scene/corners.bin", triangle_bytes());
            CHECK(read({file}).instances.size() == 1);
            fs::remove(two.folder.file("scene/corners.bin"));
            CHECK(read({file}, allowing(two.outside)).instances.size() == 1);
        }
    }

    TEST_CASE("pictures of material libraries stay in the scene's folder") {
        const TwoFolders two;
        const std::string obj =
            "mtllib room.mtl\nusemtl wood\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n"
            "f 1/1 2/1 3/1\n";
        const std::string file = two.scene(obj, "room.obj");
        for (const std::string& name : {std::string("../outside/wood.png"),
                                        std::string("..\\outside\\wood.png"),
                                        two.outside + "/wood.png"}) {
            CAPTURE(name);
            two.scene("newmtl wood\nmap_Kd " + name + "\n", "room.mtl");
            CHECK(has(complaint(file), "--asset-root"));
            CHECK(read({file}, allowing(two.outside)).textures.size() == 1);
            fs::copy_file(two.outside + "/wood.png", two.folder.file("scene/wood.png"));
            CHECK(read({file}).textures.size() == 1);
            fs::remove(two.folder.file("scene/wood.png"));
        }
    }
}
