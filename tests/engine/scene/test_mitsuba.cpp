// test_mitsuba.cpp — Mitsuba scenes: the document, sensors, shapes and instances.
#include <cmath>
#include <cstring>
#include <string>
#include <zlib.h>

#include <doctest/doctest.h>

#include "tests/engine/scene/mitsuba_text.h"
#include "tests/engine/scene/picture_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

std::string sensor_text(const std::string& inside, const std::string& type = "perspective") {
    return "<sensor type=\"" + type + "\">" + inside + "</sensor>\n";
}

std::string film_text(int width, int height, const std::string& more = "") {
    return "<film type=\"hdrfilm\"><integer name=\"width\" value=\"" + std::to_string(width) +
           "\"/><integer name=\"height\" value=\"" + std::to_string(height) + "\"/>" + more +
           "</film>";
}

template <typename T>
void put(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Two .serialized meshes: a triangle at z, in floats, then one in doubles.
std::string serialized_file() {
    std::string file;
    std::vector<u64> places;
    for (const bool is_double : {false, true}) {
        std::string mesh;
        put(mesh, is_double ? 0x2000U : 0x1000U);
        mesh += std::string("name\0", 5);
        put(mesh, u64{3});
        put(mesh, u64{1});
        for (const float value : {0.0F, 0.0F, 5.0F, 1.0F, 0.0F, 5.0F, 0.0F, 1.0F, 5.0F}) {
            if (is_double) {
                put(mesh, static_cast<double>(2 * value));
            } else {
                put(mesh, value);
            }
        }
        for (const u32 corner : {0U, 1U, 2U}) {
            put(mesh, corner);
        }
        places.push_back(file.size());
        put(file, u16{0x041c});
        put(file, u16{4});
        uLongf size = compressBound(mesh.size());
        std::string packed(size, '\0');
        REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()),
                         &size,
                         reinterpret_cast<const Bytef*>(mesh.data()),
                         mesh.size()) == Z_OK);
        file += packed.substr(0, size);
    }
    for (const u64 at : places) {
        put(file, at);
    }
    put(file, u32{2});
    return file;
}

}  // namespace

TEST_SUITE("engine/scene/mitsuba") {
    TEST_CASE("what is to the right and above in Mitsuba is so in the scene") {
        // A sensor's own axes are left, up and ahead.
        for (const char* const look : {"origin=\"0, 0, -5\" target=\"0, 0, 0\" up=\"0, 1, 0\"",
                                       "origin=\"0 -5 0\" target=\"0 0 0\" up=\"0 0 1\"",
                                       "origin=\"1 2 3\" target=\"0 0 0\" up=\"0 0 -1\"",
                                       "origin=\"1 2 3\" target=\"0 0 0\""}) {
            CAPTURE(look);
            const std::string view = std::string("<lookat ") + look + "/>";
            const Scene scene = read_mitsuba(
                shape_text("rectangle", place("<translate x=\"2\" y=\"3\" z=\"7\"/>" + view)) +
                sensor_text(place(view)));
            REQUIRE(scene.cameras.size() == 1);
            CHECK(math::determinant(math::to_double(scene.cameras[0].to_world)) ==
                  doctest::Approx(1));
            // The corner (−1, −1) of the rectangle.
            CHECK(is_near(seen(scene.cameras[0], world_vertex(scene, scene.instances[0], 0)),
                          {-1, 2, -7},
                          1e-4F));
        }
    }

    TEST_CASE("a Cornell box is the same in Mitsuba's format and in pbrt's") {
        const Folder folder("mitsuba_cornell");
        const Scene scene = read({folder.write(
            "box.xml",
            mitsuba_text(
                sensor_text("<string name=\"fov_axis\" value=\"smaller\"/><float name=\"fov\" "
                            "value=\"39.3077\"/>" +
                            look_at("origin=\"0, 0, 4\" target=\"0, 0, 0\" up=\"0, 1, 0\"") +
                            film_text(256, 256)) +
                "<bsdf type=\"diffuse\" id=\"white\"><rgb name=\"reflectance\" value=\"0.885809, "
                "0.698859, 0.666422\"/></bsdf>" +
                shape_text("rectangle",
                           "<ref id=\"white\"/><emitter type=\"area\"><rgb name=\"radiance\" "
                           "value=\"18.387, 13.9873, 6.75357\"/></emitter>" +
                               place("<scale x=\"0.23\" y=\"0.19\" z=\"0.19\"/><rotate x=\"1\" "
                                     "angle=\"90\"/><translate y=\"0.99\" z=\"0.01\"/>")) +
                shape_text("rectangle",
                           "<ref id=\"white\"/>" +
                               place("<rotate y=\"1\" angle=\"-90\"/><translate x=\"1\"/>"))))});
        const std::string rectangle =
            "Shape \"trianglemesh\" \"point3 P\" [ -1 -1 0 1 -1 0 -1 1 0 1 1 0 ] \"normal3 N\" [ 0 "
            "0 "
            "1 0 0 1 0 0 1 0 0 1 ] \"integer indices\" [ 0 1 3 0 3 2 ]\n";
        const Scene twin = read({folder.write(
            "box.pbrt",
            "Film \"rgb\" \"integer xresolution\" 256 \"integer yresolution\" 256\nScale -1 1 1\n"
            "LookAt 0 0 4 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 39.3077\nWorldBegin\n"
            "Material \"diffuse\" \"rgb reflectance\" [ 0.885809 0.698859 0.666422 ]\n"
            "AttributeBegin\nTranslate 0 .99 .01\nRotate 90 1 0 0\nScale .23 .19 .19\n"
            "AreaLightSource \"diffuse\" \"rgb L\" [ 18.387 13.9873 6.75357 ]\n" +
                rectangle + "AttributeEnd\nTranslate 1 0 0\nRotate -90 0 1 0\n" + rectangle)});
        CHECK(scene.cameras[0].yfov_rad == doctest::Approx(twin.cameras[0].yfov_rad));
        for (std::size_t k = 0; k < 12; ++k) {
            CHECK(scene.cameras[0].to_world[k] == doctest::Approx(twin.cameras[0].to_world[k]));
        }
        REQUIRE(scene.instances.size() == 2);
        REQUIRE(twin.instances.size() == 2);
        for (std::size_t k = 0; k < 2; ++k) {
            for (u32 vertex = 0; vertex < 4; ++vertex) {
                CHECK(is_near(world_vertex(scene, scene.instances[k], vertex),
                              world_vertex(twin, twin.instances[k], vertex)));
            }
            CHECK(std::memcmp(&material_of(scene, k),
                              &material_of(twin, k),
                              sizeof(shaders::MaterialRecord)) == 0);
            CHECK(is_near(front_of(scene, scene.instances[k], 0),
                          front_of(twin, twin.instances[k], 0)));
        }
    }

    TEST_CASE("the field of view follows its axis and the crop of the film") {
        const auto camera = [](const std::string& inside) {
            return read_mitsuba(sensor_text("<float name=\"fov\" value=\"90\"/>" + inside))
                .cameras.at(0);
        };
        const auto axis = [](const char* name) {
            return std::string("<string name=\"fov_axis\" value=\"") + name + "\"/>";
        };
        const auto tangent = [](const Camera& c) { return std::tan(c.yfov_rad / 2); };
        const std::string wide = film_text(200, 100);
        CHECK(tangent(camera(wide)) == doctest::Approx(0.5));
        CHECK(tangent(camera(wide + axis("y"))) == doctest::Approx(1));
        CHECK(tangent(camera(wide + axis("smaller"))) == doctest::Approx(1));
        CHECK(tangent(camera(wide + axis("larger"))) == doctest::Approx(0.5));
        CHECK(tangent(camera(wide + axis("diagonal"))) == doctest::Approx(1 / std::sqrt(5.0F)));
        // The right upper quarter of the film.
        const Camera crop = camera(film_text(200,
                                             100,
                                             "<integer name=\"crop_offset_x\" value=\"100\"/>"
                                             "<integer name=\"crop_width\" value=\"100\"/>"
                                             "<integer name=\"crop_height\" value=\"50\"/>"));
        CHECK(tangent(crop) == doctest::Approx(0.25));
        CHECK(crop.aspect == 2);
        CHECK(crop.shift_x == doctest::Approx(0.5));
        CHECK(crop.shift_y == doctest::Approx(0.5));
        const Camera shifted = camera(wide +
                                      "<float name=\"principal_point_offset_x\" value=\"0.1\"/>"
                                      "<float name=\"principal_point_offset_y\" value=\"0.2\"/>");
        CHECK(shifted.shift_x == doctest::Approx(0.1));
        CHECK(shifted.shift_y == doctest::Approx(-0.2));
        // Half the diagonal of 35 mm film over the focal length.
        const Scene focal = read_mitsuba(
            sensor_text(film_text(30, 20) + "<string name=\"focal_length\" value=\"50mm\"/>"));
        CHECK(tangent(focal.cameras[0]) == doctest::Approx(12.0 / 50));
    }

    TEST_CASE("thin lenses and orthographic sensors keep their numbers") {
        const Scene scene = read_mitsuba(
            sensor_text("<float name=\"fov\" value=\"40\"/><float name=\"aperture_radius\" "
                        "value=\"0.2\"/><float name=\"focus_distance\" value=\"3\"/>",
                        "thinlens") +
            sensor_text(film_text(200, 100) + place("<scale value=\"4\"/>"), "orthographic"));
        REQUIRE(scene.cameras.size() == 2);
        CHECK(scene.cameras[0].lens_radius_m == 0.2F);
        CHECK(scene.cameras[0].focus_m == 3);
        CHECK(scene.cameras[1].is_orthographic);
        CHECK(scene.cameras[1].xmag == 4);
        CHECK(scene.cameras[1].ymag == 2);
    }

    TEST_CASE("a sensor that mirrors what it sees does so in the scene") {
        const std::string view = "<lookat origin=\"0,0,5\" target=\"0,0,0\" up=\"0,1,0\"/>";
        const std::string mirror = "<scale x=\"-1\" y=\"1\" z=\"1\"/>" + view;
        const std::string right = shape_text("rectangle", place("<translate x=\"2\" y=\"3\"/>"));
        const Scene scene = read_mitsuba(sensor_text(place(mirror)) + right);
        CHECK(math::determinant(math::to_double(scene.cameras.at(0).to_world)) ==
              doctest::Approx(1));
        // The corner (1, 2, 0), which an unmirrored sensor sees to the right.
        CHECK(is_near(seen(scene.cameras[0], world_vertex(scene, scene.instances[0], 0)),
                      {-1, 2, -5},
                      1e-4F));
        CHECK_FALSE(has_note(scene, Note::Kind::Replaced, "mirrored"));
        // The camera cannot mirror: the second sensor stands upright at least.
        const Scene both =
            read_mitsuba(sensor_text(place(view)) + sensor_text(place(mirror)) + right);
        CHECK(is_near(
            seen(both.cameras.at(1), world_vertex(both, both.instances[0], 0)), {1, 2, -5}, 1e-4F));
        CHECK(has_note(both, Note::Kind::Replaced, "mirrored"));
    }

    TEST_CASE("a scale of the sensor's space stretches what it sees and its lens") {
        const Scene scene = read_mitsuba(
            sensor_text(film_text(32, 16) + place("<scale x=\"3\" y=\"2\"/>"), "orthographic") +
            sensor_text("<float name=\"aperture_radius\" value=\"0.2\"/><float "
                        "name=\"focus_distance\" value=\"3\"/>" +
                            place("<scale value=\"2\"/>"),
                        "thinlens"));
        CHECK(scene.cameras.at(0).xmag == 3);
        CHECK(scene.cameras[0].ymag == 1);
        CHECK(scene.cameras[0].pixel_aspect == 1.5F);
        CHECK(scene.cameras.at(1).lens_radius_m == 0.4F);
        CHECK(scene.cameras[1].focus_m == 6);
        CHECK(scene.cameras[1].pixel_aspect == 1);
    }

    TEST_CASE("steps of a transform apply in their order") {
        const Scene scene = read_mitsuba(
            shape_text("rectangle",
                       place("<translate x=\"2\" y=\"1\"/><rotate z=\"1\" angle=\"90\"/>"
                             "<scale value=\"2\"/>")) +
            shape_text("rectangle",
                       place("<matrix value=\"0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1\"/>")));
        CHECK(is_near(world_vertex(scene, scene.instances[0], 0), {0, 2, 0}));
        CHECK(is_near(world_vertex(scene, scene.instances[1], 0), {6, 5, 7}));
    }

    TEST_CASE("spheres, disks, cylinders and cubes have their sizes, uvs and fronts") {
        const Scene scene = read_mitsuba(
            shape_text("sphere",
                       "<point name=\"center\" x=\"1\" y=\"2\" z=\"3\"/><float name=\"radius\" "
                       "value=\"2\"/>") +
            shape_text("sphere", "<boolean name=\"flip_normals\" value=\"true\"/>") +
            shape_text("disk", "") +
            shape_text("cylinder",
                       "<point name=\"p0\" value=\"1,0,0\"/><point name=\"p1\" value=\"1,4,0\"/>"
                       "<float name=\"radius\" value=\"0.5\"/>") +
            shape_text("cube", "") + shape_text("sphere", ""));
        REQUIRE(scene.instances.size() == 6);
        const auto corner = [&](std::size_t instance, u32 triangle) {
            const Instance& placed = scene.instances[instance];
            const u32 first = scene.meshes[placed.mesh].record.first_triangle;
            return world_vertex(scene, placed, scene.indices[std::size_t{3} * (first + triangle)]);
        };
        const math::Vec3 out = corner(0, 1000) - math::Vec3(1, 2, 3);
        CHECK(math::length(out) == doctest::Approx(2));
        CHECK(math::dot(front_of(scene, scene.instances[0], 1000), out) > 1.8F);
        CHECK(math::dot(front_of(scene, scene.instances[1], 1000), corner(1, 1000)) < -0.9F);
        CHECK(scene.instances[5].mesh == scene.instances[0].mesh);
        CHECK(is_near(front_of(scene, scene.instances[2], 6), {0, 0, 1}));
        const math::Vec3 round = corner(3, 40) - math::Vec3(1, 0, 0);
        CHECK(std::hypot(round.x, round.z) == doctest::Approx(0.5));
        CHECK(math::dot(front_of(scene, scene.instances[3], 40), {round.x, 0, round.z}) > 0.45F);
        const shaders::MeshRecord& cube = scene.meshes[scene.instances[4].mesh].record;
        CHECK(cube.triangle_count == 12);
        for (u32 triangle = 0; triangle < 12; ++triangle) {
            CHECK(math::dot(front_of(scene, scene.instances[4], triangle), corner(4, triangle)) ==
                  doctest::Approx(1));
        }
    }

    TEST_CASE("mesh files are read in their kinds and smooth where they have no normals") {
        const Folder folder("mitsuba_files");
        folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.25\nf 1/1 2/1 3/1\n");
        folder.write("a.ply",
                     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                     "property float z\nproperty float u\nproperty float v\nelement face 1\n"
                     "property list uchar int vertex_indices\nend_header\n"
                     "0 0 0 0 0.25\n1 0 0 0 0.25\n0 1 0 0 0.25\n3 0 1 2\n");
        std::filesystem::create_directory(folder.file("deep"));
        folder.write("deep/a.serialized", serialized_file());
        const auto file = [](const char* name) {
            return std::string("<string name=\"filename\" value=\"") + name + "\"/>";
        };
        const Scene scene = read({folder.write(
            "s.xml",
            mitsuba_text(
                "<path value=\"deep\"/>" + shape_text("obj", file("a.obj")) +
                shape_text("ply", file("a.ply")) +
                shape_text("obj",
                           file("a.obj") + "<boolean name=\"face_normals\" value=\"true\"/>") +
                shape_text("serialized", file("a.serialized")) +
                shape_text("serialized",
                           file("a.serialized") + "<integer name=\"shape_index\" value=\"1\"/>") +
                shape_text("obj", file("a.obj"))))});
        REQUIRE(scene.instances.size() == 6);
        const auto record = [&](std::size_t k) {
            return scene.meshes[scene.instances[k].mesh].record;
        };
        // OBJ counts v from the bottom row, the others from the top.
        CHECK(scene.uvs[2 * record(0).first_uv0 + 1] == 0.75F);
        CHECK(scene.uvs[2 * record(1).first_uv0 + 1] == 0.25F);
        CHECK(record(0).first_normal != kNone);
        CHECK(record(2).first_normal == kNone);
        CHECK(is_near(world_vertex(scene, scene.instances[3], 1), {1, 0, 5}));
        CHECK(is_near(world_vertex(scene, scene.instances[4], 1), {2, 0, 10}));
        CHECK(scene.instances[5].mesh == scene.instances[0].mesh);
        CHECK(scene.instances[0].node == "a");
    }

    TEST_CASE("instances share the meshes of their group") {
        const Scene scene = read_mitsuba(
            "<shape type=\"instance\"><ref id=\"tree\"/>" + place("<translate x=\"10\"/>") +
            "</shape><shape type=\"shapegroup\" id=\"tree\">" +
            shape_text("cube", place("<scale value=\"2\"/>")) + shape_text("sphere", "") +
            "</shape><shape type=\"instance\" id=\"second\"><ref id=\"tree\"/>" +
            place("<translate x=\"20\"/>") + "</shape>" + "<shape type=\"merge\">" +
            shape_text("cube", "") + "</shape>");
        REQUIRE(scene.instances.size() == 5);
        CHECK(scene.meshes.size() == 2);
        CHECK(is_near(world_vertex(scene, scene.instances[0], 0),
                      world_vertex(scene, scene.instances[2], 0) - math::Vec3(10, 0, 0)));
        CHECK(scene.instances[0].node == "cube");
        CHECK(scene.instances[3].node == "sphere");
    }

    TEST_CASE("parameters, aliases and included files are put in their places") {
        const Folder folder("mitsuba_include");
        folder.write("part.xml",
                     mitsuba_text("<default name=\"size\" value=\"9\"/>" +
                                  shape_text("cube", place("<scale value=\"$size\"/>"))));
        folder.write("light.xml", "<emitter type=\"point\" version=\"3.0.0\"/>");
        const Scene scene = read({folder.write(
            "s.xml",
            mitsuba_text("<default name=\"size\" value=\"3\"/><default name=\"kind\" "
                         "value=\"diffuse\"/><bsdf type=\"$kind\" id=\"red\"><rgb "
                         "name=\"reflectance\" value=\"1 0 0\"/></bsdf><alias id=\"red\" "
                         "as=\"paint\"/><include filename=\"part.xml\"/>"
                         "<include filename=\"light.xml\"/>" +
                         rectangle_of("<ref id=\"paint\"/>")))});
        REQUIRE(scene.instances.size() == 2);
        CHECK(scene.lights.size() == 1);
        CHECK(math::length(world_vertex(scene, scene.instances[0], 0)) ==
              doctest::Approx(3 * std::sqrt(3.0)));
        CHECK(material_of(scene, 1).base_color[0] == 1);
        CHECK(scene.materials[scene.instances[1].material].name == "red");
    }

    TEST_CASE("scenes of version 0.6 are read by their old names") {
        const Scene scene = read_mitsuba(
            "<sensor type=\"perspective\"><string name=\"fovAxis\" value=\"y\"/><float "
            "name=\"fov\" value=\"90\"/><transform name=\"toWorld\"><lookAt origin=\"0 0 5\" "
            "target=\"0 0 0\" up=\"0 1 0\"/></transform></sensor>"
            "<bsdf type=\"dielectric\" id=\"glass\"><float name=\"intIOR\" value=\"1.7\"/></bsdf>"
            "<shape type=\"cube\"><transform name=\"toWorld\"><translate x=\"4\"/></transform>"
            "<boolean name=\"flipNormals\" value=\"true\"/><ref name=\"bsdf\" id=\"glass\"/>"
            "</shape>",
            "0.6.0");
        CHECK(scene.cameras[0].yfov_rad == doctest::Approx(1.5707963));
        CHECK(scene.cameras[0].to_world[11] == 5);
        CHECK(material_of(scene, 0).ior == 1.7F);
        CHECK(scene.instances[0].object_to_world[3] == 4);
    }
}
