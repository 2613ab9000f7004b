// test_gltf_textures.cpp — pictures of glTF files: their sources, meanings and samplers, and
// missing ones.
#include <cmath>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"
#include "tests/engine/scene/gltf_writer.h"
#include "tests/engine/scene/picture_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

std::vector<u8> png_of(const std::vector<u8>& pixels, int width, int height) {
    const std::string path = scratch_path("embedded.png");
    write_picture(path, width, height, pixels);
    return bytes_of_file(path);
}

// A triangle whose material has texture 0 as base colour; each test adds images and textures.
Writer with_texture() {
    Writer writer;
    const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
    const std::size_t uvs = writer.add_vec2({0, 0, 1, 0, 0, 1});
    writer.add_mesh(
        {{"attributes", {{"POSITION", positions}, {"TEXCOORD_0", uvs}}}, {"material", 0}});
    writer.json["textures"] = {{{"source", 0}}};
    writer.json["materials"] = {{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}}};
    return writer;
}

const std::vector<u8> kTwoTexels = {10, 20, 30, 40, 50, 60, 70, 0};

// First texels of the picture behind a slot.
u32 first_word(const Scene& scene, u32 slot) {
    REQUIRE(slot != kNone);
    return scene.texels[scene.textures[scene.slots[slot].texture].record.mip_offset[0]];
}

}  // namespace

TEST_SUITE("engine/scene/gltf_textures") {
    TEST_CASE(
        "pictures in data URIs and buffer views and files with escaped names are the same "
        "picture") {
        const std::vector<u8> png = png_of(kTwoTexels, 2, 1);
        Writer by_uri = with_texture();
        by_uri.json["images"] = {{{"uri", data_uri(png)}}};
        Writer by_view = with_texture();
        by_view.json["images"] = {
            {{"bufferView", by_view.add_view(png.data(), png.size())}, {"mimeType", "image/png"}}};
        write_bytes(scratch_path("a b.png"), std::string(png.begin(), png.end()));
        Writer by_file = with_texture();
        by_file.json["images"] = {{{"uri", "a%20b.png"}}};
        for (const Writer* writer : {&by_uri, &by_view, &by_file}) {
            const Scene scene = import_ok(*writer, "picture");
            REQUIRE(scene.textures.size() == 1);
            CHECK(scene.textures[0].record.format == static_cast<u32>(shaders::TexelFormat::Srgb8));
            CHECK(first_word(scene, scene.materials[1].record.base_color_slot) == 0x281e140au);
        }
    }

    TEST_CASE(
        "a picture inside a file keeps the name it has there and edits find it by its place") {
        const std::vector<u8> png = png_of(kTwoTexels, 2, 1);
        Writer named = with_texture();
        named.json["images"] = {{{"bufferView", named.add_view(png.data(), png.size())},
                                 {"mimeType", "image/png"},
                                 {"name", "oak, sawn"}}};
        Scene scene = import_ok(named, "named");
        REQUIRE(scene.textures.size() == 1);
        CHECK(scene.textures[0].label == "oak, sawn");
        CHECK(scene.textures[0].name.ends_with(": /images/0"));
        EditContext context;
        const std::string path = material_path(scene, 1) + "/base_color_texture";
        const std::string value = read_value(scene, context, path).value();
        CHECK(value.find(": /images/0\"") != std::string::npos);
        REQUIRE(apply_edit(scene, context, {path, "null"}).is_ok());
        REQUIRE(apply_edit(scene, context, {path, value}).is_ok());
        CHECK(scene.textures.size() == 1);
        CHECK(first_word(scene, scene.materials[1].record.base_color_slot) == 0x281e140au);
        // A file gives the picture its name.
        write_bytes(scratch_path("sawn.png"), std::string(png.begin(), png.end()));
        Writer beside = with_texture();
        beside.json["images"] = {{{"uri", "sawn.png"}, {"name", "oak, sawn"}}};
        CHECK(import_ok(beside, "beside").textures[0].label.empty());
    }

    TEST_CASE("one picture used as colour and as numbers is decoded for each and once for each") {
        Writer writer = with_texture();
        writer.json["images"] = {{{"uri", data_uri(png_of(kTwoTexels, 2, 1))}}};
        writer.json["materials"][0]["pbrMetallicRoughness"]["metallicRoughnessTexture"]["index"] =
            0;
        writer.json["materials"][0]["emissiveTexture"]["index"] = 0;
        writer.json["materials"][0]["normalTexture"] = {{"index", 0}, {"scale", 0.5}};
        const Scene scene = import_ok(writer, "two_meanings");
        const shaders::MaterialRecord& record = scene.materials[1].record;
        CHECK(scene.textures.size() == 2);
        const auto texture = [&](u32 slot) { return scene.slots[slot].texture; };
        CHECK(texture(record.base_color_slot) == texture(record.emissive_slot));
        CHECK(texture(record.metallic_roughness_slot) == texture(record.normal_slot));
        CHECK(scene.textures[texture(record.normal_slot)].record.format ==
              static_cast<u32>(shaders::TexelFormat::Linear8));
        CHECK(record.normal_scale == 0.5f);
        // Straight alpha, in every use.
        CHECK(first_word(scene, record.normal_slot) == first_word(scene, record.base_color_slot));
    }

    TEST_CASE("the scene is the same whatever the number of threads") {
        Writer writer = with_texture();
        writer.json["images"] = Json::array();
        writer.json["textures"] = Json::array();
        writer.json["materials"] = Json::array();
        for (int i = 0; i < 12; ++i) {
            const int size = 1 << (i % 5);
            const std::vector<u8> pixels(static_cast<std::size_t>(size * size * 4),
                                         static_cast<u8>(i * 20));
            writer.json["images"].push_back({{"uri", data_uri(png_of(pixels, size, size))}});
            writer.json["textures"].push_back({{"source", i}});
            writer.json["materials"].push_back({{"emissiveTexture", {{"index", 11 - i}}}});
        }
        ImportConfig one;
        one.thread_count = 1;
        ImportConfig many;
        many.thread_count = 5;
        const Scene a = import_ok(writer, "threads", one);
        const Scene b = import_ok(writer, "threads", many);
        CHECK(a.texels == b.texels);
        REQUIRE(a.textures.size() == 12);
        for (std::size_t i = 0; i < 12; ++i) {
            CHECK(a.textures[i].name == b.textures[i].name);
        }
    }

    TEST_CASE("a texture transform scales and then rotates and then moves") {
        Writer writer = with_texture();
        writer.json["images"] = {{{"uri", data_uri(png_of(kTwoTexels, 2, 1))}}};
        writer.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"]
                   ["KHR_texture_transform"] = {{"offset", {0.25, 0.5}},
                                                {"rotation", 0.5235987755982988},
                                                {"scale", {2, 4}},
                                                {"texCoord", 1}};
        const Scene scene = import_ok(writer, "transform");
        const shaders::TextureSlot& slot = scene.slots[scene.materials[1].record.base_color_slot];
        CHECK(slot.uv_set == 1);
        const double c = std::sqrt(0.75);
        const double expected[6] = {2 * c, 4 * 0.5, 0.25, -2 * 0.5, 4 * c, 0.5};
        for (int i = 0; i < 6; ++i) {
            CHECK(static_cast<double>(slot.uv_transform[i]) == doctest::Approx(expected[i]));
        }
    }

    TEST_CASE("samplers say how to wrap and whether to interpolate") {
        Writer writer = with_texture();
        writer.json["images"] = {{{"uri", data_uri(png_of(kTwoTexels, 2, 1))}}};
        writer.json["samplers"] = {{{"wrapS", 33071}, {"wrapT", 33648}, {"magFilter", 9728}},
                                   {{"magFilter", 9729}}};
        writer.json["textures"] = {{{"source", 0}, {"sampler", 0}},
                                   {{"source", 0}, {"sampler", 1}}};
        writer.json["materials"][0]["emissiveTexture"]["index"] = 1;
        const Scene scene = import_ok(writer, "samplers");
        const shaders::TextureSlot& nearest =
            scene.slots[scene.materials[1].record.base_color_slot];
        CHECK(nearest.wrap_u == static_cast<u32>(shaders::Wrap::Clamp));
        CHECK(nearest.wrap_v == static_cast<u32>(shaders::Wrap::Mirror));
        CHECK(nearest.is_nearest == 1);
        const shaders::TextureSlot& linear = scene.slots[scene.materials[1].record.emissive_slot];
        CHECK(linear.wrap_u == static_cast<u32>(shaders::Wrap::Repeat));
        CHECK(linear.is_nearest == 0);
        CHECK(nearest.texture == linear.texture);
    }

    TEST_CASE("a missing picture is an error or a stand-in by the caller's choice") {
        Writer writer = with_texture();
        writer.json["images"] = {{{"uri", "nowhere.png"}}};
        writer.json["materials"][0]["normalTexture"]["index"] = 0;
        const std::string path = writer.write("missing.gltf");
        Scene refused;
        const base::Status status = import_gltf(path, {}, refused);
        REQUIRE(!status.is_ok());
        CHECK(status.error().kind == base::ErrorKind::Scene);
        CHECK(contains(status.error().sentence, "nowhere.png"));
        CHECK(contains(status.error().sentence, "1 more cannot be read"));  // as a normal map
        CHECK(contains(status.error().sentence, "--missing-file checker"));
        ImportConfig black;
        black.missing_file = MissingFile::Black;
        std::vector<std::string> missing;
        black.on_missing = [&](const std::string& name, const std::string& why) {
            missing.push_back(name + " because " + why);
        };
        const Scene dark = import_ok(path, black);
        CHECK(first_word(dark, dark.materials[1].record.base_color_slot) == 0xff000000u);
        CHECK(first_word(dark, dark.materials[1].record.normal_slot) == 0xffff8080u);
        CHECK(has_note(dark, Note::Kind::Replaced, "nowhere.png"));
        REQUIRE(missing.size() == 2);  // as colours and as numbers
        CHECK(contains(missing[0], "nowhere.png"));
        CHECK(contains(missing[1], "no such picture"));
        ImportConfig checker;
        checker.missing_file = MissingFile::Checker;
        const Scene checked = import_ok(path, checker);
        const u32 offset = checked.textures[0].record.mip_offset[0];
        CHECK(checked.texels[offset] == 0xff000000u);
        CHECK(checked.texels[offset + 1] == 0xffff00ffu);
        CHECK(checked.texels[offset + 4] == 0xffff00ffu);
    }

    TEST_CASE("a WebP of the extension is preferred to its fallback") {
        Writer writer = with_texture();
        writer.json["images"] = {{{"uri", data_uri(png_of(kTwoTexels, 2, 1))}},
                                 {{"uri", data_uri(png_of({1, 2, 3, 4}, 1, 1))}}};
        writer.json["textures"][0]["extensions"]["EXT_texture_webp"] = {{"source", 1}};
        const Scene scene = import_ok(writer, "webp");
        CHECK(scene.textures[0].record.width == 1);
    }

    TEST_CASE("the fallback of a KTX2 picture is read where the file does not require KTX2") {
        Writer writer = with_texture();
        writer.json["images"] = {{{"uri", "picture.ktx2"}, {"mimeType", "image/ktx2"}},
                                 {{"uri", data_uri(png_of(kTwoTexels, 2, 1))}}};
        writer.json["textures"][0]["source"] = 1;
        writer.json["textures"][0]["extensions"]["KHR_texture_basisu"] = {{"source", 0}};
        writer.json["extensionsUsed"] = {"KHR_texture_basisu"};
        const Scene scene = import_ok(writer, "basisu_fallback");
        REQUIRE(scene.textures.size() == 1);
        CHECK(scene.textures[0].record.width == 2);
        CHECK(scene.slots[scene.materials[1].record.base_color_slot].texture == 0);
    }

    TEST_CASE("a texture without a known picture leaves the factor alone") {
        Writer writer = with_texture();
        writer.json["textures"] = {{{"extensions", {{"KHR_texture_basisu", {{"source", 0}}}}}}};
        const Scene scene = import_ok(writer, "basisu");
        CHECK(scene.materials[1].record.base_color_slot == kNone);
        CHECK(has_note(scene, Note::Kind::Replaced, "no picture of a known kind"));
    }

    TEST_CASE("a normal map makes tangents and the file's own stay") {
        Writer writer = with_texture();
        writer.json["images"] = {{{"uri", data_uri(png_of(kTwoTexels, 2, 1))}}};
        const std::vector<float> normals = {0, 0, 1, 0, 0, 1, 0, 0, 1};
        writer.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] =
            writer.add_vec3(normals);
        CHECK(import_ok(writer, "no_map").meshes[0].record.first_tangent == kNone);
        writer.json["materials"][0]["normalTexture"]["index"] = 0;
        const Scene generated = import_ok(writer, "map");
        CHECK(rows_of(generated.tangents, generated.meshes[0].record.first_tangent, 4, 1) ==
              std::vector<float>{1, 0, 0, -1});
        const std::vector<float> own = {0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, -1};
        writer.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] =
            writer.add(own, "VEC4", 5126, 3);
        const Scene kept = import_ok(writer, "own_tangents");
        // The last one has no length: some direction along the surface stands for it.
        const std::vector<float> tangents =
            rows_of(kept.tangents, kept.meshes[0].record.first_tangent, 4, 3);
        CHECK(std::vector<float>(tangents.begin(), tangents.begin() + 8) ==
              std::vector<float>{0, 1, 0, 1, 0, 1, 0, 1});
        CHECK(tangents[10] == 0);
        CHECK(tangents[8] * tangents[8] + tangents[9] * tangents[9] == doctest::Approx(1));
        CHECK(tangents[11] == -1);
    }
}
