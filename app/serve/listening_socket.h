// listening_socket.h — where clients find a server: a Unix socket in a folder that only this user
// may enter.
//
// The folder keeps others out, and every peer's user is checked as well: a descriptor may be handed
// around. One thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

#include "engine/pages/file_descriptor.h"
#include "scheduler/base/result.h"

namespace weft::app::serve {

// Whether the process at the other end of a connected Unix socket runs as `user`. The error says
// who it is.
base::Status check_peer(const pages::FileDescriptor& socket, uid_t user);

class ListeningSocket {
public:
    // Makes serve-PID.sock in the folder, which is made with mode 0700 unless it is there, and has
    // to be this user's. Empty: weft in $XDG_RUNTIME_DIR, else a new folder for temporary files,
    // which goes with the socket. Errors (kind Output) name the folder.
    static base::Result<ListeningSocket> open(const std::string& folder);

    ListeningSocket(ListeningSocket&& other) noexcept = default;
    ListeningSocket& operator=(ListeningSocket&& other) = delete;
    ListeningSocket(const ListeningSocket&) = delete;
    ListeningSocket& operator=(const ListeningSocket&) = delete;
    // Removes what open() made.
    ~ListeningSocket();

    [[nodiscard]] const std::string& path() const { return path_; }

    // The next client that waits, with its user unchecked; none: nobody waits. Waits for so many
    // milliseconds at most.
    [[nodiscard]] std::optional<pages::FileDescriptor> accept(int wait_ms) const;

private:
    ListeningSocket(pages::FileDescriptor socket, std::string path, std::filesystem::path folder)
        : socket_(std::move(socket)), path_(std::move(path)), own_folder_(std::move(folder)) {}

    pages::FileDescriptor socket_;
    std::string path_;
    std::filesystem::path own_folder_;  // empty: it stays
};

}  // namespace weft::app::serve
