// write_seeds.cpp — writes the first inputs of all fuzz targets: FOLDER/TARGET/NAME.
//
//     fuzz_seeds FOLDER
//
// Small files that use as many parts of each format as fit, so that one change reaches any reader.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#include "engine/film/film_file.h"
#include "engine/film/image_file.h"
#include "engine/scene/assimp/assimp_pack.h"
#include "engine/scene/assimp/assimp_reader.h"
#include "scheduler/base/ensure.h"
#include "tests/engine/scene/gltf_writer.h"
#include "tests/fuzz/seed_texts.h"

namespace {

using namespace weft;
using scene::testing::Json;
using scene::testing::Writer;
namespace fs = std::filesystem;

class SeedFolder {
public:
    explicit SeedFolder(fs::path path) : path_(std::move(path)) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }

    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).string();
    }

    void put(const std::string& name, const std::string& bytes) const {
        scene::testing::write_bytes(file(name), bytes);
    }

private:
    fs::path path_;
};

std::string text_of(const std::vector<u8>& bytes) {
    return {bytes.begin(), bytes.end()};
}

film::Picture small_picture(u32 channels) {
    film::Picture picture;
    picture.width = 5;
    picture.height = 3;
    picture.channels = channels;
    for (u32 k = 0; k < 5 * 3 * channels; ++k) {
        picture.pixels.push_back(0.015f * static_cast<float>(k));
    }
    return picture;
}

void write_pictures(const fs::path& root) {
    const SeedFolder folder(root / "pictures");
    for (const char* name : {"a.png", "a.hdr", "a.exr", "a.tif", "a.jpg"}) {
        ENSURE(film::write_picture(folder.file(name), small_picture(3)).is_ok(), ==, true);
    }
    ENSURE(film::write_picture(folder.file("alpha.png"), small_picture(4)).is_ok(), ==, true);
    // 2 × 1 pixels of 24 bits.
    folder.put(
        "a.bmp",
        std::string("BM\x3e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\1\0\0\0\1\0\x18\0", 30) +
            std::string("\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24) +
            std::string("\1\2\3\4\5\6\0\0", 8));
    folder.put("a.tga",
               std::string("\0\0\2\0\0\0\0\0\0\0\0\0\2\0\1\0\x18\0\1\2\3\4\5\6", 24) +
                   std::string("\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0", 26));
}

// Turns the joint in lines, moves the weight of the morph target along a cubic, and steps a
// pointer.
void animate(Writer& writer) {
    const std::size_t times = writer.add<float>({0, 1}, "SCALAR", 5126, 2);
    const std::size_t turns = writer.add<float>({0, 0, 0, 1, 0, 1, 0, 0}, "VEC4", 5126, 2);
    const std::size_t weights = writer.add<float>({0, 0, 1, -1, 1, 0}, "SCALAR", 5126, 6);
    const std::size_t roughness = writer.add<float>({0.2F, 0.8F}, "SCALAR", 5126, 2);
    const Json pointer = {{"pointer", "/materials/0/pbrMetallicRoughness/roughnessFactor"}};
    writer.json["animations"] = {
        {{"name", "all kinds"},
         {"samplers",
          {{{"input", times}, {"output", turns}},
           {{"input", times}, {"output", weights}, {"interpolation", "CUBICSPLINE"}},
           {{"input", times}, {"output", roughness}, {"interpolation", "STEP"}}}},
         {"channels",
          {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "rotation"}}}},
           {{"sampler", 1}, {"target", {{"node", 0}, {"path", "weights"}}}},
           {{"sampler", 2},
            {"target",
             {{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", pointer}}}}}}}}}};
}

// A skinned and morphed quad with all attributes, a sparse accessor, instances, a texture, lights,
// a camera and an animation.
Writer rich_document(const std::string& png) {
    Writer writer;
    const std::vector<float> corners = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const std::size_t positions = writer.add_vec3(corners);
    const std::size_t normals = writer.add_vec3({0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
    const std::size_t uvs = writer.add_vec2({0, 0, 1, 0, 0, 1, 1, 1});
    const std::size_t colors = writer.add<u8>(std::vector<u8>(16, 200), "VEC4", 5121, 4, true);
    const std::size_t joints = writer.add<u8>(std::vector<u8>(16, 0), "VEC4", 5121, 4);
    const std::size_t weights =
        writer.add<float>({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 5126, 4);
    const std::size_t indices = writer.add<u16>({0, 1, 2, 2, 1, 3}, "SCALAR", 5123, 6);
    const std::size_t places = writer.add_vec3({0, 0, 0, 2, 0, 0});
    const std::size_t moved = writer.add_vec3(corners);
    const std::size_t which = writer.add_view("\1\0\3\0", 4);
    const std::size_t values = writer.add_view(corners.data(), 24);
    const std::size_t image = writer.add_view(png.data(), png.size());
    Json& json = writer.json;
    json["accessors"][moved]["sparse"] = {
        {"count", 2},
        {"indices", {{"bufferView", which}, {"componentType", 5123}}},
        {"values", {{"bufferView", values}}}};
    writer.add_mesh({{"attributes",
                      {{"POSITION", positions},
                       {"NORMAL", normals},
                       {"TEXCOORD_0", uvs},
                       {"COLOR_0", colors},
                       {"JOINTS_0", joints},
                       {"WEIGHTS_0", weights}}},
                     {"indices", indices},
                     {"material", 0},
                     {"targets", {{{"POSITION", moved}}}}});
    json["meshes"][0]["weights"] = {0.5};
    json["images"] = {{{"bufferView", image}, {"mimeType", "image/png"}}};
    json["samplers"] = {{{"magFilter", 9728}, {"wrapS", 33071}}};
    json["textures"] = {{{"source", 0}, {"sampler", 0}}};
    const Json texture = {{"index", 0}};
    json["materials"] = {
        {{"pbrMetallicRoughness",
          {{"baseColorTexture",
            {{"index", 0}, {"extensions", {{"KHR_texture_transform", {{"offset", {0.5, 0.25}}}}}}}},
           {"roughnessFactor", 0.4}}},
         {"normalTexture", texture},
         {"emissiveFactor", {0.1, 0.2, 0.3}},
         {"alphaMode", "MASK"},
         {"extensions", {{"KHR_materials_transmission", {{"transmissionFactor", 1}}}}}}};
    json["skins"] = {{{"joints", {1}}}};
    json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 0.8}, {"znear", 0.1}}}}};
    json["extensionsUsed"] = {"KHR_lights_punctual", "EXT_mesh_gpu_instancing"};
    json["extensions"] = {
        {"KHR_lights_punctual", {{"lights", {{{"type", "spot"}, {"intensity", 40}}}}}}};
    json["nodes"] = {
        {{"mesh", 0}, {"skin", 0}, {"children", {1, 2, 3}}},
        {{"rotation", {0, 0, 0, 1}}, {"extensions", {{"KHR_lights_punctual", {{"light", 0}}}}}},
        {{"camera", 0}, {"translation", {0, 0, 3}}},
        {{"mesh", 0},
         {"extensions",
          {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", places}}}}}}}}};
    animate(writer);
    return writer;
}

void put_number(std::string& bytes, std::size_t number) {
    for (u32 shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(number >> shift & 255U);
    }
}

std::string glb_of(const Writer& writer) {
    Json whole = writer.json;
    whole["buffers"] = {{{"byteLength", writer.buffer.size()}}};
    std::string json = whole.dump();
    json.resize((json.size() + 3) / 4 * 4, ' ');
    std::string bytes = "glTF";
    put_number(bytes, 2);
    put_number(bytes, 12 + 8 + json.size() + 8 + writer.buffer.size());
    put_number(bytes, json.size());
    bytes += "JSON" + json;
    put_number(bytes, writer.buffer.size());
    return bytes + std::string("BIN\0", 4) + text_of(writer.buffer);
}

void write_gltf(const fs::path& root) {
    const SeedFolder folder(root / "gltf");
    Writer plain;
    plain.add_triangle();
    const Writer rich = rich_document(
        text_of(scene::testing::bytes_of_file((root / "pictures/alpha.png").string())));
    folder.put("plain.gltf", plain.with_buffer().dump());
    folder.put("rich.gltf", rich.with_buffer().dump());
    folder.put("rich.glb", glb_of(rich));
    for (const char* name : {"plain.gltf", "rich.gltf", "rich.glb"}) {
        scene::ImportConfig config;
        config.pose = scene::Pose{.time_s = 0.4, .animation = "all"};
        for (const scene::ImportConfig& way : {scene::ImportConfig{}, config}) {
            scene::Scene scene;
            ENSURE(scene::import_gltf(folder.file(name), way, scene).is_ok(), ==, true);
        }
    }
}

void write_pbrt(const fs::path& root) {
    const SeedFolder folder(root / "pbrt");
    folder.put("shapes", fuzz::kPbrtShapes);
    folder.put("materials", fuzz::kPbrtMaterials);
    for (const char* name : {"shapes", "materials"}) {
        scene::Scene scene;
        scene.materials.push_back({"default", scene::default_material()});
        ENSURE(scene::import_pbrt(folder.file(name), {}, scene).is_ok(), ==, true);
    }
}

void write_mitsuba(const fs::path& root) {
    const SeedFolder folder(root / "mitsuba");
    folder.put("objects", fuzz::kMitsubaObjects);
    folder.put("materials", fuzz::kMitsubaMaterials);
    for (const char* name : {"objects", "materials"}) {
        scene::Scene scene;
        scene.materials.push_back({"default", scene::default_material()});
        ENSURE(scene::import_mitsuba(folder.file(name), {}, scene).is_ok(), ==, true);
    }
}

// A triangle as the stream of zlib in a .serialized file.
std::string packed_triangle() {
    std::string mesh;
    put_number(mesh, 0x1000);
    mesh += std::string("a\0\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 18) + std::string(12, '\0') +
            std::string("\0\0\x80\x3f\0\0\0\0\0\0\0\0", 12) +
            std::string("\0\0\0\0\0\0\x80\x3f\0\0\0\0", 12) +
            std::string("\0\0\0\0\1\0\0\0\2\0\0\0", 12);
    uLongf size = compressBound(mesh.size());
    std::string packed(size, '\0');
    ENSURE(compress(reinterpret_cast<Bytef*>(packed.data()),
                    &size,
                    reinterpret_cast<const Bytef*>(mesh.data()),
                    mesh.size()),
           ==,
           Z_OK);
    return packed.substr(0, size);
}

// The first byte chooses the format (fuzz_meshes.cpp).
void write_meshes(const fs::path& root) {
    const SeedFolder folder(root / "meshes");
    folder.put("ply",
               std::string("\0", 1) +
                   "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                   "property float z\nproperty float nx\nproperty float ny\nproperty float nz\n"
                   "property float s\nproperty float t\nelement face 1\n"
                   "property list uchar int vertex_indices\nend_header\n"
                   "0 0 0 0 0 1 0 0\n1 0 0 0 0 1 1 0\n0 1 0 0 0 1 0 1\n3 0 1 2\n");
    std::string binary = std::string("\0", 1) +
                         "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\n"
                         "property float y\nproperty float z\nelement face 1\n"
                         "property list uchar int vertex_indices\nend_header\n";
    binary += std::string(12, '\0') + std::string("\x3f\x80\0\0\0\0\0\0\0\0\0\0", 12) +
              std::string("\0\0\0\0\x3f\x80\0\0\0\0\0\0", 12) +
              std::string("\3\0\0\0\0\0\0\0\1\0\0\0\2", 13);
    folder.put("ply_binary", binary);
    folder.put("obj",
               "\1v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf -1 "
               "-2 -3 -4\n");
    folder.put("serialized",
               std::string("\2\x1c\4\4\0", 5) + packed_triangle() +
                   std::string("\0\0\0\0\0\0\0\0\1\0\0\0", 12));
}

// The first byte chooses the format (fuzz_models.cpp).
void write_models(const fs::path& root) {
    const SeedFolder folder(root / "models");
    folder.put("obj",
               std::string("\0", 1) +
                   "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvn 0 0 1\nusemtl m\n"
                   "f 1/1/1 2/1/1 3/1/1\ng b\nf -1 -2 -3 -4\nl 1 2\n");
    folder.put("ply",
               "\1ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
               "property float z\nproperty uchar red\nelement face 2\n"
               "property list uchar int vertex_indices\nend_header\n"
               "0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0 4\n4 0 1 2 3\n3 0 1 2\n");
    std::string binary =
        "\1ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n"
        "property float y\nproperty float z\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n";
    binary += std::string(12, '\0') + std::string("\0\0\x80\x3f\0\0\0\0\0\0\0\0", 12) +
              std::string("\0\0\0\0\0\0\x80\x3f\0\0\0\0", 12) +
              std::string("\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
    folder.put("ply_binary", binary);
    folder.put("ply_faces",
               "\1ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement camera 1\n"
               "property float a\nelement vertex 4\nproperty float x\nproperty float y\n"
               "property float z\nelement face 2\nproperty list uchar int vertex_indices\n"
               "property list uchar float texcoord\nproperty uchar red\nproperty uchar green\n"
               "property uchar blue\nelement tristrips 1\nproperty list int int vertex_indices\n"
               "element edge 1\nproperty int vertex1\nend_header\n7\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
               "5 0 1 2 3 0 0 1 2 3\n3 0 1 2 6 0 0 1 0 1 1 4 5 6\n7 0 1 2 3 -1 2 3\n1\n");
    folder.put("stl",
               "\2solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
               "vertex 0 1 0\nendloop\nendfacet\nendsolid s\n");
    std::string facets = "\2" + std::string(80, 's');
    put_number(facets, 1);
    facets += std::string(24, '\0') + std::string("\0\0\x80\x3f", 4) + std::string(12, '\0') +
              std::string("\0\0\x80\x3f", 4) + std::string(6, '\0');
    folder.put("stl_binary", facets);
    folder.put("off", "\3OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n");
}

std::string packed(const std::function<void(scene::PackWriter& pack)>& write) {
    const int file = ::memfd_create("pack", MFD_CLOEXEC);
    ENSURE(file, >=, 0);
    scene::PackWriter pack(file);
    write(pack);
    ENSURE(pack.finish(), ==, true);
    std::string bytes(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
    ENSURE(::pread(file, bytes.data(), bytes.size(), 0), ==, static_cast<ssize_t>(bytes.size()));
    ::close(file);
    return bytes;
}

std::string packed(const std::string& path, const std::string& extension) {
    return packed([&](scene::PackWriter& pack) {
        scene::read_with_assimp({path, extension, u64{1} << 32U, {}}, pack);
    });
}

// A pack up to an embedded picture without bytes.
void pack_empty_picture(scene::PackWriter& pack) {
    pack.value(scene::kPackBegin);
    pack.text("");
    pack.array(std::span<const u8>());
    pack.value(u64{0});  // libraries
    pack.value(u64{0});  // materials
    pack.value(u64{1});  // pictures
    pack.text("a.png");
    pack.text("png");
    pack.value(std::array<u32, 2>{});
    pack.array(std::span<const char>());
}

void write_packs(const fs::path& root) {
    const SeedFolder folder(root / "pack");
    const SeedFolder files(root / "files");
    files.put("m.mtl", "newmtl m\nKd 0.5 0.25 0.1\nNs 80\nillum 2\nd 0.5\n");
    files.put("a.obj",
              "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl m\n"
              "f 1/1/1 2/1/1 3/1/1\n");
    files.put("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n");
    folder.put("obj", packed(files.file("a.obj"), "obj"));
    folder.put("off", packed(files.file("a.off"), "off"));
    folder.put("refused", packed(files.file("none.off"), "off"));
    folder.put("empty_picture", packed(pack_empty_picture));
    fs::remove_all(root / "files");
}

void write_films(const fs::path& root) {
    const SeedFolder folder(root / "films");
    film::Film film(4, 3, {1, 0, 4, 2}, {film::Aov::Albedo, film::Aov::Instance});
    film.add_sample(1, 1, {0.5f, 0.25f, 2, 1});
    film.set_number(1, 1, 1, 7);
    film::FilmRecord record;
    record.origin = {{"scene", "00112233445566778899aabbccddeeff"}, {"seed", "7"}};
    record.ranges = {{0, 1, 2}, {4, 5, 5}};
    record.samples_wanted = 8;
    record.slices = 2;
    std::vector<std::byte> bytes;
    film::encode_film_file(film, record, bytes);
    ENSURE(film::write_film_file(folder.file("checkpoint"), bytes).is_ok(), ==, true);
    film::ImageConfig config;
    config.keep_film = true;
    config.record = record;
    ENSURE(film::write_image(folder.file("slice.exr"), film, config).is_ok(), ==, true);
    ENSURE(film::write_image(folder.file("picture.exr"), film, {}).is_ok(), ==, true);
}

// Messages of a client of `weft serve`: each alone, and all as a stream with their lengths.
void write_messages(const fs::path& root) {
    const SeedFolder folder(root / "serve");
    const std::array<std::string, 8> texts = {
        R"({"do": "hello", "version": 1, "id": 1})",
        R"({"do": "load", "scenes": ["/a.gltf"], "options": ["--environment-color", "1,1,1"]})",
        R"({"do": "settings", "pixels": "display", "denoise": true,
            "options": ["--spp", "16", "--device", "cpu", "--width", "64", "--policy", "oldest"]})",
        R"({"do": "edit", "edits": [{"path": "camera", "value": {"yfov_deg": 40}}]})",
        R"({"do": "mesh", "mesh": "Cube", "file": "/proc/7/fd/3"})",
        R"({"do": "save", "file": "a.exr"})",
        R"({"do": "pause", "paused": true})",
        R"({"do": "status", "id": 18446744073709551615})"};
    std::string stream;
    for (std::size_t k = 0; k < texts.size(); ++k) {
        folder.put("text" + std::to_string(k), texts[k]);
        stream += std::string{static_cast<char>(texts[k].size()), 0, 0, 0} + texts[k];
    }
    folder.put("stream", stream);
}

void write_texts(const fs::path& root) {
    SeedFolder(root / "edits")
        .put("edits.json",
             R"({"weft_edits": 1, "scene": "room.glb", "edits": [
                {"path": "materials/paint/roughness", "value": 0.2},
                {"path": "materials/paint/base_color_texture", "value": {"file": "a.png"}},
                {"path": "materials/new", "value": {"copy_of": "materials/paint", "metallic": 1}},
                {"path": "nodes/part/transform", "value": [1,0,0,0, 0,1,0,0, 0,0,1,2]},
                {"path": "nodes/part 2", "value": {"copy_of": "nodes/part", "insert_at": 0}},
                {"path": "nodes/part/visible", "value": false},
                {"path": "nodes/part/material", "value": ["materials/new"]},
                {"path": "nodes/part", "value": null},
                {"path": "lights/sun", "value": {"kind": "directional", "direction": [0,-1,0]}},
                {"path": "lights/lamp/radius_m", "value": 0.1},
                {"path": "lights/lamp", "value": null},
                {"path": "environment/file", "value": "sky.hdr"},
                {"path": "environment/rotation_deg", "value": 30},
                {"path": "camera/focus_m", "value": 2},
                {"path": "frame/size", "value": [64, 32]},
                {"path": "view/clip_planes", "value": [[0, 1, 0, 2]]}]})");
    SeedFolder(root / "settings")
        .put("view.json",
             R"({"window_width": 1000, "has_left": false, "left_width": 200.5,
                "recent": ["a.glb"], "pictures": ["b.png"], "folders": {"scene": "/tmp"},
                "bookmarks": {"a.glb": [{"name": "View 1", "camera": {"focus_m": 2,
                "to_world": [1,0,0,0, 0,1,0,0, 0,0,1,2]}}]}})");
    const SeedFolder lines(root / "command_line");
    lines.put("many",
              "a.glb\n-o\nout.exr\n--spp\n16\n--pixelbounds\n1,2,3,4\n--look-at\n0,1,3,0,0,0\n"
              "--clip-plane=0,1,0,2\n--aov\nalbedo,normal\n--set\nmaterials/a/roughness=0.2\n"
              "--policy\noldest\n--memory-limit\n8G\n--slice\n3/8\n--debug-pixel\n1,2,3\n-n");
    write_messages(root);
    lines.put("flags", "-t4\n--checkpoint=a\n--resume\n--environment-color\n1,1,1\n--help");
}

// OpenImageIO writes the time into EXR and TIFF files. With one time in all of them the seeds, and
// so the changes of replay.cpp, are the same in every run.
void freeze_dates(const fs::path& root) {
    const std::regex time("[0-9]{4}:[0-9]{2}:[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}");
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        if (entry.is_regular_file()) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(file), {}};
            file.close();
            scene::testing::write_bytes(entry.path().string(),
                                        std::regex_replace(bytes, time, "2000:01:01 00:00:00"));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "expected a folder\n");
        return EXIT_FAILURE;
    }
    fs::create_directories(argv[1]);
    fs::current_path(argv[1]);
    const fs::path root = ".";  // the error in a pack names a file
    write_pictures(root);
    write_gltf(root);
    write_pbrt(root);
    write_mitsuba(root);
    write_meshes(root);
    write_models(root);
    write_packs(root);
    write_films(root);
    write_texts(root);
    freeze_dates(root);
    return EXIT_SUCCESS;
}
