// test_view_edits.cpp — where the window keeps edits: unsaved ones with any panel open, and those
// of scenes that are not files.
#include <csignal>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/film/image_file.h"
#include "tests/app/verified_film.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

namespace fs = std::filesystem;

// The content of all files of a folder; "" if there is none.
std::string texts_in(const fs::path& folder) {
    std::ostringstream text;
    std::error_code problem;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; ++entry) {
        std::ifstream file(entry->path());
        for (std::string line; std::getline(file, line);) {
            text << line << '\n';
        }
    }
    return text.str();
}

// Copies the Cornell box into a folder of the desk; returns kSmall with it.
Arguments with_cornell_in(const fs::path& folder) {
    fs::create_directories(folder);
    fs::copy_file(WEFT_SOURCE_DIR "/scenes/cornell.gltf", folder / "cornell.gltf");
    Arguments own = kSmall;
    own.front() = (folder / "cornell.gltf").string();
    return own;
}

void write_picture(const std::string& path) {
    film::Picture picture;
    picture.width = picture.height = 4;
    picture.channels = 3;
    picture.pixels.assign(48, 0.5F);
    REQUIRE(film::write_picture(path, picture).is_ok());
}

// The input that saves the edits to a file of the desk, and awaits this refusal.
std::string refused_edits(const std::string& file, const std::string& refusal) {
    return "click File\nclick \"File/Save edits as ...\"\nwait frames 5\n"
           "click \"Save edits as/Path\"\nkey ctrl+A\ntype " +
           file + "\nclick \"Save edits as/Choose\"\nexpect \"Save edits as/Error " + refusal +
           "\"\nkey escape\nwait frames 3\n";
}

}  // namespace

TEST_SUITE("app/view/edits") {
    TEST_CASE("an exposure set by a key is autosaved with any panel open") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        WeftProcess killed(desk.with_script(
            "wait done\nclick Panel/Object\nkey ]\nkey ]\nwait frames 30\nsay kept\n"
            "wait frames 1000000\n",
            kSmall));
        REQUIRE(killed.wait_until(
            [](const std::string& err) { return err.find("kept") != std::string::npos; }));
        killed.send(SIGKILL);
        CHECK(killed.wait().signal_number == SIGKILL);
        const std::string kept = texts_in(desk.folder / "weft" / "unsaved");
        CHECK(kept.find("view/exposure") != std::string::npos);
        CHECK(kept.find("0.66") != std::string::npos);  // both thirds of a stop
    }

    TEST_CASE("a signal ends the viewer with its code and a sentence that tells of the edits") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        for (const int signal_number : {SIGTERM, SIGINT, SIGHUP}) {
            WeftProcess viewer(
                desk.with_script("wait done\nkey ]\nwait frames 5\nsay kept\n"
                                 "wait frames 1000000\n",
                                 kSmall));
            REQUIRE(viewer.wait_until(
                [](const std::string& err) { return err.find("kept") != std::string::npos; }));
            viewer.send(signal_number);
            const Ended ended = viewer.wait();
            CHECK(ended.exit_code == kExitSignal);
            CHECK(ended.err.find("weft: interrupted; edits that are not saved are in ") !=
                  std::string::npos);
            const fs::path unsaved = desk.folder / "weft" / "unsaved";
            CHECK(texts_in(unsaved).find("view/exposure") != std::string::npos);
            fs::remove_all(unsaved);
        }
    }

    TEST_CASE("recovery keeps edits that do not fit and those of the command line") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        WeftProcess killed(desk.with_script(
            "wait done\nkey ]\nwait frames 30\nsay kept\nwait frames 1000000\n", kSmall));
        REQUIRE(killed.wait_until(
            [](const std::string& err) { return err.find("kept") != std::string::npos; }));
        killed.send(SIGKILL);
        CHECK(killed.wait().signal_number == SIGKILL);
        std::string left;
        for (const fs::directory_entry& entry :
             fs::directory_iterator(desk.folder / "weft" / "unsaved")) {
            left = entry.path().extension() == ".json" ? entry.path().string() : left;
        }
        const std::string text =
            R"({"weft_edits": 1, "edits": [{"path": "materials/gone/roughness", "value": 0.5}, )"
            R"({"path": "materials/white/roughness", "value": 0.25}]})";
        std::ofstream(left) << text;
        const Arguments given = {"--set", "materials/red/base_color=[0, 1, 0]"};
        const Ended ended = desk.view(
            "wait done\nclick \"Unsaved edits/Recover\"\nwait frames 3\nwait done\n"
            "hash @recovered\nnames @names\nquit\n",
            with(kSmall, given));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        std::string told;
        for (const auto& [name, place] : desk.places_of("names")) {
            told += name.starts_with("Status/") ? name + '\n' : "";
        }
        CHECK_MESSAGE(told.find("1 of 2 edits do not fit") != std::string::npos, told);
        CHECK_MESSAGE(told.find("; it is set aside as " + left + ".old") != std::string::npos,
                      told);
        CHECK(texts_in(desk.folder / "weft" / "unsaved").find(text) != std::string::npos);
        CHECK(desk.line_of("recovered") ==
              desk.rendered_hash(
                  with(kSmall, with(given, {"--set", "materials/white/roughness=0.25"}))));
    }

    TEST_CASE("saved edits find pictures again that another file of edits or an option named") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments own = with_cornell_in(desk.folder / "scene");
        write_picture(desk.file("grey.png"));
        std::ofstream(desk.file("grey.json"))
            << R"({"weft_edits": 1, "edits": [{"path": "materials/red/base_color_texture", )"
            << R"("value": "grey.png"}]})";
        const std::string set = "materials/white/base_color_texture=" + desk.file("grey.png");
        const Ended saved = desk.view(
            "wait done\ndrop @grey.json\nwait frames 5\nwait done\nhash @edited\nkey ctrl+S\n"
            "key ctrl+Q\nwait frames 1000000\n",
            with(own, {"--set", set}));
        CHECK(saved.err == "");
        REQUIRE(saved.exit_code == 0);
        const Ended again = desk.view("wait done\nrefuse Status/error\nhash @again\nquit\n", own);
        CHECK(again.err == "");
        REQUIRE(again.exit_code == 0);
        CHECK(desk.line_of("again") == desk.line_of("edited"));
        CHECK(desk.line_of("again") != desk.rendered_hash(own));
    }

    TEST_CASE("nothing is saved over a file that the open scene is read from") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments own = with_cornell_in(desk.folder);
        const std::string scene = own.front();
        const std::string red = desk.file("red.png");
        const std::string sky = desk.file("sky.hdr");
        const std::string kept = desk.file("kept.json");
        const std::string link = desk.file("link.json");
        write_picture(red);
        write_picture(sky);
        fs::create_symlink(scene, link);
        std::ofstream(kept) << R"({"weft_edits": 1, "edits": []})";
        const std::string same =
            " are the same file; expected an output that replaces no input; see weft help files";
        const Ended ended = desk.view(
            "wait done\nkey ]\nwait frames 3\n" +
                refused_edits(
                    scene, scene + ": is no name for the edits; expected one that ends in .json") +
                refused_edits(link, "SCENE " + scene + " and the edits " + link + same) + "save " +
                red + "\n",
            with(own,
                 {"--environment",
                  sky,
                  "--edits",
                  kept,
                  "--set",
                  "materials/white/base_color_texture=" + red}));
        // A refused picture ends the script.
        CHECK(ended.err.find("the scene's picture " + red + " and the picture " + red + same) !=
              std::string::npos);
        CHECK(ended.exit_code == 1);
        for (const std::string& file : {scene, red, sky, kept}) {
            CHECK(fs::is_regular_file(file));
        }
        CHECK(fs::is_symlink(link));
        CHECK(film::read_picture(red).is_ok());
        CHECK(desk.line_of("kept.json") == R"({"weft_edits": 1, "edits": []})");
    }

    TEST_CASE("edits of an example scene are found from every folder") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended saved = desk.view(
            "wait done\nclick 50% 90%\nclick \"Panel/Object\"\nkey H\nwait frames 3\n"
            "wait done\nhash @edited\nkey ctrl+S\nkey ctrl+Q\nwait frames 1000000\n",
            kSmall);
        CHECK(saved.err == "");
        REQUIRE(saved.exit_code == 0);
        CHECK(fs::exists(desk.file("data/weft/edits/cornell.weft-edits.json")));
        CHECK(!fs::exists("cornell.weft-edits.json"));
        const Ended again =
            desk.view("wait done\nhash @again\nkey ctrl+shift+C\nclipboard @line\nquit\n", kSmall);
        CHECK(again.err == "");
        REQUIRE(again.exit_code == 0);
        CHECK(desk.line_of("again") == desk.line_of("edited"));
        CHECK(desk.line_of("again") != desk.rendered_hash(kSmall));
        const std::string line = desk.line_of("line");
        CHECK(line.find("--edits") != std::string::npos);
        REQUIRE_MESSAGE(desk.run_line(line) == 0, line);
        CHECK(verified_film_hash(desk.file("picture.exr")) == desk.line_of("again"));
    }
}

}  // namespace weft::app::testing
