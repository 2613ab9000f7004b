// live_frames.h — the frame of the newest job, and the one before it, which undo brings back.
//
// At most two frames exist, and the current one belongs to the newest job that was prepared. Any
// thread may read and attend; the render thread changes which frames they are.
#pragma once

#include <memory>
#include <mutex>

#include "engine/live/live_frame.h"

namespace weft::live {

class LiveFrames {
public:
    // Null: the newest job has only a first picture, or not even that.
    [[nodiscard]] std::shared_ptr<LiveFrame> current() const;
    [[nodiscard]] std::shared_ptr<LiveFrame> aside() const;
    // The frame that has rendered this picture, current or aside; null: neither.
    [[nodiscard]] std::shared_ptr<LiveFrame> find(const LiveJob& job) const;

    // Refines this part first, in this frame and later ones; an empty region ends that.
    void attend(const film::Region& region);

    // --- the render thread ---
    void begin(std::shared_ptr<LiveFrame> frame);
    // Makes a frame that find() gave the current one, and puts the other one aside.
    void bring_back(const std::shared_ptr<LiveFrame>& found);
    // Keeps the current frame, if there is one, instead of the one that was aside.
    void put_aside();
    void drop_aside();

private:
    mutable std::mutex mutex_;
    std::shared_ptr<LiveFrame> current_;
    std::shared_ptr<LiveFrame> aside_;
    film::Region attended_{};
};

}  // namespace weft::live
