// render_outputs.h — writes a render's outputs: picture, snapshots, figures, trace and summary.
//
// One thread, and only while the frame is not running.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "app/render_stats.h"
#include "engine/frame/renderer.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

// What all frames of an animation take from the scene at rest.
struct RestView {
    std::vector<scene::Camera> cameras;
    bool is_lit = false;
};

// The input of a render, after options and edits.
struct Plan {
    RenderOptions options;  // with the exposure and view transform of the edits
    std::string command_line;
    scene::Scene scene;
    scene::Scene imported;         // the scene before edits; shares what they leave alone
    std::optional<RestView> rest;  // empty: the scene at rest was not read
    scene::EditContext context;
    frame::RenderSettings settings;
    film::FilmRecord record;       // without samples; empty unless the film is saved
    film::MatteNames matte_names;  // of all instances, in the layers of mattes
};

// The memory that writing the picture takes, kept free from before the first sample until this
// dies: a picture that was rendered can also be written.
class WriterMemory {
public:
    WriterMemory() = default;
    WriterMemory(const WriterMemory&) = delete;
    WriterMemory& operator=(const WriterMemory&) = delete;
    ~WriterMemory();

    // Call it once. Error (kind TooLarge): it does not fit beside the film.
    base::Status keep_free(const Plan& plan, const frame::Renderer& frame);

private:
    u64 bytes_ = 0;
};

// Writes the current picture. The frame must be held or finished.
base::Status write_snapshot(const Plan& plan, frame::Renderer& frame);

// Whether files hold the film's sums, and so need the record.
bool saves_film(const RenderOptions& options);

// How the frame's picture is written, with its metadata. `maybe_denoised` as below.
film::ImageConfig picture_config(const Plan& plan,
                                 const frame::Renderer& frame,
                                 const std::shared_ptr<const film::Picture>& maybe_denoised);

// Writes the picture, the summary, the figures and the trace of a frame that ran. `maybe_denoised`:
// shown in place of the film's means (ImageConfig::denoised); null: none.
base::Status write_outputs(const Plan& plan,
                           const frame::Renderer& frame,
                           const std::shared_ptr<const film::Picture>& maybe_denoised,
                           RenderTimes& times);

}  // namespace weft::app
