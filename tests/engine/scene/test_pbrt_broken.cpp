// test_pbrt_broken.cpp — broken pbrt-v4 files end with one sentence that names file and line.
#include <string>

#include <doctest/doctest.h>

#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

std::string complaint_about(const std::string& text) {
    const Folder folder("pbrt_broken");
    return complaint(folder.write("scene.pbrt", text));
}

}  // namespace

TEST_SUITE("engine/scene/pbrt") {
    TEST_CASE("broken files are told with file and line") {
        struct Case {
            const char* text;
            const char* line;
            const char* part;
        };

        const Case cases[] = {
            {"WorldBegin\nShapes \"sphere\"\n", ":2:", "directive Shapes"},
            {"WorldBegin\n\nShape \"trianglemesh\"\n", ":3:", "\"point3 P\""},
            {"WorldBegin\nShape \"trianglemesh\" \"point3 P\" [ 0 0 0 1 0 0 ]\n", ":2:", "indices"},
            {"WorldBegin\nShape \"trianglemesh\" \"point3 P\" [ 0 0 0 1 0 0 0 1 0 ]\n"
             "\"integer indices\" [ 0 1 3 ]\n",
             ":3:",
             "index 3"},
            {"WorldBegin\nShape \"trianglemesh\" \"point3 P\" [ 0 0 0 1 0 ]\n",
             ":2:",
             "groups of 3"},
            {"WorldBegin\nShape \"sphere\" \"float radius\" 1e999\n", ":2:", "1e999"},
            {"WorldBegin\nShape \"sphere\" \"float radius\" [ 1\n", ":3:", "the file ends"},
            {"WorldBegin\nShape \"sphere\" \"radius\" 1\n", ":2:", "a type and a name"},
            {"WorldBegin\nShape \"sphere\" \"float radius\" -1\n", ":2:", "radius"},
            {"WorldBegin\nNamedMaterial \"nobody\"\n", ":2:", "\"nobody\""},
            {"WorldBegin\nMaterial \"diffuse\" \"texture reflectance\" \"none\"\n",
             ":2:",
             "\"none\""},
            {"WorldBegin\nAttributeBegin\n", ":2:", "never ends"},
            {"WorldBegin\nAttributeEnd\n", ":2:", "never begun"},
            {"WorldBegin\nAttributeBegin\nObjectBegin \"a\"\nAttributeEnd\nObjectEnd\n",
             ":4:",
             "pbrt:3; expected ObjectEnd"},
            {"WorldBegin\nObjectBegin \"a\"\nAttributeBegin\nObjectEnd\n",
             ":4:",
             "pbrt:3; expected AttributeEnd"},
            {"WorldBegin\nObjectInstance \"x\"\n", ":2:", "\"x\""},
            {"LookAt 0 0 0 0 0 0 0 1 0\n", ":1:", "LookAt"},
            {"Translate 1 2\nWorldBegin\n", ":1:", "3 numbers"},
            {"Include \"scene.pbrt\"\n", ":1:", "include themselves"},
            {"Include \"/etc/passwd\"\n", ":1:", "outside"},
            {"\"lost\"\n", ":1:", "directive was expected"},
            {"Shape \"sphere\n", ":1:", "without an end"},
            {"ActiveTransform EndTime\n", ":1:", "ActiveTransform"},
            {"Option \"seed\"\nWorldBegin\n", ":2:", "\"option seed\" has no value"},
            {"Option \"\" 5\n", ":1:", "has the parameter \"\""},
            {"LightSource \"point\"\n\"spectrum I\" \"stdillum-Z\"\n", ":2:", "stdillum-Z"},
            {"Camera \"perspective\"\n\"float screenwindow\" [ -1 1 1 1 ]\n", ":2:", "no window"},
            {"MediumInterface \"fog\" \"\"\n", ":1:", "\"fog\""},
            {"MakeNamedMedium \"fog\" \"string type\" \"homogeneous\"\n"
             "\"rgb sigma_s\" [ 1 -2 3 ]\n",
             ":2:",
             "\"rgb sigma_s\" is no coefficient"},
            {"MakeNamedMedium \"fog\" \"string type\" \"homogeneous\" \"float scale\" -1\n",
             ":1:",
             "\"float scale\" is no coefficient"},
            {"MakeNamedMedium \"fog\" \"string type\" \"homogeneous\"\n\"float g\" 1\n",
             ":2:",
             "no mean cosine"},
        };
        for (const Case& broken : cases) {
            CAPTURE(broken.text);
            const std::string sentence = complaint_about(broken.text);
            CAPTURE(sentence);
            CHECK(sentence.find(broken.line) != std::string::npos);
            CHECK(sentence.find(broken.part) != std::string::npos);
        }
    }

    TEST_CASE("blocks and coordinate systems of an imported file end with it") {
        const Folder folder("pbrt_imported");
        folder.write("open.pbrt", "\nAttributeBegin\n");
        folder.write("close.pbrt", "AttributeEnd\n");
        folder.write("named.pbrt", "CoordinateSystem \"a\"");
        const auto said = [&](const std::string& text) {
            return complaint(folder.write("scene.pbrt", "WorldBegin\n" + text));
        };
        CHECK(said("Import \"open.pbrt\"\nAttributeEnd\n").find("open.pbrt:2: begins") !=
              std::string::npos);
        CHECK(said("AttributeBegin Import \"close.pbrt\"\n").find("close.pbrt:1: AttributeEnd") !=
              std::string::npos);
        CHECK(said("Import \"named.pbrt\" CoordSysTransform \"a\"\n").find("named before") !=
              std::string::npos);
        CHECK(said("Import \"scene.pbrt\"\n").find("include themselves") != std::string::npos);
    }

    TEST_CASE("files that include each other twice end with a sentence") {
        const Folder folder("pbrt_bomb");
        for (int k = 0; k < 40; ++k) {
            const std::string next = "Include \"f" + std::to_string(k + 1) + ".pbrt\"\n";
            folder.write("f" + std::to_string(k) + ".pbrt", next + next);
        }
        folder.write("f40.pbrt", "Identity\n");
        CHECK(complaint(folder.file("f0.pbrt")).find("files") != std::string::npos);
    }
}
