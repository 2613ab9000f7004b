// test_view_edits.cpp — where the window keeps edits: unsaved ones with any panel open, and those
// of scenes that are not files.
#include <csignal>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

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
