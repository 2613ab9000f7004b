// tree_builder.h — the tree of a live frame, built by threads that nobody has to wait for.
//
// A build that is no longer wanted takes its time to stop: at a million triangles Embree asks
// nobody for its first 90 ms of work. So a build has threads of its own, and one that is given up
// gives way as well: its threads run on where nobody else wants the processor, and the next first
// picture has it nearly alone. Threads cannot take priority back, which is why none are shared.
//
// The render thread's; the threads of a build see their own order only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame/prepared_scene.h"

namespace weft::live {

// The built tree of a scene that was prepared with a patched one, or one that was built fast.
struct TreeOrder {
    frame::PreparedScene former;
    frame::RenderSettings settings;  // thread_count >= 1: so many threads build
    std::vector<std::string> hidden;
};

class TreeBuilder {
public:
    TreeBuilder();
    // Gives up and waits for the threads.
    ~TreeBuilder();
    TreeBuilder(const TreeBuilder&) = delete;
    TreeBuilder& operator=(const TreeBuilder&) = delete;

    // Not while busy. `on_done` is called by a thread of the build, once it is not busy any more.
    void begin(TreeOrder order, std::function<void()> on_done);

    // From begin() to the end of the build, whether or not it was given up.
    [[nodiscard]] bool is_busy() const;

    // Its result is not wanted: it ends as soon as it asks.
    void give_up();

    // At most once after each begin(), when not busy. Errors: prepare_scene's; or given up.
    [[nodiscard]] base::Result<frame::PreparedScene> take();

private:
    struct Build;
    std::unique_ptr<Build> build_;  // null: none has begun
};

}  // namespace weft::live
