// served_scene.h — the scene of a client, with its edits and settings, and the job that shows it.
//
// After an error everything is as before. The server's thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "app/serve/request.h"
#include "engine/live/live_job.h"
#include "engine/live/shown_picture.h"
#include "engine/scene/edit/edit.h"

namespace weft::app::serve {

class ServedScene {
public:
    // `usual`: what no message says, from the server's own command line, which the headers of
    // pictures name.
    ServedScene(RenderOptions usual, std::string command_line)
        : usual_(std::move(usual)), command_line_(std::move(command_line)) {}

    // Reads, lights and completes the scene of a Load message. Edits before it are gone; lists that
    // are as in the scene before stay. `is_cancelled` is asked on several threads.
    base::Status load(const Request& request, std::function<bool()> is_cancelled);

    // Takes what a Settings message says instead of what the one before said.
    base::Status take_settings(const Request& request);

    // All edits, or none.
    base::Status edit(std::span<const scene::Edit> edits);

    // Gives a mesh of the scene other triangles, from the glTF file of a Mesh message.
    base::Status replace_mesh(const Request& request, std::function<bool()> is_cancelled);

    // Writes the edits since load(), and the camera, as a file for `weft render --edits`. Error:
    // the scene has other meshes than the files that it was read from.
    base::Status save_edits(const std::string& path) const;

    // How a picture of the scene is written; LiveRender::save adds what its frame knows.
    [[nodiscard]] film::ImageConfig image_config() const;

    // Whether the job has changed since take_job(). Never before load().
    [[nodiscard]] bool has_changes() const { return scene_ && effect_ != scene::kEffectNone; }

    // The job that shows everything so far. Only where has_changes(). Errors: settings that do not
    // fit the scene's camera.
    base::Result<live::LiveJob> take_job();

    [[nodiscard]] live::LiveView view() const;

    [[nodiscard]] PixelKind pixels() const { return pixels_; }

    // Null: no scene is loaded.
    [[nodiscard]] const std::shared_ptr<const scene::Scene>& scene() const { return scene_; }

private:
    void remember(std::span<const scene::Edit> edits);

    const RenderOptions usual_;
    const std::string command_line_;
    RenderOptions rendered_ = usual_;
    PixelKind pixels_ = PixelKind::Linear;
    bool is_denoised_ = false;
    std::shared_ptr<const scene::Scene> scene_;
    scene::EditContext context_;
    std::string source_;               // what was loaded first
    std::vector<scene::Edit> edits_;   // since load(), but of the camera
    bool has_sent_meshes_ = false;     // since load()
    u32 effect_ = scene::kEffectNone;  // of the changes since take_job()
};

}  // namespace weft::app::serve
