// test_unsaved_edits.cpp — autosaved edits, and the names of files in edits.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/edit_file.h"
#include "app/view/session/document.h"
#include "app/view/session/document_file.h"
#include "tests/app/view/edited_room.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

using film::TestFolder;
using scene::Edit;

TEST_SUITE("app/view/unsaved_edits") {
    TEST_CASE("the next session finds unsaved edits and saving removes their file") {
        const TestFolder folder;
        const auto scene = room();
        Document document = opened(scene);
        std::optional<Autosave> killed;
        killed.emplace("room.glb", folder.file("unsaved"));
        CHECK(!killed->left_behind());
        REQUIRE(killed->keep(document).is_ok());
        CHECK(!killed->left_behind());
        REQUIRE(document.edit({"materials/material 2/roughness", "0.125"}).is_ok());
        REQUIRE(killed->keep(document).is_ok());
        REQUIRE(killed->wait().is_ok());
        killed.reset();  // the session ends abruptly; another one opens the same scene
        Autosave next("room.glb", folder.file("unsaved"));
        REQUIRE(next.left_behind());
        Document again = opened(scene);
        REQUIRE(load_edits(again, *next.left_behind()).is_ok());
        CHECK(everything(again) == everything(document));
        CHECK(!Autosave("hall.glb", folder.file("unsaved")).left_behind());
        REQUIRE(save_edits(document, "room.glb", folder.file("saved.json")).is_ok());
        REQUIRE(document.undo());
        REQUIRE(document.redo());
        next.discard();
        CHECK(!next.left_behind());
    }

    TEST_CASE("sessions side by side keep separate edits of one scene and each is offered") {
        const TestFolder folder;
        const auto scene = room();
        const auto edited = [&scene](const char* roughness) {
            Document document = opened(scene);
            REQUIRE(document.edit({"materials/material 2/roughness", roughness}).is_ok());
            return document;
        };
        const Document one = edited("0.125");
        const Document other = edited("0.25");
        {
            Autosave first("room.glb", folder.file("unsaved"));
            REQUIRE(first.keep(one).is_ok());
            REQUIRE(first.wait().is_ok());
            Autosave second("room.glb", folder.file("unsaved"));
            CHECK(!second.left_behind());  // the first session still runs, so its edits are not
                                           // left behind
            REQUIRE(second.keep(other).is_ok());
            REQUIRE(second.wait().is_ok());
        }
        for (const Document* const document : {&one, &other}) {
            Autosave next("room.glb", folder.file("unsaved"));
            REQUIRE(next.left_behind());
            Document again = opened(scene);
            REQUIRE(load_edits(again, *next.left_behind()).is_ok());
            CHECK(everything(again) == everything(*document));
            next.discard();
        }
        CHECK(!Autosave("room.glb", folder.file("unsaved")).left_behind());
        CHECK(std::filesystem::is_empty(folder.file("unsaved")));
    }

    TEST_CASE("given edits are added where the document's own leave their fields alone") {
        const TestFolder folder;
        Document document = opened(room());
        REQUIRE(document.edit({"materials/material 2/roughness", "0.125"}).is_ok());
        std::ofstream(folder.file("given.json"))
            << R"({"weft_edits": 1, "edits": [{"path": "materials/material 1/roughness", "value": 0.25},
                   {"path": "materials/material 2/roughness", "value": 0.5}]})";
        const std::vector<Edit> sets = {{"/materials/material 2/roughness", "0.75"},
                                        {"view/exposure", "2"}};
        REQUIRE(add_given_edits(document, folder.file("given.json"), sets).is_ok());
        CHECK(document.scene().materials[1].record.roughness == 0.25F);
        CHECK(document.scene().materials[2].record.roughness == 0.125F);
        CHECK(document.context().exposure_stops == 2);
        CHECK(document.done().size() == 2);
        REQUIRE(add_given_edits(document, "", sets).is_ok());
        CHECK(document.done().size() == 2);
    }

    TEST_CASE("the first failure to autosave is reported") {
        Document document = opened(room());
        Autosave autosave("room.glb", "");
        CHECK(autosave.keep(document).is_ok());
        REQUIRE(document.edit({"materials/material 2/roughness", "0.125"}).is_ok());
        CHECK(autosave.keep(document).is_ok());
        const base::Status kept = autosave.keep(document);
        REQUIRE(!kept.is_ok());
        CHECK(kept.error().sentence.find("not kept aside") != std::string::npos);
        CHECK(autosave.keep(document).is_ok());
    }

    TEST_CASE("a failed autosave is reported without another edit and once") {
        Document document = opened(room());
        REQUIRE(document.edit({"materials/material 2/roughness", "0.125"}).is_ok());
        Autosave autosave("room.glb", "/dev/null/unsaved");
        base::Status kept = autosave.keep(document);
        while (kept.is_ok()) {
            kept = autosave.keep(document);
        }
        CHECK(kept.error().sentence.find("/dev/null/unsaved") != std::string::npos);
        CHECK(autosave.keep(document).is_ok());
        REQUIRE(document.edit({"materials/material 2/roughness", "0.25"}).is_ok());
        CHECK(autosave.keep(document).is_ok());
        CHECK(!autosave.wait().is_ok());
        CHECK(autosave.keep(document).is_ok());
        CHECK(!autosave.wait().is_ok());  // every wait() reports it
    }

    TEST_CASE("files in edits are relative to the file that names them") {
        const TestFolder folder;
        std::filesystem::create_directories(folder.file("scene"));
        std::ofstream(folder.file("scene/wood.png")) << "picture";
        std::ofstream(folder.file("sky.hdr")) << "picture";
        const std::vector<Edit> edits = {{"materials/a/base_color_texture",
                                          "{\"file\":\"" + folder.file("scene/wood.png") + "\"}"},
                                         {"environment/file", "\"" + folder.file("sky.hdr") + "\""},
                                         {"environment/strength", "2"}};
        const std::vector<Edit> moved = with_files_from(edits, "", folder.file("scene"));
        CHECK(moved[0].value == "{\"file\":\"wood.png\"}");
        CHECK(moved[1].value.ends_with("sky.hdr\""));
        CHECK(moved[2] == edits[2]);
        const std::vector<Edit> whole = {
            {"materials/b", R"({"base_color_texture":"wood.png","copy_of":"materials/a"})"}};
        CHECK(with_files_from(whole, folder.file("scene"), folder.file(""))[0].value ==
              R"({"base_color_texture":"scene/wood.png","copy_of":"materials/a"})");
        const std::vector<Edit> back = with_files_from(moved, folder.file("scene"), "/");
        CHECK(back[0].value.ends_with("scene/wood.png\"}"));
    }

    TEST_CASE("edits of a scene file lie beside it and those of other scenes in the data folder") {
        const TestFolder folder;
        const std::string gone = folder.file("gone.gltf");  // missing while it is written
        CHECK(default_edit_file({gone}) == gone + ".weft-edits.json");
        CHECK(default_edit_file({"gone.gltf"}) == "gone.gltf.weft-edits.json");
        // Scenes that are open together have a file of their own, in this order.
        const std::string hall = folder.file("hall.gltf");
        const std::string both = default_edit_file({gone, hall});
        CHECK(both == gone + "+" + hash_digits("hall.gltf\n") + ".weft-edits.json");
        CHECK(both != default_edit_file({gone, folder.file("attic.gltf")}));
        CHECK(both != default_edit_file({hall, gone}));
        CHECK(default_edit_file({gone, "cornell"}) ==
              gone + "+" + hash_digits("cornell\n") + ".weft-edits.json");
        CHECK(hash_digits("") == "cbf29ce484222325");
        CHECK(hash_digits("a") == "af63dc4c8601ec8c");
        const auto value_of = [](const char* name) {
            const char* const value = std::getenv(name);
            return std::string(value == nullptr ? "" : value);
        };
        const std::string data = value_of("XDG_DATA_HOME");
        const std::string home = value_of("HOME");
        ::setenv("XDG_DATA_HOME", "/data", 1);
        CHECK(default_edit_file({"procedural:rubble:1.5M"}) ==
              "/data/weft/edits/procedural_rubble_1_5M.weft-edits.json");
        CHECK(default_edit_file({"interior"}) == "/data/weft/edits/interior.weft-edits.json");
        ::setenv("XDG_DATA_HOME", "", 1);
        ::setenv("HOME", "/home/me", 1);
        CHECK(default_edit_file({"interior"}) ==
              "/home/me/.local/share/weft/edits/interior.weft-edits.json");
        ::setenv("XDG_DATA_HOME", data.c_str(), 1);
        ::setenv("HOME", home.c_str(), 1);
    }

    TEST_CASE("a folder with the name of an example scene does not replace it") {
        CHECK(whole_scene_name("cornell") == "cornell");
        const std::string here = std::filesystem::current_path().filename().string();
        const std::filesystem::path before = std::filesystem::current_path();
        std::filesystem::current_path(before.parent_path());
        CHECK(whole_scene_name(here) == here);
        CHECK(whole_scene_name("hall.glb") == (before.parent_path() / "hall.glb").string());
        std::filesystem::current_path(before);
    }
}

}  // namespace weft::app::testing
