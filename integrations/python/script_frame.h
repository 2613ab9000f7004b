// script_frame.h — one render of a scene that Python holds: prepared, rendered once, then a picture
// with its layers, figures and files.
//
//     prepare() ──▶ render() ──▶ is_picture(): planes, hashes, stats, save()
//                     ▲ cancel(), progress() and take_notes() by any thread, at any time
//
// One thread at a time but for those. Prints nothing, and no signal ends it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/render_outputs.h"
#include "integrations/python/script_scene.h"

namespace weft::python {

// Pixels in memory, row by row from the top, channels of a pixel side by side.
struct Plane {
    std::shared_ptr<const void> owner;  // keeps the memory
    const void* pixels = nullptr;
    u32 height = 0;
    u32 width = 0;
    u32 channels = 0;
    bool is_whole = false;  // u32, not float
};

class ScriptFrame : public std::enable_shared_from_this<ScriptFrame> {
public:
    // Plans the picture and builds everything that its rays need. The scene may be edited or
    // destroyed afterwards. Errors: those of `weft render` before its first sample.
    static base::Result<std::shared_ptr<ScriptFrame>> prepare(
        const ScriptScene& scene, const std::vector<std::string>& words);

    // Renders until a stop rule is met or cancel() was called; denoises if that was asked for and
    // nothing was cancelled. After an error there may be a picture all the same. Once.
    base::Status render();

    // Ends the render soon. What is rendered is kept.
    void cancel();

    [[nodiscard]] bool is_cancelled() const {
        return is_cancelled_.load(std::memory_order_relaxed);  // guards no other data
    }

    // The last figures that the render told; samples_total is 0 before the first.
    [[nodiscard]] frame::FrameProgress progress() const;
    // What the render had to say since the last call, such as that there is no compiler.
    std::vector<std::string> take_notes();

    // Whether render() has ended with at least one sample. What follows is only for then.
    [[nodiscard]] bool is_picture() const { return is_picture_.load(); }

    // x0, y0, x1, y1 of the pixels that are rendered; width and height of the whole picture.
    [[nodiscard]] std::array<u32, 6> window() const;

    // RGBA of the means; RGB of the denoised picture: no channels where it was not denoised.
    [[nodiscard]] Plane beauty() const;
    [[nodiscard]] Plane denoised() const;
    // Names of the layers, in the film's order.
    [[nodiscard]] std::vector<std::string> layers() const;
    // One of them. Numbers are whole, kNone where nothing was hit; they and mattes are made for
    // this call. Mattes are ids and coverages of as many ranks as cryptomatte_ranks says. Error
    // (kind Usage): no such layer.
    [[nodiscard]] base::Result<Plane> layer(const std::string& name) const;
    // Channels, unit and meaning of a layer, as JSON; for mattes, also "ids", by name.
    [[nodiscard]] base::Result<std::string> facts_json(const std::string& name) const;

    [[nodiscard]] std::string film_hash() const;

    // The text of --stats.
    [[nodiscard]] const std::string& stats_json() const { return stats_; }

    // `weft render …` with all options that give this picture, but for -o.
    [[nodiscard]] const std::string& command_line() const { return plan_->command_line; }

    // Writes the picture as `weft render -o PATH` does, with the words of options of files. Layers
    // and sums are left out where the format has none, and so are their options in the command
    // line of the metadata. Errors: kinds Usage, Output.
    base::Status save(const std::string& path, const std::vector<std::string>& words) const;

private:
    ScriptFrame() = default;
    base::Status run();
    base::Status denoise();
    // The layer's index in the film.
    [[nodiscard]] base::Result<u32> index_of(const std::string& name) const;
    [[nodiscard]] Plane plane_of(const void* pixels, u32 channels, bool is_whole) const;
    [[nodiscard]] Plane number_plane(u32 layer) const;
    [[nodiscard]] Plane matte_plane(u32 layer) const;

    std::shared_ptr<app::Plan> plan_;
    std::vector<std::string> words_;  // of the command line
    app::RenderTimes times_;
    std::unique_ptr<frame::Renderer> renderer_;
    std::shared_ptr<const film::Picture> denoised_;
    std::string stats_;
    std::atomic<bool> is_cancelled_{false};
    std::atomic<bool> is_begun_{false};
    std::atomic<bool> is_picture_{false};  // released after all that it promises
    mutable std::mutex mutex_;             // guards the rest
    frame::FrameProgress progress_;
    std::vector<std::string> notes_;
};

}  // namespace weft::python
