// file_saver.h — writes a file on a thread of its own.
//
// A picture waits for whole waves of the renderer, and every file for the disk; the interface must
// not. One file at a time. Owner: the interface thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/view/background/background.h"
#include "scheduler/base/result.h"

namespace weft::app {

class FileSaver {
public:
    // Only while !is_busy(). What `write` uses outlives what is begun here; `written` is what can
    // be said when the file is there.
    void start(const std::string& path,
               const std::string& written,
               std::function<base::Status()> write) {
        path_ = path;
        written_ = written;
        writing_.start(std::move(write));
    }

    [[nodiscard]] bool is_busy() const { return writing_.is_running(); }

    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] const std::string& written() const { return written_; }

    // How it ended, once.
    std::optional<base::Status> poll() { return writing_.poll(); }

private:
    std::string path_;
    std::string written_;
    Background<base::Status> writing_;
};

}  // namespace weft::app
