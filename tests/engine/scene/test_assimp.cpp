// test_assimp.cpp — OBJ with MTL, PLY, STL: geometry, materials, pictures, and broken files.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include <doctest/doctest.h>

#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

constexpr const char* kQuadObj =
    "mtllib quad.mtl\n"
    "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    "vn 0 0 5\n"
    "o first\nusemtl paint\nf 1/1/1 2/2/1 3/3/1 4/4/1\n"
    "o second\nusemtl glow\nf 1 2 3\n";

constexpr const char* kQuadMtl =
    "newmtl paint\nKd 0.5 0.25 0.125\nKs 1 1 1\nNs 6\nNi 1.4\nd 0.75\n"
    "newmtl glow\nKd 0 0 0\nKe 3 2 1\n"
    "newmtl steel\nKd 0.9 0.9 0.9\nPr 0.3\nPm 0.8\nPc 0.5\nPcr 0.1\n";

const Material& material_called(const Scene& scene, const std::string& name) {
    for (const Material& material : scene.materials) {
        if (material.name == name) {
            return material;
        }
    }
    FAIL("no material is called " << name);
    return scene.materials[0];
}

const Mesh& mesh_of_node(const Scene& scene, const std::string& node) {
    for (const Instance& instance : scene.instances) {
        if (instance.node == node) {
            return scene.meshes[instance.mesh];
        }
    }
    FAIL("no node is called " << node);
    return scene.meshes[0];
}

std::string binary_stl(const std::vector<float>& corners) {
    std::string bytes(80, ' ');
    const u32 count = static_cast<u32>(corners.size() / 9);
    bytes.append(reinterpret_cast<const char*>(&count), 4);
    for (u32 t = 0; t < count; ++t) {
        const float normal[3] = {0, 0, 1};
        bytes.append(reinterpret_cast<const char*>(normal), 12);
        bytes.append(reinterpret_cast<const char*>(&corners[9 * std::size_t{t}]), 36);
        bytes.append(2, '\0');
    }
    return bytes;
}

using Outline = std::vector<std::array<float, 2>>;

std::string obj_of(const Outline& outline) {
    std::string text;
    std::string face = "f";
    for (std::size_t k = 0; k < outline.size(); ++k) {
        text += "v " + std::to_string(outline[k][0]) + " " + std::to_string(outline[k][1]) + " 0\n";
        face += " " + std::to_string(k + 1);
    }
    return text + face + "\n";
}

// Twice the sums of the areas of all triangles: with their signs, and without.
std::array<double, 2> areas_of(const Scene& scene) {
    std::array<double, 2> sums{};
    const auto corner = [&scene](std::size_t index, std::size_t axis) {
        return static_cast<double>(scene.positions[3 * std::size_t{scene.indices[index]} + axis]);
    };
    for (std::size_t t = 0; t + 2 < scene.indices.size(); t += 3) {
        const double area = (corner(t + 1, 0) - corner(t, 0)) * (corner(t + 2, 1) - corner(t, 1)) -
                            (corner(t + 1, 1) - corner(t, 1)) * (corner(t + 2, 0) - corner(t, 0));
        sums[0] += area;
        sums[1] += std::fabs(area);
    }
    return sums;
}

const std::string kPlyHead =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
    "z\n";

}  // namespace

TEST_SUITE("engine/scene/assimp") {
    TEST_CASE(
        "an OBJ becomes triangles with shared vertices, unit normals and rows that count from the "
        "top") {
        const Folder folder("obj");
        folder.write("quad.mtl", kQuadMtl);
        const Scene scene = read({folder.write("quad.obj", kQuadObj)});
        const Mesh& quad = mesh_of_node(scene, "first");
        CHECK(quad.record.triangle_count == 2);
        CHECK(scene_size(scene).triangles == 3);
        // Four corners, not six: equal vertices are welded.
        u32 highest = 0;
        for (u32 k = 0; k < 6; ++k) {
            highest =
                std::max(highest, scene.indices[3 * std::size_t{quad.record.first_triangle} + k]);
        }
        CHECK(highest == 3);
        for (u32 vertex = 0; vertex < 4; ++vertex) {
            const float* p =
                &scene.positions[3 * (std::size_t{quad.record.first_position} + vertex)];
            const float* n = &scene.normals[3 * (std::size_t{quad.record.first_normal} + vertex)];
            const float* uv = &scene.uvs[2 * (std::size_t{quad.record.first_uv0} + vertex)];
            CHECK(n[2] == 1);
            CHECK(uv[0] == p[0] / 2);
            CHECK(uv[1] == 1 - p[1]);
        }
        // The face without normals stays flat.
        CHECK(mesh_of_node(scene, "second").record.first_normal == kNone);
    }

    TEST_CASE("MTL keys map to the material as mtl.md says") {
        const Folder folder("mtl");
        folder.write("quad.mtl", kQuadMtl);
        const Scene scene =
            read({folder.write("quad.obj", std::string(kQuadObj) + "usemtl steel\nf 1 3 4\n")});
        const auto& paint = material_called(scene, "paint").record;
        CHECK(paint.base_color[0] == 0.5f);
        CHECK(paint.base_color[1] == 0.25f);
        CHECK(paint.base_color[2] == 0.125f);
        CHECK(paint.base_color[3] == 0.75f);
        CHECK(paint.alpha_mode == static_cast<u32>(shaders::AlphaMode::Blend));
        CHECK(paint.metallic == 0);
        CHECK(paint.ior == 1.4f);
        // α = √(2 / (6 + 2)) = ½, roughness = √½.
        CHECK(paint.roughness == doctest::Approx(0.70710678).epsilon(1e-6));
        CHECK((paint.flags & shaders::kMaterialSingleSided) == 0);
        const auto& glow = material_called(scene, "glow").record;
        CHECK(glow.emissive[0] == 3);
        CHECK(glow.emissive[2] == 1);
        CHECK(glow.alpha_mode == static_cast<u32>(shaders::AlphaMode::Opaque));
        const auto& steel = material_called(scene, "steel").record;
        CHECK(steel.roughness == 0.3f);
        CHECK(steel.metallic == 0.8f);
        CHECK(steel.coat == 0.5f);
        CHECK(steel.coat_roughness == 0.1f);
    }

    TEST_CASE("a colour picture is found by its last part and a missing one follows the policy") {
        const Folder folder("maps");
        write_picture<u8>(folder.file("red.png"), 2, 1, {255, 0, 0, 255, 0, 0, 255, 255});
        folder.write("quad.mtl",
                     "newmtl paint\nKd 1 1 1\nmap_Kd C:\\art\\red.png\nnewmtl glow\nKd 1 1 1\n");
        const std::string path = folder.write("quad.obj", kQuadObj);
        const Scene scene = read({path});
        const auto& paint = material_called(scene, "paint").record;
        REQUIRE(paint.base_color_slot != kNone);
        const auto& texture = scene.textures[scene.slots[paint.base_color_slot].texture].record;
        CHECK(texture.format == static_cast<u32>(shaders::TexelFormat::Srgb8));
        CHECK(scene.texels[texture.mip_offset[0]] == 0xff0000ffu);

        folder.write("quad.mtl", "newmtl paint\nmap_Kd gone.png\nnewmtl glow\n");
        CHECK(complaint(path).find("gone.png") != std::string::npos);
        CHECK(complaint(path).find("--missing-file checker") != std::string::npos);
        ImportConfig config;
        config.missing_file = MissingFile::Checker;
        std::vector<std::string> missing;
        config.on_missing = [&](const std::string& name, const std::string&) {
            missing.push_back(name);
        };
        const Scene checkered = read({path}, config);
        CHECK(has_note(checkered, Note::Kind::Replaced, "gone.png"));
        CHECK(missing == std::vector<std::string>{"gone.png"});
        CHECK(checkered.textures.at(0).record.width == 8);
        config.missing_file = MissingFile::Black;
        CHECK(read({path}, config).texels[0] == 0xff000000u);
    }

    TEST_CASE("an opacity picture becomes the alpha of the colour") {
        const Folder folder("opacity");
        write_picture<u8>(folder.file("color.png"), 1, 1, {10, 20, 30, 255});
        write_picture<u8>(folder.file("hole.png"),
                          2,
                          2,
                          {255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 64, 64, 64, 255});
        folder.write("quad.mtl",
                     "newmtl paint\nKd 1 1 1\nmap_d hole.png\nnewmtl glow\nKd 1 1 1\nmap_Kd "
                     "color.png\nmap_d hole.png\n");
        const Scene scene = read({folder.write("quad.obj", kQuadObj)});
        const auto& paint = material_called(scene, "paint").record;
        CHECK(paint.alpha_mode == static_cast<u32>(shaders::AlphaMode::Blend));
        const auto& holes = scene.textures[scene.slots[paint.base_color_slot].texture].record;
        CHECK(scene.texels[holes.mip_offset[0]] == 0xffffffffu);
        CHECK(scene.texels[holes.mip_offset[0] + 1] == 0x00ffffffu);
        CHECK(scene.texels[holes.mip_offset[0] + 5] == 0x40ffffffu);
        const auto& both =
            scene
                .textures[scene.slots[material_called(scene, "glow").record.base_color_slot]
                              .texture]
                .record;
        CHECK(scene.texels[both.mip_offset[0]] == 0xff1e140au);
    }

    TEST_CASE("a bump map is used if it is a normal map and noted if it is a height map") {
        const Folder folder("bump");
        write_picture<u8>(
            folder.file("normal.png"), 2, 1, {128, 128, 255, 255, 200, 128, 230, 255});
        write_picture<u8>(folder.file("height.png"), 2, 1, {90, 90, 90, 255, 200, 200, 200, 255});
        folder.write("quad.mtl",
                     "newmtl paint\nKd 1 1 1\nmap_Bump normal.png\nnewmtl glow\nKd 1 1 1\nmap_Bump "
                     "height.png\n");
        const Scene scene = read({folder.write("quad.obj", kQuadObj)});
        CHECK(material_called(scene, "paint").record.normal_slot != kNone);
        CHECK(material_called(scene, "glow").record.normal_slot == kNone);
        CHECK(has_note(scene, Note::Kind::Ignored, "height.png"));
        const Mesh& quad = mesh_of_node(scene, "first");
        REQUIRE(quad.record.first_tangent != kNone);
        // u grows with x, and v, counted from the top, against y.
        const float* tangent = &scene.tangents[4 * std::size_t{quad.record.first_tangent}];
        CHECK(tangent[0] == doctest::Approx(1));
        CHECK(std::fabs(tangent[3]) == 1);
    }

    TEST_CASE("a missing material library leaves a note and the mesh is imported") {
        const Folder folder("no_mtl");
        const Scene scene = read({folder.write("quad.obj", kQuadObj)});
        CHECK(has_note(scene, Note::Kind::Replaced, "quad.mtl"));
        CHECK(scene_size(scene).triangles == 3);
    }

    TEST_CASE("vertex colours of a PLY lose the sRGB curve and colour the surface alone") {
        const Folder folder("ply");
        const Scene scene = read({folder.write(
            "quad.ply",
            kPlyHead + "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                       "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
                       "0 0 0 255 0 0\n1 0 0 255 0 0\n1 1 0 255 0 0\n0 1 0 0 188 0\n4 0 1 2 3\n")});
        const Mesh& mesh = scene.meshes.at(0);
        CHECK(mesh.record.triangle_count == 2);
        CHECK(mesh.record.first_normal == kNone);
        REQUIRE(mesh.record.first_color != kNone);
        const float* fourth = &scene.colors[4 * (std::size_t{mesh.record.first_color} + 3)];
        CHECK(fourth[0] == 0);
        CHECK(fourth[1] == doctest::Approx(0.5028864).epsilon(1e-4));
        CHECK(scene.materials[mesh.material].record.base_color[0] == 1);
        CHECK(scene.instances.at(0).node == "quad");
    }

    TEST_CASE("a PLY shows the picture that it names through the uvs of its faces") {
        const Folder folder("ply_picture");
        write_picture<u8>(folder.file("red.png"), 1, 1, {255, 0, 0, 255});
        std::string head = kPlyHead;
        head.insert(head.find("element"), "comment TextureFile red.png\n");
        const std::string text = head +
                                 "element face 2\nproperty list uchar int vertex_indices\n"
                                 "property list uchar float texcoord\n"
                                 "element edge 2\nproperty int vertex1\nend_header\n"
                                 "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 6 0 0 1 0 1 1\n"
                                 "3 0 2 3 6 0 0 1 1 0.5 1\n0\n1\n";
        // Under another name, too.
        for (const char* const name : {"a.ply", "a.mesh"}) {
            const Scene scene = read({folder.write(name, text)});
            CHECK(scene_size(scene).triangles == 2);
            // Both faces give two of their corners the same uvs.
            CHECK(scene.positions.size() == 12);
            const Mesh& mesh = scene.meshes.at(0);
            const float* const last = &scene.uvs[2 * (std::size_t{mesh.record.first_uv0} + 3)];
            CHECK(last[0] == 0.5F);
            CHECK(last[1] == 0);  // rows count from the top
            CHECK(scene.materials[mesh.material].record.base_color_slot != kNone);
            CHECK(has_note(scene, Note::Kind::Ignored, "0 points and 2 lines are not shown"));
        }
    }

    TEST_CASE("a PLY of points alone leaves a note") {
        const Folder folder("ply_points");
        const Scene scene = read(
            {folder.write("points.ply", kPlyHead + "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n")});
        CHECK(scene_size(scene).triangles == 0);
        CHECK(has_note(scene, Note::Kind::Ignored, "4 points and 0 lines are not shown"));
    }

    TEST_CASE("an STL is flat and its corners are welded") {
        const Folder folder("stl");
        const Scene scene = read({folder.write(
            "quad.stl", binary_stl({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0}))});
        CHECK(scene_size(scene).triangles == 2);
        CHECK(scene.positions.size() == 12);
        CHECK(scene.meshes.at(0).record.first_normal == kNone);
    }

    TEST_CASE("triangles with a corner that is not finite are dropped and counted") {
        const Folder folder("nan");
        const float nan = std::nanf("");
        const Scene scene = read({folder.write(
            "nan.stl", binary_stl({0, 0, 0, 1, 0, 0, 1, 1, 0, nan, 0, 0, 1, 1, 0, 0, 1, 0}))});
        CHECK(scene_size(scene).triangles == 1);
        CHECK(has_note(scene, Note::Kind::Repaired, "1 triangles"));
        for (const float value : scene.positions) {
            CHECK(std::isfinite(value));
        }
    }

    TEST_CASE("the triangles of a concave face cover it once from every first corner") {
        const Folder folder("concave");
        const std::vector<std::pair<Outline, double>> outlines = {
            {{{0, 0}, {2, 1}, {0, 2}, {0.5, 1}}, 3},  // an arrowhead
            {{{0, 0}, {3, 1}, {0, 2}, {2, 1}}, 2},
            {{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, 6},  // an L
            {{{0, 0}, {1, 0}, {1, 1}, {0.75, 1}, {0.75, 0.25}, {0.25, 0.25}, {0.25, 1}, {0, 1}},
             1.25},
        };
        for (const auto& [outline, twice] : outlines) {
            for (std::size_t first = 0; first < outline.size(); ++first) {
                Outline turned = outline;
                std::rotate(turned.begin(),
                            turned.begin() + static_cast<std::ptrdiff_t>(first),
                            turned.end());
                for (const double sign : {1.0, -1.0}) {
                    CAPTURE(outline.size());
                    CAPTURE(first);
                    const Scene scene = read({folder.write("face.obj", obj_of(turned))});
                    CHECK(scene_size(scene).triangles == outline.size() - 2);
                    CHECK(areas_of(scene)[0] == sign * twice);
                    CHECK(areas_of(scene)[1] == twice);
                    std::reverse(turned.begin(), turned.end());
                }
            }
        }
    }

    TEST_CASE("points and lines are left out with a note") {
        const Folder folder("points");
        const Scene scene =
            read({folder.write("mixed.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nl 1 2\np 1\n")});
        CHECK(scene_size(scene).triangles == 1);
        CHECK(has_note(scene, Note::Kind::Ignored, "lines"));
    }

    TEST_CASE("a mesh that two nodes show is one mesh with two instances") {
        // Collada keeps its meshes apart from its nodes.
        const Folder folder("dae");
        const std::string geometry =
            "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\" "
            "count=\"9\">0 0 0 1 0 0 0 1 0"
            "</float_array><technique_common><accessor source=\"#pa\" count=\"3\" "
            "stride=\"3\"><param name=\"X\" type=\"float\"/>"
            "<param name=\"Y\" type=\"float\"/><param name=\"Z\" "
            "type=\"float\"/></accessor></technique_common></source>"
            "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles "
            "count=\"1\">"
            "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 "
            "2</p></triangles></mesh></geometry></library_geometries>";
        const auto node = [](const std::string& name, const std::string& x) {
            return "<node id=\"" + name + "\" name=\"" + name + "\"><translate>" + x +
                   " 0 0</translate><instance_geometry url=\"#g\"/></node>";
        };
        const std::string cameras =
            "<library_cameras><camera "
            "id=\"c\"><optics><technique_common><perspective><xfov>90</xfov><aspect_ratio>2</"
            "aspect_ratio>"
            "<znear>0.1</znear><zfar>9</zfar></perspective></technique_common></optics></camera></"
            "library_cameras>";
        const Scene scene = read({folder.write(
            "two.dae",
            "<?xml version=\"1.0\"?><COLLADA "
            "xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset>"
            "<up_axis>Y_UP</up_axis></asset>" +
                cameras + geometry + "<library_visual_scenes><visual_scene id=\"s\">" +
                "<node id=\"pair\" name=\"pair\"><translate>0 0 7</translate>" +
                node("left", "-3") + node("right", "3") +
                "</node>"
                "<node id=\"eye\" name=\"eye\"><translate>0 1 5</translate><instance_camera "
                "url=\"#c\"/></node>"
                "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
                "url=\"#s\"/></scene></COLLADA>")});
        CHECK(scene.meshes.size() == 1);
        REQUIRE(scene.instances.size() == 2);
        CHECK(scene.instances[0].node == "left");
        CHECK(scene.instances[0].object_to_world[3] == -3);
        CHECK(scene.instances[0].object_to_world[11] == 7);
        // The node around both is a group; the root, which assimp makes, is none.
        REQUIRE(scene.groups.size() == 1);
        CHECK(scene.groups[0].name == "pair");
        CHECK(scene.groups[0].parent == kNone);
        CHECK(scene.groups[0].to_world == math::translation({0, 0, 7}));
        CHECK(scene.instances[0].group == 0);
        CHECK(scene.instances[1].group == 0);
        CHECK(scene.cameras[0].group == kNone);
        CHECK(scene.instances[1].object_to_world[3] == 3);
        REQUIRE(scene.cameras.size() == 1);
        const Camera& camera = scene.cameras[0];
        CHECK(camera.to_world[3] == 0);
        CHECK(camera.to_world[7] == 1);
        CHECK(camera.to_world[11] == 5);
        CHECK(camera.to_world[10] == doctest::Approx(1));  // looks along −Z
        // assimp 5.2 loses the angle of Collada cameras; the default replaces it with a note.
        CHECK(camera.yfov_rad == Camera{}.yfov_rad);
        CHECK(has_note(scene, Note::Kind::Repaired, "the camera eye"));
    }

    TEST_CASE("broken files are one sentence that names the file") {
        const Folder folder("broken");
        const std::string stl = binary_stl({0, 0, 0, 1, 0, 0, 1, 1, 0});
        const std::vector<std::pair<std::string, std::string>> files = {
            {"empty.obj", ""},
            {"text.ply", "this is no ply"},
            {"cut.ply", kPlyHead + "element face 1\nproperty list uchar int vertex_indices\n"},
            {"short.ply",
             kPlyHead +
                 "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n"},
            {"rows.ply",
             kPlyHead + "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
                        "0.0 0.0 0.0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n"},
            {"many.ply",
             "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\n"
             "end_header\n0123456789"},
            {"type.ply",
             "ply\nformat ascii 1.0\nelement vertex 1\nproperty long x\nend_header\n0\n"},
            {"cut.stl", stl.substr(0, 90)},
            {"noise.obj", std::string("\x01\x02\x03\xff\xfe", 5)},
            {"noise.fbx", "Kaydara nonsense"},
        };
        for (const auto& [name, bytes] : files) {
            CAPTURE(name);
            const std::string path = folder.write(name, bytes);
            const std::string sentence = complaint(path);
            CHECK(sentence.find(path) == 0);
            CHECK(sentence.find("expected") != std::string::npos);
            CHECK(sentence.find('\n') == std::string::npos);
        }
    }

    TEST_CASE("a face that names a vertex beyond the last is not read from") {
        const Folder folder("range");
        const std::string path =
            folder.write("range.ply",
                         kPlyHead +
                             "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
                             "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 1 77\n");
        const Scene scene = read({path});
        CHECK(scene_size(scene).triangles == 1);
        CHECK(has_note(scene, Note::Kind::Repaired, "1 triangles with a corner"));
    }
}
