// map_reader.h — reads an environment map on a thread of its own.
//
// A map of some thousand pixels takes its time to be read and decoded; the interface must not wait
// for it. One at a time. Owner: the interface thread.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <string>

#include "engine/scene/import.h"

namespace weft::app {

class MapReader {
public:
    // Only while !is_busy().
    void start(const std::string& path) {
        path_ = path;
        is_wanted_ = true;
        outcome_ = std::async(std::launch::async, [path] { return scene::read_environment(path); });
    }

    [[nodiscard]] bool is_busy() const { return outcome_.valid(); }

    [[nodiscard]] const std::string& path() const { return path_; }

    // What is being read will not be taken: another scene was opened.
    void forget() { is_wanted_ = false; }

    // The map, once.
    std::optional<base::Result<scene::Environment>> poll() {
        if (!outcome_.valid() ||
            outcome_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            return std::nullopt;
        }
        base::Result<scene::Environment> map = outcome_.get();
        return is_wanted_ ? std::optional(std::move(map)) : std::nullopt;
    }

private:
    std::string path_;
    bool is_wanted_ = false;
    std::future<base::Result<scene::Environment>> outcome_;
};

}  // namespace weft::app
