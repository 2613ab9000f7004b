// folder_watch.h — waits for events of the files in one folder, so that a test acts while the
// program writes.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/inotify.h>
#include <unistd.h>

#include "scheduler/base/ids.h"
#include "tests/app/weft_process.h"

namespace weft::app::testing {

// Waits for a write to any file of one folder, or for another event.
class FolderWatch {
public:
    explicit FolderWatch(const std::string& folder, u32 event = IN_MODIFY)
        : descriptor_(::inotify_init1(IN_CLOEXEC)),
          watch_(::inotify_add_watch(descriptor_, folder.c_str(), event)) {}

    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;

    ~FolderWatch() { ::close(descriptor_); }

    // Skips events of the folder itself, since listing a folder opens it.
    [[nodiscard]] bool wait() const {
        constexpr int kLimitMs = std::chrono::milliseconds(kSilenceLimit).count();
        for (;;) {
            pollfd events{descriptor_, POLLIN, 0};
            alignas(inotify_event) std::array<char, 4096> bytes{};
            if (watch_ < 0 || ::poll(&events, 1, kLimitMs) != 1) {
                return false;
            }
            const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
            for (ssize_t at = 0; at < count;) {
                inotify_event event{};
                std::memcpy(&event, bytes.data() + at, sizeof event);
                if ((event.mask & IN_ISDIR) == 0) {
                    return true;
                }
                at += static_cast<ssize_t>(sizeof event + event.len);
            }
        }
    }

private:
    int descriptor_;
    int watch_;
};

}  // namespace weft::app::testing
