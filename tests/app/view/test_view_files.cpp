// test_view_files.cpp — sessions of the real program: a whole one from opening to quitting, and
// edits that are read, saved, recovered, and copied as a command.
#include <csignal>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/verified_film.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

namespace fs = std::filesystem;

// The input that hides the short box.
const std::string kEdit = "wait done\nclick 50% 90%\nkey H\nwait frames 3\nwait done\n";

// kSmall with a scene file on the desk, so that edits lie beside it there.
Arguments with_own_cornell(const Desk& desk) {
    for (const char* const part : {"cornell.gltf", "cornell.bin"}) {
        const fs::path from = fs::path(WEFT_SOURCE_DIR) / "scenes" / part;
        if (fs::exists(from)) {
            fs::copy_file(from, desk.file(part));
        }
    }
    Arguments own = kSmall;
    own.front() = desk.file("cornell.gltf");
    return own;
}

// Kills a session with an autosaved edit; the file "edited" has its film hash.
void leave_unsaved_edits(const Desk& desk) {
    WeftProcess killed(
        desk.with_script(kEdit + "hash @edited\nsay kept\nwait frames 1000000\n", kSmall));
    REQUIRE(killed.wait_until(
        [](const std::string& err) { return err.find("kept") != std::string::npos; }));
    killed.send(SIGKILL);
    CHECK(killed.wait().signal_number == SIGKILL);
}

}  // namespace

TEST_SUITE("app/view/files") {
    TEST_CASE("a scene with a relative name is found from another folder") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const fs::path scene = desk.folder / "wall.obj";
        std::ofstream(scene) << "v -9 -9 -3\nv 9 -9 -3\nv 9 9 -3\nf 1 2 3\n";
        const std::string relative = fs::relative(scene).string();
        REQUIRE(relative != scene.string());
        const Ended ended = desk.view(
            "wait scene\nwait frames 3\nclick File\nclick \"File/Open recent\"\n"
            "expect \"File/Open recent/" +
                scene.string() + "\"\nquit\n",
            {relative, "--width", "16", "--height", "16", "--spp", "1"});
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }

    TEST_CASE(
        "a session opens and orbits and picks and edits and undoes and saves what render gives") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @open\n"
            "drag 50% 50% 70% 55% left\nwait done\nhash @orbit\n"
            "key ctrl+Z\nwait done\nhash @back\n"
            "click 50% 90%\nexpect \"Selected/nodes/short box\"\nhash @pick\n"
            "key H\nwait frames 3\nwait done\nhash @rough\n"
            "screenshot @rough.png\n"
            "key ctrl+Z\nwait done\nhash @undone\n"
            "key ctrl+shift+Z\nwait done\nhash @redone\n"
            "key R\ndrag 25% 20% 75% 60% left\nwait done\nhash @region\n"
            "key escape\nwait done\n"
            "click File\nclick \"File/Save picture as ...\"\nwait frames 5\n"
            "click \"Save the picture as/Path\"\nkey ctrl+A\ntype @saved.exr\n"
            "click \"Save the picture as/Choose\"\nwait saved\n"
            "key ctrl+Q\nclick \"Leave?/Do not save\"\nwait frames 1000000\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const std::string open = desk.rendered_hash(kSmall);
        CHECK(desk.line_of("open") == open);
        CHECK(desk.line_of("orbit") != open);
        CHECK(desk.line_of("back") == open);
        CHECK(desk.line_of("pick") == open);
        CHECK(desk.line_of("rough") != open);
        CHECK(desk.line_of("undone") == open);
        CHECK(desk.line_of("redone") == desk.line_of("rough"));
        CHECK(desk.line_of("region") != desk.line_of("rough"));
        CHECK(verified_film_hash(desk.file("saved.exr")) == desk.line_of("rough"));
        const auto shot = film::read_picture(desk.file("rough.png"));
        REQUIRE(shot.is_ok());
        CHECK(shot.value().width > 600);
    }

    TEST_CASE("the attended part refines first and the final film is the same") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments large = {"cornell", "--width", "200", "--height", "150", "--spp", "16"};
        const Ended ended = desk.view(
            "wait picture\nhold space\ndrag 50% 0% 100% 100% left\nlet space\n"
            "expect Picture/attended\nwait done\nhash @hash\n"
            "hold space\nclick 20% 20%\nlet space\nrefuse Picture/attended\n"
            "expect Selected/\nquit\n",
            large);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("hash") == desk.rendered_hash(large));
    }

    TEST_CASE("a bookmark works in another session") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended first = desk.view(
            "wait done\ndrag 50% 50% 70% 55% left\nkey ctrl+B\nwait done\nhash @kept\nquit\n",
            kSmall);
        CHECK(first.err == "");
        REQUIRE(first.exit_code == 0);
        const Ended next = desk.view(
            "wait done\nhash @start\nclick \"Panel/View\"\nclick \"Camera/View 1\"\nwait done\n"
            "hash @there\nkey C\nwait done\nhash @file\nkey V\nwait done\nhash @again\n"
            "click \"Camera/Remove View 1\"\nwait frames 3\nrefuse \"Camera/View 1\"\n"
            "screenshot @camera.png\nquit\n",
            kSmall);
        CHECK(next.err == "");
        REQUIRE(next.exit_code == 0);
        CHECK(desk.line_of("there") == desk.line_of("kept"));
        CHECK(desk.line_of("again") == desk.line_of("kept"));
        CHECK(desk.line_of("file") == desk.line_of("start"));
        CHECK(desk.line_of("kept") != desk.line_of("start"));
    }

    TEST_CASE("the view of edits and set options is the one that render gives") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        std::ofstream(desk.file("edits.json"))
            << R"({"weft_edits": 1, "edits": [{"path": "materials/white/roughness", "value": 0.25},
                   {"path": "camera", "value": {"yfov_deg": 30}}]})";
        const Arguments edited = with(
            kSmall, {"--edits", desk.file("edits.json"), "--set", "nodes/short box/visible=false"});
        const Ended ended = desk.view(
            "wait done\nhash @hash\nkey ctrl+Z\nkey ctrl+Z\nwait done\n"
            "hash @plain\nquit\n",
            edited);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("hash") == desk.rendered_hash(edited));
        CHECK(desk.line_of("plain") == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("plain") != desk.line_of("hash"));
    }

    TEST_CASE("a cancelled load keeps the open scene and the next scene opens") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @before\ndrop procedural:rubble:20M\nclick Loading/Cancel\n"
            "refuse Loading/Cancel\nhash @after\n"
            "drop procedural:rubble:20M\nexpect Loading/Cancel\n"
            "drop procedural:spheres:2K\nwait scene\nwait done\nhash @next\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("before") == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("after") == desk.line_of("before"));
        Arguments spheres = kSmall;
        spheres.front() = "procedural:spheres:2K";
        CHECK(desk.line_of("next") == desk.rendered_hash(spheres));
    }

    TEST_CASE("unreadable edits end the start with their place") {
        const Desk desk;
        const Ended missing =
            run_weft(with({"view"}, with(kSmall, {"--edits", desk.file("no.json")})));
        CHECK(missing.exit_code == 3);
        CHECK(missing.err.find("no.json: no such file") != std::string::npos);
        const Ended wrong = run_weft(with({"view"}, with(kSmall, {"--set", "roughness"})));
        CHECK(wrong.exit_code == 2);
        CHECK(wrong.err.find("expected path=value") != std::string::npos);
    }

    TEST_CASE("files are chosen and cancelled by the keyboard alone") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey ctrl+P\nexpect \"Save the picture as/Path\"\nkey escape\n"
            "wait frames 3\nrefuse \"Save the picture as/Path\"\nkey ctrl+P\n"
            "expect \"Save the picture as/Path\"\nwait frames 3\nkey ctrl+A\ntype @keys.exr\n"
            "key enter\nwait frames 3\nwait saved\nhash @hash\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(verified_film_hash(desk.file("keys.exr")) == desk.line_of("hash"));
    }

    TEST_CASE("the copied command renders the same film with edits unsaved or in a file") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended =
            desk.view(kEdit +
                          "drag 50% 50% 60% 50% left\nwait done\nhash @unsaved\nkey ctrl+shift+C\n"
                          "clipboard @unsaved.sh\n"
                          "click File\nclick \"File/Save edits as ...\"\nwait frames 5\n"
                          "click \"Save edits as/Path\"\nkey ctrl+A\ntype @room.json\n"
                          "click \"Save edits as/Choose\"\n"
                          "drag 50% 50% 55% 45% left\n"
                          "key R\ndrag 25% 20% 75% 60% left\nwait done\nhash @saved\n"
                          "click File\nclick \"File/Copy render command\"\nclipboard @saved.sh\n"
                          "key ctrl+Q\nwait frames 1000000\n",
                      with(kSmall, {"--filter", "box", "--seed", "3", "--exposure", "-0.5"}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        for (const std::string name : {"unsaved", "saved"}) {
            const std::string line = desk.line_of(name + ".sh");
            CHECK((line.find("--edits") != std::string::npos) == (name == "saved"));
            REQUIRE_MESSAGE(desk.run_line(line) == 0, line);
            CHECK_MESSAGE(verified_film_hash(desk.file("picture.exr")) == desk.line_of(name), line);
        }
        CHECK(desk.line_of("unsaved") != desk.line_of("saved"));
    }

    TEST_CASE("the copied command finds the files of edits from any folder") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        film::Picture map;
        map.width = 8;
        map.height = 4;
        map.channels = 3;
        map.pixels.assign(96, 2.0F);
        REQUIRE(film::write_picture(desk.file("sky.hdr"), map).is_ok());
        std::ofstream(desk.file("room.json"))
            << R"({"weft_edits": 1, "edits": [{"path": "environment/file", "value": "sky.hdr"}]})";
        const Ended ended = desk.view(
            "wait done\ndrop @room.json\nwait frames 5\nwait done\nhash @lit\n"
            "key ctrl+shift+C\nclipboard @copied\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        REQUIRE_MESSAGE(desk.run_line(desk.line_of("copied")) == 0, desk.line_of("copied"));
        CHECK(verified_film_hash(desk.file("picture.exr")) == desk.line_of("lit"));
    }

    TEST_CASE("edits of a killed viewer are offered at the next start") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        leave_unsaved_edits(desk);
        const Ended recovered = desk.view(
            "wait done\nhash @before\nclick \"Unsaved edits/Recover\"\nwait done\nhash @after\n"
            "refuse \"Unsaved edits/Recover\"\nquit\n",
            kSmall);
        CHECK(recovered.err == "");
        CHECK(recovered.exit_code == 0);
        CHECK(!desk.line_of("edited").empty());
        CHECK(desk.line_of("before") == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("after") == desk.line_of("edited"));
        const Ended next =
            desk.view("wait done\nwait frames 5\nrefuse \"Unsaved edits/Recover\"\nquit\n", kSmall);
        CHECK(next.err == "");
        CHECK(next.exit_code == 0);
    }

    TEST_CASE("leaving before an answer about old edits asks again and loses neither") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        leave_unsaved_edits(desk);
        const Ended left = desk.view(
            "wait done\nexpect \"Unsaved edits/Recover\"\nclose\nexpect \"Leave?/Stay\"\n"
            "refuse \"Unsaved edits/Recover\"\nclick \"Leave?/Stay\"\n"
            "expect \"Unsaved edits/Recover\"\nclose\nclick \"Leave?/Do not save\"\n"
            "wait frames 1000000\n",
            with(kSmall, {"--set", "materials/red/roughness=0.5"}));
        CHECK(left.err == "");
        CHECK(left.exit_code == 0);
        const Ended recovered = desk.view(
            "wait done\nclick \"Unsaved edits/Recover\"\nwait done\nhash @after\nquit\n", kSmall);
        CHECK(recovered.err == "");
        CHECK(recovered.exit_code == 0);
        CHECK(!desk.line_of("edited").empty());
        CHECK(desk.line_of("after") == desk.line_of("edited"));
    }

    TEST_CASE("edits that another viewer saved meanwhile are moved aside") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments own = with_own_cornell(desk);
        const std::string beside = desk.file("cornell.gltf.weft-edits.json");
        // The viewer blocks on writing to the pipe until a reader opens it.
        REQUIRE(::mkfifo(desk.file("gate").c_str(), 0600) == 0);
        WeftProcess viewer(desk.with_script(
            kEdit + "hash @edited\nkey ctrl+S\nexpect \"Status/" + beside +
                " is written\"\nsay saved\nnames @gate\nkey ctrl+shift+C\nclipboard @line\n"
                "key ctrl+S\nexpect \"Status/" +
                beside + " is written; the edits that were there before are in " + beside +
                ".old\"\nquit\n",
            own));
        REQUIRE(viewer.wait_until(
            [](const std::string& err) { return err.find("saved") != std::string::npos; }));
        const std::string text =
            R"({"weft_edits": 1, "edits": [{"path": "materials/red/roughness", "value": 0.25}]})";
        std::ofstream(beside) << text;
        CHECK(!desk.places_of("gate").empty());
        const Ended ended = viewer.wait();
        CHECK(ended.exit_code == 0);
        CHECK(desk.line_of("cornell.gltf.weft-edits.json.old") == text);
        CHECK(desk.rendered_hash(with(own, {"--edits", beside})) == desk.line_of("edited"));
        // The copied command does not name a file that holds other edits now.
        CHECK(desk.line_of("line").find("--edits") == std::string::npos);
    }

    TEST_CASE("a lost display ends the viewer with one sentence and keeps the edits") {
        Desk desk;
        if (!desk.is_there()) {
            return;
        }
        WeftProcess left(
            desk.with_script(kEdit + "hash @edited\nsay kept\nwait frames 1000000\n", kSmall));
        REQUIRE(left.wait_until(
            [](const std::string& err) { return err.find("kept") != std::string::npos; }));
        desk.display.end();
        const Ended ended = left.wait();
        CHECK(ended.exit_code == 1);
        CHECK(ended.err.find("weft: the display of the window is gone; edits") !=
              std::string::npos);
        const std::size_t begin = ended.err.find("are in ") + 7;
        const std::string kept = ended.err.substr(begin, ended.err.find(", and", begin) - begin);
        CHECK(desk.rendered_hash(with(kSmall, {"--edits", kept})) == desk.line_of("edited"));
    }

    TEST_CASE("unsaved edits wait for their scene when another one is opened") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            kEdit +
                "hash @edited\ndrop procedural:spheres:500\nwait scene\nwait done\n"
                "expect \"Status/procedural:spheres:500: 500 triangles in 6 instances, 67 "
                "materials; when it is opened again, unsaved edits wait in cornell\"\n"
                "refuse \"Unsaved edits/Recover\"\ndrop cornell\nwait scene\n"
                "click \"Unsaved edits/Recover\"\nwait frames 3\nwait done\nhash @again\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("again") == desk.line_of("edited"));
        CHECK(desk.line_of("again") != desk.rendered_hash(kSmall));
    }

    TEST_CASE("edits saved beside a scene are read with it again") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments own = with_own_cornell(desk);
        const Ended saved = desk.view(kEdit +
                                          "hash @edited\nkey ctrl+S\nkey ctrl+Q\n"
                                          "wait frames 1000000\n",
                                      own);
        CHECK(saved.err == "");
        REQUIRE(saved.exit_code == 0);
        CHECK(fs::exists(desk.file("cornell.gltf.weft-edits.json")));
        const Ended again = desk.view("wait done\nhash @again\nquit\n", own);
        CHECK(again.err == "");
        CHECK(desk.line_of("again") == desk.line_of("edited"));
        CHECK(desk.line_of("again") != desk.rendered_hash(own));
        CHECK(
            desk.rendered_hash(with(own, {"--edits", desk.file("cornell.gltf.weft-edits.json")})) ==
            desk.line_of("edited"));
        // Edits dropped on the window apply to the open scene.
        const Ended dropped = desk.view(
            "wait done\ndrop @cornell.gltf.weft-edits.json\nwait frames 3\nwait done\n"
            "hash @dropped\nkey ctrl+Z\nwait done\nhash @undone\nquit\n",
            kSmall);
        CHECK(dropped.err == "");
        REQUIRE(dropped.exit_code == 0);
        CHECK(desk.line_of("dropped") == desk.line_of("edited"));
        CHECK(desk.line_of("undone") == desk.rendered_hash(kSmall));
    }

    TEST_CASE("edits dropped with their scene apply to it and not to the previous one") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments own = with_own_cornell(desk);
        std::ofstream(desk.file("room.json"))
            << R"({"weft_edits": 1, "edits": [{"path": "materials/white/roughness", "value": 0.25}]})";
        const Ended ended = desk.view(
            "wait done\ndrop @cornell.gltf furnace\nwait scene\nwait done\nexpect \"Status/" +
                desk.file("cornell.gltf") +
                " and 1 more: 8876 triangles in 13 instances, 9 materials\"\n"
                "drop @room.json @room.json furnace\nexpect \"Status/" +
                desk.file("room.json") + " and " + desk.file("room.json") +
                " hold edits: drop a scene with one file of them, the others on the scene\"\n"
                "drop @room.json @cornell.gltf\nwait scene\nwait done\nhash @edited\n"
                "key ctrl+Z\nwait done\nhash @plain\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("edited") ==
              desk.rendered_hash(with(own, {"--edits", desk.file("room.json")})));
        CHECK(desk.line_of("plain") == desk.rendered_hash(own));
        const Ended early =
            desk.view("drop @room.json\nexpect \"Status/" + desk.file("room.json") +
                          " holds edits: open the scene that they are for first\"\nquit\n",
                      {});
        CHECK(early.err == "");
        CHECK(early.exit_code == 0);
    }

    TEST_CASE("a scene opens with those of its edits that fit and loses none") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments own = with_own_cornell(desk);
        const std::string beside = desk.file("cornell.gltf.weft-edits.json");
        const std::string text =
            R"({"weft_edits": 1, "edits": [{"path": "materials/gone/roughness", "value": 0.5}, )"
            R"({"path": "materials/white/roughness", "value": 0.25}]})";
        std::ofstream(beside) << text;
        const Ended misfit = desk.view(
            "wait done\nexpect Status/error\nhash @fitting\nkey ctrl+S\n"
            "expect \"Status/" +
                beside + " is written; the edits that were there before are in " + beside +
                ".old\"\nkey ctrl+Q\nwait frames 1000000\n",
            own);
        CHECK(misfit.err == "");
        REQUIRE(misfit.exit_code == 0);
        CHECK(desk.line_of("fitting") ==
              desk.rendered_hash(with(own, {"--set", "materials/white/roughness=0.25"})));
        CHECK(desk.line_of("cornell.gltf.weft-edits.json.old") == text);
        CHECK(desk.rendered_hash(with(own, {"--edits", beside})) == desk.line_of("fitting"));
        std::ofstream(beside) << "{\"weft_edits\": 1, \"edits\": [{\"pa";
        const Ended damaged = desk.view("wait done\nexpect Status/error\nhash @plain\nquit\n", own);
        CHECK(damaged.err == "");
        CHECK(damaged.exit_code == 0);
        CHECK(desk.line_of("plain") == desk.rendered_hash(own));
    }
}

}  // namespace weft::app::testing
