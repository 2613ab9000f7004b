// test_whole_file.cpp — whole or not at all: the files on the disk after each kind of failure.
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "engine/film/whole_file.h"
#include "scheduler/base/temporary_files.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::film {

namespace {

// While it lives no file of this process may grow beyond `bytes`, as on a full disk.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }

    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    ~SmallDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

constexpr std::array<const char*, 5> kNames{"p.exr", "p.png", "p.jpg", "p.hdr", "p.tif"};

}  // namespace

TEST_SUITE("engine/film/whole_file") {
    TEST_CASE("a folder that cannot be written gives one sentence and no file in any format") {
        const TestFolder folder;
        put_bytes(folder.file("plain"), "a file where a folder is wanted");
        const Film film = ramp_film(8, 8, {0, 0, 8, 8});
        for (const char* name : kNames) {
            for (const std::string& place : {std::string("missing/"), std::string("plain/")}) {
                const std::string path = folder.file(place + name);
                CAPTURE(path);
                for (const base::Status& status :
                     {write_image(path, film, {}), check_image_target(path, {})}) {
                    REQUIRE_FALSE(status.is_ok());
                    CHECK(status.error().kind == base::ErrorKind::Output);
                    CHECK(status.error().sentence.find(path) == 0);
                    CHECK(status.error().sentence.find('\n') == std::string::npos);
                }
            }
        }
        CHECK(folder.files() == std::vector<std::string>{"plain"});
    }

    TEST_CASE("a disk that fills up leaves the file that was there and no other") {
        const TestFolder folder;
        const Film film = ramp_film(200, 150, {0, 0, 200, 150}, {Aov::Albedo});
        for (const char* name : kNames) {
            CAPTURE(std::string(name));
            const std::string path = folder.file(name);
            put_bytes(path, "the picture of yesterday");
            // From no room to nearly enough: the encoders fail in different places.
            for (const rlim_t room : {rlim_t{0}, rlim_t{100}, rlim_t{3000}, rlim_t{9000}}) {
                CAPTURE(room);
                const base::Status status = [&] {
                    const SmallDisk disk(room);
                    return write_image(path, film, {});
                }();
                REQUIRE_FALSE(status.is_ok());
                CHECK(status.error().kind == base::ErrorKind::Output);
                CHECK(status.error().sentence.find(path) == 0);
                CHECK(bytes_of(path) == "the picture of yesterday");
                CHECK(folder.files() == std::vector<std::string>{name});
            }
            REQUIRE(write_image(path, film, {}).is_ok());
            CHECK(bytes_of(path).size() > 9000);
            CHECK(folder.files() == std::vector<std::string>{name});
            std::filesystem::remove(path);
        }
    }

    TEST_CASE("a folder of the wanted name is not replaced") {
        const TestFolder folder;
        std::filesystem::create_directories(folder.file("picture.exr"));
        const Film film = ramp_film(8, 8, {0, 0, 8, 8});
        const base::Status status = write_image(folder.file("picture.exr"), film, {});
        REQUIRE_FALSE(status.is_ok());
        CHECK(status.error().kind == base::ErrorKind::Output);
        CHECK(std::filesystem::is_directory(folder.file("picture.exr")));
        CHECK(folder.files() == std::vector<std::string>{"picture.exr"});
    }

    TEST_CASE("a symbolic link stays one and the file behind it is replaced") {
        const TestFolder folder;
        put_bytes(folder.file("real.json"), "before");
        std::filesystem::create_symlink(folder.file("real.json"), folder.file("link.json"));
        base::Result<WholeFile> opened = WholeFile::open(folder.file("link.json"));
        REQUIRE(opened.is_ok());
        CHECK(opened.value().write_at("after", 5, 0) == 5);
        CHECK(bytes_of(folder.file("real.json")) == "before");
        REQUIRE(opened.value().commit().is_ok());
        CHECK(bytes_of(folder.file("real.json")) == "after");
        CHECK(std::filesystem::is_symlink(folder.file("link.json")));
        CHECK(folder.files().size() == 2);
    }

    TEST_CASE("a pipe is written through in one pass and stays a pipe") {
        const TestFolder folder;
        const std::string path = folder.file("pipe");
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        const std::string text(200000, 'x');
        std::string read;
        std::thread reader([&] { read = bytes_of(path); });
        base::Result<WholeFile> opened = WholeFile::open(path);
        REQUIRE(opened.is_ok());
        CHECK(opened.value().write_at(text.data(), text.size(), 0) == text.size());
        CHECK(opened.value().commit().is_ok());
        reader.join();
        CHECK(read == text);
        CHECK(std::filesystem::is_fifo(path));
    }

    TEST_CASE("a good target is accepted without leaving anything behind") {
        const TestFolder folder;
        CHECK(check_image_target(folder.file("picture.png"), {}).is_ok());
        CHECK(folder.files().empty());
        put_bytes(folder.file("picture.png"), "before");
        CHECK(check_image_target(folder.file("picture.png"), {}).is_ok());
        CHECK(bytes_of(folder.file("picture.png")) == "before");
    }

    TEST_CASE("a process that leaves at once takes its unfinished files away and no others") {
        const TestFolder folder;
        put_bytes(folder.file("finished.json"), "whole");
        base::Result<WholeFile> first = WholeFile::open(folder.file("finished.json"));
        base::Result<WholeFile> second = WholeFile::open(folder.file("new.json"));
        REQUIRE(first.is_ok());
        REQUIRE(second.is_ok());
        CHECK(second.value().write_at("half", 4, 0) == 4);
        CHECK(folder.files().size() == 3);
        base::remove_temporary_files();
        CHECK(folder.files() == std::vector<std::string>{"finished.json"});
        CHECK(bytes_of(folder.file("finished.json")) == "whole");
    }

    TEST_CASE("nothing stands under the name before commit and nothing else after it") {
        const TestFolder folder;
        const std::string path = folder.file("text.json");
        {
            base::Result<WholeFile> file = WholeFile::open(path);
            REQUIRE(file.is_ok());
            CHECK(file.value().write_at("half", 4, 0) == 4);
            CHECK_FALSE(std::filesystem::exists(path));
        }
        CHECK(folder.files().empty());
        base::Result<WholeFile> opened = WholeFile::open(path);
        REQUIRE(opened.is_ok());
        WholeFile file = std::move(opened.value());
        CHECK(file.write_at("whole", 5, 0) == 5);
        CHECK(file.size_bytes() == 5);
        REQUIRE(file.commit().is_ok());
        CHECK(bytes_of(path) == "whole");
        CHECK(folder.files() == std::vector<std::string>{"text.json"});
    }

    TEST_CASE("temporary names are used again and two files that are open at once have two") {
        const TestFolder folder;
        const auto open = [&] {
            base::Result<WholeFile> file = WholeFile::open(folder.file("a.bin"));
            REQUIRE(file.is_ok());
            return std::move(file.value());
        };
        std::string first;
        {
            const WholeFile one = open();
            const WholeFile two = open();
            first = one.temporary_path();
            CHECK(two.temporary_path() != first);
        }
        CHECK(open().temporary_path() == first);
    }

    TEST_CASE("a link that leads to no file yet stays a link and its target is written") {
        const TestFolder folder;
        std::filesystem::create_directory(folder.file("far"));
        std::filesystem::create_symlink("second", folder.file("first"));
        std::filesystem::create_symlink("far/real", folder.file("second"));
        base::Result<WholeFile> file = WholeFile::open(folder.file("first"));
        REQUIRE(file.is_ok());
        CHECK(file.value().write_at("new", 3, 0) == 3);
        REQUIRE(file.value().commit().is_ok());
        CHECK(std::filesystem::is_symlink(folder.file("first")));
        CHECK(std::filesystem::is_symlink(folder.file("second")));
        CHECK_FALSE(std::filesystem::is_symlink(folder.file("far/real")));
        CHECK(bytes_of(folder.file("far/real")) == "new");
    }

    TEST_CASE("a link into a missing folder and a circle of links are refused and stay") {
        const TestFolder folder;
        std::filesystem::create_symlink("missing/real", folder.file("lost"));
        std::filesystem::create_symlink("one", folder.file("other"));
        std::filesystem::create_symlink("other", folder.file("one"));
        for (const char* name : {"lost", "one"}) {
            CAPTURE(std::string(name));
            const base::Result<WholeFile> file = WholeFile::open(folder.file(name));
            REQUIRE_FALSE(file.is_ok());
            CHECK(file.error().kind == base::ErrorKind::Output);
            CHECK(std::filesystem::is_symlink(folder.file(name)));
        }
        CHECK(folder.files() == std::vector<std::string>{"lost", "one", "other"});
    }
}

}  // namespace weft::film
