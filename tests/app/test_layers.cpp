// test_layers.cpp — layers that name surfaces: uv, object, material and Cryptomatte, as `weft
// render` writes them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/film/cryptomatte.h"
#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using nlohmann::json;

constexpr u32 kSide = 40;

// A quad of −1 to 1 in the plane z = 0: 4 points, 4 uvs, 6 corners.
constexpr const char* kQuadBytes =
    "AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAACAPwAAgD8AAAAAAACAvwAAgD8AAAAAAAAAAAAAgD8AAIA/"
    "AACAPwAAgD8A"
    "AAAAAAAAAAAAAAAAAAEAAgAAAAIAAwA=";

// Quads in front of each other under an orthographic camera that looks down -z. `back`, 2.4 wide in
// the plane z = 0, fills most of the picture; `middle` and the two named `front` are turned. Two
// nodes stand under `stack`, one has no name.
std::string quads_scene(const TestFolder& folder) {
    const auto node =
        [](const char* name, u32 mesh, double x, double z, double scale, double turn) {
            json made = {{"mesh", mesh},
                         {"translation", {x, 0.1 * x, z}},
                         {"scale", {scale, scale, 1}},
                         {"rotation", {0, 0, std::sin(turn / 2), std::cos(turn / 2)}}};
            if (*name != '\0') {
                made["name"] = name;
            }
            return made;
        };
    const auto mesh = [](int material) {
        json primitive = {{"attributes", {{"POSITION", 0}, {"TEXCOORD_0", 1}}}, {"indices", 2}};
        if (material >= 0) {
            primitive["material"] = material;
        }
        return json{{"primitives", {primitive}}};
    };
    json nodes = {node("back", 0, 0, 0, 1.2, 0),
                  node("middle \"m\xc3\xa4\"", 1, 0.3, 0.5, 0.7, 0.4),
                  node("front", 1, -0.6, 1, 0.3, 0.7),
                  node("front", 2, 0.7, 1, 0.2, 0.2),
                  node("", 2, 0, 1.5, 0.2, 1),
                  {{"name", "stack"}, {"children", {0, 1}}},
                  {{"name", "eye"}, {"camera", 0}, {"translation", {0, 0, 5}}}};
    const json scene = {
        {"asset", {{"version", "2.0"}}},
        {"scene", 0},
        {"scenes", {{{"nodes", {5, 2, 3, 4, 6}}}}},
        {"nodes", nodes},
        {"cameras",
         {{{"type", "orthographic"},
           {"orthographic", {{"xmag", 1.5}, {"ymag", 1.5}, {"znear", 0.1}, {"zfar", 10}}}}}},
        {"materials", {{{"name", "red"}}, {{"name", ""}}}},
        {"meshes", {mesh(0), mesh(1), mesh(-1)}},
        {"accessors",
         {{{"bufferView", 0},
           {"componentType", 5126},
           {"count", 4},
           {"type", "VEC3"},
           {"min", {-1, -1, 0}},
           {"max", {1, 1, 0}}},
          {{"bufferView", 1}, {"componentType", 5126}, {"count", 4}, {"type", "VEC2"}},
          {{"bufferView", 2}, {"componentType", 5123}, {"count", 6}, {"type", "SCALAR"}}}},
        {"bufferViews",
         {{{"buffer", 0}, {"byteLength", 48}},
          {{"buffer", 0}, {"byteOffset", 48}, {"byteLength", 32}},
          {{"buffer", 0}, {"byteOffset", 80}, {"byteLength", 12}}}},
        {"buffers",
         {{{"byteLength", 92},
           {"uri", "data:application/octet-stream;base64," + std::string(kQuadBytes)}}}}};
    const std::string path = folder.file("quads.gltf");
    film::put_bytes(path, scene.dump());
    return path;
}

// A square of so many quads to a side, each with a name of its own and more bytes than EXR allows a
// name of a channel or an attribute. Returns all names.
std::set<std::string> write_crowd(const std::string& path, u32 side) {
    const double half = side;
    json nodes = {{{"camera", 0}, {"translation", {half, half, 5}}}};
    std::set<std::string> names;
    for (u32 k = 0; k < side * side; ++k) {
        const std::string name =
            "\"" + std::to_string(k) + "\" of a cr\xc3\xb6wd " + std::string(400, 'd');
        names.insert(name);
        nodes.push_back({{"mesh", 0},
                         {"name", name},
                         {"translation", {1 + 2 * (k % side), 1 + 2 * (k / side), 0}}});
    }
    json shown = json::array();
    for (u32 k = 0; k < nodes.size(); ++k) {
        shown.push_back(k);
    }
    film::put_bytes(
        path,
        json{{"asset", {{"version", "2.0"}}},
             {"scene", 0},
             {"scenes", {{{"nodes", shown}}}},
             {"nodes", nodes},
             {"cameras",
              {{{"type", "orthographic"},
                {"orthographic", {{"xmag", half}, {"ymag", half}, {"znear", 1}, {"zfar", 9}}}}}},
             {"meshes", {{{"primitives", {{{"attributes", {{"POSITION", 0}}}, {"indices", 1}}}}}}},
             {"accessors",
              {{{"bufferView", 0},
                {"componentType", 5126},
                {"count", 4},
                {"type", "VEC3"},
                {"min", {-1, -1, 0}},
                {"max", {1, 1, 0}}},
               {{"bufferView", 1}, {"componentType", 5123}, {"count", 6}, {"type", "SCALAR"}}}},
             {"bufferViews",
              {{{"buffer", 0}, {"byteLength", 48}},
               {{"buffer", 0}, {"byteOffset", 80}, {"byteLength", 12}}}},
             {"buffers",
              {{{"byteLength", 92},
                {"uri", "data:application/octet-stream;base64," + std::string(kQuadBytes)}}}}}
            .dump());
    return names;
}

constexpr const char* kMiddle = "middle \"m\xc3\xa4\"";

void render(const std::string& scene, const std::string& output, const Words& more) {
    const std::string side = std::to_string(kSide);
    Words words = {"render", scene, "--width", side, "--height", side, "--spp", "32", "-t", "2"};
    words.insert(words.end(), {"--film-transparent", "--exr-type", "half", "-q", "-o", output});
    words.insert(words.end(), more.begin(), more.end());
    check_ends(words, kExitDone);
}

// A part of an EXR: its channels pixel by pixel.
struct Layer {
    u32 channels = 0;
    std::vector<float> values;

    [[nodiscard]] float at(u32 pixel, u32 channel) const {
        return values[std::size_t{pixel} * channels + channel];
    }
};

Layer layer_of(const std::string& path, const std::string& name) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    Layer layer;
    for (int part = 0; input->seek_subimage(part, 0); ++part) {
        const OIIO::ImageSpec spec = input->spec();
        if (std::string(spec.get_string_attribute("oiio:subimagename")) == name) {
            layer.channels = static_cast<u32>(spec.nchannels);
            layer.values.resize(spec.image_pixels() * layer.channels);
            const auto type =
                spec.format == OIIO::TypeDesc::UINT ? OIIO::TypeDesc::UINT : OIIO::TypeDesc::FLOAT;
            REQUIRE(input->read_image(part, 0, 0, spec.nchannels, type, layer.values.data()));
        }
    }
    INFO(name);
    REQUIRE(!layer.values.empty());
    return layer;
}

// The coverage of a name in each pixel, as compositors pick it.
std::vector<float> matte_of(const std::string& path,
                            const std::string& layer,
                            const std::string& name) {
    const float id = std::bit_cast<float>(film::matte_id(name));
    std::vector<float> matte(std::size_t{kSide} * kSide);
    for (const char* part : {"00", "01", "02"}) {
        const Layer ranks = layer_of(path, layer + part);
        for (u32 pixel = 0; pixel < matte.size(); ++pixel) {
            for (const u32 rank : {0U, 2U}) {
                matte[pixel] += ranks.at(pixel, rank) == id ? ranks.at(pixel, rank + 1) : 0.0F;
            }
        }
    }
    return matte;
}

std::set<std::string> manifest_of(const std::string& path, film::Aov layer) {
    const std::string key = film::matte_metadata(layer, {})[3].first;
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    const std::string text(input->spec().get_string_attribute(key));
    const json manifest = json::parse(text, nullptr, false);
    INFO(text);
    REQUIRE(manifest.is_object());
    std::set<std::string> names;
    for (const auto& [name, hash] : manifest.items()) {
        names.insert(name);
    }
    return names;
}

const Words kMattes = {"--aov", "crypto_object,crypto_material,crypto_asset"};

}  // namespace

TEST_SUITE("app/layers") {
    TEST_CASE("uv, object and material tell what a pixel shows") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        render(quads_scene(folder),
               path,
               {"--aov", "uv,object,material,instance,position,crypto_object"});
        const Layer uv = layer_of(path, "uv");
        const Layer position = layer_of(path, "position");
        const Layer object = layer_of(path, "object");
        const Layer material = layer_of(path, "material");
        const Layer instance = layer_of(path, "instance");
        REQUIRE(uv.channels == 2);
        const auto number = [](const Layer& layer, u32 pixel) {
            return std::bit_cast<u32>(layer.at(pixel, 0));
        };
        // Names in the order of the scene, and the materials that they wear: 0 is the default.
        const std::map<std::string, std::pair<u32, u32>> wanted = {
            {"back", {0, 1}}, {kMiddle, {1, 2}}, {"node 4", {3, 0}}};
        for (const auto& [name, numbers] : wanted) {
            CAPTURE(name);
            const std::vector<float> matte = matte_of(path, "crypto_object", name);
            u32 whole = 0;
            for (u32 pixel = 0; pixel < matte.size(); ++pixel) {
                if (matte[pixel] == 1) {
                    ++whole;
                    REQUIRE(number(object, pixel) == numbers.first);
                    REQUIRE(number(material, pixel) == numbers.second);
                }
            }
            CHECK(whole > 4);
        }
        // Both nodes named front are one object of two instances and materials.
        std::set<std::pair<u32, u32>> fronts;
        for (u32 pixel = 0; pixel < kSide * kSide; ++pixel) {
            if (number(object, pixel) == 2) {
                fronts.insert({number(instance, pixel), number(material, pixel)});
            }
        }
        CHECK(fronts == std::set<std::pair<u32, u32>>{{2, 2}, {3, 0}});
        // The texture coordinates of `back` rise with x and y from its corner at (-1.2, -1.2).
        const std::vector<float> back = matte_of(path, "crypto_object", "back");
        for (u32 pixel = 0; pixel < back.size(); ++pixel) {
            if (back[pixel] == 1) {
                for (const u32 c : {0U, 1U}) {
                    REQUIRE(
                        static_cast<double>(uv.at(pixel, c)) * 2.4 - 1.2 ==
                        doctest::Approx(static_cast<double>(position.at(pixel, c))).epsilon(1e-5));
                }
            }
        }
        // Nothing is hit in the corner.
        CHECK(number(object, 0) == kNone);
        CHECK(number(material, 0) == kNone);
        CHECK(uv.at(0, 0) == 0);
        CHECK(uv.at(0, 1) == 0);
    }

    TEST_CASE("a matte is what hiding takes out of alpha") {
        const TestFolder folder;
        const std::string scene = quads_scene(folder);
        const std::string path = folder.file("a.exr");
        render(scene, path, kMattes);
        // From front to back: with each name more is covered, by what is not yet.
        const std::vector<std::string> names = {"node 4", "front", kMiddle, "back"};
        std::vector<float> before(std::size_t{kSide} * kSide);
        for (std::size_t shown = 1; shown <= names.size(); ++shown) {
            const std::string& name = names[shown - 1];
            CAPTURE(name);
            Words hide;
            for (std::size_t k = shown; k < names.size(); ++k) {
                hide.insert(hide.end(), {"--hide", names[k]});
            }
            const std::string part = folder.file("part.exr");
            render(scene, part, hide);
            const Layer picture = layer_of(part, "rgba");
            const std::vector<float> matte = matte_of(path, "crypto_object", name);
            double sum = 0;
            u32 partial = 0;
            for (u32 pixel = 0; pixel < matte.size(); ++pixel) {
                const float alpha = picture.at(pixel, 3);
                REQUIRE(matte[pixel] == alpha - before[pixel]);  // of 32 samples: exact
                before[pixel] = alpha;
                sum += static_cast<double>(matte[pixel]);
                partial += matte[pixel] > 0 && matte[pixel] < 1 ? 1U : 0U;
            }
            CHECK(sum > 10);
            CHECK(partial > 10);
        }
        // All names of a pixel cover what alpha says, in every layer.
        for (const std::string layer : {"crypto_object", "crypto_material", "crypto_asset"}) {
            std::vector<float> sums(before.size());
            for (const char* part : {"00", "01", "02"}) {
                const Layer ranks = layer_of(path, layer + part);
                for (u32 pixel = 0; pixel < sums.size(); ++pixel) {
                    sums[pixel] += ranks.at(pixel, 1) + ranks.at(pixel, 3);
                }
            }
            CHECK(sums == before);
        }
    }

    TEST_CASE("manifests name nodes, materials and the topmost nodes") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        render(quads_scene(folder), path, kMattes);
        using Names = std::set<std::string>;
        CHECK(manifest_of(path, film::Aov::CryptoObject) ==
              Names{"back", kMiddle, "front", "node 4"});
        CHECK(manifest_of(path, film::Aov::CryptoAsset) == Names{"stack", "front", "node 4"});
        const Names materials = manifest_of(path, film::Aov::CryptoMaterial);
        CHECK(materials.size() == 3);
        CHECK(materials.contains("red"));
        CHECK(materials.contains("default"));
        CHECK(!materials.contains(""));
        // What edits call nodes and the groups above them.
        const std::string renamed = folder.file("renamed.exr");
        Words called = kMattes;
        called.insert(
            called.end(),
            {"--set", R"(nodes/back/name="wall")", "--set", R"(groups/stack/name="pile")"});
        render(quads_scene(folder), renamed, called);
        CHECK(manifest_of(renamed, film::Aov::CryptoObject) ==
              Names{"wall", kMiddle, "front", "node 4"});
        CHECK(manifest_of(renamed, film::Aov::CryptoAsset) == Names{"pile", "front", "node 4"});
        CHECK(matte_of(renamed, "crypto_object", "wall") ==
              matte_of(path, "crypto_object", "back"));
        // What another format names in another encoding, or does not name, has a name as well.
        film::put_bytes(folder.file("latin.obj"),
                        "o m\xe4"
                        "d\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
        const std::string latin = folder.file("latin.exr");
        render(folder.file("latin.obj"), latin, kMattes);
        const Names objects = manifest_of(latin, film::Aov::CryptoObject);
        REQUIRE(objects.size() == 1);
        CHECK(!objects.begin()->empty());
        CHECK(manifest_of(latin, film::Aov::CryptoAsset) == Names{"latin"});
        const std::vector<float> matte = matte_of(latin, "crypto_object", *objects.begin());
        CHECK(std::count(matte.begin(), matte.end(), 1.0F) > 100);
    }

    TEST_CASE("a manifest holds thousands of names longer than an attribute's and the film too") {
        const TestFolder folder;
        const std::string scene = folder.file("crowd.gltf");
        const std::set<std::string> names = write_crowd(scene, kSide);
        const std::string path = folder.file("crowd.exr");
        render(scene,
               path,
               {"--aov", "crypto_object", "--spp", "2", "--filter", "box", "--keep-film"});
        CHECK(manifest_of(path, film::Aov::CryptoObject) == names);
        // Header and film are read again, and a name finds its matte.
        CHECK(is_verified(path));
        const std::vector<float> matte = matte_of(path, "crypto_object", *names.begin());
        CHECK(*std::max_element(matte.begin(), matte.end()) > 0);
        const std::string merged = folder.file("merged.exr");
        check_ends({"merge", merged, path}, kExitDone);
        CHECK(manifest_of(merged, film::Aov::CryptoObject) == names);
        CHECK(folder.files() == Words{"crowd.exr", "crowd.gltf", "merged.exr"});
    }

    TEST_CASE("threads, schedulers, devices, slices and resumes change no bit of a matte") {
        const TestFolder folder;
        const std::string scene = quads_scene(folder);
        const auto words = [](const Words& more) {
            Words all = kMattes;
            all.push_back("--keep-film");
            all.insert(all.end(), more.begin(), more.end());
            return all;
        };
        const std::string whole = folder.file("whole.exr");
        render(scene, whole, words({}));
        const std::string other = folder.file("other.exr");
        for (const Words& more : {Words{"-t", "1", "--scheduler", "unkeyed"},
                                  Words{"--device", "egpu"},
                                  Words{"--leaf", "50", "--paths", "128"}}) {
            CAPTURE(more.front());
            render(scene, other, words(more));
            CHECK(hashes_of_file(other) == hashes_of_file(whole));
        }
        Words merge = {"merge", other};
        for (const char* slice : {"3/3", "1/3", "2/3"}) {
            const std::string path = folder.file("slice" + std::string(slice, 1) + ".exr");
            render(scene, path, words({"--slice", slice}));
            merge.push_back(path);
        }
        check_ends(merge, kExitDone);
        const auto check_same = [&] {
            CHECK(hashes_of_file(other) == hashes_of_file(whole));
            for (const film::Aov layer :
                 {film::Aov::CryptoObject, film::Aov::CryptoMaterial, film::Aov::CryptoAsset}) {
                CHECK(manifest_of(other, layer) == manifest_of(whole, layer));
                for (const std::string& part : film::matte_parts(layer, film::kMatteRanks)) {
                    CHECK(layer_of(other, part).values == layer_of(whole, part).values);
                }
            }
        };
        check_same();
        const std::string checkpoint = "--checkpoint=" + folder.file("film");
        render(scene, other, words({"--spp", "12", checkpoint}));
        CHECK(hashes_of_file(other) != hashes_of_file(whole));
        render(scene, other, words({checkpoint, "--resume"}));
        check_same();
        // A scene with other names is another picture.
        std::string text = film::bytes_of(scene);
        text.replace(text.find("stack"), 5, "heaps");
        film::put_bytes(folder.file("renamed.gltf"), text);
        const std::string slice = folder.file("renamed.exr");
        render(folder.file("renamed.gltf"), slice, words({"--slice", "1/3"}));
        const Ended refused = check_ends(
            {"merge", folder.file("none.exr"), slice, folder.file("slice2.exr")}, kExitScene);
        CHECK(says(refused, "names in mattes"));
    }

    TEST_CASE("ranks are as many as asked for, and need no more than there are names") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        render(quads_scene(folder), path, {"--aov", "crypto_object", "--cryptomatte-ranks", "3"});
        const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
        REQUIRE(input);
        std::vector<std::string> parts;
        for (int part = 0; input->seek_subimage(part, 0); ++part) {
            parts.emplace_back(input->spec().get_string_attribute("oiio:subimagename"));
        }
        CHECK(parts == std::vector<std::string>{"rgba", "crypto_object00", "crypto_object01"});
    }
}

}  // namespace weft::app::testing
