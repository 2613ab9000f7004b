// test_pbrt_detail.cpp — pbrt-v4 files: curves, opacity, normal maps, pictures of roughness, media
// and many meshes.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "engine/scene/model/texture.h"
#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"
#include "tests/engine/scene/scene_points.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

constexpr const char* kSquare =
    "Shape \"trianglemesh\" \"point3 P\" [ 0 0 0  2 0 0  2 1 0  0 1 0 ]\n"
    "  \"integer indices\" [ 0 1 2  0 2 3 ] \"point2 uv\" [ 0 0  1 0  1 1  0 1 ]\n";

Scene read_detail(const std::string& text) {
    const Folder folder("pbrt_detail");
    write_picture<u8>(folder.file("a.png"), 1, 1, {255, 0, 0, 255});
    write_picture<u8>(folder.file("b.png"), 1, 1, {64, 64, 64, 255});
    return read({folder.write("scene.pbrt", "WorldBegin\n" + text)});
}

u32 texel_of(const Scene& scene, u32 slot) {
    return scene.texels[scene.textures[scene.slots[slot].texture].record.mip_offset[0]];
}

std::string curve_text(const std::string& points, const std::string& more = "") {
    return "Shape \"curve\" \"point3 P\" [ " + points + " ] \"float width\" 0.2 " + more + "\n";
}

constexpr const char* kStraight = "0 0 0  0 1 0  0 2 0  0 3 0";

}  // namespace

TEST_SUITE("engine/scene/pbrt") {
    TEST_CASE("curves are tubes of their width and one mesh for each state") {
        const Scene scene = read_detail(
            curve_text(kStraight) + curve_text("5 0 0  5 1 0  5 2 0  5 3 0") + "Translate 1 0 0\n" +
            curve_text(kStraight) + kSquare + curve_text(kStraight));
        REQUIRE(scene.instances.size() == 3);
        const auto instance_of = [&](const char* node, std::size_t which) -> const Instance& {
            for (const Instance& instance : scene.instances) {
                if (instance.node == node && which-- == 0) {
                    return instance;
                }
            }
            FAIL("no such node");
            return scene.instances[0];
        };
        const Instance& first = instance_of("curve", 0);
        const shaders::MeshRecord& record = scene.meshes[first.mesh].record;
        CHECK(record.triangle_count == 2 * 6 * 4 * 2);
        // Every vertex lies on the surface, which faces outwards.
        for (u32 triangle = 0; triangle < record.triangle_count / 2; ++triangle) {
            const u32 corner = scene.indices[std::size_t{3} * (record.first_triangle + triangle)];
            const math::Vec3 point = world_vertex(scene, first, corner);
            CHECK(std::hypot(point.x, point.z) == doctest::Approx(0.1));
            CHECK(math::dot(front_of(scene, first, triangle), {point.x, 0, point.z}) > 0);
        }
        // The other two curves have the same state, although a quad stands between them.
        CHECK(scene.meshes[instance_of("curve", 1).mesh].record.triangle_count == 2 * 6 * 4 * 2);
    }

    TEST_CASE("curves of both bases and degrees end where pbrt says") {
        struct Case {
            const char* text;
            math::Vec3 end;
        };

        const Case cases[] = {
            {"\"integer degree\" 2 \"point3 P\" [ 0 0 0  0 1 0  0 2 0 ]", {0, 2, 0}},
            {"\"integer degree\" 2 \"point3 P\" [ 0 0 0  0 1 0  0 2 0  0 3 0  0 4 0 ]", {0, 4, 0}},
            {"\"string basis\" \"bspline\" \"point3 P\" [ 0 0 0  0 1 0  0 2 0  0 3 0 ]", {0, 2, 0}},
            {"\"string basis\" \"bspline\" \"integer degree\" 2 \"point3 P\" [ 0 0 0  0 1 0  0 2 0 "
             "]",
             {0, 1.5F, 0}}};
        for (const Case& curve : cases) {
            CAPTURE(curve.text);
            const Scene scene = read_detail(std::string("Shape \"curve\" \"float width0\" 1 "
                                                        "\"float width1\" 0 ") +
                                            curve.text + "\n");
            REQUIRE(scene.instances.size() == 1);
            const std::size_t last = scene.positions.size() - 3;
            CHECK(is_near(math::vec3_at(&scene.positions[last]), curve.end));
        }
        const Scene ribbon = read_detail(
            curve_text(kStraight, "\"string type\" \"ribbon\" \"normal N\" [ 0 0 1  0 0 1 ]"));
        CHECK(ribbon.meshes[0].record.triangle_count == 12);
        CHECK(is_near(front_of(ribbon, ribbon.instances[0], 3), {0, 0, -1}));
    }

    TEST_CASE("curves of the wrong number of points are told") {
        const Folder folder("pbrt_curves");
        for (const char* const text :
             {"Shape \"curve\"\n",
              "Shape \"curve\" \"point3 P\" [ 0 0 0  1 1 1 ]\n",
              "Shape \"curve\" \"point3 P\" [ 0 0 0  1 1 1  2 2 2  3 3 3  4 4 4 ]\n",
              "Shape \"curve\" \"integer degree\" 4 \"point3 P\" [ 0 0 0  1 1 1 ]\n",
              "Shape \"curve\" \"point3 P\" [ 0 0 0  1 1 1  2 2 2  1e39 3 3 ]\n"}) {
            CAPTURE(text);
            CHECK(
                complaint(folder.write("s.pbrt", std::string("WorldBegin\n") + text)).find(":2:") !=
                std::string::npos);
        }
    }

    TEST_CASE("opacity of shapes is alpha of their material with a picture or without") {
        const Scene scene = read_detail(
            "Texture \"a\" \"spectrum\" \"imagemap\" \"string filename\" \"a.png\"\n"
            "Texture \"b\" \"float\" \"imagemap\" \"string filename\" \"b.png\"\n"
            "Material \"diffuse\" \"texture reflectance\" \"a\"\n" +
            std::string(kSquare) + "\"float alpha\" 0.5\n" + kSquare + "\"texture alpha\" \"b\"\n" +
            kSquare + "\"texture alpha\" \"b\"\n" + kSquare + "\"float alpha\" 0\n" + kSquare);
        REQUIRE(scene.instances.size() == 4);
        CHECK(material_of(scene, 0).base_color[3] == 0.5F);
        CHECK(material_of(scene, 0).alpha_mode == static_cast<u32>(shaders::AlphaMode::Blend));
        CHECK(texel_of(scene, material_of(scene, 1).base_color_slot) == 0x0d0000ffU);
        CHECK(scene.instances[1].material == scene.instances[2].material);
        CHECK(material_of(scene, 3).alpha_mode == static_cast<u32>(shaders::AlphaMode::Opaque));
    }

    TEST_CASE("roughness has pictures and two directions") {
        const Scene scene = read_detail(
            "Texture \"b\" \"float\" \"imagemap\" \"string filename\" \"b.png\" \"string "
            "encoding\" \"linear\"\n"
            "Material \"conductor\" \"texture roughness\" \"b\" \"bool remaproughness\" false\n" +
            std::string(kSquare) +
            "Material \"conductor\" \"float uroughness\" 0.1 \"float vroughness\" 0.4 \"bool "
            "remaproughness\" false\n" +
            kSquare);
        const auto& mapped = material_of(scene, 0);
        CHECK(mapped.roughness == 1);
        CHECK((texel_of(scene, mapped.metallic_roughness_slot) >> 8U & 255U) == 128);
        CHECK((texel_of(scene, mapped.metallic_roughness_slot) >> 16U & 255U) == 255);
        const auto& brushed = material_of(scene, 1);
        CHECK(brushed.roughness == doctest::Approx(std::sqrt(0.1)));
        CHECK(brushed.anisotropy == doctest::Approx(std::sqrt(0.3 / 0.9)));
        CHECK(brushed.anisotropy_sin == 1);
        CHECK(scene.meshes[scene.instances[1].mesh].record.first_tangent != kNone);
    }

    TEST_CASE("normal maps need tangents whose bitangent is normal times tangent") {
        const Scene scene = read_detail("Material \"diffuse\" \"string normalmap\" \"b.png\"\n" +
                                        std::string(kSquare));
        CHECK(material_of(scene, 0).normal_slot != kNone);
        const u32 tangent = scene.meshes[scene.instances[0].mesh].record.first_tangent;
        REQUIRE(tangent != kNone);
        CHECK(scene.tangents[std::size_t{4} * tangent] == 1);
        CHECK(scene.tangents[std::size_t{4} * tangent + 3] == 1);
    }

    TEST_CASE("homogeneous media in dielectrics absorb") {
        const Scene scene = read_detail(
            "Attribute \"medium\" \"float scale\" 2 \"rgb sigma_a\" [ 9 9 9 ]\n"
            "MakeNamedMedium \"tea\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [ 1 2 3 ]\n"
            "  \"rgb sigma_s\" [ 0 0 0 ]\nMaterial \"dielectric\"\n"
            "AttributeBegin\nMediumInterface \"tea\" \"\"\nShape \"sphere\"\nAttributeEnd\n"
            "Shape \"sphere\"\n");
        CHECK(material_of(scene, 0).sigma_a[1] == 4);
        CHECK(material_of(scene, 1).sigma_a[1] == 0);
        CHECK_FALSE(has_note(scene, Note::Kind::Ignored, "media"));
        CHECK(material_of(scene, 0).sigma_s[1] == 0);
    }

    TEST_CASE("homogeneous media scatter, within a surface or without one") {
        const Scene scene = read_detail(
            "MakeNamedMedium \"fog\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [ 1 2 3 ]\n"
            "  \"rgb sigma_s\" [ 4 5 6 ] \"float g\" -0.25 \"float scale\" 2\n"
            "MakeNamedMedium \"apple\" \"string type\" \"homogeneous\" \"string preset\" "
            "\"Apple\"\n"
            "Material \"dielectric\"\n"
            "AttributeBegin\nMediumInterface \"apple\" \"\"\nShape \"sphere\"\nAttributeEnd\n"
            "Material \"interface\"\n"
            "AttributeBegin\nMediumInterface \"fog\" \"\"\nShape \"sphere\"\nAttributeEnd\n"
            "AttributeBegin\nMediumInterface \"\" \"fog\"\nShape \"sphere\"\nAttributeEnd\n"
            "Shape \"sphere\"\n");
        REQUIRE(scene.instances.size() == 3);
        CHECK(material_of(scene, 0).sigma_s[0] == 2.29F);
        CHECK((material_of(scene, 0).flags & shaders::kMaterialBoundary) == 0);
        const shaders::MaterialRecord& fog = material_of(scene, 1);
        CHECK((fog.flags & shaders::kMaterialBoundary) != 0);
        CHECK(fog.sigma_a[2] == 6);
        CHECK(fog.sigma_s[2] == 12);
        CHECK(fog.phase_g == -0.25F);
        CHECK(material_of(scene, 2).sigma_s[2] == 0);
        CHECK(has_note(scene, Note::Kind::Ignored, "bound no medium"));
    }

    TEST_CASE("media that are not carried over are named") {
        const Scene scene = read_detail(
            "MakeNamedMedium \"cloud\" \"string type\" \"uniformgrid\"\n"
            "MakeNamedMedium \"tar\" \"string type\" \"homogeneous\" \"string preset\" \"Tar\"\n"
            "Material \"interface\"\nMediumInterface \"cloud\" \"\"\nShape \"sphere\"\n");
        CHECK(scene.instances.empty());
        CHECK(has_note(scene, Note::Kind::Ignored, "media but homogeneous ones"));
        CHECK(has_note(scene, Note::Kind::Ignored, "\"Tar\" is none of the measured ones"));
    }

    TEST_CASE("scenes packed by gzip are read and what they include too") {
        const Folder folder("pbrt_gz");
        folder.write("part.pbrt", kSquare);
        folder.write("s.pbrt", "WorldBegin\nInclude \"part.pbrt.gz\"\n");
        REQUIRE(std::system(
                    ("gzip " + folder.file("part.pbrt") + " " + folder.file("s.pbrt")).c_str()) ==
                0);
        CHECK(read({folder.file("s.pbrt.gz")}).instances.size() == 1);
    }

    TEST_CASE("an imported file leaves its names and takes its state with it") {
        const Folder folder("pbrt_import");
        folder.write("part.pbrt",
                     "Translate 5 0 0 ReverseOrientation\nAttribute \"shape\" \"float alpha\" 0.5\n"
                     "MakeNamedMaterial \"red\" \"string type\" \"diffuse\" "
                     "\"rgb reflectance\" [ 1 0 0 ]\nNamedMaterial \"red\"\n" +
                         std::string(kSquare));
        for (const bool is_import : {true, false}) {
            const Scene scene = read({folder.write(
                "s.pbrt",
                std::string("WorldBegin\n") + (is_import ? "Import" : "Include") +
                    " \"part.pbrt\"\n" + kSquare + "NamedMaterial \"red\"\n" + kSquare)});
            REQUIRE(scene.instances.size() == 3);
            CHECK(scene.instances[0].object_to_world[3] == 5);
            CHECK(material_of(scene, 0).base_color[3] == 0.5F);
            CHECK(scene.instances[1].object_to_world[3] == (is_import ? 0 : 5));
            CHECK(material_of(scene, 1).base_color[1] == (is_import ? 0.5F : 0));
            CHECK(material_of(scene, 1).base_color[3] == (is_import ? 1 : 0.5F));
            CHECK(material_of(scene, 2).base_color[1] == 0);
        }
    }

    TEST_CASE("pictures below a coat darken as plain colours do") {
        const Scene scene = read_detail(
            "Texture \"b\" \"spectrum\" \"imagemap\" \"string filename\" \"b.png\"\n"
            "Material \"coateddiffuse\" \"texture reflectance\" \"b\"\n" +
            std::string(kSquare) + "Material \"coateddiffuse\" \"rgb reflectance\" [ " +
            "0.0512695 0.0512695 0.0512695 ]\n" + kSquare);
        const u32 texel = texel_of(scene, material_of(scene, 0).base_color_slot);
        CHECK(static_cast<double>(srgb_to_linear_table()[texel & 255U]) ==
              doctest::Approx(static_cast<double>(material_of(scene, 1).base_color[0]))
                  .epsilon(0.03));
        CHECK((texel >> 24U) == 255);
    }

    TEST_CASE("a thousand mesh files are read without a process for each") {
        const Folder folder("pbrt_many");
        std::string text = "WorldBegin\n";
        for (int k = 0; k < 1000; ++k) {
            const std::string name = "m" + std::to_string(k) + ".ply";
            folder.write(name,
                         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                         "property float y\nproperty float z\nelement face 1\n"
                         "property list uchar int vertex_indices\nend_header\n"
                         "0 0 " +
                             std::to_string(k) + "\n1 0 0\n0 1 0\n3 0 1 2\n");
            text += "Shape \"plymesh\" \"string filename\" \"" + name + "\"\n";
        }
        const Scene scene = read({folder.write("s.pbrt", text)});
        CHECK(scene.instances.size() == 1000);
        CHECK(world_vertex(scene, scene.instances[999], 0).z == -999);
    }

    TEST_CASE("factors of pictures above 1 and before an inversion are in the texels") {
        const double grey = static_cast<double>(srgb_to_linear_table()[64]);
        const auto seen = [&](const std::string& more) {
            const Scene scene = read_detail(
                "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" "
                "\"b.png\" " +
                more + "\nMaterial \"diffuse\" \"texture reflectance\" \"t\"\n" + kSquare);
            const auto material = material_of(scene, 0);
            const u32 texel = texel_of(scene, material.base_color_slot);
            return static_cast<double>(material.base_color[0]) *
                   static_cast<double>(srgb_to_linear_table()[texel & 255U]);
        };
        CHECK(seen("\"float scale\" 0.5") == doctest::Approx(0.5 * grey));
        CHECK(seen("\"float scale\" 4") == doctest::Approx(4 * grey).epsilon(0.01));
        CHECK(seen("\"float scale\" 100") == 1);
        CHECK(seen("\"float scale\" 0.5 \"bool invert\" true") ==
              doctest::Approx(1 - 0.5 * grey).epsilon(0.01));
    }

    TEST_CASE("a checkerboard keeps its factor, and textures of both kinds their names") {
        const Scene scene = read_detail(
            "Texture \"board\" \"spectrum\" \"checkerboard\" \"rgb tex1\" [ 0.8 0.8 0.8 ] "
            "\"rgb tex2\" [ 0.8 0.8 0.8 ]\n"
            "Texture \"t\" \"spectrum\" \"scale\" \"texture tex\" \"board\" \"float scale\" "
            "0.5\n"
            "Texture \"t\" \"float\" \"constant\" \"float value\" 0.3\n"
            "Material \"diffuse\" \"texture reflectance\" \"t\"\n" +
            std::string(kSquare));
        const auto material = material_of(scene, 0);
        CHECK(material.base_color[0] == 1);
        REQUIRE(material.base_color_slot != kNone);
        const auto& record = scene.textures[scene.slots[material.base_color_slot].texture].record;
        CHECK(record.width == 2);
        const Scene plain = read_detail(
            "Texture \"t\" \"spectrum\" \"constant\" \"rgb value\" [ 0.8 0.4 0.2 "
            "]\nTexture \"t\" \"float\" \"constant\" \"float value\" 0.3\n"
            "Material \"diffuse\" \"texture reflectance\" \"t\"\n" +
            std::string(kSquare));
        CHECK(material_of(plain, 0).base_color[1] == 0.4F);
    }

    TEST_CASE("a checkerboard mixes two colours in its cells") {
        const std::string board =
            "Texture \"amount\" \"float\" \"checkerboard\" \"float uscale\" 4 "
            "\"float tex1\" 0.25 \"float tex2\" 1\n";
        const std::string used =
            std::string("Material \"diffuse\" \"texture reflectance\" \"m\"\n") + kSquare;
        const Scene scene = read_detail(board +
                                        "Texture \"m\" \"spectrum\" \"mix\" \"rgb tex1\" [ 1 0 0 ] "
                                        "\"rgb tex2\" [ 0 0 1 ] \"texture amount\" \"amount\"\n" +
                                        used);
        const u32 slot = material_of(scene, 0).base_color_slot;
        REQUIRE(slot != kNone);
        CHECK(scene.slots[slot].uv_transform[0] == 2);
        const shaders::TextureRecord& record = scene.textures[scene.slots[slot].texture].record;
        CHECK(record.width == 2);
        // Halves, two in a word: (0.75, 0, 0.25, 1), then (0, 0, 1, 1).
        const u32 first = record.mip_offset[0];
        CHECK(scene.texels[first] == 0x00003a00U);
        CHECK(scene.texels[first + 1] == 0x3c003400U);
        CHECK(scene.texels[first + 2] == 0);
        CHECK(scene.texels[first + 3] == 0x3c003c00U);
        // The mean, 0.625, counts where a picture is mixed.
        const Scene picture =
            read_detail(board +
                        "Texture \"a\" \"spectrum\" \"imagemap\" \"string filename\" \"a.png\"\n"
                        "Texture \"m\" \"spectrum\" \"mix\" \"rgb tex1\" [ 1 0 0 ] "
                        "\"texture tex2\" \"a\" \"texture amount\" \"amount\"\n" +
                        used);
        CHECK(texel_of(picture, material_of(picture, 0).base_color_slot) == 0xff0000ffU);
        CHECK(has_note(picture, Note::Kind::Replaced, "counts more"));
    }

    TEST_CASE("a conductor with one of its two constants has the other one of copper") {
        const auto color_of = [](const std::string& constants) {
            const Scene scene = read_detail("Material \"conductor\" " + constants + "\n" + kSquare);
            return math::vec3_at(material_of(scene, 0).base_color);
        };
        // Copper at three wavelengths; it is metal-Cu within what such steps can say.
        const std::string eta =
            "\"spectrum eta\" [ 400 1.175 500 1.133 539 1.04 590 0.47 650 0.215 ]";
        const std::string k =
            "\"spectrum k\" [ 400 2.13 500 2.57 564 2.6 590 2.8 650 3.65 700 4.15 ]";
        const math::Vec3 whole = color_of(eta + k);
        CHECK(is_near(color_of(eta), whole, 0.02F));
        CHECK(is_near(color_of(k), whole, 0.02F));
        CHECK(is_near(color_of(""), whole, 0.05F));
        // k² / (4 + k²) with the k of red and of blue light.
        const math::Vec3 channels = color_of("\"rgb eta\" [ 1 1 1 ]");
        CHECK(channels.x == doctest::Approx(3.5 * 3.5 / (4 + 3.5 * 3.5)).epsilon(0.05));
        CHECK(channels.z == doctest::Approx(2.4 * 2.4 / (4 + 2.4 * 2.4)).epsilon(0.05));
    }

    TEST_CASE("a film after its camera frames it as one before") {
        const Folder folder("pbrt_film");
        const std::string film =
            "Film \"rgb\" \"integer xresolution\" 30 \"integer "
            "yresolution\" 60\n";
        for (const std::string type : {"perspective", "orthographic"}) {
            const std::string camera = "Camera \"" + type + "\" \"float fov\" 40\n";
            const std::string world = std::string("WorldBegin\n") + kSquare;
            const Scene before = read({folder.write("a.pbrt", film + camera + world)});
            const Scene after = read({folder.write("b.pbrt", camera + film + world)});
            CHECK(after.cameras[0].aspect == 0.5F);
            CHECK(after.cameras[0].yfov_rad == before.cameras[0].yfov_rad);
            CHECK(after.cameras[0].ymag == before.cameras[0].ymag);
        }
    }

    TEST_CASE("a screen window is what the picture shows") {
        const auto camera = [](const std::string& type) {
            return read_detail(
                       "Film \"rgb\" \"integer xresolution\" 40 \"integer yresolution\" 20\n"
                       "Camera \"" +
                       type +
                       "\" \"float fov\" 90 "
                       "\"float screenwindow\" [ -1 3 0 4 ]\n")
                .cameras.at(0);
        };
        const Camera flat = camera("orthographic");
        CHECK(flat.xmag == 2);
        CHECK(flat.ymag == 2);
        CHECK(flat.aspect == 2);
        // A square window on a picture that is twice as wide as high.
        CHECK(flat.pixel_aspect == 0.5F);
        CHECK(flat.shift_x == 0.25F);
        CHECK(flat.shift_y == 0.5F);
        const Camera deep = camera("perspective");
        CHECK(std::tan(deep.yfov_rad / 2) == doctest::Approx(2));
        CHECK(deep.pixel_aspect == 0.5F);
        CHECK(deep.shift_y == 0.5F);
    }

    TEST_CASE("what a film does to colours is named") {
        const auto film = [](const std::string& parameters) {
            return read_detail("Film \"rgb\" \"string filename\" \"a.exr\" " + parameters + "\n" +
                               kSquare);
        };
        const Scene plain = film("\"string sensor\" \"cie1931\" \"float whitebalance\" 0");
        CHECK_FALSE(has_note(plain, Note::Kind::Ignored, "film"));
        const Scene canon = film(
            "\"string sensor\" \"canon_eos_100d\" \"float whitebalance\" 5000 \"float grain\" 1");
        CHECK(has_note(canon, Note::Kind::Ignored, "film's sensor"));
        CHECK(has_note(canon, Note::Kind::Ignored, "white balance"));
        CHECK(has_note(canon, Note::Kind::Ignored, "\"grain\""));
    }

    TEST_CASE("black bodies have the chromaticity of Planck's law") {
        // Planck's law and the colour matching functions of 1931, in linear Rec. 709.
        struct Body {
            const char* kelvin;
            double red_over_green;
            double blue_over_green;
        };

        for (const Body& body :
             {Body{"6500", 1.056, 1.050}, Body{"4000", 1.52, 0.578}, Body{"10000", 0.879, 1.437}}) {
            CAPTURE(body.kelvin);
            const Scene scene =
                read_detail(std::string("LightSource \"point\" \"blackbody I\" [ ") + body.kelvin +
                            " ]\n" + kSquare);
            REQUIRE(scene.lights.size() == 1);
            const math::Vec3& color = scene.lights[0].intensity;
            CHECK(static_cast<double>(color.x / color.y) ==
                  doctest::Approx(body.red_over_green).epsilon(0.01));
            CHECK(static_cast<double>(color.z / color.y) ==
                  doctest::Approx(body.blue_over_green).epsilon(0.01));
        }
    }

    TEST_CASE("illuminants have the chromaticity of their name, and files any name") {
        struct Illuminant {
            const char* name;
            double x;
            double y;
        };

        // CIE 1931, two degrees.
        for (const Illuminant& known : {Illuminant{"stdillum-A", 0.44757, 0.40745},
                                        Illuminant{"stdillum-D50", 0.34567, 0.35850},
                                        Illuminant{"stdillum-D65", 0.31272, 0.32903},
                                        Illuminant{"stdillum-F2", 0.37208, 0.37529},
                                        Illuminant{"stdillum-F11", 0.38052, 0.37713},
                                        Illuminant{"illum-acesD60", 0.32168, 0.33767}}) {
            CAPTURE(known.name);
            const Scene scene = read_detail(std::string("LightSource \"point\" \"spectrum I\" \"") +
                                            known.name + "\"\n");
            const math::DVec3 c(scene.lights.at(0).intensity);
            const double x = 0.4124564 * c.x + 0.3575761 * c.y + 0.1804375 * c.z;
            const double y = 0.2126729 * c.x + 0.7151522 * c.y + 0.0721750 * c.z;
            const double z = 0.0193339 * c.x + 0.1191920 * c.y + 0.9503041 * c.z;
            CHECK(y == doctest::Approx(1).epsilon(2e-4));
            CHECK(x / (x + y + z) == doctest::Approx(known.x).epsilon(3e-4));
            CHECK(y / (x + y + z) == doctest::Approx(known.y).epsilon(3e-4));
        }
        const Folder folder("pbrt_lamp");
        folder.write("lamp.txt", "400 0\n600 0\n610 1\n700 1\n");
        const Scene scene = read({folder.write(
            "s.pbrt", "WorldBegin\nLightSource \"point\" \"spectrum I\" \"lamp.txt\"\n")});
        CHECK(scene.lights.at(0).intensity.x > 2);
        CHECK(scene.lights.at(0).intensity.z < 0.1F);
    }

    TEST_CASE("a bilinear patch shines to where its normals point") {
        for (const char* const z : {"1", "-1"}) {
            const std::string normal = std::string(" 0 0 ") + z;
            const Scene scene = read_detail(
                "AreaLightSource \"diffuse\"\nShape \"bilinearmesh\" \"point3 P\" [ 0 0 0  1 0 0 "
                " 0 1 0  1 1 0 ] \"integer indices\" [ 0 1 2 3 ] \"normal N\" [" +
                normal + normal + normal + normal + " ]\n");
            REQUIRE(scene.instances.size() == 1);
            // The importer mirrors the world along z.
            CHECK(front_of(scene, scene.instances[0], 0).z == (z[0] == '-' ? 1 : -1));
        }
    }
}
