#include "engine/live/shown_picture.h"

#include <atomic>
#include <utility>

namespace weft::live {

u64 next_version() {
    static std::atomic<u64> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;  // only has to be unique
}

bool copy_image(const ShownImage& image, const ShownPlace& place, LivePicture& picture) {
    if (image.version == picture.version && picture.job == place.job) {
        return false;
    }
    picture.width = image.width;
    picture.height = image.height;
    picture.rgba.assign(image.rgba.begin(), image.rgba.end());
    picture.linear.assign(image.linear.begin(), image.linear.end());
    picture.full_width = place.full_width;
    picture.full_height = place.full_height;
    picture.region = place.region;
    picture.samples = image.samples;
    picture.is_coarse = image.is_coarse;
    picture.denoised = image.denoised;
    picture.display = place.display;
    picture.job = place.job;
    picture.version = image.version;
    return true;
}

void ShownPicture::show(std::shared_ptr<const PictureSource> source) {
    const std::lock_guard lock(mutex_);
    std::swap(source_, source);
}

bool ShownPicture::take(LivePicture& picture) const {
    std::shared_ptr<const PictureSource> source;
    {
        const std::lock_guard lock(mutex_);
        source = source_;
    }
    return source && source->copy_to(picture);
}

}  // namespace weft::live
