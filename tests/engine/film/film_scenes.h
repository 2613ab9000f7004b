// film_scenes.h — small films with every kind of value in them, and a folder for the files of one
// test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/film/film.h"

namespace weft::film {

// Smooth ramps, an alpha ramp, a few highlights and noise; two samples per pixel.
Film ramp_film(u32 width, u32 height, Region crop, const std::vector<Aov>& aovs = {});

// All AOVs that a film can have.
std::vector<Aov> all_aovs();

// A new folder below the build folder, removed with everything in it.
class TestFolder {
public:
    TestFolder();
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    ~TestFolder();

    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).string();
    }

    // Names of the files in it, sorted.
    [[nodiscard]] std::vector<std::string> files() const;

private:
    std::filesystem::path path_;
};

std::string bytes_of(const std::string& path);
void put_bytes(const std::string& path, const std::string& bytes);

// Changes one bit of the byte at this place of a file.
void flip_byte(const std::filesystem::path& path, u64 at);

}  // namespace weft::film
