#include "engine/live/solid_display.h"

namespace weft::live {

void SolidDisplay::show(const LiveJob& job, u64 number, LiveDisplay display) {
    job_ = number;
    picture_ =
        std::make_shared<SolidPicture>(hit_request(preparer_.prepared(), job), display, number);
    // A waiting job does not stop it: during a drag every job shows a picture.
    if (picture_->draw_pass([this] { return queue_.is_closing(); })) {
        presenter_.present(picture_, number);
    } else if (!queue_.is_closing()) {
        board_.fail({base::ErrorKind::Memory, "out of memory for the solid display"});
    }
}

void SolidDisplay::smooth() {
    const auto should_stop = [this] { return queue_.is_closing() || queue_.is_answer_due(); };
    if (!picture_ || board_.is_failed()) {
        return;
    }
    while (picture_->passes() < SolidPicture::kPasses) {
        board_.update([](LiveStatus& status) { status.state = LiveState::Rendering; });
        if (!picture_->draw_pass(should_stop)) {
            return;
        }
    }
    board_.update([](LiveStatus& status) { status.state = LiveState::Done; });
}

}  // namespace weft::live
