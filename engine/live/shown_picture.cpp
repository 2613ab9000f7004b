#include "engine/live/shown_picture.h"

#include <utility>

#include "engine/live/shown_frame.h"

namespace weft::live {

void ShownPicture::show(std::shared_ptr<ShownFrame> frame) {
    const std::lock_guard lock(mutex_);
    std::swap(frame_, frame);
}

std::shared_ptr<ShownFrame> ShownPicture::shown() const {
    const std::lock_guard lock(mutex_);
    return frame_;
}

bool ShownPicture::take(LivePicture& picture) const {
    const std::shared_ptr<ShownFrame> frame = shown();
    return frame && frame->copy_to(picture);
}

}  // namespace weft::live
