// test_frame_trees.cpp — the tree and the command lists of a frame are made from those of the frame
// before: what stands still is kept, what is deformed is refitted, and no bit of a picture changes
// by that.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/small_render.h"
#include "tests/engine/scene/gltf_writer.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::testing::Json;

constexpr u32 kSheetSide = 52;                       // squares of a sheet
constexpr u32 kSheet = 2 * kSheetSide * kSheetSide;  // triangles: enough for a refit
constexpr u32 kStanding = 2 * kSheet + 2;            // of the scene without one sheet
constexpr const char* kFrames = "0..2";              // one for each second

// A wavy sheet of 1 m around the origin, seen from the front.
std::vector<float> sheet_positions(float wave) {
    std::vector<float> positions;
    for (u32 y = 0; y <= kSheetSide; ++y) {
        for (u32 x = 0; x <= kSheetSide; ++x) {
            const float u = static_cast<float>(x) / kSheetSide - 0.5F;
            const float v = static_cast<float>(y) / kSheetSide - 0.5F;
            positions.insert(positions.end(), {u, v, wave * (u * u - v * v * v)});
        }
    }
    return positions;
}

std::vector<u32> sheet_indices() {
    std::vector<u32> indices;
    for (u32 y = 0; y < kSheetSide; ++y) {
        for (u32 x = 0; x < kSheetSide; ++x) {
            const u32 first = y * (kSheetSide + 1) + x;
            const u32 above = first + kSheetSide + 1;
            indices.insert(indices.end(), {first, first + 1, above + 1, first, above + 1, above});
        }
    }
    return indices;
}

// Changes one property along two seconds, in an animation of its own.
void animate(scene::testing::Writer& writer,
             const char* name,
             const Json& target,
             const std::vector<float>& values,
             const char* type,
             const char* interpolation = "LINEAR") {
    const std::size_t input = writer.add(std::vector<float>{0, 1, 2}, "SCALAR", 5126, 3);
    const std::size_t rows = std::string(type) == "VEC3"   ? values.size() / 3
                             : std::string(type) == "VEC4" ? values.size() / 4
                                                           : values.size();
    const std::size_t output = writer.add(values, type, 5126, rows);
    writer.json["animations"].push_back(
        {{"name", name},
         {"samplers", {{{"input", input}, {"output", output}, {"interpolation", interpolation}}}},
         {"channels", {{{"sampler", 0}, {"target", target}}}}});
}

Json pointer_to(const std::string& pointer) {
    return {{"path", "pointer"},
            {"extensions", {{"KHR_animation_pointer", {{"pointer", pointer}}}}}};
}

// A still sheet, one that morphs, one with a skin, a triangle that walks and one that disappears.
std::string write_scene(const TestFolder& folder) {
    scene::testing::Writer writer;
    // Meshes.
    const std::size_t indices = writer.add(sheet_indices(), "SCALAR", 5125, sheet_indices().size());
    const std::size_t still = writer.add_vec3(sheet_positions(0.1F));
    const std::size_t base = writer.add_vec3(sheet_positions(0.2F));
    const std::size_t delta = writer.add_vec3(sheet_positions(0.4F));
    const std::size_t skinned = writer.add_vec3(sheet_positions(0.3F));
    const std::size_t vertices = std::size_t{kSheetSide + 1} * (kSheetSide + 1);
    std::vector<float> one_joint;
    for (std::size_t k = 0; k < vertices; ++k) {
        one_joint.insert(one_joint.end(), {1, 0, 0, 0});
    }
    const std::size_t joints = writer.add(std::vector<u8>(4 * vertices, 0), "VEC4", 5121, vertices);
    const std::size_t weights = writer.add(one_joint, "VEC4", 5126, vertices);
    writer.json["nodes"] = Json::array();
    writer.add_mesh({{"attributes", {{"POSITION", still}}}, {"indices", indices}});
    writer.add_mesh({{"attributes", {{"POSITION", base}}},
                     {"indices", indices},
                     {"targets", {{{"POSITION", delta}}}}});
    writer.add_mesh(
        {{"attributes", {{"POSITION", skinned}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}},
         {"indices", indices}});
    writer.add_triangle();
    writer.add_triangle();
    writer.json["meshes"][3]["primitives"][0]["material"] = 0;
    writer.json["materials"] = {{{"name", "paint"}}};
    // Nodes.
    writer.json["skins"] = {{{"joints", {5}}}};
    writer.json["cameras"] = {
        {{"type", "perspective"}, {"perspective", {{"yfov", 0.8}, {"znear", 0.1}}}}};
    writer.json["nodes"] = {{{"mesh", 0}, {"translation", {-0.7, 0, 0}}},
                            {{"mesh", 1}, {"translation", {0.6, 0, 0}}},
                            {{"mesh", 2}, {"skin", 0}},
                            {{"mesh", 3}, {"translation", {-1, 0.3, 0.2}}},
                            {{"mesh", 4}, {"translation", {0.2, -1, 0.1}}},
                            {{"name", "joint"}},
                            {{"camera", 0}, {"translation", {0, 0, 3}}}};
    writer.json["scenes"][0]["nodes"] = {0, 1, 2, 3, 4, 5, 6};
    // Animations.
    animate(writer,
            "walk",
            {{"node", 3}, {"path", "translation"}},
            {-1, 0.3F, 0.2F, -0.5F, 0.3F, 0.2F, 0, 0.4F, 0.3F},
            "VEC3");
    animate(writer, "morph", {{"node", 1}, {"path", "weights"}}, {0, 0.5F, 1}, "SCALAR");
    animate(writer,
            "skin",
            {{"node", 5}, {"path", "translation"}},
            {0, 0, 0, 0, 0.2F, 0, 0, 0.5F, 0.1F},
            "VEC3");
    animate(writer,
            "hide",
            pointer_to("/nodes/4/extensions/KHR_node_visibility/visible"),
            {1, 0, 0},
            "SCALAR",
            "STEP");
    animate(writer,
            "paint",
            pointer_to("/materials/0/pbrMetallicRoughness/baseColorFactor"),
            {1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1},
            "VEC4");
    const std::string path = folder.file("scene.gltf");
    scene::testing::write_bytes(path, writer.with_buffer().dump());
    return path;
}

struct Case {
    const char* animation;
    // Of the second frame and the third: trees kept, patched and built; triangles kept, refitted
    // and built.
    std::vector<u32> trees[2];
};

Words words_of(const std::string& scene, const Words& more) {
    Words words = {"render", scene, "--width", "24", "--height", "16", "--spp", "4", "--fps", "1"};
    words.insert(words.end(), {"--keep-film", "--progress", "none"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::vector<u32> trees_in(const std::string& path) {
    const Json trees = Json::parse(film::bytes_of(path))["trees"];
    std::vector<u32> counts;
    for (const char* name :
         {"kept", "patched", "built", "kept_triangles", "refitted_triangles", "built_triangles"}) {
        counts.push_back(trees[name].get<u32>());
    }
    return counts;
}

// Lists that a frame recorded, and those of the frame before that it submitted again or left alone.
struct Lists {
    u32 recorded = 0;
    u32 reused = 0;

    bool operator==(const Lists&) const = default;
};

Lists lists_in(const std::string& path) {
    const Json commands = Json::parse(film::bytes_of(path))["commands"];
    return {commands["recorded"].get<u32>(), commands["reused"].get<u32>()};
}

}  // namespace

TEST_SUITE("app/frame_trees") {
    TEST_CASE("C3 a frame keeps what stands still and has the hash of the frame alone") {
        const TestFolder folder;
        const std::string scene = write_scene(folder);
        const u32 all = kStanding + kSheet;
        const std::vector<u32> built = {0, 0, 1, 0, 0, all};
        const std::vector<u32> kept = {1, 0, 0, all, 0, 0};
        const std::vector<u32> walked = {0, 1, 0, all - 1, 0, 1};
        const std::vector<u32> refitted = {0, 1, 0, kStanding, kSheet, 0};
        const std::vector<Case> cases = {
            {"walk", {walked, walked}},
            {"morph", {refitted, refitted}},
            {"skin", {refitted, refitted}},
            {"hide", {{0, 0, 1, 0, 0, all - 1}, {1, 0, 0, all - 1, 0, 0}}},
            {"paint", {kept, kept}}};
        for (const Case& one : cases) {
            const std::string name = one.animation;
            CAPTURE(name);
            check_ends(words_of(scene,
                                {"-o",
                                 folder.file("range.#.exr"),
                                 "--stats",
                                 folder.file("range.#.json"),
                                 "-f",
                                 kFrames,
                                 "--animation",
                                 name}),
                       kExitDone);
            std::vector<std::string> hashes;
            for (const char* frame : {"0", "1", "2"}) {
                CAPTURE(frame);
                check_ends(words_of(scene,
                                    {"-o",
                                     folder.file("alone.exr"),
                                     "-f",
                                     frame,
                                     "--animation",
                                     name,
                                     "--scheduler",
                                     "unkeyed"}),
                           kExitDone);
                hashes.push_back(
                    hashes_of_file(folder.file(std::string("range.") + frame + ".exr")));
                CHECK(hashes.back() == hashes_of_file(folder.file("alone.exr")));
            }
            CHECK(hashes[0] != hashes[1]);
            CHECK(trees_in(folder.file("range.0.json")) == built);
            CHECK(trees_in(folder.file("range.1.json")) == one.trees[0]);
            CHECK(trees_in(folder.file("range.2.json")) == one.trees[1]);
            // Two materials: two surfaces with a group each. Another number of objects is another
            // scene.
            const Lists anew{4, 0};
            const Lists again{0, 4};
            CHECK(lists_in(folder.file("range.0.json")) == anew);
            CHECK(lists_in(folder.file("range.1.json")) == (name == "hide" ? anew : again));
            CHECK(lists_in(folder.file("range.2.json")) == again);
        }
    }

    TEST_CASE("so do the moments of an exposure, on other devices as well") {
        const TestFolder folder;
        const std::string scene = write_scene(folder);
        const auto render = [&](const std::string& output, const Words& more) {
            Words words = words_of(scene,
                                   {"-o",
                                    folder.file(output + ".exr"),
                                    "--stats",
                                    folder.file(output + ".json"),
                                    "--animation",
                                    "all",
                                    "--shutter",
                                    "1",
                                    "--shutter-moments",
                                    "4"});
            words.insert(words.end(), more.begin(), more.end());
            check_ends(words, kExitDone);
        };
        // Before 1 s the second triangle is shown, so moments keep the meshes.
        render("range.#", {"-f", "0,1,2", "--fps", "4"});
        render("alone", {"-f", "2", "--fps", "4", "--device", "cpu+egpu"});
        CHECK(hashes_of_file(folder.file("range.2.exr")) ==
              hashes_of_file(folder.file("alone.exr")));
        const std::vector<u32> alone = trees_in(folder.file("alone.json"));
        CHECK(alone ==
              std::vector<u32>{0, 3, 1, 3 * (kSheet + 1), 6 * kSheet, kStanding + kSheet + 3});
        const std::vector<u32> last = trees_in(folder.file("range.2.json"));
        CHECK(last == std::vector<u32>{0, 4, 0, 4 * (kSheet + 1), 8 * kSheet, 4});
    }
}

}  // namespace weft::app::testing
