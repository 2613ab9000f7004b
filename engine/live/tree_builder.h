// tree_builder.h — builds the tree of a live frame on threads of its own, so that no first picture
// waits for a build to stop.
//
// A cancelled build does not stop at once: at a million triangles Embree works for 90 ms before it
// first checks. So each build has threads of its own, and cancelling it lowers their priority: the
// next first picture gets nearly all of the processor. A thread cannot raise its priority again,
// which is why builds share no threads.
//
// The render thread's; the threads of a build see their own order only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame/prepared_scene.h"

namespace weft::live {

// The tree to build for a scene whose prepared tree was patched or built fast.
struct TreeOrder {
    frame::PreparedScene former;
    frame::RenderSettings settings;  // thread_count >= 1: so many threads build
    std::vector<std::string> hidden;
};

class TreeBuilder {
public:
    TreeBuilder();
    // Cancels the build and waits for its threads.
    ~TreeBuilder();
    TreeBuilder(const TreeBuilder&) = delete;
    TreeBuilder& operator=(const TreeBuilder&) = delete;

    // Not while busy. A thread of the build calls `on_done` when the builder is no longer busy.
    void begin(TreeOrder order, std::function<void()> on_done);

    // From begin() to the end of the build, cancelled or not.
    [[nodiscard]] bool is_busy() const;

    // Cancels the build: it ends at its next check, at low priority.
    void give_up();

    // At most once after each begin(), when not busy. Errors: those of prepare_scene(), or
    // cancelled.
    [[nodiscard]] base::Result<frame::PreparedScene> take();

private:
    struct Build;
    std::unique_ptr<Build> build_;  // null: none
};

}  // namespace weft::live
