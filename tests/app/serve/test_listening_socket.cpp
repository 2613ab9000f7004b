// test_listening_socket.cpp — the folder of a server's socket, and whose clients it takes.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/serve/listening_socket.h"
#include "tests/engine/film/film_scenes.h"

namespace {

using namespace weft;
using app::serve::ListeningSocket;
using film::TestFolder;
using pages::FileDescriptor;
namespace fs = std::filesystem;

FileDescriptor connected(const std::string& path) {
    FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    REQUIRE(::connect(client.number(),
                      reinterpret_cast<const sockaddr*>(&address),
                      sizeof(address)) == 0);
    return client;
}

mode_t mode_of(const std::string& path) {
    struct stat status = {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    return status.st_mode & 0777;
}

std::string folder_refusal(const std::string& folder) {
    const auto socket = ListeningSocket::open(folder);
    return socket.is_ok() ? std::string() : socket.error().sentence;
}

}  // namespace

TEST_SUITE("app/serve/listening_socket") {
    TEST_CASE("the folder is made with mode 0700 and the socket goes with the server") {
        const TestFolder test;
        const std::string folder = test.file("deep/weft");
        std::string path;
        {
            const auto socket = ListeningSocket::open(folder);
            REQUIRE_MESSAGE(socket.is_ok(), socket.error().sentence);
            path = socket.value().path();
            CHECK(mode_of(folder) == 0700);
            CHECK(fs::path(path).parent_path() == folder);
            CHECK(!socket.value().accept(0));
            const FileDescriptor client = connected(path);
            const auto accepted = socket.value().accept(1000);
            REQUIRE(accepted);
            CHECK(app::serve::check_peer(*accepted, ::geteuid()).is_ok());
        }
        CHECK(!fs::exists(path));
        CHECK(fs::exists(folder));
    }

    TEST_CASE("the place of a killed server of the same number is taken") {
        const TestFolder test;
        const std::string folder = test.file("weft");
        fs::create_directory(folder);
        fs::permissions(folder, fs::perms::owner_all);
        film::put_bytes(folder + "/serve-" + std::to_string(::getpid()) + ".sock", "left");
        CHECK(folder_refusal(folder).empty());
    }

    TEST_CASE("a folder that others may enter is refused") {
        const TestFolder test;
        const std::string folder = test.file("open");
        fs::create_directory(folder);
        for (const mode_t mode : {0755U, 0770U, 0701U}) {
            ::chmod(folder.c_str(), mode);
            CHECK(folder_refusal(folder) == folder + ": others may enter it, expected mode 0700");
        }
        fs::create_directory_symlink(folder, test.file("link"));
        CHECK(folder_refusal(test.file("link")).find("found something else or a link") !=
              std::string::npos);
    }

    TEST_CASE("a folder of another user is refused") {
        if (::geteuid() != 0) {
            return;  // only root can give a folder away
        }
        const TestFolder test;
        const std::string folder = test.file("theirs");
        fs::create_directory(folder);
        fs::permissions(folder, fs::perms::owner_all);
        REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0);
        CHECK(folder_refusal(folder).find("it belongs to user 65534") != std::string::npos);
    }

    TEST_CASE("a path that is too long for a socket is refused") {
        const TestFolder test;
        CHECK(folder_refusal(test.file(std::string(100, 'x'))).find("too long for a socket") !=
              std::string::npos);
    }

    TEST_CASE("without a folder it is that of the session or a new one") {
        const TestFolder test;
        const char* const kept = std::getenv("XDG_RUNTIME_DIR");
        const std::string before = kept ? kept : "";
        ::setenv("XDG_RUNTIME_DIR", test.file("").c_str(), 1);
        {
            const auto socket = ListeningSocket::open("");
            REQUIRE_MESSAGE(socket.is_ok(), socket.error().sentence);
            CHECK(fs::path(socket.value().path()).parent_path() == test.file("weft"));
        }
        ::unsetenv("XDG_RUNTIME_DIR");
        fs::path folder;
        {
            const auto socket = ListeningSocket::open("");
            REQUIRE_MESSAGE(socket.is_ok(), socket.error().sentence);
            folder = fs::path(socket.value().path()).parent_path();
            CHECK(mode_of(folder) == 0700);
        }
        CHECK(!fs::exists(folder));
        if (kept != nullptr) {
            ::setenv("XDG_RUNTIME_DIR", before.c_str(), 1);
        }
    }

    TEST_CASE("a client of another user is refused") {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        const FileDescriptor ours(ends[0]);
        const FileDescriptor theirs(ends[1]);
        const base::Status checked = app::serve::check_peer(ours, ::geteuid() + 1);
        REQUIRE(!checked.is_ok());
        CHECK(checked.error().sentence == "a client of user " + std::to_string(::geteuid()) +
                                              "; expected user " + std::to_string(::geteuid() + 1) +
                                              ", who runs the server");
    }
}
