// test_mitsuba_broken.cpp — broken Mitsuba scenes end with one sentence that names file, line and
// column.
#include <string>

#include <doctest/doctest.h>

#include "tests/engine/scene/mitsuba_text.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// The scene begins at line 3.
std::string mitsuba_complaint(const std::string& body) {
    const Folder folder("mitsuba_broken");
    return complaint(folder.write("scene.xml", mitsuba_text(body)));
}

}  // namespace

TEST_SUITE("engine/scene/mitsuba") {
    TEST_CASE("broken scenes are told with file and line and column") {
        struct Case {
            std::string text;
            const char* place;
            const char* part;
        };

        const std::string deep = [] {
            std::string text;
            for (int k = 0; k < 70; ++k) {
                text += "<bsdf type=\"twosided\">";
            }
            for (int k = 0; k < 70; ++k) {
                text += "</bsdf>";
            }
            return text;
        }();
        const Case cases[] = {
            {"<shape type=\"sphere\">\n", ":4:", "no XML"},
            {"\n<shapes/>\n", ":4:2", "<shapes>"},
            {"<shape type=\"cube\"><bsdf type=\"null\"/><medium type=\"homogeneous\" "
             "name=\"interior\">"
             "\n<rgb name=\"sigma_t\" value=\"1 -1 2\"/></medium></shape>",
             ":4:",
             "no coefficient"},
            {"<shape type=\"cube\"><bsdf type=\"null\"/><medium type=\"homogeneous\" "
             "name=\"interior\">"
             "\n<phase type=\"hg\">\n<float name=\"g\" value=\"-1.5\"/></phase></medium></shape>",
             ":5:",
             "no mean cosine"},
            {"<shape type=\"cube\"><ref id=\"nobody\"/></shape>", ":3:", "\"nobody\""},
            {"<bsdf type=\"twosided\" id=\"a\"><ref id=\"a\"/></bsdf>"
             "<shape type=\"cube\"><ref id=\"a\"/></shape>",
             ":3:",
             "within itself"},
            {"<shape type=\"sphere\"><float name=\"radius\" value=\"x\"/></shape>",
             ":3:",
             "finite number"},
            {"<shape type=\"sphere\"><float name=\"radius\" value=\"1e999\"/></shape>",
             ":3:",
             "1e999"},
            {"<shape type=\"sphere\"><float name=\"radius\" value=\"-1\"/></shape>",
             ":3:",
             "radius"},
            {"<shape type=\"cylinder\"><point name=\"p1\" value=\"0 0 0\"/></shape>",
             ":3:",
             "length"},
            {"<shape type=\"cube\"><transform name=\"to_world\"><matrix value=\"1 2\"/>"
             "</transform></shape>",
             ":3:",
             "16 finite numbers"},
            {"<shape type=\"cube\"><transform name=\"to_world\"><matrix value=\"1 0 0 0 0 1 0 0 "
             "0 0 1 0 0 0 1 0\"/></transform></shape>",
             ":3:",
             "last row"},
            {"<shape type=\"cube\"><transform name=\"to_world\"><rotate angle=\"4\"/></transform>"
             "</shape>",
             ":3:",
             "axis"},
            {"<shape type=\"cube\"><transform name=\"to_world\"><lookat origin=\"0 0 0\" "
             "target=\"0 0 0\"/></transform></shape>",
             ":3:",
             "<lookat>"},
            {"<shape type=\"cube\"><transform name=\"to_world\"><spin/></transform></shape>",
             ":3:",
             "<spin>"},
            {"<shape type=\"cube\"><boolean name=\"flip_normals\" value=\"yes\"/></shape>",
             ":3:",
             "true or false"},
            {"<shape type=\"obj\"><string name=\"filename\" value=\"none.obj\"/></shape>",
             ":3:",
             "none.obj"},
            {"<shape type=\"ply\"><string name=\"filename\" value=\"/etc/passwd\"/></shape>",
             ":3:",
             "outside"},
            {"<shape type=\"serialized\"><string name=\"filename\" value=\"scene.xml\"/></shape>",
             ":3:",
             ".serialized"},
            {"<shape type=\"instance\"/>", ":3:", "shapegroup"},
            {"<shape type=\"shapegroup\" id=\"g\"><ref id=\"g\"/></shape>", ":3:", "within"},
            {"<sensor type=\"perspective\"><float name=\"fov\" value=\"180\"/></sensor>",
             ":3:",
             "180"},
            {"<sensor type=\"perspective\"><float name=\"fov\" value=\"90\"/><string "
             "name=\"fov_axis\" value=\"z\"/></sensor>",
             ":3:",
             "fov_axis"},
            {"<sensor type=\"perspective\"><film type=\"hdrfilm\"><integer name=\"width\" "
             "value=\"0\"/></film></sensor>",
             ":3:",
             "pixels"},
            {"<shape type=\"cube\"><bsdf type=\"mask\"/></shape>", ":3:", "holds 0 BSDFs"},
            {"<shape type=\"cube\"><bsdf type=\"dielectric\"><string name=\"int_ior\" "
             "value=\"jelly\"/></bsdf></shape>",
             ":3:",
             "jelly"},
            {"<shape type=\"cube\"><bsdf type=\"diffuse\"><rgb name=\"reflectance\" "
             "value=\"1 2\"/></bsdf></shape>",
             ":3:",
             "colour"},
            {"<shape type=\"cube\"><bsdf type=\"diffuse\"><texture type=\"bitmap\" "
             "name=\"reflectance\"/></bsdf></shape>",
             ":3:",
             "filename"},
            {"<shape type=\"cube\"><bsdf type=\"diffuse\"><texture type=\"bitmap\" "
             "name=\"reflectance\"><string name=\"filename\" value=\"no.png\"/></texture>"
             "</bsdf></shape>",
             ":3:",
             "no.png"},
            {"<emitter type=\"envmap\"><string name=\"filename\" value=\"no.exr\"/></emitter>",
             ":3:",
             "no.exr"},
            {"<include filename=\"scene.xml\"/>", ":3:", "include themselves"},
            {"<include filename=\"/etc/passwd\"/>", ":3:", "outside"},
            {"<float name=\"a\" value=\"$b\"/>", ":3:", "\"$b\""},
            {deep, ":3:", "within more than"},
        };
        for (const Case& broken : cases) {
            CAPTURE(broken.text.substr(0, 300));
            const std::string sentence = mitsuba_complaint(broken.text);
            CAPTURE(sentence);
            CHECK(sentence.find(broken.place) != std::string::npos);
            CHECK(sentence.find(broken.part) != std::string::npos);
        }
    }

    TEST_CASE("parameters that grow without bound end with a sentence") {
        std::string body = "<default name=\"a\" value=\"xxxxxxxxxx\"/>";
        for (char name = 'b'; name <= 'z'; ++name) {
            std::string value;
            for (int k = 0; k < 10; ++k) {
                value += std::string("$") + static_cast<char>(name - 1);
            }
            body += std::string("<default name=\"") + name + "\" value=\"" + value + "\"/>";
        }
        CHECK(mitsuba_complaint(body).find("from its parameters") != std::string::npos);
    }

    TEST_CASE("entities of a document type are not expanded") {
        const Folder folder("mitsuba_entities");
        const std::string path = folder.write(
            "scene.xml",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE scene [ <!ENTITY a \"aaaa\"> <!ENTITY b "
            "\"&a;&a;\"> ]>\n<scene version=\"3.0.0\"><shape type=\"cube\" id=\"&b;\"/></scene>");
        const Scene scene = read({path});
        CHECK(scene.instances[0].node == "&b;");
    }

    TEST_CASE("files that include each other twice end with a sentence") {
        const Folder folder("mitsuba_bomb");
        for (int k = 0; k < 14; ++k) {
            const std::string next = "<include filename=\"f" + std::to_string(k + 1) + ".xml\"/>";
            folder.write("f" + std::to_string(k) + ".xml", mitsuba_text(next + next));
        }
        folder.write("f14.xml", mitsuba_text(""));
        const std::string said = complaint(folder.file("f0.xml"));
        CHECK(said.find("include") != std::string::npos);
        // One place is named, that of the file which includes too much.
        CHECK(said.find(".xml:") == said.rfind(".xml:"));
    }

    TEST_CASE("XML that is no scene of Mitsuba is told as before") {
        const Folder folder("mitsuba_other");
        CHECK(complaint(folder.write("a.xml", "<html><scene/></html>")).find("a.xml") !=
              std::string::npos);
    }
}
