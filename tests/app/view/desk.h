// desk.h — a place to try the viewer at: a display, and a folder for settings, scripts and
// pictures.
//
// Used by the tests that start the program with a script of input events. Where there is no Xvfb it
// says so, and those tests end. One at a time: it sets the environment of this process.
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

// A picture that takes no time.
inline const Arguments kSmall = {"cornell", "--width", "120", "--height", "90", "--spp", "4"};

inline Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// Where a widget lies, in window coordinates.
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

    // Whether a window can be opened.
    // False where there is no Xvfb: the running test is skipped.
    [[nodiscard]] bool is_there() const {
        return tests::is_there_or_skipped(display.is_there(), "Xvfb", tests::Source::DevTest);
    }

    // A file of the desk.
    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder / name).string();
    }

    // The arguments of the viewer with this script; the words @NAME in it are files of the desk.
    [[nodiscard]] Arguments with_script(const std::string& script,
                                        const Arguments& arguments) const;

    // Runs the viewer so.
    [[nodiscard]] Ended view(const std::string& script, const Arguments& arguments) const;

    // The first line of a file; "" where there is none.
    [[nodiscard]] std::string line_of(const std::string& name) const;

    // What the word `names` of a script has written to a file of the desk.
    [[nodiscard]] std::map<std::string, Place> places_of(const std::string& name) const;

    // The exit code of a `weft` line in a shell whose current folder is the desk.
    [[nodiscard]] int run_line(const std::string& line) const;

    // The film hash that `weft render` gives with these arguments.
    [[nodiscard]] std::string rendered_hash(const Arguments& arguments) const;

    std::filesystem::path folder;
    OwnDisplay display;
};

}  // namespace weft::app::testing
