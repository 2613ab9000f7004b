// test_pbrt.cpp — pbrt-v4 files: directives, transforms, shapes, materials, textures, lights and
// cameras.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"
#include "tests/engine/scene/scene_points.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// A quad in the plane z = 0, seen from −z.
constexpr const char* kQuad =
    "Shape \"trianglemesh\" \"point3 P\" [ 0 0 0  2 0 0  2 1 0  0 1 0 ]\n"
    "  \"integer indices\" [ 0 1 2  0 2 3 ] \"point2 uv\" [ 0 0  1 0  1 1  0 1 ]\n";

Scene read_text(const std::string& text) {
    const Folder folder("pbrt");
    return read({folder.write("scene.pbrt", text)});
}

Scene read_world(const std::string& text) {
    return read_text(
        "LookAt 0 0 -5  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" 90\n"
        "WorldBegin\n" +
        text);
}

}  // namespace

TEST_SUITE("engine/scene/pbrt") {
    TEST_CASE("a mesh comes in with its triangles, uvs and pbrt's default material") {
        const Scene scene = read_world(kQuad);
        REQUIRE(scene.instances.size() == 1);
        const shaders::MeshRecord& record = scene.meshes[0].record;
        CHECK(record.triangle_count == 2);
        CHECK(record.first_uv0 != kNone);
        CHECK(scene.uvs[2] == 1);
        CHECK(material_of(scene, 0).base_color[0] == 0.5F);
        CHECK(material_of(scene, 0).metallic == 0);
        CHECK(material_of(scene, 0).specular == 0);
    }

    TEST_CASE("what is to the right and above in pbrt is so in the scene") {
        for (const char* const flip : {"", "Scale -1 1 1\n"}) {
            for (const char* const look : {"LookAt 0 0 -5  0 0 0  0 1 0\n",
                                           "LookAt 0 -5 0  0 0 0  0 0 1\n",
                                           "LookAt 0 5 0  0 0 0  0 0 -1\n",
                                           "LookAt 1 2 3  0 0 0  0 1 0\n",
                                           "LookAt 1 2 3  0 0 0  1 0 0\n"}) {
                CAPTURE(flip);
                CAPTURE(look);
                // A point given in pbrt's camera space: right, up, ahead.
                const Scene scene =
                    read_text(std::string(flip) + look +
                              "Camera \"perspective\"\nWorldBegin\nCoordSysTransform \"camera\"\n"
                              "Shape \"trianglemesh\" \"point3 P\" [ 1 2 7  2 2 7  1 3 7 ]\n");
                REQUIRE(scene.cameras.size() == 1);
                const Camera& camera = scene.cameras[0];
                const math::DAffine axes = math::to_double(camera.to_world);
                CHECK(math::determinant(axes) == doctest::Approx(1));
                CHECK(is_near(
                    seen(camera, world_vertex(scene, scene.instances[0], 0)), {1, 2, -7}, 1e-4F));
            }
        }
    }

    TEST_CASE("transforms compose as pbrt says") {
        const Scene scene = read_world(
            "AttributeBegin\nTranslate 1 2 3\nRotate 90 0 0 1\nScale 2 2 2\n"
            "Shape \"trianglemesh\" \"point3 P\" [ 1 0 0  0 1 0  0 0 1 ]\nAttributeEnd\n"
            "ConcatTransform [ 1 0 0 0  0 1 0 0  0 0 1 0  5 6 7 1 ]\n"
            "Shape \"trianglemesh\" \"point3 P\" [ 1 0 0  0 1 0  0 0 1 ]\n");
        REQUIRE(scene.instances.size() == 2);
        // The world is mirrored along z.
        CHECK(is_near(world_vertex(scene, scene.instances[0], 0), {1, 4, -3}));
        CHECK(is_near(world_vertex(scene, scene.instances[0], 1), {-1, 2, -3}));
        CHECK(is_near(world_vertex(scene, scene.instances[1], 2), {5, 6, -8}));
    }

    TEST_CASE("options have a name and a value, with a type or without") {
        const Scene scene = read_text(
            "Option \"seed\" 5\nOption \"disablepixeljitter\" true\n"
            "Option \"msereferenceimage\" \"a.exr\"\nOption \"bool forcediffuse\" [ false ]\n"
            "WorldBegin\n" +
            std::string(kQuad));
        CHECK(scene.instances.size() == 1);
    }

    TEST_CASE("a scale of the camera's space stretches what it sees and its lens") {
        const auto camera = [](const std::string& text) {
            return read_text(text + "WorldBegin\n" + kQuad).cameras.at(0);
        };
        const std::string look = " LookAt 0 0 5  0 0 0  0 1 0\n";
        const std::string square =
            "Film \"rgb\" \"integer xresolution\" 16 \"integer yresolution\" 16\n";
        // The world is twice as large in the camera's space than it is, or half as large.
        const Camera wide = camera(square + "Scale .5 .25 .5" + look + "Camera \"orthographic\"\n");
        CHECK(wide.xmag == doctest::Approx(2));
        CHECK(wide.ymag == doctest::Approx(4));
        CHECK(wide.pixel_aspect == doctest::Approx(0.5));
        const std::string lens = "Camera \"perspective\" \"float fov\" 90 \"float lensradius\" ";
        const Camera plain = camera(look + lens + "0.5 \"float focaldistance\" 2.5\n" + square);
        const Camera twice =
            camera("Scale 2 2 2" + look + lens + "1 \"float focaldistance\" 5\n" + square);
        CHECK(plain.lens_radius_m == 0.5F);
        CHECK(plain.focus_m == 2.5F);
        CHECK(twice.lens_radius_m == doctest::Approx(0.5));
        CHECK(twice.focus_m == doctest::Approx(2.5));
        CHECK(twice.yfov_rad == plain.yfov_rad);
        CHECK(twice.pixel_aspect == 1);
        const Camera narrow = camera(square + "Scale 2 1 1" + look + "Camera \"perspective\"\n");
        CHECK(std::tan(narrow.yfov_rad / 2) == doctest::Approx(1));
        CHECK(narrow.pixel_aspect == doctest::Approx(0.5));
        const Camera tall = camera(square + "Scale 1 .5 1" + look + "Camera \"perspective\"\n");
        CHECK(std::tan(tall.yfov_rad / 2) == doctest::Approx(2));
        CHECK(tall.pixel_aspect == doctest::Approx(0.5));
        CHECK(has_note(read_text("Scale 2 1 1" + look + lens + "1\nWorldBegin\n"),
                       Note::Kind::Replaced,
                       "oval"));
        CHECK(has_note(read_text("Transform [ 1 0 0 0  .5 1 0 0  0 0 1 0  0 0 0 1 ]\n"
                                 "Camera \"perspective\"\nWorldBegin\n"),
                       Note::Kind::Replaced,
                       "skew"));
    }

    TEST_CASE("an object appears once for each instance and shares its mesh") {
        const Scene scene =
            read_world("ObjectBegin \"tree\"\nTranslate 0 1 0\n" + std::string(kQuad) +
                       "ObjectEnd\n"
                       "AttributeBegin Translate 10 0 0 ObjectInstance \"tree\" AttributeEnd\n"
                       "AttributeBegin Translate 20 0 0 ObjectInstance \"tree\" AttributeEnd\n");
        REQUIRE(scene.instances.size() == 2);
        CHECK(scene.meshes.size() == 1);
        CHECK(scene.instances[0].node == "tree");
        CHECK(is_near(world_vertex(scene, scene.instances[0], 0), {10, 1, 0}));
        CHECK(is_near(world_vertex(scene, scene.instances[1], 0), {20, 1, 0}));
    }

    TEST_CASE("the end of a transform block restores all that an attribute block's does") {
        const Scene scene = read_world(
            "Material \"diffuse\" \"rgb reflectance\" [ .25 .25 .25 ]\nTransformBegin\n"
            "Translate 1 0 0\nAreaLightSource \"diffuse\"\n"
            "Material \"diffuse\" \"rgb reflectance\" [ .75 .75 .75 ]\nTransformEnd\n" +
            std::string(kQuad) + "AttributeBegin AreaLightSource \"diffuse\" TransformEnd\n" +
            kQuad);
        REQUIRE(scene.instances.size() == 2);
        CHECK(scene.instances[0].object_to_world[3] == 0);
        for (std::size_t k = 0; k < 2; ++k) {
            CHECK(material_of(scene, k).base_color[0] == 0.25F);
            CHECK(material_of(scene, k).emissive[0] == 0);
        }
    }

    TEST_CASE("spheres face outwards, are round, and share one mesh") {
        const Scene scene = read_world(
            "Shape \"sphere\" \"float radius\" 2\nTranslate 9 0 0\nShape \"sphere\" \"float "
            "radius\" 0.5\n"
            "ReverseOrientation\nShape \"sphere\"\n");
        REQUIRE(scene.instances.size() == 3);
        CHECK(scene.meshes.size() == 2);
        CHECK(scene.instances[0].mesh == scene.instances[1].mesh);
        for (u32 triangle = 100; triangle < 3000; triangle += 97) {
            const Instance& big = scene.instances[0];
            const u32 corner = scene.indices[std::size_t{3} * triangle];
            const math::Vec3 point = world_vertex(scene, big, corner);
            CHECK(math::length(point) == doctest::Approx(2));
            CHECK(math::dot(front_of(scene, big, triangle), math::normalize(point)) > 0.9F);
        }
        const Instance& reversed = scene.instances[2];
        const u32 corner = scene.indices[std::size_t{3} *
                                         (scene.meshes[reversed.mesh].record.first_triangle + 500)];
        const math::Vec3 out = world_vertex(scene, reversed, corner) - math::Vec3(9, 0, 0);
        CHECK(math::dot(front_of(scene, reversed, 500), out) < 0);
    }

    TEST_CASE("disks, cylinders and patches have their sizes and fronts") {
        const Scene scene = read_world(
            "Shape \"disk\" \"float radius\" 3 \"float height\" 1\n"
            "Shape \"cylinder\" \"float radius\" 2 \"float zmin\" -1 \"float zmax\" 4\n"
            "Shape \"bilinearmesh\" \"point3 P\" [ 0 0 0  1 0 0  0 1 0  1 1 0 ]\n"
            "Shape \"bilinearmesh\" \"point3 P\" [ 0 0 0  1 0 0  0 1 0  1 1 1 ]\n");
        REQUIRE(scene.instances.size() == 4);
        const auto& record = [&](u32 k) { return scene.meshes[scene.instances[k].mesh].record; };
        CHECK(is_near(world_vertex(scene, scene.instances[0], 0), {3, 0, -1}));
        // pbrt's disk faces +z, which is −z here.
        CHECK(is_near(front_of(scene, scene.instances[0], 0), {0, 0, -1}));
        CHECK(is_near(world_vertex(scene, scene.instances[1], 0), {2, 0, 1}));
        CHECK(record(2).triangle_count == 2);
        CHECK(record(3).triangle_count == 128);
    }

    TEST_CASE("normals decide the front of a triangle") {
        for (const bool faces_up : {true, false}) {
            const Scene scene = read_world(
                "Shape \"trianglemesh\" \"point3 P\" [ 0 0 0  1 0 0  0 1 0 ] \"normal3 N\" [ " +
                std::string(faces_up ? "0 0 1 0 0 1 0 0 1" : "0 0 -1 0 0 -1 0 0 -2") + " ]\n");
            CHECK(is_near(front_of(scene, scene.instances[0], 0), {0, 0, faces_up ? -1 : 1}));
            CHECK(std::fabs(scene.normals[2]) == 1);
        }
    }

    TEST_CASE("materials become their nearest of the scene") {
        const Scene scene = read_world(
            "Material \"coateddiffuse\" \"rgb reflectance\" [ 0.1 0.2 0.3 ] \"float roughness\" "
            "0.0625\n" +
            std::string(kQuad) +
            "Material \"conductor\" \"spectrum eta\" \"metal-Au-eta\" \"spectrum k\" "
            "\"metal-Au-k\"\n" +
            kQuad + "Material \"dielectric\" \"float eta\" 1.33\n" + kQuad +
            "Material \"thindielectric\"\n" + kQuad +
            "MakeNamedMaterial \"car\" \"string type\" \"coatedconductor\" \"rgb reflectance\" [ "
            "0.9 0.1 0.1 ]\n"
            "  \"float conductor.roughness\" 0.0081 \"bool remaproughness\" false\nNamedMaterial "
            "\"car\"\n" +
            kQuad);
        REQUIRE(scene.instances.size() == 5);
        const auto& plastic = material_of(scene, 0);
        // Below a boundary of index 1.5, which holds back 0.5964 of diffuse light from inside.
        CHECK(plastic.base_color[1] ==
              doctest::Approx(0.4036 * 0.2 / (1 - 0.5964 * 0.2)).epsilon(0.001));
        CHECK(plastic.specular == 1);
        CHECK(plastic.roughness == doctest::Approx(0.5));
        const auto& gold = material_of(scene, 1);
        CHECK(gold.metallic == 1);
        CHECK(gold.base_color[0] > 0.9F);
        CHECK(gold.base_color[2] < 0.5F);
        const auto& water = material_of(scene, 2);
        CHECK(water.transmission == 1);
        CHECK(water.ior == 1.33F);
        CHECK((water.flags & shaders::kMaterialSolid) != 0);
        CHECK((material_of(scene, 3).flags & shaders::kMaterialSolid) == 0);
        CHECK(material_of(scene, 3).transmission == 1);
        // Both faces of a pane of index 1.5 reflect 0.08 / 1.04.
        const double pane = static_cast<double>(material_of(scene, 3).ior);
        CHECK(std::pow((pane - 1) / (pane + 1), 2) == doctest::Approx(0.08 / 1.04));
        const auto& car = material_of(scene, 4);
        CHECK(car.coat == 1);
        CHECK(car.roughness == doctest::Approx(0.09));
        CHECK(scene.materials[scene.instances[4].material].name == "car");
    }

    TEST_CASE("spectra of numbers and files keep white white, and metals have their colour") {
        const Folder folder("pbrt_spectra");
        folder.write("Cu.eta.spd", "# copper\n400 1.18\n500 1.13\n590 0.47\n650 0.21\n700 0.21\n");
        folder.write("Cu.k.spd", "400 2.21\n500 2.56\n590 2.81\n650 3.67\n700 4.20\n");
        const Scene scene = read({folder.write(
            "s.pbrt",
            "WorldBegin\nMaterial \"diffuse\" \"spectrum reflectance\" [ 400 0.5 700 0.5 ]\n" +
                std::string(kQuad) +
                "Material \"conductor\" \"spectrum eta\" \"Cu.eta.spd\" \"spectrum k\" "
                "\"Cu.k.spd\"\n" +
                kQuad)});
        for (u32 c = 0; c < 3; ++c) {
            CHECK(material_of(scene, 0).base_color[c] == doctest::Approx(0.5).epsilon(1e-4));
        }
        const auto& copper = material_of(scene, 1);
        CHECK(copper.base_color[0] > 0.8F);
        CHECK(copper.base_color[2] < 0.65F);
        CHECK(copper.base_color[0] > copper.base_color[1]);
    }

    TEST_CASE("textures multiply, scale their uvs and share a picture") {
        const Folder folder("pbrt_textures");
        write_picture<u8>(folder.file("a.png"), 1, 1, {255, 0, 0, 255});
        const Scene scene = read({folder.write(
            "s.pbrt",
            "WorldBegin\nTexture \"a\" \"spectrum\" \"imagemap\" \"string filename\" \"a.png\" "
            "\"float uscale\" 3\n"
            "  \"float vscale\" 2 \"float vdelta\" 0.25 \"string wrap\" \"clamp\"\n"
            "Texture \"half\" \"spectrum\" \"scale\" \"texture tex\" \"a\" \"float scale\" 0.5\n"
            "Material \"diffuse\" \"texture reflectance\" \"half\"\n" +
                std::string(kQuad) + "Material \"diffuse\" \"texture reflectance\" \"a\"\n" +
                kQuad)});
        CHECK(scene.textures.size() == 1);
        const auto& half = material_of(scene, 0);
        CHECK(half.base_color[0] == 0.5F);
        REQUIRE(half.base_color_slot != kNone);
        const shaders::TextureSlot& slot = scene.slots[half.base_color_slot];
        CHECK(slot.uv_transform[0] == 3);
        CHECK(slot.uv_transform[4] == -2);
        CHECK(slot.uv_transform[5] == 0.75F);
        CHECK(slot.wrap_u == static_cast<u32>(shaders::Wrap::Clamp));
    }

    TEST_CASE("a checkerboard is a picture of two by two sharp texels") {
        const Scene scene = read_world(
            "Texture \"c\" \"spectrum\" \"checkerboard\" \"float uscale\" 8 \"float vscale\" 8\n"
            "  \"rgb tex1\" [ 1 0 0 ] \"rgb tex2\" [ 0 0 1 ]\n"
            "Material \"diffuse\" \"texture reflectance\" \"c\"\n" +
            std::string(kQuad));
        const shaders::TextureSlot& slot = scene.slots[material_of(scene, 0).base_color_slot];
        CHECK(slot.is_nearest == 1);
        CHECK(slot.uv_transform[0] == 4);
        // The first cell, next to uv (0, 0), has the first colour: that of row 0.
        CHECK(slot.uv_transform[4] == 4);
        CHECK(slot.uv_transform[5] == 0);
        CHECK(scene.textures[slot.texture].record.width == 2);
    }

    TEST_CASE("area lights make materials shine, once for each radiance") {
        const Scene scene = read_world(
            "AttributeBegin\nAreaLightSource \"diffuse\" \"rgb L\" [ 3 2 1 ] \"float scale\" 10\n" +
            std::string(kQuad) + kQuad + "AttributeEnd\n" + kQuad);
        REQUIRE(scene.instances.size() == 3);
        CHECK(material_of(scene, 0).emissive[0] == 30);
        CHECK((material_of(scene, 0).flags & shaders::kMaterialFrontEmission) != 0);
        CHECK(scene.instances[0].material == scene.instances[1].material);
        CHECK(material_of(scene, 2).emissive[0] == 0);
    }

    TEST_CASE("an area light of any strength keeps the default sky away") {
        const std::string dim = "AreaLightSource \"diffuse\" \"rgb L\" [ 1e-4 1e-4 1e-4 ]\n";
        CHECK(is_lit(read_world(dim + kQuad)));
        CHECK_FALSE(is_lit(read_world(kQuad)));
    }

    TEST_CASE("black bodies have a luminance of one and the hue of their temperature") {
        const Scene scene = read_world(
            "LightSource \"point\" \"blackbody I\" 2700\nLightSource \"point\" \"blackbody I\" "
            "10000\n");
        REQUIRE(scene.lights.size() == 2);
        for (const Light& light : scene.lights) {
            const math::Vec3& c = light.intensity;
            CHECK(0.2126F * c.x + 0.7152F * c.y + 0.0722F * c.z == doctest::Approx(1));
        }
        CHECK(scene.lights[0].intensity.x > 1.5F * scene.lights[0].intensity.z);
        CHECK(scene.lights[1].intensity.z > scene.lights[1].intensity.x);
    }

    TEST_CASE("punctual lights have their places, directions and cones") {
        const Scene scene = read_world(
            "Translate 1 0 0\nLightSource \"point\" \"rgb I\" [ 5 5 5 ] \"point3 from\" [ 0 2 3 ]\n"
            "LightSource \"spot\" \"point3 from\" [ 0 0 0 ] \"point3 to\" [ 0 0 4 ] \"float "
            "coneangle\" 60\n"
            "LightSource \"distant\" \"point3 from\" [ 0 1 0 ] \"point3 to\" [ 0 0 0 ] \"float "
            "scale\" 4\n");
        REQUIRE(scene.lights.size() == 3);
        CHECK(is_near(scene.lights[0].position, {1, 2, -3}));
        CHECK(scene.lights[0].intensity.x == 5);
        CHECK(is_near(scene.lights[1].direction, {0, 0, -1}));
        CHECK(scene.lights[1].cos_outer == doctest::Approx(0.5));
        CHECK(scene.lights[2].kind == shaders::LightKind::Directional);
        CHECK(is_near(scene.lights[2].direction, {0, -1, 0}));
        CHECK(scene.lights[2].intensity.y == 4);
        CHECK_FALSE(has_note(scene, Note::Kind::Replaced, "spots"));
        const Scene wide = read_world("LightSource \"spot\" \"float coneangle\" 120\n");
        CHECK(wide.lights.at(0).cos_outer == doctest::Approx(0));
        CHECK(has_note(wide, Note::Kind::Replaced, "spots wider than 90 degrees"));
    }

    TEST_CASE("an infinite light of one colour is a constant environment") {
        const Scene scene =
            read_world("LightSource \"infinite\" \"rgb L\" [ 0.1 0.2 0.4 ] \"float scale\" 3\n");
        CHECK(scene.environment.width == 1);
        CHECK(scene.environment.pixels[2] == 0.4F);
        CHECK(scene.environment.strength == 3);
        // In lux, on a surface that sees half of the sky.
        const Scene bright = read_world(
            "LightSource \"infinite\" \"rgb L\" [ 1 1 1 ] \"float illuminance\" 6.2831853\n");
        CHECK(bright.environment.strength == doctest::Approx(2));
    }

    TEST_CASE("an equal-area picture shows the same directions as a lat-long one") {
        // Texels hold the direction that Clarberg's map gives their middle, as colours from 0 to 1.
        constexpr u32 kSize = 64;
        std::vector<float> pixels;
        for (u32 y = 0; y < kSize; ++y) {
            for (u32 x = 0; x < kSize; ++x) {
                const double u = 2 * (x + 0.5) / kSize - 1;
                const double v = 2 * (y + 0.5) / kSize - 1;
                const double distance = 1 - (std::fabs(u) + std::fabs(v));
                const double r = 1 - std::fabs(distance);
                const double phi =
                    (r == 0 ? 1 : (std::fabs(v) - std::fabs(u)) / r + 1) * 3.14159265358979 / 4;
                const double z = std::copysign(1 - r * r, distance);
                const double sine = r * std::sqrt(2 - r * r);
                const double d[3] = {std::copysign(std::cos(phi), u) * sine,
                                     std::copysign(std::sin(phi), v) * sine,
                                     z};
                for (const double component : d) {
                    pixels.push_back(static_cast<float>((component + 1) / 2));
                }
            }
        }
        const Folder folder("pbrt_map");
        write_floats(folder.file("sky.exr"), kSize, kSize, pixels);
        const Scene scene = read({folder.write(
            "s.pbrt",
            "LookAt 0 0 -5 0 0 0 0 1 0\nCamera \"perspective\"\nWorldBegin\nRotate 90 0 1 0\n"
            "LightSource \"infinite\" \"string filename\" \"sky.exr\"\n")});
        const Environment& map = scene.environment;
        REQUIRE(map.width == 128);
        REQUIRE(map.height == 64);
        double worst = 0;
        for (u32 y = 2; y < 62; y += 3) {
            for (u32 x = 1; x < 127; x += 5) {
                const double phi = ((x + 0.5) / 128 - 0.5) * 2 * 3.14159265358979;
                const double theta = (y + 0.5) / 64 * 3.14159265358979;
                // In pbrt's world z is mirrored; the light is turned by 90 degrees about y.
                const double world[3] = {std::sin(theta) * std::cos(phi),
                                         std::cos(theta),
                                         -std::sin(theta) * std::sin(phi)};
                const double local[3] = {-world[2], world[1], world[0]};
                const float* const texel = &map.pixels[std::size_t{3} * (128 * y + x)];
                const double expected[3] = {local[0], local[1], local[2]};
                for (u32 c = 0; c < 3; ++c) {
                    worst = std::max(
                        worst, std::fabs(2 * static_cast<double>(texel[c]) - 1 - expected[c]));
                }
            }
        }
        CHECK(worst < 0.06);
    }

    TEST_CASE("the field of view is that of the shorter side") {
        const auto yfov = [](const std::string& film) {
            const Scene scene =
                read_text(film + "Camera \"perspective\" \"float fov\" 90\nWorldBegin\n");
            return scene.cameras.at(0).yfov_rad;
        };
        const auto film = [](int x, int y) {
            return "Film \"rgb\" \"integer xresolution\" " + std::to_string(x) +
                   " \"integer yresolution\" " + std::to_string(y) + "\n";
        };
        CHECK(yfov(film(200, 100)) == doctest::Approx(1.5707963));
        CHECK(yfov(film(100, 200)) == doctest::Approx(2 * std::atan(2.0)));
    }

    TEST_CASE("included files and meshes of PLY files are read in their place") {
        const Folder folder("pbrt_include");
        folder.write("quad.ply",
                     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                     "property float z\nproperty float u\nproperty float v\nelement face 1\n"
                     "property list uchar int vertex_indices\nend_header\n"
                     "0 0 0 0 0.25\n1 0 0 0 0.25\n0 1 0 0 0.25\n3 0 1 2\n");
        folder.write(
            "part.pbrt",
            "Translate 0 0 2 # comment\nShape \"plymesh\" \"string filename\" \"quad.ply\"\n");
        const Scene scene =
            read({folder.write("s.pbrt",
                               "WorldBegin\nMaterial \"conductor\"\nInclude \"part.pbrt\"\n"
                               "Include \"part.pbrt\"\n")});
        REQUIRE(scene.instances.size() == 2);
        CHECK(scene.meshes.size() == 1);
        CHECK(scene.instances[0].node == "quad");
        // v as pbrt counts it: the slot of a picture turns it over.
        CHECK(scene.uvs[1] == 0.25F);
        CHECK(material_of(scene, 0).metallic == 1);
        CHECK(is_near(world_vertex(scene, scene.instances[1], 0), {0, 0, -4}));
    }

    TEST_CASE("what is not carried over is named once") {
        const Scene scene = read_world(
            "MakeNamedMedium \"smoke\" \"string type\" \"uniformgrid\"\n"
            "MakeNamedMedium \"fog\" \"string type\" \"uniformgrid\"\n"
            "Material \"hair\"\nShape \"blob\"\nShape \"blob\"\n"
            "Material \"diffuse\" \"texture displacement\" \"bumps\"\n" +
            std::string(kQuad));
        CHECK(scene.instances.size() == 1);
        const auto count = [&](const std::string& part) {
            u32 notes = 0;
            for (const Note& note : scene.notes) {
                notes += note.sentence.find(part) != std::string::npos ? 1U : 0U;
            }
            return notes;
        };
        CHECK(count("media") == 1);
        CHECK(count("\"hair\"") == 1);
        CHECK(count("\"blob\"") == 1);
        CHECK(count("\"displacement\"") == 1);
    }

    TEST_CASE("defaults of Attribute count where a directive says nothing") {
        const Scene scene = read_world(
            "Attribute \"material\" \"rgb reflectance\" [ 0.9 0.8 0.7 ]\nMaterial \"diffuse\"\n" +
            std::string(kQuad) + "Material \"diffuse\" \"rgb reflectance\" [ 0 0 1 ]\n" + kQuad);
        CHECK(material_of(scene, 0).base_color[1] == 0.8F);
        CHECK(material_of(scene, 1).base_color[2] == 1);
    }
}
