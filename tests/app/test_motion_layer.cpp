// test_motion_layer.cpp — `weft render --frames --aov motion`: the vectors of an animated file.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "tests/app/moving_scene.h"
#include "tests/app/small_render.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::testing::Json;

constexpr u32 kHeight = 32;

Words motion(const std::string& scene, const std::string& output, const Words& more) {
    Words words = {"render",
                   scene,
                   "-o",
                   output,
                   "--width",
                   "48",
                   "--height",
                   "32",
                   "--spp",
                   "4",
                   "--look-at",
                   "1,0.5,5,1,0.5,0",
                   "--fov",
                   "40",
                   "--fps",
                   "10",
                   "--aov",
                   "motion",
                   "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

using Rows = std::vector<std::vector<float>>;

// The values of each pixel of a layer.
Rows layer_of(const std::string& path, const std::string& name) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    Rows rows;
    for (int part = 0; input->seek_subimage(part, 0); ++part) {
        const OIIO::ImageSpec spec = input->spec();
        if (std::string(spec.get_string_attribute("oiio:subimagename")) != name) {
            continue;
        }
        const auto channels = static_cast<std::size_t>(spec.nchannels);
        std::vector<float> values(spec.image_pixels() * channels);
        REQUIRE(
            input->read_image(part, 0, 0, spec.nchannels, OIIO::TypeDesc::FLOAT, values.data()));
        for (std::size_t k = 0; k < values.size(); k += channels) {
            rows.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(k),
                              values.begin() + static_cast<std::ptrdiff_t>(k + channels));
        }
    }
    return rows;
}

// The vectors of all pixels that show something which moves.
Rows vectors_of(const std::string& path) {
    Rows rows = layer_of(path, "motion");
    std::erase_if(rows, [](const std::vector<float>& row) {
        CHECK(row.size() == 4);
        return row == std::vector<float>(4);
    });
    return rows;
}

// Pixels of so many metres, 5 m away.
double pixels_of(double metres) {
    return metres * kHeight / (2 * std::tan(20 * std::acos(-1.0) / 180) * 5);
}

// The triangle (0, 0) (1, 0) (0, 1), whose top a morph target moves by 2 m to the right in 1 s:
// the point (x, y) goes to (x + 2 t y, y).
std::string write_morphing(const TestFolder& folder) {
    scene::testing::Writer writer;
    const std::size_t delta = writer.add_vec3({0, 0, 0, 0, 0, 0, 2, 0, 0});
    writer.add_mesh({{"attributes", {{"POSITION", writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})}}},
                     {"targets", {{{"POSITION", delta}}}}});
    const std::size_t input = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
    const std::size_t output = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
    writer.json["animations"] = {
        {{"samplers", {{{"input", input}, {"output", output}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}}}};
    const std::string path = folder.file("morphing.gltf");
    scene::testing::write_bytes(path, writer.with_buffer().dump());
    return path;
}

// The same triangle on a skin of one joint, which moves by 2 m to the right in 1 s.
std::string write_skinned(const TestFolder& folder) {
    scene::testing::Writer writer;
    const std::size_t place = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
    const std::size_t joints = writer.add(std::vector<u8>(12, 0), "VEC4", 5121, 3);
    const std::size_t weights =
        writer.add(std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 5126, 3);
    writer.add_mesh(
        {{"attributes", {{"POSITION", place}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}}});
    writer.json["nodes"] = {{{"mesh", 0}, {"skin", 0}}, {{"name", "joint"}}};
    writer.json["scenes"] = {{{"nodes", {0, 1}}}};
    writer.json["skins"] = {{{"joints", {1}}}};
    const std::size_t input = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
    const std::size_t output = writer.add_vec3({0, 0, 0, 2, 0, 0});
    writer.json["animations"] = {
        {{"samplers", {{{"input", input}, {"output", output}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "translation"}}}}}}}};
    const std::string path = folder.file("skinned.gltf");
    scene::testing::write_bytes(path, writer.with_buffer().dump());
    return path;
}

}  // namespace

TEST_SUITE("app/motion_layer") {
    TEST_CASE("vectors are those of the frames before and after, whatever is rendered with it") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        check_ends(motion(scene, folder.file("a.#.exr"), {"--frames", "0,5,10"}), kExitDone);
        const double step = pixels_of(0.2);  // 2 m in ten frames
        const auto check = [&](const std::string& frame, double before, double after) {
            CAPTURE(frame);
            const auto vectors = vectors_of(folder.file("a." + frame + ".exr"));
            CHECK(vectors.size() > 10);
            for (const std::vector<float>& vector : vectors) {
                CHECK(static_cast<double>(vector[0]) == doctest::Approx(-before).epsilon(1e-4));
                CHECK(static_cast<double>(vector[2]) == doctest::Approx(-after).epsilon(1e-4));
                CHECK(std::fabs(vector[1]) < 1e-4F);
                CHECK(std::fabs(vector[3]) < 1e-4F);
            }
        };
        // The animation stands still before its begin and after its end.
        check("0", 0, step);
        check("5", step, step);
        check("10", step, 0);
        // The same from another schedule, in a render of its own.
        check_ends(
            motion(scene, folder.file("b.5.exr"), {"--frames", "5", "--scheduler", "unkeyed"}),
            kExitDone);
        CHECK(vectors_of(folder.file("b.5.exr")) == vectors_of(folder.file("a.5.exr")));
    }

    TEST_CASE("morph targets move the points of triangles") {
        const TestFolder folder;
        const std::string path = folder.file("morph.exr");
        check_ends(motion(write_morphing(folder),
                          path,
                          {"--frames", "5", "--spp", "1", "--aov", "motion,position,depth"}),
                   kExitDone);
        const Rows vectors = layer_of(path, "motion");
        const Rows places = layer_of(path, "position");
        const Rows depths = layer_of(path, "depth");
        REQUIRE(vectors.size() == places.size());
        u32 hits = 0;
        for (std::size_t k = 0; k < vectors.size(); ++k) {
            const double step = pixels_of(0.2) * static_cast<double>(places[k][1]);
            const double expected = depths[k][0] > 0 ? -step : 0;
            CHECK(static_cast<double>(vectors[k][0]) == doctest::Approx(expected).epsilon(1e-4));
            CHECK(static_cast<double>(vectors[k][2]) == doctest::Approx(expected).epsilon(1e-4));
            CHECK(std::fabs(vectors[k][1]) + std::fabs(vectors[k][3]) < 1e-3F);
            hits += depths[k][0] > 0 ? 1U : 0U;
        }
        CHECK(hits > 30);
    }

    TEST_CASE("what appears in a frame leaves the vectors of all else as they are") {
        const TestFolder folder;
        // Three triangles of one name and mesh. The first appears at 0.5 s behind the camera, the
        // second stands still, the third moves by 2 m to the right in 1 s.
        scene::testing::Writer writer;
        writer.add_triangle();
        const Json leaf = {{"name", "leaf"}, {"mesh", 0}};
        writer.json["nodes"] = {leaf, leaf, leaf};
        writer.json["nodes"][0]["translation"] = {0, 0, 50};
        writer.json["nodes"][0]["extensions"]["KHR_node_visibility"] = {{"visible", false}};
        writer.json["nodes"][1]["translation"] = {-1, 0, 0};
        writer.json["scenes"][0]["nodes"] = {0, 1, 2};
        const std::size_t input = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
        const std::size_t output = writer.add_vec3({0, 0, 0, 2, 0, 0});
        const std::size_t seen_at = writer.add(std::vector<float>{0, 0.5F}, "SCALAR", 5126, 2);
        const std::size_t seen = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
        const char* const pointer = "/nodes/0/extensions/KHR_node_visibility/visible";
        writer.json["animations"] = {
            {{"samplers",
              {{{"input", input}, {"output", output}},
               {{"input", seen_at}, {"output", seen}, {"interpolation", "STEP"}}}},
             {"channels",
              {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "translation"}}}},
               {{"sampler", 1},
                {"target",
                 {{"path", "pointer"},
                  {"extensions", {{"KHR_animation_pointer", {{"pointer", pointer}}}}}}}}}}}};
        const std::string path = folder.file("leaves.gltf");
        scene::testing::write_bytes(path, writer.with_buffer().dump());
        for (const char* frame : {"4", "5"}) {  // the last without the leaf, the first with it
            CAPTURE(frame);
            const std::string picture = folder.file("leaves.exr");
            check_ends(motion(path,
                              picture,
                              {"--frames", frame, "--spp", "1", "--aov", "motion,position,depth"}),
                       kExitDone);
            const Rows vectors = layer_of(picture, "motion");
            const Rows places = layer_of(picture, "position");
            const Rows depths = layer_of(picture, "depth");
            u32 still = 0;
            u32 moving = 0;
            for (std::size_t k = 0; k < vectors.size(); ++k) {
                const bool is_hit = depths[k][0] > 0;
                const bool moves = is_hit && places[k][0] > 0;
                const double expected = moves ? -pixels_of(0.2) : 0;
                CHECK(static_cast<double>(vectors[k][0]) ==
                      doctest::Approx(expected).epsilon(1e-4));
                CHECK(static_cast<double>(vectors[k][2]) ==
                      doctest::Approx(expected).epsilon(1e-4));
                moving += moves ? 1U : 0U;
                still += is_hit && !moves ? 1U : 0U;
            }
            CHECK(moving > 10);
            CHECK(still > 10);
        }
    }

    TEST_CASE("a skin moves with its joint") {
        const TestFolder folder;
        const std::string path = folder.file("skin.exr");
        check_ends(motion(write_skinned(folder), path, {"--frames", "5"}), kExitDone);
        const Rows vectors = vectors_of(path);
        CHECK(vectors.size() > 10);
        for (const std::vector<float>& vector : vectors) {
            CHECK(static_cast<double>(vector[0]) == doctest::Approx(-pixels_of(0.2)).epsilon(1e-4));
            CHECK(static_cast<double>(vector[2]) == doctest::Approx(-pixels_of(0.2)).epsilon(1e-4));
        }
    }

    TEST_CASE("a scene at rest has no vectors, and those of a blurred picture are refused") {
        const TestFolder folder;
        const std::string scene = write_moving(folder);
        const std::string path = folder.file("a.exr");
        check_ends(motion(scene, path, {}), kExitDone);
        CHECK(vectors_of(path).empty());
        CHECK(layer_of(path, "motion").size() == std::size_t{48} * 32);
        CHECK(
            says(check_ends(motion(scene, path, {"--frames", "5", "--shutter", "0.5"}), kExitUsage),
                 "exclude each other"));
    }
}

}  // namespace weft::app::testing
