// file_saver.h — writes a file on its own thread.
//
// A picture waits for whole waves of the renderer, and every file for the disk; the interface must
// not wait. One file at a time. Owner: the interface thread.
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
    // Call only while !is_busy(). Everything that `write` uses must outlive the writing; `written`
    // is the message to show once the file exists.
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

    // Returns the outcome of the writing, once.
    std::optional<base::Status> poll() { return writing_.poll(); }

private:
    std::string path_;
    std::string written_;
    Background<base::Status> writing_;
};

}  // namespace weft::app
