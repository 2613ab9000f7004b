// picture_saver.h — writes the renderer's film on a thread of its own.
//
// LiveRender::save waits for whole waves and for the disk; the interface must not. One file at a
// time. Owner: the interface thread.
#pragma once

#include <future>
#include <optional>
#include <string>

#include "engine/frame/live_render.h"

namespace weft::app {

class PictureSaver {
public:
    // Only while !is_busy(). The renderer outlives what is begun here.
    void start(frame::LiveRender& live, const std::string& path, const film::ImageConfig& config) {
        path_ = path;
        outcome_ = std::async(std::launch::async,
                              [&live, path, config] { return live.save(path, config); });
    }

    [[nodiscard]] bool is_busy() const { return outcome_.valid(); }

    [[nodiscard]] const std::string& path() const { return path_; }

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
    std::future<base::Status> outcome_;
};

}  // namespace weft::app
