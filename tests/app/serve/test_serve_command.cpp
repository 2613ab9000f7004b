// test_serve_command.cpp — `weft serve` as a host starts it: one line, one client, and its end.
#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/pages/file_descriptor.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/rest.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using pages::FileDescriptor;
namespace fs = std::filesystem;

std::string framed(const std::string& text) {
    std::string bytes;
    for (u32 k = 0; k < 4; ++k) {
        bytes += static_cast<char>(text.size() >> (8 * k) & 0xff);
    }
    return bytes + text;
}

const std::string kHello = framed(R"({"do": "hello", "version": 1, "id": 1})");

std::string socket_of(const TestFolder& folder, const WeftProcess& server) {
    return folder.file("weft/serve-" + std::to_string(server.id()) + ".sock");
}

// Connects as soon as the server listens.
FileDescriptor connect_to(const std::string& path) {
    FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    while (::connect(client.number(),
                     reinterpret_cast<const sockaddr*>(&address),
                     sizeof(address)) != 0) {
        tests::rest();
    }
    return client;
}

void put(const FileDescriptor& client, const std::string& bytes) {
    REQUIRE(::send(client.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
}

// Waits for bytes that hold this text; false: the server has closed the connection.
bool hears(const FileDescriptor& client, const std::string& text) {
    std::string heard;
    std::array<char, 4096> bytes;
    while (heard.find(text) == std::string::npos) {
        const ssize_t count = ::recv(client.number(), bytes.data(), bytes.size(), 0);
        if (count <= 0) {
            return false;
        }
        heard.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

TEST_SUITE("app/serve_command") {
    TEST_CASE("the server says where it listens and ends when its client goes") {
        const TestFolder folder;
        WeftProcess server({"serve", "--folder", folder.file("weft"), "-t", "1"});
        const std::string path = socket_of(folder, server);
        {
            const FileDescriptor client = connect_to(path);
            put(client, kHello);
            CHECK(hears(client, "\"program\":\"weft "));
        }
        const Ended ended = server.wait();
        CHECK(ended.exit_code == kExitDone);
        CHECK(ended.out == path + "\n");
        CHECK(ended.err.empty());
        CHECK(!fs::exists(path));
    }

    TEST_CASE("a second client is refused while one is served") {
        const TestFolder folder;
        WeftProcess server({"serve", "--folder", folder.file("weft"), "-t", "1"});
        const std::string path = socket_of(folder, server);
        {
            const FileDescriptor client = connect_to(path);
            put(client, kHello);
            CHECK(hears(client, "\"id\":1"));
            const FileDescriptor other = connect_to(path);
            CHECK(hears(other, "another one is served"));
            CHECK(!hears(other, "more"));
            // One that says hello is closed without a reset.
            const FileDescriptor third = connect_to(path);
            put(third, kHello);
            CHECK(hears(third, "another one is served"));
            char byte = 0;
            CHECK(::recv(third.number(), &byte, 1, 0) == 0);
            put(client, kHello);
            CHECK(hears(client, "\"id\":1"));
        }
        CHECK(server.wait().exit_code == kExitDone);
    }

    TEST_CASE("a server that stays outlives a client that died and ends on quit") {
        const TestFolder folder;
        WeftProcess server({"serve", "--folder", folder.file("weft"), "--stay", "-t", "1"});
        const std::string path = socket_of(folder, server);
        {
            const FileDescriptor client = connect_to(path);
            put(client, kHello.substr(0, 7));
        }
        {
            const FileDescriptor broken = connect_to(path);
            put(broken, "\xff\xff\xff\xff");
            CHECK(hears(broken, "a message of 4294967295 bytes"));
        }
        const FileDescriptor client = connect_to(path);
        put(client, kHello + framed(R"({"do": "quit"})"));
        const Ended ended = server.wait();
        CHECK(ended.exit_code == kExitDone);
        CHECK(ended.err.find("the client went in the middle of a message") != std::string::npos);
    }

    TEST_CASE("a signal ends the server and removes its socket") {
        const TestFolder folder;
        WeftProcess server({"serve", "--folder", folder.file("weft"), "-t", "1"});
        const std::string path = socket_of(folder, server);
        const FileDescriptor client = connect_to(path);
        put(client, kHello);
        CHECK(hears(client, "\"id\":1"));
        server.send(SIGTERM);
        CHECK(server.wait().exit_code == kExitSignal);
        CHECK(!fs::exists(path));
    }

    TEST_CASE("a folder that others may enter is refused with code 4") {
        const TestFolder folder;
        fs::create_directory(folder.file("weft"));
        fs::permissions(folder.file("weft"), fs::perms::all);
        const Ended ended = run_weft({"serve", "--folder", folder.file("weft")});
        CHECK(ended.exit_code == kExitOutput);
        CHECK(ended.err.find("others may enter it, expected mode 0700") != std::string::npos);
        CHECK(ended.out.empty());
    }
}

}  // namespace weft::app::testing
