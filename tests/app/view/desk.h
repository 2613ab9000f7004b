// desk.h — an environment for viewer tests: a display, and a folder for settings, scripts and
// pictures.
//
// The tests that start the program with a script of input events use it. Without Xvfb it says so,
// and those tests are skipped. One at a time: it sets the environment of this process.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/app/view/own_display.h"
#include "tests/app/weft_process.h"
#include "tests/skipped.h"

namespace weft::app::testing {

using Arguments = std::vector<std::string>;

// A scene that renders at once.
inline const Arguments kSmall = {"cornell", "--width", "120", "--height", "90", "--spp", "4"};

inline Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// The rectangle of a widget, in window coordinates.
struct Place {
    float x0 = 0;
    float y0 = 0;
    float x1 = 0;
    float y1 = 0;
};

struct Desk {
    Desk();
    ~Desk();
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    // Whether a window can be opened. False without Xvfb: the running test is skipped.
    [[nodiscard]] bool is_there() const {
        return tests::is_there_or_skipped(display.is_there(), "Xvfb", tests::Source::DevTest);
    }

    // The path of a file in the desk's folder.
    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder / name).string();
    }

    // The viewer's arguments with this script; words @NAME in it are files of the desk.
    [[nodiscard]] Arguments with_script(const std::string& script,
                                        const Arguments& arguments) const;

    // Runs the viewer with this script.
    [[nodiscard]] Ended view(const std::string& script, const Arguments& arguments) const;

    // The first line of a file; "" if there is none.
    [[nodiscard]] std::string line_of(const std::string& name) const;

    // Reads a file that the script command `names` wrote.
    [[nodiscard]] std::map<std::string, Place> places_of(const std::string& name) const;

    // Runs a `weft` command in a shell in the desk's folder; returns the exit code.
    [[nodiscard]] int run_line(const std::string& line) const;

    // The film hash of `weft render` with these arguments. Rendered once by this process unless
    // they name files of the desk.
    [[nodiscard]] std::string rendered_hash(const Arguments& arguments) const;

    std::filesystem::path folder;
    OwnDisplay display;
};

}  // namespace weft::app::testing
