// desk.cpp — the desk's folder lies in the current one, is named after this process, and is removed
// with the desk.
#include "tests/app/view/desk.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace fs = std::filesystem;

Desk::Desk() : folder(fs::current_path() / ("viewer_desk_" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    ::setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
}

Desk::~Desk() {
    std::error_code problem;
    fs::remove_all(folder, problem);
}

Arguments Desk::with_script(const std::string& script, const Arguments& arguments) const {
    std::string text;
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
        std::size_t at = 0;
        while ((at = line.find('@')) != std::string::npos) {
            line.replace(at, 1, folder.string() + "/");
        }
        text += line + '\n';
    }
    std::ofstream(file("script.txt")) << text;
    Arguments all = {"view"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--script", file("script.txt"), "--jit", "off"});
    return all;
}

Ended Desk::view(const std::string& script, const Arguments& arguments) const {
    return run_weft(with_script(script, arguments));
}

std::string Desk::line_of(const std::string& name) const {
    std::ifstream stream(file(name));
    std::string line;
    std::getline(stream, line);
    return line;
}

std::map<std::string, Place> Desk::places_of(const std::string& name) const {
    std::map<std::string, Place> places;
    std::ifstream stream(file(name));
    for (std::string line; std::getline(stream, line);) {
        const std::size_t tab = line.find('\t');
        REQUIRE_MESSAGE(tab != std::string::npos, line);
        Place place;
        std::istringstream(line.substr(tab + 1)) >> place.x0 >> place.y0 >> place.x1 >> place.y1;
        places[line.substr(0, tab)] = place;
    }
    return places;
}

int Desk::run_line(const std::string& line) const {
    const fs::path program = WEFT_BINARY_DIR;  // of this build
    std::ofstream(file("line.sh"))
        << "PATH='" << program.string() << "':$PATH\ncd '" << folder.string() << "'\n"
        << line << " -q\n";
    return std::system(("sh '" + file("line.sh") + "'").c_str());
}

std::string Desk::rendered_hash(const Arguments& arguments) const {
    static std::map<Arguments, std::string> known;
    const bool reads_files =
        std::any_of(arguments.begin(), arguments.end(), [this](const std::string& word) {
            return word.find(folder.string()) != std::string::npos;
        });
    if (!reads_files && known.contains(arguments)) {
        return known.at(arguments);
    }
    const std::string picture = file("rendered.exr");
    Arguments all = {"render"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"-q", "-o", picture});
    const Ended rendered = run_weft(all);
    REQUIRE_MESSAGE(rendered.exit_code == 0, rendered.err);
    const std::string hash = verified_film_hash(picture);
    if (!reads_files) {
        known[arguments] = hash;
    }
    return hash;
}

}  // namespace weft::app::testing
