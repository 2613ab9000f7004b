// test_frame_light.cpp — what lights the frames of an animation: the scene itself in all of them,
// or the default sky in all of them.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/small_render.h"
#include "tests/engine/scene/gltf_writer.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::testing::Json;

// Renders a quad of a square metre, which emits 1 cd/m² and which a camera sees in the middle of
// 16 m², and returns the mean of the picture. `change` adds to the document.
template <typename Change>
double mean_of_glow(const Words& more, const Change& change) {
    const TestFolder folder;
    scene::testing::Writer writer;
    std::vector<float> corners;
    for (const float y : {-0.5F, 0.5F}) {
        corners.insert(corners.end(), {-0.5F, y, 0, 0.5F, y, 0});
    }
    writer.add_mesh(
        {{"attributes", {{"POSITION", writer.add_vec3(corners)}}}, {"material", 0}, {"mode", 5}});
    writer.json["materials"] = {
        {{"pbrMetallicRoughness", {{"baseColorFactor", {0, 0, 0, 1}}}},
         {"emissiveFactor", {1, 1, 1}},
         {"extensions", {{"KHR_materials_specular", {{"specularFactor", 0}}}}}}};
    writer.json["materials"][0]["pbrMetallicRoughness"]["metallicFactor"] = 0;
    writer.json["cameras"] = {
        {{"type", "orthographic"},
         {"orthographic", {{"xmag", 2}, {"ymag", 2}, {"znear", 0.1}, {"zfar", 9}}}}};
    writer.json["nodes"] = {{{"mesh", 0}}, {{"camera", 0}, {"translation", {0, 0, 5}}}};
    writer.json["scenes"][0]["nodes"] = {0, 1};
    change(writer);
    const std::string scene = folder.file("glow.gltf");
    scene::testing::write_bytes(scene, writer.with_buffer().dump());
    Words words = {"render", scene, "-o", folder.file("glow.exr"), "--fps", "1"};
    words.insert(words.end(), {"--width", "16", "--height", "16", "--spp", "4"});
    words.insert(words.end(), {"--filter", "box", "--keep-film", "--progress", "none"});
    words.insert(words.end(), more.begin(), more.end());
    check_ends(words, kExitDone);
    const base::Result<film::SavedFilm> saved = film::read_saved_film(folder.file("glow.exr"));
    REQUIRE(saved.is_ok());
    double sum = 0;
    for (u32 pixel = 0; pixel < 256; ++pixel) {
        sum += static_cast<double>(saved.value().film.pixel(pixel % 16, pixel / 16)[0]);
    }
    return sum / 256;
}

// Adds an animation of one channel.
void animate(scene::testing::Writer& writer,
             const Json& target,
             const std::vector<float>& times,
             const std::vector<float>& values,
             const char* type,
             const char* interpolation) {
    const std::size_t input = writer.add(times, "SCALAR", 5126, times.size());
    const std::size_t output = writer.add(values, type, 5126, times.size());
    writer.json["animations"] = {
        {{"samplers", {{{"input", input}, {"output", output}, {"interpolation", interpolation}}}},
         {"channels", {{{"sampler", 0}, {"target", target}}}}}};
}

Json to_pointer(const std::string& pointer) {
    return {{"path", "pointer"},
            {"extensions", {{"KHR_animation_pointer", {{"pointer", pointer}}}}}};
}

}  // namespace

TEST_SUITE("app/frame_light") {
    TEST_CASE("dark moments of an animation are black, not in the light of the default sky") {
        const double lit = 1.0 / 16;
        const auto fade = [](scene::testing::Writer& writer) {
            animate(writer,
                    to_pointer("/materials/0/emissiveFactor"),
                    {0, 4},
                    {0, 0, 0, 1, 1, 1},
                    "VEC3",
                    "LINEAR");
        };
        CHECK(mean_of_glow({"-f", "0"}, fade) == 0);
        CHECK(mean_of_glow({"-f", "2"}, fade) == doctest::Approx(lit / 2));
        const auto hide = [](scene::testing::Writer& writer) {
            animate(writer,
                    to_pointer("/nodes/0/extensions/KHR_node_visibility/visible"),
                    {0, 1},
                    {1, 0},
                    "SCALAR",
                    "STEP");
        };
        CHECK(mean_of_glow({"-f", "0"}, hide) == doctest::Approx(lit));
        CHECK(mean_of_glow({"-f", "1"}, hide) == 0);
        // Open for all of a frame, half of which is dark.
        CHECK(mean_of_glow({"-f", "1", "--shutter", "1"}, hide) == doctest::Approx(lit / 2));
        // The light of a lamp that is dark in this frame.
        const auto lamp = [](scene::testing::Writer& writer) {
            writer.json["materials"][0]["emissiveFactor"] = {0, 0, 0};
            writer.json["extensions"]["KHR_lights_punctual"]["lights"] = {{{"type", "point"}}};
            writer.json["nodes"][1]["extensions"]["KHR_lights_punctual"]["light"] = 0;
            animate(writer,
                    to_pointer("/extensions/KHR_lights_punctual/lights/0/intensity"),
                    {0, 1},
                    {0, 9},
                    "SCALAR",
                    "STEP");
        };
        CHECK(mean_of_glow({"-f", "0"}, lamp) == 0);
    }

    TEST_CASE("emissive surfaces light all frames or none, by their share of the scene at rest") {
        // A dark quad behind the camera grows until little of all surfaces shines.
        const auto grow = [](scene::testing::Writer& writer, float scale_at_rest) {
            Json quad = writer.json["meshes"][0];
            quad["primitives"][0].erase("material");
            writer.json["meshes"].push_back(quad);
            writer.json["nodes"].push_back({{"mesh", 1},
                                            {"translation", {0, 0, 9}},
                                            {"scale", {scale_at_rest, scale_at_rest, 1}}});
            writer.json["scenes"][0]["nodes"] = {0, 1, 2};
            animate(writer,
                    {{"node", 2}, {"path", "scale"}},
                    {0, 1},
                    {1, 1, 1, 1000, 1000, 1},
                    "VEC3",
                    "LINEAR");
        };
        for (const char* frame : {"0", "1"}) {
            CAPTURE(frame);
            CHECK(mean_of_glow({"-f", frame}, [&](auto& writer) { grow(writer, 1); }) ==
                  doctest::Approx(1.0 / 16));
            CHECK(mean_of_glow({"-f", frame}, [&](auto& writer) { grow(writer, 1000); }) > 0.1);
        }
    }
}

}  // namespace weft::app::testing
