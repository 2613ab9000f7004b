// scene_files.h — a temporary folder for the scene files that a test writes.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/scene/import.h"
#include "tests/engine/scene/scene_notes.h"

namespace weft::scene::testing {

// A fresh folder, removed with all it holds.
class Folder {
public:
    explicit Folder(const std::string& name)
        // Named by this process: the same test of another build may run at the same time.
        : path_(std::filesystem::temp_directory_path() /
                ("weft_test_" + name + "_" + std::to_string(getpid()))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }

    ~Folder() {
        std::error_code problem;
        std::filesystem::remove_all(path_, problem);
    }

    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }

    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(file(name), std::ios::binary) << bytes;
        return file(name);
    }

private:
    std::filesystem::path path_;
};

inline Scene read(const std::vector<std::string>& sources, const ImportConfig& config = {}) {
    auto scene = import_scene(sources, config);
    REQUIRE_MESSAGE(scene.is_ok(), scene.error().sentence);
    return std::move(scene.value());
}

// The sentence of a file that cannot be used.
inline std::string complaint(const std::string& source, const ImportConfig& config = {}) {
    const auto scene = import_scene({source}, config);
    REQUIRE_FALSE(scene.is_ok());
    CHECK(scene.error().kind == base::ErrorKind::Scene);
    return scene.error().sentence;
}

}  // namespace weft::scene::testing
