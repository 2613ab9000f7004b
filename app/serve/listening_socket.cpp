#include "app/serve/listening_socket.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

#include "scheduler/base/cache_folder.h"

namespace weft::app::serve {

namespace {

namespace fs = std::filesystem;

// One client is served; so many more may wait for their refusal.
constexpr int kBacklog = 4;

base::Error refused(const std::string& path, const std::string& why) {
    return {base::ErrorKind::Output, path + ": " + why};
}

// A new folder of mode 0700 with a name that nobody could know before.
base::Result<fs::path> make_temporary_folder() {
    std::error_code failed;
    const fs::path place = fs::temp_directory_path(failed);
    std::string name = ((failed ? fs::path("/tmp") : place) / "weft-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        return refused(name, std::strerror(errno));
    }
    return fs::path(name);
}

// $XDG_RUNTIME_DIR/weft; empty: the variable names no folder.
fs::path runtime_folder() {
    const char* const place = std::getenv("XDG_RUNTIME_DIR");
    return place != nullptr && fs::path(place).is_absolute() ? fs::path(place) / "weft"
                                                             : fs::path();
}

// The error of a path that is too long for the address of a socket.
base::Result<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        return refused(path,
                       "its name is too long for a socket; expected at most " +
                           std::to_string(sizeof(address.sun_path) - 1) + " bytes");
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

base::Result<pages::FileDescriptor> listen_at(const std::string& path) {
    const base::Result<sockaddr_un> address = address_of(path);
    WEFT_TRY(address);
    pages::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::unlink(path.c_str());  // of a process of this number that was killed
    const auto* const place = reinterpret_cast<const sockaddr*>(&address.value());
    if (!socket.is_open() || ::bind(socket.number(), place, sizeof(sockaddr_un)) != 0 ||
        ::listen(socket.number(), kBacklog) != 0) {
        return refused(path, std::strerror(errno));
    }
    return socket;
}

}  // namespace

base::Status check_peer(const pages::FileDescriptor& socket, uid_t user) {
    ucred peer = {};
    socklen_t size = sizeof(peer);
    if (::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return base::Error{base::ErrorKind::Usage,
                           std::string("a client of no known user: ") + std::strerror(errno)};
    }
    if (peer.uid != user) {
        return base::Error{base::ErrorKind::Usage,
                           "a client of user " + std::to_string(peer.uid) + "; expected user " +
                               std::to_string(user) + ", who runs the server"};
    }
    return base::Done{};
}

base::Result<ListeningSocket> ListeningSocket::open(const std::string& named) {
    std::error_code failed;
    fs::path folder = named.empty() ? runtime_folder() : fs::absolute(named, failed);
    fs::path own;
    if (folder.empty()) {
        base::Result<fs::path> made = make_temporary_folder();
        WEFT_TRY(made);
        own = folder = made.value();
    } else {
        WEFT_TRY(base::make_private_folder(folder));
    }
    const std::string path = (folder / ("serve-" + std::to_string(::getpid()) + ".sock")).string();
    base::Result<pages::FileDescriptor> socket = listen_at(path);
    if (!socket.is_ok()) {
        fs::remove(own, failed);
        return socket.error();
    }
    return ListeningSocket(std::move(socket.value()), path, own);
}

ListeningSocket::~ListeningSocket() {
    if (!socket_.is_open()) {
        return;
    }
    std::error_code failed;
    fs::remove(path_, failed);
    if (!own_folder_.empty()) {
        fs::remove(own_folder_, failed);
    }
}

std::optional<pages::FileDescriptor> ListeningSocket::accept(int wait_ms) const {
    pollfd watched = {socket_.number(), POLLIN, 0};
    if (::poll(&watched, 1, wait_ms) <= 0) {
        return std::nullopt;
    }
    pages::FileDescriptor client(
        ::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    return client.is_open() ? std::optional(std::move(client)) : std::nullopt;
}

}  // namespace weft::app::serve
