// file_saver.h — writes a file on a thread of its own.
//
// A picture waits for whole waves of the renderer, and every file for the disk; the interface must
// not. One file at a time. Owner: the interface thread.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <string>

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
        outcome_ = std::async(std::launch::async, std::move(write));
    }

    [[nodiscard]] bool is_busy() const { return outcome_.valid(); }

    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] const std::string& written() const { return written_; }

    // How it ended, once.
    std::optional<base::Status> poll() {
        if (!outcome_.valid() ||
            outcome_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            return std::nullopt;
        }
        return outcome_.get();
    }

private:
    std::string path_;
    std::string written_;
    std::future<base::Status> outcome_;
};

}  // namespace weft::app
