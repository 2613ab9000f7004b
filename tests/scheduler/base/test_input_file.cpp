// test_input_file.cpp — regular files are read whole; everything else is refused without waiting.
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "scheduler/base/input_file.h"

using namespace weft;
using base::check_input_file;
using base::read_input_file;

namespace {

struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("weft_test_input_file_" + std::to_string(getpid()));

    Folder() { std::filesystem::create_directories(path); }

    ~Folder() { std::filesystem::remove_all(path); }

    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
};

std::string complaint(const std::string& path) {
    const auto bytes = read_input_file(path, "a file of edits");
    const auto checked = check_input_file(path, "a file of edits");
    REQUIRE_FALSE(bytes.is_ok());
    CHECK(bytes.error().kind == base::ErrorKind::Scene);
    if (!checked.is_ok()) {
        CHECK(checked.error().sentence == bytes.error().sentence);
    }
    return bytes.error().sentence;
}

}  // namespace

TEST_SUITE("scheduler/base/input_file") {
    TEST_CASE("a regular file comes back byte by byte") {
        const Folder folder;
        const std::string text("a\0b\xff\n", 5);
        std::ofstream(folder.file("a"), std::ios::binary) << text;
        std::filesystem::create_symlink("a", folder.file("link"));
        CHECK(base::as_text(read_input_file(folder.file("a"), "bytes").value()) == text);
        CHECK(base::as_text(read_input_file(folder.file("link"), "bytes", 5).value()) == text);
        CHECK(check_input_file(folder.file("link"), "bytes").is_ok());
    }

    TEST_CASE("a file larger than a strip is copied to where its reader wants it") {
        const Folder folder;
        std::string text(3'000'001, 'x');
        for (std::size_t k = 0; k < text.size(); ++k) {
            text[k] = static_cast<char>(k * 7 % 251);
        }
        std::ofstream(folder.file("a"), std::ios::binary) << text;
        std::string copy;
        const auto take = [&copy](u64 size_bytes) -> base::Result<u8*> {
            copy.resize(size_bytes);
            return reinterpret_cast<u8*>(copy.data());
        };
        CHECK(base::copy_input_file(folder.file("a"), "bytes", take).is_ok());
        CHECK(copy == text);
        // Where the reader has no room nothing is read.
        const auto refuse = [](u64 size_bytes) -> base::Result<u8*> {
            return base::Error{base::ErrorKind::TooLarge, std::to_string(size_bytes)};
        };
        const base::Status refused = base::copy_input_file(folder.file("a"), "bytes", refuse);
        REQUIRE_FALSE(refused.is_ok());
        CHECK(refused.error().sentence == "3000001");
        CHECK_FALSE(base::copy_input_file(folder.file("gone"), "bytes", take).is_ok());
    }

    TEST_CASE("pipes and devices and folders are refused before anything is read") {
        const Folder folder;
        REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
        CHECK(complaint(folder.file("pipe")) ==
              folder.file("pipe") + ": is a pipe, expected a file of edits");
        CHECK(complaint("/dev/zero") == "/dev/zero: is a device, expected a file of edits");
        CHECK(complaint(folder.file("")) ==
              folder.file("") + ": is a folder, expected a file of edits");
        CHECK(complaint(folder.file("gone")) ==
              folder.file("gone") + ": no such file, expected a file of edits");
    }

    TEST_CASE("a file beyond the limit is refused with both sizes") {
        const Folder folder;
        std::ofstream(folder.file("a")) << "12345";
        const auto bytes = read_input_file(folder.file("a"), "a file of edits", 4);
        REQUIRE_FALSE(bytes.is_ok());
        CHECK(bytes.error().sentence ==
              folder.file("a") + ": has 5 bytes, expected a file of edits of at most 4");
    }
}
