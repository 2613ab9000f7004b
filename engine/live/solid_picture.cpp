#include "engine/live/solid_picture.h"

#include <array>
#include <utility>

#include "engine/film/parallel_rows.h"

namespace weft::live {

namespace {

constexpr float kOutlineCover = 0.85F;

// Where a pass meets each pixel: first the middle, then points in as many rows as columns.
constexpr std::array<frame::PicturePoint, SolidPicture::kPasses> kPoints = {{{0.5F, 0.5F},
                                                                             {0.0625F, 0.3125F},
                                                                             {0.8125F, 0.9375F},
                                                                             {0.3125F, 0.8125F},
                                                                             {0.6875F, 0.0625F},
                                                                             {0.9375F, 0.4375F},
                                                                             {0.1875F, 0.6875F},
                                                                             {0.4375F, 0.1875F}}};

}  // namespace

SolidPicture::SolidPicture(HitRequest request, LiveDisplay display, u64 job)
    : rows_(std::move(request)), size_(rows_.request().size), display_(display), job_(job) {
    const std::size_t pixels = std::size_t{size_.width} * size_.height;
    colours_.resize(pixels);
    sums_.resize(3 * pixels);
    if (display_ == LiveDisplay::Wireframe) {
        instances_.resize(pixels);
    }
}

bool SolidPicture::draw_pass(const std::function<bool()>& should_stop) {
    const auto draw = [this](frame::CameraHits& hits, u32 y) { draw_row(hits, y); };
    if (!rows_.is_allocated() || !rows_.run(0, size_.height, draw, should_stop)) {
        return false;
    }
    ++passes_;
    next_ = std::make_shared<ShownImage>();
    next_->width = size_.width;
    next_->height = size_.height;
    next_->rgba.resize(4 * colours_.size());
    film::for_rows(size_.height, [this](u32 y) { add_row(y); });
    next_->version = next_version();
    const std::lock_guard lock(mutex_);
    image_ = std::exchange(next_, nullptr);
    return true;
}

void SolidPicture::draw_row(frame::CameraHits& hits, u32 y) {
    const u32 width = size_.width;
    thread_local std::vector<frame::PicturePoint> points;
    thread_local std::vector<frame::CameraHit> found;
    points.resize(width);
    found.resize(width);
    const frame::PicturePoint& in_pixel = kPoints[passes_];
    for (u32 x = 0; x < width; ++x) {
        points[x] = {static_cast<float>(x) + in_pixel.x, static_cast<float>(y) + in_pixel.y};
    }
    hits.trace(points, found);
    const bool has_lines = display_ == LiveDisplay::Wireframe;
    for (u32 x = 0; x < width; ++x) {
        const std::size_t pixel = std::size_t{y} * width + x;
        colours_[pixel] = solid_colour(found[x], hits.direction(points[x]));
        if (has_lines) {
            instances_[pixel] = found[x].instance;
            const float cover = edge_cover(hits.seen(found[x], points[x]));
            colours_[pixel] = cover > 0 ? with_line(colours_[pixel], cover) : colours_[pixel];
        }
    }
}

// Adds a row of the pass that is drawn to the passes before, and writes their means.
void SolidPicture::add_row(u32 y) {
    const u32 width = size_.width;
    for (u32 x = 0; x < width; ++x) {
        const std::size_t pixel = std::size_t{y} * width + x;
        const DisplayRgb colour =
            is_outline(x, y) ? with_line(colours_[pixel], kOutlineCover) : colours_[pixel];
        for (std::size_t c = 0; c < 3; ++c) {
            u16& sum = sums_[3 * pixel + c];
            sum = static_cast<u16>(sum + colour[c]);
            next_->rgba[4 * pixel + c] = static_cast<u8>((sum + passes_ / 2) / passes_);
        }
        next_->rgba[4 * pixel + 3] = 255;
    }
}

// Objects have outlines also where their triangles are too small for lines.
bool SolidPicture::is_outline(u32 x, u32 y) const {
    if (instances_.empty()) {
        return false;
    }
    const auto [width, height] = size_;
    const std::size_t pixel = std::size_t{y} * width + x;
    return (x + 1 < width && instances_[pixel] != instances_[pixel + 1]) ||
           (y + 1 < height && instances_[pixel] != instances_[pixel + width]);
}

bool SolidPicture::copy_to(LivePicture& picture) const {
    std::shared_ptr<const ShownImage> image;
    {
        const std::lock_guard lock(mutex_);
        image = image_;
    }
    const auto [width, height] = size_;
    return image && copy_image(*image,
                               {.job = job_,
                                .full_width = width,
                                .full_height = height,
                                .region = {0, 0, width, height},
                                .display = display_},
                               picture);
}

}  // namespace weft::live
