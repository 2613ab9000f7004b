// test_style.cpp — the rules of the tree, first on made-up files that break them, then on the tree
// itself.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "tests/style/source_rules.h"

namespace weft::style {

namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& path) {
    const std::string kind = path.extension().string();
    return kind == ".h" || kind == ".cpp" || kind == ".inc";
}

// Every source file of the tree: path from the root, and text.
const std::map<std::string, std::string>& sources() {
    static const std::map<std::string, std::string> found = [] {
        std::map<std::string, std::string> files;
        const fs::path root = WEFT_SOURCE_DIR;
        for (const char* top : {"app", "engine", "integrations", "scheduler", "shaders", "tests"}) {
            if (!fs::exists(root / top)) {
                continue;
            }
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
                if (entry.is_regular_file() && is_source(entry.path())) {
                    files[fs::relative(entry.path(), root).generic_string()] =
                        text_of(entry.path());
                }
            }
        }
        return files;
    }();
    return found;
}

std::set<std::string> rooms_with_sources() {
    std::set<std::string> rooms;
    for (const auto& [path, text] : sources()) {
        if (!room_of(path).empty()) {
            rooms.emplace(room_of(path));
        }
    }
    return rooms;
}

void report(const Faults& faults) {
    for (const std::string& fault : faults) {
        FAIL_CHECK(fault);
    }
}

std::string lines(std::size_t count) {
    std::string text;
    for (std::size_t line = 0; line < count; ++line) {
        text += "x\n";
    }
    return text;
}

}  // namespace

TEST_SUITE("style/rules") {
    TEST_CASE("an include of a folder of higher rank is a fault") {
        CHECK(rank_faults("scheduler/base/a.h", "#include \"scheduler/unit/b.h\"\n").size() == 1);
        CHECK(rank_faults("scheduler/fibre/a.cpp", "#include \"shaders/b.h\"\n").size() == 1);
        CHECK(rank_faults("shaders/kernels/a.cpp", "  #  include \"engine/math/b.h\"").size() == 1);
        CHECK(
            rank_faults("engine/film/a.h", "#include \"engine/trace/b.h\"\n#include \"app/c.h\"\n")
                .size() == 2);
        CHECK(rank_faults("engine/film/a.h", "#include \"engine/trace/b.h\"\n")[0] ==
              "engine/film/a.h includes engine/trace/b.h, which is of higher rank");
    }

    TEST_CASE("an include of a folder of the own room of higher rank is a fault") {
        const std::string shell = "#include \"app/view/shell/a.h\"\n";
        CHECK(rank_faults("app/view/panels/b.cpp", shell).size() == 1);
        CHECK(rank_faults("app/view/shell/b.cpp", shell).empty());
        CHECK(rank_faults("app/main.cpp", shell).empty());
        const std::string gltf = "#include \"engine/scene/gltf/a.h\"\n";
        CHECK(rank_faults("engine/scene/model/b.cpp", gltf).size() == 1);
        CHECK(rank_faults("engine/scene/import.cpp", gltf).size() == 1);
        CHECK(rank_faults("engine/scene/edit/b.cpp", gltf).empty());
        CHECK(rank_faults("engine/trace/b.cpp", gltf).empty());
        const std::string import = "#include \"engine/scene/import.h\"\n";
        CHECK(rank_faults("engine/scene/files/b.h", import).size() == 1);
        CHECK(rank_faults("engine/scene/gltf/b.h", import).empty());
        const std::string kernels = "#include \"shaders/kernels/a.h\"\n";
        CHECK(rank_faults("shaders/surface/b-inl.h", kernels) ==
              Faults{"shaders/surface/b-inl.h includes shaders/kernels/a.h, whose folder is of "
                     "higher rank"});
        CHECK(rank_faults("engine/frame/b.cpp", kernels).empty());
        const std::string reference = "#include \"engine/trace/reference/a.h\"\n";
        CHECK(rank_faults("engine/trace/b.cpp", reference).size() == 1);
    }

    TEST_CASE("a file beside the ranked folders of a room is a fault if the room has no rank") {
        CHECK(rank_faults("app/view/b.cpp", "").size() == 1);
        CHECK(rank_faults("shaders/b.h", "").size() == 1);
        CHECK(rank_faults("engine/scene/sound/b.h", "").size() == 1);
        CHECK(rank_faults("engine/scene/b.h", "").empty());
        CHECK(rank_faults("engine/film/b.h", "").empty());
    }

    TEST_CASE("a file of the viewer below the shell that knows the whole state is a fault") {
        const std::string whole = "void draw(ViewState& state);\n";
        CHECK(whole_state_faults("app/view/panels/a.cpp", whole).size() == 1);
        CHECK(whole_state_faults("app/view/panels/a.cpp", "void draw(Session& session);").empty());
        CHECK(whole_state_faults("app/view/shell/a.cpp", whole).empty());
        CHECK(whole_state_faults("tests/app/view/a.cpp", whole).empty());
    }

    TEST_CASE("an include of a test by a room is a fault and the reverse is none") {
        CHECK(rank_faults("app/main.cpp", "#include \"tests/a.h\"\n").size() == 1);
        CHECK(rank_faults("tests/app/a.cpp", "#include \"app/main.h\"\n#include \"tests/b.h\"\n")
                  .empty());
    }

    TEST_CASE("includes of the own folder and of lower ranks and of packages are no faults") {
        CHECK(rank_faults("engine/film/a.cpp",
                          "#include \"engine/film/a.h\"\n#include \"shaders/b.h\"\n#include "
                          "<vector>\n// \"app/x.h\"\n")
                  .empty());
    }

    TEST_CASE("headers of Highway may be included by quotes") {
        CHECK(rank_faults("shaders/lanes/a-inl.h", "#include \"hwy/highway.h\"\n").empty());
    }

    TEST_CASE("an include that is no path from the root is a fault") {
        CHECK(rank_faults("engine/film/a.cpp", "#include \"a.h\"\n").size() == 1);
        CHECK(rank_faults("tests/style/a.cpp", "#include \"../b.h\"\n").size() == 1);
    }

    TEST_CASE("a source file in no room is a fault") {
        CHECK(rank_faults("engine/sound/a.cpp", "").size() == 1);
        CHECK(rank_faults("scheduler/a.cpp", "").size() == 1);
        CHECK(rank_faults("scheduler/basement/a.cpp", "").size() == 1);
    }

    TEST_CASE("a header of GLM outside of the math room is a fault") {
        const std::string text = "#include <cmath>\n#include <glm/vec3.hpp>\n";
        CHECK(package_faults("engine/math/vector.h", text).empty());
        CHECK(package_faults("engine/scene/a.cpp", text).size() == 1);
        CHECK(package_faults("tests/engine/math/a.cpp", text).size() == 1);
    }

    TEST_CASE("a call of normalize without its namespace is a fault") {
        const std::string text = "    const Vec3 z = normalize(v);\n";
        CHECK(package_faults("engine/scene/a.cpp", text).size() == 1);
        CHECK(package_faults("app/view/models/a.cpp", text).size() == 1);
        CHECK(package_faults("engine/math/a.cpp", text).empty());
        CHECK(package_faults("engine/trace/reference/a.cpp", text).empty());
        CHECK(package_faults("shaders/surface/a.cpp", text).empty());
        CHECK(
            package_faults("engine/scene/a.cpp", "math::normalize(v); glm::normalize(v);").empty());
        CHECK(package_faults("engine/scene/a.cpp", "renormalize(v); normalize_rows(v);").empty());
    }

    TEST_CASE("a file of more than 500 lines is a fault") {
        CHECK(length_faults("a.h", lines(500)).empty());
        CHECK(length_faults("a.h", lines(501)).size() == 1);
    }

    TEST_CASE("a folder that does not say what it is for is a fault") {
        for (const char* path :
             {"engine/utils/a.h", "common/a.h", "app/helpers/b/a.h", "engine/manager/a.h"}) {
            CHECK(name_faults(path).size() == 1);
        }
        CHECK(name_faults("engine/film/common.h").empty());
    }

    TEST_CASE("a page that is missing or too short or too long is a fault") {
        const std::string shortest = lines(40);
        const std::string longest = lines(100);
        CHECK(readme_faults("app", &shortest).empty());
        CHECK(readme_faults("app", &longest).empty());
        const std::string too_short = lines(39);
        const std::string too_long = lines(101);
        CHECK(readme_faults("app", &too_short).size() == 1);
        CHECK(readme_faults("app", &too_long).size() == 1);
        CHECK(readme_faults("app", nullptr).size() == 1);
    }

    TEST_CASE("an example that no test compiles is a fault") {
        const std::string page = "text\n```cpp\nint a;\n  int b;\n```\n";
        const std::string same =
            "  // README example begins\n  int a;\n    int b;\n  // README example ends\n";
        const std::string other = "// README example begins\nint a;\n// README example ends\n";
        CHECK(example_faults("a.md", page, {other, same}).empty());
        CHECK(example_faults("a.md", page, {other}).size() == 1);
        CHECK(example_faults("a.md", page, {}).size() == 1);
        CHECK(example_faults("a.md", "no example\n", {}).empty());
    }
}

TEST_SUITE("style/tree") {
    TEST_CASE("the tree was found") {
        CHECK(sources().contains("tests/style/test_style.cpp"));
        CHECK(rooms_with_sources().contains("scheduler/base"));
    }

    TEST_CASE("no folder includes one of higher rank or sets up GLM itself") {
        for (const auto& [path, text] : sources()) {
            report(rank_faults(path, text));
            report(package_faults(path, text));
        }
    }

    TEST_CASE("no file of the viewer below the shell knows the whole state") {
        for (const auto& [path, text] : sources()) {
            report(whole_state_faults(path, text));
        }
    }

    TEST_CASE("no file has more than 500 lines and no folder an empty name") {
        for (const auto& [path, text] : sources()) {
            report(length_faults(path, text));
            report(name_faults(path));
        }
    }

    TEST_CASE("every room has a page of 40 to 100 lines") {
        for (const std::string& room : rooms_with_sources()) {
            const fs::path page = fs::path(WEFT_SOURCE_DIR) / room / "README.md";
            const std::string text = text_of(page);
            report(readme_faults(room, fs::exists(page) ? &text : nullptr));
        }
    }

    TEST_CASE("every example of a room's page is compiled by a test") {
        std::vector<std::string> tests;
        for (const auto& [path, text] : sources()) {
            if (path.starts_with("tests/")) {
                tests.push_back(text);
            }
        }
        for (const std::string& room : rooms_with_sources()) {
            const fs::path page = fs::path(WEFT_SOURCE_DIR) / room / "README.md";
            report(example_faults(room + "/README.md", text_of(page), tests));
        }
    }
}

}  // namespace weft::style
